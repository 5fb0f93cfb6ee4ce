// SPDX-License-Identifier: BSD-3-Clause
// The rows of S that a thread of the group holds, in registers or in memory, with what belongs to
// each: its place in the pivoted order and an entry of the right-hand side.
#pragma once

#include <cstdint>

#include <tdls/core/macros.hpp>
#include <tdls/solvers/cooperative_lupp/iteration.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

// Of a system of constant order. places: the position of each row where rows stay, its original
// index where they move.
template <typename T, int N, int R, bool Move, bool Unrolled>
struct FixedRows {
    static constexpr int fixed_order = N;
    static constexpr int fixed_slots = R;
    static constexpr bool rows_move = Move;
    static constexpr bool by_rows = Unrolled;

    FixedSteps<N, Unrolled> steps;
    FixedSlots<N, R, Unrolled> slots;
    int places[R];
    T entries[R];

    template <typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr int &place(Slot K) noexcept
    {
        return places[value_of(K)];
    }
    template <typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T &rhs(Slot K) noexcept
    {
        return entries[value_of(K)];
    }
};

// In registers, for the elimination.
template <typename T, int N, int R, bool Move, bool Unrolled>
struct RegisterRows : FixedRows<T, N, R, Move, Unrolled> {
    T elements[N][R];

    template <typename Slot, typename Column>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T &at(Slot K, Column j) noexcept
    {
        return elements[value_of(j)][value_of(K)];
    }
};

// For the substitutions: the factors are read where they are, each element once, by element(K, j).
template <typename T, int N, int R, bool Move, bool Unrolled, typename Element>
struct SliceRows : FixedRows<T, N, R, Move, Unrolled> {
    const Element &element;

    template <typename Slot, typename Column>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T at(Slot K, Column j) const noexcept
    {
        return element(K, j);
    }
};

// In the caller's memory: element (r, j) of S at matrix[r * row_stride + j * column_stride], its
// place at places[r * place_stride], the entry of its right-hand side at entries[r * entry_stride].
// Strides are std::int64_t, or constants where the compiler shall know them.
template <typename Matrix, typename RowStride, typename Places, typename PlaceStride,
          typename Entries, typename EntryStride, typename Threads, bool Move>
struct MemoryRows {
    static constexpr bool rows_move = Move;
    static constexpr bool by_rows = false;

    RunTimeSteps steps;
    RunTimeSlots<Threads> slots;
    Matrix *matrix;
    RowStride row_stride;
    std::int64_t column_stride;
    Places *places;
    PlaceStride place_stride;
    Entries *entries;
    EntryStride entry_stride;

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr Matrix &at(int K, int j) const noexcept
    {
        return matrix[slots.row(K) * distance(row_stride) + j * column_stride];
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr Places &place(int K) const noexcept
    {
        return places[slots.row(K) * distance(place_stride)];
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr Entries &rhs(int K) const noexcept
    {
        return entries[slots.row(K) * distance(entry_stride)];
    }
};

// Where rows move, the row at position p is row p. Where they stay, place(K) is the position of the
// row of slot K.
template <typename Rows, typename Step, typename Fn>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void at_position(Rows &rows, Step k, Fn &&fn)
{
    if constexpr (Rows::rows_move) {
        rows.slots.at(k, fn);
    } else {
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (rows.place(K) == value_of(k)) {
                fn(K);
            }
        });
    }
}

// The slots of the rows behind position k, and before it.
template <typename Rows, typename Step, typename Fn>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void below(Rows &rows, Step k, Fn &&fn)
{
    if constexpr (Rows::rows_move) {
        rows.slots.after(k, fn);
    } else {
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (rows.place(K) > value_of(k)) {
                fn(K);
            }
        });
    }
}
template <typename Rows, typename Step, typename Fn>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void above(Rows &rows, Step k, Fn &&fn)
{
    if constexpr (Rows::rows_move) {
        rows.slots.before(k, fn);
    } else {
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (rows.place(K) < value_of(k)) {
                fn(K);
            }
        });
    }
}

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
