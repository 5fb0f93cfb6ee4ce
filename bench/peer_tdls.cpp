/* SPDX-License-Identifier: BSD-3-Clause */
// libtdls itself, on the CPU.
#include <cstdio>
#include <type_traits>

#include <tdls/tdls.h>

#include "peer.hpp"
#include "text.hpp"

namespace bench
{
namespace
{

// The routines of a type.
template <typename T>
constexpr bool is_double = std::is_same_v<T, double>;

#define TDLS_BENCH_ROUTINE(name, storage)                                                          \
    template <typename T, typename... Arguments>                                                   \
    tdls_status_t name(Arguments... arguments)                                                     \
    {                                                                                              \
        if constexpr (is_double<T>)                                                                \
            return tdls_d##name##_coop_##storage(arguments...);                                    \
        else                                                                                       \
            return tdls_s##name##_coop_##storage(arguments...);                                    \
    }
namespace strided
{
TDLS_BENCH_ROUTINE(gesv, strided_batched)
TDLS_BENCH_ROUTINE(getrf, strided_batched)
TDLS_BENCH_ROUTINE(getrs, strided_batched)
} // namespace strided
namespace interleaved
{
TDLS_BENCH_ROUTINE(gesv, interleaved_batched)
TDLS_BENCH_ROUTINE(getrf, interleaved_batched)
TDLS_BENCH_ROUTINE(getrs, interleaved_batched)
} // namespace interleaved
namespace pointers
{
TDLS_BENCH_ROUTINE(gesv, batched)
TDLS_BENCH_ROUTINE(getrf, batched)
TDLS_BENCH_ROUTINE(getrs, batched)
} // namespace pointers
#undef TDLS_BENCH_ROUTINE

class Tdls final : public Peer
{
public:
    explicit Tdls(tdls_handle_t handle) : handle_(handle) {}
    ~Tdls() override { tdls_destroy(handle_); }
    Tdls(const Tdls &) = delete;
    Tdls &operator=(const Tdls &) = delete;

    std::string name() const override { return "tdls"; }
    std::string description() const override
    {
        std::int32_t major = 0, minor = 0, patch = 0;
        tdls_version(&major, &minor, &patch);
        char device[256] = "";
        tdls_device_name(handle_, device, sizeof device);
        return text("libtdls %d.%d.%d, %s", major, minor, patch, device);
    }
    bool supports(const Case & /*which*/) const override { return true; }
    bool run(const Batch<float> &batch) override { return run_typed(batch); }
    bool run(const Batch<double> &batch) override { return run_typed(batch); }

private:
    tdls_handle_t handle_;

    template <typename T>
    tdls_status_t call(const Batch<T> &b)
    {
        const std::int32_t n = b.n;
        const std::int64_t size = b.size();
        std::int32_t *const kept = b.routine == Routine::gesv_keep ? b.ipiv : nullptr;
        switch (b.storage) {
        case Storage::strided:
            if (b.routine == Routine::getrf)
                return strided::getrf<T>(handle_, n, b.A, n, size, b.ipiv, n, b.info, b.count);
            if (b.routine == Routine::getrs)
                return strided::getrs<T>(handle_, TDLS_NO_TRANS, n, 1, b.A, n, size, b.ipiv, n, b.B,
                                         n, n, b.count);
            return strided::gesv<T>(handle_, n, 1, b.A, n, size, kept, n, b.B, n, n, b.info,
                                    b.count);
        case Storage::interleaved:
            if (b.routine == Routine::getrf)
                return interleaved::getrf<T>(handle_, n, b.A, n, b.ipiv, b.info, b.width, b.count);
            if (b.routine == Routine::getrs)
                return interleaved::getrs<T>(handle_, TDLS_NO_TRANS, n, 1, b.A, n, b.ipiv, b.B, n,
                                             b.width, b.count);
            return interleaved::gesv<T>(handle_, n, 1, b.A, n, kept, b.B, n, b.info, b.width,
                                        b.count);
        case Storage::pointers:
            if (b.routine == Routine::getrf)
                return pointers::getrf<T>(handle_, n, b.A_pointers, n, b.ipiv, n, b.info, b.count);
            if (b.routine == Routine::getrs)
                return pointers::getrs<T>(handle_, TDLS_NO_TRANS, n, 1, b.A_pointers, n, b.ipiv, n,
                                          b.B_pointers, n, b.count);
            return pointers::gesv<T>(handle_, n, 1, b.A_pointers, n, kept, n, b.B_pointers, n,
                                     b.info, b.count);
        }
        return TDLS_ERR_NOT_SUPPORTED;
    }

    template <typename T>
    bool run_typed(const Batch<T> &batch)
    {
        tdls_status_t status = tdls_set_num_threads(handle_, batch.threads);
        if (status == TDLS_SUCCESS)
            status = call(batch);
        if (status == TDLS_SUCCESS)
            return true;
        std::fprintf(stderr, "tdls-bench: tdls: %s\n", tdls_last_error(handle_));
        return false;
    }
};

} // namespace

std::unique_ptr<Peer> make_tdls()
{
    tdls_handle_t handle = nullptr;
    if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
        std::fprintf(stderr, "tdls-bench: %s\n", tdls_last_error(nullptr));
        return nullptr;
    }
    return std::make_unique<Tdls>(handle);
}

} // namespace bench
