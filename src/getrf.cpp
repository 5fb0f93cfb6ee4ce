// SPDX-License-Identifier: BSD-3-Clause
// getrf: P S = L U of each system, in place.

#include "batch.hpp"

using namespace tdls;

namespace
{

template <typename T>
tdls_status_t getrf(tdls_handle_t handle, const Arguments<T> &given)
{
    if (handle == nullptr) {
        return -1;
    }
    ArgumentCheck<T> check(handle, given);
    check.dimension("n", given.n).matrix(true, true).swaps(true, true).info().batch();
    if (check.status() != TDLS_SUCCESS || given.batch == 0) {
        return check.status();
    }
    return routines_of<T>(*handle->backend).getrf(handle->call(), make_batch(handle, given));
}

} // namespace

extern "C" {

#define STAMP(x, T)                                                                                \
    tdls_status_t tdls_##x##getrf_coop_batched(tdls_handle_t handle, int32_t n, T *const A[],      \
                                               int32_t lda, int32_t *ipiv, int64_t strideP,        \
                                               int32_t *info, int64_t batch)                       \
    {                                                                                              \
        return getrf<T>(handle, {.storage = Storage::Pointers,                                     \
                                 .n = n,                                                           \
                                 .a = {A, nullptr},                                                \
                                 .lda = lda,                                                       \
                                 .ipiv = ipiv,                                                     \
                                 .stride_p = strideP,                                              \
                                 .info = info,                                                     \
                                 .batch = batch});                                                 \
    }                                                                                              \
    tdls_status_t tdls_##x##getrf_coop_strided_batched(                                            \
        tdls_handle_t handle, int32_t n, T *A, int32_t lda, int64_t strideA, int32_t *ipiv,        \
        int64_t strideP, int32_t *info, int64_t batch)                                             \
    {                                                                                              \
        return getrf<T>(handle, {.storage = Storage::Strided,                                      \
                                 .n = n,                                                           \
                                 .a = {nullptr, A},                                                \
                                 .lda = lda,                                                       \
                                 .stride_a = strideA,                                              \
                                 .ipiv = ipiv,                                                     \
                                 .stride_p = strideP,                                              \
                                 .info = info,                                                     \
                                 .batch = batch});                                                 \
    }                                                                                              \
    tdls_status_t tdls_##x##getrf_coop_interleaved_batched(                                        \
        tdls_handle_t handle, int32_t n, T *A, int32_t lda, int32_t *ipiv, int32_t *info,          \
        int64_t width, int64_t batch)                                                              \
    {                                                                                              \
        return getrf<T>(handle, {.storage = Storage::Interleaved,                                  \
                                 .n = n,                                                           \
                                 .a = {nullptr, A},                                                \
                                 .lda = lda,                                                       \
                                 .ipiv = ipiv,                                                     \
                                 .info = info,                                                     \
                                 .width = width,                                                   \
                                 .batch = batch});                                                 \
    }

TDLS_FOR_EACH_TYPE(STAMP)

} // extern "C"
