// SPDX-License-Identifier: BSD-3-Clause
// Solves in constant expressions, which the compiler does while it compiles this file, against the
// same solves at run time; and the software fma that serves there, against the C library's.
#include "core_support.hpp"

using namespace core_test;

namespace
{

template <typename T, int N>
struct Outcome {
    T matrix[N * N];
    int piv[N];
    T x[N], canonical[N];
    bool sound;
};

// Entries from a generator of 32 bits, exact in both types.
template <typename T, int N>
constexpr void fill(T (&matrix)[N * N], T (&b)[N], unsigned state)
{
    const auto entry = [&state] {
        state = state * 1664525U + 1013904223U;
        return static_cast<T>(static_cast<int>(state >> 12) - (1 << 19)) / static_cast<T>(1 << 19);
    };
    for (T &element : matrix) {
        element = entry();
    }
    for (T &element : b) {
        element = entry();
    }
}

enum class Solver { Static, StaticInternal, Dynamic };

template <typename T, int N, auto Config, Solver Which>
constexpr Outcome<T, N> solve(unsigned seed, bool singular)
{
    using S = CooperativeLUppSolverStatic<T, N, Config>;
    using D = CooperativeLUppSolverDynamic<T, Config>;
    static_assert(S::threads_per_system == 1);
    Outcome<T, N> out = {};
    T b[N] = {}, work[S::workspace_size] = {};
    fill<T, N>(out.matrix, b, seed);
    if (singular) {
        for (int c = 0; c < N; ++c) {
            out.matrix[c * N + N / 2] = T(0);
        }
    }
    if constexpr (Which == Solver::Static) {
        out.sound =
            S::template solve<false, false, false>(0, out.matrix, 1, out.piv, 1, b, out.x, 1, work);
        S::template substitute_canonical<false, false, false>(0, out.matrix, 1, out.piv, 1, N - 1,
                                                              out.canonical, 1, work);
    } else if constexpr (Which == Solver::StaticInternal) {
        out.sound = S::template factorize<true, true>(0, out.matrix, 0, out.piv, 0, work, NoSync{});
        if (out.sound) {
            S::template substitute<true, true, true>(0, out.matrix, 0, out.piv, 0, b, out.x, 0,
                                                     work);
            S::template substitute_canonical<true, true, true, 1, 1, 1>(
                0, out.matrix, 0, out.piv, 0, N - 1, out.canonical, 0, work);
        }
    } else {
        for (int i = 0; i < N; ++i) {
            out.x[i] = b[i];
        }
        out.sound =
            D::template solve_inplace<1, 1, 1>(N, 0, out.matrix, 1, out.piv, 1, out.x, 1, work);
        if (out.sound) {
            D::substitute_canonical(N, 0, out.matrix, 1, out.piv, 1, N - 1, out.canonical, 1, work);
        }
    }
    return out;
}

template <typename T, int N, RowInterchange Interchange, MatrixLayout Layout>
constexpr CooperativeLUppConfig<T> alone = {
    .rows_per_thread = N, .row_interchange = Interchange, .layout = Layout};

template <typename T, int N>
void compare(const Outcome<T, N> &constant, const Outcome<T, N> &now)
{
    assert_int_equal(constant.sound, now.sound);
    for (int e = 0; e < N * N; ++e) {
        assert_true(same(constant.matrix[e], now.matrix[e]));
    }
    for (int e = 0; e < N; ++e) {
        assert_int_equal(constant.piv[e], now.piv[e]);
        assert_true(!now.sound || same(constant.x[e], now.x[e]));
        assert_true(!now.sound || same(constant.canonical[e], now.canonical[e]));
    }
}

template <typename T, int N, RowInterchange Interchange, MatrixLayout Layout>
void solves(void **)
{
    constexpr auto &config = alone<T, N, Interchange, Layout>;
    constexpr Outcome<T, N> external = solve<T, N, config, Solver::Static>(1, false);
    constexpr Outcome<T, N> internal = solve<T, N, config, Solver::StaticInternal>(2, false);
    constexpr Outcome<T, N> dynamic = solve<T, N, config, Solver::Dynamic>(3, false);
    constexpr Outcome<T, N> singular = solve<T, N, config, Solver::StaticInternal>(4, true);
    constexpr Outcome<T, N> singular_dynamic = solve<T, N, config, Solver::Dynamic>(5, true);
    static_assert(external.sound && internal.sound && dynamic.sound);
    static_assert(!singular.sound && !singular_dynamic.sound);
    compare(external, solve<T, N, config, Solver::Static>(1, false));
    compare(internal, solve<T, N, config, Solver::StaticInternal>(2, false));
    compare(dynamic, solve<T, N, config, Solver::Dynamic>(3, false));
    compare(singular, solve<T, N, config, Solver::StaticInternal>(4, true));
    compare(singular_dynamic, solve<T, N, config, Solver::Dynamic>(5, true));
}

// Doubles of every kind: any bits, near 1, subnormal and huge ones, small integers.
double any_double(Random &random, int kind)
{
    const double f = random.uniform(1, 2) * (random.integer(0, 1) == 0 ? 1 : -1);
    switch (kind) {
    case 0: {
        const auto bits = static_cast<std::uint64_t>(random.uniform(0, 0x1p32)) << 32 |
                          static_cast<std::uint64_t>(random.uniform(0, 0x1p32));
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    case 1:
        return std::ldexp(f, random.integer(-40, 40));
    case 2:
        return std::ldexp(f, random.integer(-1090, -990));
    case 3:
        return std::ldexp(f, random.integer(-560, 560));
    default:
        return random.integer(-20, 20);
    }
}

// A product and what almost cancels it, and independent addends; results from subnormal to huge.
void software_fma_is_correctly_rounded(void **)
{
    Random random(11);
    int subnormal = 0, cancelled = 0;
    for (int i = 0; i < 600000; ++i) {
        const double a = any_double(random, i % 5), b = any_double(random, i / 5 % 5);
        double c = any_double(random, i / 25 % 5);
        if (i % 7 == 0) {
            c = std::nextafter(-(a * b), c);
        } else if (i % 11 == 0) {
            c = -(a * b);
        }
        const double right = std::fma(a, b, c);
        if (!same(right, tdls::detail::software_fma(a, b, c, 53, -1074))) {
            fail_msg("fma(%a, %a, %a) is not %a", a, b, c, right);
        }
        subnormal += std::fpclassify(right) == FP_SUBNORMAL;
        cancelled += std::fabs(right) < std::fabs(c) * 0x1p-40;

        const float fa = static_cast<float>(std::ldexp(std::fmod(a, 2), random.integer(-120, 90)));
        const float fb = static_cast<float>(std::fmod(b, 2));
        const float fc = static_cast<float>(i % 3 == 0 ? -static_cast<double>(fa) * fb
                                                       : std::ldexp(std::fmod(c, 2), -120));
        const float single = std::fmaf(fa, fb, fc);
        if (!same(single, static_cast<float>(tdls::detail::software_fma(fa, fb, fc, 24, -149)))) {
            fail_msg("fmaf(%a, %a, %a) is not %a", static_cast<double>(fa), static_cast<double>(fb),
                     static_cast<double>(fc), static_cast<double>(single));
        }
        subnormal += std::fpclassify(single) == FP_SUBNORMAL;
    }
    assert_true(subnormal > 10000);
    assert_true(cancelled > 10000);
}

// In constant expressions: a product that needs the single rounding, and a subnormal result.
static_assert(tdls::fma(1 + 0x1p-30, 1 - 0x1p-30, -1.0) == -0x1p-60);
static_assert(tdls::fma(0x1p-600, 0x1.8p-474, 0.0) == 0x1p-1073);
static_assert(tdls::fma(0x1p-80f, 0x1.8p-69f, 0.0f) == 0x1p-148f);
static_assert(tdls::abs(-3.0) == 3 && tdls::abs(-3.0f) == 3);

constexpr auto logical = RowInterchange::Logical;
constexpr auto physical = RowInterchange::Physical;
constexpr auto row_major = MatrixLayout::RowMajor;
constexpr auto col_major = MatrixLayout::ColMajor;

// clang-format off
#define CASE(T, N, I, L) {#T ", N = " #N ", " #I ", " #L, solves<T, N, I, L>, nullptr, nullptr, nullptr}
// clang-format on
#define CASES(T, N)                                                                                \
    CASE(T, N, logical, row_major), CASE(T, N, logical, col_major),                                \
        CASE(T, N, physical, row_major), CASE(T, N, physical, col_major)

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(software_fma_is_correctly_rounded),
        CASES(double, 1),
        CASES(double, 4),
        CASES(float, 7),
        CASES(double, 9),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("constant", tests, nullptr, nullptr);
}
