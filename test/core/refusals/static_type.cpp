// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: T must be
#include <tdls/tdls.hpp>
using namespace tdls;
int size = CooperativeLUppSolverStatic<int, 4, CooperativeLUppConfig<int>{}>::workspace_size;
