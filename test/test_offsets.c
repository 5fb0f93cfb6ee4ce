/* SPDX-License-Identifier: BSD-3-Clause */
/* Offsets of more than 2^31 and 2^32 elements: a few systems far apart in memory of which only the
 * touched pages exist. With the argument "whole", a batch that is itself that large (9 GB). */
#define _GNU_SOURCE
#include "support.h"

#include <sys/mman.h>

enum { N = 3, SYSTEMS = 4 };

/* Memory for the handle's device of which hardly a page will be touched, or NULL. */
static void *reserve(tdls_handle_t handle, size_t bytes)
{
    void *memory = NULL;
    if (backend_under_test() != TDLS_BACKEND_CPU) {
        if (tdls_malloc(handle, (int64_t)bytes, &memory) != TDLS_SUCCESS)
            return NULL;
        return memory;
    }
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void give_back(tdls_handle_t handle, void *memory, size_t bytes)
{
    if (backend_under_test() != TDLS_BACKEND_CPU)
        assert_int_equal(tdls_free(handle, memory), TDLS_SUCCESS);
    else if (memory != NULL)
        munmap(memory, bytes);
}

/* The arrays of a call, all of one size. */
struct arrays {
    tdls_handle_t handle;
    size_t bytes;
    float *A, *B;
    int32_t *ipiv, *info;
};

static void free_arrays(struct arrays *arrays)
{
    give_back(arrays->handle, arrays->A, arrays->bytes);
    give_back(arrays->handle, arrays->B, arrays->bytes);
    give_back(arrays->handle, arrays->ipiv, arrays->bytes);
    assert_int_equal(tdls_free(arrays->handle, arrays->info), TDLS_SUCCESS);
    tdls_destroy(arrays->handle);
}

/* Skips the test where there is no such memory. */
static struct arrays make_arrays(size_t bytes)
{
    tdls_handle_t handle = open_handle();
    struct arrays arrays = {
        handle, bytes, reserve(handle, bytes), reserve(handle, bytes), reserve(handle, bytes),
        NULL};
    if (arrays.A == NULL || arrays.B == NULL || arrays.ipiv == NULL) {
        free_arrays(&arrays);
        skip();
    }
    void *info = NULL;
    assert_int_equal(tdls_malloc(handle, SYSTEMS * sizeof(int32_t), &info), TDLS_SUCCESS);
    arrays.info = info;
    return arrays;
}

static void put(tdls_handle_t handle, float *to, int value)
{
    const float number = (float)value;
    assert_int_equal(tdls_memcpy(handle, to, &number, sizeof number), TDLS_SUCCESS);
}

static float number_at(tdls_handle_t handle, const float *from)
{
    float number;
    assert_int_equal(tdls_memcpy(handle, &number, from, sizeof number), TDLS_SUCCESS);
    return number;
}

static int32_t integer_at(tdls_handle_t handle, const int32_t *from)
{
    int32_t integer;
    assert_int_equal(tdls_memcpy(handle, &integer, from, sizeof integer), TDLS_SUCCESS);
    return integer;
}

/* Systems at multiples of 2^31 + 11 elements: the last begins above 3 * 2^31. */
static void strided(void **unused)
{
    (void)unused;
    const int64_t stride = (INT64_C(1) << 31) + 11;
    struct arrays x = make_arrays((size_t)(SYSTEMS * stride) * sizeof(float));
    tdls_handle_t handle = x.handle;
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j) /* a cyclic shift */
                put(handle, x.A + s * stride + i + N * j, j == (i + 1) % N ? s + 1 : 0);
            put(handle, x.B + s * stride + i, (s + 1) * (i + 1));
        }
    assert_int_equal(tdls_sgesv_coop_strided_batched(handle, N, 1, x.A, N, stride, x.ipiv, stride,
                                                     x.B, N, stride, x.info, SYSTEMS),
                     TDLS_SUCCESS);
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            assert_int_equal(integer_at(handle, x.info + s), 0);
            assert_true(number_at(handle, x.B + s * stride + (i + 1) % N) == (float)(i + 1));
            assert_in_range(integer_at(handle, x.ipiv + s * stride + i), i + 1, N);
            assert_true(number_at(handle, x.A + s * stride + i + N * i) == (float)(s + 1));
        }
    free_arrays(&x);
}

/* One block of width 2^30 + 3: element 8 of a system lies above 2^33. */
static void interleaved(void **unused)
{
    (void)unused;
    const int64_t width = (INT64_C(1) << 30) + 3;
    struct arrays x = make_arrays((size_t)(N * N * width) * sizeof(float));
    tdls_handle_t handle = x.handle;
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            for (int j = 0; j < N; ++j)
                put(handle, x.A + (i + N * j) * width + s, j == (i + 1) % N ? s + 1 : 0);
            put(handle, x.B + i * width + s, (s + 1) * (i + 1));
        }
    assert_int_equal(tdls_sgesv_coop_interleaved_batched(handle, N, 1, x.A, N, x.ipiv, x.B, N,
                                                         x.info, width, SYSTEMS),
                     TDLS_SUCCESS);
    for (int s = 0; s < SYSTEMS; ++s)
        for (int i = 0; i < N; ++i) {
            assert_int_equal(integer_at(handle, x.info + s), 0);
            assert_true(number_at(handle, x.B + (i + 1) % N * width + s) == (float)(i + 1));
            assert_in_range(integer_at(handle, x.ipiv + i * width + s), i + 1, N);
        }
    free_arrays(&x);
}

/* A width near the end of int64 is legal when one block holds the batch and n = 1. */
static void a_width_beyond_any_memory(void **unused)
{
    (void)unused;
    struct arrays x = make_arrays(3 * sizeof(float));
    tdls_handle_t handle = x.handle;
    for (int s = 0; s < 3; ++s) {
        put(handle, x.A + s, 2 << s);
        put(handle, x.B + s, 2 << (2 * s));
    }
    assert_int_equal(tdls_sgesv_coop_interleaved_batched(handle, 1, 1, x.A, 1, x.ipiv, x.B, 1,
                                                         x.info, INT64_MAX, 3),
                     TDLS_SUCCESS);
    for (int s = 0; s < 3; ++s) {
        assert_true(number_at(handle, x.B + s) == (float)(1 << s));
        assert_int_equal(integer_at(handle, x.info + s), 0);
        assert_int_equal(integer_at(handle, x.ipiv + s), 1);
    }
    free_arrays(&x);
}

/* 2.2 million systems of order 32 in single precision: 2.25e9 elements. */
static void a_whole_batch(void **unused)
{
    (void)unused;
    only_on_the_cpu(); /* few devices have as much */
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
