/* SPDX-License-Identifier: BSD-3-Clause */
/* Factor once, solve in every step: what dgetrf and dgetrs do, for 1000 systems of order 20. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <tdls/tdls.h>

enum { N = 20, BATCH = 1000, STEPS = 10 };

static double A[BATCH][N][N], X[BATCH][N];
static int32_t ipiv[BATCH][N], info[BATCH];

int main(void)
{
    /* Implicit Euler steps of a chain: (I + h L) x_new = x_old, h of its own in each system. */
    for (int s = 0; s < BATCH; ++s) {
        const double h = 0.001 * (1 + s);
        for (int i = 0; i < N; ++i) {
            A[s][i][i] = 1 + 2 * h;
            if (i > 0)
                A[s][i][i - 1] = A[s][i - 1][i] = -h;
            X[s][i] = i == N / 2 ? 1 : 0;
        }
    }

    tdls_handle_t handle;
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
        fprintf(stderr, "%s\n", tdls_last_error(NULL));
        return 1;
    }
    /* Argument for argument dgetrf(n, A, lda, ipiv, info), with strides and the batch. */
    tdls_status_t status = tdls_dgetrf_coop_strided_batched(handle, N, &A[0][0][0], N, N * N,
                                                            &ipiv[0][0], N, info, BATCH);
    for (int step = 0; step < STEPS && status == TDLS_SUCCESS; ++step)
        status = tdls_dgetrs_coop_strided_batched(handle, TDLS_NO_TRANS, N, 1, &A[0][0][0], N,
                                                  N * N, &ipiv[0][0], N, &X[0][0], N, N, BATCH);
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
        return 1;
    }
    tdls_destroy(handle);

    int singular = 0;
    double largest = 0;
    for (int s = 0; s < BATCH; ++s) {
        singular += info[s] != 0;
        for (int i = 0; i < N; ++i)
            largest = fmax(largest, X[s][i]);
    }
    printf("%d singular systems, largest entry after %d steps %g\n", singular, STEPS, largest);
    return singular == 0 && largest > 0 && largest < 1 ? 0 : 1;
}
