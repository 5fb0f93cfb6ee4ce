// SPDX-License-Identifier: BSD-3-Clause
// How the columns of a system and the slots of a thread are gone through: by constants, so that
// rows held in registers are never indexed by a variable, or by loops.
//
// Row r of S belongs to slot r / threads of thread r % threads.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include <tdls/core/macros.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

template <int I>
using Index = std::integral_constant<int, I>;

TDLS_HOST_DEVICE constexpr int value_of(int i) noexcept
{
    return i;
}
template <int I>
TDLS_HOST_DEVICE constexpr int value_of(Index<I>) noexcept
{
    return I;
}

TDLS_HOST_DEVICE constexpr int next(int i) noexcept
{
    return i + 1;
}
template <int I>
TDLS_HOST_DEVICE constexpr Index<I + 1> next(Index<I>) noexcept
{
    return {};
}

using Distance = std::int64_t;
template <std::int64_t D>
using FixedDistance = std::integral_constant<std::int64_t, D>;

TDLS_HOST_DEVICE constexpr std::int64_t distance(std::int64_t d) noexcept
{
    return d;
}
template <std::int64_t D>
TDLS_HOST_DEVICE constexpr std::int64_t distance(FixedDistance<D>) noexcept
{
    return D;
}

// Calls fn once per index of the sequence, in increasing order, with the index as a constant.
TDLS_CALLS_GIVEN
template <typename Fn, int... Ks>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void
unroll_K_impl(Fn &fn, std::integer_sequence<int, Ks...>) noexcept
{
    (fn(std::integral_constant<int, Ks>{}), ...);
}

// The slots K = 0 .. R-1 of a thread, as constants. fn calls no barrier.
TDLS_CALLS_GIVEN
template <int R, typename Fn>
TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void unroll_K(Fn &&fn) noexcept
{
    unroll_K_impl(fn, std::make_integer_sequence<int, R>{});
}

// Columns of a system of which the order is a constant. Unrolled: every index is a constant as
// well, so that rows held in registers are never indexed by a variable.
template <int N, bool Unrolled>
struct FixedSteps {
    static constexpr bool unrolled = Unrolled;

    TDLS_HOST_DEVICE static constexpr int order() noexcept { return N; }

    // k = 0 .. n-1; fn may call a barrier
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void ascend(Fn &&fn)
    {
        if constexpr (Unrolled) {
            ascend_from<0>(fn, std::make_integer_sequence<int, N>{});
        } else {
            TDLS_NO_UNROLL
            for (int k = 0; k < N; ++k) {
                fn(k);
            }
        }
    }
    // k = n-1 .. 0; fn may call a barrier
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void descend(Fn &&fn)
    {
        if constexpr (Unrolled) {
            descend_to_0(fn, std::make_integer_sequence<int, N>{});
        } else {
            TDLS_NO_UNROLL
            for (int k = N - 1; k >= 0; --k) {
                fn(k);
            }
        }
    }
    // j = first .. n-1
    template <typename Begin, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void from(Begin first, Fn &&fn)
    {
        if constexpr (Unrolled) {
            // A loop of constant length for the compiler to unroll, since every instance of fn
            // takes it time: there are N of them so, and N*N by constants.
            TDLS_UNROLL
            for (int j = Begin::value; j < N; ++j) {
                fn(j);
            }
        } else {
            TDLS_NO_UNROLL
            for (int j = value_of(first); j < N; ++j) {
                fn(j);
            }
        }
    }

private:
    template <int First, typename Fn, int... Js>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    ascend_from(Fn &fn, std::integer_sequence<int, Js...>)
    {
        (fn(Index<First + Js>{}), ...);
    }
    template <typename Fn, int... Ks>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU static constexpr void
    descend_to_0(Fn &fn, std::integer_sequence<int, Ks...>)
    {
        (fn(Index<N - 1 - Ks>{}), ...);
    }
};

// Columns of a system of which the order is a variable.
struct RunTimeSteps {
    static constexpr bool unrolled = false;

    int n;

    TDLS_HOST_DEVICE constexpr int order() const noexcept { return n; }

    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void ascend(Fn &&fn) const
    {
        from(0, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void descend(Fn &&fn) const
    {
        for (int k = n - 1; k >= 0; --k) {
            fn(k);
        }
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void from(int first, Fn &&fn) const
    {
        for (int j = first; j < n; ++j) {
            fn(j);
        }
    }
};

// The slots of one thread, each holding a row of S, in a system of order N with R slots a thread.
// Rows of a slot where only some threads hold one are looked for at run time, phantom rows of a
// slot where none does at compile time.
template <int N, int R, bool Unrolled>
struct FixedSlots {
    static constexpr int threads = (N + R - 1) / R;

    int tx;

    template <typename Slot>
    TDLS_HOST_DEVICE constexpr int row(Slot K) const noexcept
    {
        return tx + value_of(K) * threads;
    }

    // Each slot that holds a row. (A loop, for the sake of the compiler's time: see
    // FixedSteps::from.)
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void each(Fn &&fn) const
    {
        if constexpr (Unrolled) {
            TDLS_UNROLL
            for (int K = 0; K < R; ++K) {
                if ((K + 1) * threads <= N || row(K) < N) {
                    fn(K);
                }
            }
        } else {
            for (int K = 0; K < R && row(K) < N; ++K) {
                fn(K);
            }
        }
    }
    // The slot of row k, if this thread holds it.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void at(Step k, Fn &&fn) const
    {
        if constexpr (Unrolled) {
            if (tx == Step::value % threads) {
                fn(Index<Step::value / threads>{});
            }
        } else {
            if (tx == k % threads) {
                fn(k / threads);
            }
        }
    }
    // Each slot of a row > k.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void after(Step k, Fn &&fn) const
    {
        each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            // Of an unrolled slot it may be known.
            if (value_of(K) * threads > value_of(k) || row(K) > value_of(k)) {
                fn(K);
            }
        });
    }
    // Each slot of a row < k.
    template <typename Step, typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void before(Step k, Fn &&fn) const
    {
        each([&](auto K) TDLS_INLINE_LAMBDA_GPU {
            if (row(K) < value_of(k)) {
                fn(K);
            }
        });
    }
};

// The same with everything at run time. Threads: int, or Index<1> where a system has one thread.
template <typename Threads>
struct RunTimeSlots {
    int n;
    Threads count;
    int tx;

    TDLS_HOST_DEVICE constexpr int row(int K) const noexcept { return tx + K * value_of(count); }

    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void each(Fn &&fn) const
    {
        up_to(0, n, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void at(int k, Fn &&fn) const
    {
        if (k % value_of(count) == tx) {
            fn(k / value_of(count));
        }
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void after(int k, Fn &&fn) const
    {
        up_to(k < tx ? 0 : (k - tx) / value_of(count) + 1, n, fn);
    }
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void before(int k, Fn &&fn) const
    {
        up_to(0, k, fn);
    }

private:
    template <typename Fn>
    TDLS_HOST_DEVICE TDLS_FORCE_INLINE_GPU constexpr void up_to(int first, int rows, Fn &fn) const
    {
        const int end = rows > tx ? (rows - tx - 1) / value_of(count) + 1 : 0;
        TDLS_INDEPENDENT
        for (int K = first; K < end; ++K) {
            fn(K);
        }
    }
};

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
