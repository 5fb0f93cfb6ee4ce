// SPDX-License-Identifier: BSD-3-Clause
// expect: CooperativeLUppSolverStatic: Config.rows_per_thread
#include <tdls/tdls.hpp>
using namespace tdls;
constexpr CooperativeLUppConfig<double> config = {.rows_per_thread = 0};
int size = CooperativeLUppSolverStatic<double, 4, config>::workspace_size;
