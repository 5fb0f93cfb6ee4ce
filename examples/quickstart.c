/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten thousand systems of three unknowns, solved by one call. */
#include <stdint.h>
#include <stdio.h>

#include <tdls/tdls.h>

enum { N = 3, BATCH = 10000 };

static double A[BATCH][N][N]; /* A[s][j][i] is row i, column j of system s, as in Fortran */
static double B[BATCH][N];    /* right-hand sides, overwritten by the solutions */
static int32_t info[BATCH];   /* 0, or k > 0: system s has no pivot in column k */

int main(void)
{
    for (int s = 0; s < BATCH; ++s)
        for (int j = 0; j < N; ++j) {
            for (int i = 0; i < N; ++i)
                A[s][j][i] = i == j ? 2 + s : 1;
            B[s][j] = 4 + s; /* so that every unknown is 1 */
        }

    tdls_handle_t handle;
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
        fprintf(stderr, "%s\n", tdls_last_error(NULL));
        return 1;
    }
    /* One right-hand side each; NULL: the factors are not wanted, so A is only read. */
    tdls_status_t status = tdls_dgesv_coop_strided_batched(handle, N, 1, &A[0][0][0], N, N * N,
                                                           NULL, 0, &B[0][0], N, N, info, BATCH);
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
        return 1;
    }
    tdls_destroy(handle);

    printf("x of the last system: %g %g %g (info %d)\n", B[BATCH - 1][0], B[BATCH - 1][1],
           B[BATCH - 1][2], (int)info[BATCH - 1]);
    return B[BATCH - 1][0] == 1 ? 0 : 1;
}
