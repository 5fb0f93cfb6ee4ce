/* SPDX-License-Identifier: BSD-3-Clause */
/* The same systems in the three storages: the solutions have the same bits. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <tdls/tdls.h>

enum { N = 5, BATCH = 1003, WIDTH = 8, BLOCKS = (BATCH + WIDTH - 1) / WIDTH };

/* Strided: system after system. The pointers, in any order, lead to copies of them. */
static double A[BATCH][N][N], B[BATCH][N];
static double copies_of_A[BATCH][N][N], copies_of_B[BATCH][N];
static double *pointers_to_A[BATCH], *pointers_to_B[BATCH];
/* Interleaved: eight systems side by side (AoSoA). The last block has slots that nobody reads. */
static double interleaved_A[BLOCKS][N][N][WIDTH], interleaved_B[BLOCKS][N][WIDTH];
static int32_t info[BATCH];

static void check(tdls_handle_t handle, tdls_status_t status)
{
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
        exit(1);
    }
}

int main(void)
{
    uint32_t random = 1;
    for (int s = 0; s < BATCH; ++s) {
        const int other = BATCH - 1 - s;
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i <= N; ++i) {
                random = random * 1664525u + 1013904223u;
                const double value = (double)random / 4294967296.0 - 0.5;
                if (i < N)
                    A[s][j][i] = copies_of_A[other][j][i] =
                        interleaved_A[s / WIDTH][j][i][s % WIDTH] = value;
                else
                    B[s][j] = copies_of_B[other][j] = interleaved_B[s / WIDTH][j][s % WIDTH] =
                        value;
            }
        }
        pointers_to_A[s] = &copies_of_A[other][0][0];
        pointers_to_B[s] = copies_of_B[other];
    }

    tdls_handle_t handle;
    check(NULL, tdls_create(TDLS_BACKEND_CPU, 0, &handle));
    check(handle, tdls_dgesv_coop_strided_batched(handle, N, 1, &A[0][0][0], N, N * N, NULL, 0,
                                                  &B[0][0], N, N, info, BATCH));
    check(handle, tdls_dgesv_coop_batched(handle, N, 1, pointers_to_A, N, NULL, 0, pointers_to_B, N,
                                          info, BATCH));
    check(handle,
          tdls_dgesv_coop_interleaved_batched(handle, N, 1, &interleaved_A[0][0][0][0], N, NULL,
                                              &interleaved_B[0][0][0], N, info, WIDTH, BATCH));
    check(handle, tdls_destroy(handle));

    int different = 0;
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i)
            different +=
                B[s][i] != pointers_to_B[s][i] || B[s][i] != interleaved_B[s / WIDTH][i][s % WIDTH];
    printf("%d of %d entries differ between the storages\n", different, BATCH * N);
    return different == 0 ? 0 : 1;
}
