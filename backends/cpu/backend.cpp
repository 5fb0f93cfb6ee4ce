// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP backend: the choice of the instruction set, memory, and systems spread over threads.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <omp.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#    include <cpuid.h>
#endif

#include "kernel_list.hpp"
#include "kernels.hpp"

namespace tdls
{
namespace cpu
{

namespace
{

// ---- Instruction sets ---------------------------------------------------------------------------

// The sets that were built, in ascending order: the last usable one is the choice.
constexpr const KernelSet *kernel_sets[] = TDLS_CPU_KERNEL_LIST;

bool usable(const KernelSet &set)
{
#if defined(__x86_64__) || defined(__i386__)
    if (std::strcmp(set.name, "avx2") == 0) {
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
    if (std::strcmp(set.name, "avx512") == 0) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    }
#endif
    // The others need no more than the processors that the library as a whole was compiled for.
    return set.name != nullptr;
}

const KernelSet *choose_kernel_set(ErrorText &error)
{
    const char *forced = std::getenv("TDLS_CPU_ISA");
    if (forced == nullptr || *forced == '\0') {
        const KernelSet *best = nullptr;
        for (const KernelSet *set : kernel_sets) {
            best = usable(*set) ? set : best;
        }
        return best;
    }
    char built[128] = "";
    for (const KernelSet *set : kernel_sets) {
        if (std::strcmp(set->name, forced) == 0) {
            if (usable(*set)) {
                return set;
            }
            write_error(error, "TDLS_CPU_ISA=%s: this processor does not have that instruction set",
                        forced);
            return nullptr;
        }
        const std::size_t used = std::strlen(built);
        std::snprintf(built + used, sizeof built - used, " %s", set->name);
    }
    write_error(error, "TDLS_CPU_ISA=%.64s: no such instruction set in this library, which has%s",
                forced, built);
    return nullptr;
}

// The processor's own name, without the blanks that vendors fill it up with.
void processor_name(char *name, std::size_t size)
{
    std::snprintf(name, size, "CPU");
#if defined(__x86_64__) || defined(__i386__)
    unsigned brand[13] = {};
    if (static_cast<unsigned>(__get_cpuid_max(0x80000000U, nullptr)) < 0x80000004U) {
        return;
    }
    for (unsigned part = 0; part < 3; ++part) {
        unsigned *words = brand + 4 * static_cast<std::size_t>(part);
        __get_cpuid(0x80000002U + part, words, words + 1, words + 2, words + 3);
    }
    char text[sizeof brand];
    std::memcpy(text, brand, sizeof brand);
    const char *start = text + std::strspn(text, " ");
    std::size_t length = std::strlen(start);
    while (length > 0 && start[length - 1] == ' ') {
        --length;
    }
    if (length > 0) {
        std::snprintf(name, size, "%.*s", static_cast<int>(length), start);
    }
#endif
}

// ---- Handles and memory -------------------------------------------------------------------------

struct State {
    const KernelSet *kernels;
    void *scratch; // of all threads of a call, one part each
    std::size_t scratch_bytes;
};

constexpr std::size_t page = 4096;

tdls_status_t device_count(std::int32_t *count, ErrorText &)
{
    *count = 1;
    return TDLS_SUCCESS;
}

tdls_status_t open(std::int32_t device, void **state, ErrorText &error)
{
    if (device != 0) {
        write_error(error, "the CPU backend has one device, number 0; there is no device %d",
                    device);
        return TDLS_ERR_NO_DEVICE;
    }
    const KernelSet *kernels = choose_kernel_set(error);
    if (kernels == nullptr) {
        return TDLS_ERR_NOT_SUPPORTED;
    }
    auto *opened = new (std::nothrow) State{kernels, nullptr, 0};
    if (opened == nullptr) {
        write_error(error, "no memory for a handle");
        return TDLS_ERR_ALLOC;
    }
    *state = opened;
    return TDLS_SUCCESS;
}

void close(void *state)
{
    auto *opened = static_cast<State *>(state);
    std::free(opened->scratch);
    delete opened;
}

tdls_status_t device_name(const Call &call, char *buffer, std::size_t size)
{
    char processor[64];
    processor_name(processor, sizeof processor);
    std::snprintf(buffer, size, "%s, %s", processor,
                  static_cast<State *>(call.state)->kernels->name);
    return TDLS_SUCCESS;
}

tdls_status_t synchronize(const Call &)
{
    return TDLS_SUCCESS;
}

tdls_status_t allocate(const Call &call, std::size_t bytes, void **pointer)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, 256, bytes) != 0) {
        write_error(call.error, "no memory for %zu bytes", bytes);
        return TDLS_ERR_ALLOC;
    }
    *pointer = memory;
    return TDLS_SUCCESS;
}

tdls_status_t release(const Call &, void *pointer)
{
    std::free(pointer);
    return TDLS_SUCCESS;
}

tdls_status_t copy(const Call &, void *to, const void *from, std::size_t bytes)
{
    std::memmove(to, from, bytes);
    return TDLS_SUCCESS;
}

// ---- Threads ------------------------------------------------------------------------------------

// Multiplications of a system, roughly; a batch is only spread so far that each thread has enough.
double work_of_system(std::int32_t n, std::int32_t nrhs)
{
    const double order = n;
    return 32 + order * order * (order / 3 + nrhs);
}

constexpr double least_work_of_thread = 50'000;

// The process in which a team has worked, 0 if none has. In a child after fork() the runtime's
// threads are not there, and GNU's runtime would wait for them for ever.
std::atomic<pid_t> process_of_teams{0};

// Whether this process may have a team; if so it is noted that it has had one.
bool may_have_a_team()
{
    const pid_t process = getpid();
    pid_t known = process_of_teams.load(std::memory_order_relaxed);
    if (known == 0 &&
        process_of_teams.compare_exchange_strong(known, process, std::memory_order_relaxed)) {
        return true;
    }
    return known == process;
}

// More threads than any processor is served by. A runtime that cannot start as many as it is asked
// for ends the program.
double most_threads()
{
    return std::max({64, 4 * omp_get_num_procs(), omp_get_max_threads()});
}

template <typename T>
int team_size(const Call &call, const Batch<T> &batch)
{
    if (omp_in_parallel() != 0) {
        return 1;
    }
    const auto count = static_cast<double>(batch.count);
    double threads = call.settings.num_threads;
    if (call.settings.num_threads == 0) {
        const double work = count * work_of_system(batch.n, batch.nrhs);
        threads = std::min<double>(omp_get_max_threads(), work / least_work_of_thread);
    }
    threads = std::min({threads, count, most_threads()});
    return threads < 2 || !may_have_a_team() ? 1 : static_cast<int>(threads);
}

// A kernel may do so many systems at once that lie side by side from a multiple of this number on.
constexpr std::int64_t whole_group = 16;

// Calls run(begin, end, thread) on each thread of the team, with its part of the batch.
template <typename Run>
void spread(int threads, std::int64_t count, const Run &run)
{
    if (threads == 1) {
        run(std::int64_t{0}, count, 0);
        return;
    }
#pragma omp parallel num_threads(threads)
    {
        // Whole groups, unless there are fewer of them than threads; the team may have come out
        // smaller than asked for.
        const int thread = omp_get_thread_num();
        std::int64_t group = whole_group;
        while (group > 1 && count < group * omp_get_num_threads()) {
            group /= 2;
        }
        const std::int64_t groups = (count + group - 1) / group;
        const std::int64_t share = groups / omp_get_num_threads();
        const std::int64_t larger = groups % omp_get_num_threads();
        const std::int64_t begin = thread * share + std::min<std::int64_t>(thread, larger);
        const std::int64_t end = begin + share + (thread < larger ? 1 : 0);
        run(begin * group, std::min(end * group, count), thread);
    }
}

// Scratch of the handle, grown if need be, of so many bytes for each thread.
tdls_status_t reserve(const Call &call, std::size_t bytes, int threads)
{
    auto *state = static_cast<State *>(call.state);
    const std::size_t total = bytes * static_cast<std::size_t>(threads);
    if (total <= state->scratch_bytes) {
        return TDLS_SUCCESS;
    }
    std::free(state->scratch);
    state->scratch_bytes = 0;
    state->scratch = nullptr;
    if (posix_memalign(&state->scratch, page, total) != 0) {
        state->scratch = nullptr;
        write_error(call.error, "no memory for %zu bytes of scratch (%d threads)", total, threads);
        return TDLS_ERR_ALLOC;
    }
    state->scratch_bytes = total;
    return TDLS_SUCCESS;
}

// ---- Routines -----------------------------------------------------------------------------------

template <typename T>
const Kernels<T> &kernels_of(const Call &call)
{
    return of_type<T>(*static_cast<State *>(call.state)->kernels);
}

// Systems of order 0 have no data, and their pointers may be null; all that there is to do is info.
template <typename T>
bool is_trivial(const Batch<T> &batch)
{
    if (batch.n == 0 && batch.info != nullptr) {
        std::fill_n(batch.info, batch.count, 0);
    }
    return batch.n == 0;
}

// Runs a kernel on a batch, on as many threads as are worth while, each with its own scratch.
template <typename T, typename Kernel>
tdls_status_t run(const Call &call, const Batch<T> &batch, const Kernel &kernel)
{
    const int threads = team_size(call, batch);
    const std::size_t bytes = kernels_of<T>(call).scratch_bytes(batch);
    const std::size_t pages = (bytes + page - 1) / page * page;
    const tdls_status_t status = reserve(call, pages, threads);
    if (status != TDLS_SUCCESS) {
        return status;
    }
    auto *scratch = static_cast<unsigned char *>(static_cast<State *>(call.state)->scratch);
    spread(threads, batch.count, [&](std::int64_t begin, std::int64_t end, int thread) {
        kernel(batch, begin, end, scratch + static_cast<std::size_t>(thread) * pages);
    });
    return TDLS_SUCCESS;
}

template <typename T>
tdls_status_t getrf(const Call &call, const Batch<T> &batch)
{
    return is_trivial(batch) ? TDLS_SUCCESS : run(call, batch, kernels_of<T>(call).getrf);
}

template <typename T>
tdls_status_t getrs(const Call &call, const Batch<T> &batch)
{
    const bool nothing = batch.n == 0 || batch.nrhs == 0;
    return nothing ? TDLS_SUCCESS : run(call, batch, kernels_of<T>(call).getrs);
}

template <typename T>
tdls_status_t gesv(const Call &call, const Batch<T> &batch)
{
    return is_trivial(batch) ? TDLS_SUCCESS : run(call, batch, kernels_of<T>(call).gesv);
}

} // namespace

extern const Backend backend;
const Backend backend = {
    .table_version = backend_table_version,
    .id = TDLS_BACKEND_CPU,
    .name = "cpu",
    .device_count = device_count,
    .open = open,
    .close = close,
    .device_name = device_name,
    .synchronize = synchronize,
    .allocate = allocate,
    .release = release,
    .copy = copy,
    .single_precision = {getrf<float>, getrs<float>, gesv<float>},
    .double_precision = {getrf<double>, getrs<double>, gesv<double>},
};

} // namespace cpu
} // namespace tdls
