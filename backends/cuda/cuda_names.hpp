// SPDX-License-Identifier: BSD-3-Clause
// The CUDA runtime's names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <cuda_runtime.h>

#include <tdls/tdls.h>

#include "vendor_runtime.hpp"

namespace tdls
{
namespace gpu
{

struct CudaNames {
    static constexpr std::int32_t id = TDLS_BACKEND_CUDA;
    static constexpr const char *name = "cuda";

    using Error = cudaError_t;
    using Stream = cudaStream_t;
    static constexpr Error success = cudaSuccess;
    static constexpr Error no_device = cudaErrorNoDevice;
    static constexpr Error insufficient_driver = cudaErrorInsufficientDriver;
    static constexpr cudaMemcpyKind copy_in_any_direction = cudaMemcpyDefault;

    static constexpr const char *(*error_string)(Error) = cudaGetErrorString;
    static constexpr Error (*get_last_error)() = cudaGetLastError;
    static constexpr Error (*get_device_count)(int *) = cudaGetDeviceCount;
    static constexpr Error (*get_device)(int *) = cudaGetDevice;
    static constexpr Error (*set_device)(int) = cudaSetDevice;
    static constexpr Error (*malloc)(void **, std::size_t) = cudaMalloc;
    static constexpr Error (*free)(void *) = cudaFree;
    static constexpr Error (*memcpy_async)(void *, const void *, std::size_t, cudaMemcpyKind,
                                           Stream) = cudaMemcpyAsync;
    static constexpr Error (*stream_synchronize)(Stream) = cudaStreamSynchronize;

    static Error describe(int device, DeviceFacts *facts)
    {
        cudaDeviceProp properties;
        const Error error = cudaGetDeviceProperties(&properties, device);
        if (error == success) {
            std::snprintf(facts->name, sizeof facts->name, "%s", properties.name);
            facts->warp_width = properties.warpSize;
            facts->multiprocessors = properties.multiProcessorCount;
            facts->shared_bytes = properties.sharedMemPerBlockOptin;
        }
        return error;
    }
    static Error allow_shared(const void *kernel, int bytes)
    {
        return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    }
};

using CudaRuntime = VendorRuntime<CudaNames>;

} // namespace gpu
} // namespace tdls
