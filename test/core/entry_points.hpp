// SPDX-License-Identifier: BSD-3-Clause
// Every entry point of the core, instantiated: for the host by including this, and for a device,
// where the compiler knows one, in kernels. Read by g++, clang++, nvcc and hipcc with warnings as
// errors.
#pragma once

#include <tdls/tdls.hpp>

#if defined(__HIP__)
#    include <hip/hip_runtime.h>
#endif

namespace entry_points
{

using tdls::CooperativeLUppConfig;
using tdls::CooperativeLUppSolverDynamic;
using tdls::CooperativeLUppSolverStatic;
using tdls::MatrixLayout;
using tdls::RowInterchange;

// All entry points of the static solver with one combination of residencies, and with its own,
// run-time and compile-time strides.
template <typename S, typename T, bool Rhs, bool Piv, bool Matrix>
TDLS_HOST_DEVICE __attribute__((noinline)) bool use_static(int tx, T *A, int *piv, const T *b, T *x,
                                                           T *work, std::int64_t stride)
{
    auto own = S::make_sync(work);
    bool sound = S::template factorize<Piv, Matrix>(tx, A, stride, piv, stride, work);
    S::template substitute<Rhs, Piv, Matrix>(tx, A, stride, piv, stride, b, x, stride, work);
    S::template substitute_canonical<Rhs, Piv, Matrix>(tx, A, stride, piv, stride, 1, x, stride,
                                                       work);
    S::template substitute_inplace<Rhs, Piv, Matrix, 1, 1, 1>(tx, A, 1, piv, 1, x, 1, work, own);
    sound &= S::template solve<Rhs, Piv, Matrix, 4, 4, 4>(tx, A, 4, piv, 4, b, x, 4, work);
    sound &= S::template solve_inplace<Rhs, Piv, Matrix>(tx, A, stride, piv, stride, x, stride,
                                                         work, own);
    return sound;
}

template <typename D, typename T>
TDLS_HOST_DEVICE __attribute__((noinline)) bool
use_dynamic(int n, int tx, T *A, int *piv, const T *b, T *x, T *work, std::int64_t stride)
{
    auto own = D::make_sync(n, work);
    bool sound = D::factorize(n, tx, A, stride, piv, stride, work);
    D::substitute(n, tx, A, stride, piv, stride, b, x, stride, work);
    D::substitute_canonical(n, tx, A, stride, piv, stride, 1, x, stride, work);
    D::template substitute_inplace<1, 1, 1>(n, tx, A, 1, piv, 1, x, 1, work, own);
    sound &= D::template solve<4, 4, 4>(n, tx, A, 4, piv, 4, b, x, 4, work);
    sound &= D::solve_inplace(n, tx, A, stride, piv, stride, x, stride, work, own);
    return sound && D::workspace_size(n) > 0 && D::threads_per_system(n) > 0;
}

template <typename T, RowInterchange Interchange, MatrixLayout Layout>
TDLS_HOST_DEVICE bool use_all(int n, int tx, T *A, int *piv, const T *b, T *x, T *work,
                              std::int64_t stride)
{
    constexpr CooperativeLUppConfig<T> config = {
        .rows_per_thread = 2, .row_interchange = Interchange, .layout = Layout};
    constexpr CooperativeLUppConfig<T> relaxed = {.rows_per_thread = 1,
                                                  .row_interchange = Interchange,
                                                  .relative_pivot_threshold = T(0.25),
                                                  .unroll_loops = false,
                                                  .layout = Layout};
    using Alone = CooperativeLUppSolverStatic<T, 2, config>;
    using Group = CooperativeLUppSolverStatic<T, 3, config>; // with a phantom row
    using Loops = CooperativeLUppSolverStatic<T, 3, relaxed>;
    using Dynamic = CooperativeLUppSolverDynamic<T, config>;
    // Each residency of an operand occurs with the other of each other operand.
    constexpr bool logical = Interchange == RowInterchange::Logical;
    constexpr bool rows = Layout == MatrixLayout::RowMajor;
    bool sound =
        use_static<Group, T, logical, rows, logical == rows>(tx, A, piv, b, x, work, stride);
    sound &= use_dynamic<Dynamic>(n, tx, A, piv, b, x, work, stride);
    if constexpr (sizeof(T) == sizeof(double)) {
        sound &= use_static<Alone, T, !logical, rows, false>(tx, A, piv, b, x, work, stride);
        sound &= use_static<Loops, T, logical, !rows, true>(tx, A, piv, b, x, work, stride);
    }
    return sound;
}

// What a kernel, or a host program, calls; the result says nothing.
template <typename T>
TDLS_HOST_DEVICE bool use(int n, int tx, T *A, int *piv, const T *b, T *x, T *work,
                          std::int64_t stride)
{
    bool sound = use_all<T, RowInterchange::Logical, MatrixLayout::RowMajor>(n, tx, A, piv, b, x,
                                                                             work, stride);
    sound &= use_all<T, RowInterchange::Logical, MatrixLayout::ColMajor>(n, tx, A, piv, b, x, work,
                                                                         stride);
    sound &= use_all<T, RowInterchange::Physical, MatrixLayout::RowMajor>(n, tx, A, piv, b, x, work,
                                                                          stride);
    sound &= use_all<T, RowInterchange::Physical, MatrixLayout::ColMajor>(n, tx, A, piv, b, x, work,
                                                                          stride);
    return sound;
}

template TDLS_HOST_DEVICE bool use<float>(int, int, float *, int *, const float *, float *, float *,
                                          std::int64_t);
template TDLS_HOST_DEVICE bool use<double>(int, int, double *, int *, const double *, double *,
                                           double *, std::int64_t);

#if TDLS_DEVICE_DIALECT
// A barrier that exists on the device alone, for a group that is wider than a warp: no warning.
__global__ void with_block_barrier(double *A, int *piv, const double *b, double *x, bool *out)
{
    constexpr CooperativeLUppConfig<double> loops = {.unroll_loops = false};
    using Wide = CooperativeLUppSolverStatic<double, 70, loops>;
    __shared__ double work[Wide::workspace_size];
    auto sync = [] { __syncthreads(); };
    const int tx = static_cast<int>(threadIdx.x);
    out[0] = Wide::solve<false, false, false>(tx, A, 1, piv, 1, b, x, 1, work, sync);
    Wide::substitute<false, false, false>(tx, A, 1, piv, 1, b, x, 1, work, sync);
    out[1] = CooperativeLUppSolverDynamic<double>::solve(70, tx, A, 1, piv, 1, b, x, 1, work, sync);
}

template <typename T>
__global__ void kernel(int n, T *A, int *piv, const T *b, T *x, T *work, std::int64_t stride,
                       bool *out)
{
    *out = use(n, static_cast<int>(threadIdx.x), A, piv, b, x, work, stride);
}
template __global__ void kernel<float>(int, float *, int *, const float *, float *, float *,
                                       std::int64_t, bool *);
template __global__ void kernel<double>(int, double *, int *, const double *, double *, double *,
                                        std::int64_t, bool *);
#endif

} // namespace entry_points
