// SPDX-License-Identifier: BSD-3-Clause
// An order known at run time, one factorization for several right-hand sides, and an answer that
// the compiler finds.
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tdls/tdls.hpp>

constexpr tdls::CooperativeLUppConfig<double> one_thread = {
    .rows_per_thread = INT_MAX, .row_interchange = tdls::RowInterchange::Physical};
using Dynamic = tdls::CooperativeLUppSolverDynamic<double, one_thread>;

// In a constant expression: x of {{0, 2}, {4, 0}} x = {2, 8}, row-major.
constexpr double first_unknown()
{
    using Small = tdls::CooperativeLUppSolverStatic<
        double, 2, tdls::CooperativeLUppConfig<double>{.rows_per_thread = 2}>;
    double A[] = {0, 2, 4, 0}, y[] = {2, 8}, work[Small::workspace_size] = {};
    int piv[2] = {};
    return Small::solve_inplace<false, false, false>(0, A, 1, piv, 1, y, 1, work) ? y[0] : 0;
}
static_assert(first_unknown() == 2);

int main(int argc, char **argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 12;
    const auto order = static_cast<std::size_t>(n);
    std::vector<double> A(order * order), x(order),
        work(static_cast<std::size_t>(Dynamic::workspace_size(n)));
    std::vector<int> piv(order);
    for (std::size_t r = 0; r < order; ++r) {
        for (std::size_t c = 0; c < order; ++c) {
            A[r * order + c] = c == (r + 1) % order ? 2 : 0; // row-major: twice a cyclic shift
        }
    }
    if (!Dynamic::factorize(n, 0, A.data(), 1, piv.data(), 1, work.data())) {
        std::puts("singular");
        return 1;
    }
    double sum = 0;
    for (int column = 0; column < n; ++column) { // columns of the inverse
        Dynamic::substitute_canonical(n, 0, A.data(), 1, piv.data(), 1, column, x.data(), 1,
                                      work.data());
        for (const double value : x) {
            sum += value;
        }
    }
    std::printf("the entries of the inverse sum to %g, which should be %g\n", sum, 0.5 * n);
    return sum == 0.5 * n ? 0 : 1;
}
