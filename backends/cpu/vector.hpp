// SPDX-License-Identifier: BSD-3-Clause
// One vector of the instruction set that this is compiled for, in GCC's vector extension, which
// clang has as well. Only what the extension cannot say is said in intrinsics: the fused operation
// and, with AVX-512, comparisons that yield mask registers.
//
// Everything lies in an unnamed namespace: sets share no symbol.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <tdls/core/macros.hpp>
#if defined(__AVX2__)
#    include <immintrin.h>
#elif defined(__aarch64__)
#    include <arm_neon.h>
#endif

// Between the parameters and the body of a lambda that must be inlined.
#define TDLS_INLINED __attribute__((always_inline))

// Before a loop that the compiler shall not unroll.
#if defined(__clang__)
#    define TDLS_KEEP_LOOP _Pragma("clang loop unroll(disable)")
#else
#    define TDLS_KEEP_LOOP _Pragma("GCC unroll 1")
#endif

namespace tdls
{
namespace cpu
{
namespace
{

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int vector_registers = 32;
#else
constexpr int vector_registers = 16;
#endif

// An integer as wide as T.
template <typename T>
using Word = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

template <typename T, int Bytes>
struct VectorType {
    typedef T Type __attribute__((vector_size(Bytes)));
};
template <typename T, int Bytes = vector_bytes>
using Vector = typename VectorType<T, Bytes>::Type;
template <typename T>
using Words = Vector<Word<T>>;

template <typename T>
constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));

// So many elements make a piece of 16 bytes.
template <typename T>
constexpr int piece = 16 / static_cast<int>(sizeof(T));

// (The standard library's would be a symbol that the sets share.)
constexpr int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Calls fn with the constants First .. Last-1.
template <int First, typename Fn, int... I>
TDLS_FORCE_INLINE void unroll_from(const Fn &fn, std::integer_sequence<int, I...>)
{
    (fn(std::integral_constant<int, First + I>{}), ...);
}
template <int First, int Last, typename Fn>
TDLS_FORCE_INLINE void unroll(const Fn &fn)
{
    if constexpr (First < Last) {
        unroll_from<First>(fn, std::make_integer_sequence<int, Last - First>{});
    }
}

template <typename T>
TDLS_FORCE_INLINE Vector<T> broadcast(T x)
{
    return x - Vector<T>{};
}

// The lane's own number, in each lane.
template <typename T>
TDLS_FORCE_INLINE Words<T> lane_numbers()
{
    Words<T> numbers;
    unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { numbers[l.value] = l; });
    return numbers;
}

template <typename V, typename T>
TDLS_FORCE_INLINE V load(const T *from)
{
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <typename V, typename T>
TDLS_FORCE_INLINE void store(T *to, V v)
{
    std::memcpy(to, &v, sizeof v);
}

// The two halves of a vector one after the other.
template <typename T, int Bytes>
TDLS_FORCE_INLINE Vector<T, 2 * Bytes> join(Vector<T, Bytes> low, Vector<T, Bytes> high)
{
    constexpr int count = Bytes / static_cast<int>(sizeof(T));
    return [&]<int... I>(std::integer_sequence<int, I...>) TDLS_INLINED
    {
        return __builtin_shufflevector(low, high, I...);
    }
    (std::make_integer_sequence<int, 2 * count>{});
}

template <typename T>
TDLS_FORCE_INLINE Vector<T> magnitude(Vector<T> x)
{
    const Words<T> sign = reinterpret_cast<Words<T>>(broadcast(T(-0.0)));
    return reinterpret_cast<Vector<T>>(reinterpret_cast<Words<T>>(x) & ~sign);
}
template <typename T>
TDLS_FORCE_INLINE Vector<T> with_sign_of(Vector<T> size, Vector<T> sign)
{
    const Words<T> bit = reinterpret_cast<Words<T>>(broadcast(T(-0.0)));
    return reinterpret_cast<Vector<T>>((reinterpret_cast<Words<T>>(size) & ~bit) |
                                       (reinterpret_cast<Words<T>>(sign) & bit));
}

// c - a*b, rounded once.
template <typename T>
TDLS_FORCE_INLINE Vector<T> subtract_product(Vector<T> a, Vector<T> b, Vector<T> c)
{
    constexpr bool wide = sizeof(T) == 8;
#if defined(__AVX512F__)
    if constexpr (wide) {
        return _mm512_fnmadd_pd(a, b, c);
    } else {
        return _mm512_fnmadd_ps(a, b, c);
    }
#elif defined(__AVX2__)
    if constexpr (wide) {
        return _mm256_fnmadd_pd(a, b, c);
    } else {
        return _mm256_fnmadd_ps(a, b, c);
    }
#elif defined(__aarch64__)
    if constexpr (wide) {
        return vfmsq_f64(c, a, b);
    } else {
        return vfmsq_f32(c, a, b);
    }
#else
    Vector<T> result;
    for (int l = 0; l < lanes<T>; ++l) {
        result[l] = wide ? __builtin_fma(-a[l], b[l], c[l]) : __builtin_fmaf(-a[l], b[l], c[l]);
    }
    return result;
#endif
}

// a*b + c, rounded once.
TDLS_FORCE_INLINE double fused(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}
TDLS_FORCE_INLINE float fused(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

// ---- Choices per lane ---------------------------------------------------------------------------

#if defined(__AVX512F__)

template <typename T>
using Mask = std::conditional_t<sizeof(T) == 8, __mmask8, __mmask16>;

template <typename T, int Predicate>
TDLS_FORCE_INLINE Mask<T> compare(Vector<T> a, Vector<T> b)
{
    if constexpr (sizeof(T) == 8) {
        return _mm512_cmp_pd_mask(a, b, Predicate);
    } else {
        return _mm512_cmp_ps_mask(a, b, Predicate);
    }
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> equal(Vector<T> a, Vector<T> b)
{
    return compare<T, _CMP_EQ_OQ>(a, b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> greater(Vector<T> a, Vector<T> b)
{
    return compare<T, _CMP_GT_OQ>(a, b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> at_least(Vector<T> a, Vector<T> b)
{
    return compare<T, _CMP_GE_OQ>(a, b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> equal_words(Words<T> a, Words<T> b)
{
    if constexpr (sizeof(T) == 8) {
        return _mm512_cmpeq_epi64_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
    } else {
        return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
    }
}
template <typename T>
TDLS_FORCE_INLINE Vector<T> choose(Mask<T> mask, Vector<T> yes, Vector<T> no)
{
    if constexpr (sizeof(T) == 8) {
        return _mm512_mask_blend_pd(mask, no, yes);
    } else {
        return _mm512_mask_blend_ps(mask, no, yes);
    }
}
template <typename T>
TDLS_FORCE_INLINE Words<T> choose_words(Mask<T> mask, Words<T> yes, Words<T> no)
{
    const auto y = reinterpret_cast<__m512i>(yes), n = reinterpret_cast<__m512i>(no);
    if constexpr (sizeof(T) == 8) {
        return reinterpret_cast<Words<T>>(_mm512_mask_blend_epi64(mask, n, y));
    } else {
        return reinterpret_cast<Words<T>>(_mm512_mask_blend_epi32(mask, n, y));
    }
}
// One bit per lane.
template <typename T>
TDLS_FORCE_INLINE unsigned bits_of(Mask<T> mask)
{
    return mask;
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> both(Mask<T> a, Mask<T> b)
{
    return static_cast<Mask<T>>(a & b);
}

#else

template <typename T>
using Mask = Words<T>;

template <typename T>
TDLS_FORCE_INLINE Mask<T> equal(Vector<T> a, Vector<T> b)
{
    return reinterpret_cast<Mask<T>>(a == b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> greater(Vector<T> a, Vector<T> b)
{
    return reinterpret_cast<Mask<T>>(a > b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> at_least(Vector<T> a, Vector<T> b)
{
    return reinterpret_cast<Mask<T>>(a >= b);
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> equal_words(Words<T> a, Words<T> b)
{
    return reinterpret_cast<Mask<T>>(a == b);
}
template <typename T>
TDLS_FORCE_INLINE Vector<T> choose(Mask<T> mask, Vector<T> yes, Vector<T> no)
{
    return mask ? yes : no;
}
template <typename T>
TDLS_FORCE_INLINE Words<T> choose_words(Mask<T> mask, Words<T> yes, Words<T> no)
{
    return mask ? yes : no;
}
template <typename T>
TDLS_FORCE_INLINE unsigned bits_of(Mask<T> mask)
{
#    if defined(__AVX2__)
    if constexpr (sizeof(T) == 8) {
        return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
    } else {
        return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
    }
#    else
    unsigned bits = 0;
    for (int l = 0; l < lanes<T>; ++l) {
        bits |= (mask[l] != 0 ? 1U : 0U) << l;
    }
    return bits;
#    endif
}
template <typename T>
TDLS_FORCE_INLINE Mask<T> both(Mask<T> a, Mask<T> b)
{
    return a & b;
}

#endif

// a if it is greater, else b: b as well where one of them is a NaN.
template <typename T>
TDLS_FORCE_INLINE Vector<T> greater_of(Vector<T> a, Vector<T> b)
{
    return a > b ? a : b;
}

} // namespace
} // namespace cpu
} // namespace tdls
