// SPDX-License-Identifier: BSD-3-Clause
// Where a system of a batch begins.
#pragma once

#include "backend.hpp"

namespace tdls
{
namespace cpu
{
namespace
{

template <typename E>
inline E *start_of(const BatchView<E> &view, std::int64_t s)
{
    return view.systems != nullptr ? view.systems[s]
                                   : view.base + (s / view.width) * view.block + s % view.width;
}

} // namespace
} // namespace cpu
} // namespace tdls
