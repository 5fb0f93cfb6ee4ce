/* SPDX-License-Identifier: BSD-3-Clause */
// Eigen: PartialPivLU of a fixed-size matrix, the decompositions kept in an array of their own.
#include "eigen_orders.hpp"

namespace bench
{
namespace
{

template <typename T, int group = 0>
const EigenOrder<T> *find_order(int n)
{
    if constexpr (group == eigen_groups) {
        return nullptr;
    } else {
        const EigenOrder<T> *const found = find_eigen_order<T, group>(n);
        return found != nullptr ? found : find_order<T, group + 1>(n);
    }
}

/// The decompositions of one case.
template <typename T>
class Kept
{
public:
    Kept() = default;
    ~Kept() { release(); }
    Kept(const Kept &) = delete;
    Kept &operator=(const Kept &) = delete;

    void prepare(const Batch<T> &batch)
    {
        release();
        order_ = find_order<T>(batch.n);
        if (batch.routine == Routine::gesv)
            return;
        kept_ = order_->make_kept(batch.count);
        if (batch.routine == Routine::getrs)
            order_->factor(batch, kept_);
    }
    void release()
    {
        if (kept_ != nullptr)
            order_->destroy_kept(kept_);
        kept_ = nullptr;
    }
    bool run(const Batch<T> &batch) { return order_->run(batch, kept_); }
    bool solve(std::int64_t system, T *x) const
    {
        if (kept_ == nullptr)
            return false;
        order_->solve(kept_, system, x);
        return true;
    }

private:
    const EigenOrder<T> *order_ = nullptr;
    void *kept_ = nullptr;
};

class EigenFixed final : public Peer
{
public:
    std::string name() const override { return "eigen"; }
    std::string description() const override
    {
        return "PartialPivLU<Matrix<T, n, n>>, Eigen " TDLS_BENCH_EIGEN
               ", compiled with -O3 -march=native";
    }
    bool supports(const Case &which) const override
    {
        return which.storage != Storage::interleaved &&
               (which.is_double ? find_order<double>(which.n) != nullptr
                                : find_order<float>(which.n) != nullptr);
    }
    void prepare(const Batch<float> &batch) override { float_.prepare(batch); }
    void prepare(const Batch<double> &batch) override { double_.prepare(batch); }
    void release() override
    {
        float_.release();
        double_.release();
    }
    bool run(const Batch<float> &batch) override { return float_.run(batch); }
    bool run(const Batch<double> &batch) override { return double_.run(batch); }
    bool solve_kept(std::int64_t system, float *x) const override
    {
        return float_.solve(system, x);
    }
    bool solve_kept(std::int64_t system, double *x) const override
    {
        return double_.solve(system, x);
    }

private:
    Kept<float> float_;
    Kept<double> double_;
};

} // namespace

std::unique_ptr<Peer> make_eigen()
{
    return std::make_unique<EigenFixed>();
}

} // namespace bench
