/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <float.h>
#include <math.h>

#define T float
#define NAME(x) float_##x
#define ABS fabsf
#define FMA fmaf
#define SMALLEST_NORMAL FLT_MIN
#include "reference_typed.h"
#undef T
#undef NAME
#undef ABS
#undef FMA
#undef SMALLEST_NORMAL
#define T double
#define NAME(x) double_##x
#define ABS fabs
#define FMA fma
#define SMALLEST_NORMAL DBL_MIN
#include "reference_typed.h"

const char *const storage_names[STORAGES] = {"pointers", "strided", "interleaved"};
const char *const routine_names[ROUTINES] = {"getrf", "getrs", "gesv"};

const struct type types[2] = {
    {"float", sizeof(float), FLT_EPSILON / 2, FLT_MIN, FLT_MAX, float_get, float_set, float_factor,
     float_solve},
    {"double", sizeof(double), DBL_EPSILON / 2, DBL_MIN, DBL_MAX, double_get, double_set,
     double_factor, double_solve},
};

uint64_t seed = 20261201;

enum { GUARD = 7 }; /* elements before and behind an array */
static const double guard_value = -12345.5;
static const int32_t guard_swap = -77;

double uniform(uint64_t *state, double low, double high)
{
    /* xorshift64* of Vigna, "An experimental exploration of Marsaglia's xorshift generators" */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return low +
           (high - low) * (double)((*state * 2685821657736338717U) >> 11) / 9007199254740992.0;
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "the test has no memory\n");
        exit(1);
    }
    return memory;
}

static int row_major(const struct shape *shape)
{
    return shape->layout == TDLS_ROW_MAJOR;
}

static int64_t b_lines(const struct shape *shape)
{
    return row_major(shape) ? shape->n : shape->nrhs;
}

/* Number of elements that `batch` systems of `extent` take, the first at 0. */
static size_t elements(const struct shape *shape, int64_t stride, int64_t extent)
{
    if (shape->storage == INTERLEAVED) {
        const int64_t blocks = (shape->batch + shape->width - 1) / shape->width;
        return (size_t)(blocks * shape->width * extent);
    }
    return (size_t)((shape->batch > 0 ? (shape->batch - 1) * stride : 0) + extent);
}

static size_t index_of(const struct shape *shape, int64_t stride, int64_t extent, int64_t s,
                       int64_t e)
{
    if (shape->storage == INTERLEAVED)
        return (size_t)(GUARD + (s / shape->width) * shape->width * extent + e * shape->width +
                        s % shape->width);
    /* Pointer arrays visit the places in reverse order. */
    const int64_t place = shape->storage == POINTERS ? shape->batch - 1 - s : s;
    return (size_t)(GUARD + place * stride + e);
}

size_t a_index(const struct batch *batch, int64_t s, int32_t i, int32_t j)
{
    const struct shape *shape = &batch->shape;
    const int64_t e = row_major(shape) ? (int64_t)i * shape->lda + j : i + (int64_t)j * shape->lda;
    return index_of(shape, shape->stride_a, (int64_t)shape->lda * shape->n, s, e);
}

size_t b_index(const struct batch *batch, int64_t s, int32_t i, int32_t c)
{
    const struct shape *shape = &batch->shape;
    const int64_t e = row_major(shape) ? (int64_t)i * shape->ldb + c : i + (int64_t)c * shape->ldb;
    return index_of(shape, shape->stride_b, shape->ldb * b_lines(shape), s, e);
}

size_t p_index(const struct batch *batch, int64_t s, int32_t k)
{
    /* ipiv has no array of pointers: it is strided there too */
    struct shape shape = batch->shape;
    if (shape.storage == POINTERS)
        shape.storage = STRIDED;
    return index_of(&shape, shape.stride_p, shape.n, s, k);
}

double a_get(const struct batch *batch, int64_t s, int32_t i, int32_t j)
{
    return batch->shape.type->get(batch->a, a_index(batch, s, i, j));
}

double b_get(const struct batch *batch, int64_t s, int32_t i, int32_t c)
{
    return batch->shape.type->get(batch->b, b_index(batch, s, i, c));
}

void a_set(struct batch *batch, int64_t s, int32_t i, int32_t j, double value)
{
    batch->shape.type->set(batch->a, a_index(batch, s, i, j), value);
}

void b_set(struct batch *batch, int64_t s, int32_t i, int32_t c, double value)
{
    batch->shape.type->set(batch->b, b_index(batch, s, i, c), value);
}

double s_get(const struct batch *batch, int64_t s, int32_t i, int32_t j)
{
    return row_major(&batch->shape) ? a_get(batch, s, j, i) : a_get(batch, s, i, j);
}

void s_set(struct batch *batch, int64_t s, int32_t i, int32_t j, double value)
{
    if (row_major(&batch->shape))
        a_set(batch, s, j, i, value);
    else
        a_set(batch, s, i, j, value);
}

static void point_at_systems(struct batch *batch)
{
    const struct shape *shape = &batch->shape;
    batch->a_systems = checked(calloc(batch->pointer_count, sizeof(void *)));
    batch->b_systems = checked(calloc(batch->pointer_count, sizeof(void *)));
    if (shape->storage != POINTERS)
        return;
    for (int64_t s = 0; s < shape->batch; ++s) {
        batch->a_systems[s] = batch->a + a_index(batch, s, 0, 0) * shape->type->size;
        batch->b_systems[s] = batch->b + b_index(batch, s, 0, 0) * shape->type->size;
    }
}

struct batch *batch_create(struct shape shape)
{
    struct batch *batch = checked(calloc(1, sizeof *batch));
    if (shape.layout == 0)
        shape.layout = TDLS_COL_MAJOR;
    if (shape.lda == 0)
        shape.lda = shape.n > 1 ? shape.n : 1;
    const int32_t least_ldb = row_major(&shape) ? shape.nrhs : shape.n;
    if (shape.ldb == 0)
        shape.ldb = least_ldb > 1 ? least_ldb : 1;
    if (shape.stride_a == 0)
        shape.stride_a = (int64_t)shape.lda * shape.n;
    if (shape.stride_p == 0)
        shape.stride_p = shape.n;
    if (shape.stride_b == 0)
        shape.stride_b = shape.ldb * b_lines(&shape);
    if (shape.width == 0)
        shape.width = shape.batch > 0 ? shape.batch : 1;
    batch->shape = shape;
    batch->keep = 1;
    batch->a_count = 2 * GUARD + elements(&shape, shape.stride_a, (int64_t)shape.lda * shape.n);
    batch->b_count = 2 * GUARD + elements(&shape, shape.stride_b, shape.ldb * b_lines(&shape));
    batch->p_count = 2 * GUARD + elements(&shape, shape.stride_p, shape.n);
    batch->info_count = batch->pointer_count = (size_t)shape.batch + 1;
    batch->a = checked(malloc(batch->a_count * shape.type->size));
    batch->b = checked(malloc(batch->b_count * shape.type->size));
    batch->piv = checked(malloc(batch->p_count * sizeof(int32_t)));
    batch->info = checked(malloc(batch->info_count * sizeof(int32_t)));
    for (size_t e = 0; e < batch->a_count; ++e)
        shape.type->set(batch->a, e, guard_value);
    for (size_t e = 0; e < batch->b_count; ++e)
        shape.type->set(batch->b, e, guard_value);
    for (size_t e = 0; e < batch->p_count; ++e)
        batch->piv[e] = guard_swap;
    for (size_t s = 0; s < batch->info_count; ++s)
        batch->info[s] = guard_swap;
    point_at_systems(batch);
    return batch;
}

static void *duplicate(const void *from, size_t bytes)
{
    return memcpy(checked(malloc(bytes)), from, bytes);
}

struct batch *batch_copy(const struct batch *batch)
{
    struct batch *copy = duplicate(batch, sizeof *batch);
    copy->a = duplicate(batch->a, batch->a_count * batch->shape.type->size);
    copy->b = duplicate(batch->b, batch->b_count * batch->shape.type->size);
    copy->piv = duplicate(batch->piv, batch->p_count * sizeof(int32_t));
    copy->info = duplicate(batch->info, batch->info_count * sizeof(int32_t));
    point_at_systems(copy);
    return copy;
}

void batch_free(struct batch *batch)
{
    free(batch->a);
    free(batch->b);
    free(batch->piv);
    free(batch->info);
    free(batch->a_systems);
    free(batch->b_systems);
    free(batch);
}

void fill_random(struct batch *batch, uint64_t *state)
{
    const struct shape *shape = &batch->shape;
    for (int64_t s = 0; s < shape->batch; ++s) {
        for (int32_t i = 0; i < shape->n; ++i)
            for (int32_t j = 0; j < shape->n; ++j)
                a_set(batch, s, i, j, uniform(state, -1, 1));
        for (int32_t i = 0; i < shape->n; ++i)
            for (int32_t c = 0; c < shape->nrhs; ++c)
                b_set(batch, s, i, c, uniform(state, -1, 1));
    }
}

/* One call of the interface for a type with prefix x. */
#define CALL(x, T)                                                                                 \
    static tdls_status_t call_##x(enum routine routine, tdls_handle_t handle, int32_t trans,       \
                                  struct batch *t)                                                 \
    {                                                                                              \
        const struct shape *h = &t->shape;                                                         \
        T *a = t->a_null ? NULL : (T *)(void *)t->a + GUARD;                                       \
        T *b = t->b_null ? NULL : (T *)(void *)t->b + GUARD;                                       \
        T *const *as = t->a_null ? NULL : (T *const *)t->a_systems;                                \
        T *const *bs = t->b_null ? NULL : (T *const *)t->b_systems;                                \
        int32_t *piv = t->keep ? t->piv + GUARD : NULL, *info = t->info_null ? NULL : t->info;     \
        switch ((int)h->storage * ROUTINES + (int)routine) {                                       \
        case POINTERS *ROUTINES + GETRF:                                                           \
            return tdls_##x##getrf_coop_batched(handle, h->n, as, h->lda, piv, h->stride_p, info,  \
                                                h->batch);                                         \
        case POINTERS *ROUTINES + GETRS:                                                           \
            return tdls_##x##getrs_coop_batched(handle, trans, h->n, h->nrhs, as, h->lda, piv,     \
                                                h->stride_p, bs, h->ldb, h->batch);                \
        case POINTERS *ROUTINES + GESV:                                                            \
            return tdls_##x##gesv_coop_batched(handle, h->n, h->nrhs, as, h->lda, piv,             \
                                               h->stride_p, bs, h->ldb, info, h->batch);           \
        case STRIDED *ROUTINES + GETRF:                                                            \
            return tdls_##x##getrf_coop_strided_batched(handle, h->n, a, h->lda, h->stride_a, piv, \
                                                        h->stride_p, info, h->batch);              \
        case STRIDED *ROUTINES + GETRS:                                                            \
            return tdls_##x##getrs_coop_strided_batched(handle, trans, h->n, h->nrhs, a, h->lda,   \
                                                        h->stride_a, piv, h->stride_p, b, h->ldb,  \
                                                        h->stride_b, h->batch);                    \
        case STRIDED *ROUTINES + GESV:                                                             \
            return tdls_##x##gesv_coop_strided_batched(handle, h->n, h->nrhs, a, h->lda,           \
                                                       h->stride_a, piv, h->stride_p, b, h->ldb,   \
                                                       h->stride_b, info, h->batch);               \
        case INTERLEAVED *ROUTINES + GETRF:                                                        \
            return tdls_##x##getrf_coop_interleaved_batched(handle, h->n, a, h->lda, piv, info,    \
                                                            h->width, h->batch);                   \
        case INTERLEAVED *ROUTINES + GETRS:                                                        \
            return tdls_##x##getrs_coop_interleaved_batched(                                       \
                handle, trans, h->n, h->nrhs, a, h->lda, piv, b, h->ldb, h->width, h->batch);      \
        default:                                                                                   \
            return tdls_##x##gesv_coop_interleaved_batched(handle, h->n, h->nrhs, a, h->lda, piv,  \
                                                           b, h->ldb, info, h->width, h->batch);   \
        }                                                                                          \
    }

CALL(s, float)
CALL(d, double)

static tdls_status_t call_here(enum routine routine, tdls_handle_t handle, int32_t trans,
                               struct batch *batch)
{
    return (batch->shape.type == &types[0] ? call_s : call_d)(routine, handle, trans, batch);
}

/* One array of a batch, and its copy on the device. */
struct mirror {
    void *here;
    size_t bytes;
    void **there;
};

static tdls_status_t copy_all(tdls_handle_t handle, const struct mirror *mirrors, size_t count,
                              int back)
{
    tdls_status_t status = TDLS_SUCCESS;
    for (size_t i = 0; i < count && status == TDLS_SUCCESS; ++i)
        status = back ? tdls_memcpy(handle, mirrors[i].here, *mirrors[i].there,
                                    (int64_t)mirrors[i].bytes)
                      : tdls_memcpy(handle, *mirrors[i].there, mirrors[i].here,
                                    (int64_t)mirrors[i].bytes);
    return status;
}

/* Pointers into one array as pointers into another. */
static void **pointers_into(const unsigned char *other, const unsigned char *array,
                            void *const *pointers, size_t count)
{
    void **moved = checked(calloc(count, sizeof *moved));
    for (size_t i = 0; i < count; ++i)
        if (pointers[i] != NULL)
            moved[i] = (void *)(other + ((const unsigned char *)pointers[i] - array));
    return moved;
}

static tdls_status_t call_there(enum routine routine, tdls_handle_t handle, int32_t trans,
                                struct batch *batch)
{
    struct batch there = *batch;
    there.a = there.b = NULL;
    there.piv = there.info = NULL;
    there.a_systems = there.b_systems = NULL;
    void *piv = NULL, *info = NULL, *a = NULL, *b = NULL, *a_systems = NULL, *b_systems = NULL;
    const size_t pointers = batch->pointer_count * sizeof(void *);
    struct mirror mirrors[] = {{batch->a, batch->a_count * batch->shape.type->size, &a},
                               {batch->b, batch->b_count * batch->shape.type->size, &b},
                               {batch->piv, batch->p_count * sizeof(int32_t), &piv},
                               {batch->info, batch->info_count * sizeof(int32_t), &info},
                               {NULL, pointers, &a_systems},
                               {NULL, pointers, &b_systems}};
    const size_t count = COUNT_OF(mirrors);
    tdls_status_t status = TDLS_SUCCESS;
    for (size_t i = 0; i < count && status == TDLS_SUCCESS; ++i)
        status = tdls_malloc(handle, (int64_t)mirrors[i].bytes, mirrors[i].there);
    if (status == TDLS_SUCCESS) {
        there.a = a;
        there.b = b;
        there.piv = piv;
        there.info = info;
        there.a_systems = a_systems;
        there.b_systems = b_systems;
        mirrors[4].here = pointers_into(a, batch->a, batch->a_systems, batch->pointer_count);
        mirrors[5].here = pointers_into(b, batch->b, batch->b_systems, batch->pointer_count);
        status = copy_all(handle, mirrors, count, 0);
    }
    tdls_status_t returned = status;
    if (status == TDLS_SUCCESS) {
        returned = call_here(routine, handle, trans, &there);
        status = tdls_synchronize(handle);
    }
    if (status == TDLS_SUCCESS)
        status = copy_all(handle, mirrors, 4, 1); /* not the pointers */
    free(mirrors[4].here);
    free(mirrors[5].here);
    for (size_t i = 0; i < count; ++i) {
        const tdls_status_t freed = tdls_free(handle, *mirrors[i].there);
        status = status != TDLS_SUCCESS ? status : freed;
    }
    return returned != TDLS_SUCCESS ? returned : status;
}

tdls_status_t call(enum routine routine, tdls_handle_t handle, int32_t trans, struct batch *batch)
{
    const int here = handle == NULL || backend_under_test() == TDLS_BACKEND_CPU;
    return (here ? call_here : call_there)(routine, handle, trans, batch);
}

void expect(enum routine routine, tdls_handle_t handle, int32_t trans, struct batch *batch)
{
    const struct shape *shape = &batch->shape;
    const struct type *type = shape->type;
    const int32_t n = shape->n;
    double threshold, singular_floor;
    assert_int_equal(tdls_get_pivot_threshold(handle, &threshold), TDLS_SUCCESS);
    assert_int_equal(tdls_get_singular_floor(handle, &singular_floor), TDLS_SUCCESS);
    void *matrix = checked(malloc(((size_t)n * (size_t)n + 1) * type->size));
    void *x = checked(malloc(((size_t)n + 1) * type->size));
    int32_t *swaps = checked(malloc(((size_t)n + 1) * sizeof *swaps));
    const int transposed = row_major(shape) ? trans == TDLS_NO_TRANS : trans != TDLS_NO_TRANS;
    for (int64_t s = 0; s < shape->batch; ++s) {
        int32_t info = 0;
        for (int32_t j = 0; j < n; ++j)
            for (int32_t i = 0; i < n; ++i)
                type->set(matrix, (size_t)j * (size_t)n + (size_t)i, s_get(batch, s, i, j));
        if (routine == GETRS) {
            for (int32_t k = 0; k < n; ++k)
                swaps[k] = batch->piv[p_index(batch, s, k)];
        } else {
            info = type->factor(matrix, n, threshold, singular_floor, swaps);
            batch->info[s] = info;
        }
        if (routine != GETRS && batch->keep) {
            for (int32_t j = 0; j < n; ++j)
                for (int32_t i = 0; i < n; ++i)
                    s_set(batch, s, i, j, type->get(matrix, (size_t)j * (size_t)n + (size_t)i));
            for (int32_t k = 0; k < n; ++k)
                batch->piv[p_index(batch, s, k)] = swaps[k];
        }
        for (int32_t c = 0; routine != GETRF && info == 0 && c < shape->nrhs; ++c) {
            for (int32_t i = 0; i < n; ++i)
                type->set(x, (size_t)i, b_get(batch, s, i, c));
            type->solve(matrix, n, swaps, transposed, x);
            for (int32_t i = 0; i < n; ++i)
                b_set(batch, s, i, c, type->get(x, (size_t)i));
        }
    }
    free(matrix);
    free(x);
    free(swaps);
}

static void same_values(const struct type *type, const unsigned char *got,
                        const unsigned char *expected, size_t count, const char *name)
{
    /* An emulator's fused operations may lose the sign of a zero (see ./dev test --valgrind). */
    const int any_zero = getenv("TDLS_TEST_ZEROS") != NULL;
    for (size_t e = 0; e < count; ++e) {
        const double g = type->get(got, e), x = type->get(expected, e);
        if (memcmp(got + e * type->size, expected + e * type->size, type->size) != 0 &&
            !(isnan(g) && isnan(x)) && !(any_zero && g == x))
            fail_msg("%s: element %zu of %zu is %a, not %a", name, e, count, g, x);
    }
}

static void same_integers(const int32_t *got, const int32_t *expected, size_t count,
                          const char *name)
{
    for (size_t e = 0; e < count; ++e)
        if (got[e] != expected[e])
            fail_msg("%s: element %zu of %zu is %d, not %d", name, e, count, got[e], expected[e]);
}

void assert_same(const struct batch *got, const struct batch *expected)
{
    const struct type *type = got->shape.type;
    same_values(type, got->a, expected->a, got->a_count, "A");
    same_values(type, got->b, expected->b, got->b_count, "B");
    same_integers(got->piv, expected->piv, got->p_count, "ipiv");
    same_integers(got->info, expected->info, got->info_count, "info");
}

int few(void)
{
    const char *given = getenv("TDLS_TEST_FEW");
    return given == NULL ? 0 : atoi(given) > 1 ? 2 : 1;
}

int32_t backend_under_test(void)
{
    const char *name = getenv("TDLS_TEST_BACKEND");
    return tdls_backend_from_name(name != NULL ? name : "cpu");
}

void only_on_the_cpu(void)
{
    if (backend_under_test() != TDLS_BACKEND_CPU)
        skip();
}

tdls_handle_t open_handle(void)
{
    tdls_handle_t handle;
    if (tdls_create(backend_under_test(), 0, &handle) != TDLS_SUCCESS)
        fail_msg("%s", tdls_last_error(NULL));
    return handle;
}

tdls_handle_t open_handle_for(const struct shape *shape)
{
    tdls_handle_t handle = open_handle();
    assert_int_equal(tdls_set_layout(handle, shape->layout), TDLS_SUCCESS);
    return handle;
}

int run_program(const char *name, const struct CMUnitTest *tests, size_t count)
{
    const char *given = getenv("TDLS_TEST_SEED");
    if (given != NULL)
        seed = strtoull(given, NULL, 10) | 1;
    tdls_handle_t handle;
    const tdls_status_t status = tdls_create(backend_under_test(), 0, &handle);
    if (status == TDLS_ERR_NOT_SUPPORTED || status == TDLS_ERR_NO_DEVICE) {
        printf("TAP version 13\n1..%zu\n", count);
        for (size_t i = 0; i < count; ++i)
            printf("ok %zu - %s # SKIP %s\n", i + 1, tests[i].name, tdls_last_error(NULL));
        return 0;
    }
    char device[256] = "?";
    if (status == TDLS_SUCCESS)
        tdls_device_name(handle, device, sizeof device);
    tdls_destroy(handle);
    fprintf(stderr, "# %s on %s, TDLS_TEST_SEED=%llu\n", name, device, (unsigned long long)seed);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return _cmocka_run_group_tests(name, tests, count, NULL, NULL);
}

size_t add_combinations(struct CMUnitTest *tests, size_t count, struct combination *combinations,
                        const char *name, int32_t parameter, CMUnitTestFunction function)
{
    static const int32_t layouts[] = {TDLS_COL_MAJOR, TDLS_ROW_MAJOR};
    for (size_t t = 0; t < COUNT_OF(types); ++t)
        for (int storage = 0; storage < STORAGES; ++storage)
            for (size_t l = 0; l < COUNT_OF(layouts); ++l) {
                struct combination *c = combinations + count;
                c->shape = (struct shape){
                    .type = &types[t], .storage = (enum storage)storage, .layout = layouts[l]};
                c->parameter = parameter;
                snprintf(c->name, sizeof c->name, "%s, %s, %s, %s", name, types[t].name,
                         storage_names[storage], l == 0 ? "column-major" : "row-major");
                tests[count++] = (struct CMUnitTest){c->name, function, NULL, NULL, c};
            }
    return count;
}
