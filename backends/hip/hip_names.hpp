// SPDX-License-Identifier: BSD-3-Clause
// The HIP runtime's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <hip/hip_runtime.h>

#include <tdls/tdls.h>

#include "vendor_runtime.hpp"

namespace tdls
{
namespace gpu
{

struct HipNames {
    static constexpr std::int32_t id = TDLS_BACKEND_HIP;
    static constexpr const char *name = "hip";

    using Error = hipError_t;
    using Stream = hipStream_t;
    static constexpr Error success = hipSuccess;
    static constexpr Error no_device = hipErrorNoDevice;
    static constexpr Error insufficient_driver = hipErrorInsufficientDriver;
    static constexpr hipMemcpyKind copy_in_any_direction = hipMemcpyDefault;

    static constexpr const char *(*error_string)(Error) = hipGetErrorString;
    static constexpr Error (*get_last_error)() = hipGetLastError;
    static constexpr Error (*get_device_count)(int *) = hipGetDeviceCount;
    static constexpr Error (*get_device)(int *) = hipGetDevice;
    static constexpr Error (*set_device)(int) = hipSetDevice;
    static constexpr Error (*malloc)(void **, std::size_t) = hipMalloc;
    static constexpr Error (*free)(void *) = hipFree;
    static constexpr Error (*memcpy_async)(void *, const void *, std::size_t, hipMemcpyKind,
                                           Stream) = hipMemcpyAsync;
    static constexpr Error (*stream_synchronize)(Stream) = hipStreamSynchronize;

    static Error describe(int device, DeviceFacts *facts)
    {
        hipDeviceProp_t properties;
        const Error error = hipGetDeviceProperties(&properties, device);
        if (error == success) {
            std::snprintf(facts->name, sizeof facts->name, "%s (%s)", properties.name,
                          properties.gcnArchName);
            facts->warp_width = properties.warpSize;
            facts->multiprocessors = properties.multiProcessorCount;
            facts->shared_bytes = properties.sharedMemPerBlock;
        }
        return error;
    }
    // All of it may be used unasked.
    static Error allow_shared(const void *, int) { return success; }
};

using HipRuntime = VendorRuntime<HipNames>;

} // namespace gpu
} // namespace tdls
