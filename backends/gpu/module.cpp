// SPDX-License-Identifier: BSD-3-Clause
// A device module: the GPU backend for the runtime of TDLS_GPU_RUNTIME_HEADER.

#include TDLS_GPU_RUNTIME_HEADER

#include "gpu_backend.hpp"
#include "order_list.hpp"

extern "C" __attribute__((visibility("default"))) const tdls::Backend *tdls_backend_table()
{
    return &tdls::gpu::GpuBackend<tdls::gpu::TDLS_GPU_RUNTIME, tdls::gpu::RegisterOrders>::table;
}
