// SPDX-License-Identifier: BSD-3-Clause
// The deduced CPU barrier when it is misused, each time in a process of its own; NoSync in a group;
// the number of barriers of a call; noexcept.
#include <csignal>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "core_support.hpp"

using namespace core_test;

namespace
{

// Runs work() in another process. Returns what it wrote to stderr, and its wait status.
template <typename Work>
std::string in_process(const Work &work, int *status)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        alarm(60);
        work();
        _exit(0);
    }
    close(ends[1]);
    std::string text;
    char part[256];
    ssize_t length;
    while ((length = read(ends[0], part, sizeof part)) > 0) {
        text.append(part, static_cast<std::size_t>(length));
    }
    close(ends[0]);
    waitpid(child, status, 0);
    return text;
}

constexpr CooperativeLUppConfig<double> two_threads = {.rows_per_thread = 2};
using S = CooperativeLUppSolverStatic<double, 4, two_threads>;

struct Operands {
    double A[16] = {4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4, 1, 0, 0, 1, 4};
    int piv[4] = {};
    double b[4] = {1, 2, 3, 4}, x[4] = {};
    double work[S::workspace_size] = {};
};

void solve_in_group(Operands &o)
{
    run_group(S::threads_per_system, [&](int tx) {
        (void)S::solve<false, false, false>(tx, o.A, 1, o.piv, 1, o.b, o.x, 1, o.work);
    });
}

void a_workspace_without_state_stops(void **)
{
    for (int element = 0; element < 2; ++element) {
        int status = 0;
        const std::string text = in_process(
            [element] {
                Operands o;
                const std::uint32_t garbage = 0xABCD;
                std::memcpy(o.work + element, &garbage, sizeof garbage);
                solve_in_group(o);
            },
            &status);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
        assert_non_null(std::strstr(text.c_str(), "state of a barrier"));
    }
}

void a_sound_workspace_says_nothing(void **)
{
    int status = 0;
    const std::string text = in_process(
        [] {
            Operands o;
            solve_in_group(o);
            o = Operands{};
            solve_in_group(o);
        },
        &status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_string_equal(text.c_str(), "");
}

// One thread comes 2.5 seconds late: the other says so, once, and then they finish.
void a_long_wait_is_told_once(void **)
{
    int status = 0;
    const std::string text = in_process(
        [] {
            Operands o;
            run_group(2, [&](int tx) {
                if (tx == 1) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
                }
                (void)S::solve<false, false, false>(tx, o.A, 1, o.piv, 1, o.b, o.x, 1, o.work);
            });
        },
        &status);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const char *told = std::strstr(text.c_str(), "waited for a second");
    assert_non_null(told);
    assert_non_null(std::strstr(text.c_str(), "1 of 2 threads"));
    assert_null(std::strstr(told + 1, "waited for a second"));
}

void no_sync_in_a_group_stops(void **)
{
    using D = CooperativeLUppSolverDynamic<double, two_threads>;
    Operands o;
    o.A[3] = 1; // the first four elements are the matrix
    assert_true(D::solve(2, 0, o.A, 1, o.piv, 1, o.b, o.x, 1, o.work, NoSync{}));
    int status = 0;
    const std::string text = in_process(
        [] {
            Operands p;
            (void)D::solve(3, 0, p.A, 1, p.piv, 1, p.b, p.x, 1, p.work, NoSync{});
        },
        &status);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(std::strstr(text.c_str(), "NoSync"));
    assert_non_null(std::strstr(text.c_str(), "rows_per_thread"));
}

// A barrier that counts; with one thread there is nobody to wait for.
struct Counting {
    int calls = 0;
    void operator()() { ++calls; }
};

template <RowInterchange Interchange, MatrixLayout Layout>
void same_barriers_whatever_the_data(void **)
{
    constexpr int N = 6;
    constexpr CooperativeLUppConfig<double> config = {
        .rows_per_thread = N, .row_interchange = Interchange, .layout = Layout};
    using Alone = CooperativeLUppSolverStatic<double, N, config>;
    using Dynamic = CooperativeLUppSolverDynamic<double, config>;
    int solve = 0, factorize = 0, substitute = 0;
    Random random(3);
    for (const Kind kind : kinds) {
        for (int round = 0; round < 5; ++round) {
            System<double> one = make_system<double>(N, kind, random), two = one, three = one;
            std::vector<double> x(N), work(static_cast<std::size_t>(Alone::workspace_size));
            Counting of_solve, of_factorize, of_substitute, of_dynamic;
            (void)Alone::template solve<false, false, false>(0, one.matrix.data(), 1,
                                                             one.piv.data(), 1, one.rhs.data(),
                                                             x.data(), 1, work.data(), of_solve);
            (void)Alone::template factorize<false, false>(0, two.matrix.data(), 1, two.piv.data(),
                                                          1, work.data(), of_factorize);
            Alone::template substitute<false, false, false>(0, two.matrix.data(), 1, two.piv.data(),
                                                            1, two.rhs.data(), x.data(), 1,
                                                            work.data(), of_substitute);
            (void)Dynamic::solve(N, 0, three.matrix.data(), 1, three.piv.data(), 1,
                                 three.rhs.data(), x.data(), 1, work.data(), of_dynamic);
            if (solve == 0) {
                solve = of_solve.calls;
                factorize = of_factorize.calls;
                substitute = of_substitute.calls;
                assert_int_equal(factorize, 2 * N + 1);
                assert_true(substitute > N);
                assert_true(solve > factorize);
            }
            assert_int_equal(of_solve.calls, solve);
            assert_int_equal(of_factorize.calls, factorize);
            assert_int_equal(of_substitute.calls, substitute);
            assert_int_equal(of_dynamic.calls, solve);
        }
    }
}

// Each entry point is noexcept exactly if calling sync is.
struct Throwing {
    void operator()() {}
};
struct Silent {
    void operator()() const noexcept {}
};

template <typename... Sync>
constexpr bool entry_points_are_noexcept()
{
    using D = CooperativeLUppSolverDynamic<double, two_threads>;
    double *t = nullptr;
    int *p = nullptr;
    const bool all[] = {
        noexcept(S::factorize<false, false>(0, t, 1, p, 1, t, std::declval<Sync &>()...)),
        noexcept(
            S::solve<false, false, false>(0, t, 1, p, 1, t, t, 1, t, std::declval<Sync &>()...)),
        noexcept(S::solve_inplace<false, false, false>(0, t, 1, p, 1, t, 1, t,
                                                       std::declval<Sync &>()...)),
        noexcept(S::substitute<false, false, false>(0, t, 1, p, 1, t, t, 1, t,
                                                    std::declval<Sync &>()...)),
        noexcept(S::substitute_inplace<false, false, false>(0, t, 1, p, 1, t, 1, t,
                                                            std::declval<Sync &>()...)),
        noexcept(S::substitute_canonical<false, false, false>(0, t, 1, p, 1, 0, t, 1, t,
                                                              std::declval<Sync &>()...)),
        noexcept(D::factorize(4, 0, t, 1, p, 1, t, std::declval<Sync &>()...)),
        noexcept(D::solve(4, 0, t, 1, p, 1, t, t, 1, t, std::declval<Sync &>()...)),
        noexcept(D::substitute(4, 0, t, 1, p, 1, t, t, 1, t, std::declval<Sync &>()...)),
    };
    for (const bool each : all) {
        if (each != all[0]) {
            throw 0; // not a constant expression: they must agree
        }
    }
    return all[0];
}
static_assert(entry_points_are_noexcept<>());
static_assert(entry_points_are_noexcept<Silent>());
static_assert(!entry_points_are_noexcept<Throwing>());

// The type of sync can be spelled out, and a callable may be const, or not, or passed by value.
void ways_to_pass_a_barrier(void **)
{
    using Alone =
        CooperativeLUppSolverStatic<double, 4, CooperativeLUppConfig<double>{.rows_per_thread = 4}>;
    Operands o;
    double work[Alone::workspace_size] = {};
    Counting counting;
    const Silent silent;
    auto lambda = [&counting] { ++counting.calls; };
    constexpr auto none = tdls::dynamic_stride;
    assert_true((
        Alone::factorize<false, false, none, none, Counting>(0, o.A, 1, o.piv, 1, work, counting)));
    const int once = counting.calls;
    assert_true(once > 0);
    Operands p;
    assert_true((Alone::factorize<false, false>(0, p.A, 1, p.piv, 1, work, lambda)));
    assert_int_equal(counting.calls, 2 * once);
    Operands q;
    assert_true((Alone::factorize<false, false>(0, q.A, 1, q.piv, 1, work, silent)));
    Operands r;
    assert_true((Alone::factorize<false, false>(0, r.A, 1, r.piv, 1, work, Counting{})));
    Operands s;
    assert_true((Alone::factorize<false, false, none, none, NoSync>(0, s.A, 1, s.piv, 1, work)));
    for (int e = 0; e < 16; ++e) {
        assert_true(o.A[e] == p.A[e] && p.A[e] == q.A[e] && q.A[e] == r.A[e] && r.A[e] == s.A[e]);
    }
}

constexpr auto logical = RowInterchange::Logical;
constexpr auto physical = RowInterchange::Physical;
constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_workspace_without_state_stops),
        cmocka_unit_test(a_sound_workspace_says_nothing),
        cmocka_unit_test(a_long_wait_is_told_once),
        cmocka_unit_test(no_sync_in_a_group_stops),
        cmocka_unit_test(ways_to_pass_a_barrier),
        {"barriers, logical, row-major", same_barriers_whatever_the_data<logical, row_major>,
         nullptr, nullptr, nullptr},
        {"barriers, logical, column-major", same_barriers_whatever_the_data<logical, col_major>,
         nullptr, nullptr, nullptr},
        {"barriers, physical, row-major", same_barriers_whatever_the_data<physical, row_major>,
         nullptr, nullptr, nullptr},
        {"barriers, physical, column-major", same_barriers_whatever_the_data<physical, col_major>,
         nullptr, nullptr, nullptr},
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("barrier", tests, nullptr, nullptr);
}
