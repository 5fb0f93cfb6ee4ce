#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The core read by every compiler, host and device passes, warnings as errors; and what the compilers say
# of registers: no spill, no stack frame, no scratch. Speaks TAP.
# usage: check_device.sh INCLUDE FOLDER PART KERNEL     (PART: compile, nvidia or amd)
include=$1 folder=$2 part=$3 kernel=$4
count=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
have() { # compiler name: a skip unless it is there
    command -v "$1" > /dev/null && return 0
    count=$((count + 1))
    echo "ok $count - $2 # SKIP no $1"
    return 1
}
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

if [ "$part" = compile ]; then
    for cxx in g++ clang++ clang++-15; do
        if have "$cxx" "entry points, $cxx"; then
            # shellcheck disable=SC2086
            "$cxx" -std=c++20 -O1 $warnings -I"$include" -c "$folder/entry_points.cpp" \
                -o "$scratch/$cxx.o" >&2
            report $? "entry points, $cxx"
        fi
    done
    for arch in 75 120; do
        if have nvcc "entry points, nvcc, sm_$arch"; then
            nvcc -x cu -std=c++20 -arch=compute_$arch -ptx -Werror all-warnings \
                -Xcompiler=-Wall,-Wextra,-Wconversion,-Wshadow,-Werror -I"$include" \
                "$folder/entry_points.cpp" -o "$scratch/$arch.ptx" >&2
            report $? "entry points, nvcc, sm_$arch"
        fi
    done
    # One architecture to the end, the others as far as warnings go.
    for arch in gfx906:-fsyntax-only gfx90a:-c gfx1030:-fsyntax-only; do
        if have hipcc "entry points, hipcc, ${arch%%:*}"; then
            # shellcheck disable=SC2086
            hipcc -x hip -std=c++20 -O1 --offload-arch="${arch%%:*}" "${arch##*:}" $warnings \
                -Wno-unused-command-line-argument \
                -I"$include" "$folder/entry_points.cpp" -o "$scratch/hip.o" >&2
            report $? "entry points, hipcc, ${arch%%:*}"
        fi
    done
    # The kernel of the manual.
    if have nvcc "$(basename "$kernel"), nvcc"; then
        nvcc -x cu -std=c++20 -arch=sm_75 -Werror all-warnings -I"$include" -c "$kernel" \
            -o "$scratch/kernel.o" >&2
        report $? "$(basename "$kernel"), nvcc"
    fi
    if have hipcc "$(basename "$kernel"), hipcc"; then
        hipcc -x hip -std=c++20 --offload-arch=gfx90a -Wall -Wextra -Werror \
            -Wno-unused-command-line-argument -I"$include" -c "$kernel" \
            -o "$scratch/kernel.o" >&2
        report $? "$(basename "$kernel"), hipcc"
    fi
fi

# Kernels of types and schemes: 12 reports in each. Half a minute to a minute and a half each, so not all
# of them unless TDLS_TEST_ALL is set: a float needs less than a double, and the device modules have
# kernels with rows that stay, in both types, whose reports are looked at as well.
variants="double:Physical:RowMajor"
if [ -n "${TDLS_TEST_ALL:-}" ]; then
    variants="$variants double:Logical:ColMajor double:Physical:ColMajor double:Logical:RowMajor float:Logical:RowMajor float:Logical:ColMajor
        float:Physical:RowMajor float:Physical:ColMajor"
fi
for variant in $variants; do
    type=${variant%%:*} rest=${variant#*:}
    defines="-DTDLS_TEST_TYPE=$type -DTDLS_TEST_INTERCHANGE=${rest%%:*} -DTDLS_TEST_LAYOUT=${rest##*:}"
    name="$type, ${rest%%:*}, ${rest##*:}"
    if [ "$part" = nvidia ] && have nvcc "registers, sm_90, $name"; then
        # shellcheck disable=SC2086
        nvcc -x cu -std=c++20 -arch=sm_90 -cubin -Xptxas -v $defines -I"$include" \
            "$folder/registers.cpp" -o "$scratch/out" > "$scratch/log" 2>&1
        status=$?
        kernels=$(grep -c 'bytes stack frame' "$scratch/log")
        clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$scratch/log")
        grep -E 'error|Used' "$scratch/log" | sed 's/^/# /'
        [ "$status" -eq 0 ] && [ "$kernels" -eq 12 ] && [ "$clean" -eq 12 ]
        report $? "registers, sm_90, $name: $clean of $kernels kernels without stack or spill"
    fi
    if [ "$part" = amd ] && have hipcc "scratch, gfx90a, $name"; then
        # shellcheck disable=SC2086
        hipcc -x hip -std=c++20 -O3 --offload-arch=gfx90a --offload-device-only -c \
            -Rpass-analysis=kernel-resource-usage $defines -I"$include" "$folder/registers.cpp" \
            -o "$scratch/out" > "$scratch/log" 2>&1
        status=$?
        kernels=$(grep -c 'ScratchSize' "$scratch/log")
        clean=$(grep -c 'ScratchSize \[bytes/lane\]: 0 ' "$scratch/log")
        grep -E 'error|VGPRs:' "$scratch/log" | sed 's/^/# /'
        [ "$status" -eq 0 ] && [ "$kernels" -eq 12 ] && [ "$clean" -eq 12 ]
        report $? "scratch, gfx90a, $name: $clean of $kernels kernels without scratch"
    fi
done
echo "1..$count"
