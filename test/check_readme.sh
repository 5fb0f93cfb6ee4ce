#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The README shows examples/quickstart.c as it is. Speaks TAP.
# usage: check_readme.sh README QUICKSTART
echo "1..1"
shown=$(awk '/^```c$/ {on = 1; next} /^```$/ {on = 0} on' "$1")
if [ -n "$shown" ] && [ "$shown" = "$(cat "$2")" ]; then
    echo "ok 1 - the README shows quickstart.c"
else
    echo "not ok 1 - the README shows quickstart.c"
fi
