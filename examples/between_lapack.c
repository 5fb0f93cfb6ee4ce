/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors go back and forth between LAPACK and libtdls: pivots and formats are the same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include <lapacke.h>
#include <tdls/tdls.h>

enum { N = 4 };

static const double matrix[N][N] = {{1, 4, 2, 0}, {3, 1, 0, 5}, {0, 2, 7, 1}, {6, 0, 1, 2}};

static double error(const double *x)
{
    double largest = 0;
    for (int i = 0; i < N; ++i)
        largest = fmax(largest, fabs(x[i] - 1));
    return largest;
}

int main(void)
{
    double A[N][N], x[N], y[N]; /* column-major: A[j][i] is row i, column j */
    int32_t ipiv[N], info;
    for (int i = 0; i < N; ++i) {
        x[i] = 0;
        for (int j = 0; j < N; ++j) {
            A[j][i] = matrix[j][i];
            x[i] += matrix[j][i]; /* so that every unknown is 1 */
        }
        y[i] = x[i];
    }
    tdls_handle_t handle;
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
        return 1;

    /* Factored by LAPACK, solved by libtdls: one system, so that the strides are of no matter. */
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, N, N, &A[0][0], N, ipiv) != 0 ||
        tdls_dgetrs_coop_strided_batched(handle, TDLS_NO_TRANS, N, 1, &A[0][0], N, 0, ipiv, 0, x, N,
                                         0, 1) != TDLS_SUCCESS)
        return 1;

    /* Factored by libtdls, solved by LAPACK. */
    for (int j = 0; j < N; ++j)
        for (int i = 0; i < N; ++i)
            A[j][i] = matrix[j][i];
    if (tdls_dgetrf_coop_strided_batched(handle, N, &A[0][0], N, 0, ipiv, 0, &info, 1) !=
            TDLS_SUCCESS ||
        info != 0 || LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', N, 1, &A[0][0], N, ipiv, y, N) != 0)
        return 1;
    tdls_destroy(handle);

    printf("errors: %.1e with LAPACK's factors, %.1e with libtdls's\n", error(x), error(y));
    return error(x) < 1e-13 && error(y) < 1e-13 ? 0 : 1;
}
