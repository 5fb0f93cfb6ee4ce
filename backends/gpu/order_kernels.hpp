// SPDX-License-Identifier: BSD-3-Clause
// The register kernels of one order as the launch layer sees them. A kernel can only be launched by
// the object that instantiates it, so each order is an object of its own, of order.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend.hpp"
#include "device_facts.hpp"

namespace tdls
{
namespace gpu
{

// The kernels of an order for some number of rows per thread; what they return is an error of the
// runtime.
template <typename Runtime, typename T>
struct RegisterKernels {
    using Launch = typename Runtime::Error (*)(const Batch<T> &batch, const DeviceFacts &facts,
                                               typename Runtime::Stream stream);
    int rows_per_thread;
    Launch factor; // and solve, if there are right-hand sides
    Launch solve_with_factors;
};

// The first is the tuned one; unused entries have 0 rows.
constexpr int most_choices = 2;

template <typename Runtime>
struct OrderKernels {
    RegisterKernels<Runtime, float> single_precision[most_choices];
    RegisterKernels<Runtime, double> double_precision[most_choices];
};

template <typename T, typename Runtime>
const RegisterKernels<Runtime, T> (&kernels_of(const OrderKernels<Runtime> &order))[most_choices]
{
    if constexpr (sizeof(T) == sizeof(float)) {
        return order.single_precision;
    } else {
        return order.double_precision;
    }
}

// Blocks enough for `count` systems, `slots` a block. Beyond the largest grid blocks do several
// runs of systems, one after the other.
template <typename Runtime>
constexpr std::int64_t blocks_for(std::int64_t count, std::int64_t slots)
{
    return std::min((count - 1) / slots + 1, Runtime::largest_grid);
}

} // namespace gpu
} // namespace tdls
