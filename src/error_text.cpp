// SPDX-License-Identifier: BSD-3-Clause
// How backends write error texts. Part of the library, and of each device module, which does not
// link to the library.

#include <cstdarg>
#include <cstdio>

#include "backend.hpp"

namespace tdls
{

void write_error(ErrorText &error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
}

} // namespace tdls
