// SPDX-License-Identifier: BSD-3-Clause
/// @file tdls.hpp
/// @brief The whole C++ core. doc/core.md shows it at work.
#pragma once

/// @defgroup tdls_core The C++ core
/// Header-only, C++20: one system solved by a group of threads, inside the caller's own kernel,
/// OpenMP region or thread pool. `#include <tdls/tdls.hpp>`

/// @namespace tdls
/// @brief The C++ core.

#include <tdls/core/group.hpp>
#include <tdls/core/macros.hpp>
#include <tdls/core/math.hpp>
#include <tdls/core/target.hpp>
#include <tdls/solvers/cooperative_lupp/config.hpp>
#include <tdls/solvers/cooperative_lupp/solver_dynamic.hpp>
#include <tdls/solvers/cooperative_lupp/solver_static.hpp>
