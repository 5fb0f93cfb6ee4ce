// SPDX-License-Identifier: BSD-3-Clause
#include "device_memory.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <sys/mman.h>

#include "block_runner.hpp"
#include "host_guard.hpp"

namespace tdls::emulator
{

namespace
{

constexpr std::size_t space_bytes = std::size_t(1) << 42;  // of addresses, per device
constexpr std::size_t memory_bytes = std::size_t(1) << 38; // most that is allocated at a time
constexpr std::size_t alignment = 256;

// Larger allocations stay as the system gives them, so that a test can have one which it hardly
// touches.
constexpr std::size_t most_filled = std::size_t(64) << 20;

struct Device {
    char *space;
    std::size_t space_used;
    std::size_t memory_used;
};

Device devices[most_devices];
std::vector<Allocation> live; // by address, device by device
constexpr std::size_t freed_kept = 256;
Allocation freed[freed_kept]; // the last ones, for messages
std::size_t freed_count;

void protect(const Allocation &allocation, int protection)
{
    if (mprotect(allocation.pages, allocation.page_bytes, protection) != 0) {
        std::perror("emulated device: mprotect of device memory");
        std::abort();
    }
}

bool all_fresh(const char *begin, const char *end)
{
    for (; begin < end; ++begin) {
        if (static_cast<unsigned char>(*begin) != fresh_byte) {
            return false;
        }
    }
    return true;
}

bool contains(const Allocation &allocation, const void *address)
{
    const auto *a = static_cast<const char *>(address);
    return allocation.begin <= a && a < allocation.begin + allocation.bytes;
}

// Bytes from an allocation to an address, 0 within.
std::size_t distance(const Allocation &allocation, const char *address)
{
    return address < allocation.begin ? static_cast<std::size_t>(allocation.begin - address)
           : contains(allocation, address)
               ? 0
               : static_cast<std::size_t>(address - allocation.begin) - allocation.bytes + 1;
}

} // namespace

bool prepare_memory()
{
    for (Device &device : devices) {
        device.space = reserve_pages(space_bytes);
        if (device.space == nullptr) {
            return false;
        }
        device.space_used = page_bytes();
    }
    return true;
}

void *allocate_memory(int number, std::size_t bytes)
{
    Device &device = devices[number];
    const std::size_t page = page_bytes();
    if (bytes > memory_bytes - device.memory_used) {
        return nullptr;
    }
    // The end lies before a page without access, as near as the alignment allows.
    const std::size_t aligned = (bytes + alignment - 1) / alignment * alignment;
    const std::size_t whole = (aligned + page - 1) / page * page;
    if (whole + page > space_bytes - device.space_used) {
        return nullptr;
    }
    char *pages = device.space + device.space_used;
    if (mprotect(pages, whole, PROT_READ | PROT_WRITE) != 0) {
        return nullptr;
    }
    device.space_used += whole + page;
    device.memory_used += bytes;
    char *begin = pages + whole - aligned;
    const std::size_t before = whole - aligned;
    if (bytes <= most_filled) {
        std::memset(begin, fresh_byte, bytes);
    }
    std::memset(pages, fresh_byte, before);
    std::memset(begin + bytes, fresh_byte, aligned - bytes);
    const Allocation allocation = {begin, bytes, pages, whole, number};
    close_memory(allocation);
    live.push_back(allocation);
    return begin;
}

const Allocation *find_allocation(const void *address)
{
    for (const Allocation &allocation : live) {
        if (contains(allocation, address)) {
            return &allocation;
        }
    }
    return nullptr;
}

int device_of_address(const void *address)
{
    const auto *a = static_cast<const char *>(address);
    for (int d = 0; d < most_devices; ++d) {
        if (a >= devices[d].space && a < devices[d].space + space_bytes) {
            return d;
        }
    }
    return -1;
}

void release_memory(const Allocation &allocation)
{
    // Gives the memory back and keeps the addresses.
    mmap(allocation.pages, allocation.page_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    devices[allocation.device].memory_used -= allocation.bytes;
    freed[freed_count++ % freed_kept] = allocation;
    live.erase(live.begin() + (&allocation - live.data()));
}

std::int64_t live_allocations()
{
    return static_cast<std::int64_t>(live.size());
}

void open_memory(const Allocation &allocation)
{
    protect(allocation, PROT_READ | PROT_WRITE);
}

void close_memory(const Allocation &allocation)
{
    protect(allocation, PROT_NONE);
}

void open_device(int device)
{
    for (const Allocation &allocation : live) {
        if (allocation.device == device) {
            open_memory(allocation);
        }
    }
}

void close_device(int device)
{
    for (const Allocation &allocation : live) {
        if (allocation.device == device) {
            close_memory(allocation);
        }
    }
}

const Allocation *spoilt_allocation(int device)
{
    for (const Allocation &allocation : live) {
        if (allocation.device == device && !(all_fresh(allocation.pages, allocation.begin) &&
                                             all_fresh(allocation.begin + allocation.bytes,
                                                       allocation.pages + allocation.page_bytes))) {
            return &allocation;
        }
    }
    return nullptr;
}

void describe_address(const void *address, char *text, std::size_t size)
{
    const auto *a = static_cast<const char *>(address);
    const Allocation *nearest = nullptr;
    bool alive = true;
    for (const Allocation &allocation : live) {
        if (nearest == nullptr || distance(allocation, a) < distance(*nearest, a)) {
            nearest = &allocation;
        }
    }
    for (const Allocation &allocation : freed) {
        if (allocation.bytes > 0 &&
            (nearest == nullptr || distance(allocation, a) < distance(*nearest, a))) {
            nearest = &allocation;
            alive = false;
        }
    }
    const int device = device_of_address(address);
    if (nearest == nullptr) {
        std::snprintf(text, size, "memory of device %d that was never allocated", device);
    } else if (contains(*nearest, a)) {
        std::snprintf(text, size, "%s of device %d, byte %zu of %zu",
                      alive ? "memory" : "released memory", device,
                      static_cast<std::size_t>(a - nearest->begin), nearest->bytes);
    } else {
        std::snprintf(text, size,
                      "memory of device %d out of bounds, %zu byte%s %s %s of %zu bytes", device,
                      distance(*nearest, a), distance(*nearest, a) > 1 ? "s" : "",
                      a < nearest->begin ? "before" : "behind",
                      alive ? "an allocation" : "a released allocation", nearest->bytes);
    }
}

} // namespace tdls::emulator
