// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of a routine to the batch that crosses to a backend: the checks, in the order
// of the arguments, and the three storages becoming one view.
#pragma once

#include <algorithm>

#include "errors.hpp"

namespace tdls
{

enum class Storage { Pointers, Strided, Interleaved };

// A matrix argument: an array of pointers, or one pointer.
template <typename T>
struct Operand {
    T *const *systems = nullptr;
    T *base = nullptr;

    bool is_null() const { return systems == nullptr && base == nullptr; }
};

// The arguments of a routine, as they came; those that the routine or the storage lacks stay as
// here.
template <typename T>
struct Arguments {
    Storage storage;
    std::int32_t trans = TDLS_NO_TRANS;
    std::int32_t n;
    std::int32_t nrhs = 0;
    Operand<T> a;
    std::int32_t lda;
    std::int64_t stride_a = 0;
    std::int32_t *ipiv;
    std::int64_t stride_p = 0;
    Operand<T> b = {};
    std::int32_t ldb = 1;
    std::int64_t stride_b = 0;
    std::int32_t *info = nullptr;
    std::int64_t width = 1;
    std::int64_t batch;
};

// Checks arguments one after the other and keeps the first failure. Each member function stands for
// the next argument, or the next ones, of the prototype; the handle was the first.
template <typename T>
class ArgumentCheck
{
public:
    ArgumentCheck(tdls_handle_t handle, const Arguments<T> &arguments)
        : error_(handle->error), given_(arguments),
          row_major_(handle->settings.layout == TDLS_ROW_MAJOR),
          used_(arguments.n > 0 && arguments.batch > 0)
    {
    }

    tdls_status_t status() const { return status_; }

    ArgumentCheck &trans()
    {
        return next(given_.trans >= TDLS_NO_TRANS && given_.trans <= TDLS_CONJ_TRANS,
                    "trans is %d, none of TDLS_NO_TRANS (111), TDLS_TRANS (112), "
                    "TDLS_CONJ_TRANS (113)",
                    given_.trans);
    }

    ArgumentCheck &dimension(const char *name, std::int32_t value)
    {
        return next(value >= 0, "%s is %d, less than 0", name, value);
    }

    // A, lda and, in strided storage, strideA.
    ArgumentCheck &matrix(bool wanted, bool written)
    {
        const std::int64_t columns = given_.n;
        pointer("A", given_.a.is_null(), wanted);
        leading_dimension("lda", given_.lda, given_.n, "n");
        if (given_.storage == Storage::Strided) {
            stride("strideA", given_.stride_a, written, columns * given_.lda, "lda*n");
        }
        return *this;
    }

    // ipiv and, but in interleaved storage, strideP.
    ArgumentCheck &swaps(bool wanted, bool written)
    {
        pointer("ipiv", given_.ipiv == nullptr, wanted);
        if (given_.storage != Storage::Interleaved) {
            if (!wanted && given_.ipiv == nullptr) {
                return pass();
            }
            stride("strideP", given_.stride_p, written, given_.n, "n");
        }
        return *this;
    }

    // B, ldb and, in strided storage, strideB.
    ArgumentCheck &right_hand_sides()
    {
        const bool wanted = given_.nrhs > 0;
        const std::int64_t lines = row_major_ ? given_.n : given_.nrhs;
        pointer("B", given_.b.is_null(), wanted);
        if (row_major_) {
            leading_dimension("ldb", given_.ldb, given_.nrhs, "nrhs");
        } else {
            leading_dimension("ldb", given_.ldb, given_.n, "n");
        }
        if (given_.storage == Storage::Strided) {
            stride("strideB", given_.stride_b, wanted, lines * given_.ldb,
                   row_major_ ? "ldb*n" : "ldb*nrhs");
        }
        return *this;
    }

    // info may be NULL: it only takes its place in the count.
    ArgumentCheck &info() { return pass(); }

    // In interleaved storage width, then batch.
    ArgumentCheck &batch()
    {
        if (given_.storage == Storage::Interleaved) {
            next(given_.width >= 1, "width is %lld, less than 1",
                 static_cast<long long>(given_.width));
        }
        return next(given_.batch >= 0, "batch is %lld, less than 0",
                    static_cast<long long>(given_.batch));
    }

private:
    ArgumentCheck &pass()
    {
        ++argument_;
        return *this;
    }

    template <typename... Values>
    ArgumentCheck &next(bool legal, const char *format, Values... values)
    {
        ++argument_;
        if (!legal && status_ == TDLS_SUCCESS) {
            status_ = illegal(error_, argument_, format, values...);
        }
        return *this;
    }

    void pointer(const char *name, bool is_null, bool wanted)
    {
        next(!(is_null && wanted && used_), "%s is NULL", name);
    }

    void leading_dimension(const char *name, std::int32_t value, std::int32_t rows,
                           const char *rows_name)
    {
        next(value >= std::max(1, rows), "%s is %d, less than max(1, %s) = %d", name, value,
             rows_name, std::max(1, rows));
    }

    // An operand that is written needs disjoint systems.
    void stride(const char *name, std::int64_t value, bool written, std::int64_t extent,
                const char *extent_name)
    {
        if (written && !used_) {
            pass();
        } else if (value < 0 || !written || given_.batch <= 1) {
            next(value >= 0, "%s is %lld, less than 0", name, static_cast<long long>(value));
        } else {
            next(value >= extent, "%s is %lld, less than %s = %lld", name,
                 static_cast<long long>(value), extent_name, static_cast<long long>(extent));
        }
    }

    ErrorText &error_;
    const Arguments<T> &given_;
    const bool row_major_;
    const bool used_;
    int argument_ = 1;
    tdls_status_t status_ = TDLS_SUCCESS;
};

// How to find the systems of an operand of `extent` elements each.
template <typename E, typename T>
BatchView<E> view_of(const Arguments<T> &given, const Operand<E> &operand, std::int64_t stride,
                     std::int64_t extent)
{
    if (given.storage != Storage::Interleaved) {
        return {operand.base, operand.systems, stride, 1};
    }
    // With a single block its length is of no use, and could overflow.
    const std::int64_t block = given.width < given.batch ? given.width * extent : 0;
    return {operand.base, nullptr, block, given.width};
}

template <typename T>
Batch<T> make_batch(tdls_handle_t handle, const Arguments<T> &given)
{
    const Settings &settings = handle->settings;
    const bool row_major = settings.layout == TDLS_ROW_MAJOR;
    Batch<T> batch = {};
    batch.count = given.batch;
    batch.n = given.n;
    batch.nrhs = given.nrhs;
    batch.transposed = row_major == (given.trans == TDLS_NO_TRANS);
    batch.keep = given.ipiv != nullptr;
    batch.pivot_threshold = settings.pivot_threshold;
    batch.singular_floor = settings.singular_floor;
    batch.lda = given.lda;
    const std::int64_t columns = given.n;
    batch.a = view_of<T>(given, given.a, given.stride_a, columns * given.lda);
    if (batch.keep) {
        batch.swaps = view_of<std::int32_t>(given, {nullptr, given.ipiv}, given.stride_p, columns);
    }
    if (given.nrhs > 0) {
        const std::int64_t lines = row_major ? given.n : given.nrhs;
        batch.b = view_of<T>(given, given.b, given.stride_b, lines * given.ldb);
        batch.b_row_stride = row_major ? given.ldb : 1;
        batch.b_column_stride = row_major ? 1 : given.ldb;
    }
    batch.info = given.info;
    return batch;
}

} // namespace tdls

// Stamps out the exported functions of a routine, which exist for each scalar type.
#define TDLS_FOR_EACH_TYPE(STAMP) STAMP(s, float) STAMP(d, double)
