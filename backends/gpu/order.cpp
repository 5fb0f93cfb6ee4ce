// SPDX-License-Identifier: BSD-3-Clause
// The register kernels of order TDLS_N for the runtime of TDLS_GPU_RUNTIME_HEADER.

#include TDLS_GPU_RUNTIME_HEADER

#include "order_kernels.hpp"
#include "pivot_rule.hpp"
#include "register_kernels.hpp"
#include "rows_per_thread.hpp"

namespace tdls
{
namespace gpu
{

namespace
{

using Runtime = TDLS_GPU_RUNTIME;

template <typename Kernel, typename T>
Runtime::Error launch(const Kernel &kernel, const Batch<T> &batch, const DeviceFacts &facts,
                      Runtime::Stream stream)
{
    const int slots = Kernel::Sizes::slots(facts.warp_width);
    return Runtime::launch(kernel, blocks_for<Runtime>(batch.count, slots), block_threads,
                           Kernel::shared_bytes(facts.warp_width), stream);
}

template <typename T, int R>
using WithSides = FactorAndSolve<T, TDLS_N, rows_with_sides<T, TDLS_N, R>()>;

template <typename T, int R>
Runtime::Error factor(const Batch<T> &batch, const DeviceFacts &facts, Runtime::Stream stream)
{
    if (batch.nrhs == 0 || (batch.nrhs == 1 && !batch.transposed)) {
        return launch(Solve<T, TDLS_N, R>{{batch, pivot_rule(batch)}}, batch, facts, stream);
    }
    return launch(WithSides<T, R>{{batch, pivot_rule(batch)}, false}, batch, facts, stream);
}

template <typename T, int R>
Runtime::Error solve_with_factors(const Batch<T> &batch, const DeviceFacts &facts,
                                  Runtime::Stream stream)
{
    return launch(WithSides<T, R>{{batch, pivot_rule(batch)}, true}, batch, facts, stream);
}

template <typename T, int... Rs>
constexpr void enter(RegisterKernels<Runtime, T> (&kernels)[most_choices],
                     std::integer_sequence<int, Rs...>)
{
    static_assert(sizeof...(Rs) <= most_choices);
    int i = 0;
    ((kernels[i++] = {Rs, factor<T, Rs>, solve_with_factors<T, Rs>}), ...);
}

constexpr OrderKernels<Runtime> all_kernels()
{
    OrderKernels<Runtime> order = {};
    enter(order.single_precision, rows_choices<float, TDLS_N>());
    enter(order.double_precision, rows_choices<double, TDLS_N>());
    return order;
}

} // namespace

#define TDLS_JOIN(a, b) a##b
#define TDLS_ORDER_NAME(n) TDLS_JOIN(order_, n)
const OrderKernels<Runtime> &TDLS_ORDER_NAME(TDLS_N)();
// A function, since HIP takes a constant for the device's as well.
const OrderKernels<Runtime> &TDLS_ORDER_NAME(TDLS_N)()
{
    static constexpr OrderKernels<Runtime> kernels = all_kernels();
    return kernels;
}

} // namespace gpu
} // namespace tdls
