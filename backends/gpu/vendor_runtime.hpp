// SPDX-License-Identifier: BSD-3-Clause
// A vendor's runtime as the launch layer calls it. CUDA and HIP differ in names alone, which are
// what Names holds: cuda_names.hpp, hip_names.hpp. For device compilers, which launch kernels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device_facts.hpp"
#include "device_thread.hpp"

namespace tdls
{
namespace gpu
{

template <typename Names>
struct VendorRuntime {
    static constexpr std::int32_t id = Names::id;
    static constexpr const char *name = Names::name;

    using Error = typename Names::Error;
    using Stream = typename Names::Stream;
    static constexpr Error success = Names::success;
    // HIP counts the threads of a grid in 32 bits.
    static constexpr std::int64_t largest_grid = 0x00ffffff;

    static const char *text(Error error) { return Names::error_string(error); }

    // A machine without a device, or without a driver, has none: that is no failure. The runtime
    // leaves the count unset then.
    static Error device_count(int *count)
    {
        *count = 0;
        const Error error = forget(Names::get_device_count(count));
        if (error == Names::no_device || error == Names::insufficient_driver) {
            *count = 0;
            return success;
        }
        return error;
    }
    static Error current_device(int *device) { return forget(Names::get_device(device)); }
    static Error use_device(int device) { return forget(Names::set_device(device)); }
    static Error describe(int device, DeviceFacts *facts)
    {
        return forget(Names::describe(device, facts));
    }
    static Error allocate(void **pointer, std::size_t bytes)
    {
        return forget(Names::malloc(pointer, bytes));
    }
    static Error release(void *pointer) { return forget(Names::free(pointer)); }
    static Error copy(void *to, const void *from, std::size_t bytes, Stream stream)
    {
        return forget(Names::memcpy_async(to, from, bytes, Names::copy_in_any_direction, stream));
    }
    static Error synchronize(Stream stream) { return forget(Names::stream_synchronize(stream)); }

    template <typename Kernel>
    static Error launch(const Kernel &kernel, std::int64_t blocks, int threads,
                        std::size_t shared_bytes, Stream stream)
    {
        // More than this has to be asked for, per kernel.
        constexpr std::size_t unasked = 48 * 1024;
        if (shared_bytes > unasked) {
            const Error error =
                Names::allow_shared(reinterpret_cast<const void *>(&run_kernel<Kernel>),
                                    static_cast<int>(shared_bytes));
            if (error != success) {
                return forget(error);
            }
        }
        run_kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), shared_bytes,
                     stream>>>(kernel);
        return Names::get_last_error();
    }

private:
    // The runtime keeps a failure for the thread's next question for its last error: a failure that
    // is returned here is not the application's to find.
    static Error forget(Error error)
    {
        if (error != success) {
            static_cast<void>(Names::get_last_error());
        }
        return error;
    }
};

} // namespace gpu
} // namespace tdls
