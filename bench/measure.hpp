/* SPDX-License-Identifier: BSD-3-Clause */
// Random systems, runs of the peers on them in turn, and the errors of the results.
#ifndef TDLS_BENCH_MEASURE_HPP
#define TDLS_BENCH_MEASURE_HPP

#include <functional>

#include "options.hpp"

namespace bench
{

/// What one peer did in one case.
struct Result {
    std::size_t peer;                ///< its place in the list
    std::vector<double> nanoseconds; ///< per system, in the order of the rounds
    double error = 0;                ///< greatest backward error, in units of n * epsilon
    bool right = true;
};

struct Measured {
    std::int64_t count; ///< systems
    std::int64_t width; ///< of a block; 0 if not interleaved
    std::vector<Result> results;
};

/// The greatest backward error that passes, in units of n * epsilon.
constexpr double error_bound = 10;

/// Holds the systems of the last order and type, for the next case may need them again.
class Measurement
{
public:
    explicit Measurement(const Options &options);
    ~Measurement();
    Measurement(const Measurement &) = delete;
    Measurement &operator=(const Measurement &) = delete;

    /// Peers that do not support the case are left out. `progress` is told what goes on.
    Measured run(const Case &which, const std::vector<std::unique_ptr<Peer>> &peers,
                 const std::function<void(const std::string &)> &progress);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace bench

#endif // TDLS_BENCH_MEASURE_HPP
