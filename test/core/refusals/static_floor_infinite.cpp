// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: Config.singular_floor
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.singular_floor = __builtin_huge_val()};
int size = CooperativeLUppSolverStatic<double, 4, config>::workspace_size;
