#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The OpenMP runtimes of gcc and of clang in one process: a program by one, the library by the other,
# whichever runtime is found first. Speaks TAP.
# usage: check_runtimes.sh SOURCE INCLUDE LIBRARY
source=$1 include=$2 library=$3
folder=$(dirname "$library")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
for compiler in gcc clang; do
    for order in first last; do
        count=$((count + 1))
        name="ok $count - a program by $compiler, its runtime linked $order"
        if ! command -v "$compiler" > /dev/null; then
            echo "$name # SKIP there is no $compiler"
            continue
        fi
        # The runtime that is linked first gets the symbols that both have.
        runtime=$([ "$compiler" = clang ] && echo -lomp || echo -lgomp)
        "$compiler" -fopenmp -I"$include" -c "$source" -o "$scratch/program.o" 2> "$scratch/said" || {
            sed 's/^/# /' "$scratch/said"
            echo "$name # SKIP $compiler has no OpenMP here"
            continue
        }
        if [ "$order" = first ]; then
            set -- "$runtime" -L"$folder" -ltdls
        else
            set -- -L"$folder" -ltdls -lgomp "$runtime"
        fi
        # clang's is in a folder of clang's own.
        own=$(dirname "$(readlink -f "$(command -v "$compiler")")")/../lib
        "$compiler" "$scratch/program.o" -Wl,--no-as-needed "$@" -L"$own" \
            -Wl,-rpath,"$folder" -o "$scratch/program" 2> "$scratch/said" || {
            sed 's/^/# /' "$scratch/said"
            echo "$name # SKIP $compiler cannot link its runtime here"
            continue
        }
        said=$(OMP_WAIT_POLICY=passive timeout 60 "$scratch/program" 2>&1)
        status=$?
        echo "# $compiler, $order: $said"
        [ "$status" -eq 0 ] && echo "$name" || echo "not $name"
    done
done
echo "1..$count"
