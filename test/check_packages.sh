#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The tags of what is installed give the packages of a distribution, and each file is in one of them.
# Speaks TAP.
# usage: check_packages.sh MESON BUILD VERSION
meson=$1 build=$2 version=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/difference"
}
# What a package holds, below its prefix, without the folders that the configuration chose.
list() { # name, options of the installer...
    name=$1
    shift
    DESTDIR="$scratch/$name" "$meson" install -C "$build" --no-rebuild --quiet "$@" >&2
    (mkdir -p "$scratch/$name" && cd "$scratch/$name" && find . ! -type d) |
        sed -e 's|^.*/include/|include/|' -e 's|^.*/bin/|bin/|' -e 's|^.*/man1/|man1/|' -e 's|^.*/man3/|man3/|' -e 's|^.*/doc/tdls/|doc/|' \
            -e 's|^.*/lib\(64\)\{0,1\}/\([^/]*-linux-gnu[^/]*/\)\{0,1\}|lib/|' | sort > "$scratch/$name.list"
}
compare() { # name, lines expected...
    name=$1
    shift
    printf '%s\n' "$@" | sort | diff - "$scratch/$name.list" > "$scratch/difference"
}

list runtime --tags runtime
# The Fortran module's library is optional, and has the same soname and version.
grep -v libtdls_fortran "$scratch/runtime.list" > "$scratch/without"
mv "$scratch/without" "$scratch/runtime.list"
compare runtime lib/libtdls.so.0 "lib/libtdls.so.$version"
report $? "runtime (libtdls0): the shared library alone"

list devel --tags devel
grep -v -i -e fortran -e '\.mod$' "$scratch/devel.list" > "$scratch/without"
grep -v -e '^include/tdls/.*\.hpp$' "$scratch/without" > "$scratch/devel.list"
compare devel lib/libtdls.so lib/libtdls.a include/tdls/tdls.h lib/pkgconfig/tdls.pc \
    lib/cmake/tdls/tdls-config.cmake lib/cmake/tdls/tdls-config-version.cmake
report $? "devel (libtdls-dev): headers, archive, link, and the files for pkg-config and CMake"
grep -q '^include/tdls/tdls.hpp$' "$scratch/without"
report $? "devel: the C++ core"

list bin --tags bin,man
compare bin bin/tdls-info man1/tdls-info.1
report $? "bin, man (tdls-bin): the program and its page"

for backend in cuda hip; do
    list $backend --tags $backend
    if [ ! -s "$scratch/$backend.list" ]; then
        count=$((count + 1))
        echo "ok $count - $backend (libtdls-$backend) # SKIP the backend was not built"
    else
        compare $backend lib/tdls/tdls_$backend.so
        report $? "$backend (libtdls-$backend): its module alone"
    fi
done

list doc --tags doc
if [ ! -s "$scratch/doc.list" ]; then
    count=$((count + 1))
    echo "ok $count - doc (libtdls-doc) # SKIP the manual was not built"
else
    grep -v -e '^man3/[tT][dD][lL][sS][._]' -e '^doc/html/' "$scratch/doc.list" > "$scratch/difference"
    for file in doc/html/index.html man3/tdls_create.3 man3/tdls.h.3; do
        grep -qx "$file" "$scratch/doc.list" || echo "$file is missing" >> "$scratch/difference"
    done
    [ ! -s "$scratch/difference" ]
    report $? "doc (libtdls-doc): HTML and pages of section 3, named for tdls"
fi

list all
list tagged --tags runtime,devel,bin,man,cuda,hip,doc
diff "$scratch/all.list" "$scratch/tagged.list" > "$scratch/difference"
report $? "no file is in none of the packages"
echo "1..$count"
