// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: Config.relative_pivot_threshold
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<float> config = {.relative_pivot_threshold = 1.5F};
int size = CooperativeLUppSolverStatic<float, 4, config>::workspace_size;
