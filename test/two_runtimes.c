/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose own parallel regions and those of libtdls may have different OpenMP runtimes.
 * Built and run by check_runtimes.sh, by clang as well as by gcc. Says how many calls were wrong.
 */
#include <omp.h>
#include <stdio.h>

#include <tdls/tdls.h>

enum { N = 4, BATCH = 500 };

/* Systems with the solution 1, 1, 1, 1. */
static int solve(int threads)
{
    static _Thread_local double A[BATCH * N * N], B[BATCH * N];
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i) {
            B[s * N + i] = s + 1 + N;
            for (int j = 0; j < N; ++j)
                A[(s * N + i) * N + j] = i == j ? s + 2 : 1;
        }
    tdls_handle_t handle;
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
        return 1;
    tdls_set_num_threads(handle, threads);
    int wrong = tdls_dgesv_coop_strided_batched(handle, N, 1, A, N, N * N, NULL, 0, B, N, N, NULL,
                                                BATCH) != TDLS_SUCCESS;
    tdls_destroy(handle);
    for (int e = 0; e < BATCH * N; ++e)
        wrong += !(B[e] > 1 - 1e-9 && B[e] < 1 + 1e-9);
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (int round = 0; round < 20; ++round) {
        wrong += solve(3); /* a team of the library's runtime, then one of the program's */
#pragma omp parallel num_threads(4) reduction(+ : wrong)
        {
            wrong += omp_get_num_threads() != 4;
            wrong += solve(2);
        }
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
