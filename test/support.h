/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests share: both scalar types behind one interface, batches in every storage with
 * guards around them, the plain loop as oracle, and random matrices. */
#ifndef TDLS_TEST_SUPPORT_H
#define TDLS_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <tdls/tdls.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum storage { POINTERS, STRIDED, INTERLEAVED, STORAGES };
enum routine { GETRF, GETRS, GESV, ROUTINES };

extern const char *const storage_names[STORAGES];
extern const char *const routine_names[ROUTINES];

/* A scalar type. Values pass through double, which holds those of both types exactly. */
struct type {
    const char *name;
    size_t size;
    double epsilon; /* unit roundoff: half the distance from 1 to the next number */
    double smallest_normal;
    double largest;
    double (*get)(const void *array, size_t e);
    void (*set)(void *array, size_t e, double value);
    int32_t (*factor)(void *matrix, int32_t n, double threshold, double singular_floor,
                      int32_t *swaps);
    void (*solve)(const void *factors, int32_t n, const int32_t *swaps, int transposed, void *x);
};

extern const struct type types[2];

/* The arguments of a call, as the interface names them. Zero means the tight or usual value where
 * one exists: lda, ldb, the strides, trans, width (then SoA), layout, threshold. */
struct shape {
    const struct type *type;
    enum storage storage;
    int32_t layout;
    int32_t n, nrhs, lda, ldb;
    int64_t stride_a, stride_p, stride_b, width, batch;
};

/* A shape with memory. The arrays have guards before, behind and in every gap. */
struct batch {
    struct shape shape;
    int keep;                      /* ipiv is given */
    int a_null, b_null, info_null; /* NULL is passed instead */
    size_t a_count, b_count, p_count, info_count,
        pointer_count;    /* as created, whatever the shape */
    unsigned char *a, *b; /* whole arrays, guards included */
    int32_t *piv, *info;
    void **a_systems, **b_systems; /* of POINTERS */
};

struct batch *batch_create(struct shape shape);
struct batch *batch_copy(const struct batch *batch);
void batch_free(struct batch *batch);

/* Element numbers in the whole arrays: of A(i, j), of entry k of ipiv, of B(i, c). */
size_t a_index(const struct batch *batch, int64_t s, int32_t i, int32_t j);
size_t b_index(const struct batch *batch, int64_t s, int32_t i, int32_t c);
size_t p_index(const struct batch *batch, int64_t s, int32_t k);

double a_get(const struct batch *batch, int64_t s, int32_t i, int32_t j);
double b_get(const struct batch *batch, int64_t s, int32_t i, int32_t c);
void a_set(struct batch *batch, int64_t s, int32_t i, int32_t j, double value);
void b_set(struct batch *batch, int64_t s, int32_t i, int32_t c, double value);

/* Element (i, j) of S, the stored array read column-major. */
double s_get(const struct batch *batch, int64_t s, int32_t i, int32_t j);
void s_set(struct batch *batch, int64_t s, int32_t i, int32_t j, double value);

/* Calls a routine of the library on a batch. Of a device it gets copies of all arrays in memory of
 * the device, which come back when the call is done; a failure of that is the call's. */
tdls_status_t call(enum routine routine, tdls_handle_t handle, int32_t trans, struct batch *batch);

/* Does to a batch what the plain loop says, with the settings of the handle. */
void expect(enum routine routine, tdls_handle_t handle, int32_t trans, struct batch *batch);

/* Fails unless every element of every array is the same to the bit, NaN for NaN. */
void assert_same(const struct batch *got, const struct batch *expected);

/* Uniform random numbers. The seed of a program is printed by run_program. */
extern uint64_t seed;
double uniform(uint64_t *state, double low, double high);

/* Fills A and B: entries in (-1, 1), where half of the pivots or more move. */
void fill_random(struct batch *batch, uint64_t *state);

/* How much is to be left out of sweeps where each call takes long (TDLS_TEST_FEW): 0 nothing, 1
 * what others nearly repeat, 2 most. */
int few(void);

/* The backend under test: TDLS_TEST_BACKEND, by default "cpu". */
int32_t backend_under_test(void);

/* Skips a test, visibly, that is about the CPU alone. */
void only_on_the_cpu(void);

/* A handle of that backend. */
tdls_handle_t open_handle(void);

/* A handle with a batch's layout. */
tdls_handle_t open_handle_for(const struct shape *shape);

/* Runs the tests of a program. Where the forced instruction set is not there, all are skipped. */
int run_program(const char *name, const struct CMUnitTest *tests, size_t count);

/* A table of tests, one per combination of type, storage and layout, each given its shape. */
struct combination {
    struct shape shape;
    int32_t parameter;
    char name[96];
};
size_t add_combinations(struct CMUnitTest *tests, size_t count, struct combination *combinations,
                        const char *name, int32_t parameter, CMUnitTestFunction function);
enum { COMBINATIONS = 2 * STORAGES * 2 };

#endif
