#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs a device compiler, and keeps what it says beside the object: its reports of registers.
# usage: compile_device.sh OBJECT COMPILER ARGUMENT...
object=$1
shift
"$@" -o "$object" > "$object.log" 2>&1 || {
    cat "$object.log" >&2
    exit 1
}
