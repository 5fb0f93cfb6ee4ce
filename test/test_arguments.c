/* SPDX-License-Identifier: BSD-3-Clause */
/* Illegal arguments in every position, their order, quick returns with NULL, and that nothing is
 * touched when a call is refused. */
#include "support.h"

/* The arguments of a routine in one storage, each by what it is, in the order of the prototype. */
enum argument {
    HANDLE,
    TRANS,
    N,
    NRHS,
    A,
    LDA,
    STRIDE_A,
    IPIV,
    STRIDE_P,
    B,
    LDB,
    STRIDE_B,
    INFO,
    WIDTH,
    BATCH,
    ARGUMENTS
};

static int has(enum routine routine, enum storage storage, enum argument argument)
{
    switch (argument) {
    case TRANS:
        return routine == GETRS;
    case NRHS:
    case B:
    case LDB:
        return routine != GETRF;
    case STRIDE_A:
        return storage == STRIDED;
    case STRIDE_B:
        return storage == STRIDED && routine != GETRF;
    case STRIDE_P:
        return storage != INTERLEAVED;
    case INFO:
        return routine != GETRS;
    case WIDTH:
        return storage == INTERLEAVED;
    default:
        return 1;
    }
}

static int position(enum routine routine, enum storage storage, enum argument argument)
{
    int count = 0;
    for (int a = 0; a <= (int)argument; ++a)
        count += has(routine, storage, (enum argument)a);
    return count;
}

struct arguments {
    tdls_handle_t handle;
    int32_t trans;
    struct batch *batch; /* of which the shape and the pointers are the arguments */
};

static tdls_status_t call_with(enum routine routine, const struct arguments *given)
{
    return call(routine, given->handle, given->trans, given->batch);
}

/* Systems of order 4 with 2 right-hand sides, in which every argument is legal. */
static struct batch *legal_batch_of(struct shape shape, int64_t count)
{
    shape.n = 4;
    shape.nrhs = 2;
    shape.batch = count;
    struct batch *batch = batch_create(shape);
    uint64_t state = seed;
    fill_random(batch, &state);
    for (int64_t s = 0; s < count; ++s)
        for (int32_t k = 0; k < 4; ++k)
            batch->piv[p_index(batch, s, k)] = k + 1;
    return batch;
}

static struct batch *legal_batch(struct shape shape)
{
    return legal_batch_of(shape, 3);
}

/* Makes an argument illegal in its `way`-th way. Returns 0 if it has no such way. */
static int spoil(struct arguments *given, enum routine routine, enum argument argument, int way)
{
    struct shape *shape = &given->batch->shape;
    const int row_major = shape->layout == TDLS_ROW_MAJOR;
    switch (argument) {
    case HANDLE:
        given->handle = NULL;
        return way == 0;
    case TRANS:
        given->trans = way == 0 ? 110 : way == 1 ? 114 : 'N';
        return way <= 2;
    case N:
        shape->n = way == 0 ? -1 : INT32_MIN;
        return way <= 1;
    case NRHS:
        shape->nrhs = way == 0 ? -1 : INT32_MIN;
        return way <= 1;
    case A:
        given->batch->a_null = 1;
        return way == 0;
    case LDA:
        shape->lda = way == 0 ? 3 : way == 1 ? 0 : -4;
        return way <= 2;
    case STRIDE_A:
        shape->stride_a = way == 0 ? -1 : 4 * shape->lda - 1;
        return way == 0 || (way == 1 && routine != GETRS);
    case IPIV:
        if (routine == GESV)
            return 0; /* NULL is legal, and makes strideP and a short strideA legal as well */
        given->batch->keep = 0;
        return way == 0;
    case STRIDE_P:
        shape->stride_p = way == 0 ? -1 : 3;
        return way == 0 || (way == 1 && routine != GETRS);
    case B:
        given->batch->b_null = 1;
        return way == 0;
    case LDB:
        shape->ldb = way == 0 ? (row_major ? 1 : 3) : way == 1 ? 0 : -4;
        return way <= 2;
    case STRIDE_B:
        shape->stride_b = way == 0 ? -1 : shape->ldb * (row_major ? 4 : 2) - 1;
        return way <= 1;
    case WIDTH:
        shape->width = way == 0 ? 0 : -1;
        return way <= 1;
    case BATCH:
        shape->batch = way == 0 ? -1 : INT64_MIN;
        return way <= 1;
    default:
        return 0;
    }
}

static void each_position(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    const enum storage storage = c->shape.storage;
    tdls_handle_t handle = open_handle_for(&c->shape);
    for (int first = HANDLE; first < ARGUMENTS; ++first) {
        int ways = 0;
        for (int way = 0; has(routine, storage, (enum argument)first); ++way) {
            struct batch *batch = legal_batch(c->shape), *untouched = batch_copy(batch);
            struct arguments given = {handle, TDLS_NO_TRANS, batch};
            if (!spoil(&given, routine, (enum argument)first, way)) {
                batch_free(batch);
                batch_free(untouched);
                break;
            }
            ++ways;
            const int expected = -position(routine, storage, (enum argument)first);
            assert_int_equal(call_with(routine, &given), expected);
            if (first != HANDLE) {
                char text[32];
                snprintf(text, sizeof text, "argument %d is illegal: ", -expected);
                assert_memory_equal(tdls_last_error(handle), text, strlen(text));
            }
            /* With every later argument illegal as well the first one is still reported. (A
             * negative batch or n would turn off the checks of pointers and of written strides.) */
            for (int later = first + 1; later < ARGUMENTS; ++later)
                if (later != BATCH && later != N && has(routine, storage, (enum argument)later))
                    (void)spoil(&given, routine, (enum argument)later, 0);
            assert_int_equal(call_with(routine, &given), expected);
            batch->shape = untouched->shape;
            assert_same(batch, untouched);
            batch_free(batch);
            batch_free(untouched);
        }
        if (has(routine, storage, (enum argument)first) && first != INFO &&
            !(first == IPIV && routine == GESV))
            assert_true(ways > 0);
    }
    tdls_destroy(handle);
}

static void all_pointers_null(struct batch *batch)
{
    batch->a_null = batch->b_null = 1;
    batch->keep = 0;
}

/* n = 0, batch = 0 or both: no pointer is looked at, info is written if there. */
static void quick_returns(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    tdls_handle_t handle = open_handle_for(&c->shape);
    static const struct {
        int32_t n;
        int64_t batch;
    } cases[] = {{0, 3}, {4, 0}, {0, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int info_null = 0; info_null <= 1; ++info_null) {
            struct batch *batch = legal_batch(c->shape), *expected = batch_copy(batch);
            all_pointers_null(batch);
            batch->info_null = info_null;
            batch->shape.n = cases[i].n;
            batch->shape.batch = cases[i].batch;
            batch->shape.stride_a = batch->shape.stride_b = batch->shape.stride_p = 0;
            assert_int_equal(call(routine, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
            for (int64_t s = 0; s < cases[i].batch && routine != GETRS && !info_null; ++s)
                expected->info[s] = 0;
            batch->shape = expected->shape;
            assert_same(batch, expected);
            /* A negative batch is seen though every pointer is NULL. */
            batch->shape.batch = -1;
            batch->shape.stride_a = batch->shape.stride_b = batch->shape.stride_p = 0;
            assert_int_equal(call(routine, handle, TDLS_NO_TRANS, batch),
                             -position(routine, c->shape.storage, BATCH));
            batch_free(batch);
            batch_free(expected);
        }
    tdls_destroy(handle);
}

/* nrhs = 0: B may be NULL, gesv still factors, getrs does nothing. */
static void no_right_hand_sides(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    tdls_handle_t handle = open_handle_for(&c->shape);
    struct batch *batch = legal_batch(c->shape);
    batch->shape.nrhs = 0;
    batch->b_null = 1;
    batch->shape.stride_b = 0;
    struct batch *expected = batch_copy(batch);
    if (routine == GESV)
        expect(GESV, handle, TDLS_NO_TRANS, expected);
    assert_int_equal(call(routine, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
    assert_same(batch, expected);
    batch_free(batch);
    batch_free(expected);
    tdls_destroy(handle);
}

/* A single system needs no distance to the next: strides of 0 are legal. */
static void one_system(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    tdls_handle_t handle = open_handle_for(&c->shape);
    struct batch *batch = legal_batch_of(c->shape, 1);
    struct batch *expected = batch_copy(batch);
    expect(routine, handle, TDLS_NO_TRANS, expected);
    const struct shape shape = batch->shape;
    batch->shape.stride_a = batch->shape.stride_b = batch->shape.stride_p = 0;
    assert_int_equal(call(routine, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
    batch->shape = shape;
    assert_same(batch, expected);
    batch_free(batch);
    batch_free(expected);
    tdls_destroy(handle);
}

/* Operands that are only read may overlap: one factorization, or one matrix, for all. */
static void shared_operands(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    tdls_handle_t handle = open_handle_for(&c->shape);
    struct batch *batch = legal_batch(c->shape);
    if (routine == GETRS)
        assert_int_equal(call(GETRF, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
    batch->keep = routine == GETRS;
    /* every system is the one that lies first in memory */
    const int64_t first = c->shape.storage == POINTERS ? 2 : 0;
    struct batch *expected = batch_copy(batch);
    for (int64_t s = 0; s < 3; ++s) {
        batch->a_systems[s] = batch->a_systems[first];
        for (int32_t i = 0; i < 4; ++i) {
            expected->piv[p_index(expected, s, i)] = batch->piv[p_index(batch, 0, i)];
            for (int32_t j = 0; j < 4; ++j)
                s_set(expected, s, i, j, s_get(batch, first, i, j));
        }
    }
    if (routine == GETRS && c->shape.storage == POINTERS) {
        /* the swaps of that system, which is not the first, serve all by strideP = 0 */
        for (int32_t i = 0; i < 4; ++i)
            batch->piv[p_index(batch, 0, i)] = batch->piv[p_index(batch, first, i)];
        for (int64_t s = 0; s < 3; ++s)
            for (int32_t i = 0; i < 4; ++i)
                expected->piv[p_index(expected, s, i)] = batch->piv[p_index(batch, 0, i)];
    }
    const struct batch *before = batch_copy(batch);
    expect(routine, handle, TDLS_NO_TRANS, expected);
    batch->shape.stride_a = batch->shape.stride_p = 0;
    assert_int_equal(call(routine, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
    batch->shape = expected->shape;
    for (int64_t s = 0; s < 3; ++s)
        for (int32_t i = 0; i < 4; ++i)
            for (int32_t r = 0; r < 2; ++r)
                assert_true(b_get(batch, s, i, r) == b_get(expected, s, i, r));
    assert_memory_equal(batch->a, before->a, batch->a_count * batch->shape.type->size);
    batch_free(batch);
    batch_free(expected);
    batch_free((struct batch *)before);
    tdls_destroy(handle);
}

int main(void)
{
    static struct combination combinations[5 * ROUTINES * COMBINATIONS];
    static struct CMUnitTest tests[5 * ROUTINES * COMBINATIONS];
    static const struct {
        const char *name;
        CMUnitTestFunction function;
    } cases[] = {{"each position", each_position},
                 {"quick returns", quick_returns},
                 {"no right-hand sides", no_right_hand_sides},
                 {"one system", one_system},
                 {"shared operands", shared_operands}};
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
        for (int32_t routine = 0; routine < ROUTINES; ++routine) {
            char name[64];
            if (routine == GETRF &&
                (cases[i].function == no_right_hand_sides || cases[i].function == shared_operands))
                continue; /* it has no right-hand sides, and no operand that is only read */
            snprintf(name, sizeof name, "%s, %s", cases[i].name, routine_names[routine]);
            const size_t first = count;
            count = add_combinations(tests, count, combinations, name, routine, cases[i].function);
            if (cases[i].function != shared_operands)
                continue;
            /* interleaved systems cannot overlap */
            for (size_t c = count = first; c < first + COMBINATIONS; ++c)
                if (combinations[c].shape.storage != INTERLEAVED)
                    tests[count++] = tests[c];
            memset(tests + count, 0, (first + COMBINATIONS - count) * sizeof *tests);
        }
    return run_program("arguments", tests, count);
}
