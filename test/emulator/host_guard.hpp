// SPDX-License-Identifier: BSD-3-Clause
// Keeps kernels off the memory of the host.
#pragma once

#include <cstddef>

namespace tdls::emulator
{

std::size_t page_bytes();

// Address space without memory, of whole pages; null if there is none.
char *reserve_pages(std::size_t bytes);

// Has malloc use one piece of memory, the heap of brk, which can then be protected as a whole. To
// be called as early as possible.
void prepare_host_guard();

// From here on the heap, the stack of the host from `stack` upwards, and the variables of the
// program cannot be touched; and where memory is touched that cannot be, `explain` says on stderr
// what it was, in a line, before the process dies of it. Not called from the host's stack. With
// other threads in the process, which go on, the memory of the host stays as it is.
void close_host(const void *stack, void (*explain)(const void *address));
void open_host();

// Whether an address is one of those protected, and of what.
const char *host_memory_name(const void *address);

} // namespace tdls::emulator
