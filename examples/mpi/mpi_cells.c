/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells distributed over the processes of MPI, each of which solves its own with a handle of its
 * own on a device of its own (the number of the process within its node, modulo the devices there).
 *
 * Each cell has the chemistry of POLLU (../pollu.c) under its own light, and takes steps of the
 * linearly implicit Euler method: (I/h - J) d = f(y), y = y + d. What comes out does not depend on
 * the number of processes, to the bit: a system's solution is that of its own entries alone, and
 * what is summed over cells is summed in the order of the cells, on process 0.
 *
 * usage: mpiexec -n PROCESSES mpi_cells [CELLS [STEPS [BACKEND]]]   (default 1000, 100, cpu)
 * A line "result: ..." is the same for any number of processes. Give each process its share of the
 * processors, by OMP_NUM_THREADS.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <tdls/tdls.h>

#include "../pollu_chemistry.h"

enum { SQUARE = SPECIES * SPECIES, TAG_DEVICE = 1 };

static int rank;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "mpi_cells: process %d: %s: %s\n", rank, what, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    exit(EXIT_FAILURE);
}

static void check(tdls_handle_t handle, tdls_status_t status, const char *what)
{
    if (status != TDLS_SUCCESS)
        fail(what, tdls_last_error(handle));
}

static void *memory(size_t bytes)
{
    void *p = malloc(bytes > 0 ? bytes : 1);
    if (p == NULL)
        fail("malloc", "no memory");
    return p;
}

static int number(const char *text, long most)
{
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > most)
        fail(text, "is not a number that can be used here");
    return (int)value;
}

/* The first cell of a process: shares differ by one cell at most. */
static int first_cell(int cells, int process, int processes)
{
    return (int)((int64_t)cells * process / processes);
}

/* A handle on the device of this process. */
static tdls_handle_t make_handle(int32_t backend)
{
    MPI_Comm node;
    int on_node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &on_node);
    MPI_Comm_free(&node);
    int32_t devices;
    check(NULL, tdls_device_count(backend, &devices), "tdls_device_count");
    if (devices == 0)
        fail("tdls_device_count", "there is no device");
    tdls_handle_t handle;
    check(NULL, tdls_create(backend, on_node % devices, &handle), "tdls_create");
    return handle;
}

/* Process 0 says who computes where. */
static void print_devices(tdls_handle_t handle, int processes)
{
    char name[256] = "";
    check(handle, tdls_device_name(handle, name, sizeof name), "tdls_device_name");
    if (rank != 0) {
        MPI_Send(name, sizeof name, MPI_CHAR, 0, TAG_DEVICE, MPI_COMM_WORLD);
        return;
    }
    for (int process = 0; process < processes; ++process) {
        if (process > 0)
            MPI_Recv(name, sizeof name, MPI_CHAR, process, TAG_DEVICE, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        printf("process %d: %s\n", process, name);
    }
}

/* All steps of the cells first ... first + count - 1 of `cells`. */
static void integrate(tdls_handle_t handle, int cells, int first, int count, int steps, double *y)
{
    const double h = 60.0 / steps;
    const size_t own = (size_t)count;
    const int64_t bytes_A = (int64_t)(own * SQUARE * sizeof(double));
    const int64_t bytes_b = (int64_t)(own * SPECIES * sizeof(double));
    const int64_t bytes_info = (int64_t)(own * sizeof(int32_t));
    double *A = memory((size_t)bytes_A), *b = memory((size_t)bytes_b);
    int32_t *info = memory((size_t)bytes_info);
    void *device_A, *device_b, *device_info;
    check(handle, tdls_malloc(handle, bytes_A, &device_A), "tdls_malloc");
    check(handle, tdls_malloc(handle, bytes_b, &device_b), "tdls_malloc");
    check(handle, tdls_malloc(handle, bytes_info, &device_info), "tdls_malloc");
    for (size_t c = 0; c < own; ++c)
        memcpy(y + c * SPECIES, initial, sizeof initial);

    for (int step = 0; step < steps; ++step) {
        for (int c = 0; c < count; ++c) {
            const double light = 1 - 0.5 * (first + c) / cells;
            stage_matrix(y + (size_t)c * SPECIES, light, 1 / h, A + (size_t)c * SQUARE);
            derivative(y + (size_t)c * SPECIES, light, b + (size_t)c * SPECIES);
        }
        check(handle, tdls_memcpy(handle, device_A, A, bytes_A), "tdls_memcpy");
        check(handle, tdls_memcpy(handle, device_b, b, bytes_b), "tdls_memcpy");
        check(handle,
              tdls_dgesv_coop_strided_batched(handle, SPECIES, 1, device_A, SPECIES, SQUARE, NULL,
                                              0, device_b, SPECIES, SPECIES, device_info, count),
              "tdls_dgesv_coop_strided_batched");
        check(handle, tdls_memcpy(handle, b, device_b, bytes_b), "tdls_memcpy");
        check(handle, tdls_memcpy(handle, info, device_info, bytes_info), "tdls_memcpy");
        for (size_t c = 0; c < own; ++c) {
            if (info[c] != 0)
                fail("a cell", "its matrix is singular");
            for (size_t s = c * SPECIES; s < (c + 1) * SPECIES; ++s)
                y[s] += b[s];
        }
    }
    check(handle, tdls_free(handle, device_A), "tdls_free");
    check(handle, tdls_free(handle, device_b), "tdls_free");
    check(handle, tdls_free(handle, device_info), "tdls_free");
    free(A);
    free(b);
    free(info);
}

/* Process 0 gathers all cells, and prints what is known of them: 1 if they are nonsense. */
static int report(int cells, int processes, const double *y, int count)
{
    int *counts = memory((size_t)processes * sizeof *counts);
    int *starts = memory((size_t)processes * sizeof *starts);
    double *all = memory(rank == 0 ? (size_t)cells * SPECIES * sizeof *all : 0);
    for (int process = 0; process < processes; ++process) {
        starts[process] = SPECIES * first_cell(cells, process, processes);
        counts[process] = SPECIES * first_cell(cells, process + 1, processes) - starts[process];
    }
    MPI_Gatherv(y, SPECIES * count, MPI_DOUBLE, all, counts, starts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int wrong = 0;
    if (rank == 0) {
        uint64_t hash = 14695981039346656037U; /* FNV-1a, of all bits */
        double ozone = 0;
        for (size_t e = 0; e < (size_t)cells * SPECIES; ++e) {
            unsigned char bytes[sizeof(double)];
            memcpy(bytes, &all[e], sizeof bytes);
            for (size_t i = 0; i < sizeof bytes; ++i)
                hash = (hash ^ bytes[i]) * 1099511628211U;
        }
        for (size_t c = 0; c < (size_t)cells; ++c)
            ozone += all[c * SPECIES + 3];
        const double error = fabs(all[3] / published[3] - 1);
        printf("result: %d cells, sum of ozone %.17g, bits %016llx\n", cells, ozone,
               (unsigned long long)hash);
        printf("ozone of cell 0 is off the published value by %.2g\n", error);
        wrong = !(error < 0.05); /* the method is of first order */
    }
    MPI_Bcast(&wrong, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(counts);
    free(starts);
    free(all);
    return wrong;
}

int main(int argc, char **argv)
{
    int processes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const int cells = argc > 1 ? number(argv[1], INT32_MAX / SPECIES) : 1000;
    const int steps = argc > 2 ? number(argv[2], 1000000) : 100;
    const char *name = argc > 3 ? argv[3] : "cpu";
    const int32_t backend = tdls_backend_from_name(name);
    if (backend == 0)
        fail(name, "there is no such backend");

    tdls_handle_t handle = make_handle(backend);
    print_devices(handle, processes);
    const int first = first_cell(cells, rank, processes);
    const int count = first_cell(cells, rank + 1, processes) - first;
    double *y = memory((size_t)count * SPECIES * sizeof *y);
    const double begin = MPI_Wtime();
    integrate(handle, cells, first, count, steps, y);
    double seconds = MPI_Wtime() - begin, longest;
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d processes, %d steps: %.3f s\n", processes, steps, longest);
    const int wrong = report(cells, processes, y, count);

    free(y);
    tdls_destroy(handle);
    MPI_Finalize();
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
