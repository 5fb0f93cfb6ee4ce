/* SPDX-License-Identifier: BSD-3-Clause */
/* A stranger's program: solves 1000 systems and says where it ran. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tdls/tdls.h>

enum { N = 5, BATCH = 1000 };

int main(void)
{
    static float A[BATCH][N][N], B[BATCH][N];
    static int32_t info[BATCH];
    tdls_handle_t handle;
    int wrong = 0;
    for (int s = 0; s < BATCH; ++s)
        for (int j = 0; j < N; ++j) {
            A[s][j][(j + s) % N] = 2; /* a cyclic shift, doubled */
            B[s][(j + s) % N] = (float)(2 * j);
        }
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
        fprintf(stderr, "%s\n", tdls_last_error(NULL));
        return EXIT_FAILURE;
    }
    if (tdls_sgesv_coop_strided_batched(handle, N, 1, &A[0][0][0], N, N * N, NULL, 0, &B[0][0], N,
                                        N, info, BATCH) != TDLS_SUCCESS) {
        fprintf(stderr, "%s\n", tdls_last_error(handle));
        return EXIT_FAILURE;
    }
    for (int s = 0; s < BATCH; ++s)
        for (int j = 0; j < N; ++j)
            wrong += info[s] != 0 || B[s][j] != (float)j;
    tdls_destroy(handle);
    /* Where modules are looked for, for the test that moved the prefix. */
    if (tdls_create(TDLS_BACKEND_CUDA, 0, &handle) == TDLS_ERR_BACKEND_UNAVAILABLE)
        printf("%s\n", tdls_last_error(NULL));
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
