#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual is written without a warning of Doxygen, so nothing public is undocumented; it has all of
# the C interface, and no link in it is dead. Speaks TAP.
# usage: check_manual.sh DOXYGEN SOURCE VERSION
doxygen=$1 source=$2 version=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/said"
}
build() { # part
    "$source/doc/build_manual.sh" "$1" "$doxygen" "$source" "$version" "$scratch/$1" > "$scratch/said" 2>&1
    status=$?
    # What Doxygen warns of in its own settings it does not count.
    ! grep -q -i warning "$scratch/said" && [ "$status" -eq 0 ]
}

build man
report $? "pages of section 3 are written without a warning"

grep -o 'tdls_[a-z_]*(' "$source/include/tdls/tdls.h" | tr -d '(' | sort -u > "$scratch/names"
grep -o 'TDLS_[A-Z_]* = ' "$source/include/tdls/tdls.h" | tr -d ' =' | sort -u >> "$scratch/names"
while read -r name; do
    page=$scratch/man/$name.3
    # A page of its own, or a link to the one of its group.
    to=$(sed -n 's|^\.so man3/||p' "$page" 2> /dev/null)
    grep -q "$name" "$scratch/man/${to:-$name.3}" 2> /dev/null || echo "$name has no page"
done < "$scratch/names" > "$scratch/said"
[ "$(wc -l < "$scratch/names")" -ge 60 ] && [ ! -s "$scratch/said" ]
report $? "each of $(wc -l < "$scratch/names") functions and constants has its page"

build html
report $? "HTML is written without a warning"

python3 - "$scratch/html" "$source" > "$scratch/said" <<'PYTHON'
import os
import re
import sys
import urllib.parse

folder, source = sys.argv[1:]
pages = [name for name in os.listdir(folder) if name.endswith(".html")]
if len(pages) < 20:
    print("there are hardly any pages:", pages)
for name in sorted(pages):
    text = open(os.path.join(folder, name)).read()
    if os.path.abspath(source) in text:
        print(name, "names a folder of this machine")
    # What is left of Markdown that was not understood.
    prose = re.sub(r'<code>.*?</code>|<div class="fragment">.*?</div><!-- fragment -->|<script.*?</script>',
                   "", text, flags=re.S)
    for left in re.findall(r".{0,30}(?:`|\\ilinebr|\*\*|\]\().{0,30}", re.sub(r"<[^>]*>", "", prose)):
        if name == "index.html" or name.startswith("md_"):
            print(name, "shows", left.strip())
    for link in set(re.findall(r'(?:href|src)="([^"#]+)', text)):
        local = urllib.parse.unquote(link)
        if not re.match(r"\w+:", local) and not os.path.exists(os.path.join(folder, local)):
            print(name, "links to", local, "which is not there")
PYTHON
[ -s "$scratch/html/index.html" ] && [ ! -s "$scratch/said" ]
report $? "no link is dead, no markup is left, no page names a folder of this machine"
echo "1..$count"
