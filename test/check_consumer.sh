#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A stranger's programs against an installed and then moved prefix, through pkg-config. Speaks TAP.
# usage: check_consumer.sh MESON BUILD SOURCE CC CXX FC   (FC may be empty: those tests are skipped)
meson=$1 build=$2 source=$3 cc=$4 cxx=$5 fc=$6
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" || echo "not ok $count - $2"
}
skip() {
    count=$((count + 1))
    echo "ok $count - $1 # SKIP no Fortran compiler"
}

DESTDIR="$scratch/stage" "$meson" install -C "$build" --no-rebuild --quiet >&2
pc=$(find "$scratch/stage" -name tdls.pc)
[ -n "$pc" ]
report $? "it installs"
# From <prefix>/lib*/pkgconfig or <prefix>/lib/<triple>/pkgconfig up to the prefix.
prefix=$(dirname "$(find "$scratch/stage" -type d -name include)")
mkdir "$scratch/elsewhere"
mv "$prefix" "$scratch/elsewhere/moved prefix"
moved="$scratch/elsewhere/moved prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$moved" -name tdls.pc)")
export PKG_CONFIG_PATH
libdir=$(dirname "$PKG_CONFIG_PATH")
unset LD_LIBRARY_PATH

root=$(dirname "$(dirname "$source")")
grep -rl -e "$build" -e "$root" "$moved" > "$scratch/leaks"
# gfortran's module files are compressed.
find "$moved" -name '*.mod' -exec sh -c 'gzip -dcf "$3" | grep -l --label="$3" -e "$1" -e "$2"' - \
    "$build" "$root" {} \; >> "$scratch/leaks"
[ ! -s "$scratch/leaks" ]
report $? "no installed file names the folder of the build or of the sources"
[ -e "$libdir/libtdls.so" ] && [ -e "$libdir/libtdls.so.0" ] && [ -e "$libdir/libtdls.a" ] &&
    [ -e "$moved/include/tdls/tdls.h" ]
report $? "libraries and header are in place"

# As a user sees them: no flag of this build, nothing that the shared library brings itself.
flags() { pkg-config "$@" tdls | sed -e 's/ *$//' -e 's/\\//g'; }
up=$(flags --variable=prefix)
[ "$(cd "$up" && pwd)" = "$moved" ] && [ "$(flags --cflags)" = "-I$up/include" ] &&
    [ "$(flags --libs)" = "-L$up${libdir#"$moved"} -ltdls" ]
report $? "the flags for the shared library"
static_flags=$(flags --static --libs)
known=1
for openmp in gomp omp :libomp.so.5; do
    [ "$static_flags" = "-L$up${libdir#"$moved"} -ltdls -lstdc++ -l$openmp -lm -ldl -pthread" ] && known=0
done
[ $known -eq 0 ]
report $? "the flags for the archive"
[ "$(pkg-config --modversion tdls)" = "$(LD_LIBRARY_PATH="$libdir" "$moved/bin/tdls-info" --version | sed 's/.* //')" ]
report $? "the version"

# pkg-config escapes the blank of the prefix, which eval undoes.
compile() { # output compiler source pkg-config-arguments...
    output=$1 compiler=$2 file=$3
    shift 3
    eval "\"$compiler\" -o \"$output\" \"$file\" $(pkg-config "$@")" >&2
}

# Without the device modules of this build, if there are any, the library says where it looked for them.
[ ! -d "$libdir/tdls" ] || mv "$libdir/tdls" "$scratch/modules"
compile "$scratch/shared" "$cc" "$source/solve.c" --cflags --libs tdls &&
    LD_LIBRARY_PATH="$libdir" "$scratch/shared" > "$scratch/shared.out"
report $? "C, shared"
grep -q "$moved/.*/tdls/tdls_cuda.so" "$scratch/shared.out"
report $? "modules are looked for beside the library that was moved"

# The archive itself, since the linker would take the shared library.
static=$(pkg-config --cflags --libs --static tdls | sed 's/-ltdls/-l:libtdls.a/')
eval "\"$cc\" -o \"$scratch/static\" \"$source/solve.c\" $static" >&2 &&
    "$scratch/static" > "$scratch/static.out" && ! ldd "$scratch/static" | grep -q libtdls
report $? "C, static"

eval "\"$cxx\" -std=c++20 -pthread -o \"$scratch/core\" \"$source/core.cpp\" $(pkg-config --cflags tdls)" >&2 &&
    "$scratch/core"
report $? "C++ core"

if [ -n "$fc" ]; then
    compile "$scratch/fortran" "$fc" "$source/solve.f90" --cflags --libs tdls &&
        LD_LIBRARY_PATH="$libdir" "$scratch/fortran"
    report $? "Fortran, shared"
    eval "\"$fc\" -o \"$scratch/fortran_static\" \"$source/solve.f90\" $static" >&2 &&
        "$scratch/fortran_static"
    report $? "Fortran, static"

    compile "$scratch/module" "$fc" "$source/solve_module.f90" --cflags --libs tdls-fortran &&
        LD_LIBRARY_PATH="$libdir" "$scratch/module" && ldd "$scratch/module" | grep -q libtdls_fortran
    report $? "Fortran module, shared"
    static=$(pkg-config --cflags --libs --static tdls-fortran |
        sed 's/-ltdls_fortran/-l:libtdls_fortran.a/; s/-ltdls /-l:libtdls.a /')
    eval "\"$fc\" -o \"$scratch/module_static\" \"$source/solve_module.f90\" $static" >&2 &&
        "$scratch/module_static" && ! ldd "$scratch/module_static" | grep -q libtdls
    report $? "Fortran module, static"
    # As with another compiler: the module's source, and the C library alone.
    fortran=$(pkg-config --variable=sourcedir tdls-fortran)
    eval "cd \"$scratch\" && \"$fc\" -o module_source $fortran/handle.f90 $fortran/tdls.f90 \
        \"$source/solve_module.f90\" $(pkg-config --cflags --libs tdls)" >&2 &&
        LD_LIBRARY_PATH="$libdir" "$scratch/module_source"
    report $? "Fortran module, from its source"
else
    skip "Fortran, shared"
    skip "Fortran, static"
    skip "Fortran module, shared"
    skip "Fortran module, static"
    skip "Fortran module, from its source"
fi
echo "1..$count"
