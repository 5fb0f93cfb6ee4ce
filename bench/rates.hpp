/* SPDX-License-Identifier: BSD-3-Clause */
// What the machine can do at most: the memory and the multiply-add units.
#ifndef TDLS_BENCH_RATES_HPP
#define TDLS_BENCH_RATES_HPP

#include <cstddef>

namespace bench
{

struct Rates {
    double read;         ///< bytes per second, summing up an array
    double update;       ///< bytes read and bytes written per second, changing an array in place
    double flops_double; ///< floating-point operations per second, fused multiply-adds as two
    double flops_float;
};

/// Best of a few tries with so many threads, on an array of so many bytes.
Rates measure_rates(int threads, std::size_t bytes);

} // namespace bench

#endif // TDLS_BENCH_RATES_HPP
