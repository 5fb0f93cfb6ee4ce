/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stiff chemistry in many cells, by one integrator of SUNDIALS (CVODE, BDF with Newton's iteration)
 * over all of them, whose Jacobian has one dense block per cell.
 *
 * Two problems: POLLU (20 species, see ../pollu.c; each cell has its own light), and that of H. H.
 * Robertson, "The solution of a set of reaction rate equations" (1966), with 3 species, t from 0 to
 * 40, whose first rate differs from cell to cell. Each is integrated with the solver of
 * sunlinsol_tdls.h, with SUNDIALS' band solver, and, if the cells are few, its dense one. All must
 * give the same answer, and cell 0, whose rates are the published ones, the published answer.
 *
 * usage: kinetics [CELLS [THREADS]]   (default 500 and 1: SUNDIALS' own solvers have one thread)
 * Exit status: 0 if the answers are within the bounds.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_types.h>
#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "../pollu_chemistry.h"
#include "sunlinsol_tdls.h"

/* Above so many unknowns a dense matrix of all cells is not tried. */
enum { MOST_DENSE = 200 };

enum way { TDLS, BAND, DENSE, WAYS };
static const char *const way_names[WAYS] = {"libtdls", "band", "dense"};

struct problem {
    const char *name;
    int n;
    double end, relative, absolute;
    const double *start, *published;
    double published_bound; /* of cell 0, relative but for the absolute tolerance */
    double (*parameter)(int cell, int cells);
    void (*derivative)(const double *y, double parameter, double *f);
    void (*jacobian)(const double *y, double parameter, double *J); /* column-major */
};

/* ---- The two problems ------------------------------------------------------------------------ */

static double light(int cell, int cells)
{
    return cell == 0 ? 1 : 1 - 0.5 * cell / (cells - 1);
}

static void pollu_jacobian(const double *y, double parameter, double *J)
{
    stage_matrix(y, parameter, 0, J);
    for (int e = 0; e < SPECIES * SPECIES; ++e)
        J[e] = -J[e];
}

static double first_rate(int cell, int cells)
{
    return 0.04 * (1 + (double)cell / cells);
}

static void robertson(const double *y, double k, double *f)
{
    f[0] = -k * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
}

static void robertson_jacobian(const double *y, double k, double *J)
{
    const double by_1 = 1e4 * y[2], by_2 = 1e4 * y[1], square = 6e7 * y[1];
    const double columns[9] = {-k, k, 0, by_1, -by_1 - square, square, by_2, -by_2, 0};
    memcpy(J, columns, sizeof columns);
}

static const double robertson_start[3] = {1, 0, 0};
/* At t = 40, as in the documentation of LSODE and its successors. */
static const double robertson_published[3] = {0.7158270688, 9.185534764e-6, 0.2841637457};

static const struct problem problems[] = {
    {"POLLU", SPECIES, 60, 1e-6, 1e-13, initial, published, 1e-4, light, derivative,
     pollu_jacobian},
    {"Robertson", 3, 40, 1e-6, 1e-11, robertson_start, robertson_published, 1e-4, first_rate,
     robertson, robertson_jacobian},
};

/* ---- All cells as one system ----------------------------------------------------------------- */

struct grid {
    const struct problem *problem;
    int cells, threads;
    double *parameters, *block;
};

static int all_derivatives(realtype t, N_Vector y, N_Vector f, void *data)
{
    const struct grid *grid = data;
    const int n = grid->problem->n;
    (void)t;
    for (int c = 0; c < grid->cells; ++c)
        grid->problem->derivative(N_VGetArrayPointer(y) + (size_t)c * (size_t)n,
                                  grid->parameters[c],
                                  N_VGetArrayPointer(f) + (size_t)c * (size_t)n);
    return 0;
}

/* Where the n elements of column j of cell c's block begin. */
static realtype *column(SUNMatrix J, int n, int c, int j)
{
    const sunindextype first = (sunindextype)c * n;
    switch (SUNMatGetID(J)) {
    case SUNMATRIX_BAND:
        return SUNBandMatrix_Column(J, first + j) - j; /* points to the diagonal */
    case SUNMATRIX_DENSE:
        return SUNDenseMatrix_Column(J, first + j) + first;
    default:
        return SUNMatrix_TdlsBlocks_Block(J, c) + (size_t)j * (size_t)n;
    }
}

static int all_jacobians(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *data,
                         N_Vector work1, N_Vector work2, N_Vector work3)
{
    const struct grid *grid = data;
    const int n = grid->problem->n;
    (void)t, (void)f, (void)work1, (void)work2, (void)work3;
    for (int c = 0; c < grid->cells; ++c) {
        grid->problem->jacobian(N_VGetArrayPointer(y) + (size_t)c * (size_t)n, grid->parameters[c],
                                grid->block);
        for (int j = 0; j < n; ++j)
            memcpy(column(J, n, c, j), grid->block + (size_t)j * (size_t)n,
                   (size_t)n * sizeof *grid->block);
    }
    return 0;
}

/* ---- One integration ------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "kinetics: %s failed; libtdls says: %s\n", what, tdls_last_error(NULL));
        exit(EXIT_FAILURE);
    }
}

/* The operations of the linear solver in use, with a clock around them. */
static struct {
    int (*setup)(SUNLinearSolver, SUNMatrix);
    int (*solve)(SUNLinearSolver, SUNMatrix, N_Vector, N_Vector, realtype);
    double seconds;
} timed;

static int timed_setup(SUNLinearSolver S, SUNMatrix A)
{
    const double begin = now();
    const int flag = timed.setup(S, A);
    timed.seconds += now() - begin;
    return flag;
}

static int timed_solve(SUNLinearSolver S, SUNMatrix A, N_Vector x, N_Vector b, realtype tolerance)
{
    const double begin = now();
    const int flag = timed.solve(S, A, x, b, tolerance);
    timed.seconds += now() - begin;
    return flag;
}

struct times {
    double all, solver;
};

/* Integrates to the end; answer has the entries of all cells. */
static struct times integrate(struct grid *grid, enum way way, double *answer)
{
    const struct problem *problem = grid->problem;
    const sunindextype n = problem->n, unknowns = n * grid->cells;
    SUNContext context;
    must(SUNContext_Create(NULL, &context) == 0, "SUNContext_Create");
    N_Vector y = N_VMake_Serial(unknowns, answer, context);
    SUNMatrix J = way == TDLS   ? SUNMatrix_TdlsBlocks(grid->cells, n, context)
                  : way == BAND ? SUNBandMatrix(unknowns, n - 1, n - 1, context)
                                : SUNDenseMatrix(unknowns, unknowns, context);
    must(y != NULL && J != NULL, "making vector and matrix");
    SUNLinearSolver solver = way == TDLS   ? SUNLinSol_Tdls(y, J, context)
                             : way == BAND ? SUNLinSol_Band(y, J, context)
                                           : SUNLinSol_Dense(y, J, context);
    must(solver != NULL, "making the linear solver");
    if (way == TDLS)
        must(tdls_set_num_threads(SUNLinSol_Tdls_Handle(solver), grid->threads) == TDLS_SUCCESS,
             "tdls_set_num_threads");
    timed.setup = solver->ops->setup;
    timed.solve = solver->ops->solve;
    timed.seconds = 0;
    solver->ops->setup = timed_setup;
    solver->ops->solve = timed_solve;

    for (int c = 0; c < grid->cells; ++c)
        memcpy(answer + (size_t)c * (size_t)n, problem->start, (size_t)n * sizeof *answer);
    void *cvode = CVodeCreate(CV_BDF, context);
    must(cvode != NULL && CVodeInit(cvode, all_derivatives, 0, y) == CV_SUCCESS &&
             CVodeSStolerances(cvode, problem->relative, problem->absolute) == CV_SUCCESS &&
             CVodeSetUserData(cvode, grid) == CV_SUCCESS &&
             CVodeSetMaxNumSteps(cvode, 100000) == CV_SUCCESS &&
             CVodeSetLinearSolver(cvode, solver, J) == CV_SUCCESS &&
             CVodeSetJacFn(cvode, all_jacobians) == CV_SUCCESS,
         "setting up CVODE");
    realtype reached;
    const double begin = now();
    must(CVodeSetStopTime(cvode, problem->end) == CV_SUCCESS &&
             CVode(cvode, problem->end, y, &reached, CV_NORMAL) >= 0,
         "CVode");
    const double seconds = now() - begin;
    long int steps, setups, iterations;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumLinSolvSetups(cvode, &setups);
    CVodeGetNumNonlinSolvIters(cvode, &iterations);
    printf("  %-8s %5ld steps, %4ld factorizations, %5ld solves of all cells: %.3f s of %.3f s\n",
           way_names[way], steps, setups, iterations, timed.seconds, seconds);

    CVodeFree(&cvode);
    SUNLinSolFree(solver);
    SUNMatDestroy(J);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return (struct times){seconds, timed.seconds};
}

/* Largest difference over bound * |value|, or over ten absolute tolerances. */
static double difference(const struct problem *problem, const double *is, const double *expected,
                         int count, double bound)
{
    double largest = 0;
    for (int e = 0; e < count; ++e) {
        const double d =
            fabs(is[e] - expected[e]) / (bound * fabs(expected[e]) + 10 * problem->absolute);
        if (!(d <= largest)) /* a NaN counts */
            largest = d;
    }
    return largest;
}

static int run(const struct problem *problem, int cells, int threads)
{
    const int n = problem->n, unknowns = n * cells;
    struct grid grid = {problem, cells, threads, malloc((size_t)cells * sizeof(double)),
                        malloc((size_t)(n * n) * sizeof(double))};
    double *answers[WAYS];
    struct times times[WAYS];
    must(grid.parameters != NULL && grid.block != NULL, "malloc");
    for (int c = 0; c < cells; ++c)
        grid.parameters[c] = problem->parameter(c, cells);
    printf("%s: %d cells of %d species, t = 0 to %g, relative tolerance %g\n", problem->name, cells,
           n, problem->end, problem->relative);
    const int ways = unknowns <= MOST_DENSE ? WAYS : WAYS - 1;
    int wrong = 0;
    for (int w = 0; w < ways; ++w) {
        answers[w] = malloc((size_t)unknowns * sizeof(double));
        must(answers[w] != NULL, "malloc");
        times[w] = integrate(&grid, (enum way)w, answers[w]);
    }
    const double off =
        difference(problem, answers[TDLS], problem->published, n, problem->published_bound);
    printf("  cell 0 differs from the published answer by %.2g of the bound\n", off);
    wrong += !(off <= 1);
    for (int w = 1; w < ways; ++w) {
        /* Both have the integrator's own error, of some relative tolerances; their rounding
         * differs, and with it now and then a step. */
        const double apart =
            difference(problem, answers[TDLS], answers[w], unknowns, 100 * problem->relative);
        printf("  %s: differs by %.2g of the bound; the solver took %.2f times as long, the whole "
               "integration %.2f times\n",
               way_names[w], apart, times[w].solver / times[TDLS].solver,
               times[w].all / times[TDLS].all);
        wrong += !(apart <= 1);
    }
    for (int w = 0; w < ways; ++w)
        free(answers[w]);
    free(grid.parameters);
    free(grid.block);
    return wrong;
}

int main(int argc, char **argv)
{
    const int cells = argc > 1 ? atoi(argv[1]) : 500, threads = argc > 2 ? atoi(argv[2]) : 1;
    if (argc > 3 || cells < 1 || cells > 1000000 || threads < 0) {
        fprintf(stderr, "usage: kinetics [CELLS [THREADS]]\n"
                        "CELLS: 1 to 1000000; THREADS: 0 for OpenMP's choice\n");
        return EXIT_FAILURE;
    }
    int wrong = 0;
    for (size_t p = 0; p < sizeof problems / sizeof *problems; ++p)
        wrong += run(&problems[p], cells, threads);
    if (wrong > 0)
        fprintf(stderr, "kinetics: %d comparisons are not within the bounds\n", wrong);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
