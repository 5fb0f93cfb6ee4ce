// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: N must be
#include <tdls/tdls.hpp>
using namespace tdls;
int size = CooperativeLUppSolverStatic<double, 0>::workspace_size;
