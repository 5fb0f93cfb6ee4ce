/* SPDX-License-Identifier: BSD-3-Clause */
#include "output.hpp"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "text.hpp"

namespace bench
{
namespace
{

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// What a routine has to move and to compute for one system.
struct Work {
    double only_read; ///< bytes
    double updated;   ///< bytes read and bytes written
    double flops;

    explicit Work(const Case &which)
    {
        const double n = which.n, element = which.is_double ? 8 : 4;
        const double pivots = 4 * n;
        // Additions and multiplications of LAPACK's routines (LAPACK Working Note 41).
        const double factoring = n * (n - 1) * (4 * n + 1) / 6, solving = n * (2 * n - 1);
        switch (which.routine) {
        case Routine::gesv:
            only_read = n * n * element;
            updated = 2 * n * element;
            flops = factoring + solving;
            break;
        case Routine::gesv_keep:
            only_read = 0;
            updated = 2 * (n * n + n) * element + pivots;
            flops = factoring + solving;
            break;
        case Routine::getrf:
            only_read = 0;
            updated = 2 * n * n * element + pivots;
            flops = factoring;
            break;
        case Routine::getrs:
            only_read = n * n * element + pivots;
            updated = 2 * n * element;
            flops = solving;
            break;
        }
    }
};

/// A time and what follows from it.
struct Figures {
    double median, least, most, spread, gigabytes, memory, gigaflops, peak;

    /// Rates of zero: not measured, and the fractions are zero.
    Figures(const Case &which, const Result &result, const Rates &rates)
    {
        const Work work(which);
        const std::vector<double> &times = result.nanoseconds;
        median = bench::median(times);
        least = *std::min_element(times.begin(), times.end());
        most = *std::max_element(times.begin(), times.end());
        spread = (most - least) / median;
        gigabytes = (work.only_read + work.updated) / median;
        gigaflops = work.flops / median;
        // Time that the memory alone would take.
        memory = rates.read > 0
                     ? 1e9 * (work.only_read / rates.read + work.updated / rates.update) / median
                     : 0;
        const double limit = which.is_double ? rates.flops_double : rates.flops_float;
        peak = limit > 0 ? 1e9 * gigaflops / limit : 0;
    }
};

/// Median over the rounds of the peer's time over ours.
double ratio(const Result &peer, const Result &ours)
{
    std::vector<double> ratios;
    for (std::size_t r = 0; r < peer.nanoseconds.size(); ++r)
        ratios.push_back(peer.nanoseconds[r] / ours.nanoseconds[r]);
    return median(ratios);
}

constexpr const char *columns =
    "n,type,routine,storage,width,threads,systems,library,ns_per_system,ns_least,ns_most,spread,"
    "systems_per_s,gb_per_s,fraction_of_bandwidth,gflop_per_s,fraction_of_peak,time_over_tdls,"
    "backward_error\n";

} // namespace

Output::Output(const std::string &csv, const Header &header, std::vector<std::string> peers)
    : terminal_(isatty(STDERR_FILENO) == 1), peers_(std::move(peers))
{
    if (!csv.empty()) {
        csv_ = std::fopen(csv.c_str(), "w");
        if (csv_ == nullptr) {
            std::perror(("tdls-bench: " + csv).c_str());
            std::exit(2);
        }
    }
    for (const auto &[key, value] : header) {
        std::printf("%s: %s\n", key.c_str(), value.c_str());
        if (csv_ != nullptr)
            std::fprintf(csv_, "# %s: %s\n", key.c_str(), value.c_str());
    }
    if (csv_ != nullptr)
        std::fputs(columns, csv_);
    std::printf(
        "\n  n type   routine   storage       thr  ns/system     least spread  systems/s   GB/s"
        " mem%% GFLOP/s peak%%");
    for (std::size_t p = 1; p < peers_.size(); ++p)
        std::printf("  | %9s  ratio", peers_[p].c_str());
    std::printf("\n");
    std::fflush(stdout);
}

Output::~Output()
{
    if (csv_ != nullptr)
        std::fclose(csv_);
}

void Output::clear_progress() const
{
    if (terminal_)
        std::fprintf(stderr, "\r\033[K");
}

void Output::progress(const std::string &text)
{
    if (!terminal_)
        return;
    clear_progress();
    std::fprintf(stderr, "%s", text.c_str());
    std::fflush(stderr);
}

void Output::add(const Case &which, const Measured &measured, const Rates &rates)
{
    clear_progress();
    const char *const type = which.is_double ? "double" : "float";
    const std::string storage = measured.width > 0 ? text("%s/%lld", name_of(which.storage),
                                                          static_cast<long long>(measured.width))
                                                   : name_of(which.storage);
    const Result &ours = measured.results.front();
    const Figures f(which, ours, rates);
    std::printf("%3d %-6s %-9s %-14s %2d %10.1f %9.1f %5.0f%% %10.3g %6.2f %4.0f %7.2f %5.0f",
                which.n, type, name_of(which.routine), storage.c_str(), which.threads, f.median,
                f.least, 100 * f.spread, 1e9 / f.median, f.gigabytes, 100 * f.memory, f.gigaflops,
                100 * f.peak);
    for (std::size_t p = 1; p < peers_.size(); ++p) {
        const auto found = std::find_if(measured.results.begin(), measured.results.end(),
                                        [&](const Result &result) { return result.peer == p; });
        if (found == measured.results.end())
            std::printf("  | %9s %6s", "-", "-");
        else
            std::printf("  | %9.1f %5.2fx", median(found->nanoseconds), ratio(*found, ours));
    }
    std::printf("\n");
    for (const Result &result : measured.results) {
        if (!result.right)
            std::printf("    WRONG: %s, backward error %.3g n epsilon, bound %g\n",
                        peers_[result.peer].c_str(), result.error, error_bound);
        if (csv_ == nullptr)
            continue;
        const Figures g(which, result, rates);
        std::fprintf(csv_, "%d,%s,%s,%s,%lld,%d,%lld,%s,", which.n, type, name_of(which.routine),
                     name_of(which.storage), static_cast<long long>(measured.width), which.threads,
                     static_cast<long long>(measured.count), peers_[result.peer].c_str());
        std::fprintf(csv_, "%.6g,%.6g,%.6g,%.3f,%.6g,%.4g,%.4g,%.4g,%.4g,%.4g,%.3g\n", g.median,
                     g.least, g.most, g.spread, 1e9 / g.median, g.gigabytes, g.memory, g.gigaflops,
                     g.peak, ratio(result, ours), result.error);
    }
    std::fflush(stdout);
}

bool Output::finish()
{
    clear_progress();
    if (csv_ != nullptr) {
        written_ = std::ferror(csv_) == 0 && std::fclose(csv_) == 0;
        csv_ = nullptr;
    }
    return written_ && std::ferror(stdout) == 0;
}

} // namespace bench
