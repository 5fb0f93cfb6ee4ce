// SPDX-License-Identifier: BSD-3-Clause
// The right-looking LU with partial pivoting, one thread per system, in place, rows moved as LAPACK
// moves them. Every rounding is spelled out: one fma per update in the order of the steps, one
// multiplication by the reciprocal of the pivot, divisions in the back substitution.
#pragma once

#include <cstdint>
#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

// Which row becomes the pivot, and when there is none. threshold in (0, 1], floor > 0.
template <typename T>
struct PivotRule {
    T threshold;
    T floor;

    // Does the row in place stay, though `best` is the largest magnitude of the column?
    TDLS_HOST_DEVICE constexpr bool keeps(T in_place, T best) const noexcept
    {
        return threshold < T(1) && in_place >= threshold * best && in_place >= floor;
    }
    TDLS_HOST_DEVICE constexpr bool is_zero(T best) const noexcept { return best < floor; }
};

// A vector in memory: entry i at base[i * stride]. Stride is std::int64_t, or an
// std::integral_constant where the compiler shall know it.
template <typename T, typename Stride = std::int64_t>
struct StridedVector {
    T *base;
    [[no_unique_address]] Stride stride;

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE T &operator[](std::int64_t i) const noexcept
    {
        return base[i * stride];
    }
};

// A matrix in memory, read column-major: element (i, j) at base[i * row_stride + j *
// column_stride].
template <typename T, typename Stride = std::int64_t>
struct StridedMatrix {
    T *base;
    [[no_unique_address]] Stride row_stride;
    std::int64_t column_stride;

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE StridedVector<T, Stride>
    column(std::int64_t j) const noexcept
    {
        return {base + j * column_stride, row_stride};
    }
};

// y(i) = fma(-l(i), u, y(i)) for i in [from, to).
template <typename L, typename Y, typename T>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE void
subtract_multiple(const L &l, T u, const Y &y, std::int64_t from, std::int64_t to) noexcept
{
    TDLS_INDEPENDENT
    for (std::int64_t i = from; i < to; ++i) {
        y[i] = fma(-l[i], u, y[i]);
    }
}

template <typename V>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE void exchange(const V &v, std::int64_t i,
                                                 std::int64_t k) noexcept
{
    const auto held = v[i];
    v[i] = v[k];
    v[k] = held;
}

// P S = L U in place; swaps[k] is the 1-based row that changed places with row k (0-based).
// Returns 0, or the 1-based number of the first column whose best pivot is below the floor.
template <typename T, typename Stride, typename Swaps>
TDLS_HOST_DEVICE std::int32_t factorize_rows(const StridedMatrix<T, Stride> &s, std::int32_t n,
                                             const PivotRule<T> &rule, const Swaps &swaps) noexcept
{
    std::int32_t info = 0;
    for (std::int32_t k = 0; k < n; ++k) {
        const auto multipliers = s.column(k);
        const T in_place = abs(multipliers[k]);
        T best = in_place;
        std::int32_t m = k;
        for (std::int32_t p = k + 1; p < n; ++p) {
            const T magnitude = abs(multipliers[p]);
            if (magnitude > best) {
                best = magnitude;
                m = p;
            }
        }
        if (rule.keeps(in_place, best)) {
            m = k;
        }
        swaps[k] = m + 1;
        if (m != k) {
            for (std::int32_t j = 0; j < n; ++j) {
                exchange(s.column(j), k, m);
            }
        }
        if (rule.is_zero(best)) {
            if (info == 0) {
                info = k + 1;
            }
            continue;
        }
        const T reciprocal = T(1) / multipliers[k];
        for (std::int32_t p = k + 1; p < n; ++p) {
            multipliers[p] = multipliers[p] * reciprocal;
        }
        for (std::int32_t j = k + 1; j < n; ++j) {
            const auto updated = s.column(j);
            subtract_multiple(multipliers, updated[k], updated, k + 1, n);
        }
    }
    return info;
}

// S x = b with the factors of factorize_rows, x in the place of b.
template <typename T, typename Stride, typename Swaps, typename X>
TDLS_HOST_DEVICE void substitute_rows(const StridedMatrix<T, Stride> &s, std::int32_t n,
                                      const Swaps &swaps, const X &x) noexcept
{
    for (std::int32_t k = 0; k < n; ++k) {
        exchange(x, k, swaps[k] - 1);
    }
    for (std::int32_t k = 0; k < n; ++k) {
        subtract_multiple(s.column(k), T(x[k]), x, k + 1, n);
    }
    for (std::int32_t i = n - 1; i >= 0; --i) {
        const auto u = s.column(i);
        x[i] = x[i] / u[i];
        subtract_multiple(u, T(x[i]), x, 0, i);
    }
}

// S^T x = b with the factors of factorize_rows, x in the place of b.
template <typename T, typename Stride, typename Swaps, typename X>
TDLS_HOST_DEVICE void substitute_columns(const StridedMatrix<T, Stride> &s, std::int32_t n,
                                         const Swaps &swaps, const X &x) noexcept
{
    // Row k of U and of L is spread over the columns; gathering the updates of one entry instead
    // keeps the reads contiguous, and each entry still receives its updates in the order of k.
    for (std::int32_t j = 0; j < n; ++j) {
        const auto u = s.column(j);
        T z = x[j];
        for (std::int32_t k = 0; k < j; ++k) {
            z = fma(-u[k], T(x[k]), z);
        }
        x[j] = z / u[j];
    }
    for (std::int32_t j = n - 1; j >= 0; --j) {
        const auto l = s.column(j);
        T z = x[j];
        for (std::int32_t k = n - 1; k > j; --k) {
            z = fma(-l[k], T(x[k]), z);
        }
        x[j] = z;
    }
    for (std::int32_t k = n - 1; k >= 0; --k) {
        exchange(x, k, swaps[k] - 1);
    }
}

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
