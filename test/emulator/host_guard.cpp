// SPDX-License-Identifier: BSD-3-Clause
#include "host_guard.hpp"

#include <cinttypes>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tdls::emulator
{

namespace
{

struct Range {
    std::uintptr_t begin = 0, end = 0;

    bool contains(const void *address) const
    {
        const auto a = reinterpret_cast<std::uintptr_t>(address);
        return begin <= a && a < end;
    }
    void protect(int protection) const
    {
        if (begin < end &&
            mprotect(reinterpret_cast<void *>(begin), end - begin, protection) != 0) {
            std::perror("emulated device: mprotect of host memory");
            std::abort();
        }
    }
};

constexpr std::size_t signal_stack_bytes = 128 * 1024;

std::uintptr_t page_mask;
std::uintptr_t heap_begin;
Range main_stack;
Range variables; // of the program
char *signal_stack;
void (*explain_address)(const void *address);

// What is protected at present.
Range heap_now, stack_now, variables_now;
struct sigaction segv_before, bus_before;
stack_t signal_stack_before;

std::uintptr_t page_of(std::uintptr_t address)
{
    return address & ~page_mask;
}

// The beginning of the heap, and the end of the main thread's stack.
void read_maps()
{
    std::FILE *maps = std::fopen("/proc/self/maps", "re");
    char line[512];
    while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
        std::uintptr_t begin = 0, end = 0;
        if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2) {
            continue;
        }
        if (std::strstr(line, "[heap]") != nullptr && heap_begin == 0) {
            heap_begin = begin;
        } else if (std::strstr(line, "[stack]") != nullptr) {
            main_stack = {begin, end};
        }
    }
    if (maps != nullptr) {
        std::fclose(maps);
    }
}

// The writable memory of the program, which comes first; without what became read-only.
int find_variables(struct dl_phdr_info *info, std::size_t, void *)
{
    std::uintptr_t read_only_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &header = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
            variables = {page_of(begin + page_mask), page_of(begin + header.p_memsz + page_mask)};
        } else if (header.p_type == PT_GNU_RELRO) {
            read_only_end = page_of(begin + header.p_memsz + page_mask);
        }
    }
    if (variables.begin < read_only_end && read_only_end <= variables.end) {
        variables.begin = read_only_end;
    }
    return 1;
}

bool single_threaded()
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3; // ., .., one thread
}

extern "C" void die_of_access(int number, siginfo_t *info, void *)
{
    open_host();
    std::signal(number, SIG_DFL);
    explain_address(info->si_addr);
    std::raise(number);
}

} // namespace

std::size_t page_bytes()
{
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

char *reserve_pages(std::size_t bytes)
{
    void *memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

void prepare_host_guard()
{
    page_mask = page_bytes() - 1;
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_ARENA_MAX, 1);
    std::free(std::malloc(1)); // so that there is a heap
    read_maps();
    dl_iterate_phdr(find_variables, nullptr);
    if (variables.contains(&variables)) {
        variables = {}; // the emulator is part of the program, and needs its own
    }
    signal_stack = reserve_pages(signal_stack_bytes);
    if (signal_stack != nullptr) {
        mprotect(signal_stack, signal_stack_bytes, PROT_READ | PROT_WRITE);
    }
}

void close_host(const void *stack, void (*explain)(const void *address))
{
    explain_address = explain;
    stack_t own = {};
    own.ss_sp = signal_stack;
    own.ss_size = signal_stack_bytes;
    sigaltstack(&own, &signal_stack_before);
    struct sigaction action = {};
    action.sa_sigaction = die_of_access;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &segv_before);
    sigaction(SIGBUS, &action, &bus_before);
    if (!single_threaded()) {
        return;
    }
    heap_now = {heap_begin, page_of(reinterpret_cast<std::uintptr_t>(sbrk(0)) + page_mask)};
    if (main_stack.contains(stack)) {
        stack_now = {page_of(reinterpret_cast<std::uintptr_t>(stack)), main_stack.end};
    }
    variables_now = variables;
    heap_now.protect(PROT_NONE);
    stack_now.protect(PROT_NONE);
    variables_now.protect(PROT_NONE);
}

void open_host()
{
    heap_now.protect(PROT_READ | PROT_WRITE);
    stack_now.protect(PROT_READ | PROT_WRITE);
    variables_now.protect(PROT_READ | PROT_WRITE);
    heap_now = stack_now = variables_now = {};
    sigaction(SIGSEGV, &segv_before, nullptr);
    sigaction(SIGBUS, &bus_before, nullptr);
    sigaltstack(&signal_stack_before, nullptr);
}

const char *host_memory_name(const void *address)
{
    const Range heap = {heap_begin, reinterpret_cast<std::uintptr_t>(sbrk(0))};
    return heap.contains(address)         ? "memory of the host, from malloc"
           : main_stack.contains(address) ? "memory of the host, on its stack"
           : variables.contains(address)  ? "memory of the host, a variable"
                                          : nullptr;
}

} // namespace tdls::emulator
