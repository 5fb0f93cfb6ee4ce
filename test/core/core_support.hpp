// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the core share: groups of threads, random systems, and the outcome that the
// plain loop of the arithmetic gives, in the formats of the solvers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>
#include <type_traits>
#include <vector>

#include <tdls/tdls.hpp>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
}

namespace core_test
{

using tdls::CooperativeLUppConfig;
using tdls::CooperativeLUppSolverDynamic;
using tdls::CooperativeLUppSolverStatic;
using tdls::MatrixLayout;
using tdls::NoSync;
using tdls::RowInterchange;

// Runs work(tx) on `threads` threads of their own, which the scheduler interleaves as it likes.
template <typename Work>
void run_group(int threads, const Work &work)
{
    std::vector<std::thread> others;
    for (int tx = 1; tx < threads; ++tx) {
        others.emplace_back([&work, tx] { work(tx); });
    }
    work(0);
    for (std::thread &other : others) {
        other.join();
    }
}

class Random
{
public:
    explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
    double uniform(double low, double high)
    {
        state_ = state_ * 6364136223846793005U + 1442695040888963407U; // Knuth's MMIX generator
        return low + (high - low) * static_cast<double>(state_ >> 11) * 0x1p-53;
    }
    int integer(int low, int high)
    {
        return low + static_cast<int>(uniform(0, 1) * (high - low + 1));
    }

private:
    std::uint64_t state_;
};

// A system in memory, or what became of it: the stored matrix with element (r, c) of S at c*n + r,
// the pivots, the right-hand side or the solution, and the verdict.
template <typename T>
struct System {
    int n;
    std::vector<T> matrix;
    std::vector<int> piv;
    std::vector<T> rhs;
    bool sound = true;

    explicit System(int order)
        : n(order), matrix(static_cast<std::size_t>(order) * static_cast<std::size_t>(order)),
          piv(static_cast<std::size_t>(order), -1), rhs(static_cast<std::size_t>(order))
    {
    }
    T &s(int r, int c)
    {
        return matrix[static_cast<std::size_t>(c) * static_cast<std::size_t>(n) +
                      static_cast<std::size_t>(r)];
    }
};

enum class Kind { Random, Ties, Singular, ZeroColumn, NotANumber };
constexpr Kind kinds[] = {Kind::Random, Kind::Ties, Kind::Singular, Kind::ZeroColumn,
                          Kind::NotANumber};

template <typename T>
System<T> make_system(int n, Kind kind, Random &random)
{
    System<T> system(n);
    for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
            system.s(r, c) = kind == Kind::Ties ? static_cast<T>(random.integer(-2, 2))
                                                : static_cast<T>(random.uniform(-1, 1));
        }
        system.rhs[static_cast<std::size_t>(r)] = static_cast<T>(random.uniform(-1, 1));
    }
    const int row = random.integer(0, n - 1), column = random.integer(0, n - 1);
    for (int e = 0; e < n; ++e) {
        if (kind == Kind::Singular) {
            system.s(row, e) = system.s((row + 1) % n, e) * (n > 1 ? T(1) : T(0));
        }
        if (kind == Kind::ZeroColumn) {
            system.s(e, column) = T(0);
        }
    }
    if (kind == Kind::NotANumber) {
        system.s(row, column) = std::numeric_limits<T>::quiet_NaN();
    }
    return system;
}

// What must come out, by the plain loop.
template <typename T, typename Config>
System<T> expected_outcome(System<T> in, const Config &config)
{
    const int n = in.n;
    System<T> f = in;
    std::vector<int> original(static_cast<std::size_t>(n));
    for (int r = 0; r < n; ++r) {
        original[static_cast<std::size_t>(r)] = r;
    }
    bool sound = true;
    for (int k = 0; k < n; ++k) {
        int m = k;
        T best = std::abs(f.s(k, k));
        for (int p = k + 1; p < n; ++p) {
            if (std::abs(f.s(p, k)) > best) {
                best = std::abs(f.s(p, k));
                m = p;
            }
        }
        if (config.relative_pivot_threshold < 1 &&
            std::abs(f.s(k, k)) >= config.relative_pivot_threshold * best &&
            std::abs(f.s(k, k)) >= config.singular_floor) {
            m = k;
        }
        for (int c = 0; c < n; ++c) {
            std::swap(f.s(k, c), f.s(m, c));
        }
        std::swap(original[static_cast<std::size_t>(k)], original[static_cast<std::size_t>(m)]);
        if (best < config.singular_floor) {
            sound = false;
            continue;
        }
        const T reciprocal = T(1) / f.s(k, k);
        for (int i = k + 1; i < n; ++i) {
            f.s(i, k) = f.s(i, k) * reciprocal;
            for (int j = k + 1; j < n; ++j) {
                f.s(i, j) = std::fma(-f.s(i, k), f.s(k, j), f.s(i, j));
            }
        }
    }

    std::vector<T> y(static_cast<std::size_t>(n));
    const auto at = [&y](int i) -> T & { return y[static_cast<std::size_t>(i)]; };
    const auto from = [&original](int p) {
        return static_cast<std::size_t>(original[static_cast<std::size_t>(p)]);
    };
    System<T> out(n);
    out.sound = sound;
    if (config.layout == MatrixLayout::ColMajor) {
        for (int p = 0; p < n; ++p) {
            at(p) = in.rhs[from(p)];
        }
        for (int k = 0; k < n; ++k) {
            for (int i = k + 1; i < n; ++i) {
                at(i) = std::fma(-f.s(i, k), at(k), at(i));
            }
        }
        for (int i = n - 1; i >= 0; --i) {
            at(i) = at(i) / f.s(i, i);
            for (int j = 0; j < i; ++j) {
                at(j) = std::fma(-f.s(j, i), at(i), at(j));
            }
        }
        out.rhs = y;
    } else {
        y = in.rhs;
        for (int k = 0; k < n; ++k) {
            at(k) = at(k) / f.s(k, k);
            for (int j = k + 1; j < n; ++j) {
                at(j) = std::fma(-f.s(k, j), at(k), at(j));
            }
        }
        for (int k = n - 1; k >= 0; --k) {
            for (int j = 0; j < k; ++j) {
                at(j) = std::fma(-f.s(k, j), at(k), at(j));
            }
        }
        for (int p = 0; p < n; ++p) {
            out.rhs[from(p)] = at(p);
        }
    }
    for (int p = 0; p < n; ++p) {
        const int r = static_cast<int>(from(p));
        const bool physical = config.row_interchange == RowInterchange::Physical;
        out.piv[static_cast<std::size_t>(physical ? p : r)] = physical ? r : p;
        for (int c = 0; c < n; ++c) {
            out.s(physical ? p : r, c) = f.s(p, c);
        }
    }
    return out;
}

// Equal to the bit, NaN to NaN; x87 numbers have bytes that mean nothing.
template <typename T>
bool same(T a, T b)
{
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename T>
bool same(const std::vector<T> &a, const std::vector<T> &b)
{
    if (a.size() != b.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) {
            return false;
        }
    }
    return true;
}

// Fails, naming the way, unless the outcome is the expected one. x of a singular system is open.
template <typename T>
void assert_outcome(const System<T> &got, const System<T> &expected, bool solves, const char *way)
{
    if (got.sound != expected.sound) {
        fail_msg("%s, n = %d: verdict %d", way, got.n, got.sound);
    }
    if (!same(got.matrix, expected.matrix)) {
        fail_msg("%s, n = %d: factors differ", way, got.n);
    }
    if (got.piv != expected.piv) {
        fail_msg("%s, n = %d: pivots differ", way, got.n);
    }
    if (solves && expected.sound && !same(got.rhs, expected.rhs)) {
        fail_msg("%s, n = %d: solutions differ", way, got.n);
    }
}

// A vector spread out with a stride, guards between its elements.
template <typename E>
class Spread
{
public:
    Spread(const std::vector<E> &from, int stride)
        : stride_(stride), elements_(from.size() * static_cast<std::size_t>(stride), guard())
    {
        for (std::size_t i = 0; i < from.size(); ++i) {
            elements_[i * static_cast<std::size_t>(stride)] = from[i];
        }
    }
    E *data() { return elements_.data(); }
    std::int64_t stride() const { return stride_; }
    std::vector<E> gather() const
    {
        std::vector<E> out;
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            if (i % static_cast<std::size_t>(stride_) == 0) {
                out.push_back(elements_[i]);
            } else if (elements_[i] != guard()) {
                fail_msg("an element between the strides was written");
            }
        }
        return out;
    }

private:
    static E guard() { return static_cast<E>(-77); }

    int stride_;
    std::vector<E> elements_;
};

// Verdicts of all threads of a group, which must agree.
class Verdicts
{
public:
    explicit Verdicts(int threads) : given_(static_cast<std::size_t>(threads), -1) {}
    void give(int tx, bool sound) { given_[static_cast<std::size_t>(tx)] = sound; }
    bool agreed() const
    {
        for (const int verdict : given_) {
            assert_int_equal(verdict, given_[0]);
        }
        return given_[0] != 0;
    }

private:
    std::vector<int> given_;
};

} // namespace core_test
