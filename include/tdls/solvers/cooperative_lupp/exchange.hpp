// SPDX-License-Identifier: BSD-3-Clause
// How the threads of a group agree on a pivot, move rows, and see each other's elements:
//   LogicalExchange    through a workspace and a barrier, rows that stay
//   PhysicalExchange   through a workspace and a barrier, rows that move
//   LapackExchange     not at all: one thread on memory, in LAPACK's way
//
// Barriers. Each collective function is marked so; its barriers depend on n alone, never on data.
// Between two barriers no element of the workspace is written by one thread and accessed by
// another.
#pragma once

#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>
#include <tdls/solvers/cooperative_lupp/rows.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

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
    TDLS_CALLS_GIVEN
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
    TDLS_CALLS_GIVEN
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_quotient(Step i)
    {
        T *const shared = area_ + value_of(i);
        // Found first and divided then: unrolled, there is one division, not one for each slot.
        T entry = 0;
        T diagonal = 1;
        bool holds = false;
        at_position(rows_, i, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            entry = rows_.rhs(K);
            diagonal = rows_.at(K, i);
            holds = true;
        });
        if (holds) {
            *shared = divides_ ? entry / diagonal : T(0);
        }
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
    TDLS_CALLS_GIVEN
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
    template <typename Slot>
    TDLS_HOST_DEVICE constexpr T element_of(Slot K) const
    {
        return current_[rows_.slots.row(K)];
    }
    TDLS_HOST_DEVICE constexpr T entry() const { return current_[rows_.steps.order()]; }

    // Collective. Entry p of the right-hand side becomes entry place(p): each thread puts its
    // entries to `put`, and takes them from `take`, both given a slot.
    TDLS_CALLS_GIVEN
    template <typename Put, typename Take>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void permute(const Put &put, const Take &take)
    {
        turn();
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { current_[put(K)] = rows_.rhs(K); });
        barrier_();
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = current_[take(K)]; });
    }

protected:
    // The other of the two halves of n+1 elements, the first to begin with: who still reads the one
    // before is not disturbed. Nor is who still reads the last pivot row, element n-1 and its
    // entry, when the substitutions begin: the first half does not reach them before the next
    // barrier.
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
    TDLS_CALLS_GIVEN
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
    TDLS_CALLS_GIVEN
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
    template <typename Slot>
    TDLS_HOST_DEVICE constexpr T pivot_of(Slot K) const
    {
        return pivot(rows_.slots.row(K));
    }
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

    TDLS_CALLS_GIVEN
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

    TDLS_CALLS_GIVEN
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
    template <typename Slot>
    TDLS_HOST_DEVICE constexpr T pivot_of(Slot K) const
    {
        return pivot(rows_.slots.row(K));
    }
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

    TDLS_CALLS_GIVEN
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
    TDLS_CALLS_GIVEN
    template <typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void share_row(int k, const Columns &)
    {
        step_ = k;
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T element(int j) const
    {
        return rows_.at(step_, j);
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr T element_of(int K) const { return element(K); }
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

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
