// SPDX-License-Identifier: BSD-3-Clause
// The exchange of groups within a warp: rows stay, and everything passes through the lanes'
// collectives; no workspace, no barrier. For kernels whose systems are of constant order, with the
// rows in registers.
//
// Lanes is what the target offers to one thread of a group. All its functions are collective over
// the group (and, on devices, over the warp: groups that have nothing to do go along):
//   T    shuffle(T value, int thread)      the value of that thread of the group
//   int  find(bool here)                   the thread in which `here` holds, which is one
//   Candidate<T> best(Candidate<T> own)    the best candidate: the largest magnitude, of equals the
//                                          least position
#pragma once

#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>
#include <tdls/solvers/cooperative_lupp/exchange.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

// Every lane holds the shared row, and entry of the right-hand side, in registers of its own.
template <typename T, typename Rows, typename Lanes>
class WarpExchange
{
    static_assert(!Rows::rows_move, "WarpExchange: rows must stay (RowInterchange::Logical)");
    static constexpr int order = Rows::fixed_order;
    static constexpr int slots = Rows::fixed_slots;
    static constexpr int threads = (order + slots - 1) / slots;

public:
    TDLS_HOST_DEVICE constexpr WarpExchange(Rows &rows, Lanes &lanes) noexcept
        : rows_(rows), lanes_(lanes)
    {
    }

    // Of a singular system nothing is divided: there may be a zero, and its solution is open.
    TDLS_HOST_DEVICE constexpr void give_up() noexcept { divides_ = false; }

    // Collective. The best pivot of column k; in_place is the magnitude of the row at position k.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr Candidate<T> find_pivot(Step k, T &in_place)
    {
        // Smaller than any magnitude: a thread without a candidate. A NaN is never one.
        Candidate<T> own = {T(-1), order};
        T here = 0;
        bool holds = false;
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            const T magnitude = abs(rows_.at(K, k));
            if (rows_.place(K) >= value_of(k)) {
                own.consider(magnitude, rows_.place(K));
            }
            if (rows_.place(K) == value_of(k)) {
                here = magnitude;
                holds = true;
            }
        });
        in_place = lanes_.shuffle(here, lanes_.find(holds));
        Candidate<T> best = {in_place, value_of(k)};
        const Candidate<T> other = lanes_.best(own);
        best.consider(other.magnitude, other.position);
        return best;
    }

    // Collective. Positions k and m change places; the pivot row is shared from column k on.
    template <Fold Folded, typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void interchange(Step k, int m)
    {
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            const int place = rows_.place(K);
            rows_.place(K) = place == m ? value_of(k) : place == value_of(k) ? m : place;
        });
        share_elements(k, [&](auto &&share) TDLS_INLINE_LAMBDA_GPU { rows_.steps.from(k, share); });
        if constexpr (Folded == Fold::Forward) {
            entry_ = share_entry(k);
        }
        if constexpr (Folded == Fold::Mirror) {
            share_own_entry(k);
        }
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T pivot(int j) const { return row_[j]; }
    template <typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T pivot_of(Slot K) const
    {
        return element_of(K);
    }
    TDLS_HOST_DEVICE constexpr T pivot_entry(int) const { return entry_; }

    // Collective. The right-hand side of the row at position k.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_entry(Step k)
    {
        T own = 0;
        bool holds = false;
        at_position(rows_, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            own = rows_.rhs(K);
            holds = true;
        });
        return lanes_.shuffle(own, lanes_.find(holds));
    }

    // Collective. Divides the right-hand side of the row at position i by the diagonal, and shares
    // it.
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T share_quotient(Step i)
    {
        T own = 0;
        bool holds = false;
        at_position(rows_, i, [&](auto K) TDLS_INLINE_LAMBDA_GPU {
            own = divides_ ? rows_.rhs(K) / rows_.at(K, i) : T(0);
            holds = true;
        });
        const T quotient = lanes_.shuffle(own, lanes_.find(holds));
        rows_.slots.at(i,
                       [&](auto K) TDLS_INLINE_LAMBDA_GPU { quotients_[value_of(K)] = quotient; });
        return quotient;
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void take_quotients()
    {
        rows_.slots.each([&](auto K)
                             TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = quotients_[value_of(K)]; });
    }

    // Collective. Shares elements of the row at position k, and entry k of the right-hand side.
    template <typename Step, typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void share_row(Step k, const Columns &columns)
    {
        share_elements(k, columns);
        share_own_entry(k);
    }
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T element(int j) const { return row_[j]; }
    // The element in the column of which this thread holds the entry: chosen, not indexed.
    template <typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr T element_of(Slot K) const
    {
        T chosen = 0;
        unroll_K<threads>([&](auto t) TDLS_INLINE_LAMBDA_GPU {
            const int column = value_of(K) * threads + value_of(t);
            if (column < order && rows_.slots.tx == value_of(t)) {
                chosen = row_[column < order ? column : 0];
            }
        });
        return chosen;
    }
    TDLS_HOST_DEVICE constexpr T entry() const { return entry_; }

    // Collective. Entry p of the right-hand side becomes entry place(p). Rows stay, so what a
    // thread puts is its own entries, and what it takes is at the places of its rows.
    template <typename Put, typename Take>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void permute(const Put &, const Take &take)
    {
        T taken[slots] = {};
        unroll_K<slots>([&](auto from) TDLS_INLINE_LAMBDA_GPU {
            unroll_K<slots>([&](auto K) TDLS_INLINE_LAMBDA_GPU {
                // Phantom slots go along, and take nothing.
                const int wanted = rows_.slots.row(K) < order ? take(K) : 0;
                const T value = lanes_.shuffle(rows_.rhs(from), wanted % threads);
                if (wanted / threads == value_of(from)) {
                    taken[value_of(K)] = value;
                }
            });
        });
        rows_.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { rows_.rhs(K) = taken[value_of(K)]; });
    }

private:
    template <typename Step, typename Columns>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void share_elements(Step k,
                                                                         const Columns &columns)
    {
        bool holds = false;
        at_position(rows_, k, [&](auto) TDLS_INLINE_LAMBDA_GPU { holds = true; });
        const int owner = lanes_.find(holds);
        columns([&](auto j) TDLS_INLINE_LAMBDA_GPU {
            T own = 0;
            at_position(rows_, k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { own = rows_.at(K, j); });
            row_[value_of(j)] = lanes_.shuffle(own, owner);
        });
    }
    template <typename Step>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void share_own_entry(Step k)
    {
        T own = 0;
        rows_.slots.at(k, [&](auto K) TDLS_INLINE_LAMBDA_GPU { own = rows_.rhs(K); });
        entry_ = lanes_.shuffle(own, value_of(k) % threads);
    }

    Rows &rows_;
    Lanes &lanes_;
    T row_[order] = {};
    T entry_ = 0;
    T quotients_[slots] = {};
    bool divides_ = true;
};

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
