// SPDX-License-Identifier: BSD-3-Clause
/// @file config.hpp
/// @brief Compile-time configuration of the CooperativeLUpp solvers.
#pragma once

#include <cstdint>
#include <limits>

#include <tdls/core/macros.hpp>

namespace tdls
{
inline namespace TDLS_CORE_ABI
{

/// @addtogroup tdls_core
/// @{

/// How a matrix is stored. S, the stored array read column-major, is what is factored. The threads
/// of a group hold rows of S.
enum class MatrixLayout {
    RowMajor, ///< S is the transpose of A
    ColMajor  ///< S is A
};

/// What becomes of the rows. Pivots, operations and solutions are the same.
enum class RowInterchange {
    Logical, ///< rows stay where they are, and the position of each in the pivoted order is noted
    Physical ///< rows move, as in LAPACK
};

/// Compile-time configuration of a solver.
template <typename T>
struct CooperativeLUppConfig {
    /// Rows of S that a thread holds; a system has ceil(N / rows_per_thread) threads.
    int rows_per_thread = 1;
    /// What becomes of the rows.
    RowInterchange row_interchange = RowInterchange::Logical;
    /// In (0, 1]. The element in place is the pivot if it is at least so many times the largest of
    /// its column, and not below the floor. 1: the largest always is.
    T relative_pivot_threshold = 1;
    /// A matrix of which the best pivot of a column is below this is singular. Finite, and at least
    /// the smallest normal number.
    T singular_floor = std::numeric_limits<T>::min();
    /// Static solver, device code: every loop unrolled, rows in registers. false: loops, and rows
    /// in local memory.
    bool unroll_loops = true;
    /// How the matrix is stored.
    MatrixLayout layout = MatrixLayout::RowMajor;
};

/// As a compile-time stride: the stride is the argument of the call.
inline constexpr std::int64_t dynamic_stride = std::numeric_limits<std::int64_t>::min();

/// @}

namespace detail
{

template <typename T>
constexpr bool threshold_is_legal(T threshold) noexcept
{
    return threshold > T(0) && threshold <= T(1);
}

template <typename T>
constexpr bool floor_is_legal(T floor) noexcept
{
    return floor >= std::numeric_limits<T>::min() && floor <= std::numeric_limits<T>::max();
}

} // namespace detail
} // namespace TDLS_CORE_ABI
} // namespace tdls
