#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What tdls-info says. Speaks TAP.
# usage: check_info.sh TDLS_INFO VERSION MODULE MANUAL SET...
#   MODULE: one of the CUDA backend without a device; SET: instruction sets that were built
info=$1 version=$2 module=$3 manual=$4
shift 4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset TDLS_CPU_ISA TDLS_MODULE_PATH
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/out"
}
run() { # expected exit status, arguments...
    expected=$1
    shift
    "$info" "$@" > "$scratch/out" 2> "$scratch/err"
    status=$?
    [ "$status" -eq "$expected" ] && return
    echo "# exit status $status instead of $expected"
    return 1
}
says() { # lines that are somewhere in the output, as they are
    for line; do
        grep -qxF -e "$line" "$scratch/out" && continue
        echo "# not there: $line"
        return 1
    done
}

run 0 && says "libtdls $version" "backend cpu: 1 device" "  TDLS_CPU_ISA is not set" \
    "  layout: column-major" "  row interchange: automatic" "  pivot threshold: 1" \
    "  singular floor: 0 (the smallest normal number of the type)" "  rows per thread: 0 (tuned)" \
    "  number of threads: 0 (OpenMP's choice)" "  stream: the default one"
report $? "version, backends, environment, settings"

chosen=$(sed -n 's/^  instruction set: //p' "$scratch/out")
known=1
for set; do
    [ "$set" = "$chosen" ] && known=0
done
report $known "the instruction set chosen is one that was built"
grep -q "^  device 0: ..*, $chosen\$" "$scratch/out"
report $? "the processor has a name"

TDLS_CPU_ISA=generic run 0 cpu && says "  instruction set: generic" "  TDLS_CPU_ISA=generic" &&
    ! grep -q cuda: "$scratch/out"
report $? "a forced instruction set, and the CPU alone"

TDLS_CPU_ISA=i386 run 1 && grep -q "^    TDLS_CPU_ISA=i386: no such instruction set" "$scratch/out" &&
    says "  TDLS_CPU_ISA=i386"
report $? "an unknown instruction set: the reason, and exit status 1"

mkdir "$scratch/none" "$scratch/empty"
TDLS_MODULE_PATH="$scratch/none:$scratch/empty" OMP_NUM_THREADS=3 run 1 cuda
if [ "$status" -eq 0 ]; then
    count=$((count + 1))
    echo "ok $count - a backend that is absent # SKIP the CUDA backend can be used"
else
    [ "$status" -eq 1 ] && says "  OMP_NUM_THREADS=3" "  TDLS_MODULE_PATH=$scratch/none:$scratch/empty" &&
        grep -q "^    $scratch/none/tdls_cuda.so: " "$scratch/out" &&
        grep -q "^    $scratch/empty/tdls_cuda.so: " "$scratch/out" && ! grep -q "backend cpu" "$scratch/out"
    report $? "a backend that is absent: each place where it was looked for, and exit status 1"
fi

cp "$module" "$scratch/none/tdls_cuda.so"
TDLS_MODULE_PATH="$scratch/none" run 1 cuda &&
    says "backend cuda: 0 devices" "  module: $scratch/none/tdls_cuda.so"
report $? "a module without a device: where it is, and exit status 1"

run 0 --version && says "tdls-info $version"
report $? "--version"
run 0 --help && grep -q "^usage: tdls-info" "$scratch/out"
report $? "--help"
run 2 --wrong && [ ! -s "$scratch/out" ] && grep -q -e "--wrong" "$scratch/err"
report $? "an unknown option: exit status 2"

missing=0
for word in '\-\-version' '\-\-help' TDLS_CPU_ISA TDLS_MODULE_PATH OMP_NUM_THREADS; do
    grep -qF -e "$word" "$manual" || missing=1
done
report $missing "the manual page names the options and the environment"
if man --version 2> /dev/null | grep -q "^man "; then
    man --warnings -l "$manual" 2>&1 > "$scratch/page" | sed 's/^/# /' > "$scratch/out"
    [ ! -s "$scratch/out" ] && grep -q "EXIT STATUS" "$scratch/page"
    report $? "the manual page can be formatted"
else
    count=$((count + 1))
    echo "ok $count - the manual page can be formatted # SKIP no man"
fi
echo "1..$count"
