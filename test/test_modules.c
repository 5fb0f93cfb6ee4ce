/* SPDX-License-Identifier: BSD-3-Clause */
/* Device modules: absent, unusable in every way, and found. The fake modules of the build, in the
 * folder TDLS_TEST_MODULES, are linked into folders of their own as tdls_cuda.so. */
#define _GNU_SOURCE
#include "support.h"

#include <link.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[6][40];
enum { GOOD, VERSION, OTHER, EMPTY, NO_TABLE, TEXT };

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

static void with_a_null_table(void **unused)
{
    (void)unused;
    const char *const said[] = {folder[NO_TABLE], "tdls_backend_table"};
    refused(folder[NO_TABLE], said, COUNT_OF(said));
}

/* Where the last segment of a library ends; behind it is what nobody loads. */
static long end_of_segments(const unsigned char *content)
{
    ElfW(Ehdr) header;
    long end = 0;
    memcpy(&header, content, sizeof header);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment;
        memcpy(&segment, content + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_LOAD && (long)(segment.p_offset + segment.p_filesz) > end)
            end = (long)(segment.p_offset + segment.p_filesz);
    }
    return end;
}

/* Writes a file of the text folder anew: the first bytes of the good module. Returns where its last
 * segment ends. */
static long cut_off(const char *file, long bytes, void (*spoil)(unsigned char *, long))
{
    static unsigned char content[1 << 20];
    char good[256];
    snprintf(good, sizeof good, "%s/tdls_cuda.so", folder[GOOD]);
    FILE *from = fopen(good, "rb");
    assert_non_null(from);
    const long size = (long)fread(content, 1, sizeof content, from);
    fclose(from);
    assert_in_range(size, 1000, sizeof content - 1);
    const long end = end_of_segments(content);
    if (spoil != NULL)
        spoil(content, size);
    FILE *to = fopen(file, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(content, 1, (size_t)(bytes < 0 ? size : bytes), to),
                     bytes < 0 ? size : bytes);
    assert_int_equal(fclose(to), 0);
    return end;
}

/* As an interrupted copy or a full disk leaves it: the loader alone would die of SIGBUS. */
static void cut_off_anywhere(void **unused)
{
    (void)unused;
    char file[256];
    snprintf(file, sizeof file, "%s/tdls_cuda.so", folder[TEXT]);
    const long end = cut_off(file, 0, NULL);
    for (long bytes = 0; bytes < end; bytes += bytes < 1200 ? 97 : 997) {
        cut_off(file, bytes, NULL);
        const char *const said[] = {folder[TEXT], bytes < 1200 ? "tdls_cuda.so" : "cut off"};
        refused(folder[TEXT], said, COUNT_OF(said));
    }
}

static void another_class(unsigned char *content, long size)
{
    (void)size;
    content[4] ^= 3; /* 32 for 64 bits, or the other way round */
}

static void another_machine(unsigned char *content, long size)
{
    (void)size;
    content[18] ^= 0x55;
}

static void segments_far_away(unsigned char *content, long size)
{
    (void)size;
    memset(content + 0x20, 0xff, 8); /* e_phoff of 64-bit files */
}

static void zeros_at_the_front(unsigned char *content, long size)
{
    memset(content, 0, (size_t)(size / 2));
}

static void spoilt(void **unused)
{
    (void)unused;
    char file[256];
    snprintf(file, sizeof file, "%s/tdls_cuda.so", folder[TEXT]);
    void (*const ways[])(unsigned char *, long) = {another_class, another_machine,
                                                   segments_far_away, zeros_at_the_front};
    for (size_t i = 0; i < COUNT_OF(ways); ++i) {
        cut_off(file, -1, ways[i]);
        const char *const said[] = {folder[TEXT]};
        refused(folder[TEXT], said, COUNT_OF(said));
        if (strstr(tdls_last_error(NULL), "tdls_cuda.so: ; ") != NULL)
            fail_msg("no reason is given: %s", tdls_last_error(NULL));
    }
}

/* A folder of that name, a link to itself, a pipe, and a file that may not be read. */
static void not_readable(void **unused)
{
    (void)unused;
    char file[256];
    snprintf(file, sizeof file, "%s/tdls_cuda.so", folder[TEXT]);
    const char *const said[] = {folder[TEXT], "tdls_cuda.so: cannot"};
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    refused(folder[TEXT], said, COUNT_OF(said));
    assert_int_equal(rmdir(file), 0);
    assert_int_equal(symlink("tdls_cuda.so", file), 0);
    refused(folder[TEXT], said, COUNT_OF(said));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0); /* nobody writes to it: opening must not wait */
    refused(folder[TEXT], said, COUNT_OF(said));
    assert_int_equal(unlink(file), 0);
    cut_off(file, -1, NULL);
    assert_int_equal(chmod(file, 0), 0);
    /* Who may read everything becomes, in a child, somebody who may not. */
    const pid_t child = fork();
    if (child == 0) {
        tdls_handle_t handle;
        use(folder[TEXT]);
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        const tdls_status_t status = tdls_create(TDLS_BACKEND_CUDA, 0, &handle);
        _exit(status == TDLS_ERR_BACKEND_UNAVAILABLE &&
                      strstr(tdls_last_error(NULL), "Permission denied") != NULL
                  ? 0
                  : 1);
    }
    int left = -1;
    assert_int_equal(waitpid(child, &left, 0), child);
    assert_int_equal(left, 0);
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

static const char *const names[] = {"good", "version", "other", "empty", "no_table", "text"};

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
        cmocka_unit_test(with_a_null_table),
        cmocka_unit_test(not_a_library),
        cmocka_unit_test(cut_off_anywhere),
        cmocka_unit_test(spoilt),
        cmocka_unit_test(not_readable),
        cmocka_unit_test(a_long_path),
        cmocka_unit_test(found), /* last: once found, it stays */
    };
    const int failed = run_program("modules", tests, COUNT_OF(tests));
    return failed + folders(top, 0) + (rmdir(top) != 0);
}
