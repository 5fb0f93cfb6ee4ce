#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Exported symbols, and weak symbols shared between instruction sets. Speaks TAP.
# usage: check_symbols.sh NM LIBRARY HEADER OBJECT...   (OBJECT: archive of one instruction set)
nm=$1 library=$2 header=$3
shift 3
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$nm" -D --defined-only "$library" | awk '{print $3}' | sort > "$scratch/exported"
grep -v '^tdls_' "$scratch/exported" > "$scratch/foreign"
sed 's/^/# foreign: /' "$scratch/foreign"
[ ! -s "$scratch/foreign" ]
report $? "nothing but tdls_* is exported"

# Function names of the header: at the start of a declarator, followed by a parenthesis.
sed -e 's|/\*.*\*/||' -e '/^ \*/d' -e '/^\/\*/d' "$header" | grep -o 'tdls_[a-z_]*(' | tr -d '(' |
    sort -u > "$scratch/declared"
diff "$scratch/declared" "$scratch/exported" > "$scratch/difference"
status=$?
sed 's/^/# /' "$scratch/difference"
[ "$status" -eq 0 ] && [ "$(wc -l < "$scratch/declared")" -eq 46 ]
report $? "what the header declares is what the library exports, 46 functions"

for object; do
    "$nm" "$object" | awk 'NF > 1 && $(NF-1) ~ /^[WVu]$/ {print $NF}' | sort -u
done | sort | uniq -d > "$scratch/shared"
sed 's/^/# shared: /' "$scratch/shared"
[ ! -s "$scratch/shared" ]
report $? "no weak symbol is in two of the $# instruction sets"
for object; do
    "$nm" "$object" | awk 'NF > 1 && $(NF-1) ~ /^[TRD]$/ {print $NF}'
done | sort > "$scratch/strong"
sort -u "$scratch/strong" > "$scratch/unique"
[ "$(wc -l < "$scratch/unique")" -eq "$(wc -l < "$scratch/strong")" ] && [ -s "$scratch/unique" ]
report $? "each instruction set defines its own table"
echo "1..$count"
