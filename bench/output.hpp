/* SPDX-License-Identifier: BSD-3-Clause */
// The table for people, the CSV for programs, and the progress on a terminal.
#ifndef TDLS_BENCH_OUTPUT_HPP
#define TDLS_BENCH_OUTPUT_HPP

#include <cstdio>
#include <utility>

#include "measure.hpp"
#include "rates.hpp"

namespace bench
{

/// Lines "key: value" at the top of both outputs.
using Header = std::vector<std::pair<std::string, std::string>>;

class Output
{
public:
    /// `csv` is a file name, or empty.
    Output(const std::string &csv, const Header &header, std::vector<std::string> peers);
    ~Output();
    Output(const Output &) = delete;
    Output &operator=(const Output &) = delete;

    /// On a terminal alone; the next line of the table replaces it.
    void progress(const std::string &text);
    void add(const Case &which, const Measured &measured, const Rates &rates);
    /// False if something could not be written.
    bool finish();

private:
    std::FILE *csv_ = nullptr;
    bool written_ = true;
    bool terminal_;
    std::vector<std::string> peers_;

    void clear_progress() const;
};

} // namespace bench

#endif // TDLS_BENCH_OUTPUT_HPP
