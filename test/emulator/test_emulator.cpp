// SPDX-License-Identifier: BSD-3-Clause
// The emulated device itself (white box): what kernels get, and that every mistake it is there to
// find is found.
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

extern "C" {
#include <cmocka.h>
}
#include <sys/wait.h>
#include <unistd.h>

#include <tdls/core/macros.hpp>

#include "emulator.hpp"

namespace
{

using Device = tdls::gpu::EmulatedRuntime;
using tdls::emulator::width;

#define OK(call) check((call), #call, __LINE__)

void check(int error, const char *call, int line)
{
    if (error != Device::success) {
        fail_msg("line %d: %s: %s", line, call, Device::text(error));
    }
}

void assert_says(int error, const char *part)
{
    assert_int_not_equal(error, Device::success);
    if (std::strstr(Device::text(error), part) == nullptr) {
        fail_msg("\"%s\" is not in: %s", part, Device::text(error));
    }
}

const char *const orders[] = {"ascending", "descending", "random:1", "random:2"};

// An array on the device, with its copy on the host.
template <typename T>
struct Array {
    explicit Array(std::size_t count, T value = T()) : host(count, value)
    {
        void *memory = nullptr;
        OK(Device::allocate(&memory, count * sizeof(T)));
        device = static_cast<T *>(memory);
        put();
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { OK(Device::release(device)); }
    void put()
    {
        OK(Device::copy(device, host.data(), host.size() * sizeof(T), nullptr));
        OK(Device::synchronize(nullptr));
    }
    void get(void *stream = nullptr)
    {
        OK(Device::copy(host.data(), device, host.size() * sizeof(T), stream));
        OK(Device::synchronize(stream));
    }

    std::vector<T> host;
    T *device;
};

template <typename Kernel>
int run(const Kernel &kernel, std::int64_t blocks = 1, int threads = width, std::size_t shared = 0)
{
    const int launched = Device::launch(kernel, blocks, threads, shared, nullptr);
    return launched != Device::success ? launched : Device::synchronize(nullptr);
}

// A kernel of what a test gives, which must be trivially copyable. Wrapped, so that each has a
// type of its own.
template <typename Body>
struct Kernel {
    Body body;
    static constexpr int max_threads = 1024;
    template <typename Thread>
    TDLS_HOST_DEVICE void operator()(const Thread &thread) const
    {
        body(thread);
    }
};
template <typename Body>
Kernel(Body) -> Kernel<Body>;

// Runs something that must die of an access, in a process of its own, and looks for what it said.
template <typename Action>
void assert_dies(Action action, const char *said)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        std::signal(SIGSEGV, SIG_DFL); // cmocka has a handler
        dup2(ends[1], STDERR_FILENO);
        action();
        std::fputs("still alive", stderr);
        _exit(0);
    }
    close(ends[1]);
    char text[2000];
    std::size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < sizeof text - 1;
         length += static_cast<std::size_t>(got)) {
        got = read(ends[0], text + length, sizeof text - 1 - length);
        got = got < 0 ? 0 : got;
    }
    text[length] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV || std::strstr(text, said) == nullptr) {
        fail_msg("status %d, and it said: %s", status, text);
    }
}

void every_thread_runs_once(void **)
{
    for (const char *order : orders) {
        tdls_emulator_set_order(order);
        for (const int blocks : {1, 2, 7, 12}) {
            for (const int warps : {1, 2, 5, 1024 / width}) {
                const int threads = warps * width;
                Array<int> count(static_cast<std::size_t>(blocks * threads));
                int *counts = count.device;
                OK(run(Kernel{[=](const auto &thread) {
                           const bool right = thread.threads() == threads &&
                                              thread.blocks() == blocks &&
                                              thread.warp_width() == width;
                           counts[thread.block() * threads + thread.thread()] += right ? 1 : 100;
                       }},
                       blocks, threads));
                count.get();
                for (const int c : count.host) {
                    assert_int_equal(c, 1);
                }
            }
        }
    }
}

void shuffles_and_ballots(void **)
{
    for (const char *order : orders) {
        tdls_emulator_set_order(order);
        const int threads = 3 * width;
        Array<double> sums(static_cast<std::size_t>(threads));
        Array<std::uint64_t> votes(static_cast<std::size_t>(threads));
        double *sum = sums.device;
        std::uint64_t *vote = votes.device;
        OK(run(Kernel{[=](const auto &thread) {
                   const int lane = thread.thread() % width, warp = thread.thread() / width;
                   double total = 0;
                   for (int l = 0; l < width; ++l) {
                       // all types that kernels use, from another lane each
                       total += thread.shuffle(lane + 0.5, (lane + l) % width);
                       total += thread.shuffle(static_cast<float>(lane), l);
                       total += thread.shuffle(-lane, width - 1 - l);
                       total +=
                           static_cast<double>(thread.shuffle(std::int64_t(lane) << 40, l) >> 40);
                       total +=
                           static_cast<double>(thread.shuffle(std::uint64_t(lane) << 50, l) >> 50);
                   }
                   sum[thread.thread()] = total;
                   const std::uint64_t odd = thread.ballot(lane % 2 == 1);
                   const std::uint64_t none = thread.ballot(false);
                   const std::uint64_t own = thread.ballot(lane % 3 == warp);
                   vote[thread.thread()] = (odd & 1) != 0 || none != 0 ? 0 : own;
               }},
               1, threads));
        sums.get();
        votes.get();
        for (int t = 0; t < threads; ++t) {
            const int all = width * (width - 1) / 2;
            const auto i = static_cast<std::size_t>(t);
            assert_true(sums.host[i] == width * 0.5 + 3 * all);
            std::uint64_t expected = 0;
            for (int l = t / width; l < width; l += 3) {
                expected |= std::uint64_t(1) << l;
            }
            assert_true(votes.host[i] == expected);
        }
    }
}

// Sum over a block through shared memory, in steps with a barrier of one kind or none between.
enum class Barrier { none, warp, block };

template <Barrier Between>
struct TreeSum {
    const double *given;
    double *sum;
    static constexpr int max_threads = 1024;

    template <typename Thread>
    TDLS_HOST_DEVICE void operator()(const Thread &thread) const
    {
        auto *shared = static_cast<double *>(thread.shared());
        const int t = thread.thread();
        shared[t] = given[thread.block() * thread.threads() + t];
        pass(thread);
        for (int half = thread.threads() / 2; half > 0; half /= 2) {
            if (t < half) {
                shared[t] += shared[t + half];
            }
            pass(thread);
        }
        if (t == thread.threads() - 1) {
            sum[thread.block()] = shared[0];
        }
    }
    template <typename Thread>
    TDLS_HOST_DEVICE void pass(const Thread &thread) const
    {
        if constexpr (Between == Barrier::block) {
            thread.block_barrier();
        } else if constexpr (Between == Barrier::warp) {
            thread.warp_barrier();
        }
    }
};

// Number of orders in which all sums are right.
template <Barrier Between>
int right_sums(int threads)
{
    constexpr int blocks = 5;
    int right = 0;
    for (const char *order : orders) {
        tdls_emulator_set_order(order);
        Array<double> given(static_cast<std::size_t>(blocks * threads)), sums(blocks);
        for (std::size_t i = 0; i < given.host.size(); ++i) {
            given.host[i] = static_cast<double>(i);
        }
        given.put();
        OK(run(TreeSum<Between>{given.device, sums.device}, blocks, threads,
               static_cast<std::size_t>(threads) * sizeof(double)));
        sums.get();
        bool all = true;
        for (int b = 0; b < blocks; ++b) {
            const double first = b * threads, last = first + threads - 1;
            all = all && sums.host[static_cast<std::size_t>(b)] == threads * (first + last) / 2;
        }
        right += all;
    }
    return right;
}

void barriers_work(void **)
{
    const int all = sizeof orders / sizeof *orders;
    assert_int_equal(right_sums<Barrier::warp>(width), all);
    assert_int_equal(right_sums<Barrier::block>(width), all);
    assert_int_equal(right_sums<Barrier::block>(4 * width), all);
    assert_int_equal(right_sums<Barrier::block>(512), all);
}

void a_missing_barrier_gives_wrong_answers(void **)
{
    const int all = sizeof orders / sizeof *orders;
    assert_true(right_sums<Barrier::none>(width) < all);
    assert_true(right_sums<Barrier::none>(4 * width) < all);
    assert_true(right_sums<Barrier::warp>(4 * width) < all); // of the block
}

// The writer comes before or after the readers, whichever it is: each order sees a missing barrier
// in one of the two directions.
void a_missing_barrier_shows_in_one_order_each_way(void **)
{
    int wrong[2] = {};
    for (const char *order : {"ascending", "descending"}) {
        tdls_emulator_set_order(order);
        for (const int writer : {0, width - 1}) {
            Array<int> seen(width);
            int *to = seen.device;
            OK(run(Kernel{[=](const auto &thread) {
                       auto *shared = static_cast<volatile int *>(thread.shared());
                       if (thread.thread() == writer) {
                           *shared = 7;
                       }
                       to[thread.thread()] = *shared;
                   }},
                   1, width, sizeof(int)));
            seen.get();
            for (const int value : seen.host) {
                wrong[writer == 0] += value != 7;
            }
        }
    }
    assert_int_equal(wrong[0], width - 1);
    assert_int_equal(wrong[1], width - 1);
}

// The same of warps.
void a_missing_block_barrier_shows_in_one_order_each_way(void **)
{
    constexpr int warps = 3;
    int wrong[2] = {};
    for (const char *order : {"ascending", "descending"}) {
        tdls_emulator_set_order(order);
        for (const int writer : {0, warps - 1}) {
            Array<int> seen(warps);
            int *to = seen.device;
            OK(run(Kernel{[=](const auto &thread) {
                       auto *shared = static_cast<volatile int *>(thread.shared());
                       const int warp = thread.thread() / width;
                       if (warp == writer) {
                           *shared = 7;
                       }
                       thread.warp_barrier();
                       to[warp] = *shared;
                   }},
                   1, warps * width, sizeof(int)));
            seen.get();
            for (const int value : seen.host) {
                wrong[writer == 0] += value != 7;
            }
        }
    }
    assert_int_equal(wrong[0], warps - 1);
    assert_int_equal(wrong[1], warps - 1);
}

void shared_memory_is_fresh_in_each_block(void **)
{
    Array<double> seen(3);
    double *to = seen.device;
    OK(run(Kernel{[=](const auto &thread) {
               auto *shared = static_cast<double *>(thread.shared());
               if (thread.thread() == 0) {
                   to[thread.block()] = shared[4];
                   shared[4] = 1;
               }
           }},
           3, width, 5 * sizeof(double)));
    seen.get();
    for (const double value : seen.host) {
        assert_true(value != value);
    }
}

void deadlock(void **)
{
    for (const char *order : orders) {
        tdls_emulator_set_order(order);
        const int error = run(Kernel{[](const auto &thread) {
                                  if (thread.block() != 3 || thread.thread() != 5) {
                                      thread.warp_barrier();
                                  }
                              }},
                              5);
        assert_says(error, "block 3: deadlock: threads 0-4 wait at a warp barrier (test_emulator");
        assert_says(error, ", thread 5 have ended, threads 6-");
        assert_says(error, "kernel ");
        assert_says(run(Kernel{[](const auto &thread) {
                            if (thread.thread() < width) {
                                thread.block_barrier();
                            }
                        }},
                        1, 2 * width),
                    "block 0: deadlock: threads 0-");
        OK(run(Kernel{[](const auto &thread) { thread.block_barrier(); }}, 2, 2 * width));
    }
}

void divergence(void **)
{
    for (const char *order : orders) {
        tdls_emulator_set_order(order);
        // in kind
        int error = run(Kernel{[](const auto &thread) {
            if (thread.thread() < 8) {
                thread.warp_barrier();
            } else {
                (void)thread.ballot(true);
            }
        }});
        assert_says(error, "block 0: the lanes of a warp diverge: threads 0-7 wait at a warp "
                           "barrier (test_emulator.cpp:");
        assert_says(error, ", threads 8-");
        assert_says(error, "wait at a ballot (");
        // in place
        error = run(Kernel{[](const auto &thread) {
            int value = 0;
            if (thread.thread() == 8) {
                value = thread.shuffle(1, 2);
            } else {
                value = thread.shuffle(2, 2);
            }
            (void)value;
        }});
        assert_says(error, "diverge: threads 0-7 wait at a shuffle");
        // of warps
        error = run(Kernel{[](const auto &thread) {
                        if (thread.thread() < width) {
                            thread.block_barrier();
                        } else {
                            thread.block_barrier();
                        }
                    }},
                    1, 2 * width);
        assert_says(error, "its warps are at different barriers: threads 0-");
    }
}

void shuffles_from_no_lane(void **)
{
    for (const int from : {-1, width}) {
        char text[60];
        std::snprintf(text, sizeof text, "block 1, thread 3: shuffle from lane %d of a warp", from);
        assert_says(run(Kernel{[=](const auto &thread) {
                            const bool bad = thread.block() == 1 && thread.thread() == 3;
                            (void)thread.shuffle(1, bad ? from : 0);
                        }},
                        2),
                    text);
    }
}

struct FewThreads {
    static constexpr int max_threads = 2 * width;
    template <typename Thread>
    TDLS_HOST_DEVICE void operator()(const Thread &) const
    {
    }
};

void bad_launches(void **)
{
    tdls::gpu::DeviceFacts facts;
    OK(Device::describe(0, &facts));
    assert_int_equal(facts.warp_width, width);
    const Kernel none{[](const auto &) {}};
    OK(run(none, 1, 1024, facts.shared_bytes));
    OK(run(FewThreads{}, 1, 2 * width));
    for (const int threads : {0, -width, 1024 + width, width - 1, width + 1, width / 2}) {
        assert_says(run(none, 1, threads), "threads per block");
    }
    assert_says(run(FewThreads{}, 1, 3 * width), "at most the kernel's");
    for (const std::int64_t blocks : {INT64_C(0), INT64_C(-1), INT64_C(1) << 31, INT64_MIN}) {
        assert_says(run(none, blocks), "blocks");
    }
    assert_says(run(none, 1, width, facts.shared_bytes + 1), "shared memory");
    assert_says(Device::describe(2, &facts), "no device 2");
    assert_says(Device::describe(-1, &facts), "no device -1");
}

struct AddOne {
    int *number;
    static constexpr int max_threads = 1024;
    template <typename Thread>
    TDLS_HOST_DEVICE void operator()(const Thread &thread) const
    {
        if (thread.thread() == 0) {
            ++*number;
        }
    }
};

// Nothing happens before somebody waits for it, and then only what is waited for.
void work_is_done_late(void **)
{
    Array<int> number(1, 5);
    int streams[2];
    int early = 0, value = 0;
    OK(Device::copy(&early, number.device, sizeof early, nullptr));
    OK(Device::launch(AddOne{number.device}, 1, width, 0, nullptr));
    OK(Device::copy(&value, number.device, sizeof value, nullptr));
    assert_int_equal(early, 0);
    assert_int_equal(value, 0);
    assert_int_equal(tdls_emulator_waiting_work(), 3);
    OK(Device::synchronize(nullptr));
    assert_int_equal(early, 5);
    assert_int_equal(value, 6);
    assert_int_equal(tdls_emulator_waiting_work(), 0);
    // another stream, that nobody waited for
    OK(Device::launch(AddOne{number.device}, 1, width, 0, &streams[0]));
    OK(Device::copy(&value, number.device, sizeof value, &streams[1]));
    OK(Device::synchronize(&streams[1]));
    assert_int_equal(value, 6);
    OK(Device::synchronize(&streams[0]));
    number.get(&streams[1]);
    assert_int_equal(number.host[0], 7);
    // the null stream waits for all, and all for it
    OK(Device::launch(AddOne{number.device}, 1, width, 0, &streams[0]));
    OK(Device::launch(AddOne{number.device}, 1, width, 0, nullptr));
    OK(Device::copy(&value, number.device, sizeof value, &streams[1]));
    OK(Device::synchronize(&streams[1]));
    assert_int_equal(value, 9);
    // the source of a copy is read late, too
    int source = 20;
    OK(Device::copy(number.device, &source, sizeof source, nullptr));
    source = 30;
    number.get();
    assert_int_equal(number.host[0], 30);
    // a release waits for the whole device
    void *other = nullptr;
    OK(Device::allocate(&other, 1));
    OK(Device::launch(AddOne{number.device}, 1, width, 0, &streams[0]));
    OK(Device::copy(&value, number.device, sizeof value, &streams[0]));
    OK(Device::release(other));
    assert_int_equal(value, 31);
}

// The call that waits for a kernel says what was wrong with it, once.
void errors_come_late(void **)
{
    int stream, other;
    const Kernel bad{[](const auto &thread) { (void)thread.shuffle(1, -1); }};
    OK(Device::launch(bad, 1, width, 0, &stream));
    OK(Device::synchronize(&other));
    assert_says(Device::synchronize(&stream), "from lane -1");
    OK(Device::synchronize(&stream));
}

void two_devices(void **)
{
    int count = 0, device = -1;
    OK(Device::device_count(&count));
    assert_int_equal(count, 2);
    OK(Device::current_device(&device));
    assert_int_equal(device, 0);
    Array<int> here(1, 1);
    OK(Device::use_device(1));
    OK(Device::current_device(&device));
    assert_int_equal(device, 1);
    assert_int_equal(tdls_emulator_current_device(), 1);
    Array<int> there(1, 2);
    assert_int_equal(tdls_emulator_device_of(here.device), 0);
    assert_int_equal(tdls_emulator_device_of(there.device), 1);
    assert_int_equal(tdls_emulator_device_of(&device), -1);
    // Null streams are one per device.
    OK(Device::launch(AddOne{there.device}, 1, width, 0, nullptr));
    int value = 0;
    OK(Device::copy(&value, there.device, sizeof value, nullptr));
    OK(Device::use_device(0));
    OK(Device::synchronize(nullptr));
    assert_int_equal(value, 0);
    OK(Device::use_device(1));
    OK(Device::synchronize(nullptr));
    assert_int_equal(value, 3);
    // from device to device
    OK(Device::copy(here.device, there.device, sizeof(int), nullptr));
    OK(Device::synchronize(nullptr));
    here.get();
    assert_int_equal(here.host[0], 3);
    // A stream with work belongs to its device.
    int stream;
    OK(Device::launch(AddOne{there.device}, 1, width, 0, &stream));
    OK(Device::use_device(0));
    assert_says(Device::launch(AddOne{here.device}, 1, width, 0, &stream), "another device");
    assert_says(Device::copy(&value, here.device, sizeof value, &stream), "another device");
    OK(Device::synchronize(&stream));
    there.get();
    assert_int_equal(there.host[0], 4);
    // The device is a matter of the thread.
    OK(Device::use_device(1));
    std::thread([&] { OK(Device::current_device(&device)); }).join();
    assert_int_equal(device, 0);
    OK(Device::use_device(0));
    assert_says(Device::use_device(2), "no device 2");
    assert_dies([&] { (void)run(AddOne{there.device}); },
                "touched memory of device 1, byte 0 of 4");
    setenv("TDLS_EMULATOR_DEVICES", "0", 1);
    OK(Device::device_count(&count));
    assert_int_equal(count, 0);
    assert_says(Device::use_device(0), "no device 0");
    unsetenv("TDLS_EMULATOR_DEVICES");
}

void memory_is_of_the_device(void **)
{
    const std::int64_t before = tdls_emulator_live_allocations();
    for (const std::size_t bytes : {1U, 255U, 256U, 257U, 4096U, 5000U, 100000U}) {
        void *memory = nullptr;
        OK(Device::allocate(&memory, bytes));
        assert_int_equal(reinterpret_cast<std::uintptr_t>(memory) % 256, 0);
        assert_int_equal(tdls_emulator_live_allocations(), before + 1);
        auto *d = static_cast<unsigned char *>(memory);
        assert_dies([=] { *d = 1; }, "");
        std::vector<unsigned char> host(bytes, 1);
        OK(Device::copy(host.data(), d, bytes, nullptr));
        OK(Device::synchronize(nullptr));
        for (const unsigned char byte : host) {
            assert_int_equal(byte, 0xFF); // fresh: NaN
        }
        assert_says(Device::copy(host.data(), d, bytes + 1, nullptr), "beyond the end");
        assert_says(Device::copy(d + 1, host.data(), bytes, nullptr),
                    bytes > 1 ? "beyond the end" : "not in any allocation");
        assert_says(Device::copy(d - 1, host.data(), bytes, nullptr), "not in any allocation");
        assert_says(Device::release(d + 1), "not allocated");
        assert_dies([=] { *d = 1; }, "");
        OK(run(Kernel{[=](const auto &) {}}));
        assert_dies([=] { std::printf("%d", d[bytes - 1]); }, "");
        OK(Device::release(memory));
        assert_says(Device::release(memory), "not allocated");
        assert_says(Device::copy(host.data(), d, bytes, nullptr), "not in any allocation");
        assert_int_equal(tdls_emulator_live_allocations(), before);
    }
    OK(Device::release(nullptr));
    void *untouched = nullptr;
    for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 40}) {
        const int error = Device::allocate(&untouched, bytes);
        assert_says(error, "out of memory");
        assert_true(Device::is_out_of_memory(error));
    }
    assert_false(Device::is_out_of_memory(Device::success));
    assert_false(Device::is_out_of_memory(Device::release(&untouched)));
    assert_null(untouched);
    assert_says(Device::release(&untouched), "not allocated");
}

void kernels_keep_off_other_memory(void **)
{
    Array<double> array(1024), small(3);
    double *d = array.device, *s = small.device;
    const auto touch = [](double *pointer) {
        return [=] {
            (void)run(Kernel{[=](const auto &thread) {
                          if (thread.thread() == 2 && thread.block() == 1) {
                              *static_cast<volatile double *>(pointer) = 1;
                          }
                      }},
                      2);
        };
    };
    assert_dies(touch(d + 1024), "block 1, thread 2 of kernel ");
    assert_dies(touch(d + 1024),
                "touched memory of device 0 out of bounds, 1 byte behind an allocation of 8192");
    assert_dies(touch(d - 1), "out of bounds, 8 bytes before an allocation of 8192 bytes");
    double *freed = nullptr;
    {
        Array<double> gone(10);
        freed = gone.device;
    }
    assert_dies(touch(freed + 3), "touched released memory of device 0, byte 24 of 80");
    double on_stack = 0;
    assert_dies(touch(&on_stack), "memory of the host, on its stack");
    std::vector<double> small_heap(1), large_heap(1000000);
    assert_dies(touch(small_heap.data()), "memory of the host, from malloc");
    assert_dies(touch(large_heap.data() + 500000), "memory of the host, from malloc");
    assert_dies(touch(nullptr), "a null pointer");
    double *nowhere;
    std::memset(&nowhere, 0xFF, sizeof nowhere);
    assert_dies(touch(nowhere - 2), "no pointer at all");
    // Beside an allocation, but where its alignment leaves room: seen when the kernel is done.
    assert_says(run(Kernel{[=](const auto &thread) { s[3 + thread.thread() % 2] = 1; }}),
                "wrote beside an allocation of 24 bytes");
}

void shared_memory_has_an_end(void **)
{
    for (const std::size_t bytes : {16U, 256U, 50000U}) {
        assert_dies(
            [=] {
                (void)run(Kernel{[=](const auto &thread) {
                              auto *shared = static_cast<volatile char *>(thread.shared());
                              shared[bytes - 1] = 1;
                              shared[bytes] = 1;
                          }},
                          1, width, bytes);
            },
            "beside its shared memory");
    }
}

void stacks_have_an_end(void **)
{
    struct Deep {
        static int sum(volatile const char *above, int depth)
        {
            volatile char local[512];
            local[0] = above[0];
            return depth == 0 ? 0 : sum(local, depth - 1) + local[0];
        }
    };
    assert_dies(
        [] {
            (void)run(Kernel{[](const auto &) {
                const char zero = 0;
                (void)Deep::sum(&zero, 1000);
            }});
        },
        "beyond the stack of a thread");
}

// The heap is the host's again when the kernel is done, also with other threads there.
void the_host_has_its_memory_back(void **)
{
    std::vector<int> host(100000, 3);
    Array<int> number(1);
    OK(run(AddOne{number.device}));
    host[5000] = 4;
    std::vector<int> more(100000, 1);
    std::atomic<bool> done = false;
    std::thread busy([&] {
        while (!done) {
            host[7] = std::vector<int>(100, 7)[50];
        }
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([] {
            for (int k = 0; k < 50; ++k) {
                Array<int> own(1, k);
                OK(run(AddOne{own.device}, 3, 2 * width));
                own.get();
                assert_int_equal(own.host[0], k + 3);
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    done = true;
    busy.join();
    assert_int_equal(host[7], 7);
}

void failures_on_demand(void **)
{
    void *memory = nullptr;
    tdls::gpu::DeviceFacts facts;
    int number = 0;
    const std::int64_t before = tdls_emulator_live_allocations();
    for (int k = 1; k <= 10; ++k) {
        OK(Device::allocate(&memory, 8));
        tdls_emulator_fail_at(k);
        void *more = nullptr;
        const int errors[] = {
            Device::device_count(&number),
            Device::current_device(&number),
            Device::use_device(0),
            Device::describe(0, &facts),
            Device::allocate(&more, 8),
            Device::copy(&number, memory, 4, nullptr),
            Device::launch(AddOne{static_cast<int *>(memory)}, 1, width, 0, nullptr),
            Device::synchronize(nullptr),
            Device::release(memory),
            Device::synchronize(nullptr)};
        for (int i = 1; i <= 10; ++i) {
            if (i == k) {
                assert_says(errors[i - 1], "injected failure");
            } else {
                OK(errors[i - 1]);
            }
        }
        OK(Device::release(more));
    }
    tdls_emulator_fail_at(0);
    assert_int_equal(tdls_emulator_live_allocations(), before);
}

void unknown_orders_are_refused(void **)
{
    int count = 0;
    for (const char *order : {"", "sideways", "random", "random:", "random:x", "ascending "}) {
        tdls_emulator_set_order(order);
        assert_says(Device::device_count(&count), "TDLS_EMULATOR_ORDER");
    }
    tdls_emulator_set_order("ascending");
    OK(Device::device_count(&count));
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_runs_once),
        cmocka_unit_test(shuffles_and_ballots),
        cmocka_unit_test(barriers_work),
        cmocka_unit_test(a_missing_barrier_gives_wrong_answers),
        cmocka_unit_test(a_missing_barrier_shows_in_one_order_each_way),
        cmocka_unit_test(a_missing_block_barrier_shows_in_one_order_each_way),
        cmocka_unit_test(shared_memory_is_fresh_in_each_block),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(divergence),
        cmocka_unit_test(shuffles_from_no_lane),
        cmocka_unit_test(bad_launches),
        cmocka_unit_test(work_is_done_late),
        cmocka_unit_test(errors_come_late),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(memory_is_of_the_device),
        cmocka_unit_test(kernels_keep_off_other_memory),
        cmocka_unit_test(shared_memory_has_an_end),
        cmocka_unit_test(stacks_have_an_end),
        cmocka_unit_test(the_host_has_its_memory_back),
        cmocka_unit_test(failures_on_demand),
        cmocka_unit_test(unknown_orders_are_refused),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("emulator", tests, nullptr, nullptr);
}
