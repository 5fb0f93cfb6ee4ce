/* SPDX-License-Identifier: BSD-3-Clause */
// The command line.
#ifndef TDLS_BENCH_OPTIONS_HPP
#define TDLS_BENCH_OPTIONS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "peer.hpp"

namespace bench
{

struct Options {
    std::vector<Case> cases;
    double megabytes = 64;       ///< of the matrices of a case
    double least_seconds = 5e-3; ///< of a measurement: shorter runs are repeated
    int rounds = 7;
    std::int64_t width = -1;     ///< of interleaved storage; -1: 64 bytes, 0: the batch
    std::int64_t checked = 1000; ///< systems whose error is computed after each run
    bool smoke = false;
    bool probe = true;       ///< try the cores of OpenBLAS
    bool peer_probe = false; ///< be the child that tries one
    Places places;
    std::string csv;
};

/// Prints and exits for --help and illegal arguments.
Options read_options(int argc, char **argv);

const char *name_of(Routine routine);
const char *name_of(Storage storage);

} // namespace bench

#endif // TDLS_BENCH_OPTIONS_HPP
