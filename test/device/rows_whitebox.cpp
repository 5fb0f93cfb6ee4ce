// SPDX-License-Identifier: BSD-3-Clause
// White box: prints the orders for which the GPU backend has more than one number of rows per
// thread compiled, as lines "TYPE ORDER ROWS...", the tuned number first. device_bench --rows reads
// them.
#include <cstdio>
#include <utility>

#include "../../backends/gpu/rows_per_thread.hpp"

namespace
{

// Orders that are solved in registers; Meson's build of this file says if it is no longer true.
constexpr int orders = 32;
#ifdef TDLS_REGISTER_ORDERS
static_assert(orders == TDLS_REGISTER_ORDERS);
#endif

template <int... rows>
void print(const char *type, int n, std::integer_sequence<int, rows...>)
{
    if (sizeof...(rows) > 1) {
        std::printf("%s %d", type, n);
        (std::printf(" %d", rows), ...);
        std::printf("\n");
    }
}

template <typename T, int... before>
void print_all(const char *type, std::integer_sequence<int, before...>)
{
    (print(type, before + 1, tdls::gpu::rows_choices<T, before + 1>()), ...);
}

} // namespace

int main()
{
    print_all<double>("double", std::make_integer_sequence<int, orders>());
    print_all<float>("float", std::make_integer_sequence<int, orders>());
    return 0;
}
