/* SPDX-License-Identifier: BSD-3-Clause */
// LAPACKE of a library that is loaded at run time, so that several of them live in one process.
#ifndef TDLS_BENCH_LAPACKE_CALLS_HPP
#define TDLS_BENCH_LAPACKE_CALLS_HPP

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "peer.hpp"

namespace bench
{

/// A shared library whose names are seen by no other library.
class Library
{
public:
    /// Opens the first of the files that can be.
    explicit Library(const std::vector<std::string> &files)
    {
        for (const std::string &file : files)
            if (handle_ == nullptr)
                handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    explicit operator bool() const { return handle_ != nullptr; }

    /// A function of the library or of one that it needs; null if there is none of that name.
    template <typename Function>
    Function *find(const std::string &name) const
    {
        void *const symbol = handle_ != nullptr ? dlsym(handle_, name.c_str()) : nullptr;
        return reinterpret_cast<Function *>(symbol);
    }

    /// File that a function comes from.
    static std::string file_of(const void *symbol)
    {
        Dl_info info{};
        const bool known = symbol != nullptr && dladdr(symbol, &info) != 0;
        const std::string path = known ? info.dli_fname : "unknown file";
        return path.substr(path.rfind('/') + 1);
    }

private:
    void *handle_ = nullptr; // never closed: BLAS libraries leave threads behind
};

template <typename T>
struct LapackeCalls {
    using Gesv = int(int, int, int, T *, int, int *, T *, int);
    using Getrf = int(int, int, int, T *, int, int *);
    using Getrs = int(int, char, int, int, const T *, int, const int *, T *, int);
    Gesv *gesv;
    Getrf *getrf;
    Getrs *getrs;

    explicit LapackeCalls(const Library &library)
    {
        const std::string prefix = std::is_same_v<T, double> ? "LAPACKE_d" : "LAPACKE_s";
        gesv = library.find<Gesv>(prefix + "gesv_work");
        getrf = library.find<Getrf>(prefix + "getrf_work");
        getrs = library.find<Getrs>(prefix + "getrs_work");
    }
    bool found() const { return gesv != nullptr && getrf != nullptr && getrs != nullptr; }

    /// A loop over the systems, shared among the threads.
    bool run(const Batch<T> &batch) const
    {
        constexpr int column_major = 102;
        const int n = batch.n;
        int failures = 0;
#pragma omp parallel num_threads(batch.threads) reduction(+ : failures)
        {
            const auto size = static_cast<std::size_t>(batch.size());
            std::vector<T> work(size);
            std::vector<int> pivots(static_cast<std::size_t>(n));
#pragma omp for schedule(static)
            for (std::int64_t s = 0; s < batch.count; ++s) {
                T *const A = batch.matrix(s);
                T *const B = batch.right_hand_side(s);
                int *const ipiv = batch.ipiv + s * n;
                int info = 0;
                switch (batch.routine) {
                case Routine::gesv:
                    std::memcpy(work.data(), A, size * sizeof(T));
                    info = gesv(column_major, n, 1, work.data(), n, pivots.data(), B, n);
                    break;
                case Routine::gesv_keep:
                    info = gesv(column_major, n, 1, A, n, ipiv, B, n);
                    break;
                case Routine::getrf:
                    info = getrf(column_major, n, n, A, n, ipiv);
                    break;
                case Routine::getrs:
                    info = getrs(column_major, 'N', n, 1, A, n, ipiv, B, n);
                    break;
                }
                failures += info != 0;
            }
        }
        return failures == 0;
    }
};

/// A loop over LAPACKE.
class LapackePeer : public Peer
{
public:
    explicit LapackePeer(const Library &library) : float_(library), double_(library) {}
    bool complete() const { return float_.found() && double_.found(); }
    bool supports(const Case &which) const override
    {
        return which.storage != Storage::interleaved;
    }
    bool run(const Batch<float> &batch) override { return float_.run(batch); }
    bool run(const Batch<double> &batch) override { return double_.run(batch); }

private:
    LapackeCalls<float> float_;
    LapackeCalls<double> double_;
};

} // namespace bench

#endif // TDLS_BENCH_LAPACKE_CALLS_HPP
