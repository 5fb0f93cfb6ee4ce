/* SPDX-License-Identifier: BSD-3-Clause */
/* Every routine, storage, layout and type against the plain loop, to the bit, with guards around
 * all arrays: random shapes, settings and matrices, sound and unsound systems mixed in each batch.
 */
#include "support.h"

#include <math.h>

enum { RANDOM, TIES, RANK_DEFICIENT, ZERO_COLUMN, WITH_NAN, WITH_INF, SUBNORMAL, SCALED, KINDS };

static int32_t pick(uint64_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(uniform(state, 0, 1) * (high - low + 1));
}

static void fill_system(struct batch *batch, int64_t s, int kind, uint64_t *state)
{
    const struct type *type = batch->shape.type;
    const int32_t n = batch->shape.n;
    const double scale = kind == SUBNORMAL ? 3 * type->smallest_normal : 1;
    for (int32_t i = 0; i < n; ++i) {
        const double row_scale = kind == SCALED ? ldexp(1, pick(state, -60, 60)) : scale;
        for (int32_t j = 0; j < n; ++j)
            s_set(batch, s, i, j,
                  kind == TIES ? pick(state, -2, 2) : row_scale * uniform(state, -1, 1));
    }
    const int32_t row = pick(state, 0, n - 1), column = pick(state, 0, n - 1);
    for (int32_t e = 0; e < n; ++e) {
        if (kind == RANK_DEFICIENT)
            s_set(batch, s, row, e, s_get(batch, s, (row + 1) % n, e));
        if (kind == ZERO_COLUMN)
            s_set(batch, s, e, column, 0);
    }
    if (kind == WITH_NAN)
        s_set(batch, s, row, column, NAN);
    if (kind == WITH_INF)
        s_set(batch, s, row, column, -INFINITY);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t c = 0; c < batch->shape.nrhs; ++c)
            b_set(batch, s, i, c, kind == TIES ? pick(state, -3, 3) : uniform(state, -1, 1));
}

static struct shape random_shape(struct shape shape, int32_t n, uint64_t *state)
{
    static const int32_t batches[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 19, 33};
    shape.n = n;
    shape.nrhs = pick(state, 0, 5) < 2 ? 1 : pick(state, 0, 5);
    shape.batch = n > 40 ? 2 : batches[pick(state, 0, COUNT_OF(batches) - 1)];
    const int32_t widths[] = {1, 3, 4, 8, 16, (int32_t)shape.batch, (int32_t)shape.batch + 5};
    shape.width = widths[pick(state, 0, COUNT_OF(widths) - 1)];
    shape.lda = n + pick(state, 0, 3) + (n == 0);
    const int32_t least_ldb = shape.layout == TDLS_ROW_MAJOR ? shape.nrhs : n;
    shape.ldb = least_ldb + pick(state, 0, 2) + (least_ldb == 0);
    const int64_t lines = shape.layout == TDLS_ROW_MAJOR ? n : shape.nrhs;
    shape.stride_a = (int64_t)shape.lda * n + pick(state, 0, 5);
    shape.stride_b = shape.ldb * lines + pick(state, 0, 5);
    shape.stride_p = n + pick(state, 0, 2);
    return shape;
}

static void set_randomly(tdls_handle_t handle, uint64_t *state)
{
    static const double thresholds[] = {1, 1, 0.9, 0.5, 0.1, 1e-3};
    static const double floors[] = {0, 0, 1e-300, 1e-3, 0.3};
    assert_int_equal(tdls_set_pivot_threshold(handle, thresholds[pick(state, 0, 5)]), 0);
    assert_int_equal(tdls_set_singular_floor(handle, floors[pick(state, 0, 4)]), 0);
    assert_int_equal(tdls_set_num_threads(handle, pick(state, 0, 3)), 0);
    assert_int_equal(tdls_set_row_interchange(handle, pick(state, 0, 2)), 0);
    assert_int_equal(tdls_set_rows_per_thread(handle, pick(state, 0, 5)), 0);
}

static void run_and_compare(enum routine routine, tdls_handle_t handle, int32_t trans,
                            struct batch *batch)
{
    struct batch *expected = batch_copy(batch);
    expect(routine, handle, trans, expected);
    assert_int_equal(call(routine, handle, trans, batch), TDLS_SUCCESS);
    assert_same(batch, expected);
    batch_free(expected);
}

/* Every routine on a batch, which it frees. */
static void check_batch(tdls_handle_t handle, struct batch *batch)
{
    struct batch *whole = batch_copy(batch);
    run_and_compare(GETRF, handle, TDLS_NO_TRANS, batch);
    for (int32_t trans = TDLS_NO_TRANS; trans <= TDLS_CONJ_TRANS; ++trans) {
        struct batch *solved = batch_copy(batch);
        run_and_compare(GETRS, handle, trans, solved);
        batch_free(solved);
    }
    struct batch *only_x = batch_copy(whole);
    only_x->keep = 0;
    run_and_compare(GESV, handle, TDLS_NO_TRANS, only_x);
    run_and_compare(GESV, handle, TDLS_NO_TRANS, whole);
    batch_free(only_x);
    batch_free(whole);
    batch_free(batch);
}

static void check_order(struct shape base, int32_t n, int rounds, uint64_t *state)
{
    for (int round = 0; round < rounds; ++round) {
        const struct shape shape = random_shape(base, n, state);
        tdls_handle_t handle = open_handle_for(&shape);
        set_randomly(handle, state);
        struct batch *batch = batch_create(shape);
        for (int64_t s = 0; n > 0 && s < shape.batch; ++s)
            fill_system(batch, s, pick(state, 0, 1) ? RANDOM : pick(state, 0, KINDS - 1), state);
        check_batch(handle, batch);
        tdls_destroy(handle);
    }
}

/* Integers from -2 to 2: magnitudes tie in nearly every column, and rows that were exchanged before
 * decide which of them comes first. Orders on both sides of where the kernels change, and batches
 * with every remainder of two vectors of the widest set, in one thread, so that the vectors are as
 * full as they can be; interleaved ones in blocks of a vector, or not. */
static void ties_and_remainders(void **argument)
{
    static const int32_t orders[] = {1,  2,  3,  4,  5,  6,  7,  8,  9, 12,
                                     15, 16, 17, 23, 40, 41, 64, 65, 75};
    const struct combination *c = *argument;
    uint64_t state = seed;
    const size_t step = few() < 2 ? 1 : 4; /* where each takes long */
    for (size_t o = (size_t)c->parameter % step; o < COUNT_OF(orders); o += step)
        for (int32_t count = 1; count <= 33; count += few() > 0 ? 11 : orders[o] < 20 ? 1 : 6) {
            static const int32_t widths[] = {1, 2, 4, 8, 16, 32, 64};
            struct shape shape = c->shape;
            shape.n = orders[o];
            shape.nrhs = 1 + count % 2;
            shape.batch = count;
            shape.width = widths[pick(&state, 0, COUNT_OF(widths) - 1)];
            tdls_handle_t handle = open_handle_for(&shape);
            assert_int_equal(tdls_set_num_threads(handle, 1), 0);
            struct batch *batch = batch_create(shape);
            for (int64_t s = 0; s < count; ++s)
                fill_system(batch, s, pick(&state, 0, 7) ? TIES : ZERO_COLUMN, &state);
            check_batch(handle, batch);
            tdls_destroy(handle);
        }
}

static void orders_to_40(void **argument)
{
    const struct combination *c = *argument;
    uint64_t state = seed;
    const int32_t step = few() < 2 ? 1 : 4;
    for (int32_t n = c->parameter % step; n <= 40; n += step)
        check_order(c->shape, n, n <= 20 && few() == 0 ? 6 : 1, &state);
}

/* Each combination takes other orders, so that together they do every one. */
static void orders_41_to_131(void **argument)
{
    const struct combination *c = *argument;
    uint64_t state = seed;
    for (int32_t n = 41 + c->parameter; n <= 131; n += (few() < 2 ? 1 : 4) * COMBINATIONS)
        check_order(c->shape, n, 1, &state);
}

/* More systems than 16 bits count, as grids of more than one dimension of a device would. */
static void a_large_batch(void **argument)
{
    const struct combination *c = *argument;
    uint64_t state = seed;
    struct shape shape = c->shape;
    shape.n = 2;
    shape.nrhs = 1;
    shape.batch = 66001;
    shape.width = 1000;
    tdls_handle_t handle = open_handle_for(&shape);
    struct batch *batch = batch_create(shape);
    fill_random(batch, &state);
    run_and_compare(GESV, handle, TDLS_NO_TRANS, batch);
    batch_free(batch);
    tdls_destroy(handle);
}

int main(void)
{
    struct combination combinations[4 * COMBINATIONS];
    struct CMUnitTest tests[4 * COMBINATIONS];
    size_t count = add_combinations(tests, 0, combinations, "orders 0 to 40", 0, orders_to_40);
    count = add_combinations(tests, count, combinations, "orders 41 to 131", 0, orders_41_to_131);
    count =
        add_combinations(tests, count, combinations, "ties and remainders", 0, ties_and_remainders);
    if (few() == 0)
        count = add_combinations(tests, count, combinations, "a large batch", 0, a_large_batch);
    for (size_t i = 0; i < count; ++i)
        combinations[i].parameter = (int32_t)(i % COMBINATIONS);
    return run_program("bits", tests, count);
}
