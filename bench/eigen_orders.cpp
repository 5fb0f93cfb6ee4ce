/* SPDX-License-Identifier: BSD-3-Clause */
// Compiled once per type and group of orders, with -O3 -march=native and contraction:
// TDLS_BENCH_TYPE is the type, TDLS_BENCH_GROUP the number of the group, TDLS_BENCH_ORDERS its
// orders.
#include "eigen_orders.hpp"

#include <Eigen/LU>

namespace bench
{
namespace
{

using T = TDLS_BENCH_TYPE;

template <int N>
struct Order {
    using Matrix = Eigen::Matrix<T, N, N>;
    using Vector = Eigen::Matrix<T, N, 1>;
    using Decomposition = Eigen::PartialPivLU<Matrix>;
    using Kept = std::vector<Decomposition>;

    static Eigen::Map<const Matrix> matrix(const T *A) { return Eigen::Map<const Matrix>(A); }

    /// x := the solution, where the right-hand side was.
    static void solve(const Decomposition &lu, T *x)
    {
        Eigen::Map<Vector> result(x);
        const Vector b = result;
        result = lu.solve(b);
    }

    static void *make_kept(std::int64_t count) { return new Kept(static_cast<std::size_t>(count)); }
    static void destroy_kept(void *kept) { delete static_cast<Kept *>(kept); }

    static void factor(const Batch<T> &b, void *kept)
    {
        Decomposition *const lu = static_cast<Kept *>(kept)->data();
#pragma omp parallel for schedule(static) num_threads(b.threads)
        for (std::int64_t s = 0; s < b.count; ++s)
            lu[s].compute(matrix(b.matrices + s * b.size()));
    }

    static bool run(const Batch<T> &b, void *kept)
    {
        Decomposition *const lu = kept != nullptr ? static_cast<Kept *>(kept)->data() : nullptr;
        switch (b.routine) {
        case Routine::gesv:
#pragma omp parallel num_threads(b.threads)
        {
            Decomposition local;
#pragma omp for schedule(static)
            for (std::int64_t s = 0; s < b.count; ++s) {
                local.compute(matrix(b.matrix(s)));
                solve(local, b.right_hand_side(s));
            }
        }
            return true;
        case Routine::gesv_keep:
#pragma omp parallel for schedule(static) num_threads(b.threads)
            for (std::int64_t s = 0; s < b.count; ++s) {
                lu[s].compute(matrix(b.matrix(s)));
                solve(lu[s], b.right_hand_side(s));
            }
            return true;
        case Routine::getrf:
#pragma omp parallel for schedule(static) num_threads(b.threads)
            for (std::int64_t s = 0; s < b.count; ++s)
                lu[s].compute(matrix(b.matrix(s)));
            return true;
        case Routine::getrs:
#pragma omp parallel for schedule(static) num_threads(b.threads)
            for (std::int64_t s = 0; s < b.count; ++s)
                solve(lu[s], b.right_hand_side(s));
            return true;
        }
        return false;
    }

    static void solve_kept(const void *kept, std::int64_t system, T *x)
    {
        solve((*static_cast<const Kept *>(kept))[static_cast<std::size_t>(system)], x);
    }

    static constexpr EigenOrder<T> table{N, make_kept, destroy_kept, factor, run, solve_kept};
};

template <int... N>
const EigenOrder<T> *find(int n)
{
    const EigenOrder<T> *found = nullptr;
    (void)((n == N && (found = &Order<N>::table) != nullptr) || ...);
    return found;
}

} // namespace

template <>
const EigenOrder<T> *find_eigen_order<T, TDLS_BENCH_GROUP>(int n)
{
    return find<TDLS_BENCH_ORDERS>(n);
}

} // namespace bench
