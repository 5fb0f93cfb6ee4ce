/* SPDX-License-Identifier: BSD-3-Clause */
// tdls-bench: libtdls and other libraries in turn on the same random systems. See --help.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include <unistd.h>

#include "openblas_cores.hpp"
#include "output.hpp"

namespace
{

using namespace bench;

/// libtdls is the first: the others are compared with it.
std::vector<std::unique_ptr<Peer>> find_peers(const Places &places)
{
    std::vector<std::unique_ptr<Peer>> peers;
    const auto add = [&](std::unique_ptr<Peer> peer) {
        if (peer != nullptr)
            peers.push_back(std::move(peer));
    };
    add(make_tdls());
    if (peers.empty())
        std::exit(1);
    add(make_lapacke(places.lapacke));
    if (!places.lapacke.empty() && peers.back()->name() != "lapacke")
        std::fprintf(stderr, "tdls-bench: no LAPACKE in %s\n", places.lapacke.c_str());
#ifdef TDLS_BENCH_EIGEN
    add(make_eigen());
#endif
    add(make_mkl_lapacke(places.mkl));
    add(make_mkl_batch(places.mkl));
    if (!places.mkl.empty() && peers.back()->name() != "mkl-batch")
        std::fprintf(stderr, "tdls-bench: no MKL in %s\n", places.mkl.c_str());
    return peers;
}

/// The value of a line of /proc/cpuinfo; empty if there is none.
std::string of_processor(const std::string &key)
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, key.size(), key) == 0 && line.find_first_of("\t:", key.size()) == key.size())
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "";
}

std::string gigabytes(double per_second)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f GB/s", per_second / 1e9);
    return text.data();
}

std::string gigaflops(double per_second)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f GFLOP/s", per_second / 1e9);
    return text.data();
}

Header describe_machine()
{
    Header header;
    const long kibibytes = sysconf(_SC_LEVEL3_CACHE_SIZE) / 1024;
    std::string cpu = of_processor("model name");
    if (!of_processor("cpu family").empty())
        cpu += ", family " + of_processor("cpu family") + " model " + of_processor("model");
    if (cpu.empty())
        cpu = "unnamed, implementer " + of_processor("CPU implementer") + " part " +
              of_processor("CPU part");
    header.emplace_back("cpu", cpu + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) +
                                   " processors, L3 " + std::to_string(kibibytes / 1024) + " MiB");
    std::array<double, 1> load{};
    if (getloadavg(load.data(), 1) == 1) {
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.2f", load[0]);
        header.emplace_back("load at the start", text.data());
    }
    header.emplace_back("compiler", TDLS_BENCH_COMPILER);
    return header;
}

std::string describe_run(const Options &options)
{
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "%g MB of matrices, uniform in (-1, 1), column-major, one right-hand side; %d rounds",
                  options.megabytes, options.rounds);
    return text.data();
}

} // namespace

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    if (options.peer_probe)
        return probe_openblas_core(options);
    const std::string cores = choose_openblas_core(options, argv);
    // Read by libtdls's kernels alone where it was asked for; a child must not choose by it.
    const std::vector<std::unique_ptr<Peer>> peers = find_peers(options.places);

    Header header = describe_machine();
    header.emplace_back("run", describe_run(options));
    std::vector<std::string> names;
    for (const auto &peer : peers) {
        header.emplace_back(peer->name(), peer->description());
        names.push_back(peer->name());
    }
    if (!cores.empty())
        header.emplace_back("OpenBLAS cores", cores);
    std::map<int, Rates> rates;
    for (const Case &which : options.cases)
        if (rates.count(which.threads) == 0) {
            constexpr std::size_t bytes = std::size_t{256} << 20;
            const Rates measured =
                options.smoke ? Rates{} : measure_rates(which.threads, bytes);
            rates[which.threads] = measured;
            if (!options.smoke)
                header.emplace_back("limits, " + std::to_string(which.threads) + " thread(s)",
                                    gigabytes(measured.read) + " read, " +
                                        gigabytes(measured.update) + " read and written, " +
                                        gigaflops(measured.flops_double) + " double, " +
                                        gigaflops(measured.flops_float) + " float");
        }

    Output output(options.csv, header, names);
    Measurement measurement(options);
    bool right = true;
    for (std::size_t c = 0; c < options.cases.size(); ++c) {
        const Case &which = options.cases[c];
        const std::string place = "[" + std::to_string(c + 1) + "/" +
                                  std::to_string(options.cases.size()) +
                                  "] n = " + std::to_string(which.n) + ", " +
                                  (which.is_double ? "double " : "float ") +
                                  name_of(which.routine) + ": ";
        const Measured measured =
            measurement.run(which, peers, [&](const std::string &text) { output.progress(place + text); });
        for (const Result &result : measured.results)
            right = right && result.right;
        output.add(which, measured, rates[which.threads]);
    }
    if (!output.finish()) {
        std::fprintf(stderr, "tdls-bench: the results could not be written\n");
        return 1;
    }
    if (!right)
        std::fprintf(stderr, "tdls-bench: there are wrong results, marked WRONG above\n");
    return right ? 0 : 1;
}
