#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's CMake project against an installed and then moved prefix. Speaks TAP.
# usage: check_cmake.sh MESON BUILD SOURCE CC FC   (FC may be empty: its test is skipped)
meson=$1 build=$2 source=$3 cc=$4 fc=$5
if ! command -v cmake > /dev/null; then
    echo "1..0 # SKIP no CMake"
    exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/log"
}

DESTDIR="$scratch/stage" "$meson" install -C "$build" --no-rebuild --quiet >&2
prefix=$(dirname "$(find "$scratch/stage" -type d -name include)")
moved="$scratch/moved prefix"
mv "$prefix" "$moved"
folder=$(dirname "$(find "$moved" -name tdls-config.cmake)")
libdir=$(cd "$folder/../.." && pwd)
[ -e "$folder/tdls-config-version.cmake" ] && [ "$(basename "$(dirname "$folder")")" = cmake ]
report $? "the package is in place"
unset LD_LIBRARY_PATH CFLAGS LDFLAGS

use() { # folder, options of cmake...
    folder="$scratch/$1"
    shift
    {
        cmake -S "$source/cmake" -B "$folder" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$moved" "$@" &&
            cmake --build "$folder"
    } > "$scratch/log" 2>&1
}
of_kind() { grep -q "kind tdls::$1, version [0-9]" "$scratch/log"; }
# CMake breaks the lines of its messages.
said() { tr -s '\n ' '  ' < "$scratch/log" | grep -q "$1"; }
linked() { ldd "$folder/solve" | grep "libtdls.so.0 => $libdir/" > "$scratch/ldd"; }

use default && of_kind shared && "$folder/solve" >> "$scratch/log" 2>&1 && linked
report $? "shared by default"
use static -DWANTED=static && of_kind static && "$folder/solve" >> "$scratch/log" 2>&1 && ! linked
report $? "static, as a component"
use variable -Dtdls_USE_STATIC_LIBS=ON && of_kind static && "$folder/solve" >> "$scratch/log" 2>&1 &&
    ! linked
report $? "static, by tdls_USE_STATIC_LIBS"

if [ -z "$fc" ]; then
    count=$((count + 1))
    echo "ok $count - the Fortran module # SKIP no Fortran compiler"
else
    # A stand-in, where the module was not built: what is tested is that it is found.
    if [ ! -e "$libdir/libtdls_fortran.so" ] && [ ! -e "$libdir/libtdls_fortran.a" ]; then
        ! use without -DWITH_FORTRAN=ON -DCMAKE_Fortran_COMPILER="$fc" && said "no component fortran"
        report $? "the Fortran module that is not there is not found"
        printf 'module tdls\ncontains\nsubroutine tdls_nothing\nend subroutine\nend module\n' \
            > "$scratch/tdls.f90"
        (cd "$scratch" && "$fc" -c tdls.f90 && ar rc "$libdir/libtdls_fortran.a" tdls.o &&
            mkdir -p "$moved/include/tdls/fortran" && mv tdls.mod "$moved/include/tdls/fortran") >&2
    fi
    use fortran -DWITH_FORTRAN=ON -DCMAKE_Fortran_COMPILER="$fc" &&
        "$folder/use_module" >> "$scratch/log" 2>&1
    report $? "the Fortran module"
fi

rm "$libdir"/libtdls.so*
use archive && of_kind static && "$folder/solve" >> "$scratch/log" 2>&1
report $? "static where there is nothing else"
! use neither -DWANTED=shared && said "no component shared"
report $? "a missing component is named"
echo "1..$count"
