#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that must be refused at compile time, each with a message that says why. Speaks TAP.
# usage: check_refusals.sh INCLUDE FOLDER CXX...   (each of the compilers that is there)
include=$1 folder=$2
shift 2
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
skip() { # name why
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $2"
}
refused() { # name source compiler...
    name=$1 source=$2
    shift 2
    expected=$(sed -n 's|^// expect: ||p' "$source")
    [ -n "$expected" ] && ! messages=$("$@" "$source" 2>&1) &&
        echo "$messages" | grep -qF "$expected"
    report $? "$name refuses $(basename "$source")"
}
for cxx; do
    for source in "$folder"/*.cpp; do
        if command -v "$cxx" > /dev/null; then
            refused "$cxx" "$source" "$cxx" -std=c++20 -Werror -fsyntax-only -I"$include"
        else
            skip "$cxx refuses $(basename "$source")" "no $cxx"
        fi
    done
done
# A group wider than a warp: only the device pass can see it.
for source in "$folder"/*.cu; do
    if command -v nvcc > /dev/null; then
        refused nvcc "$source" nvcc -std=c++20 -arch=compute_75 -ptx -o /dev/null -I"$include"
    else
        skip "nvcc refuses $(basename "$source")" "no nvcc"
    fi
    if command -v hipcc > /dev/null; then
        refused hipcc "$source" hipcc -x hip -std=c++20 --offload-arch=gfx90a -fsyntax-only \
            -I"$include" -include hip/hip_runtime.h
    else
        skip "hipcc refuses $(basename "$source")" "no hipcc"
    fi
done
echo "1..$count"
