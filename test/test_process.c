/* SPDX-License-Identifier: BSD-3-Clause */
/* What happens around calls in a process: handles on many threads, calls in parallel regions,
 * modules loaded by many threads at once, and fork(). Runs under ThreadSanitizer as well (./dev
 * test
 * --threads), where fork() with threads is not looked at. */
#define _GNU_SOURCE
#include "support.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#    define UNDER_TSAN 1
#elif defined(__has_feature)
#    if __has_feature(thread_sanitizer)
#        define UNDER_TSAN 1
#    endif
#endif
#ifndef UNDER_TSAN
#    define UNDER_TSAN 0
#endif

enum { THREADS = 16 };

/* Work for one thread: batches of all types and storages and what the plain loop makes of them. */
struct work {
    int id, wrong;
    int team; /* threads of each call */
    pthread_barrier_t *start;
    tdls_handle_t handle; /* to be used and destroyed; NULL: one is created */
};

static int differs(const void *one, const void *other, size_t bytes)
{
    return memcmp(one, other, bytes) != 0;
}

/* cmocka's assertions are for the thread of the test: these count. */
static int solve(tdls_handle_t handle, int id, int team)
{
    static const int32_t orders[] = {1, 5, 16, 23, 48};
    int wrong = 0;
    for (size_t o = 0; o < COUNT_OF(orders); ++o) {
        struct shape shape = {.type = &types[id % 2], .storage = (enum storage)(id % STORAGES)};
        shape.layout = id % 4 < 2 ? TDLS_COL_MAJOR : TDLS_ROW_MAJOR;
        shape.n = orders[o];
        shape.nrhs = 1 + id % 2;
        shape.batch = 19;
        shape.width = 4;
        struct batch *got = batch_create(shape);
        uint64_t state = seed + (uint64_t)id;
        fill_random(got, &state);
        struct batch *expected = batch_copy(got);
        wrong += tdls_set_layout(handle, shape.layout) != TDLS_SUCCESS;
        wrong += tdls_set_num_threads(handle, team) != TDLS_SUCCESS;
        wrong += call(GESV, handle, TDLS_NO_TRANS, got) != TDLS_SUCCESS;
        expect(GESV, handle, TDLS_NO_TRANS, expected);
        wrong += differs(got->a, expected->a, got->a_count * shape.type->size);
        wrong += differs(got->b, expected->b, got->b_count * shape.type->size);
        wrong += differs(got->piv, expected->piv, got->p_count * sizeof(int32_t));
        batch_free(got);
        batch_free(expected);
        /* Texts of failures are this handle's, and this thread's. */
        char wanted[32];
        snprintf(wanted, sizeof wanted, "is %d,", -id - 1);
        wrong += tdls_set_num_threads(handle, -id - 1) != -2;
        wrong += strstr(tdls_last_error(handle), wanted) == NULL;
        tdls_handle_t none = handle;
        snprintf(wanted, sizeof wanted, "device %d", id + 1);
        wrong += tdls_create(TDLS_BACKEND_CPU, id + 1, &none) != TDLS_ERR_NO_DEVICE;
        wrong += none != NULL || strstr(tdls_last_error(NULL), wanted) == NULL;
    }
    return wrong;
}

static void *create_use_destroy(void *argument)
{
    struct work *work = argument;
    if (work->start != NULL)
        pthread_barrier_wait(work->start);
    for (int i = 0; i < 2; ++i) {
        tdls_handle_t handle = work->handle;
        if (handle == NULL && tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
            ++work->wrong;
            return NULL;
        }
        work->wrong += solve(handle, work->id, work->team);
        work->wrong += tdls_destroy(handle) != TDLS_SUCCESS;
        work->handle = NULL;
    }
    return NULL;
}

static void on_threads(int team)
{
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    struct work work[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; ++i) {
        work[i] = (struct work){.id = i, .team = team, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, create_use_destroy, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(work[i].wrong, 0);
    }
    pthread_barrier_destroy(&start);
}

static void handles_of_many_threads(void **unused)
{
    (void)unused;
    on_threads(1);
}

static void handles_of_many_threads_with_teams(void **unused)
{
    (void)unused;
    on_threads(2);
}

/* One call at a time, but from thread to thread. */
static void a_handle_handed_on(void **unused)
{
    (void)unused;
    tdls_handle_t handle = open_handle();
    assert_int_equal(solve(handle, 3, 2), 0);
    struct work work = {.id = 4, .team = 2, .handle = handle};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, create_use_destroy, &work), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(work.wrong, 0);
}

static void in_a_parallel_region(void **unused)
{
    (void)unused;
    int wrong = 0;
#pragma omp parallel num_threads(4) reduction(+ : wrong)
    {
        struct work work = {.id = omp_get_thread_num(), .team = 3};
        create_use_destroy(&work);
        wrong += work.wrong;
    }
    assert_int_equal(wrong, 0);
}

static void *load(void *argument)
{
    struct work *work = argument;
    pthread_barrier_wait(work->start);
    tdls_handle_t handle = (tdls_handle_t)argument;
    int32_t devices = -1;
    if (work->id % 2 == 0)
        work->wrong +=
            tdls_device_count(TDLS_BACKEND_CUDA, &devices) != TDLS_SUCCESS || devices != 0;
    work->wrong += tdls_create(TDLS_BACKEND_CUDA, 0, &handle) != TDLS_ERR_NO_DEVICE ||
                   handle != NULL || strstr(tdls_last_error(NULL), "fake module") == NULL;
    /* Another one is not there, and stays so. */
    work->wrong += tdls_create(TDLS_BACKEND_HIP, 0, &handle) != TDLS_ERR_BACKEND_UNAVAILABLE ||
                   strstr(tdls_last_error(NULL), "tdls_hip.so") == NULL;
    return NULL;
}

static void modules_loaded_by_all_at_once(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/tdls_process_XXXXXX", file[64], target[4096];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/tdls_cuda.so", folder);
    snprintf(target, sizeof target, "%s/fake_good.so", TDLS_TEST_MODULES);
    assert_int_equal(symlink(target, file), 0);
    setenv("TDLS_MODULE_PATH", folder, 1);
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    struct work work[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; ++i) {
        work[i] = (struct work){.id = i, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, load, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(work[i].wrong, 0);
    }
    pthread_barrier_destroy(&start);
    unlink(file);
    rmdir(folder);
}

/* The end of a child: 0, or 128 + the signal, alarm's if it hung. */
static int end_of(pid_t child)
{
    int status = -1;
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int in_a_child(tdls_handle_t handle)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        int wrong = solve(handle, 6, 3);
        tdls_handle_t another = NULL;
        wrong += tdls_create(TDLS_BACKEND_CPU, 0, &another) != TDLS_SUCCESS;
        wrong += solve(another, 7, 3);
        wrong += tdls_destroy(another) + tdls_destroy(handle) != TDLS_SUCCESS;
        /* And its own child. */
        const pid_t grandchild = fork();
        if (grandchild == 0) {
            alarm(10);
            struct work work = {.id = 2, .team = 4};
            create_use_destroy(&work);
            _exit(work.wrong != 0);
        }
        wrong += end_of(grandchild);
        _exit(wrong != 0);
    }
    return end_of(child);
}

/* Of the threads of an OpenMP runtime none is in a child, and GNU's waits for them for ever. */
static void fork_after_use(void **unused)
{
    (void)unused;
    if (UNDER_TSAN)
        skip();
    tdls_handle_t handle = open_handle();
    assert_int_equal(solve(handle, 5, 3), 0);
    assert_int_equal(in_a_child(handle), 0);
    assert_int_equal(solve(handle, 5, 3), 0);
    assert_int_equal(in_a_child(handle), 0);
    tdls_destroy(handle);
}

/* A runtime that cannot start the threads that it is asked for ends the program. */
static void more_threads_than_there_can_be(void **unused)
{
    (void)unused;
    if (UNDER_TSAN)
        skip();
    struct shape shape = {.type = &types[1], .storage = STRIDED, .n = 2, .nrhs = 1, .batch = 3000};
    struct batch *got = batch_create(shape);
    uint64_t state = seed;
    fill_random(got, &state);
    struct batch *expected = batch_copy(got);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        tdls_handle_t handle = open_handle();
        int32_t kept = 0;
        int wrong = tdls_set_num_threads(handle, INT32_MAX) != TDLS_SUCCESS;
        wrong += call(GESV, handle, TDLS_NO_TRANS, got) != TDLS_SUCCESS;
        expect(GESV, handle, TDLS_NO_TRANS, expected);
        wrong += differs(got->b, expected->b, got->b_count * shape.type->size);
        wrong += tdls_get_num_threads(handle, &kept) != TDLS_SUCCESS || kept != INT32_MAX;
        int count = 0;
        FILE *status = fopen("/proc/self/status", "r");
        for (char line[128]; status != NULL && fgets(line, sizeof line, status) != NULL;)
            sscanf(line, "Threads: %d", &count);
        _exit(wrong != 0 || count < 2 || count >= 2500);
    }
    assert_int_equal(end_of(child), 0);
    batch_free(got);
    batch_free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_threads_than_there_can_be), /* first: its child may have a team */
        cmocka_unit_test(handles_of_many_threads),
        cmocka_unit_test(handles_of_many_threads_with_teams),
        cmocka_unit_test(a_handle_handed_on),
        cmocka_unit_test(in_a_parallel_region),
        cmocka_unit_test(modules_loaded_by_all_at_once),
        cmocka_unit_test(fork_after_use),
    };
    return run_program("process", tests, COUNT_OF(tests));
}
