/* SPDX-License-Identifier: BSD-3-Clause */
/* What a device backend promises of streams, devices, memory and failures, on the emulated device
 * of the module in use, which runs nothing before somebody waits for it. */
#define _GNU_SOURCE
#include "../support.h"

#include <dlfcn.h>

#define OK(call) assert_int_equal((call), TDLS_SUCCESS)

/* Of the module (see emulator.hpp). */
static void (*fail_at)(int64_t k);
static int64_t (*live_allocations)(void);
static int64_t (*waiting_work)(void);
static int (*device_of)(const void *address);
static int (*current_device)(void);

static void find(void *module, const char *name, void *function, size_t size)
{
    void *symbol = dlsym(module, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, size);
}

static int find_module(void **unused)
{
    (void)unused;
    char path[4096];
    snprintf(path, sizeof path, "%s/tdls_%s.so", getenv("TDLS_MODULE_PATH"),
             getenv("TDLS_TEST_BACKEND"));
    tdls_destroy(open_handle()); /* which loads it */
    void *module = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(module);
    find(module, "tdls_emulator_fail_at", &fail_at, sizeof fail_at);
    find(module, "tdls_emulator_live_allocations", &live_allocations, sizeof live_allocations);
    find(module, "tdls_emulator_waiting_work", &waiting_work, sizeof waiting_work);
    find(module, "tdls_emulator_device_of", &device_of, sizeof device_of);
    find(module, "tdls_emulator_current_device", &current_device, sizeof current_device);
    return 0;
}

/* Systems of an order on a device, with what must come out. */
struct systems {
    int32_t n;
    size_t elements;
    double *A, *B, *expected;
    double *device_A, *device_B;
    int32_t *device_ipiv, *device_info;
};

enum { COUNT = 3 };

/* Returns the first failure. */
static tdls_status_t put_systems(tdls_handle_t handle, struct systems *x, int32_t n)
{
    *x = (struct systems){.n = n, .elements = COUNT * (size_t)n * (size_t)n};
    x->A = calloc(x->elements, sizeof *x->A);
    x->B = calloc(COUNT * (size_t)n, sizeof *x->B);
    x->expected = calloc(COUNT * (size_t)n, sizeof *x->expected);
    /* s + 2 times a cyclic shift */
    for (int32_t s = 0; s < COUNT; ++s)
        for (int32_t i = 0; i < n; ++i) {
            x->A[s * n * n + i + n * ((i + 1) % n)] = s + 2;
            x->B[s * n + i] = (s + 2) * (i + 1);
            x->expected[s * n + (i + 1) % n] = i + 1;
        }
    void *memory[4] = {NULL, NULL, NULL, NULL};
    const int64_t bytes[4] = {(int64_t)(x->elements * sizeof(double)),
                              COUNT * n * (int64_t)sizeof(double),
                              COUNT * n * (int64_t)sizeof(int32_t), COUNT * sizeof(int32_t)};
    tdls_status_t status = TDLS_SUCCESS;
    for (int i = 0; i < 4 && status == TDLS_SUCCESS; ++i)
        status = tdls_malloc(handle, bytes[i], &memory[i]);
    x->device_A = memory[0];
    x->device_B = memory[1];
    x->device_ipiv = memory[2];
    x->device_info = memory[3];
    if (status == TDLS_SUCCESS)
        status = tdls_memcpy(handle, x->device_A, x->A, bytes[0]);
    if (status == TDLS_SUCCESS)
        status = tdls_memcpy(handle, x->device_B, x->B, bytes[1]);
    return status;
}

/* gesv, with or without factors, or getrf and getrs. */
enum way { WITH_FACTORS, WITHOUT_FACTORS, IN_TWO_CALLS, WAYS };

static tdls_status_t solve(tdls_handle_t handle, struct systems *x, enum way way)
{
    const int32_t n = x->n;
    const int64_t stride = (int64_t)n * n;
    if (way != IN_TWO_CALLS)
        return tdls_dgesv_coop_strided_batched(handle, n, 1, x->device_A, n, stride,
                                               way == WITH_FACTORS ? x->device_ipiv : NULL, n,
                                               x->device_B, n, n, x->device_info, COUNT);
    const tdls_status_t status = tdls_dgetrf_coop_strided_batched(
        handle, n, x->device_A, n, stride, x->device_ipiv, n, x->device_info, COUNT);
    return status != TDLS_SUCCESS
               ? status
               : tdls_dgetrs_coop_strided_batched(handle, TDLS_NO_TRANS, n, 1, x->device_A, n,
                                                  stride, x->device_ipiv, n, x->device_B, n, n,
                                                  COUNT);
}

static tdls_status_t get_solution(tdls_handle_t handle, struct systems *x)
{
    return tdls_memcpy(handle, x->B, x->device_B, COUNT * x->n * (int64_t)sizeof *x->B);
}

static void assert_solved(const struct systems *x)
{
    for (int32_t e = 0; e < COUNT * x->n; ++e)
        assert_true(x->B[e] == x->expected[e]);
}

/* Returns the first failure; the memory of the host is freed in any case. */
static tdls_status_t free_systems(tdls_handle_t handle, struct systems *x)
{
    void *const memory[4] = {x->device_A, x->device_B, x->device_ipiv, x->device_info};
    tdls_status_t first = TDLS_SUCCESS;
    for (int i = 0; i < 4; ++i) {
        const tdls_status_t status = tdls_free(handle, memory[i]);
        if (status != TDLS_SUCCESS) {
            assert_non_null(strstr(tdls_last_error(handle), "injected failure"));
            (void)tdls_free(handle, memory[i]); /* had it failed before the release */
        }
        first = first != TDLS_SUCCESS ? first : status;
    }
    free(x->A);
    free(x->B);
    free(x->expected);
    return first;
}

static const int32_t orders[] = {1, 5, 16, 32, 33, 64, 100, 130};

/* A call neither waits nor runs anything; what it needs it has enqueued. */
static void calls_are_enqueued(void **unused)
{
    (void)unused;
    for (size_t o = 0; o < COUNT_OF(orders); ++o)
        for (int way = 0; way < WAYS; ++way) {
            tdls_handle_t handle = open_handle();
            struct systems x;
            for (int round = 0; round < 2; ++round) {
                OK(put_systems(handle, &x, orders[o]));
                assert_int_equal(waiting_work(), 0);
                OK(solve(handle, &x, (enum way)way));
                /* of scratch there is enough from the first call on */
                if (round == 1 || way != WITHOUT_FACTORS || orders[o] <= 64)
                    assert_true(waiting_work() >= (way == IN_TWO_CALLS ? 2 : 1));
                const int64_t allocations = live_allocations(), before = waiting_work();
                OK(solve(handle, &x, (enum way)way));
                assert_true(waiting_work() > before);
                assert_int_equal(live_allocations(), allocations);
                OK(tdls_synchronize(handle));
                assert_int_equal(waiting_work(), 0);
                OK(free_systems(handle, &x));
            }
            tdls_destroy(handle);
            assert_int_equal(live_allocations(), 0);
        }
}

/* Handles on streams of their own, and on both devices, in each other's way as much as can be. */
static void streams_and_devices(void **unused)
{
    (void)unused;
    int32_t devices = 0;
    OK(tdls_device_count(backend_under_test(), &devices));
    assert_int_equal(devices, 2);
    enum { HANDLES = 6 };
    static char streams[HANDLES];
    for (size_t o = 0; o < COUNT_OF(orders); ++o)
        for (int way = 0; way < WAYS; ++way) {
            tdls_handle_t handles[HANDLES];
            struct systems x[HANDLES];
            for (int h = 0; h < HANDLES; ++h) {
                OK(tdls_create(backend_under_test(), h % 2, &handles[h]));
                if (h > 1)
                    OK(tdls_set_stream(handles[h], &streams[h]));
                OK(put_systems(handles[h], &x[h], orders[o]));
                assert_int_equal(device_of(x[h].device_A), h % 2);
            }
            for (int h = 0; h < HANDLES; ++h)
                OK(solve(handles[h], &x[h], (enum way)way));
            for (int h = HANDLES - 1; h >= 0; --h) {
                OK(get_solution(handles[h], &x[h]));
                assert_solved(&x[h]);
            }
            for (int h = 0; h < HANDLES; ++h) {
                OK(free_systems(handles[h], &x[h]));
                OK(tdls_destroy(handles[h]));
            }
            assert_int_equal(live_allocations(), 0);
            assert_int_equal(current_device(), 0); /* the caller's is as it was */
        }
}

/* tdls_synchronize waits for its own stream alone; destroying a handle does no harm to others'. */
static void a_stream_is_waited_for_alone(void **unused)
{
    (void)unused;
    static char streams[2];
    tdls_handle_t one = open_handle(), two = open_handle();
    OK(tdls_set_stream(one, &streams[0]));
    OK(tdls_set_stream(two, &streams[1]));
    struct systems x, y;
    OK(put_systems(one, &x, 16));
    OK(put_systems(two, &y, 16));
    OK(solve(one, &x, WITH_FACTORS));
    OK(solve(two, &y, WITH_FACTORS));
    const int64_t waiting = waiting_work();
    OK(tdls_synchronize(two));
    assert_in_range(waiting_work(), 1, waiting - 1);
    OK(tdls_memcpy(one, NULL, NULL, 0)); /* waits, too */
    assert_int_equal(waiting_work(), 0);
    OK(get_solution(two, &y));
    assert_solved(&y);
    OK(free_systems(two, &y));
    OK(tdls_destroy(two));
    OK(get_solution(one, &x));
    assert_solved(&x);
    OK(free_systems(one, &x));
    OK(tdls_destroy(one));
}

/* One handle that changes its stream has its scratch used by one stream at a time. */
static void scratch_of_two_streams(void **unused)
{
    (void)unused;
    static char streams[2];
    tdls_handle_t handle = open_handle();
    for (size_t o = 0; o < COUNT_OF(orders); ++o) {
        struct systems x[2];
        for (int s = 0; s < 2; ++s)
            OK(put_systems(handle, &x[s], orders[COUNT_OF(orders) - 1 - o]));
        for (int s = 0; s < 2; ++s) {
            OK(tdls_set_stream(handle, &streams[s]));
            OK(solve(handle, &x[s], WITHOUT_FACTORS));
        }
        /* Both may be running now: then each has its own, beside the four arrays of each. */
        if (x[0].n > 120)
            assert_true(waiting_work() == 1 || live_allocations() >= 2 * 4 + 2);
        for (int s = 1; s >= 0; --s) {
            OK(tdls_set_stream(handle, &streams[s]));
            OK(get_solution(handle, &x[s]));
            assert_solved(&x[s]);
            OK(free_systems(handle, &x[s]));
        }
    }
    OK(tdls_destroy(handle));
    assert_int_equal(live_allocations(), 0);
}

static void no_device(void **unused)
{
    (void)unused;
    setenv("TDLS_EMULATOR_DEVICES", "0", 1);
    int32_t devices = -1;
    OK(tdls_device_count(backend_under_test(), &devices));
    assert_int_equal(devices, 0);
    tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
    assert_int_equal(tdls_create(backend_under_test(), 0, &handle), TDLS_ERR_NO_DEVICE);
    assert_null(handle);
    assert_int_not_equal(strlen(tdls_last_error(NULL)), 0);
    unsetenv("TDLS_EMULATOR_DEVICES");
}

/* The whole life of a handle while one call of the runtime fails: whichever it is, some call of the
 * library says so, nothing is left behind, and without a failure the solution is right. */
static int life(enum way way, int32_t n, int64_t k)
{
    fail_at(k);
    tdls_handle_t handle = NULL;
    /* on device 1, so that the device has to be changed */
    tdls_status_t status = tdls_create(backend_under_test(), 1, &handle);
    if (status != TDLS_SUCCESS) {
        fail_at(0);
        assert_null(handle);
        assert_non_null(strstr(tdls_last_error(NULL), "injected failure"));
        return 1;
    }
    struct systems x;
    status = put_systems(handle, &x, n);
    if (status == TDLS_SUCCESS)
        status = solve(handle, &x, way);
    if (status == TDLS_SUCCESS)
        status = get_solution(handle, &x);
    if (status == TDLS_SUCCESS) {
        assert_solved(&x);
    } else {
        assert_true(status == TDLS_ERR_DEVICE || status == TDLS_ERR_ALLOC);
        if (strstr(tdls_last_error(handle), "injected failure") == NULL)
            fail_msg("failure %d is reported as: %s", (int)k, tdls_last_error(handle));
    }
    const tdls_status_t freed = free_systems(handle, &x);
    if (status != TDLS_SUCCESS)
        assert_int_equal(freed, TDLS_SUCCESS); /* one failure, one report */
    OK(tdls_destroy(handle));
    fail_at(0);
    if (live_allocations() != 0)
        fail_msg("failure %d leaves %d allocations", (int)k, (int)live_allocations());
    return status != TDLS_SUCCESS || freed != TDLS_SUCCESS;
}

static void failures(void **unused)
{
    (void)unused;
    static const int32_t some[] = {7, 40, 130};
    for (size_t o = 0; o < COUNT_OF(some); ++o)
        for (int way = some[o] > 100 ? WITHOUT_FACTORS : 0; way < WAYS; ++way) {
            int failed = 0;
            int64_t k = 1;
            /* Destroying a handle has no way to report a failure. */
            for (int silent = 0; silent < 8; ++k)
                if (life((enum way)way, some[o], k)) {
                    ++failed;
                    silent = 0;
                } else {
                    ++silent;
                }
            assert_true(failed > 20);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(calls_are_enqueued, find_module),
        cmocka_unit_test(streams_and_devices),
        cmocka_unit_test(a_stream_is_waited_for_alone),
        cmocka_unit_test(scratch_of_two_streams),
        cmocka_unit_test(no_device),
        cmocka_unit_test(failures),
    };
    return run_program("device calls", tests, COUNT_OF(tests));
}
