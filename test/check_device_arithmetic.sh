#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the flags of the device compilers make of the arithmetic, in their assembly of one order: divisions
# rounded to nearest, subnormal numbers kept, nothing fused but what the source fuses. Speaks TAP.
# usage: check_device_arithmetic.sh COMPILER ASSEMBLY     (COMPILER: nvcc or hipcc)
compiler=$1 assembly=$2
count=0
has() { # pattern, name
    count=$((count + 1))
    grep -qE "$1" "$assembly" || printf 'not '
    echo "ok $count - $2"
}
has_no() {
    count=$((count + 1))
    grep -E "$1" "$assembly" | head -n 3 | sed 's/^/# /'
    grep -qE "$1" "$assembly" && printf 'not '
    echo "ok $count - $2"
}
if [ "$compiler" = nvcc ]; then
    has 'div\.rn\.f64' "division of doubles, rounded to nearest"
    has 'div\.rn\.f32' "division of floats, rounded to nearest"
    has 'fma\.rn\.f64' "fused operations where the source has them"
    has_no '\.ftz|\.approx|div\.full' "no subnormals flushed, nothing approximate"
    # Without .rn the assembler may fuse a product with a sum.
    has_no '(mul|add|sub)\.f(32|64)' "no product or sum that could be fused later"
else
    has 'v_div_fixup_f64' "division of doubles, rounded to nearest"
    has 'v_div_fixup_f32' "division of floats, rounded to nearest"
    has 'v_fma_f64|v_fmac_f64' "fused operations where the source has them"
    has '\.amdhsa_float_denorm_mode_32 3' "subnormal floats are kept"
    has '\.amdhsa_float_denorm_mode_16_64 3' "subnormal doubles are kept"
    has_no '\.amdhsa_float_denorm_mode_[0-9_]* [012]$' "in every kernel"
    # But in the quotients of integers, which are estimated so, scaled by 2^32.
    has_no 'v_ma[dc]_f32[a-z0-9_]* [^x]*$' "no operations that flush subnormals"
fi
echo "1..$count"
