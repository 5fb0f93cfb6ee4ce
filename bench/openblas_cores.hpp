/* SPDX-License-Identifier: BSD-3-Clause */
// OpenBLAS may not know a processor, and take poor kernels for it. OPENBLAS_CORETYPE names others,
// but is read when the library is loaded: each is tried in a child process.
#ifndef TDLS_BENCH_OPENBLAS_CORES_HPP
#define TDLS_BENCH_OPENBLAS_CORES_HPP

#include "options.hpp"

namespace bench
{

/// In the parent: tries the cores that this processor can run and starts the program anew with the
/// best one, unless OPENBLAS_CORETYPE is set. Returns what the header of the output is to say;
/// empty if LAPACKE is not OpenBLAS's.
std::string choose_openblas_core(const Options &options, char **argv);

/// In the child: prints the core and its time.
int probe_openblas_core(const Options &options);

} // namespace bench

#endif // TDLS_BENCH_OPENBLAS_CORES_HPP
