// SPDX-License-Identifier: BSD-3-Clause
#include "block_runner.hpp"

#include <bit>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#include "host_guard.hpp"

namespace tdls::emulator
{

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

namespace
{

// What a lane can have come to. Its end is one of them: all lanes of a warp must come to it, and
// all warps of a block, before the next block begins.
enum class Stop : std::uint8_t { shuffle, ballot, warp_barrier, block_barrier, end };

struct Warp;

} // namespace

struct Lane {
    fcontext_t context;
    Warp *warp;
    const char *file; // of the stop
    int line;
    int number; // in the warp
    Stop stop;
};

namespace
{

// Lanes run in `order`, each to its next stop; a round is over when all have come to one.
struct Warp {
    Lane *lanes;
    int position; // in the order, of the lane that runs
    Stop stop;    // of the first lane of this round, and so of all unless they differ
    bool differs;
    const char *file;
    int line;
    unsigned round;
    // Of this round and the one before: a lane may come to the next stop while others have yet to
    // read what was given at this one, but not to the one after it.
    std::uint64_t ballots[2];
    std::uint64_t values[2][width];
    std::uint8_t order[width];
};

constexpr int most_warps = most_threads / width;

enum class Order { ascending, descending, random };

Order order = Order::ascending;
std::uint64_t random_state = 1;

Grid grid;
std::int64_t block;
int warps;
std::uint32_t runnable, ended; // a bit per warp; those in neither wait at the block's barrier
static_assert(most_warps <= 32);
Warp warp_pool[most_warps];
Lane lane_pool[most_threads];
Lane conductor; // starts blocks, on a stack of its own
Lane host;
Lane *running;
void (*explain_address)(const void *address);
char failure[900]; // "" if none

// Stacks, with a page without access below each: one per lane, and the conductor's.
char *stacks;
std::size_t stack_stride;
constexpr std::size_t stack_bytes = 64 * 1024;

char *shared_end; // a page without access follows
char *shared_memory;

std::uint64_t random_number()
{
    // xorshift64* of Vigna, "An experimental exploration of Marsaglia's xorshift generators"
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 2685821657736338717U;
}

// 0 .. count-1
unsigned random_below(unsigned count)
{
    return static_cast<unsigned>(((random_number() >> 32) * count) >> 32);
}

void switch_to(Lane &self, Lane &next)
{
    running = &next;
    const transfer_t from = jump_fcontext(next.context, &self);
    static_cast<Lane *>(from.data)->context = from.fctx;
}

int thread_of(const Lane &lane)
{
    return static_cast<int>(&lane - lane_pool);
}

__attribute__((format(printf, 1, 2))) void add_failure(const char *format, ...)
{
    const std::size_t used = std::strlen(failure);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(failure + used, sizeof failure - used, format, arguments);
    va_end(arguments);
}

const char *file_name(const char *path)
{
    const char *slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

void add_stop(const Lane &lane)
{
    static const char *const names[] = {"wait at a shuffle", "wait at a ballot",
                                        "wait at a warp barrier", "wait at a block barrier",
                                        "have ended"};
    add_failure(" %s", names[static_cast<int>(lane.stop)]);
    if (lane.stop != Stop::end) {
        add_failure(" (%s:%d)", file_name(lane.file), lane.line);
    }
}

bool same_stop(const Lane &a, const Lane &b)
{
    return a.stop == b.stop && a.line == b.line && std::strcmp(a.file, b.file) == 0;
}

// Which threads are where, in runs of neighbours.
void add_stops(const Lane *lanes, int count)
{
    for (int begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && same_stop(lanes[end], lanes[begin])) {
            ++end;
        }
        add_failure("%s thread%s %d", begin > 0 ? "," : "", end - begin > 1 ? "s" : "",
                    thread_of(lanes[begin]));
        if (end - begin > 1) {
            add_failure("-%d", thread_of(lanes[end - 1]));
        }
        add_stop(lanes[begin]);
    }
}

// Never returns to the lane.
void give_up(Lane &lane)
{
    switch_to(lane, conductor);
}

void start_round(Warp &warp)
{
    warp.position = 0;
    warp.differs = false;
    if (order == Order::random) {
        for (unsigned i = width - 1; i > 0; --i) {
            const unsigned other = random_below(i + 1);
            const std::uint8_t held = warp.order[i];
            warp.order[i] = warp.order[other];
            warp.order[other] = held;
        }
    }
}

Warp &next_warp()
{
    int warp = 0;
    if (order == Order::random) {
        std::uint32_t left = runnable;
        for (unsigned skip = random_below(static_cast<unsigned>(std::popcount(left))); skip > 0;
             --skip) {
            left &= left - 1;
        }
        warp = std::countr_zero(left);
    } else {
        warp = order == Order::ascending ? std::countr_zero(runnable)
                                         : 31 - std::countl_zero(runnable);
    }
    return warp_pool[warp];
}

// No warp can go on: all have ended, or all wait at the barrier, or something is wrong. Returns
// whether the block goes on.
bool pass_barrier()
{
    const std::uint32_t all = warps == 32 ? ~0U : (1U << warps) - 1;
    if (ended == all) {
        return false;
    }
    bool same = true;
    for (int w = 1; w < warps; ++w) {
        same = same && same_stop(lane_pool[w * width], lane_pool[0]);
    }
    if (!same) {
        add_failure("block %lld: %s:", static_cast<long long>(block),
                    ended != 0 ? "deadlock" : "its warps are at different barriers");
        add_stops(lane_pool, grid.threads);
        return false;
    }
    runnable = all;
    for (int w = 0; w < warps; ++w) {
        start_round(warp_pool[w]);
    }
    return true;
}

// All lanes of a warp have come to a stop. Returns which lane goes on.
Lane &finish_round(Warp &warp)
{
    if (warp.differs) {
        bool some_ended = false;
        for (int l = 0; l < width; ++l) {
            some_ended = some_ended || warp.lanes[l].stop == Stop::end;
        }
        add_failure("block %lld: %s:", static_cast<long long>(block),
                    some_ended ? "deadlock" : "the lanes of a warp diverge");
        add_stops(warp.lanes, width);
        return conductor;
    }
    if (warp.stop == Stop::end || warp.stop == Stop::block_barrier) {
        const std::uint32_t bit = 1U << (&warp - warp_pool);
        runnable &= ~bit;
        ended |= warp.stop == Stop::end ? bit : 0;
        if (runnable == 0 && !pass_barrier()) {
            return conductor;
        }
    } else {
        ++warp.round;
        warp.ballots[warp.round % 2] = 0;
        start_round(warp);
    }
    const Warp &next = next_warp();
    return next.lanes[next.order[next.position]];
}

void come_to(Lane &lane, Stop stop, const char *file, int line)
{
    Warp &warp = *lane.warp;
    lane.stop = stop;
    lane.file = file;
    lane.line = line;
    if (warp.position == 0) {
        warp.stop = stop;
        warp.file = file;
        warp.line = line;
    } else if (stop != warp.stop || line != warp.line ||
               (file != warp.file && std::strcmp(file, warp.file) != 0)) {
        warp.differs = true;
    }
    ++warp.position;
    Lane &next = warp.position < width ? warp.lanes[warp.order[warp.position]] : finish_round(warp);
    if (&next != &lane) {
        switch_to(lane, next);
    }
}

// A lane lives for a whole grid, and comes to an end once per block.
[[noreturn]] void run_lane(transfer_t from)
{
    static_cast<Lane *>(from.data)->context = from.fctx;
    Lane &lane = *running;
    for (;;) {
        const Thread thread(lane, shared_memory, thread_of(lane), grid.threads, block, grid.blocks);
        grid.run(grid.kernel, thread);
        come_to(lane, Stop::end, "", 0);
    }
}

std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b)
{
    while (b != 0) {
        const std::int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void run_blocks()
{
    // In random order block i is (i * factor + offset) modulo their number, which is below 2^31.
    std::int64_t factor = 1, offset = 0;
    if (order == Order::random) {
        offset = random_below(static_cast<unsigned>(grid.blocks));
        do {
            factor = 1 + random_below(static_cast<unsigned>(grid.blocks));
        } while (greatest_common_divisor(factor, grid.blocks) != 1);
    }
    for (std::int64_t i = 0; i < grid.blocks && failure[0] == '\0'; ++i) {
        block =
            order == Order::descending ? grid.blocks - 1 - i : (i * factor + offset) % grid.blocks;
        std::memset(shared_memory, fresh_byte, grid.shared_bytes);
        runnable = warps == 32 ? ~0U : (1U << warps) - 1;
        ended = 0;
        for (int w = 0; w < warps; ++w) {
            start_round(warp_pool[w]);
        }
        const Warp &first = next_warp();
        switch_to(conductor, first.lanes[first.order[0]]);
    }
}

[[noreturn]] void conduct(transfer_t from)
{
    static_cast<Lane *>(from.data)->context = from.fctx;
    close_host(host.context, explain_address);
    run_blocks();
    open_host();
    switch_to(conductor, host);
    std::abort(); // its context is made anew for each grid
}

void make_context(Lane &lane, std::size_t stack, void (*function)(transfer_t))
{
    // Stacks that begin at the same distance from a page would share lines of the cache.
    const std::size_t shift = stack % 61 * 320;
    char *top = stacks + (stack + 1) * stack_stride - shift;
    lane.context = make_fcontext(top, stack_bytes - shift, function);
}

} // namespace

bool prepare_blocks()
{
    const std::size_t page = page_bytes();
    stack_stride = stack_bytes + page;
    stacks = reserve_pages((most_threads + 1) * stack_stride);
    char *shared = reserve_pages(most_shared_bytes + 2 * page);
    if (stacks == nullptr || shared == nullptr) {
        return false;
    }
    for (std::size_t s = 0; s <= most_threads; ++s) {
        mprotect(stacks + s * stack_stride + page, stack_bytes, PROT_READ | PROT_WRITE);
    }
    shared_end = shared + page + most_shared_bytes;
    return mprotect(shared + page, most_shared_bytes, PROT_READ | PROT_WRITE) == 0;
}

bool set_order(const char *text)
{
    if (std::strcmp(text, "ascending") == 0) {
        order = Order::ascending;
    } else if (std::strcmp(text, "descending") == 0) {
        order = Order::descending;
    } else if (std::strncmp(text, "random:", 7) == 0 && text[7] != '\0') {
        char *end = nullptr;
        const auto seed = std::strtoull(text + 7, &end, 10);
        order = Order::random;
        random_state = (seed + 1) * 0x9E3779B97F4A7C15U | 1;
        return *end == '\0';
    } else {
        return false;
    }
    return true;
}

const char *run_grid(const Grid &given, void (*explain)(const void *address))
{
    grid = given;
    explain_address = explain;
    failure[0] = '\0';
    warps = grid.threads / width;
    shared_memory = shared_end - (grid.shared_bytes + 15) / 16 * 16;
    for (int w = 0; w < warps; ++w) {
        Warp &warp = warp_pool[w];
        warp.lanes = lane_pool + w * width;
        warp.round = 0;
        warp.ballots[0] = 0;
        for (int l = 0; l < width; ++l) {
            Lane &lane = warp.lanes[l];
            lane.warp = &warp;
            lane.number = l;
            make_context(lane, static_cast<std::size_t>(thread_of(lane)), run_lane);
            warp.order[l] =
                static_cast<std::uint8_t>(order == Order::descending ? width - 1 - l : l);
        }
    }
    make_context(conductor, most_threads, conduct);
    switch_to(host, conductor);
    return failure;
}

void write_position(char *text, std::size_t size)
{
    if (running >= lane_pool && running < lane_pool + most_threads) {
        std::snprintf(text, size, "block %lld, thread %d", static_cast<long long>(block),
                      thread_of(*running));
    } else {
        std::snprintf(text, size, "the emulator itself");
    }
}

const char *block_memory_name(const void *address)
{
    const auto *a = static_cast<const char *>(address);
    const std::size_t page = page_bytes();
    if (a >= shared_end - most_shared_bytes - page && a < shared_end + page) {
        return "beside its shared memory";
    }
    if (a >= stacks && a < stacks + (most_threads + 1) * stack_stride) {
        return "beyond the stack of a thread";
    }
    return nullptr;
}

std::uint64_t shuffle(Lane &lane, std::uint64_t value, int source, const char *file, int line)
{
    if (source < 0 || source >= width) {
        add_failure("block %lld, thread %d: shuffle from lane %d of a warp of %d (%s:%d)",
                    static_cast<long long>(block), thread_of(lane), source, width, file_name(file),
                    line);
        give_up(lane);
    }
    const Warp &warp = *lane.warp;
    const unsigned slot = warp.round % 2;
    lane.warp->values[slot][lane.number] = value;
    come_to(lane, Stop::shuffle, file, line);
    return warp.values[slot][source];
}

std::uint64_t ballot(Lane &lane, bool flag, const char *file, int line)
{
    Warp &warp = *lane.warp;
    const unsigned slot = warp.round % 2;
    warp.ballots[slot] |= static_cast<std::uint64_t>(flag) << lane.number;
    come_to(lane, Stop::ballot, file, line);
    return warp.ballots[slot];
}

void warp_barrier(Lane &lane, const char *file, int line)
{
    come_to(lane, Stop::warp_barrier, file, line);
}

void block_barrier(Lane &lane, const char *file, int line)
{
    come_to(lane, Stop::block_barrier, file, line);
}

} // namespace tdls::emulator
