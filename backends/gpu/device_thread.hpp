// SPDX-License-Identifier: BSD-3-Clause
// A thread of a real device, NVIDIA's or AMD's, as kernels see it. A kernel is a plain struct whose
// operator()(const Thread &) runs once per thread; Thread is this class or the emulated device's.
// What it must have:
//   thread(), threads()        number in the block, and of the block's threads: whole warps
//   block(), blocks()          number of the block, and of blocks
//   warp_width()               32 or 64
//   shared()                   the dynamic shared memory of the block, aligned to 16 bytes
//   block_barrier()            of all threads of the block, for shared and global memory
//   warp_barrier()             of the lanes of the warp, for shared memory
//   shuffle(value, lane)       collective over the warp: the value of that lane
//   ballot(flag)               collective over the warp: a bit per lane
// Collectives are always of whole warps: with masks of a part, nvcc adds up to half as many
// instructions again. So no lane leaves early, and one without work goes along.
#pragma once

#include <cstdint>

#include <tdls/core/macros.hpp>

namespace tdls
{
namespace gpu
{

class DeviceThread
{
public:
    __device__ static int thread() { return static_cast<int>(threadIdx.x); }
    __device__ static int threads() { return static_cast<int>(blockDim.x); }
    __device__ static std::int64_t block() { return blockIdx.x; }
    __device__ static std::int64_t blocks() { return gridDim.x; }
    __device__ static constexpr int warp_width() { return width; }
    __device__ static void *shared()
    {
        extern __shared__ double dynamic_shared_memory[];
        return dynamic_shared_memory;
    }
    __device__ static void block_barrier() { __syncthreads(); }
    __device__ TDLS_FORCE_INLINE static void warp_barrier()
    {
#if defined(__HIP__)
        // A wavefront runs in step: the compiler alone must not move accesses across.
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        __builtin_amdgcn_wave_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
        __syncwarp();
#endif
    }

    template <typename T>
    __device__ TDLS_FORCE_INLINE static T shuffle(T value, int lane)
    {
#if defined(__HIP__)
        return __shfl(value, lane, width);
#else
        return __shfl_sync(0xffffffffU, value, lane);
#endif
    }
    __device__ TDLS_FORCE_INLINE static std::uint64_t ballot(bool flag)
    {
#if defined(__HIP__)
        return __ballot(flag ? 1 : 0);
#else
        return __ballot_sync(0xffffffffU, flag);
#endif
    }

private:
#if defined(__AMDGCN_WAVEFRONT_SIZE)
    static constexpr int width = __AMDGCN_WAVEFRONT_SIZE;
#else
    static constexpr int width = 32;
#endif
};

// On AMD the bound is what lets a thread have more than 128 registers; on NVIDIA it makes ptxas
// spill for the sake of more blocks.
#if defined(__HIP__)
#    define TDLS_GPU_BOUND(threads) __launch_bounds__(threads)
#else
#    define TDLS_GPU_BOUND(threads)
#endif

template <typename Kernel>
__global__ TDLS_GPU_BOUND(Kernel::max_threads) void run_kernel(const Kernel kernel)
{
    kernel(DeviceThread());
}

} // namespace gpu
} // namespace tdls
