// SPDX-License-Identifier: BSD-3-Clause
/// @file solver_static.hpp
/// @brief CooperativeLUpp for systems of an order known at compile time: dense LU with partial
/// pivoting held in the registers of a group of threads, one system per group.
//
// The elimination is that of MAGMA's small-system kernel (A. Haidar, A. Abdelfattah), in the form
// of the CooperativeLUpp solver documented by the TDLS project of CEA, of which this is an
// independent implementation.
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

namespace detail
{

// An operand of the static solver: the slice of the calling thread, or the whole in memory. The
// base of the whole is that of thread tx: what is left are constant offsets, which addresses have
// room for.
template <typename E, bool Internal, std::int64_t Fixed>
class Operand
{
public:
    TDLS_HOST_DEVICE constexpr Operand(E *operand, std::int64_t stride, int tx) noexcept
        : base_(Internal ? operand : operand + tx * (Fixed != dynamic_stride ? Fixed : stride)),
          stride_(stride)
    {
    }

    // `inside` counts in the slice, `outside` in the whole, from what belongs to tx.
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr E &operator()(int inside,
                                                               int outside) const noexcept
    {
        if constexpr (Internal) {
            return base_[inside];
        } else if constexpr (Fixed != dynamic_stride) {
            return base_[outside * Fixed];
        } else {
            return base_[outside * stride_];
        }
    }

private:
    E *TDLS_RESTRICT base_;
    std::int64_t stride_;
};

} // namespace detail

/// `P S = L U` of one system of order N by a group of threads, and solutions with it. S is A under
/// MatrixLayout::ColMajor and A^T under RowMajor (the default), that is the stored array read
/// column-major in both. Thread tx of the group holds the rows `tx + K * threads_per_system` of S,
/// K = 0 .. rows_per_thread - 1.
///
/// Every thread of the group makes the same call: the same template arguments and operands
/// (internal operands: its own slice), the same workspace, its own tx. All offsets are the
/// caller's: pointers are those of the system.
///
/// - **A**, external: element (r, c) at `A[(r*N + c) * A_stride]` under RowMajor,
///   `A[(c*N + r) * A_stride]` under ColMajor; internal: element c of row K of S of this thread at
///   `A[c*rows_per_thread + K]`. factorize and solve overwrite it with the factors: L below the
///   diagonal with a unit diagonal that is not stored, U from the diagonal on; rows of S at their
///   places (Logical), or in pivoted order as in LAPACK (Physical).
/// - **piv**, external: entry r at `piv[r * piv_stride]`; internal: entry K. Logical: the position
/// of
///   row r of S in the pivoted order. Physical: the original index of the row at position r.
/// - **b, x, y**, external: entry r at `b[r * rhs_stride]`; internal: entry K. b and x must not
///   overlap.
/// - **work**: workspace_size elements that all threads of the group reach. On a CPU its first two
///   elements must be zero before the first call of a group of several threads, and only these.
/// - **sync**: the barrier; by default deduced (core/group.hpp), or any callable without arguments.
///
/// Strides are in elements, 64-bit, of meaning to external operands only; a compile-time stride
/// takes the place of the argument. Each thread reads only its own rows of A and entries of b and
/// piv. On return all results of the group are visible to all its threads, and the workspace is
/// free. The sequence of barriers depends on N and the configuration alone. false: singular, the
/// same to every thread; x and y are then of no use, the factors are those of LAPACK's rule (the
/// column is left, the next one is done).
/// @ingroup tdls_core
template <typename T, int N, CooperativeLUppConfig<T> Config = CooperativeLUppConfig<T>{}>
struct CooperativeLUppSolverStatic {
    static_assert(std::is_floating_point_v<T>,
                  "CooperativeLUppSolverStatic: T must be float, double or long double");
    static_assert(N >= 1, "CooperativeLUppSolverStatic: N must be at least 1");
    static_assert(Config.rows_per_thread >= 1,
                  "CooperativeLUppSolverStatic: Config.rows_per_thread must be at least 1");
    static_assert(detail::threshold_is_legal(Config.relative_pivot_threshold),
                  "CooperativeLUppSolverStatic: Config.relative_pivot_threshold must be in (0, 1]");
    static_assert(
        detail::floor_is_legal(Config.singular_floor),
        "CooperativeLUppSolverStatic: Config.singular_floor must be finite and at least the "
        "smallest normal number of T");

    /// Rows of S that a thread holds.
    static constexpr int rows_per_thread = Config.rows_per_thread < N ? Config.rows_per_thread : N;
    /// Threads of a group.
    static constexpr int threads_per_system = (N + rows_per_thread - 1) / rows_per_thread;
    /// Elements of the workspace of a group.
    static constexpr int workspace_size = 2 + (Config.row_interchange == RowInterchange::Logical
                                                   ? 3 * N
                                                   : 2 * N + 2 * threads_per_system + 5);

    /// The deduced barrier, for the caller's own exchanges between calls.
    TDLS_HOST_DEVICE static constexpr auto make_sync(T *work) noexcept
    {
        check_sync<AutoSync>();
        return detail::GroupSync<T>(work, threads_per_system);
    }

    /// `P S = L U`: A and piv are overwritten. Returns false if the system is singular.
    template <bool internal_piv, bool internal_matrix, std::int64_t FixedA = dynamic_stride,
              std::int64_t FixedPiv = dynamic_stride, typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    factorize(int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride, T *work,
              Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        auto &&barrier = sync_of<Sync>(work, sync...);
        const detail::Operand<T, internal_matrix, FixedA> a(A, A_stride, tx);
        const detail::Operand<int, internal_piv, FixedPiv> p(piv, piv_stride, tx);
        return eliminate<false>(tx, a, p, NoEntries{}, NoEntries{}, work, barrier);
    }

    /// Solves `A x = b` with what factorize left in A and piv.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix,
              std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    substitute(int tx, const T *A, std::int64_t A_stride, const int *piv, std::int64_t piv_stride,
               const T *b, T *x, std::int64_t rhs_stride, T *work,
               Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        const detail::Operand<const T, internal_rhs, FixedRhs> from(b, rhs_stride, tx);
        substitute_from<internal_rhs, internal_piv, internal_matrix, FixedA, FixedPiv, FixedRhs,
                        Sync>(tx, A, A_stride, piv, piv_stride, from, x, rhs_stride, work, sync...);
    }

    /// Solves `A x = e_col`, col from 0: a column of the inverse.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix,
              std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    substitute_canonical(int tx, const T *A, std::int64_t A_stride, const int *piv,
                         std::int64_t piv_stride, int col, T *x, std::int64_t rhs_stride, T *work,
                         Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        const auto from = [=](int, int outside)
                              TDLS_INLINE_LAMBDA_GPU { return tx + outside == col ? T(1) : T(0); };
        substitute_from<internal_rhs, internal_piv, internal_matrix, FixedA, FixedPiv, FixedRhs,
                        Sync>(tx, A, A_stride, piv, piv_stride, from, x, rhs_stride, work, sync...);
    }

    /// Solves `A x = b` with what factorize left; b in x on entry.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix,
              std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    substitute_inplace(int tx, const T *A, std::int64_t A_stride, const int *piv,
                       std::int64_t piv_stride, T *x, std::int64_t rhs_stride, T *work,
                       Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        const detail::Operand<const T, internal_rhs, FixedRhs> from(x, rhs_stride, tx);
        substitute_from<internal_rhs, internal_piv, internal_matrix, FixedA, FixedPiv, FixedRhs,
                        Sync>(tx, A, A_stride, piv, piv_stride, from, x, rhs_stride, work, sync...);
    }

    /// factorize and substitute in one, with the same bits. Returns false if the system is
    /// singular.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix,
              std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    solve(int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride, const T *b, T *x,
          std::int64_t rhs_stride, T *work, Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        auto &&barrier = sync_of<Sync>(work, sync...);
        const detail::Operand<T, internal_matrix, FixedA> a(A, A_stride, tx);
        const detail::Operand<int, internal_piv, FixedPiv> p(piv, piv_stride, tx);
        const detail::Operand<const T, internal_rhs, FixedRhs> from(b, rhs_stride, tx);
        const detail::Operand<T, internal_rhs, FixedRhs> to(x, rhs_stride, tx);
        return eliminate<true>(tx, a, p, from, to, work, barrier);
    }

    /// solve with the right-hand side in y on entry, and x in it on return.
    template <bool internal_rhs, bool internal_piv, bool internal_matrix,
              std::int64_t FixedA = dynamic_stride, std::int64_t FixedPiv = dynamic_stride,
              std::int64_t FixedRhs = dynamic_stride, typename Sync = AutoSync, typename... Given>
    [[nodiscard]] TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    solve_inplace(int tx, T *A, std::int64_t A_stride, int *piv, std::int64_t piv_stride, T *y,
                  std::int64_t rhs_stride, T *work,
                  Given &&...sync) noexcept(is_noexcept<Sync, Given...>)
    {
        auto &&barrier = sync_of<Sync>(work, sync...);
        const detail::Operand<T, internal_matrix, FixedA> a(A, A_stride, tx);
        const detail::Operand<int, internal_piv, FixedPiv> p(piv, piv_stride, tx);
        const detail::Operand<T, internal_rhs, FixedRhs> both(y, rhs_stride, tx);
        return eliminate<true>(tx, a, p, both, both, work, barrier);
    }

private:
    static constexpr bool physical = Config.row_interchange == RowInterchange::Physical;
    static constexpr bool mirror = Config.layout == MatrixLayout::RowMajor;
    // Only registers need constant indices; on a CPU rows lie in memory, and loops serve better.
    static constexpr bool unrolled = Config.unroll_loops && !TDLS_TARGET_HOST;

    template <typename Sync, typename... Given>
    static constexpr bool
        is_noexcept = detail::sync_is_noexcept<typename detail::SyncOf<Sync, Given...>::type>();

    struct NoEntries {
    };

    template <typename Sync>
    TDLS_HOST_DEVICE static constexpr void check_sync() noexcept
    {
        static_assert(!detail::is_no_sync<Sync> || threads_per_system == 1,
                      "CooperativeLUppSolverStatic: sync must not be NoSync in a group of several "
                      "threads");
        static_assert(
            !detail::is_auto_sync<Sync> || detail::widest_deduced_group == 0 ||
                threads_per_system <= detail::widest_deduced_group,
            "CooperativeLUppSolverStatic: sync must be given for a group that is wider than "
            "a warp: raise Config.rows_per_thread or pass a barrier");
    }

    // The barrier of a call.
    template <typename Sync, typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr decltype(auto)
    sync_of(T *work, Given &...sync) noexcept
    {
        static_assert(sizeof...(Given) <= 1, "CooperativeLUppSolverStatic: one sync at most");
        using Used = typename detail::SyncOf<Sync, Given...>::type;
        check_sync<Used>();
        return detail::barrier_of<Used>(work, threads_per_system, sync...);
    }

    // Column c of the row of slot K, and what belongs to that row in a vector.
    template <typename Matrix, typename Slot, typename Column>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE static constexpr decltype(auto)
    element(const Matrix &a, Slot K, Column c) noexcept
    {
        return a(detail::value_of(c) * rows_per_thread + detail::value_of(K),
                 detail::value_of(c) * N + detail::value_of(K) * threads_per_system);
    }
    template <typename Vector, typename Slot>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE static constexpr decltype(auto) entry(const Vector &v,
                                                                             Slot K) noexcept
    {
        return v(detail::value_of(K), detail::value_of(K) * threads_per_system);
    }

    TDLS_CALLS_GIVEN
    template <bool Solves, typename Matrix, typename Pivots, typename From, typename To,
              typename Barrier>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr bool
    eliminate(int tx, const Matrix &a, const Pivots &piv, const From &from, const To &to, T *work,
              Barrier &barrier)
    {
        detail::RegisterRows<T, N, rows_per_thread, physical, unrolled> rows;
        rows.slots.tx = tx;
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.steps.ascend([&](auto c)
                                  TDLS_INLINE_LAMBDA_GPU { rows.at(K, c) = element(a, K, c); });
            rows.place(K) = rows.slots.row(K);
            if constexpr (Solves) {
                rows.rhs(K) = entry(from, K);
            }
        });

        auto exchange = detail::exchange_of(rows, work, threads_per_system, barrier);
        const bool sound = detail::factor_and_solve<T, Solves, mirror>(
            rows, exchange, detail::FixedPivotRule<Config>{});

        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.steps.ascend([&](auto c)
                                  TDLS_INLINE_LAMBDA_GPU { element(a, K, c) = rows.at(K, c); });
            entry(piv, K) = rows.place(K);
            if constexpr (Solves) {
                entry(to, K) = rows.rhs(K);
            }
        });
        barrier();
        return sound;
    }

    TDLS_CALLS_GIVEN
    template <bool internal_rhs, bool internal_piv, bool internal_matrix, std::int64_t FixedA,
              std::int64_t FixedPiv, std::int64_t FixedRhs, typename Sync, typename From,
              typename... Given>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    substitute_from(int tx, const T *A, std::int64_t A_stride, const int *piv,
                    std::int64_t piv_stride, const From &from, T *x, std::int64_t rhs_stride,
                    T *work, Given &...sync)
    {
        auto &&barrier = sync_of<Sync>(work, sync...);
        const detail::Operand<const T, internal_matrix, FixedA> a(A, A_stride, tx);
        const detail::Operand<const int, internal_piv, FixedPiv> p(piv, piv_stride, tx);
        const detail::Operand<T, internal_rhs, FixedRhs> to(x, rhs_stride, tx);
        const auto factor = [&](auto K, auto c) TDLS_INLINE_LAMBDA_GPU { return element(a, K, c); };
        detail::SliceRows<T, N, rows_per_thread, physical, unrolled, decltype(factor)> rows = {
            {{}, {tx}, {}, {}}, factor};
        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            rows.place(K) = entry(p, K);
            rows.rhs(K) = entry(from, K);
        });

        auto exchange = detail::exchange_of(rows, work, threads_per_system, barrier);
        detail::solve_with_factors<T, mirror>(rows, exchange);

        rows.slots.each([&](auto K) TDLS_INLINE_LAMBDA_GPU { entry(to, K) = rows.rhs(K); });
        barrier();
    }
};

} // namespace TDLS_CORE_ABI
} // namespace tdls
