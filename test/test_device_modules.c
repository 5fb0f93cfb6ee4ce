/* SPDX-License-Identifier: BSD-3-Clause */
/* The device modules of this build: each loads, and says what devices the machine has. The folder
 * of a module is TDLS_TEST_MODULE, its backend TDLS_TEST_BACKEND. */
#define _GNU_SOURCE
#include "support.h"

static int32_t backend(void)
{
    return tdls_backend_from_name(getenv("TDLS_TEST_BACKEND"));
}

static void loads_and_counts(void **unused)
{
    (void)unused;
    int32_t count = -1;
    const tdls_status_t status = tdls_device_count(backend(), &count);
    if (status != TDLS_SUCCESS)
        fail_msg("%s", tdls_last_error(NULL));
    assert_true(count >= 0);
}

static void a_device_too_many(void **unused)
{
    (void)unused;
    int32_t count = 0;
    assert_int_equal(tdls_device_count(backend(), &count), TDLS_SUCCESS);
    const int32_t devices[] = {count, -1, INT32_MAX};
    for (size_t i = 0; i < COUNT_OF(devices); ++i) {
        tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
        assert_int_equal(tdls_create(backend(), devices[i], &handle), TDLS_ERR_NO_DEVICE);
        assert_null(handle);
        assert_non_null(strstr(tdls_last_error(NULL), getenv("TDLS_TEST_BACKEND")));
        assert_non_null(strstr(tdls_last_error(NULL), "no device"));
    }
}

static void other_backends_go_on(void **unused)
{
    (void)unused;
    tdls_handle_t handle;
    assert_int_equal(tdls_create(TDLS_BACKEND_CPU, 0, &handle), TDLS_SUCCESS);
    double a[] = {0, 2, 4, 0}, b[] = {8, 2};
    assert_int_equal(
        tdls_dgesv_coop_strided_batched(handle, 2, 1, a, 2, 4, NULL, 2, b, 2, 2, NULL, 1),
        TDLS_SUCCESS);
    assert_true(b[0] == 1 && b[1] == 2);
    assert_int_equal(tdls_destroy(handle), TDLS_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_counts),
        cmocka_unit_test(a_device_too_many),
        cmocka_unit_test(other_backends_go_on),
    };
    setenv("TDLS_MODULE_PATH", getenv("TDLS_TEST_MODULE"), 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("device_modules", tests, NULL, NULL);
}
