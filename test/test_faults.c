/* SPDX-License-Identifier: BSD-3-Clause */
/* Each allocation that libtdls makes fails in turn: the call says so, nothing has been touched,
 * nothing leaks, and the handle goes on. This program stands in for the C library's allocator. */
#define _GNU_SOURCE
#include "support.h"

#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

/* glibc's own functions, below the names that this program takes over. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *memory);

/* Counts and failures are of calls between arm() and disarm(), by the thread that made them. */
static _Thread_local int armed;
static _Thread_local int64_t until_failure; /* allocations that still succeed; -1: all of them */
static _Thread_local int64_t failed, living;

/* An OpenMP runtime ends the program when it, or the C library on its behalf, has no memory for a
 * thread: both are spared. But modules are loaded by the C library's loader. */
static int loads_a_module;

static int of_the_runtime(const void *caller)
{
    Dl_info where;
    if (dladdr(caller, &where) == 0 || where.dli_fname == NULL)
        return 0;
    return strstr(where.dli_fname, "omp") != NULL ||
           (!loads_a_module && (strstr(where.dli_fname, "/libc.so") != NULL ||
                                strstr(where.dli_fname, "/ld-") != NULL));
}

/* Whether this allocation is to fail. */
static int fails(const void *caller)
{
    if (!armed)
        return 0;
    armed = 0; /* dladdr may allocate */
    const int spared = of_the_runtime(caller);
    armed = 1;
    if (spared)
        return 0;
    if (until_failure == 0) {
        ++failed;
        return 1;
    }
    until_failure -= until_failure > 0;
    ++living;
    return 0;
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    if (fails(__builtin_return_address(0)))
        return ENOMEM;
    *memory = __libc_memalign(alignment, bytes);
    return *memory != NULL ? 0 : ENOMEM;
}

void free(void *memory)
{
    const void *caller = __builtin_return_address(0);
    if (armed && memory != NULL) {
        armed = 0;
        living -= !of_the_runtime(caller);
        armed = 1;
    }
    __libc_free(memory);
}

static void arm(int64_t allocations)
{
    until_failure = allocations;
    failed = 0;
    armed = 1;
}

static void disarm(void)
{
    armed = 0;
}

/* Every allocation of tdls_create, of a first call and of a larger one fails in turn. */
static void a_handles_life(void **argument)
{
    const struct combination *c = *argument;
    const enum routine routine = (enum routine)c->parameter;
    static const int32_t orders[] = {3, 24, 70};
    for (int threads = 1; threads <= 3; ++threads)
        for (size_t o = 0; o < COUNT_OF(orders); ++o)
            for (int keep = routine != GESV; keep <= 1; ++keep) {
                struct shape shape = c->shape;
                shape.n = orders[o];
                shape.nrhs = 2;
                shape.batch = shape.n > 40 ? 5 : 21;
                shape.width = 4;
                struct batch *given = batch_create(shape);
                uint64_t state = seed;
                fill_random(given, &state);
                given->keep = 1;
                living = 0;
                tdls_handle_t handle = NULL;
                tdls_status_t status;
                int64_t before = 0;
                do {
                    handle = (tdls_handle_t)(void *)&handle;
                    arm(before++);
                    status = tdls_create(TDLS_BACKEND_CPU, 0, &handle);
                    disarm();
                    if (status != TDLS_SUCCESS) {
                        assert_int_equal(status, TDLS_ERR_ALLOC);
                        assert_null(handle);
                        assert_true(failed > 0); /* C++'s own exception inside is another */
                        assert_int_equal(living, 0);
                        assert_non_null(strstr(tdls_last_error(NULL), "memory"));
                    }
                } while (status != TDLS_SUCCESS);
                assert_int_equal(failed, 0);
                assert_true(before > 1); /* a handle is an allocation at least */
                assert_int_equal(tdls_set_layout(handle, given->shape.layout), TDLS_SUCCESS);
                assert_int_equal(tdls_set_num_threads(handle, threads), TDLS_SUCCESS);
                if (routine == GETRS)
                    expect(GETRF, handle, TDLS_NO_TRANS, given);
                given->keep = keep;
                struct batch *got = batch_copy(given), *expected = batch_copy(given);
                expect(routine, handle, TDLS_NO_TRANS, expected);
                before = 0;
                do {
                    arm(before++);
                    status = call(routine, handle, TDLS_NO_TRANS, got);
                    disarm();
                    if (status != TDLS_SUCCESS) {
                        assert_int_equal(status, TDLS_ERR_ALLOC);
                        assert_int_equal(failed, 1);
                        assert_same(got, given);
                        assert_non_null(strstr(tdls_last_error(handle), "memory"));
                    }
                } while (status != TDLS_SUCCESS);
                assert_int_equal(failed, 0);
                assert_same(got, expected);
                /* The scratch that is there now serves again, with nothing left to allocate. */
                struct batch *again = batch_copy(given);
                arm(0);
                status = call(routine, handle, TDLS_NO_TRANS, again);
                disarm();
                assert_int_equal(status, TDLS_SUCCESS);
                assert_same(again, expected);
                arm(0);
                assert_int_equal(tdls_destroy(handle), TDLS_SUCCESS);
                disarm();
                assert_int_equal(living, 0);
                batch_free(again);
                batch_free(got);
                batch_free(expected);
                batch_free(given);
            }
}

/* The order grows: the scratch of the call before is given back, and a failure keeps nothing of it
 * that a later call could take for enough. */
static void after_a_smaller_call(void **argument)
{
    const struct combination *c = *argument;
    struct shape shape = c->shape;
    shape.nrhs = 1;
    shape.batch = 5;
    living = 0;
    arm(-1);
    tdls_handle_t handle = open_handle_for(&shape);
    disarm();
    assert_int_equal(tdls_set_num_threads(handle, 1), TDLS_SUCCESS);
    static const struct {
        int32_t n;
        int fail;
    } calls[] = {{2, 1},   {2, 0},  {80, 1},  {2, 0},   {80, 0}, {131, 1}, {80, 0},
                 {131, 0}, {80, 1}, {200, 1}, {131, 0}, {2, 0},  {200, 0}, {131, 1}};
    int64_t failures = 0;
    for (size_t o = 0; o < COUNT_OF(calls); ++o) {
        shape.n = calls[o].n;
        struct batch *got = batch_create(shape);
        uint64_t state = seed;
        fill_random(got, &state);
        got->keep = 0;
        struct batch *expected = batch_copy(got);
        arm(calls[o].fail ? 0 : -1);
        const tdls_status_t status = call(GESV, handle, TDLS_NO_TRANS, got);
        disarm();
        assert_int_equal(status, failed > 0 ? TDLS_ERR_ALLOC : TDLS_SUCCESS);
        failures += failed;
        if (status == TDLS_SUCCESS)
            expect(GESV, handle, TDLS_NO_TRANS, expected);
        assert_same(got, expected);
        batch_free(got);
        batch_free(expected);
    }
    assert_true(failures >= 3); /* or this test has nothing to see */
    arm(-1);
    tdls_destroy(handle);
    disarm();
    assert_int_equal(living, 0);
}

static void device_memory(void **unused)
{
    (void)unused;
    tdls_handle_t handle = open_handle();
    char untouched;
    void *memory = &untouched;
    arm(0);
    assert_int_equal(tdls_malloc(handle, 1000, &memory), TDLS_ERR_ALLOC);
    disarm();
    assert_ptr_equal(memory, &untouched);
    assert_non_null(strstr(tdls_last_error(handle), "1000 bytes"));
    assert_int_equal(tdls_malloc(handle, INT64_MAX, &memory), TDLS_ERR_ALLOC);
    assert_ptr_equal(memory, &untouched);
    assert_int_equal(tdls_malloc(handle, 1000, &memory), TDLS_SUCCESS);
    memset(memory, 1, 1000);
    assert_int_equal(tdls_free(handle, memory), TDLS_SUCCESS);
    tdls_destroy(handle);
}

/* The loader of the system fails at each of its own allocations; that is an unavailable backend. */
static void loading_a_module(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/tdls_faults_XXXXXX", file[64], target[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/tdls_cuda.so", folder);
    snprintf(target, sizeof target, "%s/fake_good.so", TDLS_TEST_MODULES);
    assert_int_equal(symlink(target, file), 0);
    setenv("TDLS_MODULE_PATH", folder, 1);
    tdls_status_t status;
    int64_t before = 0;
    do {
        tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
        loads_a_module = 1;
        arm(before++);
        status = tdls_create(TDLS_BACKEND_CUDA, 0, &handle);
        disarm();
        loads_a_module = 0;
        assert_null(handle);
        if (status != TDLS_ERR_NO_DEVICE) { /* of the fake module, once it is there */
            assert_int_equal(status, TDLS_ERR_BACKEND_UNAVAILABLE);
            assert_non_null(strstr(tdls_last_error(NULL), file));
        }
    } while (status != TDLS_ERR_NO_DEVICE && before < 1000);
    assert_int_equal(status, TDLS_ERR_NO_DEVICE);
    unlink(file);
    rmdir(folder);
}

int main(void)
{
    static struct combination combinations[(ROUTINES + 1) * COMBINATIONS];
    static struct CMUnitTest tests[(ROUTINES + 1) * COMBINATIONS + 2];
    size_t count = 0;
    for (int routine = 0; routine < ROUTINES; ++routine)
        count = add_combinations(tests, count, combinations, routine_names[routine], routine,
                                 a_handles_life);
    count = add_combinations(tests, count, combinations, "growing orders", 0, after_a_smaller_call);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(device_memory);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(loading_a_module);
    return run_program("faults", tests, count);
}
