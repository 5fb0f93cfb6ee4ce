/* SPDX-License-Identifier: BSD-3-Clause */
#include "openblas_cores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

#include "measure.hpp"
#include "text.hpp"

namespace bench
{
namespace
{

constexpr const char *core_variable = "OPENBLAS_CORETYPE";
// Tells the program that was started anew what was found.
constexpr const char *found_variable = "TDLS_BENCH_CORES";

/// "" is OpenBLAS's own choice.
std::vector<std::string> cores_to_try()
{
    std::vector<std::string> cores{""};
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        cores.emplace_back("Haswell");
        cores.emplace_back("Zen");
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        cores.emplace_back("SkylakeX");
#elif defined(__aarch64__)
    cores.emplace_back("ARMV8");
    cores.emplace_back("NEOVERSEN1");
#endif
    return cores;
}

/// What the child prints for a core; empty if it fails.
std::string output_of_child(const std::string &core, char **argv)
{
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
        return "";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        if (!core.empty())
            setenv(core_variable, core.c_str(), 1);
        std::vector<char *> arguments(1, argv[0]);
        static char probe[] = "--peer-probe";
        arguments.push_back(probe);
        for (char **argument = argv + 1; *argument != nullptr; ++argument)
            arguments.push_back(*argument);
        arguments.push_back(nullptr);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execv("/proc/self/exe", arguments.data());
        _exit(127);
    }
    close(ends[1]);
    std::string output;
    if (child > 0) {
        std::array<char, 256> part{};
        for (ssize_t length = 0; (length = read(ends[0], part.data(), part.size())) > 0;)
            output.append(part.data(), static_cast<std::size_t>(length));
        int status = 0;
        if (waitpid(child, &status, 0) != child || status != 0)
            output.clear();
    }
    close(ends[0]);
    return output;
}

} // namespace

std::string choose_openblas_core(const Options &options, char **argv)
{
    if (const char *const before = std::getenv(found_variable))
        return before;
    const char *const given = std::getenv(core_variable);
    if (given != nullptr)
        return text("%s=%s was given", core_variable, given);
    if (!options.probe || openblas_core(options.places.lapacke).empty())
        return "";
    std::string best, found;
    double least = 0;
    std::vector<std::string> seen;
    for (const std::string &core : cores_to_try()) {
        const std::string output = output_of_child(core, argv);
        std::array<char, 64> name{};
        double nanoseconds = 0;
        if (std::sscanf(output.c_str(), "%63s %lf", name.data(), &nanoseconds) != 2)
            continue;
        // A core that this OpenBLAS does not have ends as its own choice.
        if (std::find(seen.begin(), seen.end(), name.data()) != seen.end())
            continue;
        seen.emplace_back(name.data());
        found += text("%s%s%s %.0f ns", found.empty() ? "" : ", ", name.data(),
                      core.empty() ? " (its own choice)" : "", nanoseconds);
        if (least == 0 || nanoseconds < least) {
            least = nanoseconds;
            best = core;
        }
    }
    if (seen.empty())
        return "";
    found += "; taken: " + (best.empty() ? std::string("its own choice") : best);
    setenv(found_variable, found.c_str(), 1);
    if (!best.empty()) {
        setenv(core_variable, best.c_str(), 1);
        std::fflush(nullptr);
        execv("/proc/self/exe", argv);
    }
    return found;
}

int probe_openblas_core(const Options &options)
{
    const std::string core = openblas_core(options.places.lapacke);
    std::vector<std::unique_ptr<Peer>> peers;
    peers.push_back(make_lapacke(options.places.lapacke));
    if (core.empty() || peers.front() == nullptr)
        return 1;
    Options brief = options;
    brief.megabytes = options.smoke ? options.megabytes : 4;
    brief.rounds = options.smoke ? 1 : 3;
    brief.checked = 10;
    Measurement measurement(brief);
    double sum = 0;
    int terms = 0;
    for (const bool is_double : {true, false})
        for (const int n : {8, 16, 32, 64}) {
            const Measured measured = measurement.run(
                {n, is_double, Routine::gesv, Storage::strided, 1}, peers, [](const auto &) {});
            const std::vector<double> &times = measured.results.front().nanoseconds;
            sum += std::log(*std::min_element(times.begin(), times.end()));
            ++terms;
        }
    std::printf("%s %.1f\n", core.c_str(), std::exp(sum / terms));
    return 0;
}

} // namespace bench
