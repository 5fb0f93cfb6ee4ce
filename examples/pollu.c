/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * POLLU, the chemistry of an air-pollution model (20 species, 25 reactions), in each cell of a
 * grid.
 *
 * y' = f(y), 20 species in ppm, t in minutes, from 0 to 60. The problem is that of J. G. Verwer,
 * "Gauss-Seidel iteration for stiff ODEs from chemical kinetics", SIAM J. Sci. Comput. 15 (1994),
 * as in the Test Set for IVP Solvers (Univ. of Bari), whose solution is printed beside ours. Each
 * cell has its own light: the photolysis rates are scaled by a factor from 1 (cell 0) down to 0.5.
 *
 * Time integration: the Rosenbrock method RODAS3, order 3 with an embedded solution of order 2, of
 * A. Sandu, J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael, F. A. Potra, "Benchmarking
 * stiff ODE solvers for atmospheric chemistry problems II: Rosenbrock solvers", Atmos. Environ. 31
 * (1997). Every step factors I/(gamma h) - J of all cells by one call of getrf, and solves four
 * stages by one call of getrs each; every cell takes the same steps. The same integration is then
 * done with a loop over LAPACKE_dgetrf and LAPACKE_dgetrs.
 *
 * usage: pollu [--cells COUNT] [--tolerance RELATIVE]
 * Exit status: 0 if cell 0 is within the bounds of the published solution.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lapacke.h>
#include <omp.h>

#include <tdls/tdls.h>

#include "pollu_chemistry.h"

enum { STAGES = 4 };

#define END_TIME 60.0

/* ---- Two ways to solve the systems of all cells ------------------------------------------------
 */

struct solver {
    const char *name;
    /* A: cells * 20 * 20, column-major, factored in place; 0 on success */
    int (*factor)(struct solver *self, int cells, double *A, int32_t *pivots);
    /* B: cells * 20, overwritten by the solutions */
    int (*solve)(struct solver *self, int cells, double *A, int32_t *pivots, double *B);
    tdls_handle_t handle;
    int32_t *info; /* of all cells */
    double seconds;
    int64_t factored, solved;
};

static int factor_with_tdls(struct solver *self, int cells, double *A, int32_t *pivots)
{
    const tdls_status_t status = tdls_dgetrf_coop_strided_batched(
        self->handle, SPECIES, A, SPECIES, SPECIES * SPECIES, pivots, SPECIES, self->info, cells);
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "pollu: %s\n", tdls_last_error(self->handle));
        return 1;
    }
    for (int c = 0; c < cells; ++c)
        if (self->info[c] != 0) {
            fprintf(stderr, "pollu: cell %d: no pivot in column %d\n", c, (int)self->info[c]);
            return 1;
        }
    return 0;
}

static int solve_with_tdls(struct solver *self, int cells, double *A, int32_t *pivots, double *B)
{
    const tdls_status_t status = tdls_dgetrs_coop_strided_batched(
        self->handle, TDLS_NO_TRANS, SPECIES, 1, A, SPECIES, SPECIES * SPECIES, pivots, SPECIES, B,
        SPECIES, SPECIES, cells);
    if (status != TDLS_SUCCESS)
        fprintf(stderr, "pollu: %s\n", tdls_last_error(self->handle));
    return status != TDLS_SUCCESS;
}

static int factor_with_lapack(struct solver *self, int cells, double *A, int32_t *pivots)
{
    (void)self;
    int failures = 0;
#pragma omp parallel for reduction(+ : failures)
    for (int c = 0; c < cells; ++c)
        failures +=
            LAPACKE_dgetrf(LAPACK_COL_MAJOR, SPECIES, SPECIES, A + (size_t)c * SPECIES * SPECIES,
                           SPECIES, pivots + (size_t)c * SPECIES) != 0;
    return failures;
}

static int solve_with_lapack(struct solver *self, int cells, double *A, int32_t *pivots, double *B)
{
    (void)self;
    int failures = 0;
#pragma omp parallel for reduction(+ : failures)
    for (int c = 0; c < cells; ++c)
        failures +=
            LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', SPECIES, 1, A + (size_t)c * SPECIES * SPECIES,
                           SPECIES, pivots + (size_t)c * SPECIES, B + (size_t)c * SPECIES,
                           SPECIES) != 0;
    return failures;
}

/* ---- Time integration --------------------------------------------------------------------------
 */

/* RODAS3: (I/(gamma h) - J) K_i = f(y + sum_j a_ij K_j) + sum_j c_ij/h K_j; the new y is
 * y + sum_i m_i K_i, and its error estimate the last K. */
static const double method_gamma = 0.5;
static const double method_a[STAGES][STAGES] = {{0}, {0}, {2, 0}, {2, 0, 1}};
static const double method_c[STAGES][STAGES] = {{0}, {4}, {1, -1}, {1, -1, -8.0 / 3}};
static const double method_m[STAGES] = {2, 0, 1, 1};

struct grid {
    int cells;
    double *light;     /* cells */
    double *y;         /* cells * 20 */
    double *A;         /* cells * 20 * 20 */
    int32_t *pivots;   /* cells * 20 */
    double *K[STAGES]; /* cells * 20 */
};

struct statistics {
    int steps, rejected;
    double seconds;
};

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *memory(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (p == NULL) {
        fprintf(stderr, "pollu: no memory for %zu elements\n", count);
        exit(EXIT_FAILURE);
    }
    return p;
}

static void show_progress(const char *name, double time, int finished)
{
    static const char marks[] = "########################################";
    const int all = (int)sizeof marks - 1;
    const int done = (int)(time / END_TIME * all);
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%-8s [%-*.*s] %5.1f of %.0f min", name, all, done, marks, time, END_TIME);
    if (finished)
        fputc('\n', stderr);
}

/* One step of size h from grid->y, of which the outcome is in K. Returns 0 if the systems were
 * solved; *error is the largest error of a cell, 1 being tolerable. */
static int try_step(struct grid *grid, struct solver *solver, double h, double tolerance,
                    double *error)
{
    const int cells = grid->cells;
#pragma omp parallel for
    for (int c = 0; c < cells; ++c)
        stage_matrix(grid->y + (size_t)c * SPECIES, grid->light[c], 1 / (method_gamma * h),
                     grid->A + (size_t)c * SPECIES * SPECIES);
    double start = now();
    if (solver->factor(solver, cells, grid->A, grid->pivots) != 0)
        return 1;
    solver->seconds += now() - start;
    solver->factored += cells;

    for (int i = 0; i < STAGES; ++i) {
#pragma omp parallel for
        for (int c = 0; c < cells; ++c) {
            const size_t at = (size_t)c * SPECIES;
            double y[SPECIES], f[SPECIES];
            for (int s = 0; s < SPECIES; ++s) {
                y[s] = grid->y[at + (size_t)s];
                for (int j = 0; j < i; ++j)
                    y[s] += method_a[i][j] * grid->K[j][at + (size_t)s];
            }
            derivative(y, grid->light[c], f);
            for (int s = 0; s < SPECIES; ++s) {
                double b = f[s];
                for (int j = 0; j < i; ++j)
                    b += method_c[i][j] / h * grid->K[j][at + (size_t)s];
                grid->K[i][at + (size_t)s] = b;
            }
        }
        start = now();
        if (solver->solve(solver, cells, grid->A, grid->pivots, grid->K[i]) != 0)
            return 1;
        solver->seconds += now() - start;
        solver->solved += cells;
    }

    double largest = 0;
#pragma omp parallel for reduction(max : largest)
    for (int c = 0; c < cells; ++c) {
        double sum = 0;
        for (int s = 0; s < SPECIES; ++s) {
            const size_t at = (size_t)c * SPECIES + (size_t)s;
            const double absolute = 1e-8 * tolerance;
            const double e = grid->K[STAGES - 1][at] / (absolute + tolerance * fabs(grid->y[at]));
            sum += e * e;
        }
        largest = fmax(largest, sqrt(sum / SPECIES));
    }
    *error = largest;
    return 0;
}

/* Integrates all cells from 0 to END_TIME. Returns 0 on success. */
static int integrate(struct grid *grid, struct solver *solver, double tolerance,
                     struct statistics *statistics)
{
    const double begin = now();
    double time = 0, h = 1e-6;
    for (int c = 0; c < grid->cells; ++c)
        memcpy(grid->y + (size_t)c * SPECIES, initial, sizeof initial);
    while (time < END_TIME) {
        double error;
        const int last = time + h >= END_TIME * (1 - 1e-12);
        if (last)
            h = END_TIME - time;
        if (try_step(grid, solver, h, tolerance, &error) != 0)
            return 1;
        if (!(error >= 0) || h < 1e-14) {
            fprintf(stderr, "pollu: the step at %g min broke down\n", time);
            return 1;
        }
        const double factor = fmin(5, fmax(0.2, 0.9 / cbrt(error + 1e-30)));
        if (error <= 1) {
#pragma omp parallel for
            for (int c = 0; c < grid->cells; ++c)
                for (size_t e = (size_t)c * SPECIES; e < (size_t)(c + 1) * SPECIES; ++e)
                    for (int i = 0; i < STAGES; ++i)
                        grid->y[e] += method_m[i] * grid->K[i][e];
            time = last ? END_TIME : time + h;
            ++statistics->steps;
            show_progress(solver->name, time, last);
        } else {
            ++statistics->rejected;
        }
        h *= factor;
    }
    statistics->seconds = now() - begin;
    return 0;
}

/* ---- Report ------------------------------------------------------------------------------------
 */

static int report_cell_0(const double *y)
{
    int failures = 0;
    printf("\n species      y(60 min), cell 0              published      error\n");
    for (int s = 0; s < SPECIES; ++s) {
        const int absolute = published[s] < tiny_species;
        const double difference = fabs(y[s] - published[s]);
        const double error = absolute ? difference : difference / published[s];
        const int wrong = !(error <= (absolute ? absolute_bound : relative_bound));
        failures += wrong;
        printf("  %5d  %22.15e  %22.15e  %9.2e%s%s\n", s + 1, y[s], published[s], error,
               absolute ? " absolute" : "", wrong ? "  ABOVE THE BOUND" : "");
    }
    printf(" bounds: %g relative, %g absolute for species below %g\n\n", relative_bound,
           absolute_bound, tiny_species);
    return failures;
}

static void report_work(const struct solver *solver, const struct statistics *statistics)
{
    printf(" %-8s %5d steps, %d rejected; %lld factorizations, %lld solves in %.2f s of %.2f s: "
           "%.3g systems/s\n",
           solver->name, statistics->steps, statistics->rejected, (long long)solver->factored,
           (long long)solver->solved, solver->seconds, statistics->seconds,
           (double)solver->factored / solver->seconds);
}

static double number(const char *text, double least, double most)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (errno != 0 || end == text || *end != '\0' || !(value >= least && value <= most)) {
        fprintf(stderr, "pollu: %s is not a number from %g to %g\n", text, least, most);
        exit(EXIT_FAILURE);
    }
    return value;
}

int main(int argc, char **argv)
{
    struct grid grid = {.cells = 10000};
    double tolerance = 1e-5;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--cells") == 0 && i + 1 < argc) {
            grid.cells = (int)number(argv[++i], 1, 1e7);
        } else if (strcmp(argv[i], "--tolerance") == 0 && i + 1 < argc) {
            tolerance = number(argv[++i], 1e-10, 1e-2);
        } else {
            fprintf(stderr, "usage: pollu [--cells COUNT] [--tolerance RELATIVE]\n");
            return EXIT_FAILURE;
        }
    }
    const size_t cells = (size_t)grid.cells;
    grid.light = memory(cells, sizeof *grid.light);
    grid.y = memory(cells * SPECIES, sizeof *grid.y);
    grid.A = memory(cells * SPECIES * SPECIES, sizeof *grid.A);
    grid.pivots = memory(cells * SPECIES, sizeof *grid.pivots);
    for (int i = 0; i < STAGES; ++i)
        grid.K[i] = memory(cells * SPECIES, sizeof *grid.K[i]);
    for (int c = 0; c < grid.cells; ++c)
        grid.light[c] = c == 0 ? 1 : 1 - 0.5 * c / (grid.cells - 1);

    struct solver solvers[] = {
        {.name = "libtdls", .factor = factor_with_tdls, .solve = solve_with_tdls},
        {.name = "LAPACKE", .factor = factor_with_lapack, .solve = solve_with_lapack}};
    if (tdls_create(TDLS_BACKEND_CPU, 0, &solvers[0].handle) != TDLS_SUCCESS) {
        fprintf(stderr, "pollu: %s\n", tdls_last_error(NULL));
        return EXIT_FAILURE;
    }
    solvers[0].info = memory(cells, sizeof *solvers[0].info);
    char device[256];
    tdls_device_name(solvers[0].handle, device, sizeof device);
    printf(
        "POLLU, %d cells, 0 to %.0f min, relative tolerance %g\n%s, %d threads for both solvers\n",
        grid.cells, END_TIME, tolerance, device, omp_get_max_threads());

    int failures = 0;
    struct statistics statistics[2] = {{0}};
    for (int i = 0; i < 2; ++i) {
        if (integrate(&grid, &solvers[i], tolerance, &statistics[i]) != 0)
            return EXIT_FAILURE;
        if (i == 0)
            failures = report_cell_0(grid.y);
        report_work(&solvers[i], &statistics[i]);
    }
    printf(" libtdls solves %.2f times as many systems per second as the loop over LAPACKE\n",
           (double)solvers[0].factored / solvers[0].seconds /
               ((double)solvers[1].factored / solvers[1].seconds));

    tdls_destroy(solvers[0].handle);
    free(solvers[0].info);
    free(grid.light);
    free(grid.y);
    free(grid.A);
    free(grid.pivots);
    for (int i = 0; i < STAGES; ++i)
        free(grid.K[i]);
    if (failures > 0)
        fprintf(stderr, "pollu: %d species are not within the bounds\n", failures);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
