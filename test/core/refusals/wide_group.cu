// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: sync must be given
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.unroll_loops = false};
__global__ void use(double *A, int *piv, double *work, bool *out)
{
    *out = CooperativeLUppSolverStatic<double, 65, config>::factorize<false, false>(
        threadIdx.x, A, 1, piv, 1, work);
}
