// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose rows must stay in registers: check_device.sh reads the compiler's own report on
// them. TDLS_TEST_TYPE, TDLS_TEST_INTERCHANGE and TDLS_TEST_LAYOUT say which.
#include <tdls/tdls.hpp>

// On AMD the bound of the launch is what lets a thread have more than 128 registers; on NVIDIA it
// makes ptxas spill for the sake of more blocks.
#if defined(__HIP__)
#    include <hip/hip_runtime.h>
#    define TDLS_TEST_BOUND __launch_bounds__(64)
#else
#    define TDLS_TEST_BOUND
#endif

using namespace tdls;

namespace registers
{

// A system per group, several groups per block of 32 threads, all operands in device memory.
template <typename T, int N, int Rows>
__global__ TDLS_TEST_BOUND void solve(T *A, int *piv, const T *b, T *x, bool *sound)
{
    constexpr CooperativeLUppConfig<T> config = {.rows_per_thread = Rows,
                                                 .row_interchange =
                                                     RowInterchange::TDLS_TEST_INTERCHANGE,
                                                 .layout = MatrixLayout::TDLS_TEST_LAYOUT};
    using Solver = CooperativeLUppSolverStatic<T, N, config>;
    constexpr int threads = Solver::threads_per_system, groups = 32 / threads;
    __shared__ T work[groups][Solver::workspace_size];
    const int group = static_cast<int>(threadIdx.x) / threads;
    const int tx = static_cast<int>(threadIdx.x) % threads;
    if (group < groups) {
        const std::int64_t s = static_cast<std::int64_t>(blockIdx.x) * groups + group;
        sound[s] = Solver::template solve<false, false, false>(
            tx, A + s * N * N, 1, piv + s * N, 1, b + s * N, x + s * N, 1, work[group]);
    }
}

// A matrix that the caller holds in registers.
template <typename T, int N, int Rows>
__global__ TDLS_TEST_BOUND void factorize(T *A, int *piv, bool *sound)
{
    constexpr CooperativeLUppConfig<T> config = {.rows_per_thread = Rows,
                                                 .row_interchange =
                                                     RowInterchange::TDLS_TEST_INTERCHANGE,
                                                 .layout = MatrixLayout::TDLS_TEST_LAYOUT};
    using Solver = CooperativeLUppSolverStatic<T, N, config>;
    constexpr int R = Solver::rows_per_thread;
    __shared__ T work[Solver::workspace_size];
    const int tx = static_cast<int>(threadIdx.x);
    T own[N * R];
    int own_piv[R];
    detail::unroll_K<N * R>(
        [&](auto e) { own[decltype(e)::value] = A[decltype(e)::value * 32 + tx]; });
    *sound = Solver::template factorize<true, true>(tx, own, 0, own_piv, 0, work);
    detail::unroll_K<N * R>(
        [&](auto e) { A[decltype(e)::value * 32 + tx] = own[decltype(e)::value]; });
    detail::unroll_K<R>(
        [&](auto K) { piv[decltype(K)::value * 32 + tx] = own_piv[decltype(K)::value]; });
}

} // namespace registers

using Type = TDLS_TEST_TYPE;
#define SOLVE(N, R)                                                                                \
    template __global__ void registers::solve<Type, N, R>(Type *, int *, const Type *, Type *,     \
                                                          bool *);
SOLVE(4, 1)
SOLVE(8, 1)
SOLVE(16, 1)
SOLVE(24, 1)
SOLVE(32, 1)
SOLVE(4, 2)
SOLVE(8, 2)
SOLVE(16, 2)
SOLVE(4, 4)
SOLVE(8, 4)
SOLVE(16, 4)
template __global__ void registers::factorize<Type, 8, 2>(Type *, int *, bool *);
