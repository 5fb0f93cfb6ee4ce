// SPDX-License-Identifier: BSD-3-Clause
// A kernel set: the routines over a range of systems, compiled for one instruction set.
#pragma once

#include "backend.hpp"

namespace tdls
{
namespace cpu
{

// Each kernel does systems begin <= s < end on the calling thread. `scratch` holds at least
// scratch_bytes(batch) bytes, aligned to 64, and belongs to that thread during the call.
template <typename T>
struct Kernels {
    std::size_t (*scratch_bytes)(const Batch<T> &batch);
    void (*getrf)(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch);
    void (*getrs)(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch);
    void (*gesv)(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch);
};

struct KernelSet {
    const char *name; // as in TDLS_CPU_ISA
    Kernels<float> single_precision;
    Kernels<double> double_precision;
};

template <typename T>
static inline const Kernels<T> &of_type(const KernelSet &set)
{
    if constexpr (sizeof(T) == sizeof(float)) {
        return set.single_precision;
    } else {
        return set.double_precision;
    }
}

} // namespace cpu
} // namespace tdls
