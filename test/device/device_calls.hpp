// SPDX-License-Identifier: BSD-3-Clause
// The routines of both types behind one function, and memory of a device that frees itself; for the
// programs of this folder. The public interface alone.
#ifndef TDLS_TEST_DEVICE_CALLS_HPP
#define TDLS_TEST_DEVICE_CALLS_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <tdls/tdls.h>

namespace device_check
{

enum class Storage { Pointers, Strided, Interleaved };
enum class Task { Getrf, Getrs, GesvKeep, Gesv };

/// Column-major, tight; interleaved: one block.
struct Shape {
    Storage storage;
    std::int32_t n, nrhs;
    std::int64_t batch;
};

template <typename T>
struct Operands {
    T *a, *b;
    T *const *a_systems, *const *b_systems;
    std::int32_t *ipiv, *info;
};

#define TDLS_CHECK_CALL(x, T)                                                                      \
    inline tdls_status_t call(tdls_handle_t h, Task task, const Shape &p, const Operands<T> &o)    \
    {                                                                                              \
        const std::int32_t n = p.n, nrhs = p.nrhs;                                                 \
        const std::int64_t aa = std::int64_t(n) * n, bb = std::int64_t(n) * nrhs;                  \
        std::int32_t *const ipiv = task == Task::Gesv ? nullptr : o.ipiv;                          \
        switch (p.storage) {                                                                       \
        case Storage::Pointers:                                                                    \
            return task == Task::Getrf ? tdls_##x##getrf_coop_batched(h, n, o.a_systems, n, ipiv,  \
                                                                      n, o.info, p.batch)          \
                   : task == Task::Getrs                                                           \
                       ? tdls_##x##getrs_coop_batched(h, TDLS_NO_TRANS, n, nrhs, o.a_systems, n,   \
                                                      ipiv, n, o.b_systems, n, p.batch)            \
                       : tdls_##x##gesv_coop_batched(h, n, nrhs, o.a_systems, n, ipiv, n,          \
                                                     o.b_systems, n, o.info, p.batch);             \
        case Storage::Strided:                                                                     \
            return task == Task::Getrf ? tdls_##x##getrf_coop_strided_batched(                     \
                                             h, n, o.a, n, aa, ipiv, n, o.info, p.batch)           \
                   : task == Task::Getrs                                                           \
                       ? tdls_##x##getrs_coop_strided_batched(h, TDLS_NO_TRANS, n, nrhs, o.a, n,   \
                                                              aa, ipiv, n, o.b, n, bb, p.batch)    \
                       : tdls_##x##gesv_coop_strided_batched(h, n, nrhs, o.a, n, aa, ipiv, n, o.b, \
                                                             n, bb, o.info, p.batch);              \
        default:                                                                                   \
            return task == Task::Getrf ? tdls_##x##getrf_coop_interleaved_batched(                 \
                                             h, n, o.a, n, ipiv, o.info, p.batch, p.batch)         \
                   : task == Task::Getrs                                                           \
                       ? tdls_##x##getrs_coop_interleaved_batched(                                 \
                             h, TDLS_NO_TRANS, n, nrhs, o.a, n, ipiv, o.b, n, p.batch, p.batch)    \
                       : tdls_##x##gesv_coop_interleaved_batched(h, n, nrhs, o.a, n, ipiv, o.b, n, \
                                                                 o.info, p.batch, p.batch);        \
        }                                                                                          \
    }
TDLS_CHECK_CALL(s, float)
TDLS_CHECK_CALL(d, double)
#undef TDLS_CHECK_CALL

[[noreturn]] inline void give_up(const char *what, const char *why)
{
    std::printf("Bail out! %s: %s\n", what, why);
    std::exit(1);
}

inline void must(tdls_handle_t handle, tdls_status_t status, const char *what)
{
    if (status != TDLS_SUCCESS) {
        give_up(what, tdls_last_error(handle));
    }
}

/// A device's memory, as tdls_malloc gives it.
template <typename T>
class DeviceArray
{
public:
    DeviceArray() = default;
    DeviceArray(tdls_handle_t handle, std::int64_t count) : handle_(handle), count_(count)
    {
        void *memory = nullptr;
        must(handle, tdls_malloc(handle, bytes(), &memory), "memory of the device");
        memory_ = static_cast<T *>(memory);
    }
    ~DeviceArray()
    {
        if (memory_ != nullptr) {
            must(handle_, tdls_free(handle_, memory_), "freeing");
        }
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;

    T *data() const { return memory_; }
    std::int64_t bytes() const { return count_ * std::int64_t{sizeof(T)}; }

    void put(const T *from) const
    {
        must(handle_, tdls_memcpy(handle_, memory_, from, bytes()), "copying to the device");
    }
    void get(T *to) const
    {
        must(handle_, tdls_memcpy(handle_, to, memory_, bytes()), "copying from the device");
    }
    /// `count` elements from `from` on, which may be on the device.
    void put_part(std::int64_t at, const T *from, std::int64_t count) const
    {
        must(handle_, tdls_memcpy(handle_, memory_ + at, from, count * std::int64_t{sizeof(T)}),
             "copying to the device");
    }
    void get_part(T *to, std::int64_t at, std::int64_t count) const
    {
        must(handle_, tdls_memcpy(handle_, to, memory_ + at, count * std::int64_t{sizeof(T)}),
             "copying from the device");
    }

private:
    tdls_handle_t handle_ = nullptr;
    std::int64_t count_ = 0;
    T *memory_ = nullptr;
};

/// Uniform in (-1, 1).
inline double uniform(std::uint64_t &state)
{
    // xorshift64* of Vigna, "An experimental exploration of Marsaglia's xorshift generators"
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<double>((state * 2685821657736338717U) >> 11) / 4503599627370496.0 - 1;
}

} // namespace device_check

#endif // TDLS_TEST_DEVICE_CALLS_HPP
