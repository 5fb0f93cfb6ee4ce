/* SPDX-License-Identifier: BSD-3-Clause */
/* With traps for invalid operations and divisions by zero, as codes under -ffpe-trap have them, no
 * sound batch raises one, whatever the order, the remainder of the batch, the storage, or the
 * routine; nor in the threads of a team, which have their parent's traps. */
#define _GNU_SOURCE
#include "support.h"

#include <fenv.h>
#include <math.h>
#include <pthread.h>

static const int32_t all_trans[] = {TDLS_NO_TRANS, TDLS_TRANS, TDLS_CONJ_TRANS};

/* Each routine once on copies of a batch; the caller has set the traps. */
static void each_routine(tdls_handle_t handle, const struct batch *given)
{
    struct batch *only_x = batch_copy(given), *both = batch_copy(given), *apart = batch_copy(given);
    only_x->keep = 0;
    tdls_status_t status[6];
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_INVALID | FE_DIVBYZERO);
    status[0] = call(GESV, handle, TDLS_NO_TRANS, only_x);
    status[1] = call(GESV, handle, TDLS_NO_TRANS, both);
    status[2] = call(GETRF, handle, TDLS_NO_TRANS, apart);
    for (size_t t = 0; t < COUNT_OF(all_trans); ++t)
        status[3 + t] = call(GETRS, handle, all_trans[t], apart);
    fedisableexcept(FE_ALL_EXCEPT);
    assert_int_equal(fetestexcept(FE_INVALID | FE_DIVBYZERO), 0);
    for (size_t i = 0; i < COUNT_OF(status); ++i)
        assert_int_equal(status[i], TDLS_SUCCESS);
    for (int64_t s = 0; s < given->shape.batch; ++s)
        assert_int_equal(apart->info[s], 0); /* or the batch is not sound */
    batch_free(only_x);
    batch_free(both);
    batch_free(apart);
}

/* Vectors of lanes have 16 at most, above order 16 half as many. */
static int64_t remainders(int32_t n)
{
    return n <= 16 ? 17 : n <= 48 ? 9 : 5;
}

static void every_order_and_remainder(void **argument)
{
    const struct combination *c = *argument;
    static const int32_t sides[] = {0, 1, 3};
    static const int64_t widths[] = {5, 1, 8, 100};
    only_on_the_cpu();
    uint64_t state = seed;
    for (int32_t n = 1; n <= 70; ++n)
        for (int64_t count = 1; count <= remainders(n); ++count)
            for (size_t r = 0; r < COUNT_OF(sides); ++r) {
                /* Each number of sides with each remainder at some order near by. */
                if (n > 16 && r != (size_t)(n + count) % 3)
                    continue;
                struct shape shape = c->shape;
                shape.n = n;
                shape.nrhs = sides[r];
                shape.batch = count;
                shape.width = widths[(size_t)(n + count) % COUNT_OF(widths)];
                struct batch *batch = batch_create(shape);
                fill_random(batch, &state);
                tdls_handle_t handle = open_handle_for(&shape);
                assert_int_equal(tdls_set_num_threads(handle, 1), TDLS_SUCCESS);
                each_routine(handle, batch);
                batch_free(batch);
                tdls_destroy(handle);
            }
}

/* Magnitudes near both ends: no flag that the plain loop would not raise. */
static void no_flag_of_its_own(void **argument)
{
    const struct combination *c = *argument;
    const int wanted = FE_INVALID | FE_DIVBYZERO;
    uint64_t state = seed;
    int64_t with = 0, without = 0;
    for (int32_t n = 1; n <= 42; n += n < 10 ? 1 : 8)
        for (int64_t count = 1; count <= 17; count += 2)
            for (int scale = -2; scale <= 2; ++scale) {
                struct shape shape = c->shape;
                shape.n = n;
                shape.nrhs = 2;
                shape.batch = count;
                shape.width = 6;
                struct batch *got = batch_create(shape);
                fill_random(got, &state);
                const double size = scale < 0 ? shape.type->smallest_normal : shape.type->largest;
                const double factor = scale == 0 ? 1 : abs(scale) == 1 ? sqrt(size) : size / 2;
                for (int32_t i = 0; i < n; ++i)
                    for (int32_t j = 0; j < n; ++j) {
                        /* One system of the batch; the others share its vectors. */
                        const double e = a_get(got, count / 2, i, j);
                        a_set(got, count / 2, i, j, scale < 0 && e != 0 ? factor / e : factor * e);
                    }
                struct batch *expected = batch_copy(got);
                tdls_handle_t handle = open_handle_for(&shape);
                assert_int_equal(tdls_set_num_threads(handle, 1), TDLS_SUCCESS);
                feclearexcept(FE_ALL_EXCEPT);
                expect(GESV, handle, TDLS_NO_TRANS, expected);
                const int plain = fetestexcept(wanted);
                feclearexcept(FE_ALL_EXCEPT);
                assert_int_equal(call(GESV, handle, TDLS_NO_TRANS, got), TDLS_SUCCESS);
                const int flags = fetestexcept(wanted);
                assert_same(got, expected);
                int singular = 0;
                for (int64_t s = 0; s < count; ++s)
                    singular |= got->info[s] != 0;
                if (!singular)
                    assert_int_equal(flags & ~plain, 0);
                with += plain != 0;
                without += plain == 0 && !singular;
                batch_free(got);
                batch_free(expected);
                tdls_destroy(handle);
            }
    assert_true(with > 0 && without > 0); /* or nothing has been compared */
}

static void *in_a_team(void *argument)
{
    const struct combination *c = argument;
    uint64_t state = seed;
    for (int32_t n = 1; n <= 50; n += 7) {
        struct shape shape = c->shape;
        shape.n = n;
        shape.nrhs = 2;
        shape.batch = 53;
        shape.width = 5;
        struct batch *batch = batch_create(shape);
        fill_random(batch, &state);
        tdls_handle_t handle;
        if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
            return argument;
        tdls_set_layout(handle, shape.layout);
        tdls_set_num_threads(handle, 3);
        feenableexcept(FE_INVALID | FE_DIVBYZERO);
        const tdls_status_t status = call(GESV, handle, TDLS_NO_TRANS, batch);
        fedisableexcept(FE_ALL_EXCEPT);
        tdls_destroy(handle);
        batch_free(batch);
        if (status != TDLS_SUCCESS)
            return argument;
    }
    return NULL;
}

/* A new thread has a new team, whose threads begin with its traps. */
static void threads_of_a_team(void **argument)
{
    pthread_t thread;
    void *wrong = NULL;
    assert_int_equal(pthread_create(&thread, NULL, in_a_team, *argument), 0);
    assert_int_equal(pthread_join(thread, &wrong), 0);
    assert_null(wrong);
}

int main(void)
{
    static struct combination combinations[3 * COMBINATIONS];
    static struct CMUnitTest tests[3 * COMBINATIONS];
    size_t count =
        add_combinations(tests, 0, combinations, "no traps", 0, every_order_and_remainder);
    count =
        add_combinations(tests, count, combinations, "no flag of its own", 0, no_flag_of_its_own);
    count =
        add_combinations(tests, count, combinations, "no traps in a team", 0, threads_of_a_team);
    return run_program("traps", tests, count);
}
