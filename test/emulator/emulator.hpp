// SPDX-License-Identifier: BSD-3-Clause
// A device emulated on the CPU: what kernels and the launch logic of backends/gpu are compiled
// against where no GPU is. Threads of a block are fibers, which run until their next collective;
// blocks run one after the other, and everything given to a stream runs as late as it may.
//
// Compiled for a warp width: TDLS_EMULATED_WIDTH is 32 (then it stands for the CUDA backend) or 64
// (for HIP).
//
// Environment:
//   TDLS_EMULATOR_ORDER    in which order lanes, warps and blocks run: ascending (the default),
//                          descending, or random:SEED
//   TDLS_EMULATOR_DEVICES  number of devices, 0 to 2; by default 2
//   TDLS_EMULATOR_FAIL     k: the k-th runtime call of the process fails
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <tdls/tdls.h>

#include "device_facts.hpp"

namespace tdls::emulator
{

constexpr int width = TDLS_EMULATED_WIDTH;
static_assert(width == 32 || width == 64);

struct Lane;

// Each returns when all lanes of the warp, or of the block, have called it. `file` and `line` say
// where it was called: all must have called it there.
std::uint64_t shuffle(Lane &lane, std::uint64_t value, int source, const char *file, int line);
std::uint64_t ballot(Lane &lane, bool flag, const char *file, int line);
void warp_barrier(Lane &lane, const char *file, int line);
void block_barrier(Lane &lane, const char *file, int line);

// What a kernel gets: one thread of a block.
class Thread
{
public:
    Thread(Lane &lane, void *shared, int thread, int threads, std::int64_t block,
           std::int64_t blocks)
        : lane_(lane), shared_(shared), block_(block), blocks_(blocks), thread_(thread),
          threads_(threads)
    {
    }
    Thread(const Thread &) = delete;
    Thread &operator=(const Thread &) = delete;

    int thread() const { return thread_; }
    int threads() const { return threads_; }
    std::int64_t block() const { return block_; }
    std::int64_t blocks() const { return blocks_; }
    int warp_width() const { return width; }
    void *shared() const { return shared_; }

    void block_barrier(const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        emulator::block_barrier(lane_, file, line);
    }
    void warp_barrier(const char *file = __builtin_FILE(), int line = __builtin_LINE()) const
    {
        emulator::warp_barrier(lane_, file, line);
    }
    template <typename T>
    T shuffle(T value, int lane, const char *file = __builtin_FILE(),
              int line = __builtin_LINE()) const
    {
        static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        bits = emulator::shuffle(lane_, bits, lane, file, line);
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    std::uint64_t ballot(bool flag, const char *file = __builtin_FILE(),
                         int line = __builtin_LINE()) const
    {
        return emulator::ballot(lane_, flag, file, line);
    }

private:
    Lane &lane_;
    void *shared_;
    std::int64_t block_;
    std::int64_t blocks_;
    int thread_;
    int threads_;
};

// A kernel without its type.
struct AnyKernel {
    const void *object;
    std::size_t bytes;
    void (*run)(const void *object, const Thread &thread);
    int max_threads;
    const char *name; // ends with the name of the type
};

// The most that a kernel object may take, as on the devices that CUDA 11 knows.
constexpr std::size_t kernel_bytes = 4096;

int launch(const AnyKernel &kernel, std::int64_t blocks, int threads, std::size_t shared_bytes,
           void *stream);

} // namespace tdls::emulator

// For tests, from within the module.
extern "C" {
// From now on the k-th runtime call fails; none with k = 0.
void tdls_emulator_fail_at(std::int64_t k);
// Blocks of device memory that were allocated and not yet released, of all devices.
std::int64_t tdls_emulator_live_allocations();
// Kernels and copies that were given to streams and have not been run.
std::int64_t tdls_emulator_waiting_work();
// The device whose memory an address is of, or -1; and the calling thread's current one.
int tdls_emulator_device_of(const void *address);
int tdls_emulator_current_device();
// As TDLS_EMULATOR_ORDER says.
void tdls_emulator_set_order(const char *order);
}

namespace tdls::gpu
{

struct EmulatedRuntime {
    static constexpr std::int32_t id = emulator::width == 32 ? TDLS_BACKEND_CUDA : TDLS_BACKEND_HIP;
    static constexpr const char *name = emulator::width == 32 ? "cuda" : "hip";

    using Error = int;
    using Stream = void *;
    static constexpr Error success = 0;
    // Small, so that what comes beyond it is seen.
    static constexpr std::int64_t largest_grid = 200;

    static const char *text(Error error);
    static bool is_out_of_memory(Error error);
    static Error device_count(int *count);
    static Error current_device(int *device);
    static Error use_device(int device);
    static Error describe(int device, DeviceFacts *facts);
    static Error allocate(void **pointer, std::size_t bytes);
    static Error release(void *pointer);
    static Error copy(void *to, const void *from, std::size_t bytes, Stream stream);
    static Error synchronize(Stream stream);

    template <typename Kernel>
    static Error launch(const Kernel &kernel, std::int64_t blocks, int threads,
                        std::size_t shared_bytes, Stream stream)
    {
        static_assert(std::is_trivially_copyable_v<Kernel>);
        static_assert(sizeof(Kernel) <= emulator::kernel_bytes && alignof(Kernel) <= 64);
        static_assert(Kernel::max_threads > 0 && Kernel::max_threads <= 1024);
        const auto run = [](const void *object, const emulator::Thread &thread) {
            (*static_cast<const Kernel *>(object))(thread);
        };
        return emulator::launch(
            {&kernel, sizeof kernel, run, Kernel::max_threads, __PRETTY_FUNCTION__}, blocks,
            threads, shared_bytes, stream);
    }
};

} // namespace tdls::gpu
