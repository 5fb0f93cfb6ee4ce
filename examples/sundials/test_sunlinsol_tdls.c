/* SPDX-License-Identifier: BSD-3-Clause */
/* What SUNDIALS expects of a matrix and of a linear solver, asked of those of sunlinsol_tdls.h
 * through SUNDIALS' generic functions, and what CVODE makes of a singular block. Speaks TAP. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "sunlinsol_tdls.h"

enum { BLOCKS = 37, N = 11, ALL = BLOCKS * N };

static SUNContext context;
static int tests, failures;

static void report(int good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, name);
    failures += !good;
}

static double random_number(void)
{
    static uint64_t state = 42;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static void fill(SUNMatrix A)
{
    for (sunindextype b = 0; b < BLOCKS; ++b)
        for (int e = 0; e < N * N; ++e)
            SUNMatrix_TdlsBlocks_Block(A, b)[e] = random_number();
}

static double element(SUNMatrix A, int b, int i, int j)
{
    return SUNMatrix_TdlsBlocks_Block(A, b)[i + j * N];
}

/* ---- The matrix ------------------------------------------------------------------------------ */

static void test_matrix(void)
{
    SUNMatrix A = SUNMatrix_TdlsBlocks(BLOCKS, N, context);
    SUNMatrix C = SUNMatClone(A);
    report(A != NULL && C != NULL && SUNMatGetID(A) == SUNMATRIX_CUSTOM &&
               SUNMatrix_TdlsBlocks_Blocks(C) == BLOCKS && SUNMatrix_TdlsBlocks_Order(C) == N,
           "a matrix and its clone");
    int good = 1;
    fill(A);
    fill(C);
    good &= SUNMatCopy(A, C) == SUNMAT_SUCCESS && SUNMatScaleAddI(-2, C) == SUNMAT_SUCCESS;
    for (int b = 0; b < BLOCKS; ++b)
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                good &= element(C, b, i, j) == -2 * element(A, b, i, j) + (i == j);
    report(good, "copy, and C = cC + I");

    good = SUNMatCopy(A, C) == SUNMAT_SUCCESS && SUNMatScaleAdd(3, C, A) == SUNMAT_SUCCESS;
    for (int b = 0; b < BLOCKS; ++b)
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                good &= element(C, b, i, j) == 3 * element(A, b, i, j) + element(A, b, i, j);
    report(good, "C = cC + A");

    N_Vector x = N_VNew_Serial(ALL, context), y = N_VClone(x);
    N_VConst(1, x);
    good = SUNMatMatvec(A, x, y) == SUNMAT_SUCCESS;
    for (int b = 0; b < BLOCKS; ++b)
        for (int i = 0; i < N; ++i) {
            double sum = 0;
            for (int j = 0; j < N; ++j)
                sum += element(A, b, i, j);
            good &= fabs(NV_Ith_S(y, b * N + i) - sum) < 1e-13;
        }
    report(good, "y = A x");

    good = SUNMatZero(A) == SUNMAT_SUCCESS;
    for (int b = 0; b < BLOCKS; ++b)
        for (int e = 0; e < N * N; ++e)
            good &= SUNMatrix_TdlsBlocks_Block(A, b)[e] == 0;
    long int reals = 0, integers = 0;
    report(good && SUNMatSpace(A, &reals, &integers) == SUNMAT_SUCCESS && reals == ALL * N,
           "zero, and the space it takes");

    SUNMatrix other = SUNMatrix_TdlsBlocks(BLOCKS - 1, N, context);
    SUNMatrix dense = SUNDenseMatrix(ALL, ALL, context);
    report(SUNMatCopy(A, other) == SUNMAT_ILL_INPUT &&
               SUNMatScaleAdd(1, A, dense) != SUNMAT_SUCCESS &&
               SUNMatrix_TdlsBlocks(0, N, context) == NULL &&
               SUNMatrix_TdlsBlocks(BLOCKS, 0, context) == NULL,
           "matrices that do not fit");
    SUNMatDestroy(other);
    SUNMatDestroy(dense);
    SUNMatDestroy(A);
    SUNMatDestroy(C);
    N_VDestroy(x);
    N_VDestroy(y);
}

/* ---- The solver ------------------------------------------------------------------------------ */

static void test_solver(void)
{
    N_Vector x = N_VNew_Serial(ALL, context), y = N_VClone(x), b = N_VClone(x);
    SUNMatrix A = SUNMatrix_TdlsBlocks(BLOCKS, N, context), factors = SUNMatClone(A);
    SUNLinearSolver S = SUNLinSol_Tdls(x, A, context);
    report(S != NULL && SUNLinSolGetType(S) == SUNLINEARSOLVER_DIRECT &&
               SUNLinSolGetID(S) == SUNLINEARSOLVER_CUSTOM,
           "a direct solver");
    long int reals, integers;
    report(SUNLinSolInitialize(S) == SUNLS_SUCCESS && SUNLinSolLastFlag(S) == SUNLS_SUCCESS &&
               SUNLinSolSpace(S, &reals, &integers) == SUNLS_SUCCESS && integers >= ALL,
           "initialize, last flag, space");

    fill(A);
    for (int i = 0; i < ALL; ++i)
        NV_Ith_S(x, i) = random_number();
    SUNMatMatvec(A, x, b);
    SUNMatCopy(A, factors);
    report(SUNLinSolSetup(S, factors) == SUNLS_SUCCESS && SUNLinSolLastFlag(S) == SUNLS_SUCCESS,
           "setup");
    N_VConst(0, y);
    int good = SUNLinSolSolve(S, factors, y, b, 1e-9) == SUNLS_SUCCESS &&
               SUNLinSolLastFlag(S) == SUNLS_SUCCESS;
    N_VLinearSum(1, x, -1, y, y);
    report(good && N_VMaxNorm(y) < 1e-9, "solve: x of b = A x");
    SUNMatMatvec(A, x, y);
    N_VLinearSum(1, b, -1, y, y);
    report(N_VMaxNorm(y) == 0, "solve leaves b alone");
    good = SUNLinSolSolve(S, factors, b, b, 0) == SUNLS_SUCCESS;
    N_VLinearSum(1, x, -1, b, b);
    report(good && N_VMaxNorm(b) < 1e-9, "solve in place, with the same factors");

    SUNMatCopy(A, factors);
    for (int i = 0; i < N; ++i) {
        SUNMatrix_TdlsBlocks_Block(factors, 5)[i + 7 * N] = 0;
        SUNMatrix_TdlsBlocks_Block(factors, 9)[i + 2 * N] = 0;
    }
    report(SUNLinSolSetup(S, factors) == SUNLS_LUFACT_FAIL && SUNLinSolLastFlag(S) == 5 * N + 7 + 1,
           "singular blocks: recoverable, and the first column without a pivot");
    SUNMatCopy(A, factors);
    report(SUNLinSolSetup(S, factors) == SUNLS_SUCCESS && SUNLinSolLastFlag(S) == SUNLS_SUCCESS,
           "the next setup is good again");

    SUNMatrix other = SUNMatrix_TdlsBlocks(BLOCKS, N + 1, context);
    SUNMatrix dense = SUNDenseMatrix(ALL, ALL, context);
    report(SUNLinSolSetup(S, other) == SUNLS_ILL_INPUT && SUNLinSolLastFlag(S) == SUNLS_ILL_INPUT &&
               SUNLinSolSetup(S, dense) == SUNLS_ILL_INPUT &&
               SUNLinSol_Tdls(x, other, context) == NULL &&
               SUNLinSol_Tdls(x, dense, context) == NULL &&
               SUNLinSol_Tdls(NULL, A, context) == NULL,
           "matrices that do not fit");
    report(SUNLinSolFree(S) == SUNLS_SUCCESS, "free");
    SUNMatDestroy(other);
    SUNMatDestroy(dense);
    SUNMatDestroy(A);
    SUNMatDestroy(factors);
    N_VDestroy(x);
    N_VDestroy(y);
    N_VDestroy(b);
}

/* ---- CVODE and singular blocks --------------------------------------------------------------- */

/* y' = -y in each unknown, with a Jacobian that makes I - gamma J singular in block 2. */
struct decay {
    void *cvode;
    int singular_calls; /* so many calls, the first ones */
    int calls;
};

static int derivative(realtype t, N_Vector y, N_Vector f, void *data)
{
    (void)t, (void)data;
    N_VScale(-1, y, f);
    return 0;
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data, N_Vector work1,
                    N_Vector work2, N_Vector work3)
{
    (void)t, (void)y, (void)f, (void)work1, (void)work2, (void)work3;
    struct decay *decay = data;
    realtype gamma = 0;
    CVodeGetCurrentGamma(decay->cvode, &gamma);
    for (int b = 0; b < BLOCKS; ++b)
        for (int i = 0; i < N; ++i)
            SUNMatrix_TdlsBlocks_Block(J, b)[i * (N + 1)] = -1;
    if (decay->calls++ < decay->singular_calls)
        SUNMatrix_TdlsBlocks_Block(J, 2)[0] = 1 / gamma;
    return 0;
}

static int decay_for(int singular_calls, double *answer, long int *convergence_failures,
                     long int *flag)
{
    struct decay decay = {CVodeCreate(CV_BDF, context), singular_calls, 0};
    N_Vector y = N_VNew_Serial(ALL, context);
    N_VConst(1, y);
    SUNMatrix J = SUNMatrix_TdlsBlocks(BLOCKS, N, context);
    SUNLinearSolver S = SUNLinSol_Tdls(y, J, context);
    /* 1 - gamma * (1/gamma) need not be 0, but is below this. */
    tdls_set_singular_floor(SUNLinSol_Tdls_Handle(S), 1e-12);
    CVodeInit(decay.cvode, derivative, 0, y);
    CVodeSStolerances(decay.cvode, 1e-8, 1e-10);
    CVodeSetUserData(decay.cvode, &decay);
    CVodeSetErrFile(decay.cvode, NULL);
    CVodeSetLinearSolver(decay.cvode, S, J);
    CVodeSetJacFn(decay.cvode, jacobian);
    realtype reached;
    const int status = CVode(decay.cvode, 1, y, &reached, CV_NORMAL);
    *answer = NV_Ith_S(y, 2 * N);
    CVodeGetNumNonlinSolvConvFails(decay.cvode, convergence_failures);
    CVodeGetLastLinFlag(decay.cvode, flag);
    CVodeFree(&decay.cvode);
    SUNLinSolFree(S);
    SUNMatDestroy(J);
    N_VDestroy(y);
    return status;
}

static void test_recovery(void)
{
    double answer;
    long int fails, flag;
    int status = decay_for(0, &answer, &fails, &flag);
    report(status == CV_SUCCESS && fails == 0 && fabs(answer - exp(-1)) < 1e-6,
           "CVODE without singular blocks");
    status = decay_for(2, &answer, &fails, &flag);
    report(status == CV_SUCCESS && fabs(answer - exp(-1)) < 1e-6,
           "CVODE recovers from singular blocks with smaller steps");
    status = decay_for(1000000, &answer, &fails, &flag);
    /* A failure that were not recoverable would be CV_LSETUP_FAIL. */
    report(status == CV_CONV_FAILURE && flag == SUNLS_LUFACT_FAIL,
           "CVODE gives up where they stay singular, saying so");
}

int main(void)
{
    if (SUNContext_Create(NULL, &context) != 0)
        return EXIT_FAILURE;
    test_matrix();
    test_solver();
    test_recovery();
    SUNContext_Free(&context);
    printf("1..%d\n", tests);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
