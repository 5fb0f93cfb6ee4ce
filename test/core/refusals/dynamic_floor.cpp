// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverDynamic: Config.singular_floor
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<float> config = {.singular_floor = 1e-40F};
int size = CooperativeLUppSolverDynamic<float, config>::workspace_size(4);
