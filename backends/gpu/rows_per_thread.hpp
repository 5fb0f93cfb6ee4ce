// SPDX-License-Identifier: BSD-3-Clause
// How many rows of a system a thread holds: what is compiled for each order, the tuned choice
// first.
//
// The kernels are bound by instructions. Counted in machine code for sm_90, those of a thread are
// about a(N) * (1 + R): half of what a thread does for one row does not depend on how many it
// holds. A warp has floor(32 / ceil(N / R)) systems, so R minimizes (1 + R) / floor(32 / ceil(N /
// R)), as far as registers go. Those are about N*R words of the type, 12*R for positions and
// candidates, and 30. What was counted (double): 8 rows of 4 128 registers, 10 of 5 168, 12 of 6
// 240, 16 of 4 202, 24 of 3 222, 32 of 2 176. Above 224 there are so few warps that nothing hides
// the latencies.
#pragma once

#include <utility>

namespace tdls
{
namespace gpu
{

template <typename T>
constexpr int tuned_rows(int n, int most_registers)
{
    constexpr int words = static_cast<int>(sizeof(T)) / 4;
    int best = 1;
    int best_systems = 32 / n;
    for (int rows = 2; rows <= n; ++rows) {
        const int registers = words * n * rows + 12 * rows + 30;
        const int systems = 32 / ((n + rows - 1) / rows);
        if (registers <= most_registers && (1 + rows) * best_systems < (1 + best) * systems) {
            best = rows;
            best_systems = systems;
        }
    }
    return best;
}

template <typename T, int N>
constexpr auto rows_choices()
{
    constexpr int tuned = tuned_rows<T>(N, sizeof(T) == sizeof(double) ? 224 : 168);
    // One row a thread beside it at two orders, to measure what the choice is worth.
    if constexpr (N == 4 || N == 8) {
        return std::integer_sequence<int, tuned, 1>{};
    } else {
        return std::integer_sequence<int, tuned>{};
    }
}

// The same for the kernel of any number of right-hand sides, which takes more registers beside its
// rows: at order 24 with 3 rows, in double, it has none left. At most so many as the other's.
template <typename T, int N, int Rows>
constexpr int rows_with_sides()
{
    constexpr int tuned = tuned_rows<T>(N, sizeof(T) == sizeof(double) ? 208 : 168);
    return tuned < Rows ? tuned : Rows;
}

} // namespace gpu
} // namespace tdls
