/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TDLS_BENCH_TEXT_HPP
#define TDLS_BENCH_TEXT_HPP

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace bench
{

/// What printf would print, up to 511 characters.
[[gnu::format(printf, 1, 2)]] inline std::string text(const char *format, ...)
{
    std::array<char, 512> buffer{};
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(buffer.data(), buffer.size(), format, arguments);
    va_end(arguments);
    return buffer.data();
}

} // namespace bench

#endif // TDLS_BENCH_TEXT_HPP
