#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs that were linked before rely on: the exported symbols, the soname, and the types of
# the functions. Speaks TAP.
# usage: check_abi.sh NM LIBRARY DESCRIBED FOLDER HEADERS FAMILY [--write]
#   DESCRIBED: the same interface with debug information; FOLDER: test/abi
#   --write: write the dump of this version anew
nm=$1 library=$2 described=$3 folder=$4 headers=$5 family=$6
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Without what differs from machine to machine: folders, lines, libraries that are needed.
if [ "${7:-}" = --write ]; then
    abidw --headers-dir "$headers" --drop-private-types --no-show-locs --no-comp-dir-path \
        --no-corpus-path --no-elf-needed --exported-interfaces-only --out-file "$folder/tdls_$family.abi" "$described"
    exit
fi

"$nm" -D --defined-only "$library" | awk '{print $3}' | LC_ALL=C sort > "$scratch/exported"
diff "$folder/exported_symbols.txt" "$scratch/exported" > "$scratch/difference"
status=$?
sed 's/^/# /' "$scratch/difference"
report $status "the exported symbols are those of test/abi/exported_symbols.txt"

soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
[ "$soname" = "$(cat "$folder/soname.txt")" ]
report $? "the soname is that of test/abi/soname.txt ($soname)"

name="no function changed what it takes (abidiff)"
if ! command -v abidiff > /dev/null; then
    count=$((count + 1))
    echo "ok $count - $name # SKIP abidiff is not installed (Debian's abigail-tools)"
elif [ ! -f "$folder/tdls_$family.abi" ]; then
    count=$((count + 1))
    echo "ok $count - $name # SKIP there is no dump for $family"
else
    abidiff --exported-interfaces-only --headers-dir2 "$headers" --drop-private-types --no-added-syms --no-show-locs \
        "$folder/tdls_$family.abi" "$described" > "$scratch/report"
    # 1 and 2 are errors of the tool or its use, 4 a change, 8 one that breaks programs.
    status=$?
    sed 's/^/# /' "$scratch/report"
    report $status "$name"
fi
echo "1..$count"
