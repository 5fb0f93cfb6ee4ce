// SPDX-License-Identifier: BSD-3-Clause
// The one internal contract: what a backend is, what a handle is, and how a batch crosses from the
// C interface to a backend. Device modules are compiled against this header and nothing else of
// src.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tdls/tdls.h>

namespace tdls
{

// Where to find element e of system s:
//   systems (if not null) ? systems[s] : base + (s / width) * block + s % width,   plus e * width.
// Pointer arrays have width 1; strided storage has width 1 and block = stride; interleaved storage
// has the width of its blocks. Plain data, so that it can be passed to a kernel as it is, and
// without functions, so that objects of different instruction sets share none.
template <typename T>
struct BatchView {
    T *base;
    T *const *systems;
    std::int64_t block;
    std::int64_t width;
};

// A batch as the routines of a backend see it. S is the stored array read column-major: element
// (i, j) of a system has the element number i + j * lda; entry (i, c) of its right-hand sides has
// i * b_row_stride + c * b_column_stride. Row-major layout has become `transposed` and the strides
// of b. Operands that a routine does not have are null.
template <typename T>
struct Batch {
    std::int64_t count;
    std::int32_t n;
    std::int32_t nrhs;
    bool transposed; // solve with S^T instead of S
    bool keep;       // factors and swaps are stored; if not, a is only read
    double pivot_threshold;
    double singular_floor;
    BatchView<T> a;
    std::int64_t lda;
    BatchView<std::int32_t> swaps;
    BatchView<T> b;
    std::int64_t b_row_stride;
    std::int64_t b_column_stride;
    std::int32_t *info;
};

// Text of a failure; "" if none.
struct ErrorText {
    char text[1024];
};

__attribute__((format(printf, 2, 3))) void write_error(ErrorText &error, const char *format, ...);

// Settings of a handle that no routine turns into something else.
struct Settings {
    std::int32_t layout = TDLS_COL_MAJOR;
    std::int32_t row_interchange = TDLS_INTERCHANGE_AUTO;
    double pivot_threshold = 1;
    double singular_floor = 0;
    std::int32_t rows_per_thread = 0;
    std::int32_t num_threads = 0;
    void *stream = nullptr;
};

// What every function of a backend gets: its own state, the settings, where to put an error text.
struct Call {
    void *state;
    const Settings &settings;
    ErrorText &error;
};

// The routines of one scalar type. They get a batch with count > 0; n and nrhs may be 0.
template <typename T>
struct Routines {
    tdls_status_t (*getrf)(const Call &call, const Batch<T> &batch);
    tdls_status_t (*getrs)(const Call &call, const Batch<T> &batch);
    tdls_status_t (*gesv)(const Call &call, const Batch<T> &batch);
};

// Version of the table below. A module with another one is refused.
constexpr std::uint32_t backend_table_version = 1;

// A backend is one constant table. Text goes to `error` exactly when a status other than
// TDLS_SUCCESS is returned; outputs are written only on success.
struct Backend {
    std::uint32_t table_version;
    std::int32_t id; // TDLS_BACKEND_*
    const char *name;
    tdls_status_t (*device_count)(std::int32_t *count, ErrorText &error);
    tdls_status_t (*open)(std::int32_t device, void **state, ErrorText &error);
    void (*close)(void *state); // after the work of the stream
    tdls_status_t (*device_name)(const Call &call, char *buffer, std::size_t size);
    tdls_status_t (*synchronize)(const Call &call);
    tdls_status_t (*allocate)(const Call &call, std::size_t bytes, void **pointer);
    tdls_status_t (*release)(const Call &call, void *pointer);
    tdls_status_t (*copy)(const Call &call, void *to, const void *from, std::size_t bytes);
    Routines<float> single_precision;
    Routines<double> double_precision;
};

template <typename T>
const Routines<T> &routines_of(const Backend &backend);
template <>
inline const Routines<float> &routines_of<float>(const Backend &backend)
{
    return backend.single_precision;
}
template <>
inline const Routines<double> &routines_of<double>(const Backend &backend)
{
    return backend.double_precision;
}

// A device module exports this name, a function of this type.
#define TDLS_MODULE_ENTRY "tdls_backend_table"
using ModuleEntry = const Backend *(*)();

} // namespace tdls

struct tdls_context {
    const tdls::Backend *backend;
    void *state;
    tdls::Settings settings;
    tdls::ErrorText error;

    tdls::Call call() { return {state, settings, error}; }
};
