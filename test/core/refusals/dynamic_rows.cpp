// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverDynamic: Config.rows_per_thread
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.rows_per_thread = -1};
int size = CooperativeLUppSolverDynamic<double, config>::workspace_size(4);
