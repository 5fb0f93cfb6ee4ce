/* SPDX-License-Identifier: BSD-3-Clause */
/* The chemistry of the POLLU problem (see pollu.c for its source), for the examples that solve it.
 */
#ifndef POLLU_CHEMISTRY_H
#define POLLU_CHEMISTRY_H

#include <string.h>

enum { SPECIES = 20, REACTIONS = 25 };

/* A reaction: its rate constant, whether light drives it, its one or two reactants (the rate is
 * k * y[first] * y[second]; second 0: none), and what it changes, up to the first coefficient 0. */
struct reaction {
    double k;
    int photolysis, first, second;
    struct {
        int species, coefficient;
    } changes[6];
};

static const struct reaction reactions[REACTIONS] = {
    {.35, 1, 1, 0, {{1, -1}, {2, 1}, {3, 1}}},
    {26.6, 0, 2, 4, {{1, 1}, {2, -1}, {4, -1}}},
    {1.23e4, 0, 5, 2, {{1, 1}, {2, -1}, {5, -1}, {6, 1}}},
    {8.6e-4, 1, 7, 0, {{5, 2}, {7, -1}, {8, 1}}},
    {8.2e-4, 1, 7, 0, {{7, -1}, {8, 1}}},
    {1.5e4, 0, 7, 6, {{5, 1}, {6, -1}, {7, -1}, {8, 1}}},
    {1.3e-4, 0, 9, 0, {{5, 1}, {8, 1}, {9, -1}, {10, 1}}},
    {2.4e4, 0, 9, 6, {{6, -1}, {9, -1}, {11, 1}}},
    {1.65e4, 0, 11, 2, {{1, 1}, {2, -1}, {10, 1}, {11, -1}, {12, 1}}},
    {9e3, 0, 11, 1, {{1, -1}, {11, -1}, {13, 1}}},
    {.022, 0, 13, 0, {{1, 1}, {11, 1}, {13, -1}}},
    {1.2e4, 0, 10, 2, {{1, 1}, {2, -1}, {10, -1}, {14, 1}}},
    {1.88, 0, 14, 0, {{5, 1}, {7, 1}, {14, -1}}},
    {1.63e4, 0, 1, 6, {{1, -1}, {6, -1}, {15, 1}}},
    {4.8e6, 0, 3, 0, {{3, -1}, {4, 1}}},
    {3.5e-4, 1, 4, 0, {{4, -1}, {16, 1}}},
    {.0175, 1, 4, 0, {{3, 1}, {4, -1}}},
    {1e8, 0, 16, 0, {{6, 2}, {16, -1}}},
    {4.44e11, 0, 16, 0, {{3, 1}, {16, -1}}},
    {1.24e3, 0, 17, 6, {{5, 1}, {6, -1}, {17, -1}, {18, 1}}},
    {2.1, 0, 19, 0, {{2, 1}, {19, -1}}},
    {5.78, 0, 19, 0, {{1, 1}, {3, 1}, {19, -1}}},
    {.0474, 0, 1, 4, {{1, -1}, {4, -1}, {19, 1}}},
    {1.78e3, 0, 19, 1, {{1, -1}, {19, -1}, {20, 1}}},
    {3.12, 0, 20, 0, {{1, 1}, {19, 1}, {20, -1}}},
};

static const double initial[SPECIES] = {
    [1] = 0.2, [3] = 0.04, [6] = 0.1, [7] = 0.3, [8] = 0.01, [16] = 0.007};

static const double published[SPECIES] = {
    0.5646255480022769e-1, 0.1342484130422339,    0.4139734331099427e-8, 0.5523140207484359e-2,
    0.2018977262302196e-6, 0.1464541863493966e-6, 0.7784249118997964e-1, 0.3245075353396018,
    0.7494013383880406e-2, 0.1622293157301561e-7, 0.1135863833257075e-7, 0.2230505975721359e-2,
    0.2087162882798630e-3, 0.1396921016840158e-4, 0.8964884856898295e-2, 0.4352846369330103e-17,
    0.6899219696263405e-2, 0.1007803037365946e-3, 0.1772146513969984e-5, 0.5682943292316392e-4};

/* Species below this are compared by their absolute error. */
static const double tiny_species = 1e-15, absolute_bound = 1e-20, relative_bound = 1e-4;

static inline double rate_constant(const struct reaction *r, double light)
{
    return r->photolysis ? r->k * light : r->k;
}

/* f(y) of one cell. */
static inline void derivative(const double *y, double light, double *f)
{
    memset(f, 0, SPECIES * sizeof *f);
    for (const struct reaction *r = reactions; r < reactions + REACTIONS; ++r) {
        const double rate =
            rate_constant(r, light) * y[r->first - 1] * (r->second > 0 ? y[r->second - 1] : 1);
        for (int c = 0; r->changes[c].coefficient != 0; ++c)
            f[r->changes[c].species - 1] += r->changes[c].coefficient * rate;
    }
}

/* diagonal * I - df/dy of one cell, column-major. */
static inline void stage_matrix(const double *y, double light, double diagonal, double *matrix)
{
    memset(matrix, 0, SPECIES * SPECIES * sizeof *matrix);
    for (int i = 0; i < SPECIES; ++i)
        matrix[i * (SPECIES + 1)] = diagonal;
    for (const struct reaction *r = reactions; r < reactions + REACTIONS; ++r) {
        const double k = rate_constant(r, light);
        const double by_first = k * (r->second > 0 ? y[r->second - 1] : 1);
        const double by_second = k * y[r->first - 1];
        for (int c = 0; r->changes[c].coefficient != 0; ++c) {
            double *row = matrix + r->changes[c].species - 1;
            row[SPECIES * (r->first - 1)] -= r->changes[c].coefficient * by_first;
            if (r->second > 0)
                row[SPECIES * (r->second - 1)] -= r->changes[c].coefficient * by_second;
        }
    }
}

#endif
