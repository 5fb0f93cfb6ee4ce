// SPDX-License-Identifier: BSD-3-Clause
// What the launch layer must know of a device.
#pragma once

#include <cstddef>

namespace tdls
{
namespace gpu
{

struct DeviceFacts {
    char name[256];
    int warp_width;           // 32, or 64 on some devices of AMD
    int multiprocessors;      // how many blocks run at the same time, at least
    std::size_t shared_bytes; // the most dynamic shared memory that a block can have
};

} // namespace gpu
} // namespace tdls
