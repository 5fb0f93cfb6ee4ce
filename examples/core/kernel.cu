// SPDX-License-Identifier: BSD-3-Clause
// Solving inside one's own kernel, CUDA or HIP: the matrix is built in registers by the threads
// that share the system, and never goes to memory.
#include <cstdint>

#include <tdls/tdls.hpp>

#if defined(__HIP__)
#    include <hip/hip_runtime.h>
#endif

constexpr int n = 8;
constexpr tdls::CooperativeLUppConfig<double> config = {.rows_per_thread = 4,
                                                        .layout = tdls::MatrixLayout::ColMajor};
using Solver = tdls::CooperativeLUppSolverStatic<double, n, config>;
constexpr int threads = Solver::threads_per_system; // 2: sixteen systems in a warp of 32
constexpr int rows = Solver::rows_per_thread;
constexpr int groups_per_block = 64;

// One implicit Euler step of cells of a chain: (I + h*L) x = y, x in the place of y. Launched with
// blocks of groups_per_block * threads threads. A group lies within one warp; the barrier is
// deduced.
__global__ void step(double h, double *y, int *failed, std::int64_t cells)
{
    __shared__ double work[groups_per_block][Solver::workspace_size];
    const int group = static_cast<int>(threadIdx.x) / threads;
    const int tx = static_cast<int>(threadIdx.x) % threads;
    const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * groups_per_block + group;
    if (cell >= cells) {
        return; // the whole group leaves
    }
    double A[n * rows];
    int piv[rows];
    // Constant indices keep A in registers, which a loop over a variable would not.
    tdls::detail::unroll_K<n * rows>([&](auto e) {
        constexpr int c = decltype(e)::value / rows, K = decltype(e)::value % rows;
        const int r = tx + K * threads;
        A[c * rows + K] = (r == c ? 1 + 2 * h : 0) - (r == c + 1 || r + 1 == c ? h : 0);
    });
    // The matrix and the pivots are this thread's own (internal), the right-hand side is in memory.
    double *const own = y + cell * n;
    const bool sound =
        Solver::solve_inplace<false, true, true, 1, 1, 1>(tx, A, 0, piv, 0, own, 1, work[group]);
    if (!sound && tx == 0) {
        atomicAdd(failed, 1);
    }
}
