/* SPDX-License-Identifier: BSD-3-Clause */
#include "one_call.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

struct calls calls_so_far;

/* ---- Bytes ------------------------------------------------------------------------------------
 */

struct bytes {
    const uint8_t *next, *end;
};

/* The next byte, modulo `below`; 0 when there are no more. */
static int32_t take(struct bytes *bytes, int32_t below)
{
    return bytes->next < bytes->end ? *bytes->next++ % below : 0;
}

static uint64_t take_seed(struct bytes *bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i)
        value = value << 8 | (uint64_t)take(bytes, 256);
    return value | 1;
}

/* ---- What may be asked for --------------------------------------------------------------------
 */

enum { LARGEST_ORDER = 72, LARGEST_BATCH = 40 };

/* Orders at which kernels differ come often. */
static int32_t take_order(struct bytes *bytes)
{
    static const int32_t edges[] = {0,  1,  2,  3,  4,  5,  8,  15, 16,
                                    17, 24, 31, 32, 33, 40, 41, 48, 64};
    const int32_t way = take(bytes, 8);
    if (way == 0)
        return take(bytes, LARGEST_ORDER + 1);
    return way < 4 ? take(bytes, 12) : edges[take(bytes, COUNT_OF(edges))];
}

static struct shape take_shape(struct bytes *bytes)
{
    struct shape shape = {.type = &types[take(bytes, 2)]};
    shape.storage = (enum storage)take(bytes, STORAGES);
    shape.layout = take(bytes, 2) ? TDLS_ROW_MAJOR : TDLS_COL_MAJOR;
    shape.n = take_order(bytes);
    shape.nrhs = take(bytes, 6);
    shape.batch = take(bytes, shape.n > 32 ? 10 : LARGEST_BATCH);
    const int32_t least_ldb = shape.layout == TDLS_ROW_MAJOR ? shape.nrhs : shape.n;
    shape.lda = (shape.n > 1 ? shape.n : 1) + take(bytes, 4) % 3;
    shape.ldb = (least_ldb > 1 ? least_ldb : 1) + take(bytes, 4) % 3;
    const int64_t lines = shape.layout == TDLS_ROW_MAJOR ? shape.n : shape.nrhs;
    shape.stride_a = (int64_t)shape.lda * shape.n + take(bytes, 5);
    shape.stride_b = shape.ldb * lines + take(bytes, 5);
    shape.stride_p = shape.n + take(bytes, 3);
    shape.width = 1 + take(bytes, 50);
    return shape;
}

/* An integer as a careless program passes it. */
static int32_t take_nonsense(struct bytes *bytes)
{
    static const int32_t values[] = {-1, INT32_MIN, 0, 1, -2, -1000, 2};
    return values[take(bytes, COUNT_OF(values))];
}

/* Spoils one of the arguments. */
static void spoil(struct bytes *bytes, struct batch *batch, int32_t *trans)
{
    struct shape *shape = &batch->shape;
    const int32_t value = take_nonsense(bytes);
    switch (take(bytes, 14)) {
    case 0:
        shape->n = value;
        break;
    case 1:
        shape->nrhs = value;
        break;
    case 2:
        shape->lda = value;
        break;
    case 3:
        shape->ldb = value;
        break;
    case 4:
        shape->stride_a = value;
        break;
    case 5:
        shape->stride_b = value;
        break;
    case 6:
        shape->stride_p = value;
        break;
    case 7:
        shape->width = value;
        break;
    case 8:
        shape->batch = value;
        break;
    case 9:
        batch->a_null = 1;
        break;
    case 10:
        batch->b_null = 1;
        break;
    case 11:
        batch->keep = 0;
        break;
    case 12:
        *trans = value;
        break;
    default:
        shape->stride_b = INT64_MIN;
        break;
    }
}

/* ---- What the header says of arguments --------------------------------------------------------
 */

struct checks {
    int argument; /* the last one looked at */
    tdls_status_t status;
};

static void next(struct checks *checks, int legal)
{
    ++checks->argument;
    if (!legal && checks->status == TDLS_SUCCESS)
        checks->status = -checks->argument;
}

/* The status of a call by the words of the header alone. */
static tdls_status_t first_illegal(enum routine routine, int32_t trans, const struct batch *batch)
{
    const struct shape *s = &batch->shape;
    struct checks checks = {1, TDLS_SUCCESS};
    const int row_major = s->layout == TDLS_ROW_MAJOR, strided = s->storage == STRIDED;
    const int used = s->n > 0 && s->batch > 0, many = used && s->batch > 1;
    const int solves = routine != GETRF && s->nrhs > 0;
    const int keeps = batch->keep || routine == GETRF;
    const int a_written = routine == GETRF || (routine == GESV && keeps);
    if (routine == GETRS)
        next(&checks, trans >= 111 && trans <= 113);
    next(&checks, s->n >= 0);
    if (routine != GETRF)
        next(&checks, s->nrhs >= 0);
    next(&checks, !(batch->a_null && used && (routine != GETRS || solves)));
    next(&checks, s->lda >= 1 && s->lda >= s->n);
    if (strided && a_written)
        next(&checks,
             !used || (s->stride_a >= 0 && (!many || s->stride_a >= (int64_t)s->lda * s->n)));
    else if (strided)
        next(&checks, s->stride_a >= 0);
    const int piv_used = routine == GETRF || (routine == GETRS && solves);
    next(&checks, !(!batch->keep && used && piv_used));
    if (s->storage != INTERLEAVED) {
        if (routine == GESV && !batch->keep)
            next(&checks, 1);
        else if (routine == GETRS)
            next(&checks, s->stride_p >= 0);
        else
            next(&checks, !used || (s->stride_p >= 0 && (!many || s->stride_p >= s->n)));
    }
    if (routine != GETRF) {
        const int32_t rows = row_major ? s->nrhs : s->n;
        const int64_t lines = row_major ? s->n : s->nrhs;
        next(&checks, !(batch->b_null && used && solves));
        next(&checks, s->ldb >= 1 && s->ldb >= rows);
        if (strided && solves)
            next(&checks, !used || (s->stride_b >= 0 && (!many || s->stride_b >= s->ldb * lines)));
        else if (strided)
            next(&checks, s->stride_b >= 0);
    }
    if (routine != GETRS)
        next(&checks, 1);
    if (s->storage == INTERLEAVED)
        next(&checks, s->width >= 1);
    next(&checks, s->batch >= 0);
    return checks.status;
}

/* ---- Numbers ----------------------------------------------------------------------------------
 */

static double special(const struct type *type, int32_t which)
{
    const double tiny = type->smallest_normal * type->epsilon * 2; /* the least subnormal number */
    const double values[] = {0,
                             -0.0,
                             1,
                             -1,
                             NAN,
                             INFINITY,
                             -INFINITY,
                             tiny,
                             -3 * tiny,
                             type->smallest_normal,
                             type->smallest_normal / 2,
                             type->largest,
                             -type->largest,
                             sqrt(type->smallest_normal),
                             sqrt(type->largest),
                             1 + 2 * type->epsilon};
    return values[(size_t)which % COUNT_OF(values)];
}

/* One number of a kind. */
static double number(const struct type *type, int32_t kind, uint64_t *state)
{
    const double u = uniform(state, -1, 1);
    switch (kind) {
    case 0:
        return u;
    case 1: /* full of ties */
        return floor(u * 3);
    case 2: /* hardly more than zeros */
        return u > 0.6 ? 1 : 0;
    case 3: /* of any magnitude */
        return ldexp(
            u, (int)uniform(state, type->size == 4 ? -140 : -1060, type->size == 4 ? 126 : 1020));
    case 4:
        return uniform(state, 0, 1) < 0.1 ? special(type, (int32_t)uniform(state, 0, 16)) : u;
    case 5:
        return special(type, (int32_t)uniform(state, 0, 16));
    default: /* near the least number that may be a pivot */
        return u * 4 * type->smallest_normal;
    }
}

static void fill(struct bytes *bytes, struct batch *batch)
{
    const struct shape *shape = &batch->shape;
    uint64_t state = take_seed(bytes);
    const int32_t common = take(bytes, 16);
    for (int64_t s = 0; s < shape->batch; ++s) {
        /* Sound systems and others side by side, or all of one kind. */
        const int32_t kind = common < 7 ? common : (int32_t)uniform(&state, 0, 7);
        for (int32_t j = 0; j < shape->n; ++j)
            for (int32_t i = 0; i < shape->n; ++i)
                s_set(batch, s, i, j, number(shape->type, kind, &state));
        for (int32_t i = 0; i < shape->n; ++i)
            for (int32_t c = 0; c < shape->nrhs; ++c)
                b_set(batch, s, i, c,
                      number(shape->type, kind == 4 || kind == 5 ? kind : 0, &state));
        const int32_t loss = common < 7 ? take(bytes, 8) : (int32_t)uniform(&state, 0, 8);
        const int32_t from = shape->n > 0 ? (int32_t)uniform(&state, 0, shape->n) : 0;
        for (int32_t i = 0; i < shape->n && loss == 1; ++i) /* two columns alike */
            s_set(batch, s, i, shape->n - 1, s_get(batch, s, i, from));
        for (int32_t i = 0; i < shape->n && loss == 2; ++i) /* a row of zeros */
            s_set(batch, s, from, i, 0);
    }
    /* What is left of the bytes are entries of their own. */
    while (bytes->next < bytes->end && shape->n > 0 && shape->batch > 0) {
        const int32_t s = take(bytes, (int32_t)shape->batch), i = take(bytes, shape->n);
        const int32_t j = take(bytes, shape->n), which = take(bytes, 256);
        s_set(batch, s, i, j, which < 16 ? special(shape->type, which) : which - 128);
    }
}

/* Swaps for getrs: those of a factorization, or any within 1..n. */
static void fill_factors(struct bytes *bytes, tdls_handle_t handle, struct batch *batch)
{
    if (take(bytes, 4) != 0) {
        expect(GETRF, handle, TDLS_NO_TRANS, batch);
        for (int64_t s = 0; s < batch->shape.batch; ++s)
            batch->info[s] = -77; /* getrs has none */
        return;
    }
    uint64_t state = take_seed(bytes);
    for (int64_t s = 0; s < batch->shape.batch; ++s)
        for (int32_t k = 0; k < batch->shape.n; ++k)
            batch->piv[p_index(batch, s, k)] = 1 + (int32_t)uniform(&state, 0, batch->shape.n);
}

static int all_finite(const struct batch *batch)
{
    const struct type *type = batch->shape.type;
    for (size_t e = 0; e < batch->a_count; ++e)
        if (!isfinite(type->get(batch->a, e)))
            return 0;
    for (size_t e = 0; e < batch->b_count; ++e)
        if (!isfinite(type->get(batch->b, e)))
            return 0;
    return 1;
}

/* ---- The call ---------------------------------------------------------------------------------
 */

enum { HANDLES = 4 };
static tdls_handle_t handles[HANDLES];

void forget_handles(void)
{
    for (int i = 0; i < HANDLES; ++i) {
        tdls_destroy(handles[i]);
        handles[i] = NULL;
    }
}

/* A handle of an earlier call, with new settings; illegal ones must be refused and change nothing.
 */
static tdls_handle_t take_handle(struct bytes *bytes, const struct shape *shape, int32_t *threads)
{
    static const double settings[] = {1, 0.1, 0.5, 1e-3, 0, -1, 2, NAN, INFINITY, 1e-300, 5e-324};
    tdls_handle_t *handle = &handles[take(bytes, HANDLES)];
    if (take(bytes, 16) == 0) {
        tdls_destroy(*handle);
        *handle = NULL;
    }
    if (*handle == NULL)
        *handle = open_handle();
    const double t = settings[take(bytes, COUNT_OF(settings))];
    const double f = settings[take(bytes, COUNT_OF(settings))];
    double kept;
    assert_int_equal(tdls_set_pivot_threshold(*handle, 1), TDLS_SUCCESS);
    assert_int_equal(tdls_set_pivot_threshold(*handle, t), t > 0 && t <= 1 ? TDLS_SUCCESS : -2);
    assert_int_equal(tdls_get_pivot_threshold(*handle, &kept), TDLS_SUCCESS);
    assert_true(kept == (t > 0 && t <= 1 ? t : 1));
    assert_int_equal(tdls_set_singular_floor(*handle, 0), TDLS_SUCCESS);
    if (take(bytes, 4) == 0)
        assert_int_equal(tdls_set_singular_floor(*handle, f),
                         f >= 0 && isfinite(f) ? TDLS_SUCCESS : -2);
    const int32_t rows = take(bytes, 256) - 20, interchange = take(bytes, 5) - 1;
    assert_int_equal(tdls_set_rows_per_thread(*handle, rows), rows >= 0 ? TDLS_SUCCESS : -2);
    assert_int_equal(tdls_set_row_interchange(*handle, interchange),
                     interchange >= 0 && interchange <= 2 ? TDLS_SUCCESS : -2);
    *threads = 1 + take(bytes, 8) % 3;
    assert_int_equal(tdls_set_num_threads(*handle, *threads), TDLS_SUCCESS);
    assert_int_equal(tdls_set_layout(*handle, shape->layout), TDLS_SUCCESS);
    return *handle;
}

/* The call is illegal, or has nothing to do but info. `sound` has memory for what is not spoilt. */
static void call_spoilt(enum routine routine, tdls_handle_t handle, int32_t trans,
                        const struct batch *sound, const struct batch *spoilt)
{
    struct batch *got = batch_copy(sound), *expected = batch_copy(sound);
    const tdls_status_t wanted = first_illegal(routine, trans, spoilt);
    got->shape = spoilt->shape;
    got->a_null = spoilt->a_null;
    got->b_null = spoilt->b_null;
    got->keep = spoilt->keep;
    const tdls_status_t status = call(routine, handle, trans, got);
    if (status != wanted)
        fail_msg("status %d (%s), not %d", status, tdls_last_error(handle), wanted);
    if (status == TDLS_SUCCESS && routine != GETRS && !got->info_null)
        for (int64_t s = 0; s < spoilt->shape.batch; ++s)
            expected->info[s] = 0;
    got->shape = sound->shape;
    assert_same(got, expected);
    calls_so_far.illegal += status != TDLS_SUCCESS;
    calls_so_far.legal += status == TDLS_SUCCESS;
    batch_free(got);
    batch_free(expected);
}

void one_call(const uint8_t *data, size_t count)
{
    struct bytes bytes = {data, data + count};
    enum routine routine = (enum routine)take(&bytes, ROUTINES);
    int32_t trans = TDLS_NO_TRANS + take(&bytes, 3), threads = 1;
    const int spoils = take(&bytes, 4) == 1;
    struct batch *given = batch_create(take_shape(&bytes));
    const struct shape *shape = &given->shape;
    tdls_handle_t handle = take_handle(&bytes, shape, &threads);
    given->keep = routine != GESV || take(&bytes, 3) != 0;
    given->info_null = take(&bytes, 4) == 1;
    fill(&bytes, given);
    if (routine == GETRS)
        fill_factors(&bytes, handle, given);
    if (routine != GETRS)
        trans = TDLS_NO_TRANS;
    if (spoils) {
        struct batch *spoilt = batch_copy(given);
        spoil(&bytes, spoilt, &trans);
        const struct shape *s = &spoilt->shape;
        if (first_illegal(routine, trans, spoilt) != TDLS_SUCCESS || s->n == 0 || s->batch == 0)
            call_spoilt(routine, handle, trans, given, spoilt);
        batch_free(spoilt);
        batch_free(given);
        return;
    }
    /* One factorization for all: of operands that are only read. */
    if (shape->storage == STRIDED && (routine == GETRS || !given->keep) && take(&bytes, 3) == 1) {
        given->shape.stride_a = 0;
        if (routine == GETRS)
            given->shape.stride_p = 0;
    }
    struct batch *got = batch_copy(given), *expected = batch_copy(given);
    feclearexcept(FE_ALL_EXCEPT);
    expect(routine, handle, trans, expected);
    const int plain = fetestexcept(FE_INVALID | FE_DIVBYZERO);
    feclearexcept(FE_ALL_EXCEPT);
    const tdls_status_t status = call(routine, handle, trans, got);
    const int flags = fetestexcept(FE_INVALID | FE_DIVBYZERO);
    if (status != TDLS_SUCCESS)
        fail_msg("status %d (%s)", status, tdls_last_error(handle));
    int singular = 0;
    for (int64_t s = 0; s < shape->batch && routine != GETRS; ++s) {
        singular |= expected->info[s] != 0;
        if (given->info_null)
            expected->info[s] = given->info[s];
    }
    assert_same(got, expected);
    if (threads == 1 && !singular && routine != GETRS && (flags & ~plain) != 0 && all_finite(given))
        fail_msg("a floating-point flag of its own: %#x", (unsigned)(flags & ~plain));
    calls_so_far.legal += 1;
    calls_so_far.singular += singular;
    batch_free(got);
    batch_free(expected);
    batch_free(given);
}
