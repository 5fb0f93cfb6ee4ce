/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <getopt.h>

namespace bench
{
namespace
{

constexpr char usage[] = R"(usage: tdls-bench [OPTION...]

Solves the same random systems with libtdls and with other libraries in turn, checks the
results, and prints the time per system. Without a choice of cases: --standard.

Choice of cases, every combination of
  --n LIST          orders, as in 2,4,8 or 2-64           (default 4,8,16,32,64)
  --type LIST       float, double                         (default double)
  --routine LIST    gesv, gesv-keep (factors are kept), getrf, getrs   (default gesv)
  --storage LIST    strided, interleaved, pointers        (default strided)
  --threads LIST    numbers of threads                    (default 1)
or
  --standard        the set that ./dev bench runs: gesv of 18 orders from 2 to 64, and 5 orders
                    of the other routines, interleaved storage and two threads
  --smoke           few and small systems, everything once, all results checked

How
  --megabytes X     size of the matrices of a case        (default 64)
  --rounds N        measurements of each library          (default 7)
  --width N         block of interleaved storage; 0: the batch   (default: 64 bytes)
  --csv FILE        writes the measurements to FILE as well
  --lapacke FILE    library with LAPACKE                  (default: liblapacke, libopenblas)
  --mkl FILE        libmkl_rt                             (default: in MKLROOT, then libmkl_rt)
  --no-probe        do not try the cores of OpenBLAS, take the one it chooses
  --help            this text

Exit status: 0 if every result is right, 1 if not, 2 for illegal arguments.
)";

[[noreturn]] void fail(const std::string &message)
{
    std::fprintf(stderr, "tdls-bench: %s (see --help)\n", message.c_str());
    std::exit(2);
}

std::vector<std::string> split(const std::string &list)
{
    std::vector<std::string> parts(1);
    for (const char c : list)
        if (c == ',')
            parts.emplace_back();
        else
            parts.back() += c;
    return parts;
}

double number(const std::string &text, double least, double most)
{
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !(value >= least && value <= most))
        fail("illegal number: '" + text + "'");
    return value;
}

int integer(const std::string &text, int least, int most)
{
    const double value = number(text, least, most);
    const int whole = static_cast<int>(value);
    if (whole < value)
        fail("not a whole number: '" + text + "'");
    return whole;
}

std::vector<int> integers(const std::string &list, int least, int most)
{
    std::vector<int> values;
    for (const std::string &part : split(list)) {
        const std::size_t dash = part.find('-');
        const int first = integer(part.substr(0, dash), least, most);
        const int last =
            dash == std::string::npos ? first : integer(part.substr(dash + 1), least, most);
        for (int value = first; value <= last; ++value)
            values.push_back(value);
    }
    return values;
}

/// Values of the names in a list.
template <typename Value>
std::vector<Value> values(const std::string &list,
                          const std::vector<std::pair<std::string, Value>> &known)
{
    std::vector<Value> found;
    for (const std::string &part : split(list)) {
        const std::size_t before = found.size();
        for (const auto &[name, value] : known)
            if (name == part)
                found.push_back(value);
        if (found.size() == before)
            fail("unknown: '" + part + "'");
    }
    return found;
}

struct Choice {
    std::vector<int> orders{4, 8, 16, 32, 64};
    std::vector<bool> doubles{true};
    std::vector<Routine> routines{Routine::gesv};
    std::vector<Storage> storages{Storage::strided};
    std::vector<int> threads{1};

    // Cases of one type and order follow one another, since they share their systems.
    void add_to(std::vector<Case> &cases) const
    {
        for (const bool is_double : doubles)
            for (const int n : orders)
                for (const int count : threads)
                    for (const Routine routine : routines)
                        for (const Storage storage : storages)
                            cases.push_back({n, is_double, routine, storage, count});
    }
};

std::vector<Case> standard_cases()
{
    std::vector<Case> cases;
    for (const bool is_double : {true, false})
        for (const int n : {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64}) {
            cases.push_back({n, is_double, Routine::gesv, Storage::strided, 1});
            if (n != 4 && n != 8 && n != 16 && n != 32 && n != 64)
                continue;
            for (const Routine routine : {Routine::gesv_keep, Routine::getrf, Routine::getrs})
                cases.push_back({n, is_double, routine, Storage::strided, 1});
            cases.push_back({n, is_double, Routine::gesv, Storage::interleaved, 1});
            cases.push_back({n, is_double, Routine::gesv, Storage::strided, 2});
        }
    return cases;
}

} // namespace

const char *name_of(Routine routine)
{
    switch (routine) {
    case Routine::gesv:
        return "gesv";
    case Routine::gesv_keep:
        return "gesv-keep";
    case Routine::getrf:
        return "getrf";
    case Routine::getrs:
        return "getrs";
    }
    return "";
}

const char *name_of(Storage storage)
{
    switch (storage) {
    case Storage::strided:
        return "strided";
    case Storage::interleaved:
        return "interleaved";
    case Storage::pointers:
        return "pointers";
    }
    return "";
}

Options read_options(int argc, char **argv)
{
    enum {
        N = 1,
        TYPE,
        ROUTINE,
        STORAGE,
        THREADS,
        STANDARD,
        SMOKE,
        MEGABYTES,
        ROUNDS,
        WIDTH,
        CSV,
        LAPACKE,
        MKL,
        NO_PROBE,
        PEER_PROBE,
        HELP
    };
    static const option known[] = {{"n", required_argument, nullptr, N},
                                   {"type", required_argument, nullptr, TYPE},
                                   {"routine", required_argument, nullptr, ROUTINE},
                                   {"storage", required_argument, nullptr, STORAGE},
                                   {"threads", required_argument, nullptr, THREADS},
                                   {"standard", no_argument, nullptr, STANDARD},
                                   {"smoke", no_argument, nullptr, SMOKE},
                                   {"megabytes", required_argument, nullptr, MEGABYTES},
                                   {"rounds", required_argument, nullptr, ROUNDS},
                                   {"width", required_argument, nullptr, WIDTH},
                                   {"csv", required_argument, nullptr, CSV},
                                   {"lapacke", required_argument, nullptr, LAPACKE},
                                   {"mkl", required_argument, nullptr, MKL},
                                   {"no-probe", no_argument, nullptr, NO_PROBE},
                                   {"peer-probe", no_argument, nullptr, PEER_PROBE},
                                   {"help", no_argument, nullptr, HELP},
                                   {nullptr, 0, nullptr, 0}};
    const std::vector<std::pair<std::string, Routine>> routines{{"gesv", Routine::gesv},
                                                                {"gesv-keep", Routine::gesv_keep},
                                                                {"getrf", Routine::getrf},
                                                                {"getrs", Routine::getrs}};
    const std::vector<std::pair<std::string, Storage>> storages{
        {"strided", Storage::strided},
        {"interleaved", Storage::interleaved},
        {"pointers", Storage::pointers}};
    Options options;
    Choice choice;
    bool chosen = false, standard = false;
    for (int key = 0; (key = getopt_long_only(argc, argv, "", known, nullptr)) != -1;) {
        const std::string value = optarg != nullptr ? optarg : "";
        chosen = chosen || (key >= N && key <= THREADS);
        switch (key) {
        case N:
            choice.orders = integers(value, 1, 4096);
            break;
        case TYPE:
            choice.doubles = values<bool>(value, {{"float", false}, {"double", true}});
            break;
        case ROUTINE:
            choice.routines = values(value, routines);
            break;
        case STORAGE:
            choice.storages = values(value, storages);
            break;
        case THREADS:
            choice.threads = integers(value, 1, 4096);
            break;
        case STANDARD:
            standard = true;
            break;
        case SMOKE:
            options.smoke = true;
            break;
        case MEGABYTES:
            options.megabytes = number(value, 0, 1e6);
            break;
        case ROUNDS:
            options.rounds = integer(value, 1, 1000);
            break;
        case WIDTH:
            options.width = integer(value, 0, 1 << 30);
            break;
        case CSV:
            options.csv = value;
            break;
        case LAPACKE:
            options.places.lapacke = value;
            break;
        case MKL:
            options.places.mkl = value;
            break;
        case NO_PROBE:
            options.probe = false;
            break;
        case PEER_PROBE:
            options.peer_probe = true;
            break;
        case HELP:
            std::fputs(usage, stdout);
            std::exit(0);
        default:
            std::exit(2);
        }
    }
    if (optind < argc)
        fail(std::string("illegal argument: '") + argv[optind] + "'");
    if (static_cast<int>(chosen) + static_cast<int>(standard) + static_cast<int>(options.smoke) > 1)
        fail("--standard, --smoke and a choice of cases exclude one another");
    if (options.smoke) {
        // Odd counts of systems, orders around vector widths and one that is compiled nowhere.
        choice = {{1, 2, 5, 8, 16, 33},
                  {true, false},
                  {Routine::gesv, Routine::gesv_keep, Routine::getrf, Routine::getrs},
                  {Storage::strided, Storage::interleaved, Storage::pointers},
                  {1, 2}};
        options.megabytes = 0.05;
        options.least_seconds = 0;
        options.rounds = 1;
        options.checked = INT64_MAX;
    }
    if (chosen || options.smoke)
        choice.add_to(options.cases);
    else
        options.cases = standard_cases();
    return options;
}

} // namespace bench
