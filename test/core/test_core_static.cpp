// SPDX-License-Identifier: BSD-3-Clause
// The static solver: TDLS_TEST_INTERCHANGE and TDLS_TEST_LAYOUT say in which scheme and layout.
#include "static_ways.hpp"

using namespace core_test;

namespace
{

template <typename T>
constexpr CooperativeLUppConfig<T> config_of(int rows, T threshold = 1,
                                             T floor = std::numeric_limits<T>::min())
{
    return {.rows_per_thread = rows,
            .row_interchange = RowInterchange::TDLS_TEST_INTERCHANGE,
            .relative_pivot_threshold = threshold,
            .singular_floor = floor,
            .layout = MatrixLayout::TDLS_TEST_LAYOUT};
}

// Sizes by the formulas of the specification.
template <typename T, int N, int R>
void check_sizes()
{
    using S = CooperativeLUppSolverStatic<T, N, config_of<T>(R)>;
    constexpr int rows = R < N ? R : N, threads = (N + rows - 1) / rows;
    static_assert(S::rows_per_thread == rows && S::threads_per_system == threads);
    constexpr bool logical = config_of<T>(R).row_interchange == RowInterchange::Logical;
    static_assert(S::workspace_size == 2 + (logical ? 3 * N : 2 * N + 2 * threads + 5));
}

template <typename T, int N, auto Config, bool All>
void check_all_ways(int rounds)
{
    Random random(static_cast<std::uint64_t>(N) * 100 + Config.rows_per_thread);
    for (int round = 0; round < rounds; ++round) {
        for (const Kind kind : kinds) {
            const System<T> in = make_system<T>(N, kind, random);
            const System<T> expected = expected_outcome(in, Config);
            check_residencies<T, N, Config, All>(in, expected);
            check_entry_points<T, N, Config>(in, expected);
        }
    }
}

template <typename T, int N, int R, bool All>
void all_ways(void **)
{
    check_sizes<T, N, R>();
    check_all_ways<T, N, config_of<T>(R), All>(N < 10 ? 5 : 1);
}

template <typename T, int N, int R>
void relaxed(void **)
{
    check_all_ways<T, N, config_of<T>(R, T(0.3), T(1e-3)), false>(3);
}

// Every order, one way each, with rows per thread that differ: odd counts and phantom rows.
template <int N>
void check_order()
{
    constexpr int R = N % 3 == 0 ? N : N % 5 + 1;
    check_sizes<double, N, R>();
    Random random(N);
    for (const Kind kind : {Kind::Random, Kind::Ties}) {
        const System<double> in = make_system<double>(N, kind, random);
        check_call<double, N, config_of<double>(R), N % 2 == 0, N % 3 == 0, N % 4 < 2, N % 5 < 3>(
            in, expected_outcome(in, config_of<double>(R)));
    }
}

template <int... Ns>
void check_orders(std::integer_sequence<int, Ns...>)
{
    // Odd orders here, even ones in the other layout.
    constexpr int first = config_of<double>(1).layout == MatrixLayout::RowMajor ? 1 : 2;
    (check_order<2 * Ns + first>(), ...);
}

void orders_1_to_40(void **)
{
    check_orders(std::make_integer_sequence<int, 20>{});
}

// clang-format off
#define CASE(T, N, R, All) {#T ", N = " #N ", R = " #R, all_ways<T, N, R, All>, nullptr, nullptr, nullptr}
#define RELAXED(T, N, R) {#T ", N = " #N ", R = " #R ", threshold and floor", relaxed<T, N, R>, nullptr, nullptr, nullptr}
// clang-format on
using long_double = long double;

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        CASE(double, 1, 1, false),
        CASE(double, 2, 1, false),
        CASE(double, 3, 2, true),
        CASE(float, 4, 1, true),
        CASE(double, 5, 2, true),
        CASE(float, 7, 3, true),
        CASE(double, 8, 8, true),
        CASE(double, 9, 4, false),
        CASE(float, 16, 5, false),
        CASE(long_double, 6, 4, false),
        CASE(long_double, 3, 3, false),
        CASE(double, 17, 100, false),
        RELAXED(double, 6, 2),
        RELAXED(float, 9, 9),
        cmocka_unit_test(orders_1_to_40),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("static", tests, nullptr, nullptr);
}
