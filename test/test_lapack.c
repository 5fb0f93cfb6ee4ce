/* SPDX-License-Identifier: BSD-3-Clause */
/* Against LAPACKE: pivots, backward errors, and factors that go back and forth. */
#include "support.h"

#include <lapacke.h>
#include <math.h>

static lapack_int lapack_getrf(const struct type *type, int32_t n, void *a, int32_t lda,
                               lapack_int *ipiv)
{
    return type->size == sizeof(float) ? LAPACKE_sgetrf(LAPACK_COL_MAJOR, n, n, a, lda, ipiv)
                                       : LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, a, lda, ipiv);
}

static lapack_int lapack_getrs(const struct type *type, char trans, int32_t n, int32_t nrhs,
                               const void *a, int32_t lda, const lapack_int *ipiv, void *b,
                               int32_t ldb)
{
    return type->size == sizeof(float)
               ? LAPACKE_sgetrs(LAPACK_COL_MAJOR, trans, n, nrhs, a, lda, ipiv, b, ldb)
               : LAPACKE_dgetrs(LAPACK_COL_MAJOR, trans, n, nrhs, a, lda, ipiv, b, ldb);
}

/* Orders, one batch each. Entries uniform in (-1, 1): of n > 4 nearly every step moves a row. */
static const int32_t orders[] = {1, 2, 3, 4, 5, 8, 13, 16, 20, 24, 32, 33, 50, 64, 100, 131};

/* Of these every, every third, or every fifth. */
static size_t step(void)
{
    return few() == 0 ? 1 : few() == 1 ? 3 : 5;
}

static struct batch *random_batch(struct shape shape, int32_t n, uint64_t *state)
{
    shape.n = n;
    shape.nrhs = 3;
    shape.batch = 5;
    shape.lda = n + 1;
    shape.width = 2;
    struct batch *batch = batch_create(shape);
    fill_random(batch, state);
    return batch;
}

/* S of system s, column-major and contiguous. */
static void *dense(const struct batch *batch, int64_t s)
{
    const int32_t n = batch->shape.n;
    void *matrix = malloc((size_t)n * (size_t)n * batch->shape.type->size);
    assert_non_null(matrix);
    for (int32_t j = 0; j < n; ++j)
        for (int32_t i = 0; i < n; ++i)
            batch->shape.type->set(matrix, (size_t)(i + j * n), s_get(batch, s, i, j));
    return matrix;
}

static double at(const struct type *type, const void *matrix, int32_t n, int32_t i, int32_t j)
{
    return type->get(matrix, (size_t)(i + j * n));
}

/* ||P S - L U|| / ||S||, in the infinity norm, computed in long double. */
static double factor_residual(const struct type *type, int32_t n, const void *original,
                              const void *factors, const lapack_int *ipiv)
{
    int32_t *row = malloc((size_t)n * sizeof *row);
    double largest = 0, norm = 0;
    for (int32_t i = 0; i < n; ++i)
        row[i] = i;
    for (int32_t k = 0; k < n; ++k) {
        const int32_t held = row[k];
        row[k] = row[ipiv[k] - 1];
        row[ipiv[k] - 1] = held;
    }
    for (int32_t i = 0; i < n; ++i) {
        double sum = 0, size = 0;
        for (int32_t j = 0; j < n; ++j) {
            long double value = at(type, original, n, row[i], j);
            for (int32_t k = 0; k <= i && k <= j; ++k)
                value -= (k == i ? 1.0L : (long double)at(type, factors, n, i, k)) *
                         (long double)at(type, factors, n, k, j);
            sum += fabs((double)value);
            size += fabs(at(type, original, n, row[i], j));
        }
        largest = sum > largest ? sum : largest;
        norm = size > norm ? size : norm;
    }
    free(row);
    return largest / norm;
}

static void factors_agree(void **argument)
{
    const struct combination *c = *argument;
    const struct type *type = c->shape.type;
    uint64_t state = seed;
    int moved = 0, steps = 0;
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        const int32_t n = orders[o];
        struct batch *batch = random_batch(c->shape, n, &state), *given = batch_copy(batch);
        tdls_handle_t handle = open_handle_for(&batch->shape);
        assert_int_equal(call(GETRF, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
        for (int64_t s = 0; s < batch->shape.batch; ++s) {
            void *original = dense(given, s), *theirs = dense(given, s), *ours = dense(batch, s);
            lapack_int their_pivots[131], our_pivots[131];
            assert_int_equal(lapack_getrf(type, n, theirs, n, their_pivots), 0);
            assert_int_equal(batch->info[s], 0);
            for (int32_t k = 0; k < n; ++k) {
                our_pivots[k] = batch->piv[p_index(batch, s, k)];
                /* Single precision may see near ties differently in large matrices. */
                if (type->size == sizeof(double) || n <= 33)
                    assert_int_equal(our_pivots[k], their_pivots[k]);
                moved += our_pivots[k] != k + 1;
                ++steps;
            }
            const double bound = 10 * n * type->epsilon;
            const double error = factor_residual(type, n, original, ours, our_pivots);
            if (!(error <= bound))
                fail_msg("n = %d: ||P S - L U|| / ||S|| is %g, above %g", n, error, bound);
            free(original);
            free(theirs);
            free(ours);
        }
        batch_free(batch);
        batch_free(given);
        tdls_destroy(handle);
    }
    assert_true(2 * moved > steps);
}

/* ||b - op(A) x|| / (||op(A)|| ||x|| + ||b||) <= 10 n eps in the infinity norm, each column. */
static void check_solution(const struct batch *given, const struct batch *solved, int64_t s,
                           int transposed)
{
    const struct type *type = given->shape.type;
    const int32_t n = given->shape.n;
    for (int32_t c = 0; c < given->shape.nrhs; ++c) {
        double residual = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (int32_t i = 0; i < n; ++i) {
            long double r = b_get(given, s, i, c);
            double row = 0;
            for (int32_t j = 0; j < n; ++j) {
                const double a = transposed ? a_get(given, s, j, i) : a_get(given, s, i, j);
                r -= (long double)a * (long double)b_get(solved, s, j, c);
                row += fabs(a);
            }
            residual = fmax(residual, fabs((double)r));
            norm_a = fmax(norm_a, row);
            norm_x = fmax(norm_x, fabs(b_get(solved, s, i, c)));
            norm_b = fmax(norm_b, fabs(b_get(given, s, i, c)));
        }
        const double error = residual / (norm_a * norm_x + norm_b), bound = 10 * n * type->epsilon;
        if (!(error <= bound))
            fail_msg("n = %d: backward error %g, above %g", n, error, bound);
    }
}

static void solutions_have_small_residuals(void **argument)
{
    const struct combination *c = *argument;
    uint64_t state = seed + 1;
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        struct batch *given = random_batch(c->shape, orders[o], &state);
        tdls_handle_t handle = open_handle_for(&given->shape);
        for (int keep = 0; keep <= 1; ++keep) {
            struct batch *solved = batch_copy(given);
            solved->keep = keep;
            assert_int_equal(call(GESV, handle, TDLS_NO_TRANS, solved), TDLS_SUCCESS);
            for (int64_t s = 0; s < given->shape.batch; ++s)
                check_solution(given, solved, s, 0);
            batch_free(solved);
        }
        struct batch *factored = batch_copy(given);
        assert_int_equal(call(GETRF, handle, TDLS_NO_TRANS, factored), TDLS_SUCCESS);
        for (int32_t trans = TDLS_NO_TRANS; trans <= TDLS_CONJ_TRANS; ++trans) {
            struct batch *solved = batch_copy(factored);
            assert_int_equal(call(GETRS, handle, trans, solved), TDLS_SUCCESS);
            for (int64_t s = 0; s < given->shape.batch; ++s)
                check_solution(given, solved, s, trans != TDLS_NO_TRANS);
            batch_free(solved);
        }
        batch_free(factored);
        batch_free(given);
        tdls_destroy(handle);
    }
}

/* Solves with LAPACKE from the factors in `factored`, into `solved`; trans as the caller sees A. */
static void solve_with_lapack(const struct batch *factored, struct batch *solved, int transposed)
{
    const struct shape *shape = &factored->shape;
    const int32_t n = shape->n;
    /* LAPACK sees S, which is A^T in row-major layout. */
    const char trans = transposed == (shape->layout == TDLS_ROW_MAJOR) ? 'N' : 'T';
    void *x = malloc((size_t)n * (size_t)shape->nrhs * shape->type->size);
    lapack_int ipiv[131];
    for (int64_t s = 0; s < shape->batch; ++s) {
        void *factors = dense(factored, s);
        for (int32_t k = 0; k < n; ++k)
            ipiv[k] = factored->piv[p_index(factored, s, k)];
        for (int32_t c = 0; c < shape->nrhs; ++c)
            for (int32_t i = 0; i < n; ++i)
                shape->type->set(x, (size_t)(i + c * n), b_get(factored, s, i, c));
        assert_int_equal(lapack_getrs(shape->type, trans, n, shape->nrhs, factors, n, ipiv, x, n),
                         0);
        for (int32_t c = 0; c < shape->nrhs; ++c)
            for (int32_t i = 0; i < n; ++i)
                b_set(solved, s, i, c, shape->type->get(x, (size_t)(i + c * n)));
        free(factors);
    }
    free(x);
}

static void factors_go_back_and_forth(void **argument)
{
    const struct combination *c = *argument;
    uint64_t state = seed + 2;
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        const int32_t n = orders[o];
        struct batch *given = random_batch(c->shape, n, &state), *ours = batch_copy(given);
        struct batch *theirs = batch_copy(given);
        tdls_handle_t handle = open_handle_for(&given->shape);
        assert_int_equal(call(GETRF, handle, TDLS_NO_TRANS, ours), TDLS_SUCCESS);
        for (int64_t s = 0; s < given->shape.batch; ++s) {
            void *matrix = dense(given, s);
            lapack_int ipiv[131];
            assert_int_equal(lapack_getrf(given->shape.type, n, matrix, n, ipiv), 0);
            for (int32_t j = 0; j < n; ++j) {
                theirs->piv[p_index(theirs, s, j)] = ipiv[j];
                for (int32_t i = 0; i < n; ++i)
                    s_set(theirs, s, i, j, at(given->shape.type, matrix, n, i, j));
            }
            free(matrix);
        }
        for (int transposed = 0; transposed <= 1; ++transposed) {
            struct batch *by_them = batch_copy(given), *by_us = batch_copy(theirs);
            solve_with_lapack(ours, by_them, transposed);
            assert_int_equal(call(GETRS, handle, transposed ? TDLS_TRANS : TDLS_NO_TRANS, by_us),
                             TDLS_SUCCESS);
            for (int64_t s = 0; s < given->shape.batch; ++s) {
                check_solution(given, by_them, s, transposed);
                check_solution(given, by_us, s, transposed);
            }
            batch_free(by_them);
            batch_free(by_us);
        }
        batch_free(given);
        batch_free(ours);
        batch_free(theirs);
        tdls_destroy(handle);
    }
}

int main(void)
{
    struct combination combinations[3 * COMBINATIONS];
    struct CMUnitTest tests[3 * COMBINATIONS];
    size_t count = add_combinations(tests, 0, combinations, "factors agree", 0, factors_agree);
    count = add_combinations(tests, count, combinations, "residuals", 0,
                             solutions_have_small_residuals);
    count = add_combinations(tests, count, combinations, "back and forth", 0,
                             factors_go_back_and_forth);
    return run_program("lapack", tests, count);
}
