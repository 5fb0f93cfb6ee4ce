// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: sync must not be NoSync
#include <tdls/tdls.hpp>
using namespace tdls;
bool use(double *A, int *piv, double *work)
{
    return CooperativeLUppSolverStatic<double, 4>::factorize<false, false>(0, A, 1, piv, 1, work,
                                                                           NoSync{});
}
