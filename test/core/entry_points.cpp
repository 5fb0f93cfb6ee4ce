// SPDX-License-Identifier: BSD-3-Clause
#include "entry_points.hpp"
