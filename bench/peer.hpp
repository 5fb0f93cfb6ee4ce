/* SPDX-License-Identifier: BSD-3-Clause */
// What is compared, and the interface behind which each of the compared libraries stands.
#ifndef TDLS_BENCH_PEER_HPP
#define TDLS_BENCH_PEER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bench
{

/// gesv solves only, A stays as it was; gesv_keep leaves the factors in A as well.
enum class Routine { gesv, gesv_keep, getrf, getrs };
enum class Storage { strided, interleaved, pointers };

/// One measurement: a line of the table.
struct Case {
    int n;
    bool is_double;
    Routine routine;
    Storage storage;
    int threads;
};

/// The operands of one run: column-major, leading dimension n, no gaps, one right-hand side.
template <typename T>
struct Batch {
    Routine routine;
    Storage storage;
    int n;
    int threads;
    std::int64_t count; ///< number of systems
    std::int64_t width; ///< of a block in interleaved storage
    T *A;               ///< matrices; getrs: factors as from getrf
    T *B;               ///< in: right-hand sides, out: solutions
    T *const *A_pointers;
    T *const *B_pointers;
    std::int32_t *ipiv;
    std::int32_t *info;
    const T *matrices; ///< the matrices in strided storage, for what is prepared untimed

    std::int64_t size() const { return std::int64_t{n} * n; }
    T *matrix(std::int64_t s) const
    {
        return storage == Storage::pointers ? A_pointers[s] : A + s * size();
    }
    T *right_hand_side(std::int64_t s) const
    {
        return storage == Storage::pointers ? B_pointers[s] : B + s * n;
    }
};

/// A library that solves the batch.
class Peer
{
public:
    virtual ~Peer() = default;
    /// One word for the columns of the table.
    virtual std::string name() const = 0;
    /// Version and whatever decides its speed.
    virtual std::string description() const = 0;
    virtual bool supports(const Case &which) const = 0;

    /// Untimed, before the first run of a case, and after the last one.
    virtual void prepare(const Batch<float> & /*batch*/) {}
    virtual void prepare(const Batch<double> & /*batch*/) {}
    virtual void release() {}

    /// Solves all systems; returns false if any of them failed.
    virtual bool run(const Batch<float> &batch) = 0;
    virtual bool run(const Batch<double> &batch) = 0;

    /// Solves A x = b with factors that the peer keeps itself, in place of the ones in A and ipiv.
    /// False: it keeps none.
    virtual bool solve_kept(std::int64_t /*system*/, float * /*x*/) const { return false; }
    virtual bool solve_kept(std::int64_t /*system*/, double * /*x*/) const { return false; }
};

/// Where run-time libraries are looked for; empty: the usual places.
struct Places {
    std::string lapacke;
    std::string mkl;
};

/// Each is null if the library is not there.
std::unique_ptr<Peer> make_tdls();
std::unique_ptr<Peer> make_lapacke(const std::string &file);
std::unique_ptr<Peer> make_mkl_lapacke(const std::string &file);
std::unique_ptr<Peer> make_mkl_batch(const std::string &file);
#ifdef TDLS_BENCH_EIGEN
std::unique_ptr<Peer> make_eigen();
#endif

/// The core that OpenBLAS chose for this processor; empty if the library is another one.
std::string openblas_core(const std::string &file);

} // namespace bench

#endif // TDLS_BENCH_PEER_HPP
