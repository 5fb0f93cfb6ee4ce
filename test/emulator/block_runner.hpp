// SPDX-License-Identifier: BSD-3-Clause
// Runs the blocks of a kernel: lanes as fibers, warps, barriers, orders.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator.hpp"

namespace tdls::emulator
{

constexpr int most_threads = 1024;
constexpr std::size_t most_shared_bytes = (width == 32 ? 96 : 64) * 1024;

// All bytes of fresh memory: NaN in every type of the library, and no address.
constexpr int fresh_byte = 0xFF;

// A kernel with its arguments, as it is to run.
struct Grid {
    const void *kernel; // not in memory that the host guard protects
    void (*run)(const void *object, const Thread &thread);
    std::int64_t blocks;
    int threads;
    std::size_t shared_bytes;
};

// Address space and stacks; false if there are none. Once.
bool prepare_blocks();

// False if the text names no order.
bool set_order(const char *text);

// Returns "", or what went wrong; then the other blocks are not run.
const char *run_grid(const Grid &grid, void (*explain)(const void *address));

// "block 3, thread 17", of the thread that runs.
void write_position(char *text, std::size_t size);

// Says of an address that it belongs to shared memory or a fiber's stack; else null.
const char *block_memory_name(const void *address);

} // namespace tdls::emulator
