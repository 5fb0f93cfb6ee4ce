/* SPDX-License-Identifier: BSD-3-Clause */
// Intel MKL: a loop over its LAPACKE, and its batched routines ?getr[fs]_batch_strided.
#include <cstdlib>

#include <omp.h>

#include "lapacke_calls.hpp"

namespace bench
{
namespace
{

const Library &library(const std::string &file)
{
    static const Library opened = [&] {
        std::vector<std::string> files;
        if (file.empty()) {
            const char *const root = std::getenv("MKLROOT");
            for (const char *name : {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"}) {
                if (root != nullptr)
                    for (const char *folder : {"/lib/", "/lib/intel64/"})
                        files.push_back(std::string(root) + folder + name);
                files.emplace_back(name);
            }
        } else {
            files.push_back(file);
        }
        // Read by MKL with its first call. The systems are shared among the threads here.
        setenv("MKL_THREADING_LAYER", "SEQUENTIAL", 0);
        setenv("MKL_INTERFACE_LAYER", "LP64", 0);
        return Library(files);
    }();
    return opened;
}

std::string version(const Library &from)
{
    char text[256] = "MKL";
    if (auto *const get = from.find<void(char *, int)>("MKL_Get_Version_String"))
        get(text, sizeof text - 1);
    const std::string whole = text;
    return whole.substr(0, whole.find_last_not_of(' ') + 1);
}

class MklLapacke final : public LapackePeer
{
public:
    explicit MklLapacke(const Library &from) : LapackePeer(from), library_(from) {}
    std::string name() const override { return "mkl"; }
    std::string description() const override
    {
        return "loop over LAPACKE_?gesv_work; " + version(library_);
    }

private:
    const Library &library_;
};

template <typename T>
struct BatchCalls {
    using Getrf = void(const int *, const int *, T *, const int *, const int *, int *, const int *,
                       const int *, int *);
    using Getrs = void(const char *, const int *, const int *, const T *, const int *, const int *,
                       const int *, const int *, T *, const int *, const int *, const int *, int *);
    Getrf *getrf;
    Getrs *getrs;

    explicit BatchCalls(const Library &library)
    {
        const std::string prefix = std::is_same_v<T, double> ? "d" : "s";
        getrf = library.find<Getrf>(prefix + "getrf_batch_strided");
        getrs = library.find<Getrs>(prefix + "getrs_batch_strided");
    }
    bool found() const { return getrf != nullptr && getrs != nullptr; }

    /// The systems go in chunks that stay in the cache between the two calls. Each thread has its
    /// own part of the batch.
    bool run(const Batch<T> &batch) const
    {
        constexpr std::size_t chunk_bytes = 256 * 1024;
        const auto size = static_cast<std::size_t>(batch.size());
        const auto chunk =
            static_cast<std::int64_t>(std::max<std::size_t>(1, chunk_bytes / (size * sizeof(T))));
        const std::int64_t chunks = (batch.count + chunk - 1) / chunk;
        std::int64_t failures = 0;
#pragma omp parallel num_threads(batch.threads) reduction(+ : failures)
        {
            std::vector<T> work(
                batch.routine == Routine::gesv ? size * static_cast<std::size_t>(chunk) : 0);
            std::vector<int> pivots(
                batch.routine == Routine::gesv ? static_cast<std::size_t>(batch.n * chunk) : 0);
            std::vector<int> info(static_cast<std::size_t>(chunk));
#pragma omp for schedule(static)
            for (std::int64_t c = 0; c < chunks; ++c) {
                const std::int64_t first = c * chunk;
                const int n = batch.n, one = 1, stride = n * n;
                const int count = static_cast<int>(std::min(chunk, batch.count - first));
                T *A = batch.A + first * stride;
                int *ipiv = batch.ipiv + first * n;
                if (batch.routine == Routine::gesv) {
                    std::memcpy(work.data(), A, static_cast<std::size_t>(count) * size * sizeof(T));
                    A = work.data();
                    ipiv = pivots.data();
                }
                if (batch.routine != Routine::getrs) {
                    getrf(&n, &n, A, &n, &stride, ipiv, &n, &count, info.data());
                    failures += std::count_if(info.begin(), info.begin() + count,
                                              [](int k) { return k != 0; });
                }
                if (batch.routine != Routine::getrf) {
                    getrs("N", &n, &one, A, &n, &stride, ipiv, &n, batch.B + first * n, &n, &n,
                          &count, info.data());
                    failures += std::count_if(info.begin(), info.begin() + count,
                                              [](int k) { return k != 0; });
                }
            }
        }
        return failures == 0;
    }
};

class MklBatch final : public Peer
{
public:
    explicit MklBatch(const Library &from) : library_(from), float_(from), double_(from) {}
    bool complete() const { return float_.found() && double_.found(); }
    std::string name() const override { return "mkl-batch"; }
    std::string description() const override
    {
        return "?getrf_batch_strided and ?getrs_batch_strided on chunks; " + version(library_);
    }
    bool supports(const Case &which) const override { return which.storage == Storage::strided; }
    bool run(const Batch<float> &batch) override { return float_.run(batch); }
    bool run(const Batch<double> &batch) override { return double_.run(batch); }

private:
    const Library &library_;
    BatchCalls<float> float_;
    BatchCalls<double> double_;
};

} // namespace

std::unique_ptr<Peer> make_mkl_lapacke(const std::string &file)
{
    auto peer = std::make_unique<MklLapacke>(library(file));
    return peer->complete() ? std::move(peer) : nullptr;
}

std::unique_ptr<Peer> make_mkl_batch(const std::string &file)
{
    auto peer = std::make_unique<MklBatch>(library(file));
    return peer->complete() ? std::move(peer) : nullptr;
}

} // namespace bench
