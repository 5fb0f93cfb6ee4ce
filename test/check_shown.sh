#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A document shows programs as they are, each as a code block of its own. Speaks TAP.
# usage: check_shown.sh DOCUMENT PROGRAM...
document=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v to="$scratch" '/^```/ {if (on) on = 0; else {on = 1; n++}; next} on {print > (to "/" n)}' \
    "$document"
count=0
for program; do
    count=$((count + 1))
    shown="not ok"
    for block in "$scratch"/*; do
        cmp -s "$block" "$program" && shown=ok
    done
    echo "$shown $count - $(basename "$document") shows $(basename "$program")"
done
echo "1..$count"
