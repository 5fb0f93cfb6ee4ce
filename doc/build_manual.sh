#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A part of the manual, written by Doxygen. Fails on any warning.
#   man    pages of section 3 of the C interface
#   html   the pages of doc, the C interface and the C++ core
# usage: build_manual.sh man|html DOXYGEN SOURCE VERSION FOLDER   (FOLDER is made anew)
set -eu
part=$1 doxygen=$2 source=$3 version=$4 folder=$5
case $folder in
/*) ;;
*) folder=$PWD/$folder ;;
esac
rm -rf "$folder"
mkdir -p "$folder"
cd "$source"

settings() {
    cat doc/Doxyfile
    echo "PROJECT_NUMBER = $version"
    if [ "$part" = man ]; then
        cat <<TEXT
INPUT = include/tdls/tdls.h
WARN_NO_PARAMDOC = YES
GENERATE_MAN = YES
MAN_OUTPUT = "$folder/unsorted"
MAN_EXTENSION = .3
MAN_LINKS = YES
TEXT
    else
        cat <<TEXT
INPUT = doc/manual.md doc include/tdls/tdls.h include/tdls/tdls.hpp \
    include/tdls/core/group.hpp include/tdls/core/math.hpp \
    include/tdls/solvers/cooperative_lupp/config.hpp \
    include/tdls/solvers/cooperative_lupp/solver_static.hpp \
    include/tdls/solvers/cooperative_lupp/solver_dynamic.hpp
FILE_PATTERNS = *.md
USE_MDFILE_AS_MAINPAGE = doc/manual.md
GENERATE_HTML = YES
HTML_OUTPUT = "$folder"
GENERATE_TREEVIEW = YES
DISABLE_INDEX = NO
TOC_INCLUDE_HEADINGS = 2
FILTER_PATTERNS = *.hpp="$PWD/doc/doxygen_input.sh" *.md="$PWD/doc/doxygen_input.sh"
TEXT
    fi
}
settings | "$doxygen" -

if [ "$part" = man ]; then
    # Pages of unnamed enumerations are of no use. A page says what to include, not when and by what
    # it was written; and a quotation mark that begins a line is none of troff's commands.
    rm -f "$folder"/unsorted/man3/@*.3
    for page in "$folder"/unsorted/man3/*.3; do
        sed -e "s/^'/\\\\\&&/" -e 's/^\(\.TH "[^"]*" 3 \)"[^"]*"/\1""/' \
            -e 's|^\.SH SYNOPSIS$|&\n.PP\n\\fB#include <tdls/tdls.h>\\fP|' \
            -e '/^\.SH "Author"/,$d' "$page" > "$folder/$(basename "$page")"
    done
    rm -r "$folder/unsorted"
fi
