// SPDX-License-Identifier: BSD-3-Clause
// The kernels for processors without fused operations on vectors: one thread does one system at a
// time, with the core's elimination on the caller's memory.
#pragma once

#include <limits>

#include "system.hpp"

#include <tdls/solvers/cooperative_lupp/elimination.hpp>

namespace tdls
{
namespace cpu
{

namespace
{
namespace core_kernels
{

using detail::Distance;

using Unit = detail::FixedDistance<1>;

template <typename T>
detail::PivotRule<T> pivot_rule(const Batch<T> &batch)
{
    const T least = std::numeric_limits<T>::min();
    const T floor = static_cast<T>(batch.singular_floor);
    return {static_cast<T>(batch.pivot_threshold), floor > least ? floor : least};
}

// The matrix and the swaps of a system, where they are.
template <typename T, typename RowStride, typename SwapStride>
struct Factors {
    T *matrix;
    RowStride row_stride;
    std::int64_t column_stride;
    std::int32_t *swaps;
    SwapStride swap_stride;
};

// The rows of a system as the core sees them, all of them one thread's, with a right-hand side.
template <typename T, typename RowStride, typename SwapStride, typename EntryStride>
TDLS_FORCE_INLINE auto rows_of(const Factors<T, RowStride, SwapStride> &f, std::int32_t n,
                               T *entries, EntryStride entry_stride)
{
    using Rows = detail::MemoryRows<T, RowStride, std::int32_t, SwapStride, T, EntryStride,
                                    detail::Index<1>, true>;
    return Rows{{n},     {n, {}, 0},    f.matrix, f.row_stride, f.column_stride,
                f.swaps, f.swap_stride, entries,  entry_stride};
}

// P S = L U in place. Returns info.
template <typename T, typename RowStride, typename SwapStride>
std::int32_t factorize(const Factors<T, RowStride, SwapStride> &f, std::int32_t n,
                       const detail::PivotRule<T> &rule)
{
    auto rows = rows_of(f, n, f.matrix, f.row_stride);
    detail::LapackExchange<T, decltype(rows)> exchange(rows);
    return detail::eliminate<T, detail::Fold::None>(rows, exchange, rule,
                                                    [&](int k, int m) { rows.place(k) = m + 1; });
}

// S x = b or S^T x = b, x in the place of b.
template <typename T, typename RowStride, typename SwapStride, typename EntryStride>
void substitute(const Factors<T, RowStride, SwapStride> &f, std::int32_t n, bool transposed, T *x,
                EntryStride stride)
{
    auto rows = rows_of(f, n, x, stride);
    detail::LapackExchange<T, decltype(rows)> exchange(rows);
    if (transposed) {
        detail::solve_upper_transposed<T>(rows, exchange);
        detail::solve_lower_transposed<T>(rows, exchange);
        exchange.undo_swaps();
    } else {
        exchange.apply_swaps();
        detail::solve_lower<T>(rows, exchange);
        detail::solve_upper<T>(rows, exchange);
    }
}

// The operands of the systems, for the distance between neighbouring elements: 1, or the width.
template <typename T, typename Width>
class Systems
{
public:
    Systems(const Batch<T> &batch, Width width) : batch_(batch), width_(width) {}

    Factors<T, Width, Distance> factors(std::int64_t s) const
    {
        return {start_of(batch_.a, s), width_, batch_.lda * detail::distance(width_),
                batch_.keep ? start_of(batch_.swaps, s) : nullptr, batch_.swaps.width};
    }

    // Solves with all right-hand sides of system s; contiguous ones as such.
    template <typename F>
    void solve(std::int64_t s, const F &factors) const
    {
        T *const start = batch_.nrhs > 0 ? start_of(batch_.b, s) : nullptr;
        for (std::int32_t c = 0; c < batch_.nrhs; ++c) {
            T *const x = start + c * batch_.b_column_stride * detail::distance(width_);
            if (batch_.b_row_stride == 1) {
                substitute(factors, batch_.n, batch_.transposed, x, width_);
            } else {
                substitute(factors, batch_.n, batch_.transposed, x,
                           batch_.b_row_stride * detail::distance(width_));
            }
        }
    }

private:
    const Batch<T> &batch_;
    Width width_;
};

// Calls run(systems) with the distance of elements known to the compiler where it is 1.
template <typename T, typename Run>
TDLS_FORCE_INLINE void with_width(const Batch<T> &batch, const Run &run)
{
    if (batch.a.width == 1) {
        run(Systems<T, Unit>(batch, Unit{}));
    } else {
        run(Systems<T, Distance>(batch, batch.a.width));
    }
}

template <typename T>
void getrf(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *)
{
    const auto rule = pivot_rule(batch);
    with_width(batch, [&](const auto &systems) {
        for (std::int64_t s = begin; s < end; ++s) {
            const std::int32_t info = factorize(systems.factors(s), batch.n, rule);
            if (batch.info != nullptr) {
                batch.info[s] = info;
            }
        }
    });
}

template <typename T>
void getrs(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *)
{
    with_width(batch, [&](const auto &systems) {
        for (std::int64_t s = begin; s < end; ++s) {
            systems.solve(s, systems.factors(s));
        }
    });
}

// Without kept factors the matrix is factored in scratch: n*n elements, then n swaps.
template <typename T>
std::size_t scratch_bytes(const Batch<T> &batch)
{
    const auto n = static_cast<std::size_t>(batch.n);
    return batch.keep ? 0 : n * n * sizeof(T) + n * sizeof(std::int32_t);
}

template <typename T>
void gesv(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    const auto rule = pivot_rule(batch);
    with_width(batch, [&](const auto &systems) {
        const auto finish = [&](std::int64_t s, const auto &factors) {
            const std::int32_t info = factorize(factors, batch.n, rule);
            if (info == 0) {
                systems.solve(s, factors);
            }
            if (batch.info != nullptr) {
                batch.info[s] = info;
            }
        };
        if (batch.keep) {
            for (std::int64_t s = begin; s < end; ++s) {
                finish(s, systems.factors(s));
            }
            return;
        }
        const std::int64_t n = batch.n;
        T *const elements = static_cast<T *>(scratch);
        const Factors<T, Unit, Unit> copy = {
            elements, {}, n, reinterpret_cast<std::int32_t *>(elements + n * n), {}};
        for (std::int64_t s = begin; s < end; ++s) {
            const auto given = systems.factors(s);
            for (std::int64_t j = 0; j < n; ++j) {
                for (std::int64_t i = 0; i < n; ++i) {
                    elements[i + j * n] = given.matrix[i * detail::distance(given.row_stride) +
                                                       j * given.column_stride];
                }
            }
            finish(s, copy);
        }
    });
}

} // namespace core_kernels
} // namespace
} // namespace cpu
} // namespace tdls
