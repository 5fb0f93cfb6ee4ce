/* SPDX-License-Identifier: BSD-3-Clause */
// tdls-bench: libtdls and other libraries in turn on the same random systems. See --help.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include <unistd.h>

#include "openblas_cores.hpp"
#include "output.hpp"
#include "text.hpp"

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
        if (line.compare(0, key.size(), key) == 0 &&
            line.find_first_of("\t:", key.size()) == key.size())
            return line.substr(std::min(line.size(), line.find(':') + 2));
    return "";
}

Header describe_machine()
{
    Header header;
    std::string last_cache;
    std::ifstream("/sys/devices/system/cpu/cpu0/cache/index3/size") >> last_cache;
    std::string cpu = of_processor("model name");
    if (!of_processor("cpu family").empty())
        cpu = text("%s, family %s model %s", cpu.c_str(), of_processor("cpu family").c_str(),
                   of_processor("model").c_str());
    if (cpu.empty())
        cpu = text("implementer %s part %s", of_processor("CPU implementer").c_str(),
                   of_processor("CPU part").c_str());
    header.emplace_back("cpu", text("%s, %ld processors, L3 %s", cpu.c_str(),
                                    sysconf(_SC_NPROCESSORS_ONLN),
                                    last_cache.empty() ? "unknown" : last_cache.c_str()));
    double load = 0;
    if (getloadavg(&load, 1) == 1)
        header.emplace_back("load at the start", text("%.2f", load));
    header.emplace_back("compiler", TDLS_BENCH_COMPILER);
    return header;
}

std::string describe_run(const Options &options)
{
    return text("%g MB of matrices, uniform in (-1, 1), column-major, one right-hand side; "
                "%d rounds",
                options.megabytes, options.rounds);
}

std::string describe(const Rates &rates)
{
    return text("%.1f GB/s read, %.1f GB/s read and written, %.1f GFLOP/s double, %.1f GFLOP/s "
                "float",
                rates.read / 1e9, rates.update / 1e9, rates.flops_double / 1e9,
                rates.flops_float / 1e9);
}

} // namespace

int main(int argc, char **argv)
{
    Options options = read_options(argc, argv);
    if (options.peer_probe)
        return probe_openblas_core(options);
    const std::string cores = choose_openblas_core(options, argv);
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
            rates[which.threads] = options.smoke ? Rates{} : measure_rates(which.threads, bytes);
            if (!options.smoke)
                header.emplace_back(text("limits of %d thread(s)", which.threads),
                                    describe(rates[which.threads]));
        }

    Output output(options.csv, header, names);
    Measurement measurement(options);
    bool right = true;
    for (std::size_t c = 0; c < options.cases.size(); ++c) {
        const Case &which = options.cases[c];
        const std::string place =
            text("[%zu/%zu] n = %d, %s, %s: ", c + 1, options.cases.size(), which.n,
                 which.is_double ? "double" : "float", name_of(which.routine));
        const Measured measured = measurement.run(
            which, peers, [&](const std::string &what) { output.progress(place + what); });
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
