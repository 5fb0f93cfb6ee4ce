/* SPDX-License-Identifier: BSD-3-Clause */
/* The plain loop that the library must match to the bit, for one type. Included by reference.c once
 * per type with T, NAME(x), ABS, FMA and SMALLEST_NORMAL defined. */

/* Factors S (n x n, column-major, leading dimension n). swaps are 1-based. Returns info. */
static int32_t NAME(factor)(void *matrix, int32_t n, double threshold, double singular_floor,
                            int32_t *swaps)
{
    T *S = matrix;
    const T tau = (T)threshold;
    T floor = (T)singular_floor;
    int32_t info = 0;
    if (!(floor > SMALLEST_NORMAL))
        floor = SMALLEST_NORMAL;
#define AT(i, j) S[(size_t)(j) * (size_t)n + (size_t)(i)]
    for (int32_t k = 0; k < n; ++k) {
        int32_t m = k;
        T best = ABS(AT(k, k));
        for (int32_t p = k + 1; p < n; ++p)
            if (ABS(AT(p, k)) > best) {
                best = ABS(AT(p, k));
                m = p;
            }
        if (tau < 1 && ABS(AT(k, k)) >= tau * best && ABS(AT(k, k)) >= floor)
            m = k;
        const int zero = best < floor;
        if (zero && info == 0)
            info = k + 1;
        for (int32_t j = 0; j < n; ++j) {
            const T held = AT(k, j);
            AT(k, j) = AT(m, j);
            AT(m, j) = held;
        }
        swaps[k] = m + 1;
        if (zero)
            continue;
        const T r = (T)1 / AT(k, k);
        for (int32_t i = k + 1; i < n; ++i) {
            AT(i, k) = AT(i, k) * r;
            for (int32_t j = k + 1; j < n; ++j)
                AT(i, j) = FMA(-AT(i, k), AT(k, j), AT(i, j));
        }
    }
    return info;
}

/* Solves S x = b (transposed: S^T x = b) in place, x contiguous. */
static void NAME(solve)(const void *factors, int32_t n, const int32_t *swaps, int transposed,
                        void *vector)
{
    const T *S = factors;
    T *x = vector;
    if (!transposed) {
        for (int32_t k = 0; k < n; ++k) {
            const T held = x[k];
            x[k] = x[swaps[k] - 1];
            x[swaps[k] - 1] = held;
        }
        for (int32_t k = 0; k < n; ++k)
            for (int32_t i = k + 1; i < n; ++i)
                x[i] = FMA(-AT(i, k), x[k], x[i]);
        for (int32_t i = n - 1; i >= 0; --i) {
            x[i] = x[i] / AT(i, i);
            for (int32_t j = 0; j < i; ++j)
                x[j] = FMA(-AT(j, i), x[i], x[j]);
        }
        return;
    }
    for (int32_t k = 0; k < n; ++k) {
        x[k] = x[k] / AT(k, k);
        for (int32_t j = k + 1; j < n; ++j)
            x[j] = FMA(-AT(k, j), x[k], x[j]);
    }
    for (int32_t k = n - 1; k >= 0; --k)
        for (int32_t j = 0; j < k; ++j)
            x[j] = FMA(-AT(k, j), x[k], x[j]);
    for (int32_t k = n - 1; k >= 0; --k) {
        const T held = x[k];
        x[k] = x[swaps[k] - 1];
        x[swaps[k] - 1] = held;
    }
#undef AT
}

static double NAME(get)(const void *array, size_t e)
{
    return (double)((const T *)array)[e];
}
static void NAME(set)(void *array, size_t e, double value)
{
    ((T *)array)[e] = (T)value;
}
