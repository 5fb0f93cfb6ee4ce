// SPDX-License-Identifier: BSD-3-Clause
// Memory of the handle's device.

#include "errors.hpp"

using tdls::illegal;

extern "C" {

tdls_status_t tdls_malloc(tdls_handle_t handle, int64_t bytes, void **pointer)
{
    if (handle == nullptr) {
        return -1;
    }
    if (bytes < 0) {
        return illegal(handle->error, 2, "bytes is %lld, less than 0",
                       static_cast<long long>(bytes));
    }
    if (pointer == nullptr) {
        return illegal(handle->error, 3, "pointer is NULL");
    }
    if (bytes == 0) {
        *pointer = nullptr;
        return TDLS_SUCCESS;
    }
    return handle->backend->allocate(handle->call(), static_cast<std::size_t>(bytes), pointer);
}

tdls_status_t tdls_free(tdls_handle_t handle, void *pointer)
{
    if (handle == nullptr) {
        return -1;
    }
    if (pointer == nullptr) {
        return TDLS_SUCCESS;
    }
    return handle->backend->release(handle->call(), pointer);
}

tdls_status_t tdls_memcpy(tdls_handle_t handle, void *to, const void *from, int64_t bytes)
{
    if (handle == nullptr) {
        return -1;
    }
    if (bytes > 0 && to == nullptr) {
        return illegal(handle->error, 2, "to is NULL");
    }
    if (bytes > 0 && from == nullptr) {
        return illegal(handle->error, 3, "from is NULL");
    }
    if (bytes < 0) {
        return illegal(handle->error, 4, "bytes is %lld, less than 0",
                       static_cast<long long>(bytes));
    }
    if (bytes == 0) {
        return handle->backend->synchronize(handle->call());
    }
    return handle->backend->copy(handle->call(), to, from, static_cast<std::size_t>(bytes));
}

} // extern "C"
