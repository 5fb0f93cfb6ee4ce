/* SPDX-License-Identifier: BSD-3-Clause */
/* tdls-info: what this installation of libtdls can do here, and why it cannot do the rest. It sees
 * the public interface alone. The manual page, tdls-info.1, says what the output means. */
#define _GNU_SOURCE
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tdls/tdls.h>

enum { USABLE = 0, UNUSABLE = 1, BAD_USAGE = 2 };

static const int32_t backends[] = {TDLS_BACKEND_CPU, TDLS_BACKEND_CUDA, TDLS_BACKEND_HIP};
enum { BACKENDS = sizeof backends / sizeof *backends };

static const char usage[] =
    "usage: tdls-info [BACKEND...]\n"
    "       tdls-info --version | --help\n"
    "\n"
    "Says what libtdls finds on this machine: version, backends and devices, instruction set,\n"
    "device modules, environment, default settings. BACKEND is cpu, cuda or hip; by default all\n"
    "are shown.\n"
    "\n"
    "Exit status: 0 if each BACKEND named (by default the CPU) has a device that can be used,\n"
    "1 if not, 2 for a wrong command line.\n";

/* Looks for the loaded shared object whose path ends in `file`, or in `file` and a version. */
struct wanted {
    const char *file;
    char path[4096];
};

static int compare_object(struct dl_phdr_info *object, size_t size, void *data)
{
    struct wanted *wanted = data;
    (void)size;
    const char *path = object->dlpi_name;
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const size_t length = strlen(wanted->file);
    if (strncmp(name, wanted->file, length) != 0 || (name[length] != '\0' && name[length] != '.'))
        return 0;
    snprintf(wanted->path, sizeof wanted->path, "%s", path);
    return 1;
}

static int loaded(struct wanted *wanted)
{
    return dl_iterate_phdr(compare_object, wanted) != 0;
}

/* An error text, a line for each of its parts: what was looked for, then each place. */
static void print_reason(const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, "; ");
        const size_t length = end != NULL ? (size_t)(end - text) : strlen(text);
        printf("    %.*s\n", (int)length, text);
        text += end != NULL ? length + 2 : length;
    }
}

static void print_device(int32_t backend, int32_t device, int *usable)
{
    tdls_handle_t handle;
    const tdls_status_t status = tdls_create(backend, device, &handle);
    if (status != TDLS_SUCCESS) {
        printf("  device %d: cannot be used: %s\n", (int)device, tdls_status_string(status));
        print_reason(tdls_last_error(NULL));
        return;
    }
    char name[256];
    if (tdls_device_name(handle, name, sizeof name) != TDLS_SUCCESS)
        snprintf(name, sizeof name, "unnamed (%s)", tdls_last_error(handle));
    else
        *usable = 1;
    printf("  device %d: %s\n", (int)device, name);
    /* The header says: the processor and the instruction set; the former may have commas. */
    const char *comma = strrchr(name, ',');
    if (backend == TDLS_BACKEND_CPU && comma != NULL)
        printf("  instruction set: %s\n", comma + strspn(comma, ", "));
    tdls_destroy(handle);
}

/* Whether the backend has a device that can be used. */
static int print_backend(int32_t backend)
{
    const char *name = tdls_backend_name(backend);
    int32_t count = 0;
    int usable = 0;
    const tdls_status_t status = tdls_device_count(backend, &count);
    printf("\nbackend %s: ", name);
    if (status == TDLS_ERR_BACKEND_UNAVAILABLE) {
        puts("not available");
        print_reason(tdls_last_error(NULL));
        return 0;
    }
    if (status != TDLS_SUCCESS) {
        printf("its devices cannot be counted: %s\n", tdls_status_string(status));
        print_reason(tdls_last_error(NULL));
        return 0;
    }
    printf("%d device%s\n", (int)count, count == 1 ? "" : "s");
    char file[32];
    snprintf(file, sizeof file, "tdls_%s.so", name);
    struct wanted module = {.file = file};
    if (loaded(&module))
        printf("  module: %s\n", module.path);
    for (int32_t device = 0; device < count; ++device)
        print_device(backend, device, &usable);
    return usable;
}

static void print_environment(void)
{
    static const char *const variables[] = {
        "TDLS_CPU_ISA", "TDLS_MODULE_PATH",     "OMP_NUM_THREADS",     "OMP_PROC_BIND",
        "OMP_PLACES",   "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"};
    puts("\nenvironment");
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i]);
        printf("  %s%s%s\n", variables[i], value != NULL ? "=" : " is not set",
               value != NULL ? value : "");
    }
}

/* Settings do not depend on the backend: the first handle that can be made shows them. */
static void print_settings(void)
{
    tdls_handle_t handle = NULL;
    for (int b = 0; b < BACKENDS && handle == NULL; ++b)
        if (tdls_create(backends[b], 0, &handle) != TDLS_SUCCESS)
            handle = NULL;
    puts("\ndefault settings of a handle");
    if (handle == NULL) {
        puts("  (no handle could be made)");
        return;
    }
    int32_t layout = 0, interchange = 0, rows = 0, threads = 0;
    double threshold = 0, floor = 0;
    void *stream = NULL;
    tdls_get_layout(handle, &layout);
    tdls_get_row_interchange(handle, &interchange);
    tdls_get_pivot_threshold(handle, &threshold);
    tdls_get_singular_floor(handle, &floor);
    tdls_get_rows_per_thread(handle, &rows);
    tdls_get_num_threads(handle, &threads);
    tdls_get_stream(handle, &stream);
    printf("  layout: %s\n", layout == TDLS_COL_MAJOR ? "column-major" : "row-major");
    printf("  row interchange: %s\n", interchange == TDLS_INTERCHANGE_AUTO      ? "automatic"
                                      : interchange == TDLS_INTERCHANGE_LOGICAL ? "logical"
                                                                                : "physical");
    printf("  pivot threshold: %g\n", threshold);
    printf("  singular floor: %g%s\n", floor,
           floor > 0 ? "" : " (the smallest normal number of the type)");
    printf("  rows per thread: %d%s\n", (int)rows, rows > 0 ? "" : " (tuned)");
    printf("  number of threads: %d%s\n", (int)threads, threads > 0 ? "" : " (OpenMP's choice)");
    printf("  stream: %s\n", stream == NULL ? "the default one" : "another than the default one");
    tdls_destroy(handle);
}

int main(int argc, char **argv)
{
    int32_t major, minor, patch;
    tdls_version(&major, &minor, &patch);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return USABLE;
    }
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        printf("tdls-info %d.%d.%d\n", (int)major, (int)minor, (int)patch);
        return USABLE;
    }
    for (int a = 1; a < argc; ++a)
        if (tdls_backend_from_name(argv[a]) == 0) {
            fprintf(stderr, "tdls-info: %s is neither a backend nor an option\n%s", argv[a], usage);
            return BAD_USAGE;
        }

    printf("libtdls %d.%d.%d\n", (int)major, (int)minor, (int)patch);
    if (major != TDLS_VERSION_MAJOR || minor != TDLS_VERSION_MINOR || patch != TDLS_VERSION_PATCH)
        printf("  tdls-info was compiled for %d.%d.%d\n", TDLS_VERSION_MAJOR, TDLS_VERSION_MINOR,
               TDLS_VERSION_PATCH);
    struct wanted library = {.file = "libtdls.so"};
    printf("  library: %s\n", loaded(&library) ? library.path : "linked statically");
    printf("  processors that are online: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));

    int status = USABLE;
    for (int b = 0; b < BACKENDS; ++b) {
        int named = 0;
        for (int a = 1; a < argc; ++a)
            named |= tdls_backend_from_name(argv[a]) == backends[b];
        if (!named && argc > 1)
            continue;
        const int usable = print_backend(backends[b]);
        if (!usable && (named || backends[b] == TDLS_BACKEND_CPU))
            status = UNUSABLE;
    }
    print_environment();
    print_settings();
    return status;
}
