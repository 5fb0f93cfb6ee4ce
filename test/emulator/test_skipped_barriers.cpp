// SPDX-License-Identifier: BSD-3-Clause
// Each barrier of the kernels is needed, and the emulated device finds it if it is missing: the
// kernels run on threads that leave out one of their barriers, and must come to other results in
// at least one order of the lanes (white box).
#include <algorithm>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

extern "C" {
#include <cmocka.h>
}
#include <sys/wait.h>
#include <unistd.h>

#include "block_kernels.hpp"
#include "emulator.hpp"
#include "register_kernels.hpp"

namespace
{

using Device = tdls::gpu::EmulatedRuntime;
using tdls::Batch;

const char *const orders[] = {"ascending", "descending", "random:1",
                              "random:2",  "random:3",   "random:4"};

// A thread that leaves out the barrier at a place: all passes by that call.
class Careless
{
public:
    // Places are told apart by the number of barriers before them, counted modulo `period`.
    Careless(const tdls::emulator::Thread &thread, int left_out)
        : thread_(thread), left_out_(left_out)
    {
    }
    int thread() const { return thread_.thread(); }
    int threads() const { return thread_.threads(); }
    std::int64_t block() const { return thread_.block(); }
    std::int64_t blocks() const { return thread_.blocks(); }
    int warp_width() const { return thread_.warp_width(); }
    void *shared() const { return thread_.shared(); }
    void block_barrier() const
    {
        if (passed_++ != left_out_) {
            thread_.block_barrier();
        }
    }
    void warp_barrier() const
    {
        if (passed_++ != left_out_) {
            thread_.warp_barrier();
        }
    }
    template <typename T>
    T shuffle(T value, int lane) const
    {
        return thread_.shuffle(value, lane);
    }
    std::uint64_t ballot(bool flag) const { return thread_.ballot(flag); }

    int passed() const { return passed_; }

private:
    const tdls::emulator::Thread &thread_;
    int left_out_;
    mutable int passed_ = 0;
};

template <typename Kernel>
struct WithoutBarrier {
    Kernel kernel;
    int left_out;
    int *passed;
    static constexpr int max_threads = Kernel::max_threads;

    template <typename Thread>
    TDLS_HOST_DEVICE void operator()(const Thread &thread) const
    {
        const Careless careless(thread, left_out);
        kernel(careless);
        if (thread.thread() == 0) {
            *passed = careless.passed();
        }
    }
};

void must(int error)
{
    if (error != Device::success) {
        std::fprintf(stderr, "%s\n", Device::text(error));
        _exit(3);
    }
}

template <typename E>
E *on_device(const std::vector<E> &host)
{
    void *memory = nullptr;
    must(Device::allocate(&memory, host.size() * sizeof(E)));
    must(Device::copy(memory, host.data(), host.size() * sizeof(E), nullptr));
    must(Device::synchronize(nullptr));
    return static_cast<E *>(memory);
}

template <typename E>
std::vector<E> on_host(const E *device, std::size_t count)
{
    std::vector<E> host(count);
    must(Device::copy(host.data(), device, count * sizeof(E), nullptr));
    must(Device::synchronize(nullptr));
    return host;
}

struct Results {
    std::vector<double> a, b;
    std::vector<std::int32_t> swaps, info;
    int passed;
};

struct Problem {
    int n;
    int nrhs;
    std::int64_t count;
    bool transposed;
    std::int64_t singular; // a system that is, beside the last one
};

constexpr std::int64_t padding = 3; // so that no run of systems is one piece of memory

// Runs a kernel on random systems, or on what was factored before, with a barrier left out (-1:
// none). make(batch) gives the kernel. False: the device found a mistake.
template <typename Make>
bool run(const Problem &problem, const Results &given, int threads, std::size_t shared,
         const Make &make, int left_out, Results &results)
{
    const std::int64_t n = problem.n;
    double *a = on_device(given.a);
    double *b = on_device(given.b);
    std::int32_t *swaps = on_device(given.swaps);
    std::int32_t *info = on_device(given.info);
    int *passed = on_device(std::vector<int>(1));
    Batch<double> batch = {};
    batch.count = problem.count;
    batch.n = problem.n;
    batch.nrhs = problem.nrhs;
    batch.transposed = problem.transposed;
    batch.keep = true;
    batch.pivot_threshold = 1;
    batch.a = {a, nullptr, n * n + padding, 1};
    batch.lda = n;
    batch.swaps = {swaps, nullptr, n + padding, 1};
    batch.b = {b, nullptr, n * problem.nrhs + padding, 1};
    batch.b_row_stride = 1;
    batch.b_column_stride = n;
    batch.info = info;
    const auto kernel = make(batch);
    const WithoutBarrier<std::remove_const_t<decltype(kernel)>> careless = {kernel, left_out,
                                                                            passed};
    must(Device::launch(careless, 1, threads, shared, nullptr));
    if (Device::synchronize(nullptr) != Device::success) {
        return false;
    }
    results = {on_host(a, given.a.size()), on_host(b, given.b.size()),
               on_host(swaps, given.swaps.size()), on_host(info, given.info.size()),
               on_host(passed, 1)[0]};
    return true;
}

template <typename E>
bool same(const std::vector<E> &x, const std::vector<E> &y)
{
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(E)) == 0;
}

// In a process of its own, since a kernel that went wrong may touch any memory.
template <typename Make>
bool is_found(const Problem &problem, const Results &given, const Results &expected, int threads,
              std::size_t shared, const Make &make, int left_out, const char *order)
{
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        tdls_emulator_set_order(order);
        Results results = {};
        const bool ended = run(problem, given, threads, shared, make, left_out, results);
        _exit(ended && same(results.a, expected.a) && same(results.b, expected.b) &&
                      same(results.swaps, expected.swaps) && same(results.info, expected.info)
                  ? 0
                  : 1);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fail_msg("no child process");
    }
    return !WIFEXITED(status) || WEXITSTATUS(status) == 1;
}

// Leaves out each barrier of the kernel in turn, but those that are known not to be needed.
template <typename Make>
void every_barrier_is_needed(const Problem &problem, Results given, int threads, std::size_t shared,
                             const Make &make, std::initializer_list<int> needless)
{
    Results expected = {};
    assert_true(run(problem, given, threads, shared, make, -1, expected));
    assert_true(expected.passed > 0);
    int missed = 0;
    for (int barrier = 0; barrier < expected.passed; ++barrier) {
        bool found = std::find(needless.begin(), needless.end(), barrier) != needless.end();
        for (const char *order : orders) {
            found =
                found || is_found(problem, given, expected, threads, shared, make, barrier, order);
        }
        if (!found) {
            ++missed;
            print_message("barrier %d of %d was not missed\n", barrier, expected.passed);
        }
    }
    assert_int_equal(missed, 0);
}

Results random_systems(const Problem &problem)
{
    const std::int64_t n = problem.n;
    const auto count = static_cast<std::size_t>(problem.count);
    Results given = {
        std::vector<double>(count * static_cast<std::size_t>(n * n + padding)),
        std::vector<double>(count * static_cast<std::size_t>(n * problem.nrhs + padding)),
        std::vector<std::int32_t>(count * static_cast<std::size_t>(n + padding), 1),
        std::vector<std::int32_t>(count), 0};
    std::uint64_t state = 20261202;
    for (std::vector<double> *array : {&given.a, &given.b}) {
        for (double &value : *array) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            value = static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
        }
    }
    // The last pivot decides only of singular systems, of which there is one in each run.
    for (const std::int64_t s : {problem.singular, problem.count - 1}) {
        double *last_column = given.a.data() + s * (n * n + padding) + n * (n - 1);
        for (std::int64_t i = 0; i < n; ++i) {
            last_column[i] = 0;
        }
    }
    return given;
}

constexpr tdls::detail::PivotRule<double> rule = {1, 1e-300};

constexpr int order = 5;
constexpr int rows = 2; // groups of three threads, with a phantom row and lanes to spare
using Solve = tdls::gpu::Solve<double, order, rows>;
using FactorAndSolve = tdls::gpu::FactorAndSolve<double, order, rows>;

// More than one run of the block, so that what the next one overwrites is seen.
constexpr std::int64_t two_runs = 2 * Solve::Sizes::slots(tdls::emulator::width) - 1;

// The last column's pivot row is shared as that of the others, though nobody reads it any more:
// barriers 13 of 25 and 11 of 40. Where a block is one warp, the substitutions separate the
// transfer behind which barrier 17 is from the next.
void solve(void **)
{
    const Problem problem = {order, 1, two_runs, false, 0};
    every_barrier_is_needed(
        problem, random_systems(problem), tdls::gpu::block_threads,
        Solve::shared_bytes(tdls::emulator::width),
        [](const Batch<double> &batch) {
            return Solve{{batch, rule}};
        },
        tdls::emulator::width < tdls::gpu::block_threads
            ? std::initializer_list<int>{13, 25 + 13, 49}
            : std::initializer_list<int>{13, 17, 25 + 13, 25 + 17, 49});
}

void factor_and_solve(void **)
{
    const Problem problem = {order, 2, two_runs, true, 0};
    every_barrier_is_needed(problem, random_systems(problem), tdls::gpu::block_threads,
                            FactorAndSolve::shared_bytes(tdls::emulator::width),
                            [](const Batch<double> &batch) {
                                return FactorAndSolve{{batch, rule}, false};
                            },
                            {11, 40 + 11, 79});
}

// One sound system, and a singular one, which has no solution. Of the first also the last pivot is
// not missed; the barriers behind a transfer are not where each thread goes on with what it copied
// itself; and between the last entry of x and its transfer there are two.
void in_a_block(void **)
{
    constexpr int n = tdls::emulator::width + 3;
    const Problem problem = {n, 1, 2, false, 1};
    const std::size_t shared = tdls::gpu::BlockSolve<double>::vectors_bytes(n) +
                               tdls::gpu::BlockSolve<double>::matrix_bytes(n);
    constexpr int last_pivot = 2 + 2 * (n - 1);
    constexpr int sound = 2 + 2 * n + 2 + 2 + 2 + 1 + (n - 1) + n + 2;
    every_barrier_is_needed(
        problem, random_systems(problem), 2 * tdls::emulator::width, shared,
        [](const Batch<double> &batch) {
            return tdls::gpu::BlockSolve<double>{batch, rule, false, true, nullptr};
        },
        {1, last_pivot, last_pivot + 1, last_pivot + 7, sound - 3, sound - 2, sound + 1,
         sound + last_pivot + 1, sound + last_pivot + 5});
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(solve),
        cmocka_unit_test(factor_and_solve),
        cmocka_unit_test(in_a_block),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("skipped_barriers", tests, nullptr, nullptr);
}
