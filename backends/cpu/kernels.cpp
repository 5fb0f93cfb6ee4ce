// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the CPU, compiled once per instruction set. One thread does one system at a time,
// with the core's elimination on the caller's memory.
//
// TDLS_CPU_SET is the name of the set; TDLS_CORE_ABI has been defined to it as well. Whatever this
// file instantiates lies in that namespace or in an unnamed one, so that two sets share no symbol.

#include "kernels.hpp"

#include <limits>
#include <type_traits>

#include <tdls/solvers/cooperative_lupp/elimination.hpp>

namespace tdls
{
namespace cpu
{

namespace
{

using detail::PivotRule;
using detail::StridedMatrix;
using detail::StridedVector;

using Unit = std::integral_constant<std::int64_t, 1>;

template <typename E>
TDLS_FORCE_INLINE E *start_of(const BatchView<E> &view, std::int64_t s)
{
    return view.systems != nullptr ? view.systems[s]
                                   : view.base + (s / view.width) * view.block + s % view.width;
}

template <typename T>
PivotRule<T> pivot_rule(const Batch<T> &batch)
{
    const T least = std::numeric_limits<T>::min();
    const T floor = static_cast<T>(batch.singular_floor);
    return {static_cast<T>(batch.pivot_threshold), floor > least ? floor : least};
}

// The operands of system s, for the distance between neighbouring elements: 1, or the width.
template <typename T, typename Stride>
class System
{
public:
    System(const Batch<T> &batch, Stride width) : batch_(batch), width_(width) {}

    StridedMatrix<T, Stride> matrix(std::int64_t s) const
    {
        return {start_of(batch_.a, s), width_, batch_.lda * width_};
    }
    StridedVector<std::int32_t> swaps(std::int64_t s) const
    {
        return {start_of(batch_.swaps, s), batch_.swaps.width};
    }
    // Calls solve(x) with each right-hand side of system s; contiguous ones as such.
    template <typename Solve>
    void for_right_hand_sides(std::int64_t s, const Solve &solve) const
    {
        T *const start = batch_.nrhs > 0 ? start_of(batch_.b, s) : nullptr;
        for (std::int32_t c = 0; c < batch_.nrhs; ++c) {
            T *const x = start + c * batch_.b_column_stride * width_;
            if (batch_.b_row_stride == 1) {
                solve(StridedVector<T, Stride>{x, width_});
            } else {
                solve(StridedVector<T>{x, batch_.b_row_stride * width_});
            }
        }
    }

private:
    const Batch<T> &batch_;
    [[no_unique_address]] Stride width_;
};

// Calls run(systems) with the distance of elements known to the compiler where it is 1.
template <typename T, typename Run>
TDLS_FORCE_INLINE void with_stride(const Batch<T> &batch, const Run &run)
{
    if (batch.a.width == 1) {
        run(System<T, Unit>(batch, Unit{}));
    } else {
        run(System<T, std::int64_t>(batch, batch.a.width));
    }
}

template <typename Systems, typename Matrix, typename Swaps, typename T>
void solve_all(const Systems &systems, std::int64_t s, const Batch<T> &batch, const Matrix &factors,
               const Swaps &swaps)
{
    systems.for_right_hand_sides(s, [&](const auto &x) {
        if (batch.transposed) {
            detail::substitute_columns(factors, batch.n, swaps, x);
        } else {
            detail::substitute_rows(factors, batch.n, swaps, x);
        }
    });
}

template <typename T>
void getrf(const Batch<T> &batch, std::int64_t begin, std::int64_t end)
{
    const PivotRule<T> rule = pivot_rule(batch);
    with_stride(batch, [&](const auto &systems) {
        for (std::int64_t s = begin; s < end; ++s) {
            const std::int32_t info =
                detail::factorize_rows(systems.matrix(s), batch.n, rule, systems.swaps(s));
            if (batch.info != nullptr) {
                batch.info[s] = info;
            }
        }
    });
}

template <typename T>
void getrs(const Batch<T> &batch, std::int64_t begin, std::int64_t end)
{
    with_stride(batch, [&](const auto &systems) {
        for (std::int64_t s = begin; s < end; ++s) {
            solve_all(systems, s, batch, systems.matrix(s), systems.swaps(s));
        }
    });
}

// Without kept factors the matrix is factored in scratch: n*n elements, then n swaps.
template <typename T>
std::size_t scratch_bytes(const Batch<T> &batch)
{
    const auto n = static_cast<std::size_t>(batch.n);
    return batch.keep ? 0 : n * n * sizeof(T) + n * sizeof(std::int32_t);
}

template <typename T>
void gesv(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    const PivotRule<T> rule = pivot_rule(batch);
    with_stride(batch, [&](const auto &systems) {
        const auto finish = [&](std::int64_t s, const auto &factors, const auto &swaps) {
            const std::int32_t info = detail::factorize_rows(factors, batch.n, rule, swaps);
            if (info == 0) {
                solve_all(systems, s, batch, factors, swaps);
            }
            if (batch.info != nullptr) {
                batch.info[s] = info;
            }
        };
        if (batch.keep) {
            for (std::int64_t s = begin; s < end; ++s) {
                finish(s, systems.matrix(s), systems.swaps(s));
            }
            return;
        }
        const std::int64_t n = batch.n;
        T *const elements = static_cast<T *>(scratch);
        const StridedMatrix<T, Unit> copy = {elements, Unit{}, n};
        const StridedVector<std::int32_t, Unit> swaps = {
            reinterpret_cast<std::int32_t *>(elements + n * n), Unit{}};
        for (std::int64_t s = begin; s < end; ++s) {
            const auto given = systems.matrix(s);
            for (std::int64_t j = 0; j < n; ++j) {
                const auto from = given.column(j);
                const auto to = copy.column(j);
                for (std::int64_t i = 0; i < n; ++i) {
                    to[i] = from[i];
                }
            }
            finish(s, copy, swaps);
        }
    });
}

template <typename T>
constexpr Kernels<T> kernels = {scratch_bytes<T>, getrf<T>, getrs<T>, gesv<T>};

#define TDLS_QUOTED(name) #name
#define TDLS_NAME_OF(name) TDLS_QUOTED(name)

} // namespace

namespace TDLS_CPU_SET
{
extern const KernelSet kernel_set;
constexpr KernelSet kernel_set = {TDLS_NAME_OF(TDLS_CPU_SET), kernels<float>, kernels<double>};
} // namespace TDLS_CPU_SET

} // namespace cpu
} // namespace tdls
