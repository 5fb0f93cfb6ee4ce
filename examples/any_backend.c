/* SPDX-License-Identifier: BSD-3-Clause */
/* One program for every backend, which is named on the command line: cpu, cuda or hip. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tdls/tdls.h>

enum { N = 10, BATCH = 100000 };

static double A[BATCH][N][N], B[BATCH][N];
static int32_t info[BATCH];

static void check(tdls_handle_t handle, tdls_status_t status)
{
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
        exit(1);
    }
}

int main(int argc, char **argv)
{
    for (int s = 0; s < BATCH; ++s)
        for (int j = 0; j < N; ++j) {
            A[s][j][(j + s) % N] = 2; /* twice a permutation */
            B[s][j] = 2;
        }

    tdls_handle_t handle;
    check(NULL, tdls_create(tdls_backend_from_name(argc > 1 ? argv[1] : "cpu"), 0, &handle));
    char name[256];
    check(handle, tdls_device_name(handle, name, sizeof name));

    /* Everything that a routine gets lies in the memory of the handle's device. */
    void *device_A, *device_B, *device_info;
    check(handle, tdls_malloc(handle, sizeof A, &device_A));
    check(handle, tdls_malloc(handle, sizeof B, &device_B));
    check(handle, tdls_malloc(handle, sizeof info, &device_info));
    check(handle, tdls_memcpy(handle, device_A, A, sizeof A));
    check(handle, tdls_memcpy(handle, device_B, B, sizeof B));

    /* On a GPU this returns at once; the copies wait for it. */
    check(handle, tdls_dgesv_coop_strided_batched(handle, N, 1, device_A, N, N * N, NULL, 0,
                                                  device_B, N, N, device_info, BATCH));

    check(handle, tdls_memcpy(handle, B, device_B, sizeof B));
    check(handle, tdls_memcpy(handle, info, device_info, sizeof info));
    check(handle, tdls_free(handle, device_A));
    check(handle, tdls_free(handle, device_B));
    check(handle, tdls_free(handle, device_info));
    check(handle, tdls_destroy(handle));

    int wrong = 0;
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i)
            wrong += info[s] != 0 || B[s][i] != 1;
    printf("%s: %d wrong\n", name, wrong);
    return wrong == 0 ? 0 : 1;
}
