// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverDynamic: Config.relative_pivot_threshold
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.relative_pivot_threshold = -0.5};
int size = CooperativeLUppSolverDynamic<double, config>::workspace_size(4);
