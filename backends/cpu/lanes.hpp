// SPDX-License-Identifier: BSD-3-Clause
// Between the memory of a batch and buffers in which lane l of each vector belongs to system l of a
// group. Column-major in the buffer: element (i, j) of the group is vector i + j * ld.
#pragma once

#include "backend.hpp"
#include "system.hpp"
#include "vector.hpp"

namespace tdls
{
namespace cpu
{
namespace
{

template <typename T>
constexpr unsigned every_lane = (1U << lanes<T>)-1;

// One operand of the systems of a group. Lanes without a system have that of the last one, so that
// what they compute is as sound as the rest; they are never stored.
template <typename T, typename E>
struct Operand {
    E *start[static_cast<std::size_t>(lanes<T>)];
    std::int64_t step; // between neighbouring elements of a system
    int count;         // lanes with a system
    bool adjacent;     // the same element of all systems lies in one vector

    Operand() = default;
    Operand(const BatchView<E> &view, std::int64_t s, int systems)
        : step(view.width), count(systems), adjacent(false)
    {
        if (view.systems != nullptr) {
            for (int l = 0; l < lanes<T>; ++l) {
                start[l] = view.systems[s + (l < systems ? l : systems - 1)];
            }
            return;
        }
        if (view.width == 1) {
            E *const first = view.base + s * view.block;
            for (int l = 0; l < lanes<T>; ++l) {
                start[l] = first + (l < systems ? l : systems - 1) * view.block;
            }
            return;
        }
        std::int64_t block = s / view.width, within = s % view.width;
        adjacent = systems == lanes<T> && within + lanes<T> <= view.width;
        for (int l = 0; l < lanes<T>; ++l) {
            start[l] = view.base + block * view.block + within;
            if (l + 1 < systems && ++within == view.width) {
                within = 0;
                ++block;
            }
        }
    }
};

// ---- Transposition in registers -----------------------------------------------------------------

// Pieces number q, q+stride, ... of `pieces` in one vector, `count` of them.
template <typename T, int Count, int Stride, typename P>
TDLS_FORCE_INLINE Vector<T, 16 * Count> gather_pieces(const P *const *start, std::int64_t e)
{
    if constexpr (Count == 1) {
        return load<Vector<T, 16>>(*start + e);
    } else {
        return join<T, 8 * Count>(
            gather_pieces<T, Count / 2, Stride>(start, e),
            gather_pieces<T, Count / 2, Stride>(start + Count / 2 * Stride, e));
    }
}

// The middle step of a transposition: per 16 bytes, elements 0, 2, 1, 3, ... of two vectors.
template <typename T>
TDLS_FORCE_INLINE Vector<T> interleave_low(Vector<T> a, Vector<T> b)
{
    return [&]<int... I>(std::integer_sequence<int, I...>) TDLS_INLINED
    {
        constexpr int p = piece<T>, w = lanes<T>;
        return __builtin_shufflevector(a, b, (I / p * p + I % p / 2 + (I % 2) * w)...);
    }
    (std::make_integer_sequence<int, lanes<T>>{});
}
template <typename T>
TDLS_FORCE_INLINE Vector<T> interleave_high(Vector<T> a, Vector<T> b)
{
    return [&]<int... I>(std::integer_sequence<int, I...>) TDLS_INLINED
    {
        constexpr int p = piece<T>, w = lanes<T>;
        return __builtin_shufflevector(a, b, (I / p * p + p / 2 + I % p / 2 + (I % 2) * w)...);
    }
    (std::make_integer_sequence<int, lanes<T>>{});
}

// 4x4 (or 2x2) transposition within each 16 bytes, over 4 (2) vectors. It is its own inverse.
template <typename T>
TDLS_FORCE_INLINE void transpose_pieces(Vector<T> (&v)[static_cast<std::size_t>(piece<T>)])
{
    if constexpr (piece<T> == 2) {
        const Vector<T> low = interleave_low<T>(v[0], v[1]);
        v[1] = interleave_high<T>(v[0], v[1]);
        v[0] = low;
    } else {
        const Vector<T> a = interleave_low<T>(v[0], v[2]), b = interleave_high<T>(v[0], v[2]);
        const Vector<T> c = interleave_low<T>(v[1], v[3]), d = interleave_high<T>(v[1], v[3]);
        v[0] = interleave_low<T>(a, c);
        v[1] = interleave_high<T>(a, c);
        v[2] = interleave_low<T>(b, d);
        v[3] = interleave_high<T>(b, d);
    }
}

// Elements Part .. Part + piece - 1 of a vector.
template <typename T, int Part>
TDLS_FORCE_INLINE Vector<T, 16> piece_of(Vector<T> v)
{
#if defined(__AVX512F__)
    return reinterpret_cast<Vector<T, 16>>(
        _mm512_maskz_extractf32x4_ps(0xf, reinterpret_cast<__m512>(v), Part / piece<T>));
#elif defined(__AVX2__)
    return reinterpret_cast<Vector<T, 16>>(
        _mm256_extractf128_ps(reinterpret_cast<__m256>(v), Part / piece<T>));
#else
    static_assert(Part == 0);
    return v;
#endif
}

// Elements e .. e + piece - 1 of each stream, one stream per lane, to as many vectors: put(q,
// vector).
template <typename T, typename P, typename Put>
TDLS_FORCE_INLINE void load_piece(P *const *start, std::int64_t e, const Put &put)
{
    Vector<T> v[static_cast<std::size_t>(piece<T>)];
    unroll<0, piece<T>>([&](auto q) TDLS_INLINED {
        v[q] = gather_pieces<T, vector_bytes / 16, piece<T>>(start + q, e);
    });
    transpose_pieces<T>(v);
    unroll<0, piece<T>>([&](auto q) TDLS_INLINED { put(q.value, v[q]); });
}
// The other way, from the vectors get(q).
template <typename T, typename Get>
TDLS_FORCE_INLINE void store_piece(T *const *start, std::int64_t e, const Get &get)
{
    constexpr int p = piece<T>;
    Vector<T> v[static_cast<std::size_t>(p)];
    unroll<0, p>([&](auto q) TDLS_INLINED { v[q] = get(q.value); });
    transpose_pieces<T>(v);
    unroll<0, lanes<T>>([&](auto l) TDLS_INLINED {
        constexpr int q = l % p, part = l / p * p;
        store(start[l] + e, piece_of<T, part>(v[q]));
    });
}

// Calls run(e) for the first elements e of pieces that cover count >= piece elements; the last two
// may overlap. The count is a number or a constant, with which all is unrolled.
template <typename T, typename Count, typename Run>
TDLS_FORCE_INLINE void for_each_piece(Count count, const Run &run)
{
    if constexpr (std::is_integral_v<Count>) {
        std::int64_t e = 0;
        for (; e + piece<T> <= count; e += piece<T>) {
            run(e);
        }
        if (e < count) {
            run(count - piece<T>);
        }
    } else {
        unroll<0, Count::value / piece<T>>([&](auto q) TDLS_INLINED { run(q * piece<T>); });
        if constexpr (Count::value % piece<T> != 0) {
            run(Count::value - piece<T>);
        }
    }
}

// Calls run(e) for all elements.
template <typename Count, typename Run>
TDLS_FORCE_INLINE void for_each_element(Count count, const Run &run)
{
    if constexpr (std::is_integral_v<Count>) {
        for (std::int64_t e = 0; e < count; ++e) {
            run(e);
        }
    } else {
        unroll<0, Count::value>([&](auto e) TDLS_INLINED { run(e.value); });
    }
}

// ---- Runs of elements ---------------------------------------------------------------------------

// Count elements of each system, `first` the first of them and `stride` apart, to consecutive
// vectors.
template <typename T, typename E, typename Count>
TDLS_FORCE_INLINE void load_run(Vector<T> *to, const Operand<T, E> &from, std::int64_t first,
                                std::int64_t stride, Count count)
{
    const std::int64_t step = stride * from.step;
    first *= from.step;
    if (from.adjacent) {
        const T *const at = from.start[0] + first;
        for_each_element(count, [&](std::int64_t e)
                                    TDLS_INLINED { to[e] = load<Vector<T>>(at + e * step); });
        return;
    }
    if (step == 1 && count >= piece<T>) {
        const T *start[static_cast<std::size_t>(lanes<T>)];
        unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { start[l] = from.start[l] + first; });
        for_each_piece<T>(count, [&](std::int64_t e) TDLS_INLINED {
            load_piece<T>(start, e, [&](int q, Vector<T> v) TDLS_INLINED { to[e + q] = v; });
        });
        return;
    }
    for_each_element(count, [&](std::int64_t e) TDLS_INLINED {
        Vector<T> v;
        unroll<0, lanes<T>>([&](auto l)
                                TDLS_INLINED { v[l.value] = from.start[l][first + e * step]; });
        to[e] = v;
    });
}

// The other way, all lanes: false where that takes single elements.
template <typename T, typename Count>
TDLS_FORCE_INLINE bool store_vectors(const Vector<T> *from, const Operand<T, T> &to,
                                     std::int64_t first, std::int64_t step, Count count)
{
    if (to.adjacent) {
        T *const at = to.start[0] + first;
        for_each_element(count,
                         [&](std::int64_t e) TDLS_INLINED { store(at + e * step, from[e]); });
        return true;
    }
    if (step == 1 && count >= piece<T>) {
        T *start[static_cast<std::size_t>(lanes<T>)];
        unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { start[l] = to.start[l] + first; });
        for_each_piece<T>(count, [&](std::int64_t e) TDLS_INLINED {
            store_piece<T>(start, e, [&](int q) TDLS_INLINED { return from[e + q]; });
        });
        return true;
    }
    return false;
}

// The lanes whose bit is set.
template <typename T>
TDLS_FORCE_INLINE void store_run(const Vector<T> *from, const Operand<T, T> &to, unsigned wanted,
                                 std::int64_t first, std::int64_t stride, std::int64_t count)
{
    const std::int64_t step = stride * to.step;
    first *= to.step;
    if (wanted == every_lane<T> && store_vectors<T>(from, to, first, step, count)) {
        return;
    }
    const T *elements = reinterpret_cast<const T *>(from);
    for (int l = 0; l < lanes<T>; ++l) {
        if ((wanted >> l & 1U) != 0) {
            for (std::int64_t e = 0; e < count; ++e) {
                to.start[l][first + e * step] = elements[e * lanes<T> + l];
            }
        }
    }
}

// The matrices of a later group, brought towards the processor while this one is worked on: the
// caches do not foresee so many short streams. A few lines at a time, for a processor drops what it
// is asked for all at once.
template <typename T>
class Ahead
{
public:
    // For groups of the systems begin .. end-1, of which each makes about so many calls of fetch().
    Ahead(const BatchView<T> &view, std::int64_t begin, std::int64_t end, int n, std::int64_t lda,
          int calls)
        : view_(view), end_(end), columns_(1), systems_(lanes<T>), stride_(line)
    {
        // So far ahead that memory has time to answer.
        constexpr std::int64_t least_bytes = 4096;
        const std::int64_t matrix = lda * n;
        const std::int64_t group = matrix * lanes<T> * static_cast<std::int64_t>(sizeof(T));
        distance_ = (least_bytes + group - 1) / group * lanes<T>;
        column_ = lda * view.width * static_cast<std::int64_t>(sizeof(T));
        const std::int64_t element = view.width * static_cast<std::int64_t>(sizeof(T));
        // Small gaps are fetched as well.
        const auto dense = [](std::int64_t used, std::int64_t all) { return used * 5 >= all * 4; };
        std::int64_t elements = n;
        if (dense(n, lda)) {
            elements = matrix;
        } else {
            columns_ = n;
        }
        if (view.width > 1) {
            systems_ = 1;
            stride_ = element > line ? element : line;
        } else if (view.systems == nullptr && columns_ == 1 && view.block > 0 &&
                   dense(matrix, view.block)) {
            systems_ = 1;
            elements = (lanes<T> - 1) * view.block + matrix;
        }
        bytes_ = elements * element;
        const std::int64_t lines = (bytes_ + stride_ - 1) / stride_ * columns_ * systems_;
        // What fits into a cache is likely to be there.
        constexpr std::int64_t least_lines = 4096;
        const bool wanted = calls > 0 && (end - begin) / lanes<T> * lines > least_lines;
        each_ = wanted ? (lines + calls - 1) / calls : 0;
    }

    // The group that begins with system s is worked on from here on.
    TDLS_FORCE_INLINE void aim(std::int64_t s)
    {
        later_ = s + distance_;
        system_ = column_number_ = 0;
        left_ = 0;
        if (end_ - later_ < lanes<T>) {
            system_ = systems_;
        } else if (view_.width > 1 && later_ % view_.width + lanes<T> > view_.width) {
            system_ = systems_;
        }
    }

    bool wanted() const { return each_ > 0; }

    // A share of it. (A const function here would be taken for one without any effect.)
    __attribute__((noinline)) void fetch()
    {
        std::int64_t wanted = each_;
        while (wanted > 0) {
            if (left_ == 0) {
                if (system_ == systems_) {
                    return;
                }
                begin_stream();
            }
            const std::int64_t count = wanted < left_ ? wanted : left_;
            left_ -= count;
            wanted -= count;
            const char *at = at_, *const end = at + count * stride_;
            for (; at != end; at += stride_) {
                __builtin_prefetch(at, 0, 2);
            }
            at_ = at;
        }
    }

private:
    static constexpr std::int64_t line = 64;

    void begin_stream()
    {
        const T *const start = start_of(view_, later_ + system_);
        at_ = reinterpret_cast<const char *>(start) + column_number_ * column_;
        const auto into = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at_) % line);
        at_ -= into;
        left_ = stride_ == line ? (into + bytes_ + line - 1) / line : bytes_ / stride_;
        if (++column_number_ == columns_) {
            column_number_ = 0;
            ++system_;
        }
    }

    const BatchView<T> &view_;
    std::int64_t end_, distance_, column_;
    // The streams of a group: of each of so many systems so many columns, of so many bytes, of
    // which one in each `stride` is touched.
    int columns_, systems_;
    std::int64_t bytes_, stride_, each_;
    // Where it stands.
    std::int64_t later_, left_;
    int system_, column_number_;
    const char *at_;
};

// The n x n matrix of each system.
template <typename T>
TDLS_FORCE_INLINE void load_matrix(Vector<T> *to, int ld, const Operand<T, T> &from, int n,
                                   std::int64_t lda)
{
    if (lda == n && ld == n) {
        load_run<T>(to, from, 0, 1, static_cast<std::int64_t>(n) * n);
        return;
    }
    for (int j = 0; j < n; ++j) {
        load_run<T>(to + static_cast<std::ptrdiff_t>(j) * ld, from, j * lda, 1, n);
    }
}
template <typename T>
TDLS_FORCE_INLINE void store_matrix(const Vector<T> *from, int ld, const Operand<T, T> &to,
                                    unsigned wanted, int n, std::int64_t lda)
{
    if (lda == n && ld == n) {
        store_run<T>(from, to, wanted, 0, 1, static_cast<std::int64_t>(n) * n);
        return;
    }
    for (int j = 0; j < n; ++j) {
        store_run<T>(from + static_cast<std::ptrdiff_t>(j) * ld, to, wanted, j * lda, 1, n);
    }
}

// Positions m of LAPACK's swaps, in the buffer as distances in bytes.
template <typename T>
TDLS_FORCE_INLINE void load_swaps(Words<T> *to, const Operand<T, std::int32_t> &from, int n)
{
    auto *elements = reinterpret_cast<Word<T> *>(to);
    for (int l = 0; l < lanes<T>; ++l) {
        for (int k = 0; k < n; ++k) {
            elements[k * lanes<T> + l] = (from.start[l][k * from.step] - 1) * vector_bytes;
        }
    }
}
template <typename T>
TDLS_FORCE_INLINE void store_swaps(const Words<T> *from, const Operand<T, std::int32_t> &to, int n)
{
    const auto *elements = reinterpret_cast<const Word<T> *>(from);
    for (int l = 0; l < to.count; ++l) {
        for (int k = 0; k < n; ++k) {
            to.start[l][k * to.step] =
                static_cast<std::int32_t>(elements[k * lanes<T> + l] / vector_bytes) + 1;
        }
    }
}

} // namespace
} // namespace cpu
} // namespace tdls
