// SPDX-License-Identifier: BSD-3-Clause
// getrs: op(A) X = B of each system, with the factors of getrf. Its A and ipiv are only read; that
// the batch holds them without const spares every view a second type.

#include "batch.hpp"

using namespace tdls;

namespace
{

template <typename T>
tdls_status_t getrs(tdls_handle_t handle, const Arguments<T> &given)
{
    if (handle == nullptr) {
        return -1;
    }
    const bool solves = given.nrhs > 0;
    ArgumentCheck<T> check(handle, given);
    check.trans()
        .dimension("n", given.n)
        .dimension("nrhs", given.nrhs)
        .matrix(solves, false)
        .swaps(solves, false)
        .right_hand_sides()
        .batch();
    if (check.status() != TDLS_SUCCESS || given.batch == 0 || given.n == 0 || !solves) {
        return check.status();
    }
    return routines_of<T>(*handle->backend).getrs(handle->call(), make_batch(handle, given));
}

} // namespace

extern "C" {

#define STAMP(x, T)                                                                                \
    tdls_status_t tdls_##x##getrs_coop_batched(                                                    \
        tdls_handle_t handle, int32_t trans, int32_t n, int32_t nrhs, T *const A[], int32_t lda,   \
        const int32_t *ipiv, int64_t strideP, T *const B[], int32_t ldb, int64_t batch)            \
    {                                                                                              \
        return getrs<T>(handle, {.storage = Storage::Pointers,                                     \
                                 .trans = trans,                                                   \
                                 .n = n,                                                           \
                                 .nrhs = nrhs,                                                     \
                                 .a = {A, nullptr},                                                \
                                 .lda = lda,                                                       \
                                 .ipiv = const_cast<int32_t *>(ipiv),                              \
                                 .stride_p = strideP,                                              \
                                 .b = {B, nullptr},                                                \
                                 .ldb = ldb,                                                       \
                                 .batch = batch});                                                 \
    }                                                                                              \
    tdls_status_t tdls_##x##getrs_coop_strided_batched(                                            \
        tdls_handle_t handle, int32_t trans, int32_t n, int32_t nrhs, const T *A, int32_t lda,     \
        int64_t strideA, const int32_t *ipiv, int64_t strideP, T *B, int32_t ldb, int64_t strideB, \
        int64_t batch)                                                                             \
    {                                                                                              \
        return getrs<T>(handle, {.storage = Storage::Strided,                                      \
                                 .trans = trans,                                                   \
                                 .n = n,                                                           \
                                 .nrhs = nrhs,                                                     \
                                 .a = {nullptr, const_cast<T *>(A)},                               \
                                 .lda = lda,                                                       \
                                 .stride_a = strideA,                                              \
                                 .ipiv = const_cast<int32_t *>(ipiv),                              \
                                 .stride_p = strideP,                                              \
                                 .b = {nullptr, B},                                                \
                                 .ldb = ldb,                                                       \
                                 .stride_b = strideB,                                              \
                                 .batch = batch});                                                 \
    }                                                                                              \
    tdls_status_t tdls_##x##getrs_coop_interleaved_batched(                                        \
        tdls_handle_t handle, int32_t trans, int32_t n, int32_t nrhs, const T *A, int32_t lda,     \
        const int32_t *ipiv, T *B, int32_t ldb, int64_t width, int64_t batch)                      \
    {                                                                                              \
        return getrs<T>(handle, {.storage = Storage::Interleaved,                                  \
                                 .trans = trans,                                                   \
                                 .n = n,                                                           \
                                 .nrhs = nrhs,                                                     \
                                 .a = {nullptr, const_cast<T *>(A)},                               \
                                 .lda = lda,                                                       \
                                 .ipiv = const_cast<int32_t *>(ipiv),                              \
                                 .b = {nullptr, B},                                                \
                                 .ldb = ldb,                                                       \
                                 .width = width,                                                   \
                                 .batch = batch});                                                 \
    }

TDLS_FOR_EACH_TYPE(STAMP)

} // extern "C"
