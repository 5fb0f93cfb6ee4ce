/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace bench
{
namespace
{

double now()
{
    using Clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// Memory aligned as tdls_malloc's.
template <typename T>
class Buffer
{
public:
    Buffer() = default;
    explicit Buffer(std::int64_t length)
    {
        constexpr std::size_t alignment = 256;
        const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(T);
        data_.reset(static_cast<T *>(
            std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment)));
        if (data_ == nullptr) {
            std::fprintf(stderr, "tdls-bench: out of memory\n");
            std::exit(1);
        }
        // Slots of an unfilled block are copied, though never used.
        std::memset(static_cast<void *>(data_.get()), 0, bytes);
    }
    T *get() const { return data_.get(); }

private:
    struct Free {
        void operator()(T *data) const { std::free(data); }
    };
    std::unique_ptr<T[], Free> data_;
};

/// A copy shared among the threads, with the systems of each where it will use them.
template <typename T>
void copy(const T *from, T *to, std::int64_t length, int threads)
{
    constexpr std::int64_t piece = 16384;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t i = 0; i < length; i += piece)
        std::memcpy(to + i, from + i,
                    static_cast<std::size_t>(std::min(piece, length - i)) * sizeof(T));
}

/// Uniform in (-1, 1), from a counter (the finalizer of SplitMix64, G. Steele et al., 2014).
template <typename T>
T random_number(std::uint64_t counter)
{
    std::uint64_t z = counter * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    // An odd number of 24 bits: the same value in float and double, and never 0.
    const auto bits = static_cast<std::int32_t>((z >> 41) << 1 | 1);
    return static_cast<T>(bits - (1 << 23)) / static_cast<T>(1 << 23);
}

/// P A = L U in place, as LAPACK writes it, by the plain loops.
template <typename T>
void factor(int n, T *A, std::int32_t *ipiv)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(A[i + k * n]) > std::abs(A[best + k * n]))
                best = i;
        ipiv[k] = best + 1;
        for (int j = 0; j < n; ++j)
            std::swap(A[k + j * n], A[best + j * n]);
        for (int i = k + 1; i < n; ++i)
            A[i + k * n] /= A[k + k * n];
        for (int j = k + 1; j < n; ++j)
            for (int i = k + 1; i < n; ++i)
                A[i + j * n] -= A[i + k * n] * A[k + j * n];
    }
}

/// Solves A x = b with such factors, x in place of b; false if ipiv is none.
template <typename T>
bool solve(int n, const T *A, const std::int32_t *ipiv, T *x)
{
    for (int k = 0; k < n; ++k) {
        if (ipiv[k] <= k || ipiv[k] > n)
            return false;
        std::swap(x[k], x[ipiv[k] - 1]);
    }
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i)
            x[i] -= A[i + k * n] * x[k];
    for (int k = n - 1; k >= 0; --k) {
        x[k] /= A[k + k * n];
        for (int i = 0; i < k; ++i)
            x[i] -= A[i + k * n] * x[k];
    }
    return true;
}

/// norm(b - A x) / (norm(A) norm(x) + norm(b)) in the maximum norm, by extended precision; NaN or
/// infinite if x is.
template <typename T>
double backward_error(int n, const T *A, const T *b, const T *x)
{
    long double residual = 0, of_A = 0, of_x = 0, of_b = 0;
    bool finite = true;
    for (int i = 0; i < n; ++i) {
        long double r = b[i], row = 0;
        for (int j = 0; j < n; ++j) {
            r -= static_cast<long double>(A[i + j * n]) * x[j];
            row += std::abs(static_cast<long double>(A[i + j * n]));
        }
        residual = std::max(residual, std::abs(r));
        of_A = std::max(of_A, row);
        of_x = std::max(of_x, std::abs(static_cast<long double>(x[i])));
        of_b = std::max(of_b, std::abs(static_cast<long double>(b[i])));
        finite = finite && std::isfinite(x[i]);
    }
    return finite ? static_cast<double>(residual / (of_A * of_x + of_b))
                  : std::numeric_limits<double>::infinity();
}

/// Position of element e of system s, where each system has `length` elements.
struct Position {
    Storage storage;
    std::int64_t width;

    std::int64_t operator()(std::int64_t s, std::int64_t e, std::int64_t length) const
    {
        return storage == Storage::interleaved ? s / width * width * length + e * width + s % width
                                               : s * length + e;
    }
    /// Elements of the whole, an unfilled block included.
    std::int64_t whole(std::int64_t count, std::int64_t length) const
    {
        return storage == Storage::interleaved ? (count + width - 1) / width * width * length
                                               : count * length;
    }
    template <typename T>
    Buffer<T> place(const T *strided, std::int64_t count, std::int64_t length) const
    {
        Buffer<T> placed(whole(count, length));
        for (std::int64_t s = 0; s < count; ++s)
            for (std::int64_t e = 0; e < length; ++e)
                placed.get()[(*this)(s, e, length)] = strided[s * length + e];
        return placed;
    }
};

/// Random systems of an order and type, in strided storage, with their factors.
template <typename T>
class Systems
{
public:
    Systems(int n, double megabytes)
        : n_(n), count_(std::max<std::int64_t>(
                     1, static_cast<std::int64_t>(megabytes * 1e6 / (n * n * double{sizeof(T)})))),
          A_(count_ * n * n), B_(count_ * n)
    {
        const std::int64_t size = std::int64_t{n} * n;
#pragma omp parallel for schedule(static)
        for (std::int64_t s = 0; s < count_; ++s) {
            const auto start = static_cast<std::uint64_t>(s * (size + n));
            for (std::int64_t e = 0; e < size; ++e)
                A_.get()[s * size + e] = random_number<T>(start + static_cast<std::uint64_t>(e));
            for (std::int64_t e = 0; e < n; ++e)
                B_.get()[s * n + e] =
                    random_number<T>(start + static_cast<std::uint64_t>(size + e));
        }
    }

    int n() const
    {
        return n_;
    }
    std::int64_t count() const
    {
        return count_;
    }
    std::int64_t size() const
    {
        return std::int64_t{n_} * n_;
    }
    const T *A() const
    {
        return A_.get();
    }
    const T *B() const
    {
        return B_.get();
    }
    const T *factors()
    {
        if (factors_.get() == nullptr) {
            factors_ = Buffer<T>(count_ * size());
            pivots_ = Buffer<std::int32_t>(count_ * n_);
            copy(A(), factors_.get(), count_ * size(), 1);
#pragma omp parallel for schedule(static)
            for (std::int64_t s = 0; s < count_; ++s)
                factor(n_, factors_.get() + s * size(), pivots_.get() + s * n_);
        }
        return factors_.get();
    }
    /// After factors().
    const std::int32_t *pivots() const
    {
        return pivots_.get();
    }

private:
    int n_;
    std::int64_t count_;
    Buffer<T> A_, B_, factors_;
    Buffer<std::int32_t> pivots_;
};

/// The operands of a case, in its storage, and what they are set to before each run.
template <typename T>
class Operands
{
public:
    Operands(const Case &which, Systems<T> &systems, std::int64_t width)
        : systems_(systems), position_{which.storage, width},
          needs_factors_(which.routine == Routine::getrs),
          writes_factors_(which.routine == Routine::gesv_keep || which.routine == Routine::getrf),
          of_A_(position_.place(needs_factors_ ? systems.factors() : systems.A(), systems.count(),
                                systems.size())),
          of_B_(position_.place(systems.B(), systems.count(), systems.n())),
          A_(position_.whole(systems.count(), systems.size())),
          B_(position_.whole(systems.count(), systems.n())),
          ipiv_(needs_factors_
                    ? position_.place(systems.pivots(), systems.count(), systems.n())
                    : Buffer<std::int32_t>(position_.whole(systems.count(), systems.n()))),
          info_(systems.count())
    {
        const std::int64_t count = systems.count();
        copy(of_A_.get(), A_.get(), position_.whole(count, systems.size()), which.threads);
        for (std::int64_t s = 0; which.storage == Storage::pointers && s < count; ++s) {
            A_pointers_.push_back(A_.get() + s * systems.size());
            B_pointers_.push_back(B_.get() + s * systems.n());
        }
        batch_ = {which.routine, which.storage, systems.n(), which.threads,      count,
                  width,         A_.get(),      B_.get(),    A_pointers_.data(), B_pointers_.data(),
                  ipiv_.get(),   info_.get(),   systems.A()};
    }

    const Batch<T> &batch() const { return batch_; }

    void reset()
    {
        const std::int64_t count = batch_.count;
        copy(of_B_.get(), B_.get(), position_.whole(count, batch_.n), batch_.threads);
        if (writes_factors_) {
            copy(of_A_.get(), A_.get(), position_.whole(count, batch_.size()), batch_.threads);
            std::fill_n(ipiv_.get(), position_.whole(count, batch_.n), 0);
        }
        std::fill_n(info_.get(), count, 0);
    }

    /// The greatest backward error of the last run, in units of n * epsilon, over so many systems.
    double error(const Peer &peer, std::int64_t checked) const
    {
        const std::int64_t count = batch_.count, sample = std::min(checked, count);
        const int n = batch_.n;
        double worst = 0;
        for (std::int64_t s = 0; s < count; ++s)
            if (info_.get()[s] != 0)
                worst = std::numeric_limits<double>::infinity();
        std::vector<T> x(static_cast<std::size_t>(n)), A(static_cast<std::size_t>(batch_.size()));
        std::vector<std::int32_t> ipiv(static_cast<std::size_t>(n));
        const auto look_at = [&](std::int64_t s) {
            const double error =
                backward_error(n, systems_.A() + s * batch_.size(), systems_.B() + s * n, x.data());
            worst = std::max(worst, error / (n * double{std::numeric_limits<T>::epsilon()}));
        };
        for (std::int64_t i = 0; i < sample; ++i) {
            // From the first to the last, evenly.
            const std::int64_t s = sample == count ? i : i * (count - 1) / (sample - 1);
            if (batch_.routine != Routine::getrf) {
                for (int k = 0; k < n; ++k)
                    x[static_cast<std::size_t>(k)] = B_.get()[position_(s, k, n)];
                look_at(s);
            }
            if (!writes_factors_)
                continue;
            std::copy_n(systems_.B() + s * n, n, x.begin());
            if (!peer.solve_kept(s, x.data())) {
                for (int k = 0; k < n; ++k)
                    ipiv[static_cast<std::size_t>(k)] = ipiv_.get()[position_(s, k, n)];
                for (std::size_t e = 0; e < A.size(); ++e)
                    A[e] = A_.get()[position_(s, static_cast<std::int64_t>(e), batch_.size())];
                if (!solve(n, A.data(), ipiv.data(), x.data()))
                    worst = std::numeric_limits<double>::infinity();
            }
            look_at(s);
        }
        return worst;
    }

private:
    Systems<T> &systems_;
    Position position_;
    bool needs_factors_, writes_factors_;
    Buffer<T> of_A_, of_B_, A_, B_;
    Buffer<std::int32_t> ipiv_, info_;
    std::vector<T *> A_pointers_, B_pointers_;
    Batch<T> batch_;
};

} // namespace

struct Measurement::State {
    const Options &options;
    std::unique_ptr<Systems<float>> floats;
    std::unique_ptr<Systems<double>> doubles;

    template <typename T>
    Measured run(const Case &which, const std::vector<std::unique_ptr<Peer>> &peers,
                 const std::function<void(const std::string &)> &progress,
                 std::unique_ptr<Systems<T>> &systems)
    {
        if (systems == nullptr || systems->n() != which.n) {
            floats.reset();
            doubles.reset();
            systems = std::make_unique<Systems<T>>(which.n, options.megabytes);
        }
        constexpr std::int64_t bytes_of_vector = 64;
        const std::int64_t width = options.width > 0    ? options.width
                                   : options.width == 0 ? systems->count()
                                                        : bytes_of_vector / std::int64_t{sizeof(T)};
        Operands<T> operands(which, *systems, width);
        const Batch<T> &batch = operands.batch();
        Measured measured{batch.count, which.storage == Storage::interleaved ? width : 0, {}};
        for (std::size_t p = 0; p < peers.size(); ++p)
            if (peers[p]->supports(which))
                measured.results.push_back({p, {}});
        for (const Result &result : measured.results)
            peers[result.peer]->prepare(batch);
        // Round 0 is not counted.
        for (int round = 0; round <= options.rounds; ++round)
            for (Result &result : measured.results) {
                Peer &peer = *peers[result.peer];
                progress(peer.name() + ", round " + std::to_string(round) + " of " +
                         std::to_string(options.rounds));
                double seconds = 0;
                int runs = 0;
                do {
                    operands.reset();
                    const double start = now();
                    result.right = peer.run(batch) && result.right;
                    seconds += now() - start;
                    ++runs;
                } while (round > 0 && seconds < options.least_seconds);
                if (round > 0)
                    result.nanoseconds.push_back(1e9 * seconds /
                                                 (runs * static_cast<double>(batch.count)));
                result.error = std::max(result.error, operands.error(peer, options.checked));
                result.right = result.right && result.error <= error_bound;
            }
        for (const Result &result : measured.results)
            peers[result.peer]->release();
        return measured;
    }
};

Measurement::Measurement(const Options &options)
    : state_(std::make_unique<State>(State{options, nullptr, nullptr}))
{
}
Measurement::~Measurement() = default;

Measured Measurement::run(const Case &which, const std::vector<std::unique_ptr<Peer>> &peers,
                          const std::function<void(const std::string &)> &progress)
{
    return which.is_double ? state_->run(which, peers, progress, state_->doubles)
                           : state_->run(which, peers, progress, state_->floats);
}

} // namespace bench
