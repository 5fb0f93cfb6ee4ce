/* SPDX-License-Identifier: BSD-3-Clause */
/* Device modules: absent, unusable in every way, and found. The fake modules of the build, in the
 * folder TDLS_TEST_MODULES, are linked into folders of their own as tdls_cuda.so. */
#define _GNU_SOURCE
#include "support.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[5][40];
enum { GOOD, VERSION, OTHER, EMPTY, TEXT };

static void use(const char *path)
{
    setenv("TDLS_MODULE_PATH", path, 1);
}

static void refused(const char *path, const char *const *said, size_t count)
{
    use(path);
    tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
    int32_t devices = -1;
    assert_int_equal(tdls_create(TDLS_BACKEND_CUDA, 0, &handle), TDLS_ERR_BACKEND_UNAVAILABLE);
    assert_null(handle);
    for (size_t i = 0; i < count; ++i)
        if (strstr(tdls_last_error(NULL), said[i]) == NULL)
            fail_msg("\"%s\" is not in: %s", said[i], tdls_last_error(NULL));
    assert_int_equal(tdls_device_count(TDLS_BACKEND_CUDA, &devices), TDLS_ERR_BACKEND_UNAVAILABLE);
    assert_int_equal(devices, 0);
}

static void absent(void **unused)
{
    (void)unused;
    const char *const said[] = {"cuda", "/nowhere/at/all/tdls_cuda.so", "tdls/tdls_cuda.so",
                                "No such file"};
    refused("/nowhere/at/all", said, COUNT_OF(said));
    refused("", said + 2, 2);
    unsetenv("TDLS_MODULE_PATH");
    refused("::", said + 2, 2);
}

static void of_another_version(void **unused)
{
    (void)unused;
    const char *const said[] = {folder[VERSION], "version"};
    refused(folder[VERSION], said, COUNT_OF(said));
}

static void of_another_backend(void **unused)
{
    (void)unused;
    const char *const said[] = {folder[OTHER], "another backend"};
    refused(folder[OTHER], said, COUNT_OF(said));
}

static void without_the_table(void **unused)
{
    (void)unused;
    const char *const said[] = {folder[EMPTY], "tdls_backend_table"};
    refused(folder[EMPTY], said, COUNT_OF(said));
}

static void not_a_library(void **unused)
{
    (void)unused;
    const char *const said[] = {folder[TEXT], "tdls_cuda.so"};
    refused(folder[TEXT], said, COUNT_OF(said));
}

static void a_long_path(void **unused)
{
    (void)unused;
    static char path[9000];
    memset(path, 'x', sizeof path - 1);
    path[0] = '/';
    const char *const said[] = {"too long a name"};
    refused(path, said, COUNT_OF(said));
}

static void *count_devices(void *status)
{
    int32_t devices = -1;
    *(tdls_status_t *)status = tdls_device_count(TDLS_BACKEND_CUDA, &devices);
    return status;
}

/* The search goes on after folders without a usable module; then the module stays, for all threads.
 */
static void found(void **unused)
{
    (void)unused;
    static char path[512];
    snprintf(path, sizeof path, "/nowhere:%s:%s:%s:%s", folder[VERSION], folder[TEXT],
             folder[EMPTY], folder[GOOD]);
    use(path);
    enum { THREADS = 16 };
    pthread_t threads[THREADS];
    tdls_status_t status[THREADS];
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, count_devices, &status[i]), 0);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(status[i], TDLS_SUCCESS);
    }
    use("/nowhere");
    int32_t devices = -1;
    assert_int_equal(tdls_device_count(TDLS_BACKEND_CUDA, &devices), TDLS_SUCCESS);
    assert_int_equal(devices, 0);
    tdls_handle_t handle = (tdls_handle_t)(void *)&handle;
    assert_int_equal(tdls_create(TDLS_BACKEND_CUDA, 0, &handle), TDLS_ERR_NO_DEVICE);
    assert_null(handle);
    assert_non_null(strstr(tdls_last_error(NULL), "fake module"));
    /* Another backend is another module. */
    assert_int_equal(tdls_create(TDLS_BACKEND_HIP, 0, &handle), TDLS_ERR_BACKEND_UNAVAILABLE);
    assert_non_null(strstr(tdls_last_error(NULL), "tdls_hip.so"));
}

static const char *const names[] = {"good", "version", "other", "empty", "text"};

/* Makes the folders below a new one; with `top` removes them. Returns 0 on success. */
static int folders(char *top, int make)
{
    int failures = 0;
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        char file[256], target[4096];
        snprintf(folder[i], sizeof folder[i], "%s/%s", top, names[i]);
        snprintf(file, sizeof file, "%s/tdls_cuda.so", folder[i]);
        snprintf(target, sizeof target, "%s/fake_%s.so", TDLS_TEST_MODULES, names[i]);
        if (!make) {
            failures += unlink(file) != 0 || rmdir(folder[i]) != 0;
        } else if (mkdir(folder[i], 0700) != 0) {
            ++failures;
        } else if (i == TEXT) {
            FILE *text = fopen(file, "w");
            failures += text == NULL || fputs("no library\n", text) < 0 || fclose(text) != 0;
        } else {
            failures += symlink(target, file) != 0;
        }
    }
    return failures;
}

int main(void)
{
    char top[] = "/tmp/tdls_modules_XXXXXX";
    if (mkdtemp(top) == NULL || folders(top, 1) != 0) {
        perror(top);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent),
        cmocka_unit_test(of_another_version),
        cmocka_unit_test(of_another_backend),
        cmocka_unit_test(without_the_table),
        cmocka_unit_test(not_a_library),
        cmocka_unit_test(a_long_path),
        cmocka_unit_test(found), /* last: once found, it stays */
    };
    const int failed = run_program("modules", tests, COUNT_OF(tests));
    return failed + folders(top, 0) + (rmdir(top) != 0);
}
