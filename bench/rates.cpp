/* SPDX-License-Identifier: BSD-3-Clause */
// Compiled with -O3 -march=native and contraction of a * b + c.
#include "rates.hpp"

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench
{
namespace
{

double now()
{
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

constexpr int tries = 10;

template <typename Work>
double least_seconds(const Work &work)
{
    double least = 1e30;
    for (int k = 0; k < tries; ++k) {
        const double start = now();
        work();
        const double seconds = now() - start;
        least = seconds < least ? seconds : least;
    }
    return least;
}

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

// Enough independent chains for the latency of two units, few enough for 16 registers.
constexpr int chains = 12;
constexpr std::int64_t steps = 4'000'000;

template <typename T, std::size_t... k>
T multiply_add(std::int64_t count, T factor, T term, std::index_sequence<k...>)
{
    typedef T Vector __attribute__((vector_size(vector_bytes)));
    const Vector x = factor - Vector{};
    const Vector y = term - Vector{};
    Vector sums[chains];
    ((sums[k] = x + static_cast<T>(k)), ...);
    for (std::int64_t i = 0; i < count; ++i)
        ((sums[k] = sums[k] * x + y), ...);
    Vector sum{};
    ((sum += sums[k]), ...);
    return sum[0];
}

template <typename T>
double flops(int threads)
{
    volatile T factor = static_cast<T>(0.5), term = static_cast<T>(0.25);
    [[maybe_unused]] volatile double sink = 0;
    const double seconds = least_seconds([&] {
        double sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
        sum += static_cast<double>(
            multiply_add<T>(steps, factor, term, std::make_index_sequence<chains>()));
        sink = sum;
    });
    constexpr double per_step = 2.0 * chains * vector_bytes / sizeof(T);
    return per_step * static_cast<double>(steps) * threads / seconds;
}

} // namespace

Rates measure_rates(int threads, std::size_t bytes)
{
    std::vector<std::uint64_t> array(bytes / sizeof(std::uint64_t));
    std::uint64_t *const data = array.data();
    const auto length = static_cast<std::int64_t>(array.size());
    [[maybe_unused]] volatile std::uint64_t sink = 0;
    const double update = least_seconds([&] {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (std::int64_t i = 0; i < length; ++i)
            data[i] = ~data[i];
    });
    const double read = least_seconds([&] {
        std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum)
        for (std::int64_t i = 0; i < length; ++i)
            sum += data[i];
        sink = sum;
    });
    const double size = static_cast<double>(bytes);
    return {size / read, 2 * size / update, flops<double>(threads), flops<float>(threads)};
}

} // namespace bench
