// SPDX-License-Identifier: BSD-3-Clause
// The table of a GPU backend, for any runtime: handles, memory, and the routines' way to a kernel.
//
// A runtime is a struct of static functions: CudaRuntime, HipRuntime, and that of the emulated
// device. All of them return its Error; nothing here waits for the device but what has to.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "block_kernels.hpp"
#include "order_kernels.hpp"
#include "pivot_rule.hpp"

namespace tdls
{
namespace gpu
{

// Orders: those that have register kernels, from 1 to Orders::count; Orders::of(n) are these.
template <typename Runtime, typename Orders>
class GpuBackend
{
    using Error = typename Runtime::Error;
    using Stream = typename Runtime::Stream;

    // Copies of the matrices of a gesv that keeps no factors, where they do not fit elsewhere. One
    // copy for each block of a launch, so that launches of one stream can share them.
    struct Scratch {
        void *memory;
        std::size_t bytes;
        Stream stream;
    };

    struct State {
        int device;
        DeviceFacts facts;
        Scratch scratch;
    };

    // While it lives, the handle's device is the calling thread's current one.
    class OnDevice
    {
    public:
        explicit OnDevice(int device)
        {
            error_ = Runtime::current_device(&before_);
            if (error_ == Runtime::success && before_ != device) {
                error_ = Runtime::use_device(device);
                changed_ = error_ == Runtime::success;
            }
        }
        ~OnDevice()
        {
            if (changed_) {
                static_cast<void>(Runtime::use_device(before_));
            }
        }
        OnDevice(const OnDevice &) = delete;
        OnDevice &operator=(const OnDevice &) = delete;

        Error error() const { return error_; }

    private:
        int before_ = 0;
        bool changed_ = false;
        Error error_;
    };

    static State &state_of(const Call &call) { return *static_cast<State *>(call.state); }
    static Stream stream_of(const Call &call) { return static_cast<Stream>(call.settings.stream); }

    static tdls_status_t failed(ErrorText &error, const char *what, Error reason)
    {
        write_error(error, "%s: %s failed: %s", Runtime::name, what, Runtime::text(reason));
        return TDLS_ERR_DEVICE;
    }

    // Calls action() on the handle's device; what it returns is an error of the runtime.
    template <typename Action>
    static tdls_status_t on_device(const Call &call, const char *what, const Action &action)
    {
        const OnDevice device(state_of(call).device);
        const Error error = device.error() == Runtime::success ? action() : device.error();
        return error == Runtime::success ? TDLS_SUCCESS : failed(call.error, what, error);
    }

    // ---- Handles and memory ---------------------------------------------------------------------

    static tdls_status_t device_count(std::int32_t *count, ErrorText &error)
    {
        int devices = 0;
        const Error reason = Runtime::device_count(&devices);
        if (reason != Runtime::success) {
            return failed(error, "counting the devices", reason);
        }
        *count = devices;
        return TDLS_SUCCESS;
    }

    static tdls_status_t open(std::int32_t device, void **state, ErrorText &error)
    {
        std::int32_t devices = 0;
        const tdls_status_t status = device_count(&devices, error);
        if (status != TDLS_SUCCESS) {
            return status;
        }
        if (device < 0 || device >= devices) {
            write_error(error, "the %s backend has %d devices here; there is no device %d",
                        Runtime::name, devices, device);
            return TDLS_ERR_NO_DEVICE;
        }
        auto *opened = new (std::nothrow) State{};
        if (opened == nullptr) {
            write_error(error, "no memory for a handle");
            return TDLS_ERR_ALLOC;
        }
        opened->device = device;
        const Error reason = Runtime::describe(device, &opened->facts);
        if (reason != Runtime::success) {
            delete opened;
            return failed(error, "describing the device", reason);
        }
        *state = opened;
        return TDLS_SUCCESS;
    }

    static void close(void *state)
    {
        auto *opened = static_cast<State *>(state);
        if (opened->scratch.memory != nullptr) {
            // Waits for the work that uses it.
            const OnDevice device(opened->device);
            static_cast<void>(Runtime::release(opened->scratch.memory));
        }
        delete opened;
    }

    static tdls_status_t device_name(const Call &call, char *buffer, std::size_t size)
    {
        std::snprintf(buffer, size, "%s", state_of(call).facts.name);
        return TDLS_SUCCESS;
    }

    static tdls_status_t synchronize(const Call &call)
    {
        return on_device(call, "waiting for the stream",
                         [&] { return Runtime::synchronize(stream_of(call)); });
    }

    static tdls_status_t allocate(const Call &call, std::size_t bytes, void **pointer)
    {
        void *memory = nullptr;
        const OnDevice device(state_of(call).device);
        if (device.error() != Runtime::success) {
            return failed(call.error, "changing to the device", device.error());
        }
        const Error reason = Runtime::allocate(&memory, bytes);
        if (reason != Runtime::success) {
            write_error(call.error, "%s: no memory for %zu bytes on the device: %s", Runtime::name,
                        bytes, Runtime::text(reason));
            return TDLS_ERR_ALLOC;
        }
        *pointer = memory;
        return TDLS_SUCCESS;
    }

    static tdls_status_t release(const Call &call, void *pointer)
    {
        return on_device(call, "freeing memory", [&] {
            // What went wrong before does not keep the memory.
            const Error waited = Runtime::synchronize(stream_of(call));
            const Error released = Runtime::release(pointer);
            return waited == Runtime::success ? released : waited;
        });
    }

    static tdls_status_t copy(const Call &call, void *to, const void *from, std::size_t bytes)
    {
        return on_device(call, "copying", [&] {
            const Error error = Runtime::copy(to, from, bytes, stream_of(call));
            return error == Runtime::success ? Runtime::synchronize(stream_of(call)) : error;
        });
    }

    // ---- Routines -------------------------------------------------------------------------------

    enum class Task { Factor, SolveWithFactors, FactorAndSolve };

    // The kernels for the rows per thread that are nearest to the ones set.
    template <typename T>
    static const RegisterKernels<Runtime, T> &choose(const OrderKernels<Runtime> &order,
                                                     std::int32_t rows)
    {
        const auto &kernels = kernels_of<T>(order);
        const RegisterKernels<Runtime, T> *chosen = &kernels[0];
        for (const RegisterKernels<Runtime, T> &other : kernels) {
            if (rows > 0 && other.rows_per_thread > 0 &&
                std::abs(other.rows_per_thread - rows) < std::abs(chosen->rows_per_thread - rows)) {
                chosen = &other;
            }
        }
        return *chosen;
    }

    template <typename T>
    static Error in_registers(const Call &call, const Batch<T> &batch, Task task,
                              const OrderKernels<Runtime> &order)
    {
        const auto &kernels = choose<T>(order, call.settings.rows_per_thread);
        const auto launch =
            task == Task::SolveWithFactors ? kernels.solve_with_factors : kernels.factor;
        return launch(batch, state_of(call).facts, stream_of(call));
    }

    // Scratch of at least so many bytes that no other stream uses.
    static tdls_status_t reserve(const Call &call, std::size_t bytes)
    {
        Scratch &scratch = state_of(call).scratch;
        if (scratch.memory != nullptr && scratch.bytes >= bytes &&
            scratch.stream == stream_of(call)) {
            return TDLS_SUCCESS;
        }
        void *const before = scratch.memory;
        scratch = {nullptr, bytes, stream_of(call)};
        if (before != nullptr) {
            // Waits for the work that uses it, on whatever stream.
            const Error reason = Runtime::release(before);
            if (reason != Runtime::success) {
                return failed(call.error, "freeing scratch", reason);
            }
        }
        const Error reason = Runtime::allocate(&scratch.memory, bytes);
        if (reason != Runtime::success) {
            scratch.memory = nullptr;
            write_error(call.error, "%s: no memory for %zu bytes of scratch on the device: %s",
                        Runtime::name, bytes, Runtime::text(reason));
            return TDLS_ERR_ALLOC;
        }
        return TDLS_SUCCESS;
    }

    template <typename T>
    static tdls_status_t in_blocks(const Call &call, const Batch<T> &batch, Task task)
    {
        State &state = state_of(call);
        const std::size_t vectors = BlockSolve<T>::vectors_bytes(batch.n);
        const std::size_t matrix = BlockSolve<T>::matrix_bytes(batch.n);
        if (batch.n > largest_order || vectors > state.facts.shared_bytes) {
            write_error(call.error, "the %s backend solves systems of order %d at most; n is %d",
                        Runtime::name, largest_order, batch.n);
            return TDLS_ERR_NOT_SUPPORTED;
        }
        BlockSolve<T> kernel = {batch, pivot_rule(batch), task == Task::SolveWithFactors,
                                vectors + matrix <= state.facts.shared_bytes, nullptr};
        std::int64_t blocks = blocks_for<Runtime>(batch.count, 1);
        const bool only_read = task == Task::FactorAndSolve && !batch.keep;
        if (only_read && !kernel.in_shared) {
            // Some blocks per multiprocessor are enough to keep it busy.
            blocks = std::min<std::int64_t>(blocks, 4 * state.facts.multiprocessors);
            const std::size_t bytes = static_cast<std::size_t>(blocks) * matrix;
            const tdls_status_t status = reserve(call, bytes);
            if (status != TDLS_SUCCESS) {
                return status;
            }
            kernel.scratch = static_cast<T *>(state.scratch.memory);
        }
        const int width = state.facts.warp_width;
        const int threads = std::min((batch.n + width - 1) / width * width, largest_block);
        const Error error = Runtime::launch(
            kernel, blocks, threads, vectors + (kernel.in_shared ? matrix : 0), stream_of(call));
        return error == Runtime::success ? TDLS_SUCCESS : failed(call.error, "a launch", error);
    }

    // Systems of order 0 have no data; all that there is to do is info.
    static Error clear_info(const Call &call, std::int32_t *info, std::int64_t count)
    {
        if (info == nullptr) {
            return Runtime::success;
        }
        const ClearInfo kernel = {info, count};
        return Runtime::launch(kernel, blocks_for<Runtime>(count, ClearInfo::max_threads),
                               ClearInfo::max_threads, 0, stream_of(call));
    }

    template <typename T>
    static tdls_status_t run(const Call &call, const Batch<T> &batch, Task task)
    {
        const OnDevice device(state_of(call).device);
        if (device.error() != Runtime::success) {
            return failed(call.error, "changing to the device", device.error());
        }
        if (batch.n > Orders::count) {
            return in_blocks(call, batch, task);
        }
        const Error error = batch.n == 0 ? clear_info(call, batch.info, batch.count)
                                         : in_registers(call, batch, task, Orders::of(batch.n));
        return error == Runtime::success ? TDLS_SUCCESS : failed(call.error, "a launch", error);
    }

    template <typename T>
    static tdls_status_t getrf(const Call &call, const Batch<T> &batch)
    {
        return run(call, batch, Task::Factor);
    }
    template <typename T>
    static tdls_status_t getrs(const Call &call, const Batch<T> &batch)
    {
        const bool nothing = batch.n == 0 || batch.nrhs == 0;
        return nothing ? TDLS_SUCCESS : run(call, batch, Task::SolveWithFactors);
    }
    template <typename T>
    static tdls_status_t gesv(const Call &call, const Batch<T> &batch)
    {
        return run(call, batch, Task::FactorAndSolve);
    }

public:
    static constexpr Backend table = {
        .table_version = backend_table_version,
        .id = Runtime::id,
        .name = Runtime::name,
        .device_count = device_count,
        .open = open,
        .close = close,
        .device_name = device_name,
        .synchronize = synchronize,
        .allocate = allocate,
        .release = release,
        .copy = copy,
        .single_precision = {getrf<float>, getrs<float>, gesv<float>},
        .double_precision = {getrf<double>, getrs<double>, gesv<double>},
    };
};

} // namespace gpu
} // namespace tdls
