// SPDX-License-Identifier: BSD-3-Clause
// LU with partial pivoting of a group of systems, one in each lane of a vector, and the
// substitutions with its factors, on buffers as in lanes.hpp. Each lane does the operations of
// numerics one for one; what differs between lanes, the rows that change places and columns without
// a pivot, is chosen by masks or moved element by element.
#pragma once

#include <limits>

#include "lanes.hpp"
#include "vector.hpp"

namespace tdls
{
namespace cpu
{
namespace
{

// Threshold and floor, as in every lane.
template <typename T>
struct LaneRule {
    Vector<T> threshold, floor;
    bool below_one;

    LaneRule(double pivot_threshold, double singular_floor)
    {
        const T least = std::numeric_limits<T>::min();
        const T given = static_cast<T>(singular_floor);
        threshold = broadcast(static_cast<T>(pivot_threshold));
        floor = broadcast(given > least ? given : least);
        below_one = static_cast<T>(pivot_threshold) < T(1);
    }
};

// Up to this order steps and columns are unrolled, and rows move by blends: as far as 32 registers,
// or 16, make that the faster way.
#if defined(__AVX512F__)
constexpr int largest_small_order = 16;
#else
constexpr int largest_small_order = 12;
#endif

// Up to this order everything is done in the lanes; above, panels of columns are, a part at a time.
constexpr int largest_lane_order = 40;
constexpr int part_width = 4;

// The length of a column in the buffer of a group: odd where rows are walked along, so that they do
// not fall into few sets of the cache.
constexpr int lane_ld(int n)
{
    return n <= 8 ? n : n | 1;
}

// A group in its buffer, whole, with the right-hand side as column n, or a panel of it. Step k of
// the elimination exchanged rows k and swaps[k] / vector_bytes.
template <typename T>
struct LaneSystems {
    using V = Vector<T>;

    V *a;
    V *rhs;
    Words<T> *swaps;
    int n;
    int ld;
    int first; // the column that a begins with

    V *column(int j) const { return a + static_cast<std::ptrdiff_t>(j - first) * ld; }
};

// The largest magnitude of a column so far and its position: the first of equals, and a NaN only if
// it comes first.
template <typename T>
struct Search {
    Vector<T> best, in_place;
    Words<T> position;

    TDLS_FORCE_INLINE void start(Vector<T> x, Words<T> i)
    {
        best = in_place = magnitude<T>(x);
        position = i;
    }
    TDLS_FORCE_INLINE void see(Vector<T> x, Words<T> i)
    {
        const Vector<T> size = magnitude<T>(x);
        position = choose_words<T>(greater<T>(size, best), i, position);
        best = greater_of<T>(size, best);
    }
};

// What a search decides.
template <typename T>
struct Pivots {
    Words<T> position;
    Mask<T> zero;
    bool any_zero;
};

template <typename T>
TDLS_FORCE_INLINE Pivots<T> decide(const Search<T> &found, const LaneRule<T> &rule, int k,
                                   Words<T> &info)
{
    Pivots<T> pivots;
    pivots.position = found.position;
    if (rule.below_one) {
        const Mask<T> keeps = both<T>(at_least<T>(found.in_place, rule.threshold * found.best),
                                      at_least<T>(found.in_place, rule.floor));
        pivots.position =
            choose_words<T>(keeps, broadcast(static_cast<Word<T>>(k)), found.position);
    }
    pivots.zero = greater<T>(rule.floor, found.best);
    pivots.any_zero = bits_of<T>(pivots.zero) != 0;
    if (pivots.any_zero) {
        const Mask<T> first = both<T>(pivots.zero, equal_words<T>(info, Words<T>{}));
        info = choose_words<T>(first, broadcast(static_cast<Word<T>>(k + 1)), info);
    }
    return pivots;
}

// 1 / pivot, and something harmless in lanes without one. The magnitude is known before the pivot.
template <typename T>
TDLS_FORCE_INLINE Vector<T> reciprocal(const Search<T> &found, const LaneRule<T> &rule,
                                       const Pivots<T> &pivots, Vector<T> pivot)
{
    const Vector<T> one = broadcast(T(1));
    Vector<T> size = rule.below_one ? magnitude<T>(pivot) : found.best;
    if (pivots.any_zero) {
        size = choose<T>(pivots.zero, one, size);
    }
    return with_sign_of<T>(one / size, pivot);
}

// Makes the compiler read from the buffer again what it would rather spill to another place.
template <bool Really>
TDLS_FORCE_INLINE void forget_memory()
{
    if constexpr (Really) {
        __asm__ volatile("" : : : "memory");
    }
}

// Where the elements of a row of the buffer are, that is another one in each lane.
template <typename T>
struct LaneRows {
    std::ptrdiff_t offset[static_cast<std::size_t>(lanes<T>)]; // in bytes

    TDLS_FORCE_INLINE explicit LaneRows(const Words<T> *swaps)
    {
        const auto *first = reinterpret_cast<const Word<T> *>(swaps);
        unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { offset[l.value] = first[l.value]; });
    }
    TDLS_FORCE_INLINE T *element(const void *column, int l) const
    {
        char *at = const_cast<char *>(static_cast<const char *>(column));
        return reinterpret_cast<T *>(at + offset[l]) + l;
    }
    TDLS_FORCE_INLINE Vector<T> take(const Vector<T> *column) const
    {
        return pieces<0, vector_bytes>(column);
    }
    TDLS_FORCE_INLINE void put(Vector<T> *column, Vector<T> v) const
    {
        unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { *element(column, l.value) = v[l.value]; });
    }

private:
    template <int First, int Bytes>
    TDLS_FORCE_INLINE Vector<T, Bytes> pieces(const Vector<T> *column) const
    {
        if constexpr (Bytes > 16) {
            return join<T, Bytes / 2>(
                pieces<First, Bytes / 2>(column),
                pieces<First + Bytes / 2 / static_cast<int>(sizeof(T)), Bytes / 2>(column));
        } else {
            Vector<T, Bytes> v;
            unroll<0, piece<T>>([&](auto l)
                                    TDLS_INLINED { v[l.value] = *element(column, First + l); });
            return v;
        }
    }
};

// Exchanges rows k and swaps[k] of Count columns, `column` the first, for Steps steps from k0 on.
template <typename T, int Steps, int Count>
TDLS_FORCE_INLINE void exchange(const LaneSystems<T> &s, int k0, Vector<T> *column)
{
    const std::ptrdiff_t ld = s.ld;
    unroll<0, Steps>([&](auto t) TDLS_INLINED {
        forget_memory<true>(); // no hoisting of offsets: there are not registers enough
        const LaneRows<T> rows(s.swaps + k0 + t);
        unroll<0, Count>([&](auto c) TDLS_INLINED {
            Vector<T> *const x = column + c * ld;
            const Vector<T> chosen = rows.take(x);
            rows.put(x, x[k0 + t]);
            x[k0 + t] = chosen;
        });
    });
}

// The same for columns first .. last-1.
template <typename T, int Steps>
__attribute__((noinline)) void exchange_columns(const LaneSystems<T> &s, int k0, int first,
                                                int last)
{
    int j = first;
    for (; j + 4 <= last; j += 4) {
        exchange<T, Steps, 4>(s, k0, s.column(j));
    }
    for (; j < last; ++j) {
        exchange<T, Steps, 1>(s, k0, s.column(j));
    }
}

// Where some lane has no pivot in step k, its rows having changed places: the multipliers ...
template <typename T>
__attribute__((noinline)) void scale_masked(const LaneSystems<T> &s, int k, Mask<T> zero,
                                            Vector<T> inverse)
{
    Vector<T> *const l = s.column(k);
    for (int i = k + 1; i < s.n; ++i) {
        l[i] = choose<T>(zero, l[i], l[i] * inverse);
    }
}

// ... and what they do to another column.
template <typename T>
__attribute__((noinline)) void update_masked(const LaneSystems<T> &s, int k, Mask<T> zero,
                                             Vector<T> *x)
{
    const Vector<T> *const l = s.column(k);
    for (int i = k + 1; i < s.n; ++i) {
        x[i] = choose<T>(zero, x[i], subtract_product<T>(l[i], x[k], x[i]));
    }
}
template <typename T>
TDLS_FORCE_INLINE void update_masked(const LaneSystems<T> &s, int k, Mask<T> zero, int first,
                                     int last)
{
    for (int j = first; j < last; ++j) {
        update_masked<T>(s, k, zero, s.column(j));
    }
}

// ---- Small orders: steps and columns by constants -----------------------------------------------

// Calls run(i) for the rows First .. Last-1: by constants where these are few, else in a loop, so
// that the code stays in the instruction cache.
template <int First, int Last, bool Unrolled, typename Run>
TDLS_FORCE_INLINE void for_rows(const Run &run)
{
    if constexpr (Unrolled) {
        unroll<First, Last>([&](auto i) TDLS_INLINED { run(i.value); });
    } else {
        TDLS_KEEP_LOOP
        for (int i = First; i < Last; ++i) {
            run(i);
        }
    }
}

// Up to this order the systems of a group and a right-hand side stay in registers, nearly.
constexpr int largest_tiny_order = 4;

// S x = b, with the columns of S and then b, of which N vectors become x; the rest is lost.
template <typename T, int N>
TDLS_FORCE_INLINE Words<T> solve_tiny(Vector<T> (&a)[static_cast<std::size_t>(N * (N + 1))],
                                      const LaneRule<T> &rule)
{
    using V = Vector<T>;
    Words<T> info = {};
    Search<T> search;
    const auto number = [](int i) TDLS_INLINED { return broadcast(static_cast<Word<T>>(i)); };
    search.start(a[0], number(0));
    unroll<1, N>([&](auto i) TDLS_INLINED { search.see(a[i], number(i)); });
    unroll<0, N>([&](auto kk) TDLS_INLINED {
        constexpr int k = kk;
        const Pivots<T> pivots = decide<T>(search, rule, k, info);
        V chosen[static_cast<std::size_t>(N + 1)];
        unroll<k, N + 1>([&](auto j) TDLS_INLINED { chosen[j] = a[j * N + k]; });
        unroll<k + 1, N>([&](auto i) TDLS_INLINED {
            const Mask<T> here = equal_words<T>(pivots.position, number(i));
            unroll<k, N + 1>([&](auto j) TDLS_INLINED {
                const V moved = choose<T>(here, a[j * N + k], a[j * N + i]);
                chosen[j] = choose<T>(here, a[j * N + i], chosen[j]);
                a[j * N + i] = moved;
            });
        });
        unroll<k, N + 1>([&](auto j) TDLS_INLINED { a[j * N + k] = chosen[j]; });
        if constexpr (k + 1 < N) {
            const V inverse = reciprocal<T>(search, rule, pivots, chosen[k]);
            const auto rows = [&](auto masked) TDLS_INLINED {
                const auto unless_zero = [&](V old, V changed) TDLS_INLINED {
                    return masked ? choose<T>(pivots.zero, old, changed) : changed;
                };
                unroll<k + 1, N>([&](auto i) TDLS_INLINED {
                    V &l = a[k * N + i];
                    l = unless_zero(l, l * inverse);
                    unroll<k + 1, N + 1>([&](auto j) TDLS_INLINED {
                        V &x = a[j * N + i];
                        x = unless_zero(x, subtract_product<T>(l, chosen[j], x));
                    });
                });
            };
            if (pivots.any_zero) {
                rows(std::true_type{});
            } else {
                rows(std::false_type{});
            }
            search.start(a[(k + 1) * N + k + 1], number(k + 1));
            unroll<k + 2, N>([&](auto i)
                                 TDLS_INLINED { search.see(a[(k + 1) * N + i], number(i)); });
        }
    });
    unroll<0, N>([&](auto t) TDLS_INLINED {
        constexpr int k = N - 1 - t;
        V &x = a[N * N + k];
        x = x / a[k * N + k];
        unroll<0, k>([&](auto i) TDLS_INLINED {
            V &y = a[N * N + i];
            y = subtract_product<T>(a[k * N + i], x, y);
        });
    });
    return info;
}

// Columns N .. N+Extra-1 take part like right-hand sides. Left: multipliers found earlier move too.
// Row k keeps its place in the buffer until the rows below have taken what they need of it.
template <typename T, int N, int Extra, bool Left>
__attribute__((noinline)) Words<T> eliminate_small(const LaneSystems<T> &s, const LaneRule<T> &rule,
                                                   Ahead<T> &ahead)
{
    using V = Vector<T>;
    constexpr bool unrolled = N <= 8;
    constexpr int ld = lane_ld(N);
    V *const a = s.a;
    Words<T> info = {};
    Search<T> search;
    const auto number = [](int i) TDLS_INLINED { return broadcast(static_cast<Word<T>>(i)); };
    search.start(a[0], number(0));
    for_rows<1, N, unrolled>([&](int i) TDLS_INLINED { search.see(a[i], number(i)); });
    unroll<0, N>([&](auto kk) TDLS_INLINED {
        constexpr int k = kk, first = Left ? 0 : k, columns = N + Extra - first;
        ahead.fetch();
        const Pivots<T> pivots = decide<T>(search, rule, k, info);
        s.swaps[k] = pivots.position * vector_bytes;
        V chosen[columns];
        // So many columns at once as leave registers for the rest.
        constexpr int block = smaller(columns, vector_registers - 6);
        unroll<0, (columns + block - 1) / block>([&](auto part) TDLS_INLINED {
            constexpr int begin = part * block, count = smaller(block, columns - begin);
            V best[count];
            unroll<0, count>([&](auto c)
                                 TDLS_INLINED { best[c] = a[(first + begin + c) * ld + k]; });
            for_rows<k + 1, N, unrolled>([&](int i) TDLS_INLINED {
                const Mask<T> here = equal_words<T>(pivots.position, number(i));
                unroll<0, count>([&](auto c) TDLS_INLINED {
                    best[c] = choose<T>(here, a[(first + begin + c) * ld + i], best[c]);
                });
            });
            unroll<0, count>([&](auto c) TDLS_INLINED { chosen[begin + c] = best[c]; });
        });
        forget_memory<(N * N > 16)>();
        const V inverse = reciprocal<T>(search, rule, pivots, chosen[k - first]);
        if (pivots.any_zero) {
            exchange_columns<T, 1>(s, k, first, N + Extra);
            scale_masked<T>(s, k, pivots.zero, inverse);
            update_masked<T>(s, k, pivots.zero, k + 1, N + Extra);
            if constexpr (k + 1 < N) {
                search.start(a[(k + 1) * ld + k + 1], number(k + 1));
                for (int i = k + 2; i < N; ++i) {
                    search.see(a[(k + 1) * ld + i], number(i));
                }
            }
            return;
        }
        const auto row = [&](int i, auto is_first) TDLS_INLINED {
            const Mask<T> here = equal_words<T>(pivots.position, number(i));
            V multiplier;
            unroll<0, columns>([&](auto c) TDLS_INLINED {
                constexpr int j = first + c;
                V &x = a[j * ld + i];
                const V moved = choose<T>(here, a[j * ld + k], x);
                if constexpr (j < k) {
                    x = moved;
                } else if constexpr (j == k) {
                    x = multiplier = moved * inverse;
                } else {
                    x = subtract_product<T>(multiplier, chosen[c], moved);
                }
                if constexpr (j == k + 1 && j < N) {
                    if constexpr (is_first) {
                        search.start(x, number(i));
                    } else {
                        search.see(x, number(i));
                    }
                }
            });
        };
        if constexpr (k + 1 < N) {
            row(k + 1, std::true_type{});
        }
        for_rows<k + 2, N, unrolled>([&](int i) TDLS_INLINED { row(i, std::false_type{}); });
        unroll<0, columns>([&](auto c) TDLS_INLINED { a[(first + c) * ld + k] = chosen[c]; });
        forget_memory<(N * N > 16)>();
    });
    return info;
}

// The same with the order at run time. solves: the right-hand side takes part. keeps: the factors
// are wanted, so the multipliers found earlier change places as well.
template <typename T>
TDLS_FORCE_INLINE Words<T> eliminate_small(const LaneSystems<T> &s, const LaneRule<T> &rule,
                                           Ahead<T> &ahead, bool solves, bool keeps)
{
    Words<T> info = {};
    const auto small = [&](auto order) TDLS_INLINED {
        constexpr int N = order;
        info = !solves ? eliminate_small<T, N, 0, true>(s, rule, ahead)
               : keeps ? eliminate_small<T, N, 1, true>(s, rule, ahead)
                       : eliminate_small<T, N, 1, false>(s, rule, ahead);
    };
    unroll<1, largest_small_order + 1>([&](auto order) TDLS_INLINED {
        if (s.n == order) {
            small(order);
        }
    });
    return info;
}

// ---- Substitutions ------------------------------------------------------------------------------

// A triangle in the buffer: element (i, k) is vector i * row + (k - first) * column, so that its
// transpose is the other way round.
template <typename T>
struct Triangle {
    const Vector<T> *a;
    std::ptrdiff_t row, column;
    int first = 0;

    TDLS_FORCE_INLINE Vector<T> at(int i, int k) const { return a[i * row + (k - first) * column]; }
};

// Solves with a lower triangle (unit: ones on the diagonal), Width unknowns at a time.
template <typename T, bool Unit, int Width>
TDLS_FORCE_INLINE void substitute_down(const Triangle<T> &l, Vector<T> *x, int n, int k)
{
    using V = Vector<T>;
    V known[Width];
    unroll<0, Width>([&](auto t) TDLS_INLINED {
        V y = x[k + t];
        unroll<0, t>(
            [&](auto r) TDLS_INLINED { y = subtract_product<T>(l.at(k + t, k + r), known[r], y); });
        x[k + t] = known[t] = Unit ? y : y / l.at(k + t, k + t);
    });
    for (int i = k + Width; i < n; ++i) {
        V y = x[i];
        unroll<0, Width>(
            [&](auto t) TDLS_INLINED { y = subtract_product<T>(l.at(i, k + t), known[t], y); });
        x[i] = y;
    }
}
template <typename T, bool Unit>
TDLS_FORCE_INLINE void solve_down(const Triangle<T> &l, Vector<T> *x, int n)
{
    int k = 0;
    for (; k + 4 <= n; k += 4) {
        substitute_down<T, Unit, 4>(l, x, n, k);
    }
    for (; k < n; ++k) {
        substitute_down<T, Unit, 1>(l, x, n, k);
    }
}

// Solves with an upper triangle of n rows for unknowns n-1 .. first; x above them becomes what is
// left.
template <typename T, bool Unit, int Width>
TDLS_FORCE_INLINE void substitute_up(const Triangle<T> &u, Vector<T> *x, int k)
{
    using V = Vector<T>;
    V known[Width];
    unroll<0, Width>([&](auto t) TDLS_INLINED {
        V y = x[k - t];
        unroll<0, t>(
            [&](auto r) TDLS_INLINED { y = subtract_product<T>(u.at(k - t, k - r), known[r], y); });
        x[k - t] = known[t] = Unit ? y : y / u.at(k - t, k - t);
    });
    for (int i = 0; i <= k - Width; ++i) {
        V y = x[i];
        unroll<0, Width>(
            [&](auto t) TDLS_INLINED { y = subtract_product<T>(u.at(i, k - t), known[t], y); });
        x[i] = y;
    }
}
template <typename T, bool Unit>
TDLS_FORCE_INLINE void solve_up(const Triangle<T> &u, Vector<T> *x, int n, int first = 0)
{
    int k = n - 1;
    for (; k >= first + 3; k -= 4) {
        substitute_up<T, Unit, 4>(u, x, k);
    }
    for (; k >= first; --k) {
        substitute_up<T, Unit, 1>(u, x, k);
    }
}

// S x = b or S^T x = b, x in the place of b, with the factors in the lanes.
template <typename T>
void solve_lanes(const LaneSystems<T> &s, bool transposed)
{
    if (transposed) {
        const Triangle<T> mirror = {s.a, s.ld, 1};
        solve_down<T, false>(mirror, s.rhs, s.n);
        solve_up<T, true>(mirror, s.rhs, s.n);
        for (int k = s.n - 1; k >= 0; --k) {
            exchange<T, 1, 1>(s, k, s.rhs);
        }
    } else {
        const Triangle<T> factors = {s.a, 1, s.ld};
        for (int k = 0; k < s.n; ++k) {
            exchange<T, 1, 1>(s, k, s.rhs);
        }
        solve_down<T, true>(factors, s.rhs, s.n);
        solve_up<T, false>(factors, s.rhs, s.n);
    }
}

} // namespace
} // namespace cpu
} // namespace tdls
