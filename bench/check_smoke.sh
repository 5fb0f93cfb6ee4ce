#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The smoke run of the benchmark: every result is right, and the CSV has what it should. Speaks TAP.
# usage: check_smoke.sh TDLS-BENCH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
csv=$scratch/smoke.csv
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}

"$1" --smoke --csv "$csv" > "$scratch/table" 2>&1
status=$?
grep -E 'WRONG|^tdls-bench' "$scratch/table" | head -n 20 | sed 's/^/# /'
sed -n 's/^\([a-z-]*\|OpenBLAS cores\): /# \1: /p' "$scratch/table"
report "$status" "every result is right"

header=n,type,routine,storage,width,threads,systems,library,ns_per_system,ns_least,ns_most,spread
header=$header,systems_per_s,gb_per_s,fraction_of_bandwidth,gflop_per_s,fraction_of_peak
header=$header,time_over_tdls,backward_error
[ "$(grep -v '^#' "$csv" | head -n 1)" = "$header" ]
report $? "the CSV begins with its header"

# 6 orders, 2 types, 4 routines, 3 storages, 1 and 2 threads. Of the storages LAPACKE and Eigen do 2,
# MKL's batched routines 1; of the orders Eigen does 4.
expected() {
    case $1 in
    tdls) echo 288 ;;
    lapacke | mkl) echo 192 ;;
    mkl-batch) echo 96 ;;
    eigen) echo 128 ;;
    *) echo 0 ;;
    esac
}
libraries=$(sed -n 's/^# \(tdls\|lapacke\|eigen\|mkl\|mkl-batch\): .*/\1/p' "$csv")
for library in $libraries; do
    lines=$(grep -v '^#' "$csv" | awk -F, -v library="$library" 'NF == 19 && $8 == library' | wc -l)
    [ "$lines" -eq "$(expected "$library")" ]
    report $? "$library has $lines lines"
done
grep -v '^#' "$csv" | awk -F, 'NR > 1 && !($9 > 0 && $9 < 1e9 && $19 > 0 && $19 < 10) {bad = 1}
    END {exit NR < 2 || bad}'
report $? "times and errors are sound in every line"
echo "1..$count"
