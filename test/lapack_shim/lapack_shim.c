/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LAPACK's getrf, getrs and gesv for s and d, done by libtdls with a batch of one: for tests, so
 * that programs that test LAPACK can be pointed at libtdls (doc/lapack-tests.md).
 *
 * Loaded before LAPACK (LD_PRELOAD, or linked in front of it). A call that libtdls does not do, a
 * rectangular matrix or an illegal argument, goes on to the next library that has the routine.
 * With TDLS_SHIM_REPORT set, the counts of both are printed to the standard error at the end.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tdls/tdls.h>

#define EXPORT __attribute__((visibility("default")))

/* What a Fortran compiler calls: LP64 integers, the lengths of strings behind the arguments. */
typedef void getrf_routine(const int *m, const int *n, void *A, const int *lda, int *ipiv,
                           int *info);
typedef void getrs_routine(const char *trans, const int *n, const int *nrhs, const void *A,
                           const int *lda, const int *ipiv, void *B, const int *ldb, int *info,
                           size_t length);
typedef void gesv_routine(const int *n, const int *nrhs, void *A, const int *lda, int *ipiv,
                          void *B, const int *ldb, int *info);

static atomic_long done_here, passed_on;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "lapack_shim: %s: %s\n", what, why);
    abort();
}

__attribute__((destructor)) static void print_counts(void)
{
    if (getenv("TDLS_SHIM_REPORT") != NULL)
        fprintf(stderr, "lapack_shim: %ld calls by libtdls, %ld passed on\n",
                atomic_load(&done_here), atomic_load(&passed_on));
}

/* ---- A handle per thread --------------------------------------------------------------------- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void destroy(void *handle)
{
    tdls_destroy(handle);
}

static void make_key(void)
{
    if (pthread_key_create(&key, destroy) != 0)
        stop("pthread_key_create", "failed");
}

static tdls_handle_t own_handle(void)
{
    pthread_once(&once, make_key);
    tdls_handle_t handle = pthread_getspecific(key);
    if (handle == NULL) {
        if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS)
            stop("tdls_create", tdls_last_error(NULL));
        tdls_set_num_threads(handle, 1);
        pthread_setspecific(key, handle);
    }
    atomic_fetch_add(&done_here, 1);
    return handle;
}

/* A test must not go on with something else than what it asked for. */
static void must(tdls_handle_t handle, tdls_status_t status)
{
    if (status != TDLS_SUCCESS)
        stop(tdls_status_string(status), tdls_last_error(handle));
}

static void *next(const char *name)
{
    void *routine = dlsym(RTLD_NEXT, name);
    if (routine == NULL)
        stop(name, "there is no LAPACK behind the shim that has it; is LAPACK linked statically?");
    atomic_fetch_add(&passed_on, 1);
    return routine;
}

/* ISO C has no conversion from an object's address to a function's. */
#define NEXT(type, name)                                                                           \
    type *routine;                                                                                 \
    void *symbol = next(name);                                                                     \
    memcpy(&routine, &symbol, sizeof symbol)

static int at_least_1(int n)
{
    return n > 1 ? n : 1;
}

/* 0: illegal. */
static int32_t transposition(char trans)
{
    switch (trans) {
    case 'N':
    case 'n':
        return TDLS_NO_TRANS;
    case 'T':
    case 't':
        return TDLS_TRANS;
    case 'C':
    case 'c':
        return TDLS_CONJ_TRANS;
    default:
        return 0;
    }
}

#define ROUTINES(x, T)                                                                             \
    EXPORT getrf_routine x##getrf_;                                                                \
    void x##getrf_(const int *m, const int *n, void *A, const int *lda, int *ipiv, int *info)      \
    {                                                                                              \
        if (*m != *n || *n < 0 || *lda < at_least_1(*n)) {                                         \
            NEXT(getrf_routine, #x "getrf_");                                                      \
            routine(m, n, A, lda, ipiv, info);                                                     \
            return;                                                                                \
        }                                                                                          \
        tdls_handle_t handle = own_handle();                                                       \
        must(handle,                                                                               \
             tdls_##x##getrf_coop_strided_batched(handle, *n, (T *)A, *lda, 0, ipiv, 0, info, 1)); \
    }                                                                                              \
                                                                                                   \
    EXPORT getrs_routine x##getrs_;                                                                \
    void x##getrs_(const char *trans, const int *n, const int *nrhs, const void *A,                \
                   const int *lda, const int *ipiv, void *B, const int *ldb, int *info,            \
                   size_t length)                                                                  \
    {                                                                                              \
        const int32_t op = transposition(*trans);                                                  \
        if (op == 0 || *n < 0 || *nrhs < 0 || *lda < at_least_1(*n) || *ldb < at_least_1(*n)) {    \
            NEXT(getrs_routine, #x "getrs_");                                                      \
            routine(trans, n, nrhs, A, lda, ipiv, B, ldb, info, length);                           \
            return;                                                                                \
        }                                                                                          \
        tdls_handle_t handle = own_handle();                                                       \
        must(handle, tdls_##x##getrs_coop_strided_batched(handle, op, *n, *nrhs, (const T *)A,     \
                                                          *lda, 0, ipiv, 0, (T *)B, *ldb, 0, 1));  \
        *info = 0;                                                                                 \
    }                                                                                              \
                                                                                                   \
    EXPORT gesv_routine x##gesv_;                                                                  \
    void x##gesv_(const int *n, const int *nrhs, void *A, const int *lda, int *ipiv, void *B,      \
                  const int *ldb, int *info)                                                       \
    {                                                                                              \
        if (*n < 0 || *nrhs < 0 || *lda < at_least_1(*n) || *ldb < at_least_1(*n)) {               \
            NEXT(gesv_routine, #x "gesv_");                                                        \
            routine(n, nrhs, A, lda, ipiv, B, ldb, info);                                          \
            return;                                                                                \
        }                                                                                          \
        tdls_handle_t handle = own_handle();                                                       \
        must(handle, tdls_##x##gesv_coop_strided_batched(handle, *n, *nrhs, (T *)A, *lda, 0, ipiv, \
                                                         0, (T *)B, *ldb, 0, info, 1));            \
    }

ROUTINES(s, float)
ROUTINES(d, double)
