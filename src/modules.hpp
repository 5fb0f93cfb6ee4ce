// SPDX-License-Identifier: BSD-3-Clause
// Backends by their number: those inside the library, and device modules loaded on demand.
#pragma once

#include "backend.hpp"

namespace tdls
{

struct BackendName {
    std::int32_t id;
    const char *name;
    const Backend *built_in; // null: a module
};

// The entry of a backend, or null if there is none of that number or name.
const BackendName *find_backend(std::int32_t id);
const BackendName *find_backend(const char *name);

// The table of a backend, loading its module if need be. Null: the error says what was looked for
// and where.
const Backend *load_backend(const BackendName &entry, ErrorText &error);

} // namespace tdls
