// SPDX-License-Identifier: BSD-3-Clause
// Kernels for small systems of constant order N, held in the registers of a group of threads.
//
// Threads. A block has block_threads threads. Row r of a system is in slot r / threads of thread
// r % threads of its group, R rows a thread; as many groups as fit lie side by side in a warp, and
// a group never crosses warps. What is left over of a warp goes along as a copy of the warp's first
// group and stores nothing.
//
// Shared memory. A tile of all systems of the block, through which A, the swaps and B pass one
// after the other; one of a column for the right-hand sides of Solve; the workspaces of the groups,
// through which their threads see each other's elements; where each system starts.
//
// Barriers. Of the block: before and behind each of these transfers. Of the warp: those of the
// core's exchange, two per column of the elimination and one per step of the substitutions.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tdls/solvers/cooperative_lupp/elimination.hpp>

#include "tiles.hpp"

namespace tdls
{
namespace gpu
{

constexpr int block_threads = 64;

// The place of a thread: its group in the block, itself in the group.
template <int Threads>
struct Team {
    int tx;
    int slot;      // of the group's system
    int workspace; // of the group
    bool is_spare;

    template <typename Thread>
    TDLS_HOST_DEVICE static constexpr Team of(const Thread &thread)
    {
        const int width = thread.warp_width();
        const int lane = thread.thread() % width;
        const int warp = thread.thread() / width;
        const int groups = width / Threads;
        const int group = lane / Threads;
        const bool is_spare = group >= groups;
        return {lane % Threads, warp * groups + (is_spare ? 0 : group),
                warp * workspaces(width) + group, is_spare};
    }

    // Of a warp: what is left over of it has one as well.
    TDLS_HOST_DEVICE static constexpr int workspaces(int warp_width)
    {
        return (warp_width + Threads - 1) / Threads;
    }
};

// Sizes that follow from the order, the rows of a thread, and the width of a warp.
template <typename T, int N, int R>
struct Shape {
    static constexpr int threads = (N + R - 1) / R;
    // Between the systems of a tile: such that groups side by side touch banks side by side.
    static constexpr int banks = 128 / static_cast<int>(sizeof(T));
    static constexpr int pitch_for(int extent)
    {
        return extent + ((threads - extent) % banks + banks) % banks;
    }
    static constexpr int pitch = pitch_for(N * N);
    static constexpr int pitch_of_column = pitch_for(N);
    // Between workspaces: odd, so that groups reading the same element touch different banks.
    static constexpr int pitch_of_work = 3 * N + 1 - N % 2;

    TDLS_HOST_DEVICE static constexpr int groups(int warp_width) { return warp_width / threads; }
    TDLS_HOST_DEVICE static constexpr int slots(int warp_width)
    {
        return block_threads / warp_width * groups(warp_width);
    }
    // Elements of a matrix and of a column, for all slots; then the starts.
    TDLS_HOST_DEVICE static constexpr int tile_size(int warp_width)
    {
        return even(slots(warp_width) * pitch);
    }
    TDLS_HOST_DEVICE static constexpr int column_tile_size(int warp_width)
    {
        return even(slots(warp_width) * pitch_of_column);
    }
    TDLS_HOST_DEVICE static constexpr int work_size(int warp_width)
    {
        return even(block_threads / warp_width * Team<threads>::workspaces(warp_width) *
                    pitch_of_work);
    }
    static constexpr std::size_t starts_bytes(int warp_width)
    {
        return static_cast<std::size_t>(slots(warp_width)) * sizeof(void *);
    }

private:
    // So that what follows is aligned to 8 bytes.
    TDLS_HOST_DEVICE static constexpr int even(int count) { return count + count % 2; }
};

// The barrier of a warp as the core calls it.
template <typename Thread>
struct WarpBarrier {
    const Thread &thread;

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void operator()() const
    {
        thread.warp_barrier();
    }
};

// What the kernels of one order share: rows between memory and registers.
template <typename T, int N, int R>
struct RegisterTask {
    using Sizes = Shape<T, N, R>;
    static constexpr bool unrolled = !TDLS_TARGET_HOST;
    using Rows = detail::RegisterRows<T, N, R, false, unrolled>;
    static constexpr int max_threads = block_threads;

    Batch<T> batch;
    detail::PivotRule<T> rule;

    TDLS_HOST_DEVICE constexpr Part<T> matrix() const
    {
        return {batch.a, 1, batch.lda, 0, N, true};
    }
    TDLS_HOST_DEVICE constexpr Part<std::int32_t> swaps() const
    {
        return {batch.swaps, 1, N, 0, 1, true};
    }
    TDLS_HOST_DEVICE constexpr Part<T> right_hand_sides(int first, int columns) const
    {
        return {batch.b, batch.b_row_stride,   batch.b_column_stride, first,
                columns, columns == batch.nrhs};
    }

    // Collective over the block. Slot K gets the row row_of(K) of S.
    TDLS_CALLS_GIVEN
    template <typename Thread, typename Team, typename RowOf>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    load_rows(const Thread &thread, const Team &team, const Run &run, const Tile<T> &tile,
              void **starts, Rows &rows, const RowOf &row_of) const
    {
        fetch(thread, run, matrix(), tile, starts);
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            const int row = row_of(K);
            rows.steps.ascend([&](auto j) TDLS_INLINE_LAMBDA_GPU {
                rows.at(K, j) = tile.at(team.slot, row, detail::value_of(j));
            });
        });
    }

    // Collective over the block. The rows in pivoted order, and LAPACK's swaps, of which entry r is
    // with row r.
    TDLS_CALLS_GIVEN
    template <typename Thread, typename Team>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    store_factors(const Thread &thread, const Team &team, const Run &run, const Tile<T> &tile,
                  void **starts, Rows &rows, const int (&own_swaps)[R]) const
    {
        const Tile<std::int32_t> integers = of_swaps(tile);
        if (!team.is_spare) {
            rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.steps.ascend([&](auto j) TDLS_INLINE_LAMBDA_GPU {
                    tile.at(team.slot, rows.place(K), detail::value_of(j)) = rows.at(K, j);
                });
            });
        }
        put(thread, run, matrix(), tile, starts);
        if (!team.is_spare) {
            rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                integers.at(team.slot, rows.slots.row(K), 0) = own_swaps[detail::value_of(K)];
            });
        }
        put(thread, run, swaps(), integers, starts);
    }

    // Collective over the block. Slot K gets the position that its row came to.
    TDLS_CALLS_GIVEN
    template <typename Thread, typename Team>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    load_places(const Thread &thread, const Team &team, const Run &run, const Tile<T> &tile,
                void **starts, Rows &rows) const
    {
        const Tile<std::int32_t> integers = of_swaps(tile);
        fetch(thread, run, swaps(), integers, starts);
        if (team.slot < run.count) {
            rows.steps.ascend([&](auto k) TDLS_INLINE_LAMBDA_GPU {
                const int m = integers.at(team.slot, detail::value_of(k), 0) - 1;
                rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                    const int place = rows.place(K);
                    rows.place(K) = place == m                     ? detail::value_of(k)
                                    : place == detail::value_of(k) ? m
                                                                   : place;
                });
            });
        }
    }

    // The factors of the rows in their slots, and LAPACK's sequence of swaps. Returns info.
    TDLS_CALLS_GIVEN
    template <detail::Fold Folded, typename Exchange>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr int factor(Rows &rows, Exchange &exchange,
                                                                int (&own_swaps)[R]) const
    {
        const int info = detail::eliminate<T, Folded>(rows, exchange, rule,
                                                      [&](int k, int m) TDLS_INLINE_LAMBDA_GPU {
                                                          if (rows.slots.tx == k % Sizes::threads) {
                                                              own_swaps[k / Sizes::threads] = m + 1;
                                                          }
                                                      });
        if (info != 0) {
            exchange.give_up();
        }
        return info;
    }

    template <typename Team>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void store_info(const Team &team,
                                                                     const Run &run, int info) const
    {
        if (batch.info != nullptr && team.tx == 0 && !team.is_spare && team.slot < run.count) {
            batch.info[run.first + team.slot] = info;
        }
    }

private:
    // Integers take no more room than elements.
    static_assert(sizeof(std::int32_t) <= sizeof(T));
    TDLS_HOST_DEVICE static constexpr Tile<std::int32_t> of_swaps(const Tile<T> &tile)
    {
        return {static_cast<std::int32_t *>(static_cast<void *>(tile.elements)),
                Sizes::pitch_of_column, N};
    }
};

// S x = b with one right-hand side, which is eliminated along with the matrix, or none; the factors
// are stored if they are wanted.
template <typename T, int N, int R>
struct Solve : RegisterTask<T, N, R> {
    using Task = RegisterTask<T, N, R>;
    using Sizes = typename Task::Sizes;
    using Task::batch;

    static constexpr std::size_t shared_bytes(int warp_width)
    {
        return static_cast<std::size_t>(Sizes::tile_size(warp_width) +
                                        Sizes::column_tile_size(warp_width) +
                                        Sizes::work_size(warp_width)) *
                   sizeof(T) +
               Sizes::starts_bytes(warp_width);
    }

    TDLS_CALLS_GIVEN
    template <typename Thread>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void operator()(const Thread &thread) const
    {
        const int width = thread.warp_width();
        const auto team = Team<Sizes::threads>::of(thread);
        T *const shared = static_cast<T *>(thread.shared());
        const Tile<T> tile = {shared, Sizes::pitch, N};
        const Tile<T> b_tile = {shared + Sizes::tile_size(width), Sizes::pitch_of_column, N};
        T *const work = b_tile.elements + Sizes::column_tile_size(width);
        void **const starts =
            static_cast<void **>(static_cast<void *>(work + Sizes::work_size(width)));
        const WarpBarrier<Thread> barrier = {thread};
        const int slots = Sizes::slots(width);
        for (std::int64_t first = thread.block() * slots; first < batch.count;
             first += thread.blocks() * slots) {
            const Run run = Run::of(first, batch.count, slots);
            typename Task::Rows rows;
            rows.slots.tx = team.tx;
            if (batch.nrhs > 0) {
                fetch(thread, run, Task::right_hand_sides(0, 1), b_tile, starts);
            }
            Task::load_rows(thread, team, run, tile, starts, rows,
                            [&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.slots.row(K); });
            rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.place(K) = rows.slots.row(K);
                rows.rhs(K) = batch.nrhs > 0 ? b_tile.at(team.slot, rows.slots.row(K), 0) : T(0);
            });

            detail::LogicalExchange<T, typename Task::Rows, const WarpBarrier<Thread>> exchange(
                rows, work + team.workspace * Sizes::pitch_of_work, barrier);
            int own_swaps[R] = {};
            const int info =
                Task::template factor<detail::Fold::Forward>(rows, exchange, own_swaps);
            Task::store_info(team, run, info);
            if (batch.keep) {
                Task::store_factors(thread, team, run, tile, starts, rows, own_swaps);
            }
            if (batch.nrhs > 0) {
                detail::finish<T, false>(rows, exchange);
                // What a singular system leaves in the tile is its right-hand side as it came.
                if (!team.is_spare && info == 0) {
                    rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                        b_tile.at(team.slot, rows.slots.row(K), 0) = rows.rhs(K);
                    });
                }
                put(thread, run, Task::right_hand_sides(0, 1), b_tile, starts);
            }
        }
    }
};

// Everything else: the matrix is factored, or its factors are taken as they come, then any number
// of right-hand sides is solved for, one after the other.
template <typename T, int N, int R>
struct FactorAndSolve : RegisterTask<T, N, R> {
    using Task = RegisterTask<T, N, R>;
    using Sizes = typename Task::Sizes;
    using Task::batch;

    bool factored; // A and the swaps are factors

    static constexpr std::size_t shared_bytes(int warp_width)
    {
        return static_cast<std::size_t>(Sizes::tile_size(warp_width) +
                                        Sizes::work_size(warp_width)) *
                   sizeof(T) +
               Sizes::starts_bytes(warp_width);
    }

    TDLS_CALLS_GIVEN
    template <typename Thread>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void operator()(const Thread &thread) const
    {
        const int width = thread.warp_width();
        const auto team = Team<Sizes::threads>::of(thread);
        const Tile<T> tile = {static_cast<T *>(thread.shared()), Sizes::pitch, N};
        T *const work = tile.elements + Sizes::tile_size(width);
        void **const starts =
            static_cast<void **>(static_cast<void *>(work + Sizes::work_size(width)));
        const WarpBarrier<Thread> barrier = {thread};
        const int slots = Sizes::slots(width);
        for (std::int64_t first = thread.block() * slots; first < batch.count;
             first += thread.blocks() * slots) {
            const Run run = Run::of(first, batch.count, slots);
            typename Task::Rows rows;
            rows.slots.tx = team.tx;
            rows.slots.each([&](auto K)
                                TDLS_INLINE_LAMBDA_GPU { rows.place(K) = rows.slots.row(K); });
            if (factored) {
                Task::load_places(thread, team, run, tile, starts, rows);
            }
            Task::load_rows(thread, team, run, tile, starts, rows,
                            [&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.place(K); });

            detail::LogicalExchange<T, typename Task::Rows, const WarpBarrier<Thread>> exchange(
                rows, work + team.workspace * Sizes::pitch_of_work, barrier);
            int info = 0;
            if (!factored) {
                int own_swaps[R] = {};
                info = Task::template factor<detail::Fold::None>(rows, exchange, own_swaps);
                Task::store_info(team, run, info);
                if (batch.keep) {
                    Task::store_factors(thread, team, run, tile, starts, rows, own_swaps);
                }
            }
            // As many columns as the matrix has fit into the tile.
            for (int c = 0; c < batch.nrhs; c += N) {
                const int columns = batch.nrhs - c < N ? batch.nrhs - c : N;
                const Part<T> part = Task::right_hand_sides(c, columns);
                fetch(thread, run, part, tile, starts);
                for (int j = 0; j < columns; ++j) {
                    solve(team, tile, rows, exchange, j, info == 0);
                }
                put(thread, run, part, tile, starts);
            }
        }
    }

private:
    // Collective over the group. Column j of the tile.
    TDLS_CALLS_GIVEN
    template <typename Team, typename Exchange>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
    solve(const Team &team, const Tile<T> &tile, typename Task::Rows &rows, Exchange &exchange,
          int j, bool stores) const
    {
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.rhs(K) = tile.at(team.slot, rows.slots.row(K), j);
        });
        if (batch.transposed) {
            detail::solve_with_factors<T, true>(rows, exchange);
        } else {
            detail::solve_with_factors<T, false>(rows, exchange);
        }
        if (!team.is_spare && stores) {
            rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                tile.at(team.slot, rows.slots.row(K), j) = rows.rhs(K);
            });
        }
    }
};

} // namespace gpu
} // namespace tdls
