#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's Meson project with libtdls as a subproject, shared and static. Speaks TAP.
# usage: check_subproject.sh MESON ROOT SOURCE CC CXX
meson=$1 root=$2 source=$3
export CC="$4" CXX="$5"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset LD_LIBRARY_PATH CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_PATH MESON_BUILD_ROOT MESON_SOURCE_ROOT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    tail -n 50 "$scratch/log" | sed 's/^/# /'
}
mkdir -p "$scratch/stranger/subprojects/tdls"
cp "$source/subproject/meson.build" "$source/solve.c" "$scratch/stranger"
for file in "$root"/*; do
    # Not the builds, which may be in any folder of the root.
    [ -e "$file/build.ninja" ] || ln -s "$file" "$scratch/stranger/subprojects/tdls"
done
for kind in shared static; do
    {
        "$meson" setup "$scratch/$kind" "$scratch/stranger" --wrap-mode=forcefallback \
            -Ddefault_library=$kind -Dtdls:cuda=disabled -Dtdls:hip=disabled && "$meson" test -C "$scratch/$kind" solve
    } > "$scratch/log" 2>&1
    report $? "a subproject, $kind"
    # The tests, examples and benchmarks of libtdls are not the stranger's, nor are its programs.
    "$meson" introspect "$scratch/$kind" --targets > "$scratch/targets" &&
        ! grep -q -e quickstart -e test_handle -e tdls-bench -e tdls-info "$scratch/targets"
    report $? "nothing but the library, $kind"
done
echo "1..$count"
