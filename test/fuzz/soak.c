/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of random shapes for a while: no wrong bit, and memory, threads and open files as they
 * were. usage: soak SECONDS */
#define _GNU_SOURCE
#include "one_call.h"

#include <dirent.h>
#include <malloc.h>
#include <time.h>
#include <unistd.h>

/* What a process may lose little by little. */
struct held {
    size_t bytes;  /* allocated and not given back, of this thread's arena */
    long resident; /* kilobytes */
    int threads, files;
};

static int entries(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    while (folder != NULL && readdir(folder) != NULL)
        ++count;
    if (folder != NULL)
        closedir(folder);
    return count;
}

/* The runtime keeps what its last team needed: this is always the last. */
static void same_team(void)
{
    struct shape shape = {.type = &types[1], .storage = STRIDED, .n = 5, .nrhs = 1, .batch = 64};
    for (int i = 0; i < 3; ++i) {
        struct batch *batch = batch_create(shape);
        uint64_t state = seed;
        fill_random(batch, &state);
        tdls_handle_t handle = open_handle_for(&batch->shape);
        assert_int_equal(tdls_set_num_threads(handle, 3), TDLS_SUCCESS);
        assert_int_equal(call(GESV, handle, TDLS_NO_TRANS, batch), TDLS_SUCCESS);
        tdls_destroy(handle);
        batch_free(batch);
    }
}

static struct held measure(void)
{
    struct held held = {0};
    forget_handles();
    same_team();
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 info = mallinfo2();
    held.bytes = info.uordblks + info.hblkhd;
#endif
    FILE *status = fopen("/proc/self/status", "r");
    for (char line[256]; status != NULL && fgets(line, sizeof line, status) != NULL;)
        sscanf(line, "VmRSS: %ld", &held.resident);
    if (status != NULL)
        fclose(status);
    held.threads = entries("/proc/self/task");
    held.files = entries("/proc/self/fd");
    return held;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double seconds = 5;

static void soak(void **unused)
{
    (void)unused;
    static uint8_t bytes[300];
    uint64_t state = seed;
    const double start = now();
    struct held first = {0}, last;
    double next_report = 60;
    for (;;) {
        for (int i = 0; i < 100; ++i) {
            const size_t count = (size_t)uniform(&state, 20, sizeof bytes);
            for (size_t k = 0; k < count; ++k)
                bytes[k] = (uint8_t)uniform(&state, 0, 256);
            one_call(bytes, count);
        }
        const double spent = now() - start;
        /* By then each kernel has run, and the runtime has its threads. */
        if (first.bytes == 0 && spent > seconds / 4)
            first = measure();
        if (spent >= seconds)
            break;
        if (spent > next_report) {
            fprintf(stderr, "# %.0f s, %ld calls\n", spent, calls_so_far.legal);
            next_report += 60;
        }
    }
    last = measure();
    fprintf(stderr,
            "# %.1f s: %ld legal calls, %ld with singular systems, %ld illegal ones; "
            "%zu bytes held at first, %zu at last; %ld and %ld kB resident; %d and %d threads\n",
            now() - start, calls_so_far.legal, calls_so_far.singular, calls_so_far.illegal,
            first.bytes, last.bytes, first.resident, last.resident, first.threads, last.threads);
    /* The C library keeps some hundred bytes with each stack of a thread that it may use again. A
     * handle has more than a thousand, and one is lost with each that is not given back. */
    assert_true(last.bytes <= first.bytes + 4096);
    assert_int_equal(last.files, first.files);
    assert_int_equal(last.threads, first.threads);
    /* What malloc keeps for later moves up and down. */
    assert_true(last.resident < first.resident + 16 * 1024);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(soak)};
    /* Small blocks that are given back would count as held: malloc's caches of them are turned off,
     * which has to be done before the program starts. */
    if (getenv("GLIBC_TUNABLES") == NULL) {
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
        execv("/proc/self/exe", arguments);
    }
#if defined(M_MXFAST)
    mallopt(M_MXFAST, 0);
#endif
    if (count > 1)
        seconds = strtod(arguments[1], NULL);
    return run_program("soak", tests, COUNT_OF(tests));
}
