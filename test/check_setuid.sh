#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# TDLS_MODULE_PATH is for ordinary programs alone: a set-uid copy of the probe must not heed it.
# usage: check_setuid.sh PROBE MODULE
probe=$1 module=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
mkdir "$scratch/modules"
cp "$module" "$scratch/modules/tdls_cuda.so"
cp "$probe" "$scratch/probe"
export TDLS_MODULE_PATH="$scratch/modules"

echo "1..2"
said=$("$scratch/probe")
echo "# $said"
case $said in
"secure=0 status=-1002 "*) echo "ok 1 - an ordinary program loads the module" ;;
*) echo "not ok 1 - an ordinary program loads the module" ;;
esac

name="ok 2 - a set-uid program does not look there"
if [ "$(id -u)" -ne 0 ]; then
    echo "$name # SKIP only root can make a program that belongs to somebody else"
    exit 0
fi
# The program is somebody else's, so that root, who runs it, changes identity as well.
if ! { chown 65534 "$scratch/probe" && chmod 4755 "$scratch/probe"; }; then
    echo "$name # SKIP the file system keeps no set-uid programs"
    exit 0
fi
said=$("$scratch/probe")
echo "# $said"
case $said in
"secure=0 "*) echo "$name # SKIP set-uid is ignored here" ;;
*"$scratch"*) echo "not $name" ;;
"secure=1 status=-1001 "*) echo "$name" ;;
*) echo "not $name" ;;
esac
