#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# LAPACK's own tests of its general linear systems (xlintsts, xlintstd), done by libtdls through the
# shim. Speaks TAP.
# usage: check_lin.sh SHIM [FOLDER]
#   FOLDER: of xlintsts, xlintstd and, if they are linked to one, of their liblapack.so.3; by default
#   where Debian's liblapack-test has them
shim=$1
folder=${2:-$(dirname "$(find /usr/lib -path '*/lapack/xlintstd' 2> /dev/null | head -n 1)")}
if ! [ -x "$folder/xlintstd" ]; then
    echo "1..0 # SKIP LAPACK's testers are not installed (liblapack-test)"
    exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    cat "$scratch/out" "$scratch/err" | grep -v '^ *$' | head -n 60 | sed 's/^/# /'
}
# The testers' own format, see TESTING/LIN/dchkaa.F: more orders than in dtest.in, and GE alone.
input() { # GE of the type
    cat << TEXT
Input of the tests of libtdls
11                     Number of values of M
0 1 2 3 4 8 15 16 17 33 65
11                     Number of values of N
0 1 2 3 4 8 15 16 17 33 65
3                      Number of values of NRHS
1 2 15
3                      Number of values of NB
1 3 20
1 0 1
1                      Number of values of RANK
50
30.0                   Threshold value of test ratio
T                      Put T to test the LAPACK routines
T                      Put T to test the driver routines
T                      Put T to test the error exits
$1   11
TEXT
}
for type in s d; do
    name=$(echo $type | tr sd SD)GE
    # Behind the shim the LAPACK that the testers were built with.
    input "$name" |
        LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder" LD_PRELOAD="$shim" \
            TDLS_SHIM_REPORT=1 "$folder/xlintst$type" > "$scratch/out" 2> "$scratch/err"
    grep -q "All tests for $name routines  *passed the threshold" "$scratch/out"
    report $? "$name routines"
    grep -q "All tests for $name drivers  *passed the threshold" "$scratch/out"
    report $? "$name drivers"
    [ "$(grep -c "$name .* passed the tests of the error exits" "$scratch/out")" -eq 2 ]
    report $? "$name error exits"
    here=$(sed -n 's/^lapack_shim: \([0-9]*\) calls by libtdls.*/\1/p' "$scratch/err")
    sed -n 's/^lapack_shim: /# /p' "$scratch/err"
    [ "${here:-0}" -gt 10000 ]
    report $? "$name: it was libtdls that was tested"
done
echo "1..$count"
