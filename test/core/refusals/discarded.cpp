// SPDX-License-Identifier: BSD-3-Clause
// expect: nodiscard
#include <tdls/tdls.hpp>
using namespace tdls;
void use(double *A, int *piv, double *work)
{
    CooperativeLUppSolverStatic<double, 4>::factorize<false, false>(0, A, 1, piv, 1, work);
}
