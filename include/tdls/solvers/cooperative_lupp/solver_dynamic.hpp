// SPDX-License-Identifier: BSD-3-Clause
/// @file solver_dynamic.hpp
/// @brief CooperativeLUpp for systems of an order known at run time.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <tdls/core/group.hpp>
#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>
#include <tdls/core/target.hpp>
#include <tdls/solvers/cooperative_lupp/config.hpp>
#include <tdls/solvers/cooperative_lupp/elimination.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{

/// CooperativeLUppSolverStatic with the order n as first argument of every call; the same bits,
/// formats, workspaces and rules. All operands are external: rows stay in memory, where each thread
/// works on its own. Config.rows_per_thread may be INT_MAX: one thread for any n. n < 1: nothing to
/// do, true.
/// @ingroup tdls_core
template <typename T, CooperativeLUppConfig<T> Config = CooperativeLUppConfig<T>{}>
struct CooperativeLUppSolverDynamic {
    static_assert(std::is_floating_point_v<T>,
                  "CooperativeLUppSolverDynamic: T must be float, double or long double");
    static_assert(Config.rows_per_thread >= 1,
                  "CooperativeLUppSolverDynamic: Config.rows_per_thread must be at least 1");
    static_assert(
        detail::threshold_is_legal(Config.relative_pivot_threshold),
        "CooperativeLUppSolverDynamic: Config.relative_pivot_threshold must be in (0, 1]");
    static_assert(
        detail::floor_is_legal(Config.singular_floor),
        "CooperativeLUppSolverDynamic: Config.singular_floor must be finite and at least the "
        "smallest normal number of T");

    /// Threads of a group.
    TDLS_HOST_DEVICE static constexpr int threads_per_system(int n) noexcept
    {
        return n < 1 ? 0 : (n - 1) / Config.rows_per_thread + 1;
    }
    /// Elements of the workspace of a group.
    TDLS_HOST_DEVICE static constexpr int workspace_size(int n) noexcept
    {
        return 2 + (physical ? 2 * n + 2 * threads_per_system(n) + 5 : 3 * n);
    }

    /// The deduced barrier, for the caller's own exchanges between calls.
    TDLS_HOST_DEVICE static constexpr auto make_sync(int n, T *work) noexcept
    {
        return detail::GroupSync<T>(work, threads_per_system(n));
    }

    /// `P S = L U`: A and piv are overwritten. Returns false if the system is singular.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE static constexpr bool
    factorize(int n, int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride,
              T *work, Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        auto &&barrier = sync_of<Sync>(n, work, sync...);
        return with_rows<FixedA, FixedPiv, dynamic_stride>(
            n, tx, A, A_stride, piv, piv_stride, static_cast<T *>(nullptr), 0,
            [&](auto rows)
                TDLS_INLINE_LAMBDA_GPU { return eliminate<false>(rows, n, work, barrier); });
    }

    /// Solves `A x = b` with what factorize left in A and piv.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE static constexpr void
    substitute(int n, int tx, const T *A, std::int64_t A_stride, const int *piv,
               std::int64_t piv_stride, const T *b, T *x, std::int64_t rhs_stride, T *work,
               Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        const std::int64_t stride = FixedRhs != dynamic_stride ? FixedRhs : rhs_stride;
        substitute_from<FixedA, FixedPiv, FixedRhs, Sync>(
            n, tx, A, A_stride, piv, piv_stride,
            [&](int row) TDLS_INLINE_LAMBDA_GPU { return b[row * stride]; }, x, rhs_stride, work,
            sync...);
    }

    /// Solves `A x = e_col`, col from 0: a column of the inverse.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE static constexpr void
    substitute_canonical(int n, int tx, const T *A, std::int64_t A_stride, const int *piv,
                         std::int64_t piv_stride, int col, T *x, std::int64_t rhs_stride, T *work,
                         Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        substitute_from<FixedA, FixedPiv, FixedRhs, Sync>(
            n, tx, A, A_stride, piv, piv_stride,
            [&](int row) TDLS_INLINE_LAMBDA_GPU { return row == col ? T(1) : T(0); }, x, rhs_stride,
            work, sync...);
    }

    /// Solves `A x = b` with what factorize left; b in x on entry.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE static constexpr void
    substitute_inplace(int n, int tx, const T *A, std::int64_t A_stride, const int *piv,
                       std::int64_t piv_stride, T *x, std::int64_t rhs_stride, T *work,
                       Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        substitute_from<FixedA, FixedPiv, FixedRhs, Sync>(n, tx, A, A_stride, piv, piv_stride,
                                                          InPlace{}, x, rhs_stride, work, sync...);
    }

    /// factorize and substitute in one, with the same bits. Returns false if the system is
    /// singular.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE static constexpr bool
    solve(int n, int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride, const T *b,
          T *x, std::int64_t rhs_stride, T *work,
          Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        const std::int64_t stride = FixedRhs != dynamic_stride ? FixedRhs : rhs_stride;
        return solve_from<FixedA, FixedPiv, FixedRhs, Sync>(
            n, tx, A, A_stride, piv, piv_stride,
            [&](int row) TDLS_INLINE_LAMBDA_GPU { return b[row * stride]; }, x, rhs_stride, work,
            sync...);
    }

    /// solve with the right-hand side in y on entry, and x in it on return.
    template <std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE static constexpr bool
    solve_inplace(int n, int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride,
                  T *y, std::int64_t rhs_stride, T *work,
                  Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        return solve_from<FixedA, FixedPiv, FixedRhs, Sync>(
            n, tx, A, A_stride, piv, piv_stride, InPlace{}, y, rhs_stride, work, sync...);
    }

private:
    static constexpr bool physical = Config.row_interchange == RowInterchange::Physical;
    static constexpr bool mirror = Config.layout == MatrixLayout::RowMajor;

    // The right-hand side is where x is wanted.
    struct InPlace {
    };

    template <typename Sync, typename... Given>
    static constexpr bool
        is_noexcept = detail::sync_is_noexcept<typename detail::SyncOf<Sync, Given...>::type>();

    template <std::int64_t Fixed>
    TDLS_HOST_DEVICE static constexpr auto stride_of(std::int64_t stride) noexcept
    {
        if constexpr (Fixed == dynamic_stride) {
            return stride;
        } else {
            (void)stride;
            return detail::FixedDistance<Fixed>{};
        }
    }

    // The barrier of a call.
    template <typename Sync, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr decltype(auto)
    sync_of(int n, T *work, Given &...sync) noexcept
    {
        static_assert(sizeof...(Given) <= 1, "CooperativeLUppSolverDynamic: one sync at most");
        using Used = typename detail::SyncOf<Sync, Given...>::type;
        if constexpr (detail::is_no_sync<Used>) {
            if (n > Config.rows_per_thread) {
                detail::stop_with(
                    "tdls: CooperativeLUppSolverDynamic: sync must not be NoSync in a "
                    "group of several threads: n is above Config.rows_per_thread\n");
            }
        }
        return detail::barrier_of<Used>(work, threads_per_system(n), sync...);
    }

    // Calls work(rows) with the rows of the calling thread.
    template <std::int64_t FixedA, std::int64_t FixedPiv, std::int64_t FixedRhs, typename Matrix,
              typename Places, typename Work>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr decltype(auto)
    with_rows(int n, int tx, Matrix *A, std::int64_t A_stride, Places *piv, std::int64_t piv_stride,
              T *x, std::int64_t rhs_stride, const Work &work)
    {
        const auto a_distance = stride_of<FixedA>(A_stride);
        const auto piv_distance = stride_of<FixedPiv>(piv_stride);
        const auto rhs_distance = stride_of<FixedRhs>(rhs_stride);
        const auto with_threads = [&](auto threads) TDLS_INLINE_LAMBDA_GPU -> decltype(auto) {
            return work(
                detail::MemoryRows<Matrix, std::remove_const_t<decltype(a_distance)>, Places,
                                   std::remove_const_t<decltype(piv_distance)>, T,
                                   std::remove_const_t<decltype(rhs_distance)>, decltype(threads),
                                   physical>{{n},
                                             {n, threads, tx},
                                             A,
                                             a_distance,
                                             detail::distance(a_distance) * n,
                                             piv,
                                             piv_distance,
                                             x,
                                             rhs_distance});
        };
        const int threads = threads_per_system(n);
        if (threads <= 1) {
            return with_threads(detail::Index<1>{});
        }
        return with_threads(threads);
    }

    TDLS_CALLS_GIVEN
    template <bool Solves, typename Rows, typename Barrier>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    eliminate(Rows &rows, int n, T *work, Barrier &barrier)
    {
        rows.slots.each([&](int K) TDLS_INLINE_LAMBDA_GPU { rows.place(K) = rows.slots.row(K); });
        auto exchange = detail::exchange_of(rows, work, threads_per_system(n), barrier);
        const bool sound = detail::factor_and_solve<T, Solves, mirror>(
            rows, exchange, detail::FixedPivotRule<Config>{});
        barrier();
        return sound;
    }

    // x of the thread's rows from the right-hand side.
    template <typename Rows, typename From>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void take(Rows &rows, const From &from)
    {
        if constexpr (!std::is_same_v<From, InPlace>) {
            rows.slots.each([&](int K)
                                TDLS_INLINE_LAMBDA_GPU { rows.rhs(K) = from(rows.slots.row(K)); });
        }
    }

    template <std::int64_t FixedA, std::int64_t FixedPiv, std::int64_t FixedRhs, typename Sync,
              typename From, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    solve_from(int n, int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride,
               const From &from, T *x, std::int64_t rhs_stride, T *work, Given &...sync)
    {
        auto &&barrier = sync_of<Sync>(n, work, sync...);
        return with_rows<FixedA, FixedPiv, FixedRhs>(
            n, tx, A, A_stride, piv, piv_stride, x, rhs_stride,
            [&](auto rows) TDLS_INLINE_LAMBDA_GPU {
                take(rows, from);
                return eliminate<true>(rows, n, work, barrier);
            });
    }

    TDLS_CALLS_GIVEN
    template <std::int64_t FixedA, std::int64_t FixedPiv, std::int64_t FixedRhs, typename Sync,
              typename From, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    substitute_from(int n, int tx, const T *A, std::int64_t A_stride, const int *piv,
                    std::int64_t piv_stride, const From &from, T *x, std::int64_t rhs_stride,
                    T *work, Given &...sync)
    {
        auto &&barrier = sync_of<Sync>(n, work, sync...);
        with_rows<FixedA, FixedPiv, FixedRhs>(
            n, tx, A, A_stride, piv, piv_stride, x, rhs_stride,
            [&](auto rows) TDLS_INLINE_LAMBDA_GPU {
                take(rows, from);
                auto exchange = detail::exchange_of(rows, work, threads_per_system(n), barrier);
                detail::solve_with_factors<T, mirror>(rows, exchange);
                barrier();
            });
    }
};

} // namespace TDLS_CORE_ABI
} // namespace tdls
