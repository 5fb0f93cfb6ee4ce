/* SPDX-License-Identifier: BSD-3-Clause */
/* Random systems through a device and through the CPU backend: the same bits, padding included. The
 * public interface alone, so that it runs wherever the library does. Speaks TAP.
 * usage: compare_backends BACKEND [--quick | --small] [--orders N,N,...] [--seed N]
 *   --quick  fewer orders and systems (the emulated device)
 *   --small  fewer still, with arrays that end where the last system does (compute-sanitizer) */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tdls/tdls.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum storage { POINTERS, STRIDED, INTERLEAVED, STORAGES };
enum task { GETRF, GETRS, GESV_KEEP, GESV, TASKS };
enum type { FLOAT, DOUBLE, TYPES };

static const char *const storage_names[STORAGES] = {"pointers", "strided", "interleaved"};
static const char *const task_names[TASKS] = {"getrf", "getrs", "gesv", "gesv without ipiv"};
static const char *const type_names[TYPES] = {"float", "double"};
static const size_t type_sizes[TYPES] = {sizeof(float), sizeof(double)};

/* A call, by the names of its arguments. */
struct problem {
    enum type type;
    enum storage storage;
    enum task task;
    int32_t layout, trans, n, nrhs, lda, ldb, rows;
    int64_t stride_a, stride_b, stride_p, width, batch;
    int64_t skew; /* elements that lie before A and B: element alignment is all that they need */
};

enum array { A, B, IPIV, INFO, A_SYSTEMS, B_SYSTEMS, ARRAYS };

/* Arrays in memory of the host, or of a handle's device. */
struct arrays {
    void *memory[ARRAYS];
    size_t bytes[ARRAYS];
};

/* A handle and its arrays, which are kept from call to call. */
struct side {
    tdls_handle_t handle;
    struct arrays arrays;
};

static int exact_arrays;
static uint64_t seed = 20261201;

static void give_up(const char *what, const char *why)
{
    printf("Bail out! %s: %s\n", what, why);
    exit(1);
}

static void must(tdls_handle_t handle, tdls_status_t status, const char *what)
{
    if (status != TDLS_SUCCESS)
        give_up(what, tdls_last_error(handle));
}

static void *host_memory(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL)
        give_up("memory", "there is none left");
    return memory;
}

static double uniform(uint64_t *state)
{
    /* xorshift64* of Vigna, "An experimental exploration of Marsaglia's xorshift generators" */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717U) >> 11) / 4503599627370496.0 - 1;
}

/* ---- Where things are ------------------------------------------------------------------------ */

static int64_t a_extent(const struct problem *p)
{
    return (int64_t)p->lda * p->n;
}

static int64_t b_extent(const struct problem *p)
{
    return (int64_t)p->ldb * (p->layout == TDLS_ROW_MAJOR ? p->n : p->nrhs);
}

/* Number of elements of an operand, from its first to its last. */
static size_t span(const struct problem *p, enum storage storage, int64_t stride, int64_t extent)
{
    if (storage == INTERLEAVED) {
        const int64_t blocks = (p->batch + p->width - 1) / p->width;
        return (size_t)(blocks * p->width * extent);
    }
    return (size_t)((p->batch - 1) * stride + extent);
}

/* Element e of the matrix of system s, counted from A. Pointer arrays go backwards. */
static size_t a_place(const struct problem *p, int64_t s, int64_t e)
{
    if (p->storage == INTERLEAVED)
        return (size_t)(s / p->width * p->width * a_extent(p) + e * p->width + s % p->width);
    return (size_t)((p->storage == POINTERS ? p->batch - 1 - s : s) * p->stride_a + e);
}

static void measure_arrays(const struct problem *p, size_t *bytes)
{
    const size_t size = type_sizes[p->type];
    const enum storage pivots = p->storage == INTERLEAVED ? INTERLEAVED : STRIDED;
    bytes[A] = ((size_t)p->skew + span(p, p->storage, p->stride_a, a_extent(p))) * size;
    bytes[B] = ((size_t)p->skew + span(p, p->storage, p->stride_b, b_extent(p))) * size;
    bytes[IPIV] = span(p, pivots, p->stride_p, p->n) * sizeof(int32_t);
    bytes[INFO] = (size_t)p->batch * sizeof(int32_t);
    bytes[A_SYSTEMS] = bytes[B_SYSTEMS] =
        p->storage == POINTERS ? (size_t)p->batch * sizeof(void *) : 0;
}

/* ---- A call ---------------------------------------------------------------------------------- */

#define CALL(x, T)                                                                                 \
    static tdls_status_t call_##x(tdls_handle_t h, const struct problem *p, void *const *memory)   \
    {                                                                                              \
        T *a = (T *)memory[A] + p->skew, *b = (T *)memory[B] + p->skew;                            \
        T *const *as = (T *const *)memory[A_SYSTEMS];                                              \
        T *const *bs = (T *const *)memory[B_SYSTEMS];                                              \
        int32_t *ipiv = p->task == GESV ? NULL : (int32_t *)memory[IPIV];                          \
        int32_t *info = (int32_t *)memory[INFO];                                                   \
        switch (p->storage) {                                                                      \
        case POINTERS:                                                                             \
            return p->task == GETRF ? tdls_##x##getrf_coop_batched(h, p->n, as, p->lda, ipiv,      \
                                                                   p->stride_p, info, p->batch)    \
                   : p->task == GETRS                                                              \
                       ? tdls_##x##getrs_coop_batched(h, p->trans, p->n, p->nrhs, as, p->lda,      \
                                                      ipiv, p->stride_p, bs, p->ldb, p->batch)     \
                       : tdls_##x##gesv_coop_batched(h, p->n, p->nrhs, as, p->lda, ipiv,           \
                                                     p->stride_p, bs, p->ldb, info, p->batch);     \
        case STRIDED:                                                                              \
            return p->task == GETRF                                                                \
                       ? tdls_##x##getrf_coop_strided_batched(h, p->n, a, p->lda, p->stride_a,     \
                                                              ipiv, p->stride_p, info, p->batch)   \
                   : p->task == GETRS                                                              \
                       ? tdls_##x##getrs_coop_strided_batched(                                     \
                             h, p->trans, p->n, p->nrhs, a, p->lda, p->stride_a, ipiv,             \
                             p->stride_p, b, p->ldb, p->stride_b, p->batch)                        \
                       : tdls_##x##gesv_coop_strided_batched(h, p->n, p->nrhs, a, p->lda,          \
                                                             p->stride_a, ipiv, p->stride_p, b,    \
                                                             p->ldb, p->stride_b, info, p->batch); \
        default:                                                                                   \
            return p->task == GETRF ? tdls_##x##getrf_coop_interleaved_batched(                    \
                                          h, p->n, a, p->lda, ipiv, info, p->width, p->batch)      \
                   : p->task == GETRS                                                              \
                       ? tdls_##x##getrs_coop_interleaved_batched(h, p->trans, p->n, p->nrhs, a,   \
                                                                  p->lda, ipiv, b, p->ldb,         \
                                                                  p->width, p->batch)              \
                       : tdls_##x##gesv_coop_interleaved_batched(h, p->n, p->nrhs, a, p->lda,      \
                                                                 ipiv, b, p->ldb, info, p->width,  \
                                                                 p->batch);                        \
        }                                                                                          \
    }

CALL(s, float)
CALL(d, double)

static void hold(struct side *side, enum array which, size_t bytes)
{
    struct arrays *own = &side->arrays;
    if (exact_arrays ? own->bytes[which] != bytes : own->bytes[which] < bytes) {
        must(side->handle, tdls_free(side->handle, own->memory[which]), "freeing");
        own->memory[which] = NULL;
        own->bytes[which] = bytes;
        must(side->handle, tdls_malloc(side->handle, (int64_t)bytes, &own->memory[which]),
             "memory of the device");
    }
}

/* Puts the arrays on the side's device, calls, and brings them back. */
static tdls_status_t run(struct side *side, const struct problem *p, struct arrays *host)
{
    const size_t size = type_sizes[p->type];
    tdls_handle_t handle = side->handle;
    for (int array = 0; array < ARRAYS; ++array)
        hold(side, (enum array)array, host->bytes[array]);
    if (p->storage == POINTERS)
        for (int64_t s = 0; s < p->batch; ++s) {
            const int64_t place = p->batch - 1 - s;
            ((void **)host->memory[A_SYSTEMS])[s] =
                (char *)side->arrays.memory[A] + (size_t)(p->skew + place * p->stride_a) * size;
            ((void **)host->memory[B_SYSTEMS])[s] =
                (char *)side->arrays.memory[B] + (size_t)(p->skew + place * p->stride_b) * size;
        }
    for (int array = 0; array < ARRAYS; ++array)
        must(handle,
             tdls_memcpy(handle, side->arrays.memory[array], host->memory[array],
                         (int64_t)host->bytes[array]),
             "copying to the device");
    must(handle, tdls_set_layout(handle, p->layout), "the layout");
    must(handle, tdls_set_rows_per_thread(handle, p->rows), "rows per thread");
    tdls_status_t status = (p->type == FLOAT ? call_s : call_d)(handle, p, side->arrays.memory);
    if (status == TDLS_SUCCESS)
        status = tdls_synchronize(handle);
    for (int array = A; array <= INFO && status == TDLS_SUCCESS; ++array)
        status = tdls_memcpy(handle, host->memory[array], side->arrays.memory[array],
                             (int64_t)host->bytes[array]);
    return status;
}

/* ---- Data ------------------------------------------------------------------------------------ */

static double get(enum type type, const void *array, size_t e)
{
    return type == FLOAT ? (double)((const float *)array)[e] : ((const double *)array)[e];
}

static void set(enum type type, void *array, size_t e, double value)
{
    if (type == FLOAT)
        ((float *)array)[e] = (float)value;
    else
        ((double *)array)[e] = value;
}

/* Some systems that are not like the others, by their number. */
static void make_special(const struct problem *p, void *a, int64_t s, uint64_t *state)
{
    enum { KINDS = 13 };
    for (int32_t j = 0; j < p->n; ++j)
        for (int32_t i = 0; i < p->n; ++i) {
            const size_t e = (size_t)p->skew + a_place(p, s, i + (int64_t)j * p->lda);
            const double value = get(p->type, a, e);
            switch (s % KINDS) {
            case 2: /* singular: a row of zeros */
                if (i == p->n / 2)
                    set(p->type, a, e, 0);
                break;
            case 4: /* pivots of equal magnitude, also singular ones */
                set(p->type, a, e, floor(3 * uniform(state)));
                break;
            case 6: /* subnormal numbers */
                set(p->type, a, e, ldexp(value, p->type == FLOAT ? -135 : -1040));
                break;
            case 8:
                if (i == j && j == p->n / 3)
                    set(p->type, a, e, NAN);
                break;
            case 10:
                if (i == p->n - 1 && j == p->n / 2)
                    set(p->type, a, e, HUGE_VAL);
                break;
            case 12: /* rows of very different sizes */
                set(p->type, a, e, ldexp(value, (i * 37) % 60 - 30));
                break;
            default:
                break;
            }
        }
}

static struct arrays make_arrays(const struct problem *p, uint64_t *state)
{
    struct arrays made;
    measure_arrays(p, made.bytes);
    for (int array = 0; array < ARRAYS; ++array)
        made.memory[array] = host_memory(made.bytes[array]);
    /* Padding, too, is filled, and compared. */
    for (size_t e = 0; e < made.bytes[A] / type_sizes[p->type]; ++e)
        set(p->type, made.memory[A], e, uniform(state));
    for (size_t e = 0; e < made.bytes[B] / type_sizes[p->type]; ++e)
        set(p->type, made.memory[B], e, uniform(state));
    for (size_t e = 0; e < made.bytes[IPIV] / sizeof(int32_t); ++e)
        ((int32_t *)made.memory[IPIV])[e] = -77;
    for (size_t e = 0; e < made.bytes[INFO] / sizeof(int32_t); ++e)
        ((int32_t *)made.memory[INFO])[e] = -78;
    for (int64_t s = 0; s < p->batch; ++s)
        make_special(p, made.memory[A], s, state);
    return made;
}

static struct arrays copy_arrays(const struct arrays *from)
{
    struct arrays copy = *from;
    for (int array = 0; array < ARRAYS; ++array) {
        copy.memory[array] = host_memory(copy.bytes[array]);
        memcpy(copy.memory[array], from->memory[array], copy.bytes[array]);
    }
    return copy;
}

static void free_arrays(struct arrays *arrays)
{
    for (int array = 0; array < ARRAYS; ++array)
        free(arrays->memory[array]);
}

/* ---- Comparison ------------------------------------------------------------------------------ */

static void say_problem(const struct problem *p)
{
    printf("# %s %s %s, %s-major, trans %d, n %d, nrhs %d, lda %d, ldb %d, strides %lld %lld %lld, "
           "width %lld, batch %lld, rows_per_thread %d, --seed %llu\n",
           type_names[p->type], task_names[p->task], storage_names[p->storage],
           p->layout == TDLS_ROW_MAJOR ? "row" : "column", p->trans, p->n, p->nrhs, p->lda, p->ldb,
           (long long)p->stride_a, (long long)p->stride_b, (long long)p->stride_p,
           (long long)p->width, (long long)p->batch, p->rows, (unsigned long long)seed);
}

/* Whether the arrays hold the same bits; where both are NaN, that is the same. */
static int same(const struct problem *p, const struct arrays *got, const struct arrays *expected)
{
    static const char *const names[] = {"A", "B", "ipiv", "info"};
    for (int array = A; array <= INFO; ++array) {
        const char *g = got->memory[array], *x = expected->memory[array];
        if (memcmp(g, x, got->bytes[array]) == 0)
            continue;
        const size_t size = array <= B ? type_sizes[p->type] : sizeof(int32_t);
        for (size_t e = 0; e < got->bytes[array] / size; ++e) {
            if (memcmp(g + e * size, x + e * size, size) == 0)
                continue;
            if (array > B) {
                say_problem(p);
                printf("#   %s[%zu] is %d, on the CPU %d\n", names[array], e,
                       ((const int32_t *)(const void *)g)[e],
                       ((const int32_t *)(const void *)x)[e]);
                return 0;
            }
            const double of_device = get(p->type, g, e), of_cpu = get(p->type, x, e);
            if (isnan(of_device) && isnan(of_cpu))
                continue;
            say_problem(p);
            printf("#   %s[%zu] (%lld before the array) is %a, on the CPU %a\n", names[array], e,
                   (long long)p->skew, of_device, of_cpu);
            return 0;
        }
    }
    return 1;
}

static struct side device, cpu;

static int compare(const struct problem *p)
{
    /* From the arguments alone, so that --orders leaves the data of an order as they are. */
    const uint64_t kind = (uint64_t)p->type + 2 * (uint64_t)p->storage + 6 * (uint64_t)p->task;
    uint64_t state = seed + (uint64_t)p->n * 0x9E3779B97F4A7C15U + kind * 0xD1B54A32D192ED03U;
    state |= 1;
    struct arrays expected = make_arrays(p, &state);
    if (p->task == GETRS) {
        struct problem factor = *p;
        factor.task = GETRF;
        must(cpu.handle, run(&cpu, &factor, &expected), "getrf on the CPU");
    }
    struct arrays got = copy_arrays(&expected);
    must(cpu.handle, run(&cpu, p, &expected), "the call on the CPU");
    const tdls_status_t status = run(&device, p, &got);
    int good = 0;
    if (status == TDLS_SUCCESS) {
        good = same(p, &got, &expected);
    } else {
        say_problem(p);
        printf("#   returns %d: %s\n", status, tdls_last_error(device.handle));
    }
    free_arrays(&expected);
    free_arrays(&got);
    return good;
}

/* The arguments vary with n, so that all shapes are met without all combinations. */
static struct problem shape(enum type type, enum storage storage, enum task task, int32_t layout,
                            int32_t trans, int32_t n, int64_t batch)
{
    struct problem p = {.type = type,
                        .storage = storage,
                        .task = task,
                        .layout = layout,
                        .trans = trans,
                        .n = n,
                        .batch = batch,
                        .skew = n % 2};
    static const int32_t columns[] = {1, 2, 5};
    const int64_t widths[] = {batch, 8, 1, 32, 5};
    p.nrhs = columns[(n + (int)type) % 3];
    p.lda = n + (n % 4 == 1);
    p.ldb = (layout == TDLS_ROW_MAJOR ? p.nrhs : n) + (n % 5 == 2);
    p.stride_a = a_extent(&p) + 3 * (n % 2);
    p.stride_b = b_extent(&p) + (n % 3 == 0);
    p.stride_p = n + (n % 3 == 1);
    p.width = widths[(n + (layout == TDLS_ROW_MAJOR)) % 5];
    return p;
}

/* ---- What is compared ------------------------------------------------------------------------ */

enum size { WHOLE, QUICK, SMALL };
static enum size size = WHOLE;
static int32_t orders[2048];
static int order_count, chosen_orders;
static int lines, failures;

static int64_t batch_for(int32_t n)
{
    static const int64_t systems[3][4] = {{147, 67, 17, 3}, {37, 7, 3, 2}, {35, 7, 3, 3}};
    return systems[size][n <= 16 ? 0 : n <= 64 ? 1 : n <= 200 ? 2 : 3];
}

static void report(int good, const char *name)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++lines, name);
    fflush(stdout);
    failures += !good;
}

static void skip(const char *name, const char *why)
{
    printf("ok %d - %s # SKIP %s\n", ++lines, name, why);
}

static void all_orders(enum type type, enum storage storage, enum task task, int32_t layout,
                       int32_t trans, const char *name)
{
    int good = 1;
    for (int o = 0; o < order_count; ++o) {
        struct problem p =
            shape(type, storage, task, layout, trans, orders[o], batch_for(orders[o]));
        good &= compare(&p);
        /* Another choice of rows per thread than the tuned one, as far as one is compiled. */
        p.rows = 1;
        if (orders[o] <= 32 && size != SMALL)
            good &= compare(&p);
    }
    report(good, name);
}

static void every_call(void)
{
    static const int32_t layouts[] = {TDLS_COL_MAJOR, TDLS_ROW_MAJOR};
    static const struct {
        int32_t value;
        const char *name;
    } transposes[] = {{TDLS_NO_TRANS, " N"}, {TDLS_TRANS, " T"}, {TDLS_CONJ_TRANS, " C"}};
    for (int type = 0; type < TYPES; ++type)
        for (int storage = 0; storage < STORAGES; ++storage)
            for (size_t l = 0; l < COUNT_OF(layouts); ++l)
                for (int task = 0; task < TASKS; ++task)
                    for (size_t t = 0; t < (task == GETRS ? COUNT_OF(transposes) : 1); ++t) {
                        char name[128];
                        snprintf(name, sizeof name, "%s, %s, %s, %s%s", type_names[type],
                                 storage_names[storage], l == 0 ? "column-major" : "row-major",
                                 task_names[task], task == GETRS ? transposes[t].name : "");
                        all_orders((enum type)type, (enum storage)storage, (enum task)task,
                                   layouts[l], transposes[t].value, name);
                    }
}

/* More systems than 65,535, which is where some dimensions of a grid end. */
static void large_batches(void)
{
    static const struct {
        int32_t n;
        int64_t batch;
    } cases[] = {{1, 131101}, {2, 70001},  {3, 65537}, {4, 70003},
                 {8, 70001},  {16, 66001}, {33, 65601}};
    static const enum task tasks[] = {GETRF, GETRS, GESV_KEEP, GESV};
    for (size_t c = 0; c < COUNT_OF(cases); ++c)
        for (int type = 0; type < TYPES; ++type) {
            char name[128];
            snprintf(name, sizeof name, "%lld systems of order %d, %s", (long long)cases[c].batch,
                     cases[c].n, type_names[type]);
            int listed = 0;
            for (int o = 0; o < order_count; ++o)
                listed |= orders[o] == cases[c].n;
            if (chosen_orders && !listed) {
                skip(name, "not among --orders");
                continue;
            }
            if (size == SMALL || (size == QUICK && cases[c].n > 2)) {
                skip(name, size == SMALL ? "left out of --small" : "left out of --quick");
                continue;
            }
            int good = 1;
            for (size_t t = 0; t < COUNT_OF(tasks); ++t) {
                const struct problem p =
                    shape((enum type)type, (enum storage)((t + c + (size_t)type) % STORAGES),
                          tasks[t], TDLS_COL_MAJOR, TDLS_NO_TRANS, cases[c].n, cases[c].batch);
                good &= compare(&p);
            }
            report(good, name);
        }
}

static void choose_orders(void)
{
    static const int32_t quick[] = {1, 2, 3, 5, 8, 16, 17, 32, 33, 64, 100};
    static const int32_t small[] = {1, 3, 8, 17, 32, 33, 100};
    chosen_orders = order_count > 0;
    if (chosen_orders)
        return;
    if (size == WHOLE) {
        while (order_count < 64) {
            orders[order_count] = order_count + 1;
            ++order_count;
        }
        orders[order_count++] = 100;
        orders[order_count++] = 200;
        orders[order_count++] = 1024;
        return;
    }
    const int32_t *const chosen = size == QUICK ? quick : small;
    order_count = (int)(size == QUICK ? COUNT_OF(quick) : COUNT_OF(small));
    memcpy(orders, chosen, (size_t)order_count * sizeof *orders);
}

static void read_orders(const char *text)
{
    while (*text != '\0' && order_count < (int)COUNT_OF(orders)) {
        char *end;
        orders[order_count++] = (int32_t)strtol(text, &end, 10);
        if (end == text || orders[order_count - 1] < 1)
            give_up("--orders", "these are no orders");
        text = *end == ',' ? end + 1 : end;
    }
}

int main(int argc, char **argv)
{
    const char *backend = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--quick") == 0)
            size = QUICK;
        else if (strcmp(argv[i], "--small") == 0)
            size = SMALL;
        else if (strcmp(argv[i], "--orders") == 0 && i + 1 < argc)
            read_orders(argv[++i]);
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = strtoull(argv[++i], NULL, 10);
        else if (backend == NULL && argv[i][0] != '-')
            backend = argv[i];
        else
            give_up(argv[i], "unknown; usage: compare_backends BACKEND [--quick | --small] "
                             "[--orders N,N,...] [--seed N]");
    }
    exact_arrays = size == SMALL;
    choose_orders();
    if (backend == NULL)
        give_up("usage", "name a backend");
    const tdls_status_t status = tdls_create(tdls_backend_from_name(backend), 0, &device.handle);
    if (status == TDLS_ERR_NO_DEVICE) {
        printf("TAP version 13\n1..0 # SKIP %s\n", tdls_last_error(NULL));
        return 0;
    }
    must(NULL, status, backend);
    must(NULL, tdls_create(TDLS_BACKEND_CPU, 0, &cpu.handle), "cpu");
    char names[2][256];
    must(device.handle, tdls_device_name(device.handle, names[0], sizeof names[0]), "its name");
    must(cpu.handle, tdls_device_name(cpu.handle, names[1], sizeof names[1]), "its name");
    printf("TAP version 13\n# %s against %s, --seed %llu\n", names[0], names[1],
           (unsigned long long)seed);

    printf("# orders of 1000 and above in every seventh line\n");
    every_call();
    large_batches();

    printf("1..%d\n", lines);
    struct side *const sides[] = {&device, &cpu};
    for (int i = 0; i < 2; ++i) {
        for (int array = 0; array < ARRAYS; ++array)
            must(sides[i]->handle, tdls_free(sides[i]->handle, sides[i]->arrays.memory[array]),
                 "freeing");
        tdls_destroy(sides[i]->handle);
    }
    return failures > 0;
}
