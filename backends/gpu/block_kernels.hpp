// SPDX-License-Identifier: BSD-3-Clause
// The kernel for systems that do not fit into registers: a block of threads per system, the matrix
// in shared memory while it fits, else where it is or in a scratch copy.
//
// Threads. Row r of S belongs to thread r % threads; a thread updates its own rows. Rows move, as
// in LAPACK; the threads of a block move them together, each its share of the columns.
//
// Shared memory. The matrix, if it fits; the pivot row; the right-hand side that is being solved
// for and two elements through which single entries pass; the best candidate of each warp;
// integers: the swaps, and the original row of each position.
//
// Barriers. Of the block: two per column of the elimination, one per step of the substitutions, and
// those of the transfers.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tdls/solvers/cooperative_lupp/elimination.hpp>

#include "tiles.hpp"

namespace tdls
{
namespace gpu
{

constexpr int largest_block = 256;
constexpr std::int32_t largest_order = 2048;

// How the threads of a block see each other's rows: all of them reach all of the matrix.
template <typename T, typename Rows, typename Thread>
class BlockExchange
{
public:
    // row: order elements; cells: two; candidates: 2 * warps + 1; swaps: order integers.
    TDLS_HOST_DEVICE constexpr BlockExchange(Rows &rows, const Thread &thread, T *row, T *cells,
                                             T *candidates, std::int32_t *swaps)
        : rows_(rows), thread_(thread), row_(row), cells_(cells), candidates_(candidates),
          swaps_(swaps)
    {
    }

    // Collective. Magnitudes are compared within each warp, then among warps.
    TDLS_CALLS_GIVEN
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr detail::Candidate<T> find_pivot(int k,
                                                                                     T &in_place)
    {
        // Smaller than any magnitude: a thread without a candidate.
        detail::Candidate<T> own = {T(-1), rows_.steps.order()};
        rows_.slots.each([&](int K) TDLS_INLINE_LAMBDA_GPU {
            const int position = rows_.slots.row(K);
            if (position >= k) {
                own.consider(tdls::abs(rows_.at(K, k)), position);
            }
        });
        const int width = thread_.warp_width();
        const int lane = thread_.thread() % width;
        for (int step = 1; step < width; step *= 2) {
            const int from = (lane + step) % width;
            const T magnitude = thread_.shuffle(own.magnitude, from);
            own.consider(magnitude, thread_.shuffle(own.position, from));
        }
        const int warps = thread_.threads() / width;
        if (lane == 0) {
            candidates_[2 * (thread_.thread() / width)] = own.magnitude;
            candidates_[2 * (thread_.thread() / width) + 1] = static_cast<T>(own.position);
        }
        rows_.slots.at(k, [&](int K) TDLS_INLINE_LAMBDA_GPU {
            candidates_[2 * warps] = tdls::abs(rows_.at(K, k));
        });
        thread_.block_barrier();
        in_place = candidates_[2 * warps];
        detail::Candidate<T> best = {in_place, k};
        for (int w = 0; w < warps; ++w) {
            best.consider(candidates_[2 * w], static_cast<int>(candidates_[2 * w + 1]));
        }
        return best;
    }

    // Collective. Rows k and m change places; row k is shared.
    TDLS_CALLS_GIVEN
    template <detail::Fold Folded>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void interchange(int k, int m)
    {
        static_assert(Folded == detail::Fold::None);
        if (thread_.thread() == 0) {
            swaps_[k] = m + 1;
        }
        T *const row_k = rows_.matrix + k * rows_.row_stride;
        T *const row_m = rows_.matrix + m * rows_.row_stride;
        for (int j = thread_.thread(); j < rows_.steps.order(); j += thread_.threads()) {
            const std::int64_t column = j * rows_.column_stride;
            const T pivot = row_m[column];
            row_[j] = pivot;
            if (m != k) {
                row_m[column] = row_k[column];
                row_k[column] = pivot;
            }
        }
        thread_.block_barrier();
    }
    TDLS_HOST_DEVICE constexpr T pivot(int j) const { return row_[j]; }
    TDLS_HOST_DEVICE constexpr T pivot_entry(int) const { return T(0); }

    // Of a singular system no solution is asked for.
    TDLS_HOST_DEVICE constexpr void give_up() {}

    // Collective. Entry k of the right-hand side, which is not changed any more.
    TDLS_CALLS_GIVEN
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_entry(int k)
    {
        thread_.block_barrier();
        return rows_.entries[k];
    }

    // Collective. Entry i divided by the diagonal.
    TDLS_CALLS_GIVEN
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_quotient(int i)
    {
        rows_.slots.at(
            i, [&](int K) TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = rows_.rhs(K) / rows_.at(K, i); });
        thread_.block_barrier();
        return rows_.entries[i];
    }
    TDLS_HOST_DEVICE constexpr void take_quotients() {}

    // Collective. Row k of the factors, which everybody reaches, and entry k of the right-hand
    // side, which its thread may then overwrite.
    TDLS_CALLS_GIVEN
    template <typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void share_row(int k, const Columns &)
    {
        step_ = k;
        cell_ = 1 - cell_;
        rows_.slots.at(k, [&](int K) TDLS_INLINE_LAMBDA_GPU { cells_[cell_] = rows_.rhs(K); });
        thread_.block_barrier();
    }
    TDLS_HOST_DEVICE constexpr T element(int j) const
    {
        return rows_.matrix[step_ * rows_.row_stride + j * rows_.column_stride];
    }
    TDLS_HOST_DEVICE constexpr T element_of(int K) const { return element(rows_.slots.row(K)); }
    TDLS_HOST_DEVICE constexpr T entry() const { return cells_[cell_]; }

    // Collective. Entry p of the right-hand side becomes entry place(p), through the pivot row,
    // which nobody reads any more.
    TDLS_CALLS_GIVEN
    template <typename Put, typename Take>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void permute(const Put &put, const Take &take)
    {
        rows_.slots.each([&](int K) TDLS_INLINE_LAMBDA_GPU { row_[put(K)] = rows_.rhs(K); });
        thread_.block_barrier();
        rows_.slots.each([&](int K) TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = row_[take(K)]; });
    }

private:
    Rows &rows_;
    const Thread &thread_;
    T *row_;
    T *cells_;
    T *candidates_;
    std::int32_t *swaps_;
    int step_ = 0;
    int cell_ = 0;
};

template <typename T>
struct BlockSolve {
    static constexpr int max_threads = largest_block;

    Batch<T> batch;
    detail::PivotRule<T> rule;
    bool factored;  // A and the swaps are factors
    bool in_shared; // the matrix is copied to shared memory
    T *scratch; // or here, n*n elements for each block, if this is not null; else it is not copied

    static constexpr std::size_t vectors_bytes(std::int32_t n)
    {
        const auto order = static_cast<std::size_t>(n);
        // 2 cells, 2 candidates of each of 8 warps at most, and the magnitude in place, made even
        // so that what follows is aligned.
        return (2 * order + 2 + 2 * 8 + 2) * sizeof(T) + 2 * order * sizeof(std::int32_t) +
               sizeof(void *);
    }
    static constexpr std::size_t matrix_bytes(std::int32_t n)
    {
        const auto order = static_cast<std::size_t>(n);
        return order * order * sizeof(T);
    }

    TDLS_CALLS_GIVEN
    template <typename Thread>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void operator()(const Thread &thread) const
    {
        const int n = batch.n;
        T *const shared = static_cast<T *>(thread.shared());
        T *const row = shared;
        T *const x = row + n;
        T *const cells = x + n;
        T *const candidates = cells + 2;
        auto *const swaps = static_cast<std::int32_t *>(static_cast<void *>(candidates + 18));
        std::int32_t *const origins = swaps + n;
        void **const starts = static_cast<void **>(static_cast<void *>(origins + n));
        T *const copy = in_shared ? static_cast<T *>(static_cast<void *>(starts + 1))
                        : scratch != nullptr
                            ? scratch + thread.block() * static_cast<std::int64_t>(n) * n
                            : nullptr;

        for (std::int64_t s = thread.block(); s < batch.count; s += thread.blocks()) {
            const Run run = {s, 1};
            const bool copied = copy != nullptr;
            T *const matrix = copied ? copy : start_of(batch.a, s);
            using Rows = detail::MemoryRows<T, std::int64_t, std::int32_t, detail::FixedDistance<1>,
                                            T, detail::FixedDistance<1>, int, true>;
            const std::int64_t width = copied ? 1 : batch.a.width;
            work(thread, run,
                 Rows{{n},
                      {n, thread.threads(), thread.thread()},
                      matrix,
                      width,
                      copied ? n : batch.lda * width,
                      origins,
                      {},
                      x,
                      {}},
                 row, cells, candidates, swaps, starts, copied);
        }
    }

private:
    TDLS_CALLS_GIVEN
    template <typename Thread, typename Rows>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    work(const Thread &thread, const Run &run, Rows rows, T *row, T *cells, T *candidates,
         std::int32_t *swaps, void **starts, bool copied) const
    {
        const int n = batch.n;
        const Tile<T> tile = {rows.matrix, 0, n};
        const Tile<std::int32_t> swap_tile = {swaps, 0, n};
        const Part<T> whole_matrix = {batch.a, 1, batch.lda, 0, n, true};
        const Part<std::int32_t> whole_swaps = {batch.swaps, 1, n, 0, 1, true};
        if (copied) {
            fetch(thread, run, whole_matrix, tile, starts);
        }
        BlockExchange<T, Rows, Thread> exchange(rows, thread, row, cells, candidates, swaps);
        int info = 0;
        if (factored) {
            fetch(thread, run, whole_swaps, swap_tile, starts);
        } else {
            info = detail::eliminate<T, detail::Fold::None>(rows, exchange, rule);
            if (batch.info != nullptr && thread.thread() == 0) {
                batch.info[run.first] = info;
            }
            if (batch.keep) {
                put(thread, run, whole_swaps, swap_tile, starts);
                if (copied) {
                    put(thread, run, whole_matrix, tile, starts);
                }
            }
        }
        if (info == 0 && batch.nrhs > 0) {
            if (thread.thread() == 0) {
                find_origins(n, swaps, rows.places);
            }
            for (int c = 0; c < batch.nrhs; ++c) {
                solve(thread, run, rows, exchange, starts, c);
            }
        }
    }

    // Which row came to each position: the swaps, one after the other.
    TDLS_HOST_DEVICE static constexpr void find_origins(int n, const std::int32_t *swaps,
                                                        std::int32_t *origins)
    {
        for (int k = 0; k < n; ++k) {
            origins[k] = k;
        }
        for (int k = 0; k < n; ++k) {
            const std::int32_t m = swaps[k] - 1;
            const std::int32_t held = origins[k];
            origins[k] = origins[m];
            origins[m] = held;
        }
    }

    // Collective. Column c of the right-hand sides, through the vector of entries.
    TDLS_CALLS_GIVEN
    template <typename Thread, typename Rows, typename Exchange>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    solve(const Thread &thread, const Run &run, Rows &rows, Exchange &exchange, void **starts,
          int c) const
    {
        const Part<T> column = {batch.b, batch.b_row_stride, batch.b_column_stride, c,
                                1,       batch.nrhs == 1};
        const Tile<T> entries = {rows.entries, 0, batch.n};
        fetch(thread, run, column, entries, starts);
        if (batch.transposed) {
            detail::solve_with_factors<T, true>(rows, exchange);
        } else {
            detail::solve_with_factors<T, false>(rows, exchange);
        }
        put(thread, run, column, entries, starts);
    }
};

// Systems of order 0: all that there is to do is info.
struct ClearInfo {
    static constexpr int max_threads = 128;

    std::int32_t *info;
    std::int64_t count;

    TDLS_CALLS_GIVEN
    template <typename Thread>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void operator()(const Thread &thread) const
    {
        const std::int64_t threads = thread.blocks() * thread.threads();
        for (std::int64_t s = thread.block() * thread.threads() + thread.thread(); s < count;
             s += threads) {
            info[s] = 0;
        }
    }
};

} // namespace gpu
} // namespace tdls
