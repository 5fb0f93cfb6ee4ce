#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the device compilers report of the kernels that are shipped: no stack frame, no spilled register, no
# scratch memory. Lists registers, and the sizes of the objects. Speaks TAP.
# usage: check_device_code.sh COMPILER OBJECT...     (COMPILER: nvcc or hipcc; beside each object is its log)
compiler=$1
shift
count=0
for object; do
    log=$object.log
    case $compiler in
    nvcc)
        kernels=$(grep -c 'bytes stack frame' "$log")
        clean=$(grep -c ' 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads' "$log")
        registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' "$log")
        ;;
    *)
        kernels=$(grep -c 'ScratchSize' "$log")
        clean=$(grep -c 'ScratchSize \[bytes\/lane\]: 0 ' "$log")
        registers=$(sed -n 's/.* VGPRs: \([0-9]*\).*/\1/p' "$log")
        ;;
    esac
    count=$((count + 1))
    # Every object has kernels of both types.
    [ "$kernels" -ge 2 ] && [ "$clean" -eq "$kernels" ] || printf 'not '
    echo "ok $count - $(basename "$object"): $clean of $kernels kernels without stack or spill, registers" \
        "$(echo "$registers" | sort -n | tr '\n' ' ')- object of $(wc -c < "$object") bytes"
done
echo "1..$count"
