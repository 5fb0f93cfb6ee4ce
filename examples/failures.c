/* SPDX-License-Identifier: BSD-3-Clause */
/* What can go wrong, and how a program sees it. */
#include <stdint.h>
#include <stdio.h>

#include <tdls/tdls.h>

enum { N = 2, BATCH = 3 };

int main(void)
{
    /* A failure without a handle: the text belongs to the calling thread. */
    tdls_handle_t handle;
    tdls_status_t status = tdls_create(TDLS_BACKEND_CPU, 7, &handle);
    printf("%d, %s: %s\n", (int)status, tdls_status_string(status), tdls_last_error(NULL));
    if (status != TDLS_ERR_NO_DEVICE || handle != NULL)
        return 1;

    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
        return 1;
    double A[BATCH][N][N] = {{{2, 0}, {0, 4}}, {{1, 2}, {2, 4}}, {{0, 1}, {1, 0}}};
    double B[BATCH][N] = {{2, 4}, {5, 6}, {7, 8}};
    int32_t info[BATCH];

    /* An illegal argument: lda, the fifth. Nothing has been touched. */
    status = tdls_dgesv_coop_strided_batched(handle, N, 1, &A[0][0][0], 1, N * N, NULL, 0, &B[0][0],
                                             N, N, info, BATCH);
    printf("%d, %s: %s\n", (int)status, tdls_status_string(status), tdls_last_error(handle));
    if (status != -5)
        return 1;

    /* The second system is singular. That is no failure of the call: its neighbours are solved. */
    status = tdls_dgesv_coop_strided_batched(handle, N, 1, &A[0][0][0], N, N * N, NULL, 0, &B[0][0],
                                             N, N, info, BATCH);
    if (status != TDLS_SUCCESS)
        return 1;
    for (int s = 0; s < BATCH; ++s) {
        if (info[s] == 0)
            printf("system %d: x = (%g, %g)\n", s, B[s][0], B[s][1]);
        else
            printf("system %d: no pivot in column %d; b is still (%g, %g)\n", s, (int)info[s],
                   B[s][0], B[s][1]);
    }
    tdls_destroy(handle);
    return info[0] == 0 && info[1] == 2 && info[2] == 0 && B[1][1] == 6 ? 0 : 1;
}
