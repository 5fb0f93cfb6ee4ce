#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Fortran module and its tests, compiled by LLVM's flang, as a user of another compiler than the
# one that built the library would. Speaks TAP; skipped where there is no flang.
# usage: check_flang.sh LIBRARY SOURCE TEST   (folder of libtdls.so, of tdls.f90, of the tests)
# FLANG names another flang than the first that is found.
library=$1 source=$2 test=$3
for flang in ${FLANG:-} flang-new-16 flang-new flang ''; do
    [ -n "$flang" ] && command -v "$flang" > /dev/null && break
done
if [ -z "$flang" ]; then
    echo "ok 1 - flang # SKIP there is none (./dev compilers installs it)"
    echo "1..1"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
"$flang" --version | sed 's/^/# /'

# Before version 18 programs are linked only if asked for; and Debian's does not look for its run-time
# library where that is.
link=-L$(dirname "$(readlink -f "$(command -v "$flang")")")/../lib
"$flang" --help | grep -q flang-experimental-exec && link="$link -flang-experimental-exec"

handle=handle.f90
module() { "$flang" "$1" -c "$source/$handle" && "$flang" "$1" -c "$source/tdls.f90"; }
program() { # level
    module "$1" || return 1
    for file in tap.f90 cases_double.f90 cases_float.f90 test_fortran.f90; do
        "$flang" "$1" -c "$test/$file" || return 1
    done
    # shellcheck disable=SC2086 # several options
    "$flang" $link -o program ./*.o -L"$library" -ltdls -Wl,-rpath,"$library"
}

if ! module -O0 > messages 2>&1 &&
    grep -q 'not yet implemented: derived type argument passed by value' messages; then
    handle=handle_as_pointer.f90
fi
count=0
for level in -O0 -O3; do
    count=$((count + 1))
    rm -f ./*
    program "$level" > messages 2>&1 && ./program > output 2>> messages
    status=$?
    # The program speaks TAP itself: its plan shows that it reached its end.
    [ "$status" -eq 0 ] && grep -q '^1\.\.' output && ! grep -q '^not ok' output
    status=$?
    [ "$status" -eq 0 ] || cat messages output 2> /dev/null | grep -v '^ok' | sed 's/^/# /'
    [ "$status" -eq 0 ] && result=ok || result="not ok"
    echo "$result $count - $level, $handle: $(grep -c '^ok' output) checks pass"
done
echo "1..$count"
