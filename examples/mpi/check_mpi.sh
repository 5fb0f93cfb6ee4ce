#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The results of mpi_cells do not depend on the number of processes. Speaks TAP.
# usage: check_mpi.sh MPIEXEC PROGRAM
mpiexec=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Of Open MPI: as root and in containers, with more processes than processors, without a network.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# Its session folder holds a socket, whose path must be short.
export TMPDIR=/tmp
count=0
report() { # status name
    count=$((count + 1))
    [ "$1" -eq 0 ] && echo "ok $count - $2" && return
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/out"
}
# Cells that do not divide by the processes, and fewer cells than processes.
for cells in 203 3; do
    for processes in 1 2 4; do
        "$mpiexec" -n $processes "$program" $cells > "$scratch/out" 2>&1 < /dev/null
        status=$?
        grep '^result: ' "$scratch/out" > "$scratch/$processes.result"
        [ $status -eq 0 ] && [ "$(grep -c '^process [0-9]*: .' "$scratch/out")" -eq $processes ] &&
            [ "$(wc -l < "$scratch/$processes.result")" -eq 1 ] &&
            cmp "$scratch/1.result" "$scratch/$processes.result" >&2
        report $? "$cells cells on $processes processes"
    done
done
! "$mpiexec" -n 2 "$program" 10 10 nonsense > "$scratch/out" 2>&1 < /dev/null &&
    grep -q "nonsense: there is no such backend" "$scratch/out"
report $? "a backend that there is not"
echo "1..$count"
