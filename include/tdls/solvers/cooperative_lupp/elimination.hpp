// SPDX-License-Identifier: BSD-3-Clause
// The algorithm, once: right-looking LU with partial pivoting of S by a group of threads, and the
// substitutions with its factors, as templates over four things.
//
//   Steps      how columns are iterated: by constants (unrolled) or by a loop; the order n
//   Rows       the rows of S that the calling thread holds, in registers or in memory, with what
//              belongs to each: its place and an entry of the right-hand side (RegisterRows,
//              SliceRows, MemoryRows)
//   Exchange   how the threads of the group agree on a pivot, move rows, and see each other's
//   elements:
//              through a workspace and a barrier with rows that stay (LogicalExchange) or move
//              (PhysicalExchange), or not at all, one thread on memory in LAPACK's way
//              (LapackExchange)
//   Rule       threshold and floor, known to the compiler or not
//
// Row r of S belongs to slot r / threads of thread r % threads. Every rounding is spelled out: one
// fma per update in the order of the steps, one multiplication by the reciprocal of the pivot,
// divisions in the back substitution. Which thread does an operation, and in what order elements
// are visited within a step, is all that the policies decide, so every instance gives the same
// bits.
//
// Barriers. Each collective function below is marked so; its barriers depend on n alone, never on
// data. Between two barriers no element of the workspace is written by one thread and accessed by
// another.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

// ---- Iteration ----------------------------------------------------------------------------------

template <int I>
using Index = std::integral_constant<int, I>;

TDLS_HOST_DEVICE constexpr int value_of(int i) noexcept
{
    return i;
}
template <int I>
TDLS_HOST_DEVICE constexpr int value_of(Index<I>) noexcept
{
    return I;
}

TDLS_HOST_DEVICE constexpr int next(int i) noexcept
{
    return i + 1;
}
template <int I>
TDLS_HOST_DEVICE constexpr Index<I + 1> next(Index<I>) noexcept
{
    return {};
}

using Distance = std::int64_t;
template <std::int64_t D>
using FixedDistance = std::integral_constant<std::int64_t, D>;

TDLS_HOST_DEVICE constexpr std::int64_t distance(std::int64_t d) noexcept
{
    return d;
}
template <std::int64_t D>
TDLS_HOST_DEVICE constexpr std::int64_t distance(FixedDistance<D>) noexcept
{
    return D;
}

// Calls fn once per index of the sequence, in increasing order, with the index as a constant.
template <typename Fn, int... Ks>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
unroll_K_impl(Fn &fn, std::integer_sequence<int, Ks...>) noexcept
{
    (fn(std::integral_constant<int, Ks>{}), ...);
}

// The slots K = 0 .. R-1 of a thread, as constants. fn calls no barrier.
template <int R, typename Fn>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void unroll_K(Fn &&fn) noexcept
{
    unroll_K_impl(fn, std::make_integer_sequence<int, R>{});
}

// Columns of a system of which the order is a constant. Unrolled: every index is a constant as
// well, so that rows held in registers are never indexed by a variable.
template <int N, bool Unrolled>
struct FixedSteps {
    static constexpr bool unrolled = Unrolled;

    TDLS_HOST_DEVICE static constexpr int order() noexcept { return N; }

    // k = 0 .. n-1; fn may call a barrier
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void ascend(Fn &&fn)
    {
        if constexpr (Unrolled) {
            ascend_from<0>(fn, std::make_integer_sequence<int, N>{});
        } else {
            TDLS_NO_UNROLL
            for (int k = 0; k < N; ++k) {
                fn(k);
            }
        }
    }
    // k = n-1 .. 0; fn may call a barrier
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void descend(Fn &&fn)
    {
        if constexpr (Unrolled) {
            descend_to_0(fn, std::make_integer_sequence<int, N>{});
        } else {
            TDLS_NO_UNROLL
            for (int k = N - 1; k >= 0; --k) {
                fn(k);
            }
        }
    }
    // j = first .. n-1
    template <typename Begin, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void from(Begin first, Fn &&fn)
    {
        if constexpr (Unrolled) {
            ascend_from<Begin::value>(fn, std::make_integer_sequence<int, N - Begin::value>{});
        } else {
            TDLS_NO_UNROLL
            for (int j = value_of(first); j < N; ++j) {
                fn(j);
            }
        }
    }

private:
    template <int First, typename Fn, int... Js>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    ascend_from(Fn &fn, std::integer_sequence<int, Js...>)
    {
        (fn(Index<First + Js>{}), ...);
    }
    template <typename Fn, int... Ks>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    descend_to_0(Fn &fn, std::integer_sequence<int, Ks...>)
    {
        (fn(Index<N - 1 - Ks>{}), ...);
    }
};

// Columns of a system of which the order is a variable.
struct RunTimeSteps {
    static constexpr bool unrolled = false;

    int n;

    TDLS_HOST_DEVICE constexpr int order() const noexcept { return n; }

    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void ascend(Fn &&fn) const
    {
        from(0, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void descend(Fn &&fn) const
    {
        for (int k = n - 1; k >= 0; --k) {
            fn(k);
        }
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void from(int first, Fn &&fn) const
    {
        for (int j = first; j < n; ++j) {
            fn(j);
        }
    }
};

// The slots of one thread, each holding a row of S, in a system of order N with R slots a thread.
// Rows of a slot where only some threads hold one are looked for at run time, phantom rows of a
// slot where none does at compile time.
template <int N, int R, bool Unrolled>
struct FixedSlots {
    static constexpr int threads = (N + R - 1) / R;

    int tx;

    template <typename Slot>
    TDLS_HOST_DEVICE constexpr int row(Slot K) const noexcept
    {
        return tx + value_of(K) * threads;
    }

    // Each slot that holds a row.
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void each(Fn &&fn) const
    {
        if constexpr (Unrolled) {
            unroll_K<R>([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                constexpr int slot = decltype(K)::value;
                if constexpr ((slot + 1) * threads <= N) {
                    fn(K);
                } else if constexpr (slot * threads < N) {
                    if (row(K) < N) {
                        fn(K);
                    }
                }
            });
        } else {
            for (int K = 0; K < R && row(K) < N; ++K) {
                fn(K);
            }
        }
    }
    // The slot of row k, if this thread holds it.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void at(Step k, Fn &&fn) const
    {
        if constexpr (Unrolled) {
            if (tx == Step::value % threads) {
                fn(Index<Step::value / threads>{});
            }
        } else {
            if (tx == k % threads) {
                fn(k / threads);
            }
        }
    }
    // Each slot of a row > k.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void after(Step k, Fn &&fn) const
    {
        each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (all_after<decltype(K), Step>() || row(K) > value_of(k)) {
                fn(K);
            }
        });
    }
    // Each slot of a row < k.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void before(Step k, Fn &&fn) const
    {
        each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (row(K) < value_of(k)) {
                fn(K);
            }
        });
    }

private:
    // Is the row of this slot > k in every thread?
    template <typename Slot, typename Step>
    TDLS_HOST_DEVICE static constexpr bool all_after() noexcept
    {
        if constexpr (Unrolled) {
            return Slot::value * threads > Step::value;
        } else {
            return false;
        }
    }
};

// The same with everything at run time. Threads: int, or Index<1> where a system has one thread.
template <typename Threads>
struct RunTimeSlots {
    int n;
    Threads count;
    int tx;

    TDLS_HOST_DEVICE constexpr int row(int K) const noexcept { return tx + K * value_of(count); }

    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void each(Fn &&fn) const
    {
        up_to(0, n, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void at(int k, Fn &&fn) const
    {
        if (k % value_of(count) == tx) {
            fn(k / value_of(count));
        }
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void after(int k, Fn &&fn) const
    {
        up_to(k < tx ? 0 : (k - tx) / value_of(count) + 1, n, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void before(int k, Fn &&fn) const
    {
        up_to(0, k, fn);
    }

private:
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void up_to(int first, int rows, Fn &fn) const
    {
        const int end = rows > tx ? (rows - tx - 1) / value_of(count) + 1 : 0;
        TDLS_INDEPENDENT
        for (int K = first; K < end; ++K) {
            fn(K);
        }
    }
};

// ---- Places -------------------------------------------------------------------------------------

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

// ---- Pivots -------------------------------------------------------------------------------------

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

// The same, known to the compiler: without a threshold nothing is left of keeps().
template <auto Config>
struct FixedPivotRule {
    template <typename T>
    TDLS_HOST_DEVICE static constexpr bool keeps(T in_place, T best) noexcept
    {
        if constexpr (Config.relative_pivot_threshold < 1) {
            return in_place >= Config.relative_pivot_threshold * best &&
                   in_place >= Config.singular_floor;
        } else {
            (void)in_place;
            (void)best;
            return false;
        }
    }
    template <typename T>
    TDLS_HOST_DEVICE static constexpr bool is_zero(T best) noexcept
    {
        return best < Config.singular_floor;
    }
};

// The best pivot of a column: the first row of the largest magnitude, by position in the pivoted
// order. A NaN is larger than nothing, and nothing is larger than a NaN in place.
template <typename T>
struct Candidate {
    T magnitude;
    int position;

    TDLS_HOST_DEVICE constexpr void consider(T other, int at) noexcept
    {
        if (other > magnitude || (other == magnitude && at < position)) {
            magnitude = other;
            position = at;
        }
    }
};

// What happens to a right-hand side during the elimination.
//   None     nothing
//   Forward  S x = b: L y = P b is solved along; entries move with their rows
//   Mirror   S^T x = b: U^T z = b is solved along; entries stay, entry k with row k
enum class Fold { None, Forward, Mirror };

// ---- Rows ---------------------------------------------------------------------------------------

// In registers, for the elimination of a system of constant order. places: the position of each row
// where rows stay, its original index where they move.
template <typename T, int N, int R, bool Move, bool Unrolled>
struct RegisterRows {
    static constexpr bool rows_move = Move;
    static constexpr bool by_rows = Unrolled;

    FixedSteps<N, Unrolled> steps;
    FixedSlots<N, R, Unrolled> slots;
    T elements[N][R];
    int places[R];
    T entries[R];

    template <typename Slot, typename Column>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T &at(Slot K, Column j) noexcept
    {
        return elements[value_of(j)][value_of(K)];
    }
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

// For the substitutions of a system of constant order: the factors are read where they are, each
// element once, by element(K, j).
template <typename T, int N, int R, bool Move, bool Unrolled, typename Element>
struct SliceRows {
    static constexpr bool rows_move = Move;

    FixedSteps<N, Unrolled> steps;
    FixedSlots<N, R, Unrolled> slots;
    const Element &element;
    int places[R];
    T entries[R];

    template <typename Slot, typename Column>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T at(Slot K, Column j) const noexcept
    {
        return element(K, j);
    }
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

// ---- Exchange through a workspace
// -----------------------------------------------------------------

// What both schemes share: sharing of single values, of rows and of entries in the substitutions.
// `area` is the workspace behind the two elements of the barrier.
template <typename T, typename Rows, typename Barrier>
class WorkspaceExchange
{
public:
    TDLS_HOST_DEVICE constexpr WorkspaceExchange(Rows &rows, T *area, Barrier &barrier) noexcept
        : rows_(rows), area_(area), barrier_(barrier)
    {
    }

    // Collective. The right-hand side of the row at position k.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_entry(Step k)
    {
        const int n = rows_.steps.order();
        T *const shared = area_ + n + value_of(k);
        at_position(rows_, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { *shared = rows_.rhs(K); });
        barrier_();
        return *shared;
    }

    // Of a singular system nothing is divided: there may be a zero, and its solution is open.
    TDLS_HOST_DEVICE constexpr void give_up() noexcept { divides_ = false; }

    // Collective. Divides the right-hand side of the row at position i by the diagonal, and shares
    // it.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_quotient(Step i)
    {
        T *const shared = area_ + value_of(i);
        at_position(rows_, i, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            *shared = divides_ ? rows_.rhs(K) / rows_.at(K, i) : T(0);
        });
        barrier_();
        return *shared;
    }

    // Takes the entries of the calling thread from what share_quotient left. No barrier.
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void take_quotients()
    {
        rows_.slots.each([&](auto K)
                             TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = area_[rows_.slots.row(K)]; });
    }

    // Collective. Shares the elements first <= j < last of the row at position k, and entry k of
    // the right-hand side; element(j) and entry() are theirs until the step after the next.
    template <typename Step, typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void share_row(Step k, const Columns &columns)
    {
        turn();
        at_position(rows_, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            columns([&](auto j) TDLS_INLINE_LAMBDA_GPU { current_[value_of(j)] = rows_.at(K, j); });
        });
        rows_.slots.at(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            current_[rows_.steps.order()] = rows_.rhs(K);
        });
        barrier_();
    }
    TDLS_HOST_DEVICE constexpr T element(int j) const { return current_[j]; }
    TDLS_HOST_DEVICE constexpr T entry() const { return current_[rows_.steps.order()]; }

    // Collective. Entry p of the right-hand side becomes entry place(p): each thread puts its
    // entries to `put`, and takes them from `take`, both given a slot.
    template <typename Put, typename Take>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void permute(const Put &put, const Take &take)
    {
        turn();
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { current_[put(K)] = rows_.rhs(K); });
        barrier_();
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = current_[take(K)]; });
    }

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void barrier() { barrier_(); }

protected:
    // The other of the two halves of n+1 elements: who still reads the one before is not disturbed.
    TDLS_HOST_DEVICE constexpr void turn()
    {
        half_ = 1 - half_;
        current_ = area_ + half_ * (rows_.steps.order() + 1);
    }

    Rows &rows_;
    T *area_;
    Barrier &barrier_;
    T *current_ = nullptr;
    int half_ = 1;
    bool divides_ = true;
};

// Rows stay; rows.place(K) is the position of the row of slot K in the pivoted order. Workspace:
// n entries of the right-hand side by position, the pivot row, n magnitudes by position. Two
// barriers a column: after the magnitudes are there, and after the pivot row is.
template <typename T, typename Rows, typename Barrier>
class LogicalExchange : public WorkspaceExchange<T, Rows, Barrier>
{
    using Base = WorkspaceExchange<T, Rows, Barrier>;
    using Base::area_;
    using Base::barrier_;
    using Base::rows_;

public:
    using Base::Base;

    // Collective. The best pivot of column k; in_place is the magnitude of the row at position k.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr Candidate<T> find_pivot(Step k, T &in_place)
    {
        const int n = rows_.steps.order();
        T *const magnitudes = area_ + 2 * n;
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (rows_.place(K) >= value_of(k)) {
                magnitudes[rows_.place(K)] = abs(rows_.at(K, k));
            }
        });
        barrier_();
        in_place = magnitudes[value_of(k)];
        Candidate<T> best = {in_place, value_of(k)};
        for (int p = value_of(k) + 1; p < n; ++p) {
            if (magnitudes[p] > best.magnitude) {
                best = {magnitudes[p], p};
            }
        }
        return best;
    }

    // Collective. Positions k and m change places; the pivot row is shared from column k on.
    template <Fold Folded, typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void interchange(Step k, int m)
    {
        T *const row = area_ + rows_.steps.order();
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (rows_.place(K) == m) {
                rows_.place(K) = value_of(k);
                rows_.steps.from(
                    k, [&](auto j) TDLS_INLINE_LAMBDA_GPU { row[value_of(j)] = rows_.at(K, j); });
                if constexpr (Folded == Fold::Forward) {
                    area_[value_of(k)] = rows_.rhs(K);
                }
            } else if (rows_.place(K) == value_of(k)) {
                rows_.place(K) = m;
            }
        });
        if constexpr (Folded == Fold::Mirror) {
            rows_.slots.at(k, [&](auto K)
                                  TDLS_INLINE_LAMBDA_GPU { area_[value_of(k)] = rows_.rhs(K); });
        }
        barrier_();
    }

    // Until the next find_pivot: the pivot row of step k, and the entry shared with it.
    TDLS_HOST_DEVICE constexpr T pivot(int j) const { return area_[rows_.steps.order() + j]; }
    TDLS_HOST_DEVICE constexpr T pivot_entry(int k) const { return area_[k]; }
};

// Rows move: the row at position p lives in slot p / threads of thread p % threads, and
// rows.place(K) is the original index of the row of slot K. Workspace: a candidate of each thread
// and its position, the magnitude of the row in place, then two records of n+2 elements (a row, its
// entry of the right-hand side, its original index): the row that leaves position k, and the row
// that enters it, which is the pivot row. Two barriers a column: after the candidates are there,
// and after the records are. No row moves while the pivot is in place.
template <typename T, typename Rows, typename Barrier>
class PhysicalExchange : public WorkspaceExchange<T, Rows, Barrier>
{
    using Base = WorkspaceExchange<T, Rows, Barrier>;
    using Base::area_;
    using Base::barrier_;
    using Base::rows_;

public:
    TDLS_HOST_DEVICE constexpr PhysicalExchange(Rows &rows, T *area, Barrier &barrier,
                                                int threads) noexcept
        : Base(rows, area, barrier), threads_(threads), leaving_(area + 2 * threads + 1),
          entering_(leaving_ + rows.steps.order() + 2)
    {
    }

    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr Candidate<T> find_pivot(Step k, T &in_place)
    {
        T *const magnitudes = area_;
        T *const positions = area_ + threads_;
        T *const shared_in_place = area_ + 2 * threads_;
        // Smaller than any magnitude: a thread without a candidate.
        Candidate<T> own = {T(-1), rows_.steps.order()};
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            const int position = rows_.slots.row(K);
            if (position >= value_of(k)) {
                const T magnitude = abs(rows_.at(K, k));
                own.consider(magnitude, position);
                if (position == value_of(k)) {
                    *shared_in_place = magnitude;
                }
            }
        });
        magnitudes[rows_.slots.tx] = own.magnitude;
        positions[rows_.slots.tx] = static_cast<T>(own.position);
        barrier_();
        in_place = *shared_in_place;
        Candidate<T> best = {in_place, value_of(k)};
        for (int t = 0; t < threads_; ++t) {
            best.consider(magnitudes[t], static_cast<int>(positions[t]));
        }
        return best;
    }

    template <Fold Folded, typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void interchange(Step k, int m)
    {
        const bool moves = m != value_of(k);
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            const int position = rows_.slots.row(K);
            if (position == m) {
                write<Folded>(entering_, K, moves ? 0 : value_of(k));
            } else if (position == value_of(k)) {
                write<Folded>(leaving_, K, 0);
            }
        });
        if constexpr (Folded == Fold::Mirror) {
            rows_.slots.at(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                entering_[rows_.steps.order()] = rows_.rhs(K);
            });
        }
        barrier_();
        if (moves) {
            rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                const int position = rows_.slots.row(K);
                if (position == value_of(k)) {
                    read<Folded>(entering_, K);
                } else if (position == m) {
                    read<Folded>(leaving_, K);
                }
            });
        }
    }

    TDLS_HOST_DEVICE constexpr T pivot(int j) const { return entering_[j]; }
    TDLS_HOST_DEVICE constexpr T pivot_entry(int) const { return entering_[rows_.steps.order()]; }

private:
    template <Fold Folded, typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void write(T *record, Slot K, int first)
    {
        const int n = rows_.steps.order();
        rows_.steps.ascend([&](auto j) TDLS_INLINE_LAMBDA_GPU {
            if (value_of(j) >= first) {
                record[value_of(j)] = rows_.at(K, j);
            }
        });
        if constexpr (Folded == Fold::Forward) {
            record[n] = rows_.rhs(K);
        }
        record[n + 1] = static_cast<T>(rows_.place(K));
    }
    template <Fold Folded, typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void read(const T *record, Slot K)
    {
        const int n = rows_.steps.order();
        rows_.steps.ascend([&](auto j)
                               TDLS_INLINE_LAMBDA_GPU { rows_.at(K, j) = record[value_of(j)]; });
        if constexpr (Folded == Fold::Forward) {
            rows_.rhs(K) = record[n];
        }
        rows_.place(K) = static_cast<int>(record[n + 1]);
    }

    int threads_;
    T *leaving_;
    T *entering_;
};

// ---- One thread, rows in memory, LAPACK's swaps
// ----------------------------------------------------

// The elimination notes the swaps in rows.place(k): the 1-based row that changed places with row k.
template <typename T, typename Rows>
class LapackExchange
{
public:
    TDLS_HOST_DEVICE constexpr explicit LapackExchange(Rows &rows) noexcept : rows_(rows) {}

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr Candidate<T> find_pivot(int k, T &in_place)
    {
        in_place = abs(rows_.at(k, k));
        Candidate<T> best = {in_place, k};
        for (int p = k + 1; p < rows_.steps.order(); ++p) {
            const T magnitude = abs(rows_.at(p, k));
            if (magnitude > best.magnitude) {
                best = {magnitude, p};
            }
        }
        return best;
    }

    template <Fold Folded>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void interchange(int k, int m)
    {
        static_assert(Folded == Fold::None);
        step_ = k;
        if (m != k) {
            rows_.steps.ascend(
                [&](int j) TDLS_INLINE_LAMBDA_GPU { swap(rows_.at(k, j), rows_.at(m, j)); });
        }
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T pivot(int j) const { return rows_.at(step_, j); }
    TDLS_HOST_DEVICE constexpr T pivot_entry(int) const { return T(0); }

    // The substitutions: everything is at hand.
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T share_entry(int k) { return rows_.rhs(k); }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T share_quotient(int i)
    {
        rows_.rhs(i) = rows_.rhs(i) / rows_.at(i, i);
        return rows_.rhs(i);
    }
    template <typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void share_row(int k, const Columns &)
    {
        step_ = k;
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T element(int j) const
    {
        return rows_.at(step_, j);
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T entry() const { return rows_.rhs(step_); }

    // The interchanges of the right-hand side, done and undone.
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void apply_swaps()
    {
        rows_.steps.ascend([&](int k) TDLS_INLINE_LAMBDA_GPU {
            swap(rows_.rhs(k), rows_.rhs(rows_.place(k) - 1));
        });
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void undo_swaps()
    {
        rows_.steps.descend([&](int k) TDLS_INLINE_LAMBDA_GPU {
            swap(rows_.rhs(k), rows_.rhs(rows_.place(k) - 1));
        });
    }

private:
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE static constexpr void swap(T &a, T &b) noexcept
    {
        const T held = a;
        a = b;
        b = held;
    }

    Rows &rows_;
    int step_ = 0;
};

// ---- The elimination
// -----------------------------------------------------------------------------

// For note: nobody wants the swaps.
struct NoNote {
    TDLS_HOST_DEVICE constexpr void operator()(int, int) const noexcept {}
};

// Collective. P S = L U, and what Folded says; note(k, m) is told that positions k and m changed
// places, which is LAPACK's sequence of swaps. Returns 0, or the 1-based number of the first column
// of which the best pivot is below the floor: the same to every thread of the group.
template <typename T, Fold Folded, typename Rows, typename Exchange, typename Rule,
          typename Note = NoNote>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr int
eliminate(Rows &rows, Exchange &exchange, const Rule &rule, const Note &note = {})
{
    const auto &steps = rows.steps;
    int first_zero = 0;
    steps.ascend([&](auto k) TDLS_INLINE_LAMBDA_GPU {
        T in_place = 0;
        const Candidate<T> best = exchange.find_pivot(k, in_place);
        const int m = rule.keeps(in_place, best.magnitude) ? value_of(k) : best.position;
        exchange.template interchange<Folded>(k, m);
        note(value_of(k), m);
        if (rule.is_zero(best.magnitude)) {
            if (first_zero == 0) {
                first_zero = value_of(k) + 1;
            }
            return;
        }
        if constexpr (Folded == Fold::Mirror) {
            const T z = exchange.pivot_entry(value_of(k)) / exchange.pivot(value_of(k));
            rows.slots.at(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { rows.rhs(K) = z; });
            rows.slots.after(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.rhs(K) = fma(-exchange.pivot(rows.slots.row(K)), z, rows.rhs(K));
            });
        }
        if (value_of(k) + 1 == steps.order()) {
            return;
        }
        const T reciprocal = T(1) / exchange.pivot(value_of(k));
        if constexpr (Rows::by_rows) {
            below(rows, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                const T multiplier = rows.at(K, k) * reciprocal;
                rows.at(K, k) = multiplier;
                steps.from(next(k), [&](auto j) TDLS_INLINE_LAMBDA_GPU {
                    rows.at(K, j) = fma(-multiplier, exchange.pivot(value_of(j)), rows.at(K, j));
                });
            });
        } else {
            below(rows, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { rows.at(K, k) *= reciprocal; });
            steps.from(next(k), [&](auto j) TDLS_INLINE_LAMBDA_GPU {
                const T u = exchange.pivot(value_of(j));
                below(rows, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                    rows.at(K, j) = fma(-rows.at(K, k), u, rows.at(K, j));
                });
            });
        }
        if constexpr (Folded == Fold::Forward) {
            const T y = exchange.pivot_entry(value_of(k));
            below(rows, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.rhs(K) = fma(-rows.at(K, k), y, rows.rhs(K));
            });
        }
    });
    return first_zero;
}

// ---- The substitutions
// -----------------------------------------------------------------------------

// Collective. L y = b, b and y with their rows.
template <typename T, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void solve_lower(Rows &rows, Exchange &exchange)
{
    rows.steps.ascend([&](auto k) TDLS_INLINE_LAMBDA_GPU {
        if (value_of(k) + 1 < rows.steps.order()) {
            const T y = exchange.share_entry(k);
            below(rows, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.rhs(K) = fma(-rows.at(K, k), y, rows.rhs(K));
            });
        }
    });
}

// Collective. U x = y; entry i of x is shared when it is there.
template <typename T, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void solve_upper(Rows &rows, Exchange &exchange)
{
    rows.steps.descend([&](auto i) TDLS_INLINE_LAMBDA_GPU {
        const T x = exchange.share_quotient(i);
        above(rows, i, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.rhs(K) = fma(-rows.at(K, i), x, rows.rhs(K));
        });
    });
}

// Collective. U^T z = b, entry k of b and z with slot k.
template <typename T, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void solve_upper_transposed(Rows &rows,
                                                                             Exchange &exchange)
{
    rows.steps.ascend([&](auto k) TDLS_INLINE_LAMBDA_GPU {
        exchange.share_row(k,
                           [&](auto &&share) TDLS_INLINE_LAMBDA_GPU { rows.steps.from(k, share); });
        const T z = exchange.entry() / exchange.element(value_of(k));
        rows.slots.at(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { rows.rhs(K) = z; });
        rows.slots.after(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.rhs(K) = fma(-exchange.element(rows.slots.row(K)), z, rows.rhs(K));
        });
    });
}

// Collective. L^T w = z, entry k of z and w with slot k.
template <typename T, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void solve_lower_transposed(Rows &rows,
                                                                             Exchange &exchange)
{
    rows.steps.descend([&](auto k) TDLS_INLINE_LAMBDA_GPU {
        if (value_of(k) > 0) {
            exchange.share_row(k, [&](auto &&share) TDLS_INLINE_LAMBDA_GPU {
                rows.steps.ascend([&](auto j) TDLS_INLINE_LAMBDA_GPU {
                    if (value_of(j) < value_of(k)) {
                        share(j);
                    }
                });
            });
            const T w = exchange.entry();
            rows.slots.before(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
                rows.rhs(K) = fma(-exchange.element(rows.slots.row(K)), w, rows.rhs(K));
            });
        }
    });
}

// ---- The calls of the solvers
// ----------------------------------------------------------------------

// The exchange of a workspace, the barrier's two elements included.
template <typename T, typename Rows, typename Barrier>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr auto exchange_of(Rows &rows, T *work, int threads,
                                                                  Barrier &barrier)
{
    if constexpr (Rows::rows_move) {
        return PhysicalExchange<T, Rows, Barrier>(rows, work + 2, barrier, threads);
    } else {
        (void)threads;
        return LogicalExchange<T, Rows, Barrier>(rows, work + 2, barrier);
    }
}

// Collective. The second half of a solution: from y of L y = P b, or z of U^T z = b, to x.
template <typename T, bool Mirror, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void finish(Rows &rows, Exchange &exchange)
{
    if constexpr (Mirror) {
        solve_lower_transposed<T>(rows, exchange);
        const auto row = [&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.slots.row(K); };
        const auto place = [&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.place(K); };
        // x = P^T w: w at position p belongs to the row that came to p.
        if constexpr (Rows::rows_move) {
            exchange.permute(place, row);
        } else {
            exchange.permute(row, place);
        }
    } else {
        solve_upper<T>(rows, exchange);
        exchange.take_quotients();
    }
}

// Collective. Factors, and with Solves turns b in the rows' entries into x. true: not singular.
template <typename T, bool Solves, bool Mirror, typename Rows, typename Exchange, typename Rule>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr bool
factor_and_solve(Rows &rows, Exchange &exchange, const Rule &rule)
{
    constexpr Fold folded = !Solves ? Fold::None : Mirror ? Fold::Mirror : Fold::Forward;
    const bool sound = eliminate<T, folded>(rows, exchange, rule) == 0;
    if constexpr (Solves) {
        if (!sound) {
            exchange.give_up();
        }
        if constexpr (Mirror) {
            exchange.barrier(); // the last pivot row is still being read
        }
        finish<T, Mirror>(rows, exchange);
    }
    return sound;
}

// Collective. With factors, turns b in the rows' entries into x.
template <typename T, bool Mirror, typename Rows, typename Exchange>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void solve_with_factors(Rows &rows,
                                                                         Exchange &exchange)
{
    if constexpr (Mirror) {
        solve_upper_transposed<T>(rows, exchange);
    } else {
        if constexpr (Rows::rows_move) {
            exchange.permute([&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.slots.row(K); },
                             [&](auto K) TDLS_INLINE_LAMBDA_GPU { return rows.place(K); });
        }
        solve_lower<T>(rows, exchange);
    }
    finish<T, Mirror>(rows, exchange);
}

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
