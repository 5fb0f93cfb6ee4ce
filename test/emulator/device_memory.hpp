// SPDX-License-Identifier: BSD-3-Clause
// Memory of the emulated devices. Each device has address space of its own that is never used
// twice, in which an allocation lies between pages without access. The memory itself cannot be
// touched either, unless it is opened.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tdls::emulator
{

constexpr int most_devices = 2;

struct Allocation {
    char *begin;
    std::size_t bytes;
    char *pages; // with some bytes to spare before and behind, which nobody may write
    std::size_t page_bytes;
    int device;
};

// Address space for all devices; false if there is none. Once.
bool prepare_memory();

// Null if the device's memory is exhausted.
void *allocate_memory(int device, std::size_t bytes);

// The allocation with this address in it, or null; valid until the next allocation or release.
const Allocation *find_allocation(const void *address);

// Of which device this would be an address, or -1: memory of the host.
int device_of_address(const void *address);

void release_memory(const Allocation &allocation);
std::int64_t live_allocations();

void open_memory(const Allocation &allocation);
void close_memory(const Allocation &allocation);
void open_device(int device);
void close_device(int device);

// Of an allocation of a device that is open, beside which something was written; else null.
const Allocation *spoilt_allocation(int device);

// What an address of a device is, for messages.
void describe_address(const void *address, char *text, std::size_t size);

} // namespace tdls::emulator
