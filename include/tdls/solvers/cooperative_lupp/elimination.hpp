// SPDX-License-Identifier: BSD-3-Clause
// The algorithm, once: right-looking LU with partial pivoting of S by a group of threads, and the
// substitutions with its factors, as templates over four things.
//
//   Steps      how columns are iterated, and the order n (iteration.hpp)
//   Rows       the rows of S that the calling thread holds (rows.hpp)
//   Exchange   how the threads of the group see each other's elements (exchange.hpp)
//   Rule       threshold and floor of the pivot choice, known to the compiler or not
//
// Every rounding is spelled out: one fma per update in the order of the steps, one multiplication
// by the reciprocal of the pivot, divisions in the back substitution. Which thread does an
// operation, and in what order elements are visited within a step, is all that the policies decide,
// so every instance gives the same bits.
#pragma once

#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>
#include <tdls/solvers/cooperative_lupp/exchange.hpp>
#include <tdls/solvers/cooperative_lupp/rows.hpp>

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
                rows.rhs(K) = fma(-exchange.pivot_of(K), z, rows.rhs(K));
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
            rows.rhs(K) = fma(-exchange.element_of(K), z, rows.rhs(K));
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
                rows.rhs(K) = fma(-exchange.element_of(K), w, rows.rhs(K));
            });
        }
    });
}

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
