// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of which the rounding is fixed: absolute value and fused multiply-add.
#pragma once

#include <tdls/core/macros.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{

TDLS_HOST_DEVICE TDLS_FORCE_INLINE float abs(float x) noexcept
{
    return __builtin_fabsf(x);
}
TDLS_HOST_DEVICE TDLS_FORCE_INLINE double abs(double x) noexcept
{
    return __builtin_fabs(x);
}

// a*b + c, rounded once. Without the instruction this is a call of the C library's function.
TDLS_HOST_DEVICE TDLS_FORCE_INLINE float fma(float a, float b, float c) noexcept
{
    return __builtin_fmaf(a, b, c);
}
TDLS_HOST_DEVICE TDLS_FORCE_INLINE double fma(double a, double b, double c) noexcept
{
    return __builtin_fma(a, b, c);
}

} // namespace TDLS_CORE_ABI
} // namespace tdls
