/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets of more than 2^31 and 2^32 elements: a few systems far apart in memory of which only the
 * touched pages exist. With the argument "whole", a batch that is itself that large (9 GB). */
#define _GNU_SOURCE
#include "support.h"

#include <sys/mman.h>

enum { N = 3, SYSTEMS = 4 };

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Systems at multiples of 2^31 + 11 elements: the last begins above 3 * 2^31. */
static void strided(void **unused)
{
    (void)unused;
    const int64_t stride = (INT64_C(1) << 31) + 11;
    const size_t bytes = (size_t)(SYSTEMS * stride) * sizeof(float);
    float *A = reserve(bytes), *B = reserve(bytes);
    int32_t *ipiv = reserve(bytes), info[SYSTEMS];
    if (A == NULL || B == NULL || ipiv == NULL)
        skip();
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            A[s * stride + i + N * ((i + 1) % N)] = (float)(s + 1); /* a cyclic shift */
            B[s * stride + i] = (float)((s + 1) * (i + 1));
        }
    tdls_handle_t handle = open_handle();
    assert_int_equal(tdls_sgesv_coop_strided_batched(handle, N, 1, A, N, stride, ipiv, stride, B, N,
                                                     stride, info, SYSTEMS),
                     TDLS_SUCCESS);
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            assert_int_equal(info[s], 0);
            assert_true(B[s * stride + (i + 1) % N] == (float)(i + 1));
            assert_in_range(ipiv[s * stride + i], i + 1, N);
            assert_true(A[s * stride + i + N * i] == (float)(s + 1));
        }
    tdls_destroy(handle);
    munmap(A, bytes);
    munmap(B, bytes);
    munmap(ipiv, bytes);
}

/* One block of width 2^30 + 3: element 8 of a system lies above 2^33. */
static void interleaved(void **unused)
{
    (void)unused;
    const int64_t width = (INT64_C(1) << 30) + 3;
    const size_t bytes = (size_t)(N * N * width) * sizeof(float);
    float *A = reserve(bytes), *B = reserve(bytes);
    int32_t *ipiv = reserve(bytes), info[SYSTEMS];
    if (A == NULL || B == NULL || ipiv == NULL)
        skip();
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            A[(i + N * ((i + 1) % N)) * width + s] = (float)(s + 1);
            B[i * width + s] = (float)((s + 1) * (i + 1));
        }
    tdls_handle_t handle = open_handle();
    assert_int_equal(
        tdls_sgesv_coop_interleaved_batched(handle, N, 1, A, N, ipiv, B, N, info, width, SYSTEMS),
        TDLS_SUCCESS);
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            assert_int_equal(info[s], 0);
            assert_true(B[(i + 1) % N * width + s] == (float)(i + 1));
            assert_in_range(ipiv[i * width + s], i + 1, N);
        }
    tdls_destroy(handle);
    munmap(A, bytes);
    munmap(B, bytes);
    munmap(ipiv, bytes);
}

/* A width near the end of int64 is legal when one block holds the batch and n = 1. */
static void a_width_beyond_any_memory(void **unused)
{
    (void)unused;
    double A[3] = {2, 4, 8}, B[3] = {2, 8, 32};
    int32_t ipiv[3], info[3] = {9, 9, 9};
    tdls_handle_t handle = open_handle();
    assert_int_equal(
        tdls_dgesv_coop_interleaved_batched(handle, 1, 1, A, 1, ipiv, B, 1, info, INT64_MAX, 3),
        TDLS_SUCCESS);
    for (int s = 0; s < 3; ++s) {
        assert_true(B[s] == (double)(1 << s));
        assert_int_equal(info[s], 0);
        assert_int_equal(ipiv[s], 1);
    }
    tdls_destroy(handle);
}

/* 2.2 million systems of order 32 in single precision: 2.25e9 elements. */
static void a_whole_batch(void **unused)
{
    (void)unused;
    enum { ORDER = 32 };
    const int64_t batch = 2200000, extent = ORDER * ORDER;
    float *A = malloc((size_t)(batch * extent) * sizeof *A);
    float *B = malloc((size_t)(batch * ORDER) * sizeof *B);
    int32_t *info = malloc((size_t)batch * sizeof *info);
    if (A == NULL || B == NULL || info == NULL)
        skip();
    uint64_t state = seed;
    enum { DISTINCT = 97 };
    for (int64_t e = 0; e < DISTINCT * extent; ++e)
        A[e] = (float)uniform(&state, -1, 1);
    for (int64_t e = 0; e < DISTINCT * ORDER; ++e)
        B[e] = (float)uniform(&state, -1, 1);
    static float b[DISTINCT][ORDER];
    memcpy(b, B, sizeof b);
    for (int64_t s = DISTINCT; s < batch; ++s) {
        memcpy(A + s * extent, A + s % DISTINCT * extent, (size_t)extent * sizeof *A);
        memcpy(B + s * ORDER, B + s % DISTINCT * ORDER, ORDER * sizeof *B);
    }
    tdls_handle_t handle = open_handle();
    assert_int_equal(tdls_sgesv_coop_strided_batched(handle, ORDER, 1, A, ORDER, extent, NULL, 0, B,
                                                     ORDER, ORDER, info, batch),
                     TDLS_SUCCESS);
    for (int64_t s = 0; s < DISTINCT; ++s) {
        float x[ORDER];
        memcpy(x, B + s * ORDER, sizeof x);
        for (int64_t q = s; q < batch; q += DISTINCT) {
            assert_memory_equal(B + q * ORDER, x, sizeof x);
            assert_int_equal(info[q], 0);
        }
        /* A was only read, so the plain loop can start from it; b is kept. */
        int32_t swaps[ORDER];
        assert_int_equal(types[0].factor(A + s * extent, ORDER, 1, 0, swaps), 0);
        types[0].solve(A + s * extent, ORDER, swaps, 0, b[s]);
        assert_memory_equal(b[s], x, sizeof x);
    }
    tdls_destroy(handle);
    free(A);
    free(B);
    free(info);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strided),
        cmocka_unit_test(interleaved),
        cmocka_unit_test(a_width_beyond_any_memory),
    };
    const struct CMUnitTest whole[] = {cmocka_unit_test(a_whole_batch)};
    if (argc > 1 && strcmp(argv[1], "whole") == 0)
        return run_program("offsets-whole", whole, COUNT_OF(whole));
    return run_program("offsets", tests, COUNT_OF(tests));
}
