/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens libtdls at run time, computes on several threads, and closes it again, many times over;
 * then threads that used it end, and signals wake those of its OpenMP runtime. Linked to neither.
 * usage: test_reload LIBRARY */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tdls/tdls.h>

static const char *library;

/* A thousand systems with the solution 1, 1, 1; 0 on success. */
static int solve(void *loaded)
{
    enum { N = 3, BATCH = 1000 };
    static _Thread_local double A[BATCH * N * N], B[BATCH * N];
    __typeof__(&tdls_create) create;
    __typeof__(&tdls_destroy) destroy;
    __typeof__(&tdls_last_error) last_error;
    __typeof__(&tdls_set_num_threads) set_num_threads;
    __typeof__(&tdls_dgesv_coop_strided_batched) gesv;
    *(void **)&create = dlsym(loaded, "tdls_create");
    *(void **)&destroy = dlsym(loaded, "tdls_destroy");
    *(void **)&last_error = dlsym(loaded, "tdls_last_error");
    *(void **)&set_num_threads = dlsym(loaded, "tdls_set_num_threads");
    *(void **)&gesv = dlsym(loaded, "tdls_dgesv_coop_strided_batched");
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i) {
            B[s * N + i] = s + 3;
            for (int j = 0; j < N; ++j)
                A[(s * N + i) * N + j] = i == j ? s + 1 : 1;
        }
    tdls_handle_t handle;
    if (create(TDLS_BACKEND_CPU, 7, &handle) != TDLS_ERR_NO_DEVICE || *last_error(NULL) == '\0' ||
        create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
        return 1;
    set_num_threads(handle, 4);
    int wrong = gesv(handle, N, 1, A, N, N * N, NULL, 0, B, N, N, NULL, BATCH) != TDLS_SUCCESS;
    destroy(handle);
    for (int e = N; e < BATCH * N; ++e) /* system 0 is singular */
        wrong |= !(B[e] > 1 - 1e-9 && B[e] < 1 + 1e-9);
    return wrong;
}

/* Opens, computes, closes; 0 on success. */
static int visit(void)
{
    void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (loaded == NULL) {
        printf("# %s\n", dlerror());
        return 1;
    }
    return solve(loaded) + (dlclose(loaded) != 0);
}

static void *visit_often(void *unused)
{
    (void)unused;
    int wrong = 0;
    for (int i = 0; i < 20; ++i)
        wrong += visit();
    return wrong == 0 ? NULL : (void *)&library;
}

static void report(int number, int wrong, const char *name)
{
    printf("%sok %d - %s\n", wrong ? "not " : "", number, name);
    fflush(stdout);
}

static void nothing(int signal)
{
    (void)signal;
}

/* Wakes every other thread: a wait in code that is gone ends here. Returns their number. */
static int wake_all(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks != NULL && (task = readdir(tasks)) != NULL;) {
        const long id = strtol(task->d_name, NULL, 10);
        if (id > 0 && id != getpid()) {
            syscall(SYS_tgkill, getpid(), id, SIGUSR1);
            ++count;
        }
    }
    if (tasks != NULL)
        closedir(tasks);
    return count;
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    library = arguments[1];
    alarm(120); /* rather than hang */
    const struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGUSR1, &action, NULL);
    puts("1..4");
    report(1, visit_often(NULL) != NULL, "opened and closed from the main thread");
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; ++i)
        wrong += pthread_create(&threads[i], NULL, visit_often, NULL) != 0;
    for (int i = 0; i < THREADS; ++i) {
        void *result = NULL;
        wrong += pthread_join(threads[i], &result) != 0 || result != NULL;
    }
    report(2, wrong, "opened and closed from many threads at once, which then end");
    printf("# %d threads of the runtime are there\n", wake_all());
    usleep(50000);
    wake_all();
    usleep(50000);
    report(3, 0, "threads of the runtime are woken after the last close");
    report(4, visit(), "opened once more");
    return 0;
}
