// SPDX-License-Identifier: BSD-3-Clause
// The C library's CPU backend and the core agree to the bit, orders 1 to 40: the factors and swaps
// of getrf against rows in pivoted order, x of gesv against solve, in both layouts.
#include <climits>

#include <tdls/tdls.h>

#include "core_support.hpp"

using namespace core_test;

namespace
{

tdls_status_t gesv(tdls_handle_t handle, int n, double *a, int32_t *ipiv, double *b, int ldb,
                   int32_t *info)
{
    return tdls_dgesv_coop_strided_batched(handle, n, 1, a, n, n * n, ipiv, n, b, ldb, n, info, 1);
}
tdls_status_t gesv(tdls_handle_t handle, int n, float *a, int32_t *ipiv, float *b, int ldb,
                   int32_t *info)
{
    return tdls_sgesv_coop_strided_batched(handle, n, 1, a, n, n * n, ipiv, n, b, ldb, n, info, 1);
}

template <typename T, RowInterchange Interchange, MatrixLayout Layout, bool Relaxed>
void agree(void **)
{
    constexpr CooperativeLUppConfig<T> config = {
        .rows_per_thread = INT_MAX,
        .row_interchange = Interchange,
        .relative_pivot_threshold = Relaxed ? T(0.25) : T(1),
        .singular_floor = Relaxed ? T(0.0625) : std::numeric_limits<T>::min(),
        .layout = Layout};
    using D = CooperativeLUppSolverDynamic<T, config>;
    tdls_handle_t handle;
    assert_int_equal(tdls_create(TDLS_BACKEND_CPU, 0, &handle), TDLS_SUCCESS);
    constexpr bool row_major = Layout == MatrixLayout::RowMajor;
    tdls_set_layout(handle, row_major ? TDLS_ROW_MAJOR : TDLS_COL_MAJOR);
    if (Relaxed) {
        tdls_set_pivot_threshold(handle, 0.25);
        tdls_set_singular_floor(handle, 0.0625);
    }
    Random random(5);
    for (int n = 1; n <= 40; ++n) {
        for (const Kind kind : kinds) {
            const System<T> in = make_system<T>(n, kind, random);
            System<T> core = in, library = in;
            std::vector<T> work(static_cast<std::size_t>(D::workspace_size(n)));
            core.sound = D::solve_inplace(n, 0, core.matrix.data(), 1, core.piv.data(), 1,
                                          core.rhs.data(), 1, work.data());
            int32_t info = -1;
            std::vector<int32_t> ipiv(static_cast<std::size_t>(n));
            assert_int_equal(gesv(handle, n, library.matrix.data(), ipiv.data(), library.rhs.data(),
                                  row_major ? 1 : n, &info),
                             TDLS_SUCCESS);
            assert_int_equal(info == 0, core.sound);

            // The swaps as the original index of the row at each position.
            std::vector<int> original(static_cast<std::size_t>(n));
            for (int r = 0; r < n; ++r) {
                original[static_cast<std::size_t>(r)] = r;
            }
            for (std::size_t k = 0; k < ipiv.size(); ++k) {
                std::swap(original[k], original[static_cast<std::size_t>(ipiv[k] - 1)]);
            }
            for (int p = 0; p < n; ++p) {
                const int r = original[static_cast<std::size_t>(p)];
                const bool physical = Interchange == RowInterchange::Physical;
                assert_int_equal(core.piv[static_cast<std::size_t>(physical ? p : r)],
                                 physical ? r : p);
                for (int c = 0; c < n; ++c) {
                    assert_true(same(core.s(physical ? p : r, c), library.s(p, c)));
                }
            }
            assert_true(same(library.rhs, core.sound ? core.rhs : in.rhs));
        }
    }
    tdls_destroy(handle);
}

constexpr auto logical = RowInterchange::Logical;
constexpr auto physical = RowInterchange::Physical;
constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;

// clang-format off
#define CASE(T, I, L, X) {#T ", " #I ", " #L ", " #X, agree<T, I, L, X>, nullptr, nullptr, nullptr}
// clang-format on

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        CASE(float, logical, row_major, false),   CASE(float, physical, col_major, false),
        CASE(double, logical, row_major, false),  CASE(double, logical, col_major, false),
        CASE(double, physical, row_major, false), CASE(double, physical, col_major, false),
        CASE(double, logical, row_major, true),   CASE(float, physical, col_major, true),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("library", tests, nullptr, nullptr);
}
