// SPDX-License-Identifier: BSD-3-Clause
// The static solver in every way of calling it, against the expected outcome.
#pragma once

#include <barrier>

#include "core_support.hpp"

namespace core_test
{

// Slices of the threads of a group: thread tx holds rows tx + K*threads of S.
template <typename S, typename T, int N>
struct Slices {
    T matrix[S::threads_per_system][N * S::rows_per_thread];
    int piv[S::threads_per_system][S::rows_per_thread];
    T b[S::threads_per_system][S::rows_per_thread];
    T x[S::threads_per_system][S::rows_per_thread];

    explicit Slices(const System<T> &in)
    {
        each_row([&](int tx, int K, std::size_t row) {
            b[tx][K] = in.rhs[row];
            x[tx][K] = T(-5);
            piv[tx][K] = in.piv[row];
            for (int c = 0; c < N; ++c) {
                matrix[tx][c * S::rows_per_thread + K] =
                    in.matrix[static_cast<std::size_t>(c) * N + row];
            }
        });
    }
    template <typename Fn>
    static void each_row(const Fn &fn)
    {
        for (int tx = 0; tx < S::threads_per_system; ++tx) {
            for (int K = 0; K < S::rows_per_thread; ++K) {
                const int row = tx + K * S::threads_per_system;
                if (row < N) {
                    fn(tx, K, static_cast<std::size_t>(row));
                }
            }
        }
    }
};

// `solve`, or `factorize` and `substitute`, with a combination of residencies. All operands exist
// in both forms; the ones in use are gathered.
template <typename T, int N, auto Config, bool Rhs, bool Piv, bool Matrix, bool InOne>
void check_call(const System<T> &in, const System<T> &expected)
{
    using S = CooperativeLUppSolverStatic<T, N, Config>;
    Slices<S, T, N> slices(in);
    Spread<T> matrix(in.matrix, 2), b(in.rhs, 3), x(in.rhs, 3);
    Spread<int> piv(in.piv, 2);
    std::vector<T> work(static_cast<std::size_t>(S::workspace_size));
    Verdicts verdicts(S::threads_per_system);
    run_group(S::threads_per_system, [&](int tx) {
        T *const a = Matrix ? slices.matrix[tx] : matrix.data();
        int *const p = Piv ? slices.piv[tx] : piv.data();
        const T *const from = Rhs ? slices.b[tx] : b.data();
        T *const to = Rhs ? slices.x[tx] : x.data();
        if constexpr (InOne) {
            verdicts.give(
                tx, S::template solve<Rhs, Piv, Matrix>(tx, a, 2, p, 2, from, to, 3, work.data()));
        } else {
            verdicts.give(tx, S::template factorize<Piv, Matrix>(tx, a, 2, p, 2, work.data()));
            S::template substitute<Rhs, Piv, Matrix>(tx, a, 2, p, 2, from, to, 3, work.data());
        }
    });
    System<T> got(N);
    got.sound = verdicts.agreed();
    got.matrix = matrix.gather();
    got.piv = piv.gather();
    got.rhs = x.gather();
    Slices<S, T, N>::each_row([&](int tx, int K, std::size_t row) {
        for (int c = 0; c < N && Matrix; ++c) {
            got.matrix[static_cast<std::size_t>(c) * N + row] =
                slices.matrix[tx][c * S::rows_per_thread + K];
        }
        if (Piv) {
            got.piv[row] = slices.piv[tx][K];
        }
        if (Rhs) {
            got.rhs[row] = slices.x[tx][K];
        }
    });
    assert_outcome(got, expected, true, InOne ? "solve" : "factorize and substitute");
    if (!same(b.gather(), in.rhs)) {
        fail_msg("b was written");
    }
}

template <typename T, int N, auto Config, bool Rhs, bool Piv, bool Matrix>
void check_residency(const System<T> &in, const System<T> &expected)
{
    check_call<T, N, Config, Rhs, Piv, Matrix, true>(in, expected);
    check_call<T, N, Config, Rhs, Piv, Matrix, false>(in, expected);
}

// All combinations, or the two pure ones.
template <typename T, int N, auto Config, bool All>
void check_residencies(const System<T> &in, const System<T> &expected)
{
    check_residency<T, N, Config, false, false, false>(in, expected);
    check_residency<T, N, Config, true, true, true>(in, expected);
    if constexpr (All) {
        check_residency<T, N, Config, false, false, true>(in, expected);
        check_residency<T, N, Config, false, true, false>(in, expected);
        check_residency<T, N, Config, false, true, true>(in, expected);
        check_residency<T, N, Config, true, false, false>(in, expected);
        check_residency<T, N, Config, true, false, true>(in, expected);
        check_residency<T, N, Config, true, true, false>(in, expected);
    }
}

// solve_inplace and substitute_inplace with compile-time strides, substitute_canonical against
// substitute, the caller's own barrier, and the barrier of make_sync.
template <typename T, int N, auto Config>
void check_entry_points(const System<T> &in, const System<T> &expected)
{
    using S = CooperativeLUppSolverStatic<T, N, Config>;
    constexpr int threads = S::threads_per_system;
    std::vector<T> work(static_cast<std::size_t>(S::workspace_size));
    {
        Spread<T> matrix(in.matrix, 3), y(in.rhs, 2);
        Spread<int> piv(in.piv, 4);
        Verdicts verdicts(threads);
        run_group(threads, [&](int tx) {
            // the strides of the call are of no meaning beside compile-time ones
            verdicts.give(tx,
                          S::template solve_inplace<false, false, false, 3, 4, 2>(
                              tx, matrix.data(), -1, piv.data(), -1, y.data(), -1, work.data()));
        });
        System<T> got(N);
        got.sound = verdicts.agreed();
        got.matrix = matrix.gather();
        got.piv = piv.gather();
        got.rhs = y.gather();
        assert_outcome(got, expected, true, "solve_inplace");
    }
    System<T> got = in;
    std::barrier<> barrier(threads);
    std::vector<T> x(static_cast<std::size_t>(N)), e(static_cast<std::size_t>(N)), canonical(e);
    const int column = N / 2;
    e[static_cast<std::size_t>(column)] = T(1);
    // A barrier of the caller needs no state in the workspace, which may hold anything.
    std::vector<T> dirty(work.size(), std::numeric_limits<T>::quiet_NaN());
    Verdicts verdicts(threads);
    run_group(threads, [&](int tx) {
        auto own = [&barrier] { barrier.arrive_and_wait(); };
        verdicts.give(tx, S::template factorize<false, false, 1, 1>(
                              tx, got.matrix.data(), 1, got.piv.data(), 1, dirty.data(), own));
        auto made = S::make_sync(work.data());
        made();
        S::template substitute<false, false, false>(tx, got.matrix.data(), 1, got.piv.data(), 1,
                                                    e.data(), x.data(), 1, work.data(), made);
        S::template substitute_canonical<false, false, false>(
            tx, got.matrix.data(), 1, got.piv.data(), 1, column, canonical.data(), 1, work.data());
        S::template substitute_inplace<false, false, false, 1, 1, 1>(
            tx, got.matrix.data(), 1, got.piv.data(), 1, got.rhs.data(), 1, dirty.data(), own);
    });
    got.sound = verdicts.agreed();
    assert_outcome(got, expected, true, "substitute_inplace");
    if (expected.sound && !same(x, canonical)) {
        fail_msg("substitute_canonical, n = %d", N);
    }
    // Between calls the barrier leaves a counter of 0 and a flag of 0 or 1.
    std::uint32_t counter = 9, flag = 9;
    std::memcpy(&counter, work.data(), sizeof counter);
    std::memcpy(&flag, work.data() + 1, sizeof flag);
    assert_int_equal(counter, 0);
    assert_in_range(flag, 0, 1);
}

} // namespace core_test
