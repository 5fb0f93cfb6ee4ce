/* SPDX-License-Identifier: BSD-3-Clause */
// LAPACKE with whatever LAPACK and BLAS stand behind it on this machine.
#include "lapacke_calls.hpp"

namespace bench
{
namespace
{

const Library &library(const std::string &file)
{
    static const Library opened(file.empty()
                                    ? std::vector<std::string>{"liblapacke.so.3", "liblapacke.so",
                                                               "libopenblas.so.0", "libopenblas.so"}
                                    : std::vector<std::string>{file});
    return opened;
}

class Lapacke final : public LapackePeer
{
public:
    explicit Lapacke(const Library &from) : LapackePeer(from), library_(from)
    {
        // The systems are shared among the threads here: inside a system there is nothing to share.
        if (auto *const set_threads = library_.find<void(int)>("openblas_set_num_threads"))
            set_threads(1);
    }
    std::string name() const override { return "lapacke"; }
    std::string description() const override
    {
        auto *const config = library_.find<char *()>("openblas_get_config");
        auto *const core = library_.find<char *()>("openblas_get_corename");
        if (config != nullptr && core != nullptr)
            return std::string("loop over LAPACKE_?gesv_work; ") + config() + ", core " + core();
        return "loop over LAPACKE_?gesv_work; LAPACK of " +
               Library::file_of(reinterpret_cast<void *>(library_.find<void()>("dgetrf_")));
    }

private:
    const Library &library_;
};

} // namespace

std::unique_ptr<Peer> make_lapacke(const std::string &file)
{
    auto peer = std::make_unique<Lapacke>(library(file));
    return peer->complete() ? std::move(peer) : nullptr;
}

std::string openblas_core(const std::string &file)
{
    auto *const core = library(file).find<char *()>("openblas_get_corename");
    return core != nullptr ? core() : "";
}

} // namespace bench
