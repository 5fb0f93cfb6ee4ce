// SPDX-License-Identifier: BSD-3-Clause
// The numerical settings of a batch in its scalar type.
#pragma once

#include <limits>

#include <tdls/solvers/cooperative_lupp/elimination.hpp>

#include "backend.hpp"

namespace tdls
{
namespace gpu
{

template <typename T>
detail::PivotRule<T> pivot_rule(const Batch<T> &batch)
{
    const T least = std::numeric_limits<T>::min();
    const T floor = static_cast<T>(batch.singular_floor);
    return {static_cast<T>(batch.pivot_threshold), floor > least ? floor : least};
}

} // namespace gpu
} // namespace tdls
