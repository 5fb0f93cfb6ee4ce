// SPDX-License-Identifier: BSD-3-Clause
// The dynamic solver in every way of calling it, against the expected outcome, for n = 1 .. 40.
#include <barrier>
#include <climits>

#include "core_support.hpp"

using namespace core_test;

namespace
{

template <typename T, auto Config>
void check_order(int n, Kind kind, Random &random)
{
    using D = CooperativeLUppSolverDynamic<T, Config>;
    const int threads = D::threads_per_system(n);
    const int rows = Config.rows_per_thread < n ? Config.rows_per_thread : n;
    assert_int_equal(threads, (n + rows - 1) / rows);
    assert_int_equal(D::workspace_size(n), Config.row_interchange == RowInterchange::Logical
                                               ? 2 + 3 * n
                                               : 2 + 2 * n + 2 * threads + 5);
    const System<T> in = make_system<T>(n, kind, random);
    const System<T> expected = expected_outcome(in, Config);
    std::vector<T> work(static_cast<std::size_t>(D::workspace_size(n)));
    for (int way = 0; way < 4; ++way) {
        Spread<T> matrix(in.matrix, 3), b(in.rhs, 2), x(in.rhs, 2);
        Spread<int> piv(in.piv, 4);
        std::vector<T> canonical(in.rhs.size()), unit(in.rhs.size());
        unit[in.rhs.size() / 2] = T(1);
        std::barrier<> barrier(threads);
        Verdicts verdicts(threads);
        run_group(threads, [&](int tx) {
            T *const a = matrix.data();
            int *const p = piv.data();
            auto own = [&barrier] { barrier.arrive_and_wait(); };
            switch (way) {
            case 0:
                verdicts.give(tx, D::solve(n, tx, a, 3, p, 4, b.data(), x.data(), 2, work.data()));
                break;
            case 1:
                verdicts.give(tx, D::template solve_inplace<3, 4, 2>(n, tx, a, -1, p, -1, x.data(),
                                                                     -1, work.data(), own));
                break;
            case 2:
                verdicts.give(tx, D::template factorize<3, 4>(n, tx, a, -1, p, -1, work.data()));
                D::substitute(n, tx, a, 3, p, 4, b.data(), x.data(), 2, work.data());
                break;
            default: {
                auto made = D::make_sync(n, work.data());
                verdicts.give(tx, D::factorize(n, tx, a, 3, p, 4, work.data(), made));
                D::substitute_canonical(n, tx, a, 3, p, 4, n / 2, canonical.data(), 1, work.data());
                D::substitute_inplace(n, tx, a, 3, p, 4, unit.data(), 1, work.data());
                D::substitute_inplace(n, tx, a, 3, p, 4, x.data(), 2, work.data(), made);
            }
            }
        });
        System<T> got(n);
        got.sound = verdicts.agreed();
        got.matrix = matrix.gather();
        got.piv = piv.gather();
        got.rhs = x.gather();
        static const char *const names[] = {"solve", "solve_inplace", "factorize and substitute",
                                            "substitute_inplace"};
        assert_outcome(got, expected, true, names[way]);
        if (way == 3 && expected.sound && !same(canonical, unit)) {
            fail_msg("substitute_canonical, n = %d", n);
        }
        if (way < 3 && !same(b.gather(), in.rhs)) {
            fail_msg("b was written");
        }
    }
}

template <typename T, RowInterchange Interchange, MatrixLayout Layout, int R, bool Relaxed>
void orders(void **)
{
    constexpr CooperativeLUppConfig<T> config = {
        .rows_per_thread = R,
        .row_interchange = Interchange,
        .relative_pivot_threshold = Relaxed ? T(0.3) : T(1),
        .singular_floor = Relaxed ? T(1e-3) : std::numeric_limits<T>::min(),
        .layout = Layout};
    Random random(R);
    // Groups of many threads take long on few processors: fewer of them.
    for (int n = 1; n <= 40; n += R < 3 && n > 8 ? 8 : 1) {
        for (const Kind kind : kinds) {
            check_order<T, config>(n, kind, random);
        }
    }
}

constexpr auto logical = RowInterchange::Logical;
constexpr auto physical = RowInterchange::Physical;
constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;
using long_double = long double;

// clang-format off
#define CASE(T, I, L, R, X) {#T ", " #I ", " #L ", " #R ", " #X, orders<T, I, L, R, X>, nullptr, nullptr, nullptr}
// clang-format on
#define CASES(R)                                                                                   \
    CASE(double, logical, row_major, R, false), CASE(double, logical, col_major, R, false),        \
        CASE(double, physical, row_major, R, false), CASE(double, physical, col_major, R, false)

// No order, nothing to do; and one thread for any order, without an overflow.
void extremes(void **)
{
    using D = CooperativeLUppSolverDynamic<double, CooperativeLUppConfig<double>{.rows_per_thread =
                                                                                     INT_MAX}>;
    assert_int_equal(D::threads_per_system(1), 1);
    assert_int_equal(D::threads_per_system(INT_MAX), 1);
    assert_int_equal(D::threads_per_system(0), 0);
    double work[2] = {};
    assert_true(D::solve(0, 0, nullptr, 1, nullptr, 1, nullptr, nullptr, 1, work));
    constexpr int n = 300;
    Random random(7);
    const System<double> in = make_system<double>(n, Kind::Random, random);
    constexpr CooperativeLUppConfig<double> config = {.rows_per_thread = INT_MAX};
    const System<double> expected = expected_outcome(in, config);
    System<double> got = in;
    std::vector<double> space(static_cast<std::size_t>(D::workspace_size(n)));
    got.sound = D::solve_inplace(n, 0, got.matrix.data(), 1, got.piv.data(), 1, got.rhs.data(), 1,
                                 space.data(), NoSync{});
    assert_outcome(got, expected, true, "one thread");
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        CASES(1),
        CASES(2),
        CASES(3),
        CASES(8),
        CASES(INT_MAX),
        CASE(float, logical, row_major, 4, false),
        CASE(float, physical, col_major, 7, true),
        CASE(double, logical, col_major, 5, true),
        CASE(double, physical, row_major, INT_MAX, true),
        CASE(long_double, logical, row_major, 8, false),
        CASE(long_double, physical, row_major, INT_MAX, false),
        cmocka_unit_test(extremes),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("dynamic", tests, nullptr, nullptr);
}
