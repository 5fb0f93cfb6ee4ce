// SPDX-License-Identifier: BSD-3-Clause
// gesv: A X = B of each system; the factors are kept if their swaps are wanted.

#include "batch.hpp"

using namespace tdls;

namespace
{

template <typename T>
tdls_status_t gesv(tdls_handle_t handle, const Arguments<T> &given)
{
    if (handle == nullptr) {
        return -1;
    }
    ArgumentCheck<T> check(handle, given);
    check.dimension("n", given.n)
        .dimension("nrhs", given.nrhs)
        .matrix(true, given.ipiv != nullptr)
        .swaps(false, true)
        .right_hand_sides()
        .info()
        .batch();
    if (check.status() != TDLS_SUCCESS || given.batch == 0) {
        return check.status();
    }
    return routines_of<T>(*handle->backend).gesv(handle->call(), make_batch(handle, given));
}

} // namespace

extern "C" {

#define STAMP(x, T)                                                                                \
    tdls_status_t tdls_##x##gesv_coop_batched(                                                     \
        tdls_handle_t handle, int32_t n, int32_t nrhs, T *const A[], int32_t lda, int32_t *ipiv,   \
        int64_t strideP, T *const B[], int32_t ldb, int32_t *info, int64_t batch)                  \
    {                                                                                              \
        return gesv<T>(handle, {.storage = Storage::Pointers,                                      \
                                .n = n,                                                            \
                                .nrhs = nrhs,                                                      \
                                .a = {A, nullptr},                                                 \
                                .lda = lda,                                                        \
                                .ipiv = ipiv,                                                      \
                                .stride_p = strideP,                                               \
                                .b = {B, nullptr},                                                 \
                                .ldb = ldb,                                                        \
                                .info = info,                                                      \
                                .batch = batch});                                                  \
    }                                                                                              \
    tdls_status_t tdls_##x##gesv_coop_strided_batched(                                             \
        tdls_handle_t handle, int32_t n, int32_t nrhs, T *A, int32_t lda, int64_t strideA,         \
        int32_t *ipiv, int64_t strideP, T *B, int32_t ldb, int64_t strideB, int32_t *info,         \
        int64_t batch)                                                                             \
    {                                                                                              \
        return gesv<T>(handle, {.storage = Storage::Strided,                                       \
                                .n = n,                                                            \
                                .nrhs = nrhs,                                                      \
                                .a = {nullptr, A},                                                 \
                                .lda = lda,                                                        \
                                .stride_a = strideA,                                               \
                                .ipiv = ipiv,                                                      \
                                .stride_p = strideP,                                               \
                                .b = {nullptr, B},                                                 \
                                .ldb = ldb,                                                        \
                                .stride_b = strideB,                                               \
                                .info = info,                                                      \
                                .batch = batch});                                                  \
    }                                                                                              \
    tdls_status_t tdls_##x##gesv_coop_interleaved_batched(                                         \
        tdls_handle_t handle, int32_t n, int32_t nrhs, T *A, int32_t lda, int32_t *ipiv, T *B,     \
        int32_t ldb, int32_t *info, int64_t width, int64_t batch)                                  \
    {                                                                                              \
        return gesv<T>(handle, {.storage = Storage::Interleaved,                                   \
                                .n = n,                                                            \
                                .nrhs = nrhs,                                                      \
                                .a = {nullptr, A},                                                 \
                                .lda = lda,                                                        \
                                .ipiv = ipiv,                                                      \
                                .b = {nullptr, B},                                                 \
                                .ldb = ldb,                                                        \
                                .info = info,                                                      \
                                .width = width,                                                    \
                                .batch = batch});                                                  \
    }

TDLS_FOR_EACH_TYPE(STAMP)

} // extern "C"
