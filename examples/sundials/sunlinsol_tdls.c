/* SPDX-License-Identifier: BSD-3-Clause */
#include "sunlinsol_tdls.h"

#include <stdlib.h>
#include <string.h>

#if defined(SUNDIALS_DOUBLE_PRECISION)
#    define GETRF tdls_dgetrf_coop_strided_batched
#    define GETRS tdls_dgetrs_coop_strided_batched
#elif defined(SUNDIALS_SINGLE_PRECISION)
#    define GETRF tdls_sgetrf_coop_strided_batched
#    define GETRS tdls_sgetrs_coop_strided_batched
#else
#    error "libtdls has no extended precision"
#endif

/* ---- The matrix ------------------------------------------------------------------------------ */

struct blocks {
    sunindextype count, n;
    realtype *data;
};

static struct blocks *blocks_of(SUNMatrix A)
{
    return A->content;
}

static size_t elements_of(SUNMatrix A)
{
    const struct blocks *own = blocks_of(A);
    return (size_t)own->count * (size_t)own->n * (size_t)own->n;
}

static SUNMatrix_ID get_matrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSTOM;
}

static SUNMatrix clone(SUNMatrix A)
{
    return SUNMatrix_TdlsBlocks(blocks_of(A)->count, blocks_of(A)->n, A->sunctx);
}

static void destroy(SUNMatrix A)
{
    if (A == NULL)
        return;
    if (A->content != NULL)
        free(blocks_of(A)->data);
    free(A->content);
    A->content = NULL;
    SUNMatFreeEmpty(A);
}

static int same_shape(SUNMatrix A, SUNMatrix B)
{
    return B->ops->getid == get_matrix_id && blocks_of(A)->count == blocks_of(B)->count &&
           blocks_of(A)->n == blocks_of(B)->n;
}

static int zero(SUNMatrix A)
{
    memset(blocks_of(A)->data, 0, elements_of(A) * sizeof(realtype));
    return SUNMAT_SUCCESS;
}

static int copy(SUNMatrix A, SUNMatrix B)
{
    if (!same_shape(A, B))
        return SUNMAT_ILL_INPUT;
    memcpy(blocks_of(B)->data, blocks_of(A)->data, elements_of(A) * sizeof(realtype));
    return SUNMAT_SUCCESS;
}

static int scale_add(realtype c, SUNMatrix A, SUNMatrix B)
{
    if (!same_shape(A, B))
        return SUNMAT_ILL_INPUT;
    realtype *a = blocks_of(A)->data;
    const realtype *b = blocks_of(B)->data;
    const size_t elements = elements_of(A);
    for (size_t e = 0; e < elements; ++e)
        a[e] = c * a[e] + b[e];
    return SUNMAT_SUCCESS;
}

static int scale_add_identity(realtype c, SUNMatrix A)
{
    const struct blocks *own = blocks_of(A);
    const size_t n = (size_t)own->n, elements = elements_of(A);
    for (size_t e = 0; e < elements; ++e)
        own->data[e] *= c;
    for (size_t block = 0; block < elements; block += n * n)
        for (size_t i = 0; i < n; ++i)
            own->data[block + i * (n + 1)] += 1;
    return SUNMAT_SUCCESS;
}

static int multiply(SUNMatrix A, N_Vector x, N_Vector y)
{
    const struct blocks *own = blocks_of(A);
    const realtype *from = N_VGetArrayPointer(x);
    realtype *to = N_VGetArrayPointer(y);
    if (from == NULL || to == NULL || from == to)
        return SUNMAT_ILL_INPUT;
    const size_t n = (size_t)own->n, count = (size_t)own->count;
    memset(to, 0, count * n * sizeof *to);
    for (size_t b = 0; b < count; ++b)
        for (size_t j = 0; j < n; ++j)
            for (size_t i = 0; i < n; ++i)
                to[b * n + i] += own->data[(b * n + j) * n + i] * from[b * n + j];
    return SUNMAT_SUCCESS;
}

static int matrix_space(SUNMatrix A, long int *reals, long int *integers)
{
    *reals = (long int)elements_of(A);
    *integers = 2;
    return SUNMAT_SUCCESS;
}

SUNMatrix SUNMatrix_TdlsBlocks(sunindextype blocks, sunindextype n, SUNContext context)
{
    if (blocks < 1 || n < 1 || n > INT32_MAX ||
        (size_t)blocks > SIZE_MAX / sizeof(realtype) / ((size_t)n * (size_t)n))
        return NULL;
    SUNMatrix A = SUNMatNewEmpty(context);
    if (A == NULL)
        return NULL;
    A->ops->getid = get_matrix_id;
    A->ops->clone = clone;
    A->ops->destroy = destroy;
    A->ops->zero = zero;
    A->ops->copy = copy;
    A->ops->scaleadd = scale_add;
    A->ops->scaleaddi = scale_add_identity;
    A->ops->matvec = multiply;
    A->ops->space = matrix_space;
    struct blocks *own = malloc(sizeof *own);
    A->content = own;
    if (own != NULL)
        *own = (struct blocks){blocks, n,
                               calloc((size_t)blocks * (size_t)n * (size_t)n, sizeof(realtype))};
    if (own == NULL || own->data == NULL) {
        destroy(A);
        return NULL;
    }
    return A;
}

sunindextype SUNMatrix_TdlsBlocks_Blocks(SUNMatrix A)
{
    return blocks_of(A)->count;
}

sunindextype SUNMatrix_TdlsBlocks_Order(SUNMatrix A)
{
    return blocks_of(A)->n;
}

realtype *SUNMatrix_TdlsBlocks_Block(SUNMatrix A, sunindextype b)
{
    const struct blocks *own = blocks_of(A);
    return own->data + (size_t)b * (size_t)own->n * (size_t)own->n;
}

/* ---- The solver ------------------------------------------------------------------------------ */

struct solver {
    tdls_handle_t handle;
    sunindextype count, n;
    int32_t *pivots; /* count * n */
    int32_t *info;   /* count */
    sunindextype last_flag;
};

static struct solver *solver_of(SUNLinearSolver S)
{
    return S->content;
}

static SUNLinearSolver_Type get_type(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID get_solver_id(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}

static int flagged(struct solver *own, int flag)
{
    own->last_flag = flag;
    return flag;
}

static int initialize(SUNLinearSolver S)
{
    return flagged(solver_of(S), SUNLS_SUCCESS);
}

static int fits(const struct solver *own, SUNMatrix A)
{
    return A != NULL && A->ops->getid == get_matrix_id && blocks_of(A)->count == own->count &&
           blocks_of(A)->n == own->n;
}

static int setup(SUNLinearSolver S, SUNMatrix A)
{
    struct solver *own = solver_of(S);
    if (!fits(own, A))
        return flagged(own, SUNLS_ILL_INPUT);
    const int32_t n = (int32_t)own->n;
    if (GETRF(own->handle, n, blocks_of(A)->data, n, (int64_t)n * n, own->pivots, n, own->info,
              own->count) != TDLS_SUCCESS)
        return flagged(own, SUNLS_PACKAGE_FAIL_UNREC);
    for (sunindextype b = 0; b < own->count; ++b)
        if (own->info[b] != 0) {
            own->last_flag = b * own->n + own->info[b];
            return SUNLS_LUFACT_FAIL;
        }
    return flagged(own, SUNLS_SUCCESS);
}

static int solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, realtype tolerance)
{
    (void)tolerance;
    struct solver *own = solver_of(S);
    if (!fits(own, A) || x == NULL || b == NULL)
        return flagged(own, SUNLS_ILL_INPUT);
    if (x != b)
        N_VScale(1, b, x);
    realtype *data = N_VGetArrayPointer(x);
    if (data == NULL)
        return flagged(own, SUNLS_MEM_FAIL);
    const int32_t n = (int32_t)own->n;
    if (GETRS(own->handle, TDLS_NO_TRANS, n, 1, blocks_of(A)->data, n, (int64_t)n * n, own->pivots,
              n, data, n, n, own->count) != TDLS_SUCCESS)
        return flagged(own, SUNLS_PACKAGE_FAIL_UNREC);
    return flagged(own, SUNLS_SUCCESS);
}

static sunindextype last_flag(SUNLinearSolver S)
{
    return solver_of(S)->last_flag;
}

static int solver_space(SUNLinearSolver S, long int *reals, long int *integers)
{
    const struct solver *own = solver_of(S);
    *reals = 0;
    *integers = (long int)(own->count * (own->n + 1) + 3);
    return SUNLS_SUCCESS;
}

static int free_solver(SUNLinearSolver S)
{
    if (S == NULL)
        return SUNLS_SUCCESS;
    struct solver *own = solver_of(S);
    if (own != NULL) {
        tdls_destroy(own->handle);
        free(own->pivots);
        free(own->info);
        free(own);
    }
    S->content = NULL;
    SUNLinSolFreeEmpty(S);
    return SUNLS_SUCCESS;
}

SUNLinearSolver SUNLinSol_Tdls(N_Vector y, SUNMatrix A, SUNContext context)
{
    if (y == NULL || A == NULL || A->ops->getid != get_matrix_id ||
        y->ops->nvgetarraypointer == NULL || N_VGetArrayPointer(y) == NULL)
        return NULL;
    const struct blocks *blocks = blocks_of(A);
    const sunindextype unknowns = blocks->count * blocks->n;
    if (N_VGetLength(y) != unknowns)
        return NULL;
    SUNLinearSolver S = SUNLinSolNewEmpty(context);
    struct solver *own = calloc(1, sizeof *own);
    if (S == NULL || own == NULL) {
        free(own);
        SUNLinSolFreeEmpty(S);
        return NULL;
    }
    S->content = own;
    S->ops->gettype = get_type;
    S->ops->getid = get_solver_id;
    S->ops->initialize = initialize;
    S->ops->setup = setup;
    S->ops->solve = solve;
    S->ops->lastflag = last_flag;
    S->ops->space = solver_space;
    S->ops->free = free_solver;
    own->count = blocks->count;
    own->n = blocks->n;
    own->pivots = malloc((size_t)unknowns * sizeof *own->pivots);
    own->info = malloc((size_t)own->count * sizeof *own->info);
    if (own->pivots == NULL || own->info == NULL ||
        tdls_create(TDLS_BACKEND_CPU, 0, &own->handle) != TDLS_SUCCESS) {
        free_solver(S);
        return NULL;
    }
    return S;
}

tdls_handle_t SUNLinSol_Tdls_Handle(SUNLinearSolver S)
{
    return solver_of(S)->handle;
}
