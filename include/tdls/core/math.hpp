// SPDX-License-Identifier: BSD-3-Clause
/// @file math.hpp
/// @brief Arithmetic of which the rounding is fixed: absolute value and fused multiply-add, on host
/// and device, and in constant expressions.
#pragma once

#include <cstdint>

#include <tdls/core/macros.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{
namespace detail
{

// A positive number as mantissa * 2^exponent, or 0; `lost` tells that something smaller than one
// unit of the mantissa was dropped. The mantissa is of 128 bits in two words.
struct WideNumber {
    std::uint64_t high, low;
    int exponent;
    bool lost;

    TDLS_HOST_DEVICE constexpr bool is_zero() const noexcept { return high == 0 && low == 0; }

    TDLS_HOST_DEVICE constexpr void shift_left(int bits) noexcept
    {
        if (bits >= 64) {
            high = low;
            low = 0;
            shift_left(bits - 64);
            exponent -= 64;
        } else if (bits > 0) {
            high = (high << bits) | (low >> (64 - bits));
            low <<= bits;
            exponent -= bits;
        }
    }
    TDLS_HOST_DEVICE constexpr void shift_right(int bits) noexcept
    {
        if (bits > 128) {
            exponent += bits - 128;
            bits = 128;
        }
        if (bits >= 64) {
            lost = lost || low != 0;
            low = high;
            high = 0;
            exponent += 64;
            shift_right(bits - 64);
        } else if (bits > 0) {
            lost = lost || (low << (64 - bits)) != 0;
            low = (low >> bits) | (high << (64 - bits));
            high >>= bits;
            exponent += bits;
        }
    }
    // The leading one to bit 125, so that a sum of two has room.
    TDLS_HOST_DEVICE constexpr void normalize() noexcept
    {
        if (!is_zero()) {
            const int zeros = high != 0 ? __builtin_clzll(high) : 64 + __builtin_clzll(low);
            shift_left(zeros - 2);
            shift_right(2 - zeros);
        }
    }
};

TDLS_HOST_DEVICE constexpr bool less(const WideNumber &a, const WideNumber &b) noexcept
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

struct Decomposed {
    std::uint64_t mantissa;
    int exponent;
    bool negative;
};

TDLS_HOST_DEVICE constexpr Decomposed decompose(double x) noexcept
{
    const auto bits = __builtin_bit_cast(std::uint64_t, x);
    const auto fraction = bits & 0xFFFFFFFFFFFFFU;
    const int biased = static_cast<int>((bits >> 52) & 0x7FF);
    return {biased == 0 ? fraction : fraction | 0x10000000000000U,
            (biased == 0 ? 1 : biased) - 1075, (bits >> 63) != 0};
}

TDLS_HOST_DEVICE constexpr bool is_finite(double x) noexcept
{
    return ((__builtin_bit_cast(std::uint64_t, x) >> 52) & 0x7FF) != 0x7FF;
}

// 2^exponent for any exponent of a normal double.
TDLS_HOST_DEVICE constexpr double power_of_two(int exponent) noexcept
{
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The nearest number with `digits` bits and an exponent of at least `least` (of the last bit), ties
// to even. The result is exact in double, or infinite.
TDLS_HOST_DEVICE constexpr double round_to(WideNumber x, int digits, int least) noexcept
{
    x.normalize();
    // Bits below the kept ones: 126 - digits, and more where the result is subnormal.
    int dropped = 126 - digits;
    if (x.exponent + dropped < least) {
        dropped = least - x.exponent;
    }
    x.shift_right(dropped - 1);
    const bool half = (x.low & 1) != 0;
    const bool below = x.lost;
    x.shift_right(1);
    std::uint64_t kept = x.low;
    if (half && (below || (kept & 1) != 0)) {
        ++kept;
    }
    if (x.exponent > 1000) {
        return __builtin_huge_val();
    }
    // kept < 2^53 + 1: two exact factors, of which the second may make it infinite.
    const int first = x.exponent < -500 ? -500 : x.exponent > 500 ? 500 : x.exponent;
    return static_cast<double>(kept) * power_of_two(first) * power_of_two(x.exponent - first);
}

// a*b + c, rounded once to `digits` bits, in integers.
TDLS_HOST_DEVICE constexpr double software_fma(double a, double b, double c, int digits,
                                               int least) noexcept
{
    if (is_finite(a) && is_finite(b) && !is_finite(c)) {
        return c; // even if a*b alone would overflow
    }
    if (!is_finite(a) || !is_finite(b) || a == 0 || b == 0) {
        return a * b + c; // nothing to round, or no number
    }
    const Decomposed x = decompose(a), y = decompose(b), z = decompose(c);
    // 53 x 53 bits in halves of 32
    const std::uint64_t x1 = x.mantissa >> 32, x0 = x.mantissa & 0xFFFFFFFFU;
    const std::uint64_t y1 = y.mantissa >> 32, y0 = y.mantissa & 0xFFFFFFFFU;
    const std::uint64_t middle = x1 * y0 + ((x0 * y0) >> 32);
    const std::uint64_t middle2 = x0 * y1 + (middle & 0xFFFFFFFFU);
    WideNumber product = {x1 * y1 + (middle >> 32) + (middle2 >> 32),
                          (middle2 << 32) | ((x0 * y0) & 0xFFFFFFFFU), x.exponent + y.exponent,
                          false};
    const bool product_negative = x.negative != y.negative;
    WideNumber addend = {0, z.mantissa, z.exponent, false};
    product.normalize();
    addend.normalize();
    if (addend.is_zero()) {
        addend.exponent = product.exponent;
    }
    WideNumber &lower = product.exponent < addend.exponent ? product : addend;
    const int higher = product.exponent < addend.exponent ? addend.exponent : product.exponent;
    lower.shift_right(higher - lower.exponent);
    const bool lost = lower.lost;
    bool negative = product_negative;
    WideNumber sum = product;
    if (product_negative == z.negative) {
        sum.low = product.low + addend.low;
        sum.high = product.high + addend.high + (sum.low < product.low ? 1 : 0);
    } else {
        const bool swapped = less(product, addend);
        const WideNumber &larger = swapped ? addend : product;
        const WideNumber &smaller = swapped ? product : addend;
        negative = swapped ? z.negative : product_negative;
        sum.low = larger.low - smaller.low;
        sum.high = larger.high - smaller.high - (larger.low < smaller.low ? 1 : 0);
        if (lost) { // what was lost belongs to the smaller one
            sum.high -= sum.low == 0 ? 1 : 0;
            sum.low -= 1;
        }
    }
    sum.exponent = higher;
    sum.lost = lost;
    if (sum.is_zero() && !lost) {
        return 0.0; // x - x is +0 in round to nearest
    }
    const double magnitude = round_to(sum, digits, least);
    return negative ? -magnitude : magnitude;
}

} // namespace detail

/// @addtogroup tdls_core
/// @{

/// Absolute value.
TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr float abs(float x) noexcept
{
    if (__builtin_is_constant_evaluated()) {
        return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) & 0x7FFFFFFFU);
    }
    return __builtin_fabsf(x);
}

/// Absolute value.
TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr double abs(double x) noexcept
{
    if (__builtin_is_constant_evaluated()) {
        return __builtin_bit_cast(double,
                                  __builtin_bit_cast(std::uint64_t, x) & 0x7FFFFFFFFFFFFFFFU);
    }
    return __builtin_fabs(x);
}

/// a*b + c, rounded once. Without the instruction this is a call of the C library's function.
// In constant expressions compilers do not fold it, or not where the result is subnormal.
TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr float fma(float a, float b, float c) noexcept
{
    if (__builtin_is_constant_evaluated()) {
        return static_cast<float>(detail::software_fma(a, b, c, 24, -149));
    }
    return __builtin_fmaf(a, b, c);
}

/// a*b + c, rounded once.
TDLS_HOST_DEVICE TDLS_FORCE_INLINE constexpr double fma(double a, double b, double c) noexcept
{
    if (__builtin_is_constant_evaluated()) {
        return detail::software_fma(a, b, c, 53, -1074);
    }
    return __builtin_fma(a, b, c);
}

#if TDLS_TARGET_HOST
/// Absolute value. Host only: devices have no such type.
TDLS_FORCE_INLINE constexpr long double abs(long double x) noexcept
{
    return __builtin_fabsl(x);
}
/// a*b + c, rounded once. Host only.
TDLS_FORCE_INLINE long double fma(long double a, long double b, long double c) noexcept
{
    return __builtin_fmal(a, b, c);
}
#endif

/// @}

} // namespace TDLS_CORE_ABI
} // namespace tdls
