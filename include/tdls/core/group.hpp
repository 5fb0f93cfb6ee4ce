// SPDX-License-Identifier: BSD-3-Clause
/// @file group.hpp
/// @brief Groups of threads and their barriers.
//
// A group shares one system. It needs a barrier that makes what each of its threads wrote, in the
// workspace and in the operands, visible to all of them:
//   AutoSync      (default) deduced per target:
//                   one thread        nothing
//                   NVIDIA            __syncwarp of the lanes of the warp that came with the same
//                                     workspace; a group that is not complete is reported and
//                                     trapped
//                   AMD               fences of the wavefront; a group lies within one
//                   CPU               a counter and a flag in the first two elements of the
//                   workspace
//   NoSync        nothing; refused for more than one thread
//   any callable  that takes no argument, called by every thread of the group; used without checks
// What a call needs of the deduced barrier is made on entry by make_group_sync().
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <tdls/core/macros.hpp>

#if !TDLS_TARGET_AMD
#    include <cstdio>
#endif
#if TDLS_TARGET_HOST
#    include <chrono>
#    include <cstdlib>
#    include <thread>
#endif

namespace tdls
{
inline namespace TDLS_CORE_ABI
{

/// The default barrier, deduced per target: nothing for one thread; on NVIDIA the lanes of the warp
/// that came with the same workspace; on AMD the wavefront; on a CPU a counter and a flag in the
/// first two elements of the workspace.
/// @ingroup tdls_core
struct AutoSync {
};

/// No barrier: refused for a group of more than one thread.
/// @ingroup tdls_core
struct NoSync {
    /// Does nothing.
    TDLS_HOST_DEVICE constexpr void operator()() const noexcept {}
};

namespace detail
{

// The widest group that the deduced barrier knows, 0 for no limit.
#if TDLS_TARGET_NVIDIA
inline constexpr int widest_deduced_group = 32;
#elif TDLS_TARGET_AMD
#    if defined(__AMDGCN_WAVEFRONT_SIZE)
inline constexpr int widest_deduced_group = __AMDGCN_WAVEFRONT_SIZE;
#    else
inline constexpr int widest_deduced_group = 32;
#    endif
#else
inline constexpr int widest_deduced_group = 0;
#endif

#if TDLS_TARGET_HOST

// The barrier of threads on a CPU. Its state lies in the first bytes of the first two elements of
// the workspace: how many threads have arrived, and a flag that turns over when all have. Between
// calls the counter is 0 and the flag 0 or 1, so that a workspace of zeros is ready.
class CpuBarrier
{
public:
    template <typename T>
    CpuBarrier(T *work, int threads) noexcept
        : arrived_(reinterpret_cast<Word *>(work)), flag_(reinterpret_cast<Word *>(work + 1)),
          threads_(static_cast<std::uint32_t>(threads))
    {
        static_assert(sizeof(T) >= sizeof(Word));
        // The flag turns only after this thread has arrived, so the value read here is that of the
        // last barrier.
        turned_ = load(flag_, __ATOMIC_ACQUIRE);
        if (turned_ > 1 || load(arrived_, __ATOMIC_RELAXED) >= threads_) {
            stop();
        }
    }

    void wait() noexcept
    {
        const std::uint32_t next = 1 - turned_;
        const std::uint32_t before = __atomic_fetch_add(arrived_, 1U, __ATOMIC_ACQ_REL);
        if (before >= threads_) {
            stop();
        }
        if (before + 1 == threads_) {
            __atomic_store_n(arrived_, 0U, __ATOMIC_RELAXED);
            __atomic_store_n(flag_, next, __ATOMIC_RELEASE);
        } else {
            wait_for(next);
        }
        turned_ = next;
    }

private:
    // The elements are of type T otherwise.
    using Word __attribute__((may_alias)) = std::uint32_t;

    static std::uint32_t load(const Word *word, int order) noexcept
    {
        return order == __ATOMIC_ACQUIRE ? __atomic_load_n(word, __ATOMIC_ACQUIRE)
                                         : __atomic_load_n(word, __ATOMIC_RELAXED);
    }

    void wait_for(std::uint32_t next) const noexcept
    {
        constexpr int spins = 200;
        constexpr int yields_between_looks = 1000;
        using Clock = std::chrono::steady_clock;
        for (int i = 0; i < spins; ++i) {
            if (load(flag_, __ATOMIC_ACQUIRE) == next) {
                return;
            }
        }
        const auto start = Clock::now();
        for (bool told = false; load(flag_, __ATOMIC_ACQUIRE) != next;) {
            for (int i = 0; i < yields_between_looks && load(flag_, __ATOMIC_ACQUIRE) != next;
                 ++i) {
                std::this_thread::yield();
            }
            if (!told && Clock::now() - start > std::chrono::seconds(1)) {
                told = true;
                std::fprintf(stderr,
                             "tdls: a thread has waited for a second at the barrier of its group, "
                             "where %u of %u threads are: does every thread of the group make the "
                             "same calls with the same workspace?\n",
                             static_cast<unsigned>(load(arrived_, __ATOMIC_RELAXED)),
                             static_cast<unsigned>(threads_));
            }
        }
    }

    [[noreturn]] static void stop() noexcept
    {
        std::fprintf(stderr,
                     "tdls: the first two elements of a workspace do not hold the state of a "
                     "barrier: they must be zero before the first call of a group, and no "
                     "other group may use them meanwhile\n");
        std::abort();
    }

    Word *arrived_;
    Word *flag_;
    std::uint32_t threads_;
    std::uint32_t turned_;
};

#endif

// A message that ends its line and holds no %, and the end of the program.
TDLS_HOST_DEVICE inline void stop_with(const char *message) noexcept
{
#if TDLS_TARGET_HOST
    std::fprintf(stderr, "%s", message);
    std::abort();
#elif TDLS_TARGET_NVIDIA
    printf(message); // without arguments: those would take a stack frame
    __trap();
#else
    // Device code of HIP has no printf without the headers of its runtime.
    (void)message;
    __builtin_trap();
#endif
}

// The deduced barrier of a call: a type that is the same in every pass of a compiler.
template <typename T>
class GroupSync
{
public:
    // Every thread of the group, with the workspace of the group.
    TDLS_HOST_DEVICE constexpr GroupSync(T *work, int threads) noexcept
        : work_(work), threads_(threads)
    {
        if (threads_ > 1) {
            enter();
        }
    }

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr void operator()() noexcept
    {
        if (threads_ > 1) {
            wait();
        }
    }

private:
    TDLS_HOST_DEVICE void enter() noexcept
    {
#if TDLS_TARGET_NVIDIA
        const auto key = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(work_));
        lanes_ = __match_any_sync(__activemask(), key);
        if (__popc(static_cast<unsigned>(lanes_)) != threads_) {
            stop_with("tdls: a group is not complete: all its threads must lie in one warp, enter "
                      "the call "
                      "together, and pass the same workspace, which is no other group's\n");
        }
#elif TDLS_TARGET_AMD
        if (__builtin_popcountll(__builtin_amdgcn_read_exec()) < threads_) {
            stop_with("tdls: a group is not complete: all its threads must lie in one wavefront\n");
        }
#endif
    }

    TDLS_HOST_DEVICE TDLS_FORCE_INLINE void wait() noexcept
    {
#if TDLS_TARGET_NVIDIA
        __syncwarp(static_cast<unsigned>(lanes_));
#elif TDLS_TARGET_AMD
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        __builtin_amdgcn_wave_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
        CpuBarrier(work_, threads_).wait();
#endif
    }

    T *work_;
    int threads_;
    [[maybe_unused]] std::uint32_t lanes_ = 0;
};

// The type of the barrier that a call uses, from the type given and the argument, if there is one.
template <typename Sync, typename... Given>
struct SyncOf {
    using type = Sync;
};
template <typename Sync, typename Given>
struct SyncOf<Sync, Given> {
    using type = Given;
};

template <typename Sync>
inline constexpr bool is_auto_sync = std::is_same_v<std::remove_cvref_t<Sync>, AutoSync>;
template <typename Sync>
inline constexpr bool is_no_sync = std::is_same_v<std::remove_cvref_t<Sync>, NoSync>;

template <typename Sync>
constexpr bool sync_is_noexcept() noexcept
{
    if constexpr (is_auto_sync<Sync>) {
        return true;
    } else {
        return std::is_nothrow_invocable_v<std::remove_reference_t<Sync> &>;
    }
}

// The barrier of a call: the deduced one, the one given, or one made of the type given.
template <typename Sync, typename T, typename... Given>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr decltype(auto) barrier_of(T *work, int threads,
                                                                           Given &...given) noexcept
{
    if constexpr (is_auto_sync<Sync>) {
        return GroupSync<T>(work, threads);
    } else if constexpr (sizeof...(Given) == 0) {
        return std::remove_cvref_t<Sync>{};
    } else {
        return (given, ...);
    }
}

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
