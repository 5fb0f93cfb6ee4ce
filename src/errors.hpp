// SPDX-License-Identifier: BSD-3-Clause
// Failures on their way to the caller.
#pragma once

#include "backend.hpp"

namespace tdls
{

// Where functions without a handle leave their texts.
ErrorText &thread_error();

// The status of an illegal argument; the text says which and why.
__attribute__((format(printf, 3, 4))) tdls_status_t illegal(ErrorText &error, int argument,
                                                            const char *format, ...);

} // namespace tdls
