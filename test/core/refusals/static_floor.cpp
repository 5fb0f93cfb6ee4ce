// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: Config.singular_floor
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.singular_floor = 0};
int size = CooperativeLUppSolverStatic<double, 4, config>::workspace_size;
