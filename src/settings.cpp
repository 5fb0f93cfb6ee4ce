// SPDX-License-Identifier: BSD-3-Clause
// Settings of a handle.

#include <cmath>

#include "errors.hpp"

using tdls::illegal;
using tdls::Settings;

namespace
{

template <typename V, typename Legal>
tdls_status_t set(tdls_handle_t handle, V Settings::*setting, V value, Legal legal,
                  const char *format)
{
    if (handle == nullptr) {
        return -1;
    }
    if (!legal(value)) {
        return illegal(handle->error, 2, format, value);
    }
    handle->settings.*setting = value;
    return TDLS_SUCCESS;
}

template <typename V>
tdls_status_t get(tdls_handle_t handle, V Settings::*setting, V *value, const char *name)
{
    if (handle == nullptr) {
        return -1;
    }
    if (value == nullptr) {
        return illegal(handle->error, 2, "%s is NULL", name);
    }
    *value = handle->settings.*setting;
    return TDLS_SUCCESS;
}

constexpr auto not_negative = [](int32_t value) { return value >= 0; };

} // namespace

extern "C" {

tdls_status_t tdls_set_layout(tdls_handle_t handle, int32_t layout)
{
    constexpr auto legal = [](int32_t l) { return l == TDLS_ROW_MAJOR || l == TDLS_COL_MAJOR; };
    return set(handle, &Settings::layout, layout, legal,
               "layout is %d, neither TDLS_ROW_MAJOR (101) nor TDLS_COL_MAJOR (102)");
}

tdls_status_t tdls_get_layout(tdls_handle_t handle, int32_t *layout)
{
    return get(handle, &Settings::layout, layout, "layout");
}

tdls_status_t tdls_set_row_interchange(tdls_handle_t handle, int32_t interchange)
{
    constexpr auto legal = [](int32_t i) {
        return i >= TDLS_INTERCHANGE_AUTO && i <= TDLS_INTERCHANGE_PHYSICAL;
    };
    return set(handle, &Settings::row_interchange, interchange, legal,
               "interchange is %d, none of TDLS_INTERCHANGE_AUTO (0), _LOGICAL (1), _PHYSICAL (2)");
}

tdls_status_t tdls_get_row_interchange(tdls_handle_t handle, int32_t *interchange)
{
    return get(handle, &Settings::row_interchange, interchange, "interchange");
}

tdls_status_t tdls_set_pivot_threshold(tdls_handle_t handle, double threshold)
{
    constexpr auto legal = [](double t) { return t > 0 && t <= 1; };
    return set(handle, &Settings::pivot_threshold, threshold, legal,
               "threshold is %g, not in (0, 1]");
}

tdls_status_t tdls_get_pivot_threshold(tdls_handle_t handle, double *threshold)
{
    return get(handle, &Settings::pivot_threshold, threshold, "threshold");
}

tdls_status_t tdls_set_singular_floor(tdls_handle_t handle, double floor)
{
    constexpr auto legal = [](double f) { return f >= 0 && std::isfinite(f); };
    return set(handle, &Settings::singular_floor, floor, legal,
               "floor is %g, negative or not finite");
}

tdls_status_t tdls_get_singular_floor(tdls_handle_t handle, double *floor)
{
    return get(handle, &Settings::singular_floor, floor, "floor");
}

tdls_status_t tdls_set_rows_per_thread(tdls_handle_t handle, int32_t rows)
{
    return set(handle, &Settings::rows_per_thread, rows, not_negative, "rows is %d, less than 0");
}

tdls_status_t tdls_get_rows_per_thread(tdls_handle_t handle, int32_t *rows)
{
    return get(handle, &Settings::rows_per_thread, rows, "rows");
}

tdls_status_t tdls_set_num_threads(tdls_handle_t handle, int32_t threads)
{
    return set(handle, &Settings::num_threads, threads, not_negative, "threads is %d, less than 0");
}

tdls_status_t tdls_get_num_threads(tdls_handle_t handle, int32_t *threads)
{
    return get(handle, &Settings::num_threads, threads, "threads");
}

tdls_status_t tdls_set_stream(tdls_handle_t handle, void *stream)
{
    constexpr auto legal = [](const void *) { return true; };
    return set(handle, &Settings::stream, stream, legal, "%p");
}

tdls_status_t tdls_get_stream(tdls_handle_t handle, void **stream)
{
    return get(handle, &Settings::stream, stream, "stream");
}

} // extern "C"
