// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the CPU, compiled once per instruction set.
//
// TDLS_CPU_SET is the name of the set; TDLS_CORE_ABI has been defined to it as well. Whatever this
// file instantiates lies in that namespace or in an unnamed one, so that two sets share no symbol.

#include "kernels.hpp"

#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
#    include "lane_kernels.hpp"
#else
#    include "core_kernels.hpp"
#endif

namespace tdls
{
namespace cpu
{

// The set that does larger orders, where another one does.
#if defined(TDLS_CPU_LARGER)
namespace TDLS_CPU_LARGER
{
extern const KernelSet kernel_set;
}
#endif

namespace
{

#if defined(__FMA__) || defined(__aarch64__) || defined(__FP_FAST_FMA)
namespace chosen = lane_kernels;
#else
namespace chosen = core_kernels;
#endif

// The kernels of another set, if it does this order.
template <typename T>
const Kernels<T> *others(const Batch<T> &batch)
{
#if defined(TDLS_CPU_LARGER)
    if (batch.n > largest_small_order) {
        return &of_type<T>(TDLS_CPU_LARGER::kernel_set);
    }
#else
    (void)batch;
#endif
    return nullptr;
}

template <typename T>
std::size_t scratch_bytes(const Batch<T> &batch)
{
    const Kernels<T> *other = others(batch);
    return other != nullptr ? other->scratch_bytes(batch) : chosen::scratch_bytes(batch);
}

template <typename T>
void getrf(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    const Kernels<T> *other = others(batch);
    (other != nullptr ? other->getrf : chosen::getrf<T>)(batch, begin, end, scratch);
}

template <typename T>
void getrs(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    const Kernels<T> *other = others(batch);
    (other != nullptr ? other->getrs : chosen::getrs<T>)(batch, begin, end, scratch);
}

template <typename T>
void gesv(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    const Kernels<T> *other = others(batch);
    (other != nullptr ? other->gesv : chosen::gesv<T>)(batch, begin, end, scratch);
}

template <typename T>
constexpr Kernels<T> kernels = {scratch_bytes<T>, getrf<T>, getrs<T>, gesv<T>};

#define TDLS_QUOTED(name) #name
#define TDLS_NAME_OF(name) TDLS_QUOTED(name)

} // namespace

namespace TDLS_CPU_SET
{
extern const KernelSet kernel_set;
constexpr KernelSet kernel_set = {TDLS_NAME_OF(TDLS_CPU_SET), kernels<float>, kernels<double>};
} // namespace TDLS_CPU_SET

} // namespace cpu
} // namespace tdls
