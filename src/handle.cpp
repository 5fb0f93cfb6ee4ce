// SPDX-License-Identifier: BSD-3-Clause
// Backends and handles.

#include <new>

#include "errors.hpp"
#include "modules.hpp"

using tdls::illegal;

namespace
{

tdls_status_t unknown_backend(int32_t backend)
{
    return illegal(tdls::thread_error(), 1, "there is no backend %d", backend);
}

} // namespace

extern "C" {

int32_t tdls_backend_from_name(const char *name)
{
    const tdls::BackendName *entry = tdls::find_backend(name);
    return entry != nullptr ? entry->id : 0;
}

const char *tdls_backend_name(int32_t backend)
{
    const tdls::BackendName *entry = tdls::find_backend(backend);
    return entry != nullptr ? entry->name : nullptr;
}

tdls_status_t tdls_device_count(int32_t backend, int32_t *count)
{
    const tdls::BackendName *entry = tdls::find_backend(backend);
    if (entry == nullptr) {
        return unknown_backend(backend);
    }
    if (count == nullptr) {
        return illegal(tdls::thread_error(), 2, "count is NULL");
    }
    *count = 0;
    const tdls::Backend *table = tdls::load_backend(*entry, tdls::thread_error());
    if (table == nullptr) {
        return TDLS_ERR_BACKEND_UNAVAILABLE;
    }
    return table->device_count(count, tdls::thread_error());
}

tdls_status_t tdls_create(int32_t backend, int32_t device, tdls_handle_t *handle)
{
    if (handle != nullptr) {
        *handle = nullptr;
    }
    const tdls::BackendName *entry = tdls::find_backend(backend);
    if (entry == nullptr) {
        return unknown_backend(backend);
    }
    if (handle == nullptr) {
        return illegal(tdls::thread_error(), 3, "handle is NULL");
    }
    const tdls::Backend *table = tdls::load_backend(*entry, tdls::thread_error());
    if (table == nullptr) {
        return TDLS_ERR_BACKEND_UNAVAILABLE;
    }
    void *state = nullptr;
    const tdls_status_t status = table->open(device, &state, tdls::thread_error());
    if (status != TDLS_SUCCESS) {
        return status;
    }
    auto *context = new (std::nothrow) tdls_context{table, state, {}, {}};
    if (context == nullptr) {
        table->close(state);
        write_error(tdls::thread_error(), "no memory for a handle");
        return TDLS_ERR_ALLOC;
    }
    *handle = context;
    return TDLS_SUCCESS;
}

tdls_status_t tdls_destroy(tdls_handle_t handle)
{
    if (handle != nullptr) {
        handle->backend->close(handle->state);
        delete handle;
    }
    return TDLS_SUCCESS;
}

tdls_status_t tdls_get_backend(tdls_handle_t handle, int32_t *backend)
{
    if (handle == nullptr) {
        return -1;
    }
    if (backend == nullptr) {
        return illegal(handle->error, 2, "backend is NULL");
    }
    *backend = handle->backend->id;
    return TDLS_SUCCESS;
}

tdls_status_t tdls_device_name(tdls_handle_t handle, char *buffer, int64_t size)
{
    if (handle == nullptr) {
        return -1;
    }
    if (buffer == nullptr) {
        return illegal(handle->error, 2, "buffer is NULL");
    }
    if (size < 1) {
        return illegal(handle->error, 3, "size is %lld, less than 1", static_cast<long long>(size));
    }
    return handle->backend->device_name(handle->call(), buffer, static_cast<std::size_t>(size));
}

tdls_status_t tdls_synchronize(tdls_handle_t handle)
{
    if (handle == nullptr) {
        return -1;
    }
    return handle->backend->synchronize(handle->call());
}

} // extern "C"
