// SPDX-License-Identifier: BSD-3-Clause
// One thread per system, in the caller's own OpenMP loop: systems of order 6, interleaved (SoA).
#include <cstdint>
#include <cstdio>
#include <vector>

#include <tdls/tdls.hpp>

constexpr int n = 6;
constexpr std::int64_t systems = 10000;

// rows_per_thread = n: a group of one thread, which needs no barrier.
constexpr tdls::CooperativeLUppConfig<double> config = {.rows_per_thread = n,
                                                        .layout = tdls::MatrixLayout::ColMajor};
using Solver = tdls::CooperativeLUppSolverStatic<double, n, config>;

int main()
{
    // Element (r, c) of system s at A[(c*n + r)*systems + s]: the stride is the number of systems.
    std::vector<double> A(n * n * systems), b(n * systems), x(n * systems);
    std::vector<int> piv(n * systems);
    for (std::int64_t s = 0; s < systems; ++s) {
        for (int r = 0; r < n; ++r) {
            for (int c = 0; c < n; ++c) {
                A[static_cast<std::size_t>((c * n + r) * systems + s)] =
                    r == (c + 1) % n ? 10.0 : 1.0 / static_cast<double>(1 + r + c + s % 7);
            }
        }
        for (int r = 0; r < n; ++r) { // b = A * (1, ..., 1)
            for (int c = 0; c < n; ++c) {
                b[static_cast<std::size_t>(r * systems + s)] +=
                    A[static_cast<std::size_t>((c * n + r) * systems + s)];
            }
        }
    }

    std::int64_t singular = 0;
#pragma omp parallel for reduction(+ : singular)
    for (std::int64_t s = 0; s < systems; ++s) {
        double work[Solver::workspace_size];
        const bool sound =
            Solver::solve<false, false, false>(0, A.data() + s, systems, piv.data() + s, systems,
                                               b.data() + s, x.data() + s, systems, work);
        singular += sound ? 0 : 1;
    }

    double largest = 0;
    for (const double value : x) {
        largest = tdls::abs(value - 1) > largest ? tdls::abs(value - 1) : largest;
    }
    std::printf("%lld systems, %lld singular, largest error %.1e\n",
                static_cast<long long>(systems), static_cast<long long>(singular), largest);
    return singular == 0 && largest < 1e-12 ? 0 : 1;
}
