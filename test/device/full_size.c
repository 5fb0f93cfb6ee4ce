/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of more than 2^31 elements, and batches of more than 2^31 systems, in memory of the
 * device: a few systems repeated, each of which must come out as on the CPU. The public interface
 * alone. Speaks TAP. usage: full_size BACKEND [BITS]    (2^BITS elements and a few more; 31 unless
 * given) */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tdls/tdls.h>

/* Distinct systems. A prime, so that no power of two in an offset goes unnoticed. */
enum { PERIOD = 97 };

static tdls_handle_t device, cpu;
static int lines, failures;

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
    void *memory = calloc(bytes, 1);
    if (memory == NULL)
        give_up("memory", "there is none left");
    return memory;
}

static float uniform(uint64_t *state)
{
    /* xorshift64* of Vigna, "An experimental exploration of Marsaglia's xorshift generators" */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (float)((double)((*state * 2685821657736338717U) >> 11) / 4503599627370496.0 - 1);
}

/* Fills `bytes` of the device from the first `filled` of them, which are repeated. */
static void repeat(char *start, int64_t filled, int64_t bytes)
{
    while (filled < bytes) {
        const int64_t more = filled < bytes - filled ? filled : bytes - filled;
        must(device, tdls_memcpy(device, start + filled, start, more), "copying on the device");
        filled += more;
    }
}

/* The device's bytes must be those of `pattern`, over and over. Says where they are not. */
static int repeats(const char *name, const char *start, int64_t bytes, const char *pattern,
                   int64_t period)
{
    const int64_t most = (INT64_C(64) << 20) / period * period;
    const int64_t piece = bytes < most ? bytes : most;
    char *here = host_memory((size_t)piece);
    int64_t wrong = -1;
    for (int64_t at = 0; at < bytes && wrong < 0; at += piece) {
        const int64_t now = piece < bytes - at ? piece : bytes - at;
        must(device, tdls_memcpy(device, here, start + at, now), "copying from the device");
        for (int64_t e = 0; e < now && wrong < 0; e += period) {
            const int64_t length = period < now - e ? period : now - e;
            if (memcmp(here + e, pattern, (size_t)length) != 0)
                for (int64_t i = 0; i < length && wrong < 0; ++i)
                    if (here[e + i] != pattern[i])
                        wrong = at + e + i;
        }
    }
    free(here);
    if (wrong >= 0)
        printf("# %s differs from the CPU's at byte %" PRId64 " of %" PRId64 "\n", name, wrong,
               bytes);
    return wrong < 0;
}

enum storage { STRIDED, INTERLEAVED };

struct example {
    const char *name;
    enum storage storage;
    int32_t n;
    int keep; /* the factors */
};

static tdls_status_t solve(tdls_handle_t handle, const struct example *x, float *a, int32_t *ipiv,
                           float *b, int32_t *info, int64_t batch)
{
    const int32_t n = x->n;
    return x->storage == STRIDED
               ? tdls_sgesv_coop_strided_batched(handle, n, 1, a, n, (int64_t)n * n, ipiv, n, b, n,
                                                 n, info, batch)
               : tdls_sgesv_coop_interleaved_batched(handle, n, 1, a, n, ipiv, b, n, info, batch,
                                                     batch);
}

/* An array of `count` numbers per system, of which `pattern` has those of the distinct systems one
 * behind the other, as it lies on the device: repeated whole, or number by number. */
static void put(const struct example *x, char *there, const char *pattern, int count, int64_t batch)
{
    const int64_t word = sizeof(float);
    if (x->storage == STRIDED) {
        must(device, tdls_memcpy(device, there, pattern, PERIOD * count * word), "copying");
        repeat(there, PERIOD * count * word, batch * count * word);
        return;
    }
    for (int e = 0; e < count; ++e) {
        char row[PERIOD * sizeof(float)];
        for (int s = 0; s < PERIOD; ++s)
            memcpy(row + s * word, pattern + (s * count + e) * word, sizeof(float));
        must(device, tdls_memcpy(device, there + e * batch * word, row, sizeof row), "copying");
        repeat(there + e * batch * word, sizeof row, batch * word);
    }
}

static int came_out(const struct example *x, const char *name, const char *there,
                    const char *pattern, int count, int64_t batch)
{
    const int64_t word = sizeof(float);
    if (x->storage == STRIDED)
        return repeats(name, there, batch * count * word, pattern, PERIOD * count * word);
    int good = 1;
    for (int e = 0; e < count && good; ++e) {
        char row[PERIOD * sizeof(float)];
        for (int s = 0; s < PERIOD; ++s)
            memcpy(row + s * word, pattern + (s * count + e) * word, sizeof(float));
        good = repeats(name, there + e * batch * word, batch * word, row, sizeof row);
    }
    return good;
}

static void run(const struct example *x, int64_t elements)
{
    const int extent = x->n * x->n;
    int64_t batch = elements / extent + 1 + PERIOD / 2;
    if (batch < PERIOD)
        batch = PERIOD;
    const size_t counts[4] = {(size_t)extent, (size_t)x->n, x->keep ? (size_t)x->n : 0, 1};
    char name[256];
    snprintf(name, sizeof name, "%s: %" PRId64 " systems of order %d, %" PRId64 " elements",
             x->name, batch, x->n, batch * extent);
    ++lines;

    void *there[4] = {NULL, NULL, NULL, NULL};
    int64_t bytes = 0;
    tdls_status_t status = TDLS_SUCCESS;
    for (int i = 0; i < 4; ++i) {
        const int64_t own = batch * (int64_t)counts[i] * (int64_t)sizeof(float);
        bytes += own;
        if (status == TDLS_SUCCESS)
            status = tdls_malloc(device, own, &there[i]);
    }
    if (status == TDLS_ERR_ALLOC) {
        printf("ok %d - %s # SKIP the device has no %.1f GB for it\n", lines, name,
               (double)bytes / 1e9);
    } else {
        must(device, status, "memory of the device");
        float *a = host_memory(PERIOD * counts[0] * sizeof *a);
        float *b = host_memory(PERIOD * counts[1] * sizeof *b);
        int32_t *ipiv = host_memory(PERIOD * (size_t)x->n * sizeof *ipiv);
        int32_t *info = host_memory(PERIOD * sizeof *info);
        uint64_t state = 20261201;
        for (size_t e = 0; e < PERIOD * counts[0]; ++e)
            a[e] = uniform(&state);
        for (size_t e = 0; e < PERIOD * counts[1]; ++e)
            b[e] = uniform(&state);
        /* One of them singular, so that info is not all the same; in its last pivot alone, so that
         * no NaN comes of it, whose bits are open. */
        for (int e = x->n - 1; e < extent; e += x->n)
            a[5 * extent + e] = 0;
        put(x, there[0], (const char *)a, extent, batch);
        put(x, there[1], (const char *)b, x->n, batch);
        const struct example alone = {x->name, STRIDED, x->n, x->keep};
        must(cpu, solve(cpu, &alone, a, x->keep ? ipiv : NULL, b, info, PERIOD), "on the CPU");
        status = solve(device, x, there[0], there[2], there[1], there[3], batch);
        if (status == TDLS_SUCCESS)
            status = tdls_synchronize(device);
        int good = status == TDLS_SUCCESS;
        if (!good)
            printf("# returns %d: %s\n", status, tdls_last_error(device));
        const struct example plain = {x->name, STRIDED, x->n, x->keep};
        good = good && came_out(x, "A", there[0], (const char *)a, extent, batch) &&
               came_out(x, "B", there[1], (const char *)b, x->n, batch) &&
               (!x->keep || came_out(x, "ipiv", there[2], (const char *)ipiv, x->n, batch)) &&
               came_out(&plain, "info", there[3], (const char *)info, 1, batch);
        printf("%sok %d - %s (%.1f GB)\n", good ? "" : "not ", lines, name, (double)bytes / 1e9);
        failures += !good;
        free(a);
        free(b);
        free(ipiv);
        free(info);
    }
    fflush(stdout);
    for (int i = 0; i < 4; ++i)
        must(device, tdls_free(device, there[i]), "freeing");
}

int main(int argc, char **argv)
{
    const long bits = argc > 2 ? strtol(argv[2], NULL, 10) : 31;
    if (argc < 2 || bits < 1 || bits > 40)
        give_up("usage", "full_size BACKEND [BITS]");
    must(NULL, tdls_create(tdls_backend_from_name(argv[1]), 0, &device), argv[1]);
    must(NULL, tdls_create(TDLS_BACKEND_CPU, 0, &cpu), "cpu");
    static const struct example examples[] = {
        {"strided", STRIDED, 32, 0},
        {"strided, factors kept", STRIDED, 8, 1},
        {"strided, a block per system", STRIDED, 40, 1},
        {"interleaved", INTERLEAVED, 4, 0},
        {"interleaved, factors kept", INTERLEAVED, 16, 1},
        {"a batch that int32 does not hold", STRIDED, 1, 0},
        {"a batch that int32 does not hold, interleaved", INTERLEAVED, 1, 1},
    };
    const int count = (int)(sizeof examples / sizeof *examples);
    printf("TAP version 13\n1..%d\n", count);
    for (int i = 0; i < count; ++i)
        run(&examples[i], INT64_C(1) << bits);
    tdls_destroy(device);
    tdls_destroy(cpu);
    return failures > 0;
}
