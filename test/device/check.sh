#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What a machine with a GPU can say of libtdls: doc/device-check.md. Ends with a line
# "N passed, N failed, N skipped"; the exit status is 0 if nothing failed and there was a device.
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/test/device

usage() {
    cat <<'TEXT'
usage: test/device/check.sh [OPTION...]

  --build FOLDER     Meson's build folder; made, for the GPU that is there, unless it exists
                     (build-device)
  --built            what is in the build folder is up to date: compile nothing there
  --prefix PREFIX    an installed libtdls instead, with its module of the backend
  --packages FOLDER  unpacked packages (.deb) with CMocka and LAPACKE; or packed ones
  --backend NAME     cuda (default) or hip
  --emulator         on the emulated device of the build folder instead of a GPU
  --quick            fewer orders, smaller batches
  --only NAME,...    these steps alone: suite compare graphs rows bench full sanitizer
  --limit SECONDS    in all (470); steps that do not fit are skipped, and say so
  --log FOLDER       where the full output of each step and the numbers (.csv) go
TEXT
}

build='' prefix='' packages='' backend=cuda emulator='' quick='' only='' limit=470 log='' built=''
while [ $# -gt 0 ]; do
    case $1 in
    --build | --prefix | --packages | --backend | --only | --limit | --log)
        [ $# -gt 1 ] || {
            usage >&2
            exit 2
        }
        declare "${1#--}=$2"
        shift
        ;;
    --built | --emulator | --quick) declare "${1#--}=yes" ;;
    --help)
        usage
        exit 0
        ;;
    *)
        echo "check.sh: what is $1?" >&2
        usage >&2
        exit 2
        ;;
    esac
    shift
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -n "$log" ] || log=$scratch/log
mkdir -p "$log" || exit 2
log=$(cd "$log" && pwd)

# ---- Counting --------------------------------------------------------------------------------------

passed=0 failed=0 skipped=0 no_device=''
section() { printf '\n== %s (at %d s)\n' "$*" "$SECONDS"; }
pass() { passed=$((passed + 1)) && echo "ok      $*"; }
fail() { failed=$((failed + 1)) && echo "FAILED  $*"; }
skip() { skipped=$((skipped + 1)) && echo "SKIP    $*"; }
finish() {
    printf '\n%d passed, %d failed, %d skipped (%d s)\n' "$passed" "$failed" "$skipped" "$SECONDS"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ] && [ -z "$no_device" ]
    exit
}

# Whether a step is wanted and there is time for it; a skip if not.
wanted() { # step
    if [ -n "$only" ] && [[ ",$only," != *",$1,"* ]]; then
        skip "$1: not among --only $only"
    elif [ -n "$no_device" ] && [ "$1" != build ]; then
        skip "$1: $no_device"
    elif [ $((limit - SECONDS)) -lt 10 ]; then
        skip "$1: the time is up (--limit $limit)"
    else
        return 0
    fi
    return 1
}

# Runs a command for so many seconds at most, and no longer than there is time in all.
timed() { # seconds, command...
    local most=$1
    shift
    [ "$most" -le $((limit - SECONDS)) ] || most=$((limit - SECONDS))
    [ "$most" -gt 1 ] || most=1
    timeout -k 5 "$most" "$@"
}

# Counts the cases of a program that speaks TAP, and shows what is not plainly good. A program that did
# not come to its end is a failure by itself.
judge() { # name, exit status, file with its output
    local name=$1 status=$2 file=$3 good bad left_out plan
    if grep -q '^1\.\.0' "$file"; then
        skip "$name: $(sed -n 's/^1\.\.0 *# SKIP *//p' "$file" | head -n 1)"
        return
    fi
    good=$(grep -c '^ok ' "$file")
    bad=$(grep -c '^not ok ' "$file")
    left_out=$(grep -ci '^ok .*# *skip' "$file")
    plan=$(sed -n 's/^1\.\.\([0-9]*\).*/\1/p' "$file" | tail -n 1)
    passed=$((passed + good - left_out))
    skipped=$((skipped + left_out))
    failed=$((failed + bad))
    printf '        %s: %d passed, %d failed, %d skipped\n' "$name" $((good - left_out)) "$bad" "$left_out"
    grep -i '^ok .*# *skip' "$file" | sed 's/^ok [0-9]* -* */SKIP    /'
    if [ "$bad" -gt 0 ]; then
        # The first reasons stand before their lines.
        grep -E '^(not ok |#)' "$file" | head -n 40 | sed 's/^not ok/FAILED  not ok/'
    fi
    if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        fail "$name: not done in time"
    elif [ "$plan" != $((good + bad)) ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; }; then
        fail "$name: exit status $status, $((good + bad)) cases of ${plan:-an unknown number}"
        tail -n 10 "$file"
    fi
}

tap() { # name, seconds, command...
    local name=$1 seconds=$2 status=0
    shift 2
    timed "$seconds" "$@" > "$log/${name// /-}.log" 2>&1 || status=$?
    judge "$name" "$status" "$log/${name// /-}.log"
}

# ---- The machine -----------------------------------------------------------------------------------

section machine
uname -srm
nvidia-smi --query-gpu=name,driver_version,memory.total,memory.free,compute_cap --format=csv,noheader \
    2> /dev/null || echo "no nvidia-smi, or no device that it sees"
cc=${CC:-cc} cxx=${CXX:-c++}
command -v "$cxx" > /dev/null && "$cxx" --version | head -n 1
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc || true)
toolkit='' cuda_include='' cuda_libraries='' cublas=''
if [ -n "$nvcc" ]; then
    "$nvcc" --version | grep release
    nvcc=$(readlink -f "$nvcc")
    toolkit=$(dirname "$(dirname "$nvcc")")
    for folder in "$toolkit" "$toolkit"/targets/*; do
        [ -n "$cuda_include" ] || [ ! -e "$folder/include/cuda_runtime_api.h" ] ||
            cuda_include=$folder/include
        for libraries in "$folder/lib64" "$folder/lib"; do
            [ -n "$cuda_libraries" ] || [ ! -e "$libraries/libcudart_static.a" ] ||
                cuda_libraries=$libraries
            for file in "$libraries"/libcublas.so "$libraries"/libcublas.so.*; do
                [ -n "$cublas" ] || [ ! -e "$file" ] || cublas=$file
            done
        done
    done
    export PATH="$PATH:$toolkit/bin"
fi
echo "CUDA runtime: ${cuda_libraries:-none}; cuBLAS: ${cublas:-none beside nvcc}"

# Packages: where their headers and libraries are.
package_flags=()
if [ -n "$packages" ]; then
    if compgen -G "$packages/*.deb" > /dev/null; then
        for file in "$packages"/*.deb; do
            dpkg-deb -x "$file" "$scratch/packages" || fail "unpacking $file"
        done
        packages=$scratch/packages
    fi
    packages=$(cd "$packages" && pwd) || exit 2
    package_flags+=("-I$packages/usr/include")
    # Unpacked without dpkg there are no alternatives: BLAS and LAPACK lie in folders of their own.
    for folder in "$packages"/usr/lib/*-linux-gnu "$packages"/usr/lib/*-linux-gnu/*/ "$packages/usr/lib"; do
        if compgen -G "$folder/*.so*" > /dev/null; then
            package_flags+=("-L$folder" "-Wl,-rpath-link,$folder")
            LD_LIBRARY_PATH=$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
        fi
    done
    export LD_LIBRARY_PATH
fi

# ---- The library -----------------------------------------------------------------------------------

section library
if [ -n "$prefix" ]; then
    prefix=$(cd "$prefix" && pwd) || exit 2
    include=$prefix/include libraries=''
    for folder in "$prefix"/lib "$prefix"/lib64 "$prefix"/lib/*-linux-gnu; do
        [ -n "$libraries" ] || [ ! -e "$folder/libtdls.so" ] || libraries=$folder
    done
    if [ -z "$libraries" ]; then
        fail "there is no libtdls.so in $prefix"
        finish
    fi
    modules=$libraries/tdls
else
    build=${build:-$root/build-device}
    if [ ! -f "$build/build.ninja" ]; then
        if [ -n "$emulator" ]; then
            meson setup "$build" "$root" -Dcuda=disabled -Dhip=disabled -Dfortran=disabled \
                -Dexamples=disabled -Dbench=disabled > "$log/setup.log" 2>&1
        else
            # For the GPU that is there: "9.0" is 90.
            capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -n 1)
            [[ $capability =~ ^[0-9]+\.[0-9]$ ]] || capability=9.0
            enabled=("-D$backend=enabled")
            [ "$backend" = cuda ] && enabled+=(-Dhip=disabled "-Dnvcc_archs=${capability/./}")
            [ "$backend" = hip ] && enabled+=(-Dcuda=disabled)
            echo "configuring $build: ${enabled[*]}"
            meson setup "$build" "$root" "${enabled[@]}" -Dtests=disabled -Dfortran=disabled \
                -Dexamples=disabled -Dbench=disabled > "$log/setup.log" 2>&1
        fi || {
            tail -n 20 "$log/setup.log"
            fail "configuring $build"
            finish
        }
    fi
    build=$(cd "$build" && pwd)
    include=$root/include libraries=$build/src modules=$build/backends/$backend
    [ -z "$emulator" ] || modules=$build/test/emulator
    if [ -z "$built" ]; then
        target=$(basename "$(readlink "$libraries/libtdls.so.0" || echo libtdls.so)")
        timed $((limit / 2)) ninja -C "$build" "src/$target" "${modules#"$build"/}/tdls_$backend.so" \
            > "$log/ninja.log" 2>&1 || {
            tail -n 20 "$log/ninja.log"
            fail "compiling the library and the $backend module"
            finish
        }
    fi
fi
module=$modules/tdls_$backend.so
if [ ! -e "$module" ]; then
    fail "there is no module $module"
    finish
fi
export TDLS_MODULE_PATH=$modules TDLS_TEST_BACKEND=$backend
pass "libtdls of $libraries, ${emulator:+emulated }$backend module of $modules"
if [ -n "$emulator" ]; then
    # Without other threads the emulator keeps kernels off the memory of the host.
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
fi
# Programs run side by side: threads that wait must not keep a processor busy.
export OMP_WAIT_POLICY=passive

# ---- The programs ----------------------------------------------------------------------------------

section programs
programs=$scratch/programs
mkdir "$programs"
suite=(arguments bits handle independence lapack offsets singular)
common=(-O2 -ffp-contract=off "-I$include")
library=("-L$libraries" "-Wl,-rpath,$libraries" -ltdls)
cuda_flags=()
if [ -n "$cuda_libraries" ] && [ -n "$cuda_include" ] && [ "$backend" = cuda ]; then
    cuda_flags=(-DTDLS_CHECK_CUDA -isystem "$cuda_include" "-L$cuda_libraries")
fi
cudart=()
[ ${#cuda_flags[@]} -eq 0 ] || cudart=(-lcudart_static -ldl -lrt -lpthread)

# From Meson's build folder where it is there, else compiled, in the background.
provide() { # name, where Meson has it, command that takes -o
    local name=$1 ready=$2
    shift 2
    if [ -n "$built" ] && [ -x "$build/$ready" ]; then
        ln -s "$build/$ready" "$programs/$name"
    else
        "$@" -o "$programs/$name" > "$log/compile-$name.log" 2>&1 &
    fi
}
for name in compare_backends full_size; do
    provide "$name" "test/device/$name" "$cc" -std=c11 "${common[@]}" "$here/$name.c" "${library[@]}" -lm
done
provide device_bench test/device/device_bench "$cxx" -std=c++20 "${common[@]}" "${cuda_flags[@]}" \
    "$here/device_bench.cpp" "${library[@]}" "${cudart[@]}" -ldl
provide rows_whitebox test/device/rows_whitebox "$cxx" -std=c++20 -O1 "$here/rows_whitebox.cpp"
if [ ${#cudart[@]} -gt 0 ] && [ -z "$emulator" ]; then
    provide test_graphs test/device/test_graphs "$cxx" -std=c++20 "${common[@]}" "${cuda_flags[@]}" \
        "$here/test_graphs.cpp" "${library[@]}" "${cudart[@]}"
fi
# Whether the suite can be compiled here.
suite_lacks=''
for header in cmocka lapacke; do
    printf '%s\n' '#include <setjmp.h>' '#include <stdarg.h>' '#include <stddef.h>' '#include <stdint.h>' \
        "#include <$header.h>" |
        "$cc" "${package_flags[@]}" -E -x c - > /dev/null 2>&1 || suite_lacks="$suite_lacks $header.h"
done
if [ -z "$suite_lacks" ]; then
    libraries_of_suite=(-lcmocka)
    # A package for running programs has the library without the name that linkers look for.
    if [ -n "$packages" ] && compgen -G "$packages/usr/lib/*/liblapacke.so.3" > /dev/null; then
        libraries_of_suite+=(-l:liblapacke.so.3)
    else
        libraries_of_suite+=(-llapacke)
    fi
    for name in "${suite[@]}"; do
        # What --quick leaves out of the suite on the emulated device, see below.
        [ -z "$emulator" ] || [ -z "$quick" ] || [ "$name" = handle ] || [ "$name" = arguments ] || continue
        provide "test_$name" "test/test_$name" "$cc" -std=c11 "${common[@]}" \
            "-DTDLS_TEST_MODULES=\"$scratch\"" "${package_flags[@]}" "$root/test/test_$name.c" \
            "$root/test/support.c" "${library[@]}" "${libraries_of_suite[@]}" -fopenmp -lm
    done
fi
wait
# Whether a program could be provided; a failure if not.
have() { # name
    [ -x "$programs/$1" ] && return
    fail "compiling $1"
    tail -n 5 "$log/compile-$1.log"
    return 1
}

# ---- The checks ------------------------------------------------------------------------------------

section "a device"
if ! have compare_backends; then
    finish
fi
timed 60 "$programs/compare_backends" "$backend" --small --orders 1 > "$log/device.log" 2>&1
status=$?
sed -n 's/^# \(.* against .*\)/\1/p' "$log/device.log"
if grep -q '^1\.\.0' "$log/device.log"; then
    no_device=$(sed -n 's/^1\.\.0 # SKIP //p' "$log/device.log")
    skip "the device: $no_device"
elif ! grep -q '^1\.\.' "$log/device.log"; then
    # It did not come to its end, and nothing else would.
    tail -n 20 "$log/device.log"
    fail "the device does not work (exit status $status)"
    finish
elif [ "$status" -ne 0 ]; then
    # All the same the other steps say more of what is wrong.
    fail "systems of order 1: see the step compare"
else
    pass "the device solves systems of order 1"
fi

section "the C suite"
if wanted suite; then
    if [ -n "$suite_lacks" ]; then
        skip "suite: no$suite_lacks here (--packages FOLDER)"
    elif [ -n "$emulator" ]; then
        export TDLS_TEST_FEW=2
        for name in "${suite[@]}"; do
            if [ -n "$quick" ] && [ "$name" != handle ] && [ "$name" != arguments ]; then
                skip "test_$name: left out of --quick on the emulated device, where Meson's suite runs it"
            elif have "test_$name"; then
                tap "test_$name" 300 "$programs/test_$name"
            fi
        done
    else
        [ -z "$quick" ] || export TDLS_TEST_FEW=1
        # Side by side: most of their time is waiting for the device.
        for name in "${suite[@]}"; do
            if [ "$name" != offsets ] && have "test_$name"; then
                (
                    timed 150 "$programs/test_$name" > "$log/test_$name.log" 2>&1
                    echo $? > "$log/test_$name.status"
                ) &
            fi
        done
        wait
        for name in "${suite[@]}"; do
            [ ! -f "$log/test_$name.status" ] ||
                judge "test_$name" "$(cat "$log/test_$name.status")" "$log/test_$name.log"
            rm -f "$log/test_$name.status"
        done
        # Alone, for it takes what memory there is.
        ! have test_offsets || tap test_offsets 60 "$programs/test_offsets"
    fi
fi

section "the bits of the CPU backend"
if wanted compare; then
    tap compare 120 "$programs/compare_backends" "$backend" ${quick:+--quick}
fi

section "CUDA graphs"
if wanted graphs; then
    if [ -n "$emulator" ]; then
        skip "graphs: the emulated device has none"
    elif [ "$backend" != cuda ] || [ ${#cudart[@]} -eq 0 ]; then
        skip "graphs: no CUDA runtime to compile with"
    elif have test_graphs; then
        tap graphs 60 "$programs/test_graphs"
    fi
fi

# How much the benches and the large arrays take.
megabytes=1000 runs=5 orders=2,4,8,12,16,24,32,48,64 bits=31
if [ -n "$quick" ]; then
    megabytes=64 runs=3
fi
if [ -n "$emulator" ]; then
    megabytes=0.02 runs=1 bits=13
    [ -z "$quick" ] || orders=2,8,33
fi

# What a measurement printed, and how it went.
measured() { # name, exit status, file
    cat "$3"
    while IFS= read -r line; do
        skip "$1: ${line#*: }"
    done < <(grep -E '^(MISSING|LEFT OUT): ' "$3")
    if [ "$2" -eq 0 ]; then
        pass "$1"
    elif [ "$2" -eq 124 ] || [ "$2" -eq 137 ]; then
        fail "$1: not done in time"
    else
        fail "$1: exit status $2"
    fi
}

section "rows per thread"
if wanted rows && have rows_whitebox && have device_bench; then
    "$programs/rows_whitebox" > "$log/rows.txt"
    # A few orders do where nothing is measured in earnest.
    [ -z "$emulator$quick" ] || sed -i -n '1p;$p' "$log/rows.txt"
    if [ ! -s "$log/rows.txt" ]; then
        skip "rows: one number of rows is compiled for each order"
    else
        status=0
        timed 60 "$programs/device_bench" "$backend" --rows --megabytes "$megabytes" --runs "$runs" \
            --csv "$log/rows.csv" < "$log/rows.txt" > "$log/rows.log" 2>&1 || status=$?
        # It has no use for cuBLAS.
        sed -i '/^MISSING: cuBLAS/d' "$log/rows.log"
        measured rows "$status" "$log/rows.log"
    fi
fi

section "time of gesv, against cuBLAS and a copy"
if wanted bench && have device_bench; then
    status=0
    timed 130 "$programs/device_bench" "$backend" --megabytes "$megabytes" --runs "$runs" \
        --orders "$orders" --seconds 100 --csv "$log/bench.csv" ${cublas:+--cublas "$cublas"} \
        > "$log/bench.log" 2>&1 || status=$?
    measured bench "$status" "$log/bench.log"
fi

section "arrays of more than 2^31 elements"
if wanted full && have full_size; then
    if [ -n "$quick" ] && [ -z "$emulator" ]; then
        skip "full: left out of --quick"
    else
        [ "$bits" -eq 31 ] || skip "full: 2^31 elements: here 2^$bits, which only runs the program"
        tap full 120 "$programs/full_size" "$backend" "$bits"
    fi
fi

section compute-sanitizer
if wanted sanitizer; then
    sanitizer=$(command -v compute-sanitizer || command -v "$toolkit/compute-sanitizer/compute-sanitizer" || true)
    if [ -n "$emulator" ] || [ "$backend" != cuda ]; then
        skip "sanitizer: for CUDA devices alone"
    elif [ -z "$sanitizer" ]; then
        skip "sanitizer: compute-sanitizer is not installed"
    else
        for tool in memcheck racecheck synccheck initcheck; do
            file=$log/$tool.log status=0
            if [ $((limit - SECONDS)) -lt 10 ]; then
                skip "$tool: the time is up (--limit $limit)"
                continue
            fi
            timed 60 "$sanitizer" --tool "$tool" --error-exitcode 99 \
                "$programs/compare_backends" "$backend" --small > "$file" 2>&1 || status=$?
            if grep -q -i -e 'device not supported' -e 'not supported on this' "$file"; then
                skip "$tool: compute-sanitizer does not support the device here"
            else
                grep -E '^=+ (ERROR SUMMARY|RACECHECK SUMMARY)' "$file"
                [ "$status" -ne 99 ] || grep '^=====' "$file" | head -n 30
                judge "$tool" "$status" "$file"
            fi
        done
    fi
fi

[ "$log" = "$scratch/log" ] || printf '\nThe full output is in %s.\n' "$log"
finish
