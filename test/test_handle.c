/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, names, settings, memory, status texts. */
#define _GNU_SOURCE
#include "support.h"

#include <math.h>

#define OK(call) assert_int_equal((call), TDLS_SUCCESS)

static void version_is_that_of_the_header(void **unused)
{
    (void)unused;
    int32_t major = -1, minor = -1, patch = -1;
    tdls_version(&major, &minor, &patch);
    assert_int_equal(major, TDLS_VERSION_MAJOR);
    assert_int_equal(minor, TDLS_VERSION_MINOR);
    assert_int_equal(patch, TDLS_VERSION_PATCH);
    tdls_version(NULL, NULL, NULL);
}

static void values_are_those_of_the_contract(void **unused)
{
    (void)unused;
    assert_int_equal(TDLS_BACKEND_CPU, 1);
    assert_int_equal(TDLS_BACKEND_CUDA, 2);
    assert_int_equal(TDLS_BACKEND_HIP, 3);
    assert_int_equal(TDLS_ROW_MAJOR, 101);
    assert_int_equal(TDLS_COL_MAJOR, 102);
    assert_int_equal(TDLS_NO_TRANS, 111);
    assert_int_equal(TDLS_TRANS, 112);
    assert_int_equal(TDLS_CONJ_TRANS, 113);
    assert_int_equal(TDLS_INTERCHANGE_AUTO, 0);
    assert_int_equal(TDLS_INTERCHANGE_LOGICAL, 1);
    assert_int_equal(TDLS_INTERCHANGE_PHYSICAL, 2);
    assert_int_equal(TDLS_ERR_BACKEND_UNAVAILABLE, -1001);
    assert_int_equal(TDLS_ERR_NO_DEVICE, -1002);
    assert_int_equal(TDLS_ERR_ALLOC, -1003);
    assert_int_equal(TDLS_ERR_DEVICE, -1004);
    assert_int_equal(TDLS_ERR_NOT_SUPPORTED, -1005);
    assert_int_equal(TDLS_ERR_INTERNAL, -1006);
}

static void every_status_has_its_text(void **unused)
{
    (void)unused;
    const char *unknown = tdls_status_string(12345);
    assert_string_equal(unknown, "unknown status");
    assert_string_equal(tdls_status_string(TDLS_SUCCESS), "success");
    for (tdls_status_t i = 1; i <= 13; ++i) {
        char text[32];
        snprintf(text, sizeof text, "argument %d is illegal", i);
        assert_string_equal(tdls_status_string(-i), text);
    }
    for (tdls_status_t s = TDLS_ERR_INTERNAL; s <= TDLS_ERR_BACKEND_UNAVAILABLE; ++s) {
        assert_string_not_equal(tdls_status_string(s), unknown);
        for (tdls_status_t other = TDLS_ERR_INTERNAL; other < s; ++other)
            assert_string_not_equal(tdls_status_string(s), tdls_status_string(other));
    }
    assert_string_equal(tdls_status_string(INT32_MIN), unknown);
    assert_string_equal(tdls_status_string(INT32_MAX), unknown);
    assert_string_equal(tdls_status_string(-14), unknown);
    assert_string_equal(tdls_status_string(-1000), unknown);
    assert_string_equal(tdls_status_string(-1007), unknown);
}

static void names_of_backends(void **unused)
{
    (void)unused;
    static const char *const names[] = {"cpu", "cuda", "hip"};
    for (int32_t b = 1; b <= 3; ++b) {
        assert_string_equal(tdls_backend_name(b), names[b - 1]);
        assert_int_equal(tdls_backend_from_name(names[b - 1]), b);
    }
    assert_null(tdls_backend_name(0));
    assert_null(tdls_backend_name(4));
    assert_int_equal(tdls_backend_from_name("gpu"), 0);
    assert_int_equal(tdls_backend_from_name("CPU"), 0);
    assert_int_equal(tdls_backend_from_name(""), 0);
    assert_int_equal(tdls_backend_from_name(NULL), 0);
}

static void the_cpu_has_one_device(void **unused)
{
    (void)unused;
    int32_t count = -5;
    OK(tdls_device_count(TDLS_BACKEND_CPU, &count));
    assert_int_equal(count, 1);
    assert_int_equal(tdls_device_count(99, &count), -1);
    assert_int_equal(tdls_device_count(99, NULL), -1);
    assert_int_equal(tdls_device_count(TDLS_BACKEND_CPU, NULL), -2);
    assert_non_null(strstr(tdls_last_error(NULL), "count is NULL"));
}

static void failed_creation_leaves_null(void **unused)
{
    (void)unused;
    int32_t devices = 0;
    OK(tdls_device_count(backend_under_test(), &devices));
    const struct {
        int32_t backend, device;
        tdls_status_t status;
    } cases[] = {{0, 0, -1},
                 {4, 0, -1},
                 {-1, 0, -1},
                 {TDLS_BACKEND_CPU, 1, TDLS_ERR_NO_DEVICE},
                 {TDLS_BACKEND_CPU, -1, TDLS_ERR_NO_DEVICE},
                 {backend_under_test(), devices, TDLS_ERR_NO_DEVICE},
                 {backend_under_test(), INT32_MAX, TDLS_ERR_NO_DEVICE},
                 {backend_under_test(), -1, TDLS_ERR_NO_DEVICE},
                 {backend_under_test(), INT32_MIN, TDLS_ERR_NO_DEVICE}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
        assert_int_equal(tdls_create(cases[i].backend, cases[i].device, &handle), cases[i].status);
        assert_null(handle);
        assert_int_not_equal(strlen(tdls_last_error(NULL)), 0);
    }
    assert_int_equal(tdls_create(99, 0, NULL), -1);
    assert_int_equal(tdls_create(TDLS_BACKEND_CPU, 0, NULL), -3);
    OK(tdls_destroy(NULL));
}

static void forced_instruction_sets(void **unused)
{
    (void)unused;
    const char *given = getenv("TDLS_CPU_ISA");
    char *kept = given != NULL ? strdup(given) : NULL;
    tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
    setenv("TDLS_CPU_ISA", "mmx", 1);
    assert_int_equal(tdls_create(TDLS_BACKEND_CPU, 0, &handle), TDLS_ERR_NOT_SUPPORTED);
    assert_null(handle);
    assert_non_null(strstr(tdls_last_error(NULL), "mmx"));
    assert_non_null(strstr(tdls_last_error(NULL), "generic"));
    static const char *const sets[] = {"generic", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < COUNT_OF(sets); ++i) {
        setenv("TDLS_CPU_ISA", sets[i], 1);
        const tdls_status_t status = tdls_create(TDLS_BACKEND_CPU, 0, &handle);
        if (status == TDLS_SUCCESS) {
            char name[256];
            OK(tdls_device_name(handle, name, sizeof name));
            assert_string_equal(name + strlen(name) - strlen(sets[i]), sets[i]);
            tdls_destroy(handle);
        } else {
            assert_int_not_equal(i, 0);
            assert_int_equal(status, TDLS_ERR_NOT_SUPPORTED);
            assert_null(handle);
        }
    }
    if (kept != NULL)
        setenv("TDLS_CPU_ISA", kept, 1);
    else
        unsetenv("TDLS_CPU_ISA");
    free(kept);
}

static void handles_know_backend_and_device(void **unused)
{
    (void)unused;
    tdls_handle_t handle = open_handle();
    int32_t backend = 0;
    OK(tdls_get_backend(handle, &backend));
    assert_int_equal(backend, backend_under_test());
    assert_int_equal(tdls_get_backend(handle, NULL), -2);
    assert_int_equal(tdls_get_backend(NULL, &backend), -1);
    char name[256], cut[5] = "....";
    OK(tdls_device_name(handle, name, sizeof name));
    assert_true(strlen(name) > 5);
    OK(tdls_device_name(handle, cut, 4));
    assert_int_equal(strlen(cut), 3);
    assert_memory_equal(cut, name, 3);
    assert_int_equal(tdls_device_name(NULL, name, 10), -1);
    assert_int_equal(tdls_device_name(handle, NULL, 10), -2);
    assert_int_equal(tdls_device_name(handle, name, 0), -3);
    OK(tdls_synchronize(handle));
    assert_int_equal(tdls_synchronize(NULL), -1);
    OK(tdls_destroy(handle));
}

static void integer_settings(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        tdls_status_t (*set)(tdls_handle_t, int32_t);
        tdls_status_t (*get)(tdls_handle_t, int32_t *);
        int32_t initial, legal[3], illegal[3];
    } cases[] = {
        {"layout", tdls_set_layout, tdls_get_layout, 102, {101, 102, 101}, {0, 100, 103}},
        {"interchange",
         tdls_set_row_interchange,
         tdls_get_row_interchange,
         0,
         {0, 1, 2},
         {-1, 3, 101}},
        {"rows",
         tdls_set_rows_per_thread,
         tdls_get_rows_per_thread,
         0,
         {0, 5, INT32_MAX},
         {-1, -7, INT32_MIN}},
        {"threads",
         tdls_set_num_threads,
         tdls_get_num_threads,
         0,
         {0, 3, 1000},
         {-1, -7, INT32_MIN}},
    };
    tdls_handle_t handle = open_handle();
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        int32_t value = -99;
        OK(cases[i].get(handle, &value));
        assert_int_equal(value, cases[i].initial);
        for (int k = 0; k < 3; ++k) {
            OK(cases[i].set(handle, cases[i].legal[k]));
            assert_int_equal(cases[i].set(handle, cases[i].illegal[k]), -2);
            assert_non_null(strstr(tdls_last_error(handle), cases[i].name));
            OK(cases[i].get(handle, &value));
            assert_int_equal(value, cases[i].legal[k]);
        }
        assert_int_equal(cases[i].set(NULL, cases[i].legal[0]), -1);
        assert_int_equal(cases[i].get(NULL, &value), -1);
        assert_int_equal(cases[i].get(handle, NULL), -2);
    }
    tdls_destroy(handle);
}

static void real_settings(void **unused)
{
    (void)unused;
    static const double nan_value = NAN, infinite = INFINITY;
    const struct {
        tdls_status_t (*set)(tdls_handle_t, double);
        tdls_status_t (*get)(tdls_handle_t, double *);
        double initial, legal[3], illegal[4];
    } cases[] = {
        {tdls_set_pivot_threshold,
         tdls_get_pivot_threshold,
         1,
         {1, 0.1, 1e-300},
         {0, -0.5, 1.0000001, nan_value}},
        {tdls_set_singular_floor,
         tdls_get_singular_floor,
         0,
         {0, 1e-300, 1e300},
         {-1e-300, -1, infinite, nan_value}},
    };
    tdls_handle_t handle = open_handle();
    for (size_t i = 0; i < COUNT_OF(cases); ++i) {
        double value = -99;
        OK(cases[i].get(handle, &value));
        assert_true(value == cases[i].initial);
        for (int k = 0; k < 3; ++k) {
            OK(cases[i].set(handle, cases[i].legal[k]));
            for (int f = 0; f < 4; ++f)
                assert_int_equal(cases[i].set(handle, cases[i].illegal[f]), -2);
            OK(cases[i].get(handle, &value));
            assert_true(value == cases[i].legal[k]);
        }
        assert_int_equal(cases[i].set(NULL, 1), -1);
        assert_int_equal(cases[i].get(NULL, &value), -1);
        assert_int_equal(cases[i].get(handle, NULL), -2);
    }
    tdls_destroy(handle);
}

static void stream_is_kept(void **unused)
{
    (void)unused;
    tdls_handle_t handle = open_handle();
    void *stream = &stream;
    OK(tdls_get_stream(handle, &stream));
    assert_null(stream);
    int somewhere;
    OK(tdls_set_stream(handle, &somewhere));
    OK(tdls_get_stream(handle, &stream));
    assert_ptr_equal(stream, &somewhere);
    if (backend_under_test() != TDLS_BACKEND_CPU)
        OK(tdls_set_stream(handle, NULL)); /* there it must be a stream, not just any address */
    OK(tdls_synchronize(handle));
    assert_int_equal(tdls_set_stream(NULL, NULL), -1);
    assert_int_equal(tdls_get_stream(NULL, &stream), -1);
    assert_int_equal(tdls_get_stream(handle, NULL), -2);
    tdls_destroy(handle);
}

static void memory(void **unused)
{
    (void)unused;
    tdls_handle_t handle = open_handle();
    void *pointer = &pointer, *untouched = &pointer;
    OK(tdls_malloc(handle, 0, &pointer));
    assert_null(pointer);
    assert_int_equal(tdls_malloc(NULL, 8, &untouched), -1);
    assert_int_equal(tdls_malloc(handle, -1, &untouched), -2);
    assert_int_equal(tdls_malloc(handle, 8, NULL), -3);
    assert_int_equal(tdls_malloc(handle, INT64_MAX, &untouched), TDLS_ERR_ALLOC);
    assert_ptr_equal(untouched, &pointer);
    assert_int_not_equal(strlen(tdls_last_error(handle)), 0);
    for (int64_t bytes = 1; bytes < 5000; bytes = 3 * bytes + 1) {
        OK(tdls_malloc(handle, bytes, &pointer));
        assert_int_equal((uintptr_t)pointer % 256, 0);
        unsigned char there[5000], back[5000] = {0};
        for (int64_t i = 0; i < bytes; ++i)
            there[i] = (unsigned char)(i * 7);
        OK(tdls_memcpy(handle, pointer, there, bytes));
        OK(tdls_memcpy(handle, back, pointer, bytes));
        assert_memory_equal(back, there, (size_t)bytes);
        assert_int_equal(back[bytes], 0);
        OK(tdls_free(handle, pointer));
    }
    OK(tdls_free(handle, NULL));
    assert_int_equal(tdls_free(NULL, NULL), -1);
    int64_t x = 1, y = 2;
    assert_int_equal(tdls_memcpy(NULL, &x, &y, 8), -1);
    assert_int_equal(tdls_memcpy(handle, NULL, &y, 8), -2);
    assert_int_equal(tdls_memcpy(handle, &x, NULL, 8), -3);
    assert_int_equal(tdls_memcpy(handle, &x, &y, -8), -4);
    assert_int_equal(x, 1);
    OK(tdls_memcpy(handle, NULL, NULL, 0));
    tdls_destroy(handle);
}

static void errors_belong_to_their_handle(void **unused)
{
    (void)unused;
    tdls_handle_t one = open_handle(), two = open_handle();
    assert_string_equal(tdls_last_error(one), "");
    assert_int_equal(tdls_dgetrf_coop_strided_batched(one, 4, NULL, 3, 0, NULL, 0, NULL, 1), -3);
    assert_non_null(strstr(tdls_last_error(one), "argument 3"));
    assert_non_null(strstr(tdls_last_error(one), "A is NULL"));
    assert_string_equal(tdls_last_error(two), "");
    double a[16];
    assert_int_equal(tdls_dgetrf_coop_strided_batched(one, 4, a, 3, 0, NULL, 0, NULL, 1), -4);
    assert_non_null(strstr(tdls_last_error(one), "lda is 3, less than max(1, n) = 4"));
    OK(tdls_set_layout(one, TDLS_ROW_MAJOR));
    assert_non_null(strstr(tdls_last_error(one), "lda is 3"));
    tdls_destroy(one);
    tdls_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_that_of_the_header),
        cmocka_unit_test(values_are_those_of_the_contract),
        cmocka_unit_test(every_status_has_its_text),
        cmocka_unit_test(names_of_backends),
        cmocka_unit_test(the_cpu_has_one_device),
        cmocka_unit_test(failed_creation_leaves_null),
        cmocka_unit_test(forced_instruction_sets),
        cmocka_unit_test(handles_know_backend_and_device),
        cmocka_unit_test(integer_settings),
        cmocka_unit_test(real_settings),
        cmocka_unit_test(stream_is_kept),
        cmocka_unit_test(memory),
        cmocka_unit_test(errors_belong_to_their_handle),
    };
    return run_program("handle", tests, COUNT_OF(tests));
}
