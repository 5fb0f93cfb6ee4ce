// SPDX-License-Identifier: BSD-3-Clause
// Between the operands in global memory and the threads of a block: shared memory, so that threads
// that follow one another access what lies side by side, in every storage.
#pragma once

#include <cstdint>

#include <tdls/core/macros.hpp>

#include "backend.hpp"

// Before a loop over elements: a few accesses are under way at the same time.
#if TDLS_TARGET_HOST
#    define TDLS_GPU_UNROLL_FEW
#else
#    define TDLS_GPU_UNROLL_FEW _Pragma("unroll 4")
#endif

namespace tdls
{
namespace gpu
{

// The systems that a block works on, one in each of its slots: `count` of the batch from `first`
// on. Slots beyond them hold what happens to be there, and are not stored.
struct Run {
    std::int64_t first;
    int count;

    TDLS_HOST_DEVICE static constexpr Run of(std::int64_t first, std::int64_t total, int slots)
    {
        const std::int64_t left = total - first;
        return {first, left < slots ? static_cast<int>(left) : slots};
    }
};

template <typename E>
TDLS_HOST_DEVICE constexpr E *start_of(const BatchView<E> &view, std::int64_t s)
{
    if (view.systems != nullptr) {
        return view.systems[s];
    }
    if (view.width == 1) {
        return view.base + s * view.block;
    }
    const std::int64_t block = s / view.width;
    return view.base + block * view.block + (s - block * view.width);
}

// Some columns of an operand of the batch: element (i, j) of them is i * row_stride + j *
// column_stride behind the start of the system and the first column.
template <typename E>
struct Part {
    const BatchView<E> &view;
    std::int64_t row_stride;
    std::int64_t column_stride;
    std::int64_t first_column;
    int columns;
    bool is_whole; // there are no other columns
};

// The same in shared memory: element (i, j) of a slot.
template <typename E>
struct Tile {
    E *elements;
    int pitch; // from slot to slot
    int rows;

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr E &at(int slot, int i, int j) const
    {
        return elements[slot * pitch + j * rows + i];
    }
};

// Calls copy(element of the tile, element in global memory) for every element of the run, dealt out
// to the threads of the block. Collective over the block: one barrier before, so that the tile is
// nobody else's, and one behind, so that it is everybody's. starts: an element for each slot, in
// shared memory.
TDLS_CALLS_GIVEN
template <typename Thread, typename E, typename Copy>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
for_each_element(const Thread &thread, const Run &run, const Part<E> &part, const Tile<E> &tile,
                 void **starts, const Copy &copy)
{
    const int own = thread.thread();
    const int threads = thread.threads();
    const BatchView<E> &view = part.view;
    const int extent = tile.rows * part.columns;
    if (view.systems == nullptr && view.width == 1 && view.block == extent && part.is_whole &&
        part.row_stride == 1 && (part.columns == 1 || part.column_stride == tile.rows)) {
        thread.block_barrier();
        E *const piece = view.base + run.first * extent;
        TDLS_GPU_UNROLL_FEW
        for (int e = own; e < run.count * extent; e += threads) {
            copy(tile.elements[e / extent * tile.pitch + e % extent], piece[e]);
        }
        thread.block_barrier();
        return;
    }

    for (int slot = own; slot < run.count; slot += threads) {
        starts[slot] =
            start_of(view, run.first + slot) + part.first_column * part.column_stride * view.width;
    }
    thread.block_barrier();
    // Three digits count through the elements: the first is of what lies side by side in memory.
    const bool by_system = view.width > 1;
    const bool by_column = !by_system && part.column_stride < part.row_stride;
    const int first_extent = by_system ? run.count : by_column ? part.columns : tile.rows;
    const int second_extent = by_system || by_column ? tile.rows : part.columns;
    int first = own % first_extent;
    int second = own / first_extent % second_extent;
    int third = own / first_extent / second_extent;
    const int first_step = threads % first_extent;
    const int second_step = threads / first_extent % second_extent;
    const int third_step = threads / first_extent / second_extent;
    const std::int64_t row_stride = part.row_stride * view.width;
    const std::int64_t column_stride = part.column_stride * view.width;
    TDLS_NO_UNROLL
    for (int e = own; e < run.count * extent; e += threads) {
        const int slot = by_system ? first : third;
        const int i = by_system || by_column ? second : first;
        const int j = by_system ? third : by_column ? first : second;
        copy(tile.at(slot, i, j),
             static_cast<E *>(starts[slot])[i * row_stride + j * column_stride]);
        first += first_step;
        second += second_step;
        third += third_step;
        if (first >= first_extent) {
            first -= first_extent;
            ++second;
        }
        if (second >= second_extent) {
            second -= second_extent;
            ++third;
        }
    }
    thread.block_barrier();
}

// Collective over the block. From global memory to a tile.
TDLS_CALLS_GIVEN
template <typename Thread, typename E>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
fetch(const Thread &thread, const Run &run, const Part<E> &part, const Tile<E> &tile, void **starts)
{
    for_each_element(thread, run, part, tile, starts,
                     [](E &shared, E &global) TDLS_INLINE_LAMBDA_GPU { shared = global; });
}

// Collective over the block. From a tile to global memory.
TDLS_CALLS_GIVEN
template <typename Thread, typename E>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
put(const Thread &thread, const Run &run, const Part<E> &part, const Tile<E> &tile, void **starts)
{
    for_each_element(thread, run, part, tile, starts,
                     [](E &shared, E &global) TDLS_INLINE_LAMBDA_GPU { global = shared; });
}

} // namespace gpu
} // namespace tdls
