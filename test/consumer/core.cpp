// SPDX-License-Identifier: BSD-3-Clause
// A stranger's program on the C++ core: a group of three threads, then one thread.
#include <cstdio>
#include <thread>

#include <tdls/tdls.hpp>

int main()
{
    constexpr int n = 5;
    constexpr tdls::CooperativeLUppConfig<float> config = {.rows_per_thread = 2};
    using Solver = tdls::CooperativeLUppSolverStatic<float, n, config>;
    using Dynamic = tdls::CooperativeLUppSolverDynamic<float, config>;
    static_assert(Solver::threads_per_system == 3 && Solver::workspace_size == 3 * n + 2);

    float A[n][n] = {}, b[n], x[n], work[Solver::workspace_size] = {};
    int piv[n];
    bool sound[3];
    for (int r = 0; r < n; ++r) {
        A[r][(r + 2) % n] = 4; // row-major
        b[r] = static_cast<float>(4 * r);
    }
    const auto member = [&](int tx) {
        sound[tx] = Solver::solve<false, false, false>(tx, &A[0][0], 1, piv, 1, b, x, 1, work);
        Dynamic::substitute_inplace(n, tx, &A[0][0], 1, piv, 1, b, 1, work);
    };
    std::thread one(member, 1), two(member, 2);
    member(0);
    one.join();
    two.join();
    for (int r = 0; r < n; ++r) {
        if (!sound[r % 3] || x[(r + 2) % n] != static_cast<float>(r) || b[r] != x[r]) {
            std::printf("entry %d is wrong\n", r);
            return 1;
        }
    }
    return 0;
}
