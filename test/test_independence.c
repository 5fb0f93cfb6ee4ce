/* SPDX-License-Identifier: BSD-3-Clause */
/* A result depends on the system alone: not on the batch around it, its position, the number of
 * threads, a caller's parallel region, other handles, or settings that are a matter of speed. */
#include "support.h"

#include <dirent.h>
#include <omp.h>

static const int32_t orders[] = {1, 3, 4, 7, 8, 12, 16, 17, 24, 31, 32, 40, 65};

/* Of these every, every second, or every fourth. */
static size_t step(void)
{
    return (size_t)1 << few();
}

/* System s is the random system s modulo 5, whatever the batch. */
static struct batch *repeating_batch(struct shape shape, int32_t n, int64_t count, uint64_t *state)
{
    shape.n = n;
    shape.nrhs = 2;
    shape.batch = count;
    shape.width = 6;
    struct batch *batch = batch_create(shape);
    shape.batch = 5;
    struct batch *five = batch_create(shape);
    fill_random(five, state);
    for (int64_t s = 0; s < count; ++s)
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < n; ++j)
                a_set(batch, s, i, j, a_get(five, s % 5, i, j));
            for (int32_t r = 0; r < 2; ++r)
                b_set(batch, s, i, r, b_get(five, s % 5, i, r));
        }
    batch_free(five);
    return batch;
}

static void same_system(const struct batch *one, int64_t s, const struct batch *other, int64_t q)
{
    for (int32_t i = 0; i < one->shape.n; ++i) {
        for (int32_t j = 0; j < one->shape.n; ++j)
            assert_true(a_get(one, s, i, j) == a_get(other, q, i, j));
        for (int32_t r = 0; r < one->shape.nrhs; ++r)
            assert_true(b_get(one, s, i, r) == b_get(other, q, i, r));
        assert_int_equal(one->piv[p_index(one, s, i)], other->piv[p_index(other, q, i)]);
    }
    assert_int_equal(one->info[s], other->info[q]);
}

static void of_position_and_batch_size(void **argument)
{
    const struct combination *c = *argument;
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        tdls_handle_t handle = open_handle_for(&c->shape);
        struct batch *first = NULL;
        static const int64_t counts[] = {5, 6, 8, 9, 15, 31, 40, 67};
        for (size_t k = 0; k < COUNT_OF(counts); k += few() < 2 ? 1 : 3) {
            uint64_t state = seed + o;
            if (few() == 2 && counts[k] > 15)
                break;
            struct batch *batch = repeating_batch(c->shape, orders[o], counts[k], &state);
            assert_int_equal(call(GESV, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
            for (int64_t s = 5; s < counts[k]; ++s)
                same_system(batch, s, batch, s % 5);
            if (first == NULL)
                first = batch_copy(batch);
            for (int64_t s = 0; s < 5; ++s)
                same_system(batch, s, first, s);
            batch_free(batch);
        }
        batch_free(first);
        tdls_destroy(handle);
    }
}

static void of_threads_and_speed_settings(void **argument)
{
    const struct combination *c = *argument;
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        uint64_t state = seed;
        struct batch *given = repeating_batch(c->shape, orders[o], few() < 2 ? 41 : 9, &state);
        struct batch *first = NULL;
        for (int way = 0; way < 8; ++way) {
            tdls_handle_t handle = open_handle_for(&given->shape);
            assert_int_equal(tdls_set_num_threads(handle, way % 5), TDLS_SUCCESS);
            assert_int_equal(tdls_set_rows_per_thread(handle, way), TDLS_SUCCESS);
            assert_int_equal(tdls_set_row_interchange(handle, way % 3), TDLS_SUCCESS);
            struct batch *solved = batch_copy(given);
            assert_int_equal(call(GESV, handle, TDLS_NO_TRANS, solved), TDLS_SUCCESS);
            if (first == NULL)
                first = batch_copy(solved);
            assert_same(solved, first);
            batch_free(solved);
            tdls_destroy(handle);
        }
        batch_free(first);
        batch_free(given);
    }
}

static int threads_of_this_process(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = 0;
    if (tasks == NULL)
        return 0;
    while (readdir(tasks) != NULL)
        ++count;
    closedir(tasks);
    return count;
}

/* Calls inside a parallel region, one handle per thread, all at the same time. */
static void of_a_callers_parallel_region(void **argument)
{
    const struct combination *c = *argument;
    enum { THREADS = 4 };
    for (size_t o = 0; o < COUNT_OF(orders); o += step()) {
        uint64_t state = seed;
        const int64_t count = few() < 2 ? 23 : 7;
        struct batch *expected = repeating_batch(c->shape, orders[o], count, &state);
        struct batch *solved[THREADS];
        tdls_handle_t handles[THREADS];
        tdls_status_t status[THREADS];
        for (int i = 0; i < THREADS; ++i) {
            solved[i] = batch_copy(expected);
            solved[i]->keep = i % 2;
            handles[i] = open_handle_for(&expected->shape);
            assert_int_equal(tdls_set_num_threads(handles[i], 3), TDLS_SUCCESS);
        }
        int in_parallel = 0, before = 0, after = 0;
        omp_set_max_active_levels(3); /* a nested team would be possible */
#pragma omp parallel num_threads(THREADS)
        {
            const int i = omp_get_thread_num();
#pragma omp barrier
#pragma omp single
            before = threads_of_this_process();
            status[i] = call(GESV, handles[i], TDLS_NO_TRANS, solved[i]);
#pragma omp atomic
            in_parallel += omp_in_parallel();
#pragma omp barrier
#pragma omp single
            after = threads_of_this_process();
        }
        omp_set_max_active_levels(1);
        assert_true(after <= before); /* threads of earlier teams may have ended */
        assert_int_equal(in_parallel, THREADS);
        assert_int_equal(call(GESV, handles[0], TDLS_NO_TRANS, expected), TDLS_SUCCESS);
        for (int i = 0; i < THREADS; ++i) {
            assert_int_equal(status[i], TDLS_SUCCESS);
            for (int64_t s = 0; s < count; ++s)
                for (int32_t k = 0; k < orders[o]; ++k)
                    assert_true(b_get(solved[i], s, k, 1) == b_get(expected, s, k, 1));
            batch_free(solved[i]);
            tdls_destroy(handles[i]);
        }
        batch_free(expected);
    }
}

/* Scratch of a handle grows and is used again, by batches of any order, thread count and type. */
static void of_what_the_handle_did_before(void **argument)
{
    const struct combination *c = *argument;
    static const int32_t mixed[] = {5, 80, 3, 131, 40, 1, 80, 16};
    tdls_handle_t old = open_handle_for(&c->shape);
    for (size_t o = 0; o < COUNT_OF(mixed); ++o) {
        uint64_t state = seed;
        struct batch *given = repeating_batch(c->shape, mixed[o], 7, &state);
        struct batch *by_old = batch_copy(given), *by_new = batch_copy(given);
        by_old->keep = by_new->keep = 0;
        tdls_handle_t new_one = open_handle_for(&c->shape);
        assert_int_equal(tdls_set_num_threads(old, (int32_t)o % 4 + 1), TDLS_SUCCESS);
        assert_int_equal(call(GESV, old, TDLS_NO_TRANS, by_old), TDLS_SUCCESS);
        assert_int_equal(call(GESV, new_one, TDLS_NO_TRANS, by_new), TDLS_SUCCESS);
        assert_same(by_old, by_new);
        tdls_destroy(new_one);
        batch_free(by_old);
        batch_free(by_new);
        batch_free(given);
    }
    tdls_destroy(old);
}

int main(void)
{
    static struct combination combinations[4 * COMBINATIONS];
    static struct CMUnitTest tests[4 * COMBINATIONS];
    size_t count = add_combinations(tests, 0, combinations, "position and batch size", 0,
                                    of_position_and_batch_size);
    count = add_combinations(tests, count, combinations, "threads and speed settings", 0,
                             of_threads_and_speed_settings);
    count = add_combinations(tests, count, combinations, "parallel region", 0,
                             of_a_callers_parallel_region);
    count = add_combinations(tests, count, combinations, "earlier calls", 0,
                             of_what_the_handle_did_before);
    return run_program("independence", tests, count);
}
