#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A file as Doxygen is to see it. usage: doxygen_input.sh FILE
case $1 in
*.md)
    # Links to files that are no pages of the manual become their names; the header is one. Code that
    # holds an apostrophe gets two backticks, since Doxygen takes one for a quotation mark.
    # shellcheck disable=SC2016 # these backticks are Markdown's
    sed -e 's/\[[^]]*\](\.\.\/include\/tdls\/tdls\.h)/@ref tdls.h/g' \
        -e 's/\[[^]]*\](\.\.\/\([^)]*\))/`\1`/g' "$1" |
        awk '/^```/ {fenced = !fenced}
            {
                n = split($0, part, "`")
                if (fenced || n % 2 == 0) {print; next}
                line = part[1]
                for (i = 2; i <= n; i += 2) {
                    ticks = index(part[i], "\047") ? "``" : "`"
                    line = line ticks part[i] ticks part[i + 1]
                }
                print line
            }'
    ;;
*)
    # The inline namespace is for the linker alone.
    sed -e 's/^inline namespace TDLS_CORE_ABI$/extern "C++"/' "$1"
    ;;
esac
