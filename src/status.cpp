// SPDX-License-Identifier: BSD-3-Clause
// Version, status texts.

#include <cstdarg>
#include <cstdio>

#include "backend.hpp"
#include "errors.hpp"

namespace tdls
{

namespace
{

// Of failures in functions without a handle.
thread_local ErrorText error_of_this_thread;

} // namespace

ErrorText &thread_error()
{
    return error_of_this_thread;
}

tdls_status_t illegal(ErrorText &error, int argument, const char *format, ...)
{
    const int used =
        std::snprintf(error.text, sizeof error.text, "argument %d is illegal: ", argument);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error.text + used, sizeof error.text - static_cast<std::size_t>(used), format,
                   arguments);
    va_end(arguments);
    return -argument;
}

} // namespace tdls

extern "C" {

void tdls_version(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (major != nullptr) {
        *major = TDLS_VERSION_MAJOR;
    }
    if (minor != nullptr) {
        *minor = TDLS_VERSION_MINOR;
    }
    if (patch != nullptr) {
        *patch = TDLS_VERSION_PATCH;
    }
}

const char *tdls_status_string(tdls_status_t status)
{
    static const char *const illegal[] = {
        "success",
        "argument 1 is illegal",
        "argument 2 is illegal",
        "argument 3 is illegal",
        "argument 4 is illegal",
        "argument 5 is illegal",
        "argument 6 is illegal",
        "argument 7 is illegal",
        "argument 8 is illegal",
        "argument 9 is illegal",
        "argument 10 is illegal",
        "argument 11 is illegal",
        "argument 12 is illegal",
        "argument 13 is illegal",
    };
    constexpr tdls_status_t count = sizeof illegal / sizeof *illegal;
    if (status <= 0 && status > -count) {
        return illegal[-status];
    }
    switch (status) {
    case TDLS_ERR_BACKEND_UNAVAILABLE:
        return "backend not built, not installed, or not loadable";
    case TDLS_ERR_NO_DEVICE:
        return "no such device";
    case TDLS_ERR_ALLOC:
        return "out of memory";
    case TDLS_ERR_DEVICE:
        return "a device call failed";
    case TDLS_ERR_NOT_SUPPORTED:
        return "not supported by this backend";
    case TDLS_ERR_INTERNAL:
        return "internal error of libtdls";
    default:
        return "unknown status";
    }
}

const char *tdls_last_error(tdls_handle_t handle)
{
    return handle != nullptr ? handle->error.text : tdls::thread_error().text;
}

} // extern "C"
