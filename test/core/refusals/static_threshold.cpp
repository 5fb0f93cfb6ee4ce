// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: Config.relative_pivot_threshold
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.relative_pivot_threshold = 0};
int size = CooperativeLUppSolverStatic<double, 4, config>::workspace_size;
