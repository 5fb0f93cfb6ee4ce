// SPDX-License-Identifier: BSD-3-Clause
// White-box: the exchange of a warp, on lanes made of CPU threads that are not in lockstep. Every
// collective must be reached by all threads of the group, or the test hangs; and the bits are those
// of the plain loop.
#include <barrier>

#include <tdls/solvers/cooperative_lupp/elimination.hpp>
#include <tdls/solvers/cooperative_lupp/warp_exchange.hpp>

#include "core_support.hpp"

using namespace core_test;
using tdls::detail::Candidate;

namespace
{

// What the threads of a group share.
template <typename T>
struct Exchanged {
    explicit Exchanged(int threads)
        : values(static_cast<std::size_t>(threads)), candidates(static_cast<std::size_t>(threads)),
          barrier(threads)
    {
    }
    std::vector<T> values;
    std::vector<Candidate<T>> candidates;
    std::barrier<> barrier;
};

template <typename T>
class CpuLanes
{
public:
    CpuLanes(Exchanged<T> &shared, int tx) : shared_(shared), tx_(static_cast<std::size_t>(tx)) {}

    T shuffle(T value, int thread)
    {
        shared_.values[tx_] = value;
        shared_.barrier.arrive_and_wait();
        const T got = shared_.values[static_cast<std::size_t>(thread)];
        shared_.barrier.arrive_and_wait();
        return got;
    }
    int find(bool here)
    {
        shared_.values[tx_] = here ? T(1) : T(0);
        shared_.barrier.arrive_and_wait();
        int found = -1;
        for (std::size_t t = 0; t < shared_.values.size(); ++t) {
            if (shared_.values[t] != T(0)) {
                assert_int_equal(found, -1);
                found = static_cast<int>(t);
            }
        }
        shared_.barrier.arrive_and_wait();
        return found;
    }
    Candidate<T> best(Candidate<T> own)
    {
        shared_.candidates[tx_] = own;
        shared_.barrier.arrive_and_wait();
        for (const Candidate<T> &other : shared_.candidates) {
            own.consider(other.magnitude, other.position);
        }
        shared_.barrier.arrive_and_wait();
        return own;
    }

private:
    Exchanged<T> &shared_;
    std::size_t tx_;
};

// The permuted store and the swaps of LAPACK, as the library's device kernels write them.
template <typename T, int N, int R, MatrixLayout Layout, bool Unrolled>
void lanes(void **)
{
    constexpr bool mirror = Layout == MatrixLayout::RowMajor;
    constexpr CooperativeLUppConfig<T> config = {.rows_per_thread = R, .layout = Layout};
    constexpr CooperativeLUppConfig<T> in_order = {
        .rows_per_thread = R, .row_interchange = RowInterchange::Physical, .layout = Layout};
    constexpr int threads = (N + R - 1) / R;
    using Rows = tdls::detail::RegisterRows<T, N, R, false, Unrolled>;
    Random random(N * 10 + R);
    for (const Kind kind : kinds) {
        const System<T> in = make_system<T>(N, kind, random);
        const System<T> expected = expected_outcome(in, in_order);
        System<T> got(N);
        std::vector<int> swaps(N), swaps_of_last(N);
        Exchanged<T> shared(threads);
        Verdicts verdicts(threads);
        run_group(threads, [&](int tx) {
            Rows rows;
            rows.slots.tx = tx;
            rows.slots.each([&](auto K) {
                const int row = rows.slots.row(K);
                for (int c = 0; c < N; ++c) {
                    rows.at(K, c) = in.matrix[static_cast<std::size_t>(c * N + row)];
                }
                rows.place(K) = row;
                rows.rhs(K) = in.rhs[static_cast<std::size_t>(row)];
            });
            CpuLanes<T> of_group(shared, tx);
            tdls::detail::WarpExchange<T, Rows, CpuLanes<T>> exchange(rows, of_group);
            constexpr auto fold = mirror ? tdls::detail::Fold::Mirror : tdls::detail::Fold::Forward;
            const int info = tdls::detail::eliminate<T, fold>(
                rows, exchange, tdls::detail::FixedPivotRule<config>{}, [&](int k, int m) {
                    if (tx == 0) {
                        swaps[static_cast<std::size_t>(k)] = m + 1;
                    }
                    if (tx == threads - 1) {
                        swaps_of_last[static_cast<std::size_t>(k)] = m + 1;
                    }
                });
            if (info != 0) {
                exchange.give_up();
            }
            // With the factors in registers, the right-hand side once more from the start.
            rows.slots.each([&](auto K) {
                const int row = rows.slots.row(K);
                for (int c = 0; c < N; ++c) {
                    got.matrix[static_cast<std::size_t>(c * N + rows.place(K))] = rows.at(K, c);
                }
                got.piv[static_cast<std::size_t>(rows.place(K))] = row;
            });
            tdls::detail::finish<T, mirror>(rows, exchange);
            std::vector<T> folded(N);
            rows.slots.each([&](auto K) {
                const auto row = static_cast<std::size_t>(rows.slots.row(K));
                folded[row] = rows.rhs(K);
                rows.rhs(K) = in.rhs[row];
            });
            tdls::detail::solve_with_factors<T, mirror>(rows, exchange);
            bool agree = true;
            rows.slots.each([&](auto K) {
                const auto row = static_cast<std::size_t>(rows.slots.row(K));
                got.rhs[row] = rows.rhs(K);
                agree = agree && same(folded[row], rows.rhs(K));
            });
            verdicts.give(tx, info == 0 && agree);
        });
        got.sound = verdicts.agreed();
        assert_outcome(got, expected, true, "lanes");
        assert_true(swaps == swaps_of_last);
        // The swaps, applied to 0 .. N-1, are the permutation.
        std::vector<int> original(N);
        for (int r = 0; r < N; ++r) {
            original[static_cast<std::size_t>(r)] = r;
        }
        for (std::size_t k = 0; k < N; ++k) {
            std::swap(original[k], original[static_cast<std::size_t>(swaps[k] - 1)]);
        }
        assert_true(original == expected.piv);
    }
}

constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;

// clang-format off
#define CASE(T, N, R, L, U) {#T ", N = " #N ", R = " #R ", " #L ", " #U, lanes<T, N, R, L, U>, nullptr, nullptr, nullptr}
// clang-format on
#define CASES(T, N, R)                                                                             \
    CASE(T, N, R, row_major, true), CASE(T, N, R, col_major, true), CASE(T, N, R, col_major, false)

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        CASES(double, 1, 1), CASES(double, 4, 1), CASES(float, 5, 2),
        CASES(double, 8, 4), CASES(float, 7, 7),  CASES(double, 11, 3),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("lanes", tests, nullptr, nullptr);
}
