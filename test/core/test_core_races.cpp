// SPDX-License-Identifier: BSD-3-Clause
// Groups of 2 to 8 threads that are not in lockstep, in every entry point, one call right after the
// other on the same workspace, with the deduced barrier and an own one. Built with ThreadSanitizer,
// which ends the program at a race; the answers are checked as well.
#include <barrier>

#include "core_support.hpp"

using namespace core_test;

namespace
{

template <typename T, int N, RowInterchange Interchange, MatrixLayout Layout, int R>
void races(void **)
{
    constexpr CooperativeLUppConfig<T> config = {
        .rows_per_thread = R, .row_interchange = Interchange, .layout = Layout};
    using S = CooperativeLUppSolverStatic<T, N, config>;
    using D = CooperativeLUppSolverDynamic<T, config>;
    static_assert(S::threads_per_system >= 2 && S::threads_per_system <= 8);
    Random random(N + R);
    for (const Kind kind : kinds) {
        const System<T> in = make_system<T>(N, kind, random);
        const System<T> expected = expected_outcome(in, config);
        for (int own_barrier = 0; own_barrier <= 1; ++own_barrier) {
            System<T> one = in, two = in, three = in, four = in;
            std::vector<T> x(N), y(in.rhs), z(N), by_static(N), canonical(N);
            std::vector<T> work(static_cast<std::size_t>(S::workspace_size));
            std::vector<T> read(N);
            std::barrier<> barrier(S::threads_per_system);
            Verdicts verdicts(S::threads_per_system);
            std::vector<T> seen(static_cast<std::size_t>(S::threads_per_system));
            const auto use = [&](int tx, auto &...sync) {
                // What the next thread of the group wrote is visible on return, of every call.
                const auto look = [&](const auto &results) {
                    const auto next = static_cast<std::size_t>((tx + 1) % S::threads_per_system);
                    seen[static_cast<std::size_t>(tx)] += static_cast<T>(results[next]);
                };
                bool sound = S::template solve<false, false, false>(
                    tx, one.matrix.data(), 1, one.piv.data(), 1, in.rhs.data(), x.data(), 1,
                    work.data(), sync...);
                // Results are visible on return, and the workspace is free: read what others wrote,
                // and let the next call have it at once.
                for (int i = tx; i < N; i += S::threads_per_system) {
                    read[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(N - 1 - i)];
                }
                sound &= S::template solve_inplace<false, false, false, 1, 1, 1>(
                    tx, two.matrix.data(), 1, two.piv.data(), 1, two.rhs.data(), 1, work.data(),
                    sync...);
                look(two.matrix);
                look(two.piv);
                look(two.rhs);
                S::template substitute<false, false, false>(
                    tx, two.matrix.data(), 1, two.piv.data(), 1, in.rhs.data(), by_static.data(), 1,
                    work.data(), sync...);
                look(by_static);
                sound &= D::factorize(N, tx, three.matrix.data(), 1, three.piv.data(), 1,
                                      work.data(), sync...);
                look(three.matrix);
                look(three.piv);
                D::substitute_inplace(N, tx, three.matrix.data(), 1, three.piv.data(), 1,
                                      three.rhs.data(), 1, work.data(), sync...);
                look(three.rhs);
                D::substitute_canonical(N, tx, three.matrix.data(), 1, three.piv.data(), 1, 0,
                                        canonical.data(), 1, work.data(), sync...);
                look(canonical);
                D::substitute(N, tx, three.matrix.data(), 1, three.piv.data(), 1, y.data(),
                              z.data(), 1, work.data(), sync...);
                look(z);
                sound &= D::solve_inplace(N, tx, four.matrix.data(), 1, four.piv.data(), 1,
                                          four.rhs.data(), 1, work.data(), sync...);
                look(four.rhs);
                verdicts.give(tx, sound);
            };
            run_group(S::threads_per_system, [&](int tx) {
                auto own = [&barrier] { barrier.arrive_and_wait(); };
                if (own_barrier == 1) {
                    use(tx, own);
                } else {
                    use(tx);
                }
            });
            one.sound = two.sound = three.sound = four.sound = verdicts.agreed();
            one.rhs = x;
            assert_outcome(one, expected, true, "solve");
            assert_outcome(two, expected, true, "solve_inplace");
            assert_outcome(three, expected, true, "substitute_inplace");
            assert_outcome(four, expected, true, "solve_inplace, dynamic");
            if (expected.sound) {
                assert_true(same(z, expected.rhs) && same(by_static, expected.rhs));
                for (std::size_t i = 0; i < N; ++i) {
                    assert_true(same(read[i], x[N - 1 - i]));
                }
            }
        }
    }
}

constexpr auto logical = RowInterchange::Logical;
constexpr auto physical = RowInterchange::Physical;
constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;

// clang-format off
#define CASE(T, N, I, L, R) {#T ", N = " #N ", " #I ", " #L ", R = " #R, races<T, N, I, L, R>, nullptr, nullptr, nullptr}
// clang-format on
#define CASES(T, N, R)                                                                             \
    CASE(T, N, logical, row_major, R), CASE(T, N, logical, col_major, R),                          \
        CASE(T, N, physical, row_major, R), CASE(T, N, physical, col_major, R)

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        CASES(double, 2, 1), CASES(float, 3, 1),   CASES(double, 7, 2),  CASES(float, 5, 1),
        CASES(double, 6, 1), CASES(double, 13, 2), CASES(double, 16, 2),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("races", tests, nullptr, nullptr);
}
