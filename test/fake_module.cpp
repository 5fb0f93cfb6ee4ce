// SPDX-License-Identifier: BSD-3-Clause
// A module as test_modules.c needs it: of the right or of a wrong version, without a device.
#include "backend.hpp"

namespace
{

tdls_status_t device_count(std::int32_t *count, tdls::ErrorText &)
{
    *count = 0;
    return TDLS_SUCCESS;
}

tdls_status_t open(std::int32_t, void **, tdls::ErrorText &error)
{
    // write_error is the library's own, and modules do not link to the library.
    static const char text[] = "the fake module has no device";
    for (std::size_t i = 0; i < sizeof text; ++i) {
        error.text[i] = text[i];
    }
    return TDLS_ERR_NO_DEVICE;
}

const tdls::Backend table = {
    .table_version = TDLS_FAKE_VERSION,
    .id = TDLS_FAKE_BACKEND,
    .name = "fake",
    .device_count = device_count,
    .open = open,
    .close = nullptr,
    .device_name = nullptr,
    .synchronize = nullptr,
    .allocate = nullptr,
    .release = nullptr,
    .copy = nullptr,
    .single_precision = {},
    .double_precision = {},
};

} // namespace

extern "C" __attribute__((visibility("default"))) const tdls::Backend *tdls_backend_table()
{
    return &table;
}
