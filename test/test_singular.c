/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems by hand whose outcome is known without any oracle: zero, tied, tiny, huge, NaN and Inf
 * pivots, the singular floor, the pivot threshold, and what info says of them. */
#include "support.h"

#include <math.h>

enum { ANY = -1 };

/* A 3 x 3 system S in column-major order, and what must come out of it. */
struct example {
    const char *name;
    double s[9];
    double threshold, singular_floor; /* 0: default */
    int32_t info;
    int32_t swaps[3]; /* ANY where it is open */
};

/* In terms of the smallest normal number (t) and the largest number (h) of the type. */
static const double t = -1e-9, h = -2e-9;

static const struct example examples[] = {
    {"identity", {1, 0, 0, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {1, 2, 3}},
    {"reversal", {0, 0, 1, 0, 1, 0, 1, 0, 0}, 0, 0, 0, {3, 2, 3}},
    {"cycle", {0, 1, 0, 0, 0, 1, 1, 0, 0}, 0, 0, 0, {2, 3, 3}},
    {"the first of equals", {1, -1, 1, 2, 1, 0, 0, 3, -4}, 0, 0, 0, {1, 2, 3}},
    {"the first of equals below", {1, -2, 2, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {2, 3, 3}},
    {"zero", {0}, 0, 0, 1, {1, 2, 3}},
    {"zero first column", {0, 0, 0, 1, 0, 0, 0, 1, 1}, 0, 0, 1, {1, 2, 3}},
    {"zero second column", {2, 0, 0, 1, 0, 0, 0, 1, 1}, 0, 0, 2, {1, 2, 3}},
    {"zero last pivot", {1, 0, 0, 0, 2, 0, 4, 5, 0}, 0, 0, 3, {1, 2, 3}},
    {"two equal rows", {1, 1, 0, 2, 2, 1, 3, 3, 1}, 0, 0, 3, {1, 3, 3}},
    {"subnormal pivot", {t / 2, 0, 0, 0, 1, 0, 0, 0, 1}, 0, 0, 1, {1, 2, 3}},
    {"smallest normal pivot", {t, 0, 0, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {1, 2, 3}},
    {"huge pivot", {h, 0, 0, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {1, 2, 3}},
    {"below the floor", {1, 0, 0, 0, 0.25, 0, 0, 0, 1}, 0, 0.5, 2, {1, 2, 3}},
    {"at the floor", {1, 0, 0, 0, 0.5, 0, 0, 0, 1}, 0, 0.5, 0, {1, 2, 3}},
    {"kept by the threshold", {1, 2, 0, 0, 1, 0, 0, 0, 1}, 0.5, 0, 0, {1, 2, 3}},
    {"moved by the threshold", {0.75, 2, 0, 0, 1, 0, 0, 0, 1}, 0.5, 0, 0, {2, 2, 3}},
    {"not kept below the floor", {0.25, 0.4, 0.5, 0, 1, 0, 0, 0, 1}, 0.5, 0.3, 0, {3, ANY, ANY}},
    {"NaN in place stays", {NAN, 5, 7, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {1, ANY, ANY}},
    {"NaN elsewhere is not chosen", {1, NAN, 2, 0, 1, 0, 0, 0, 1}, 0, 0, 0, {3, ANY, ANY}},
    {"NaN over zeros", {0, NAN, 0, 0, 1, 0, 0, 0, 1}, 0, 0, 1, {1, ANY, ANY}},
    {"Inf is the largest", {1, -INFINITY, 2, 0, 1, 3, 2, 0, 1}, 0, 0, 0, {2, 3, 3}},
};

static double value_for(double value, const struct type *type)
{
    return value == t       ? type->smallest_normal
           : value == t / 2 ? type->smallest_normal / 2
           : value == h     ? type->largest
                            : value;
}

enum { REPEATS = 11 };

/* Each example alone with sound neighbours around it, through getrf and both kinds of gesv. */
static void examples_by_hand(void **argument)
{
    const struct combination *c = *argument;
    struct shape shape = c->shape;
    shape.n = 3;
    shape.nrhs = 2;
    shape.batch = REPEATS;
    shape.width = 4;
    for (size_t i = 0; i < COUNT_OF(examples); ++i) {
        const struct example *x = &examples[i];
        tdls_handle_t handle = open_handle_for(&shape);
        if (x->threshold > 0)
            assert_int_equal(tdls_set_pivot_threshold(handle, x->threshold), TDLS_SUCCESS);
        if (x->singular_floor > 0)
            assert_int_equal(tdls_set_singular_floor(handle, x->singular_floor), TDLS_SUCCESS);
        struct batch *given = batch_create(shape);
        for (int64_t s = 0; s < REPEATS; ++s)
            for (int32_t e = 0; e < 3; ++e) {
                for (int32_t r = 0; r < 3; ++r)
                    s_set(given, s, r, e,
                          s == 5 ? value_for(x->s[r + 3 * e], shape.type) : (r == (e + 1) % 3) * 2);
                for (int32_t k = 0; k < 2; ++k)
                    b_set(given, s, e, k, 2 + e + 4 * k);
            }
        for (int way = 0; way < 3; ++way) {
            struct batch *batch = batch_copy(given);
            batch->keep = way < 2;
            assert_int_equal(call(way == 0 ? GETRF : GESV, handle, TDLS_NO_TRANS, batch),
                             TDLS_SUCCESS);
            for (int64_t s = 0; s < REPEATS; ++s) {
                if (batch->info[s] != (s == 5 ? x->info : 0))
                    fail_msg("%s: info of system %d is %d", x->name, (int)s, batch->info[s]);
                for (int32_t k = 0; k < 3 && batch->keep; ++k) {
                    const int32_t swap = batch->piv[p_index(batch, s, k)];
                    const int32_t right = s == 5 ? x->swaps[k] : k < 2 ? k + 2 : 3;
                    if (right == ANY ? swap < k + 1 || swap > 3 : swap != right)
                        fail_msg("%s: swap %d of system %d is %d", x->name, (int)k, (int)s,
                                 (int)swap);
                }
                /* the neighbours are 2 times a cyclic shift: x is b shifted, halved */
                for (int32_t r = 0; way > 0 && r < 3; ++r)
                    for (int32_t k = 0; k < 2; ++k) {
                        const double b = b_get(given, s, r, k), got = b_get(batch, s, r, k);
                        const int32_t from =
                            shape.layout == TDLS_COL_MAJOR ? (r + 1) % 3 : (r + 2) % 3;
                        if (s != 5 && got != b_get(given, s, from, k) / 2)
                            fail_msg("%s: neighbour %d has x = %g", x->name, (int)s, got);
                        if (s == 5 && x->info > 0 && got != b)
                            fail_msg("%s: B of a singular system changed", x->name);
                    }
            }
            batch_free(batch);
        }
        batch_free(given);
        tdls_destroy(handle);
    }
}

/* getrs does not look for singular factors: it divides, as LAPACK does. */
static void getrs_of_singular_factors(void **argument)
{
    const struct combination *c = *argument;
    struct shape shape = c->shape;
    shape.n = 2;
    shape.nrhs = 1;
    shape.batch = 2;
    tdls_handle_t handle = open_handle_for(&shape);
    struct batch *batch = batch_create(shape);
    for (int64_t s = 0; s < 2; ++s)
        for (int32_t i = 0; i < 2; ++i) {
            for (int32_t j = 0; j < 2; ++j)
                s_set(batch, s, i, j, i == j && !(s == 0 && i == 1));
            b_set(batch, s, i, 0, 3);
            batch->piv[p_index(batch, s, i)] = i + 1;
        }
    assert_int_equal(call(GETRS, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
    assert_true(isinf(b_get(batch, 0, 1, 0)));
    assert_true(b_get(batch, 1, 0, 0) == 3);
    assert_true(b_get(batch, 1, 1, 0) == 3);
    batch_free(batch);
    tdls_destroy(handle);
}

int main(void)
{
    struct combination combinations[2 * COMBINATIONS];
    struct CMUnitTest tests[2 * COMBINATIONS];
    size_t count = add_combinations(tests, 0, combinations, "by hand", 0, examples_by_hand);
    count = add_combinations(tests, count, combinations, "getrs of singular factors", 0,
                             getrs_of_singular_factors);
    return run_program("singular", tests, count);
}
