#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The header alone, as C99 and as C++, with every warning an error. Speaks TAP.
# usage: check_header.sh CC CXX INCLUDE
cc=$1 cxx=$2 include=$3
count=0
check() { # name compiler flags...
    name=$1
    shift
    count=$((count + 1))
    if echo '#include <tdls/tdls.h>' | "$@" -I"$include" -fsyntax-only -; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
    fi
}
check "as C99" "$cc" -x c -std=c99 -pedantic -Wall -Wextra -Wstrict-prototypes -Werror
check "as C17" "$cc" -x c -std=c17 -pedantic -Wall -Wextra -Wstrict-prototypes -Werror
check "as C++98" "$cxx" -x c++ -std=c++98 -Wall -Wextra -Wno-long-long -Werror
check "as C++20" "$cxx" -x c++ -std=c++20 -pedantic -Wall -Wextra -Werror
echo "1..$count"
