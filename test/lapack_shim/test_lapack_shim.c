/* SPDX-License-Identifier: BSD-3-Clause */
/* A program linked to LAPACK, run with the shim in front of it ("shim") and without ("plain"):
 * square systems have libtdls's bits with the shim, and not without; all else is LAPACK's. Speaks
 * TAP. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tdls/tdls.h>

enum { N = 23, NRHS = 4, LD = N + 2, COLUMNS = N + 5, ROUNDS = 20 };

void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *ipiv, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda,
             const int *ipiv, double *B, const int *ldb, int *info, size_t length);
void dgesv_(const int *n, const int *nrhs, double *A, const int *lda, int *ipiv, double *B,
            const int *ldb, int *info);
void sgetrf_(const int *m, const int *n, float *A, const int *lda, int *ipiv, int *info);
void sgetrs_(const char *trans, const int *n, const int *nrhs, const float *A, const int *lda,
             const int *ipiv, float *B, const int *ldb, int *info, size_t length);
void sgesv_(const int *n, const int *nrhs, float *A, const int *lda, int *ipiv, float *B,
            const int *ldb, int *info);
void xerbla_(const char *name, const int *argument, size_t length);

static int tests, failures, illegal_argument;

/* LAPACK's own testers put an XERBLA of theirs in the place of LAPACK's, too. */
void xerbla_(const char *name, const int *argument, size_t length)
{
    (void)name, (void)length;
    illegal_argument = *argument;
}

static void report(int good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

static double random_number(void)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

/* For x, T: the number of rounds in which getrf, getrs (N and T) and gesv have libtdls's bits. */
#define COMPARE(x, T)                                                                              \
    static int x##_rounds_alike(tdls_handle_t handle)                                              \
    {                                                                                              \
        const int n = N, nrhs = NRHS, ld = LD;                                                     \
        int alike = 0;                                                                             \
        for (int round = 0; round < ROUNDS; ++round) {                                             \
            T A[3][LD * N], B[2][3][LD * NRHS];                                                    \
            int ipiv[3][N] = {{0}}, info[5];                                                       \
            for (int e = 0; e < LD * N; ++e)                                                       \
                A[0][e] = A[1][e] = A[2][e] = (T)random_number();                                  \
            for (int e = 0; e < LD * NRHS; ++e)                                                    \
                B[0][0][e] = B[0][1][e] = B[0][2][e] = B[1][0][e] = B[1][1][e] = B[1][2][e] =      \
                    (T)random_number();                                                            \
            tdls_##x##getrf_coop_strided_batched(handle, n, A[0], ld, 0, ipiv[0], 0, &info[0], 1); \
            tdls_##x##getrs_coop_strided_batched(handle, TDLS_NO_TRANS, n, nrhs, A[0], ld, 0,      \
                                                 ipiv[0], 0, B[0][0], ld, 0, 1);                   \
            tdls_##x##getrs_coop_strided_batched(handle, TDLS_TRANS, n, nrhs, A[0], ld, 0,         \
                                                 ipiv[0], 0, B[1][0], ld, 0, 1);                   \
            x##getrf_(&n, &n, A[1], &ld, ipiv[1], &info[1]);                                       \
            x##getrs_("N", &n, &nrhs, A[1], &ld, ipiv[1], B[0][1], &ld, &info[2], 1);              \
            x##getrs_("t", &n, &nrhs, A[1], &ld, ipiv[1], B[1][1], &ld, &info[3], 1);              \
            x##gesv_(&n, &nrhs, A[2], &ld, ipiv[2], B[0][2], &ld, &info[4]);                       \
            alike += memcmp(A[0], A[1], sizeof A[0]) == 0 &&                                       \
                     memcmp(A[0], A[2], sizeof A[0]) == 0 &&                                       \
                     memcmp(B[0][0], B[0][1], sizeof B[0][0]) == 0 &&                              \
                     memcmp(B[0][0], B[0][2], sizeof B[0][0]) == 0 &&                              \
                     memcmp(B[1][0], B[1][1], sizeof B[1][0]) == 0 &&                              \
                     memcmp(ipiv[0], ipiv[1], sizeof ipiv[0]) == 0 &&                              \
                     memcmp(ipiv[0], ipiv[2], sizeof ipiv[0]) == 0 && info[0] == 0 &&              \
                     info[1] == 0 && info[2] == 0 && info[3] == 0 && info[4] == 0;                 \
        }                                                                                          \
        return alike;                                                                              \
    }
COMPARE(s, float)
COMPARE(d, double)

/* Rectangular: the bits of LAPACK itself, of which the routine behind any shim is asked by hand. */
static void test_rectangular(void)
{
    const int m = N, n = COLUMNS, ld = LD;
    double A[2][LD * COLUMNS];
    int ipiv[2][N], info[2] = {-1, -1};
    void (*lapack)(const int *, const int *, double *, const int *, int *, int *) = NULL;
    void *library = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
    void *symbol = library != NULL ? dlsym(library, "dgetrf_") : NULL;
    memcpy(&lapack, &symbol, sizeof symbol);
    if (lapack == NULL) {
        report(0, "there is a LAPACK");
        return;
    }
    for (int e = 0; e < LD * COLUMNS; ++e)
        A[0][e] = A[1][e] = random_number();
    dgetrf_(&m, &n, A[0], &ld, ipiv[0], &info[0]);
    lapack(&m, &n, A[1], &ld, ipiv[1], &info[1]);
    report(info[0] == 0 && info[1] == 0 && memcmp(A[0], A[1], sizeof A[0]) == 0 &&
               memcmp(ipiv[0], ipiv[1], sizeof ipiv[0]) == 0,
           "a rectangular matrix is LAPACK's");
}

static void test_illegal(void)
{
    const int n = 3, less = -1, ld = 2;
    double A[9] = {0};
    int ipiv[3], info = 0;
    illegal_argument = 0;
    dgetrf_(&less, &n, A, &n, ipiv, &info);
    int good = info == -1 && illegal_argument == 1;
    dgetrf_(&n, &n, A, &ld, ipiv, &info);
    good &= info == -4 && illegal_argument == 4;
    dgetrs_("x", &n, &n, A, &n, ipiv, A, &n, &info, 1);
    good &= info < 0 && illegal_argument == 1; /* OpenBLAS 0.3.21 has a wrong value there */
    dgesv_(&n, &less, A, &n, ipiv, A, &n, &info);
    good &= info == -2 && illegal_argument == 2;
    report(good, "illegal arguments are LAPACK's, which tells XERBLA");
}

static void test_singular(void)
{
    const int n = 4, nrhs = 1;
    double A[16] = {1, 2, 3, 4, 0, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2}, b[4] = {1, 2, 3, 4};
    int ipiv[4], info = -1;
    dgesv_(&n, &nrhs, A, &n, ipiv, b, &n, &info);
    report(info == 3, "a column of zeros is found");
    info = -1;
    const int zero = 0;
    dgesv_(&zero, &nrhs, A, &n, ipiv, b, &n, &info);
    report(info == 0, "no unknowns");
}

int main(int argc, char **argv)
{
    const int shim = argc == 2 && strcmp(argv[1], "shim") == 0;
    tdls_handle_t handle;
    if (argc != 2 || tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
        return EXIT_FAILURE;
    const int s = s_rounds_alike(handle), d = d_rounds_alike(handle);
    printf("# bits of libtdls in %d (s) and %d (d) of %d rounds\n", s, d, ROUNDS);
    if (shim)
        report(s == ROUNDS && d == ROUNDS, "square systems have libtdls's bits");
    else
        report(s < ROUNDS && d < ROUNDS, "without the shim they have others");
    test_rectangular();
    test_illegal();
    test_singular();
    tdls_destroy(handle);
    printf("1..%d\n", tests);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
