// SPDX-License-Identifier: BSD-3-Clause
// The runtime calls: devices, memory, streams, errors.
#include "emulator.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <sys/mman.h>

#include "block_runner.hpp"
#include "device_memory.hpp"
#include "host_guard.hpp"

namespace tdls::emulator
{

namespace
{

// Work that was given to a stream, and waits.
struct Work {
    int device;
    void *stream;
    const char *kernel; // its name; null: a copy
    std::unique_ptr<unsigned char[]> object;
    std::size_t object_bytes;
    Grid grid;
    void *to;
    const void *from;
    std::size_t bytes;
};

std::mutex lock;              // of everything below, and held while a kernel runs
std::vector<Work> waiting;    // in the order in which it was given
unsigned char *kernel_memory; // where the object of the kernel that runs lies
Work *running_work;
std::int64_t fail_in; // calls until one fails; 0: none does
bool usable;          // set up, with an order that there is

thread_local int current_device;

// Errors have texts of their own, and numbers in the order in which they happened. The last ones
// are kept.
constexpr int texts_kept = 64;
constexpr int first_error = 700;
char texts[texts_kept][1000];
int errors;
int last_out_of_memory;

__attribute__((format(printf, 1, 2))) int error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(texts[errors % texts_kept], sizeof *texts, format, arguments);
    va_end(arguments);
    return first_error + errors++;
}

int device_number()
{
    const char *given = std::getenv("TDLS_EMULATOR_DEVICES");
    const int number = given != nullptr ? std::atoi(given) : most_devices;
    return number < 0 ? 0 : number > most_devices ? most_devices : number;
}

// The name of the type at the end of __PRETTY_FUNCTION__: "...[with Kernel = X; ...]", or without
// "with".
const char *kernel_name(const char *pretty, int *length)
{
    const char *name = std::strstr(pretty, "Kernel = ");
    name = name != nullptr ? name + 9 : pretty;
    int end = static_cast<int>(std::strcspn(name, ";]"));
    *length = end > 150 ? 150 : end;
    return name;
}

// At a fault: what is at the address, and which thread went there.
void explain(const void *address)
{
    char what[200], where[80];
    const char *host = host_memory_name(address);
    const char *shared = block_memory_name(address);
    if (device_of_address(address) >= 0) {
        describe_address(address, what, sizeof what);
    } else if (reinterpret_cast<std::uintptr_t>(address) + page_bytes() < 2 * page_bytes()) {
        // 0 is also what the processor says of an address that none can be, and what is read from
        // fresh memory is just below.
        std::snprintf(what, sizeof what, "a null pointer, or what is no pointer at all");
    } else {
        std::snprintf(what, sizeof what, "%s",
                      host != nullptr     ? host
                      : shared != nullptr ? shared
                                          : "memory that is not the device's");
    }
    write_position(where, sizeof where);
    int length = 0;
    const char *name = kernel_name(running_work->kernel, &length);
    std::fprintf(stderr, "emulated device %d: %s of kernel %.*s touched %s (%p)\n",
                 running_work->device, where, length, name, what, address);
}

int run_kernel(Work &work)
{
    std::memcpy(kernel_memory, work.object.get(), work.object_bytes);
    work.grid.kernel = kernel_memory;
    running_work = &work;
    open_device(work.device);
    const char *failure = run_grid(work.grid, explain);
    const Allocation *spoilt = spoilt_allocation(work.device);
    close_device(work.device);
    running_work = nullptr;
    int length = 0;
    const char *name = kernel_name(work.kernel, &length);
    if (failure[0] != '\0') {
        return error("kernel %.*s, %s", length, name, failure);
    }
    return spoilt == nullptr ? gpu::EmulatedRuntime::success
                             : error("kernel %.*s wrote beside an allocation of %zu bytes", length,
                                     name, spoilt->bytes);
}

// What is wrong with an address range as one end of a copy; "" if nothing.
const char *range_fault(const void *address, std::size_t bytes)
{
    if (device_of_address(address) < 0) {
        return "";
    }
    const Allocation *allocation = find_allocation(address);
    if (allocation == nullptr) {
        return "is not in any allocation";
    }
    const auto offset =
        static_cast<std::size_t>(static_cast<const char *>(address) - allocation->begin);
    return bytes > allocation->bytes - offset ? "goes beyond the end of its allocation" : "";
}

int check_copy(const void *to, const void *from, std::size_t bytes)
{
    for (const void *address : {to, from}) {
        const char *fault = range_fault(address, bytes);
        if (fault[0] != '\0') {
            return error("copy of %zu bytes: %s, %p, %s", bytes,
                         address == to ? "the target" : "the source", address, fault);
        }
    }
    return 0;
}

int run_copy(const Work &work)
{
    const int wrong = check_copy(work.to, work.from, work.bytes);
    if (wrong != 0) {
        return wrong;
    }
    const Allocation *to = find_allocation(work.to), *from = find_allocation(work.from);
    for (const Allocation *allocation : {to, from}) {
        if (allocation != nullptr) {
            open_memory(*allocation);
        }
    }
    std::memmove(work.to, work.from, work.bytes);
    for (const Allocation *allocation : {to, from}) {
        if (allocation != nullptr) {
            close_memory(*allocation);
        }
    }
    return 0;
}

// Runs what waits on the streams for which `wanted` holds, and what that waits for: the null stream
// of a device waits for all streams of the device, and they for it. Nothing else runs. Returns the
// first error.
template <typename Wanted>
int run_waiting(Wanted wanted)
{
    std::vector<bool> needed(waiting.size());
    bool device_needed[most_devices] = {}, null_needed[most_devices] = {};
    std::vector<void *> streams;
    for (std::size_t i = waiting.size(); i-- > 0;) {
        const Work &work = waiting[i];
        bool is_needed = wanted(work) || null_needed[work.device] ||
                         (work.stream == nullptr && device_needed[work.device]);
        for (const void *stream : streams) {
            is_needed = is_needed || stream == work.stream;
        }
        if (is_needed) {
            needed[i] = true;
            device_needed[work.device] = true;
            if (work.stream == nullptr) {
                null_needed[work.device] = true;
            } else {
                streams.push_back(work.stream);
            }
        }
    }
    std::vector<Work> now, later;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        (needed[i] ? now : later).push_back(std::move(waiting[i]));
    }
    waiting = std::move(later);
    int first = 0;
    for (Work &work : now) {
        const int result = work.kernel != nullptr ? run_kernel(work) : run_copy(work);
        first = first != 0 ? first : result;
    }
    return first;
}

// Of a stream other than the null stream, which belongs to the device of its work.
bool of_another_device(const void *stream)
{
    for (const Work &work : waiting) {
        if (stream != nullptr && work.stream == stream && work.device != current_device) {
            return true;
        }
    }
    return false;
}

// Whether this call is the one that shall fail, or none can succeed.
int injected(const char *call)
{
    if (!usable) {
        return error("the emulated device could not be set up, or TDLS_EMULATOR_ORDER is none of "
                     "ascending, descending, random:SEED");
    }
    return fail_in > 0 && --fail_in == 0 ? error("%s: injected failure", call) : 0;
}

struct SetUp {
    SetUp()
    {
        prepare_host_guard();
        kernel_memory = reinterpret_cast<unsigned char *>(reserve_pages(page_bytes()));
        usable = kernel_memory != nullptr &&
                 mprotect(kernel_memory, page_bytes(), PROT_READ | PROT_WRITE) == 0 &&
                 prepare_memory() && prepare_blocks();
        const char *order = std::getenv("TDLS_EMULATOR_ORDER");
        usable = usable && (order == nullptr || set_order(order));
        const char *fail = std::getenv("TDLS_EMULATOR_FAIL");
        fail_in = fail != nullptr ? std::atoll(fail) : 0;
    }
};
const SetUp set_up;

} // namespace

int launch(const AnyKernel &kernel, std::int64_t blocks, int threads, std::size_t shared_bytes,
           void *stream)
{
    const std::lock_guard<std::mutex> guard(lock);
    const int wrong = injected("launch");
    if (wrong != 0) {
        return wrong;
    }
    if (threads < 1 || threads > most_threads || threads % width != 0 ||
        threads > kernel.max_threads) {
        return error("launch of %d threads per block: not 1 to %d, a multiple of %d, and at most "
                     "the kernel's %d",
                     threads, most_threads, width, kernel.max_threads);
    }
    if (blocks < 1 || blocks > INT32_MAX) {
        return error("launch of %lld blocks: not 1 to 2^31 - 1", static_cast<long long>(blocks));
    }
    if (shared_bytes > most_shared_bytes) {
        return error("launch with %zu bytes of shared memory: more than %zu", shared_bytes,
                     most_shared_bytes);
    }
    if (current_device >= device_number()) {
        return error("launch: there is no device %d", current_device);
    }
    if (of_another_device(stream)) {
        return error("launch: the stream is of another device");
    }
    auto object = std::make_unique<unsigned char[]>(kernel.bytes);
    std::memcpy(object.get(), kernel.object, kernel.bytes);
    waiting.push_back({current_device,
                       stream,
                       kernel.name,
                       std::move(object),
                       kernel.bytes,
                       {nullptr, kernel.run, blocks, threads, shared_bytes},
                       nullptr,
                       nullptr,
                       0});
    return 0;
}

} // namespace tdls::emulator

extern "C" {

__attribute__((visibility("default"))) void tdls_emulator_fail_at(std::int64_t k)
{
    const std::lock_guard<std::mutex> guard(tdls::emulator::lock);
    tdls::emulator::fail_in = k;
}

__attribute__((visibility("default"))) std::int64_t tdls_emulator_live_allocations()
{
    const std::lock_guard<std::mutex> guard(tdls::emulator::lock);
    return tdls::emulator::live_allocations();
}

__attribute__((visibility("default"))) std::int64_t tdls_emulator_waiting_work()
{
    const std::lock_guard<std::mutex> guard(tdls::emulator::lock);
    return static_cast<std::int64_t>(tdls::emulator::waiting.size());
}

__attribute__((visibility("default"))) int tdls_emulator_device_of(const void *address)
{
    return tdls::emulator::device_of_address(address);
}

__attribute__((visibility("default"))) int tdls_emulator_current_device()
{
    return tdls::emulator::current_device;
}

__attribute__((visibility("default"))) void tdls_emulator_set_order(const char *order)
{
    const std::lock_guard<std::mutex> guard(tdls::emulator::lock);
    tdls::emulator::usable = tdls::emulator::set_order(order);
}

} // extern "C"

namespace tdls::gpu
{

using namespace emulator;
using Guard = std::lock_guard<std::mutex>;

const char *EmulatedRuntime::text(Error code)
{
    const Guard guard(lock);
    const int index = code - first_error;
    return code == success ? "success"
           : index >= 0 && index < errors && index >= errors - texts_kept
               ? texts[index % texts_kept]
               : "an error that the emulated device does not know, or no longer";
}

bool EmulatedRuntime::is_out_of_memory(Error code)
{
    const Guard guard(lock);
    return code != success && code == last_out_of_memory;
}

EmulatedRuntime::Error EmulatedRuntime::device_count(int *count)
{
    const Guard guard(lock);
    const Error wrong = injected("device_count");
    if (wrong == success) {
        *count = device_number();
    }
    return wrong;
}

EmulatedRuntime::Error EmulatedRuntime::current_device(int *device)
{
    const Guard guard(lock);
    const Error wrong = injected("current_device");
    if (wrong == success) {
        *device = emulator::current_device;
    }
    return wrong;
}

EmulatedRuntime::Error EmulatedRuntime::use_device(int device)
{
    const Guard guard(lock);
    const Error wrong = injected("use_device");
    if (wrong != success) {
        return wrong;
    }
    if (device < 0 || device >= device_number()) {
        return error("use_device: there is no device %d", device);
    }
    emulator::current_device = device;
    return success;
}

EmulatedRuntime::Error EmulatedRuntime::describe(int device, DeviceFacts *facts)
{
    const Guard guard(lock);
    const Error wrong = injected("describe");
    if (wrong != success) {
        return wrong;
    }
    if (device < 0 || device >= device_number()) {
        return error("describe: there is no device %d", device);
    }
    *facts = {};
    std::snprintf(facts->name, sizeof facts->name, "emulated %s device %d", name, device);
    facts->warp_width = width;
    facts->multiprocessors = 4;
    facts->shared_bytes = most_shared_bytes;
    return success;
}

EmulatedRuntime::Error EmulatedRuntime::allocate(void **pointer, std::size_t bytes)
{
    const Guard guard(lock);
    const Error wrong = injected("allocate");
    if (wrong != success) {
        return wrong;
    }
    if (emulator::current_device >= device_number()) {
        return error("allocate: there is no device %d", emulator::current_device);
    }
    void *memory = allocate_memory(emulator::current_device, bytes);
    if (memory == nullptr) {
        last_out_of_memory = error("out of memory: %zu bytes are not to be had", bytes);
        return last_out_of_memory;
    }
    *pointer = memory;
    return success;
}

// As on a device, a failure is one of earlier work: the memory is released all the same.
EmulatedRuntime::Error EmulatedRuntime::release(void *pointer)
{
    const Guard guard(lock);
    const Error wrong = injected("release");
    const Allocation *allocation = find_allocation(pointer);
    if (allocation == nullptr || allocation->begin != pointer) {
        return pointer == nullptr ? wrong
                                  : error("release of %p, which was not allocated", pointer);
    }
    const int device = allocation->device;
    const Error earlier = run_waiting([=](const Work &work) { return work.device == device; });
    release_memory(*find_allocation(pointer));
    return wrong != success ? wrong : earlier;
}

EmulatedRuntime::Error EmulatedRuntime::copy(void *to, const void *from, std::size_t bytes,
                                             Stream stream)
{
    const Guard guard(lock);
    Error wrong = injected("copy");
    if (wrong != success || bytes == 0) {
        return wrong;
    }
    if (of_another_device(stream)) {
        return error("copy: the stream is of another device");
    }
    wrong = check_copy(to, from, bytes);
    if (wrong == success) {
        waiting.push_back(
            {emulator::current_device, stream, nullptr, nullptr, 0, {}, to, from, bytes});
    }
    return wrong;
}

EmulatedRuntime::Error EmulatedRuntime::synchronize(Stream stream)
{
    const Guard guard(lock);
    const Error wrong = injected("synchronize");
    const int device = emulator::current_device;
    const Error earlier = run_waiting([=](const Work &work) {
        return work.stream == stream && (stream != nullptr || work.device == device);
    });
    return wrong != success ? wrong : earlier;
}

} // namespace tdls::gpu
