// SPDX-License-Identifier: BSD-3-Clause
// Each routine captured in a CUDA graph, which is launched several times with new data in the same
// arrays; each time the bits are those of the CPU backend. Captured in the strict mode, in which
// the runtime refuses whatever allocates or waits. Speaks TAP.
//
// Nothing is warmed up, for nothing of the kind is asked of the caller, but gesv without ipiv above
// order 64.
// usage: test_graphs
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "device_calls.hpp"

namespace
{

using device_check::call;
using device_check::DeviceArray;
using device_check::must;
using device_check::Operands;
using device_check::Shape;
using device_check::Storage;
using device_check::Task;

constexpr int launches = 3;

int lines = 0;
int failures = 0;

void report(bool good, const std::string &name)
{
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++lines, name.c_str());
    std::fflush(stdout);
    failures += good ? 0 : 1;
}

// False, and said so, on an error of the runtime.
bool fine(cudaError_t error, const char *what)
{
    if (error != cudaSuccess) {
        std::printf("# %s: %s\n", what, cudaGetErrorString(error));
        static_cast<void>(cudaGetLastError());
    }
    return error == cudaSuccess;
}

// What action() enqueues on the stream, as a graph; null where it could not be captured.
template <typename Action>
cudaGraphExec_t capture(cudaStream_t stream, const Action &action, std::size_t &nodes)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    nodes = 0;
    if (!fine(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal),
              "begin of the capture")) {
        return nullptr;
    }
    const bool enqueued = action();
    // Also after a failure, to leave the state of capturing.
    const bool ended = fine(cudaStreamEndCapture(stream, &graph), "end of the capture");
    if (enqueued && ended) {
        static_cast<void>(fine(cudaGraphGetNodes(graph, nullptr, &nodes), "nodes of the graph"));
        if (!fine(cudaGraphInstantiate(&made, graph, 0), "instantiating")) {
            made = nullptr;
        }
    }
    if (graph != nullptr) {
        static_cast<void>(cudaGraphDestroy(graph));
    }
    return made;
}

template <typename T>
struct HostArrays {
    std::vector<T> a, b;
    std::vector<std::int32_t> ipiv, info;
};

template <typename T>
bool same_numbers(const std::vector<T> &got, const std::vector<T> &expected, const char *name)
{
    for (std::size_t e = 0; e < got.size(); ++e) {
        const bool nan = std::isnan(got[e]) && std::isnan(expected[e]);
        if (!nan && std::memcmp(&got[e], &expected[e], sizeof(T)) != 0) {
            std::printf("# %s[%zu] is %a, on the CPU %a\n", name, e, static_cast<double>(got[e]),
                        static_cast<double>(expected[e]));
            return false;
        }
    }
    return true;
}

bool same_integers(const std::vector<std::int32_t> &got, const std::vector<std::int32_t> &expected,
                   const char *name)
{
    for (std::size_t e = 0; e < got.size(); ++e) {
        if (got[e] != expected[e]) {
            std::printf("# %s[%zu] is %d, on the CPU %d\n", name, e, got[e], expected[e]);
            return false;
        }
    }
    return true;
}

// One problem on both sides.
template <typename T>
class Problem
{
public:
    Problem(tdls_handle_t device, tdls_handle_t cpu, const Shape &shape)
        : device_(device), cpu_(cpu), shape_(shape), a_(device, shape.batch * shape.n * shape.n),
          b_(device, shape.batch * shape.n * shape.nrhs), ipiv_(device, shape.batch * shape.n),
          info_(device, shape.batch), a_systems_(device, shape.batch),
          b_systems_(device, shape.batch)
    {
        const auto count = static_cast<std::size_t>(shape.batch);
        const auto n = static_cast<std::size_t>(shape.n);
        host_.a.resize(count * n * n);
        host_.b.resize(count * n * static_cast<std::size_t>(shape.nrhs));
        host_.ipiv.resize(count * n);
        host_.info.resize(count);
        std::vector<T *> a(count), b(count);
        point(a_.data(), b_.data(), a, b);
        a_systems_.put(a.data());
        b_systems_.put(b.data());
    }

    Operands<T> operands() const
    {
        return {a_.data(),         b_.data(),    a_systems_.data(),
                b_systems_.data(), ipiv_.data(), info_.data()};
    }

    // New systems on both sides; for getrs, their factors.
    void renew(Task task, std::uint64_t &state, bool singular)
    {
        for (T &x : host_.a) {
            x = static_cast<T>(device_check::uniform(state));
        }
        for (T &x : host_.b) {
            x = static_cast<T>(device_check::uniform(state));
        }
        std::fill(host_.ipiv.begin(), host_.ipiv.end(), -77);
        std::fill(host_.info.begin(), host_.info.end(), -78);
        // Whether system 1 is singular, and so its info, must not be frozen in the graph.
        for (std::int32_t e = 0; singular && e < shape_.n; ++e) {
            const std::int64_t place = shape_.storage == Storage::Interleaved
                                           ? e * shape_.batch + 1
                                           : std::int64_t{shape_.n} * shape_.n + e;
            host_.a[static_cast<std::size_t>(place)] = T(0);
        }
        if (task == Task::Getrs) {
            on_cpu(Task::Getrf);
        }
        a_.put(host_.a.data());
        b_.put(host_.b.data());
        ipiv_.put(host_.ipiv.data());
        info_.put(host_.info.data());
    }

    // What came out on the device, against what the CPU makes of the same.
    bool right(Task task)
    {
        HostArrays<T> got = host_;
        a_.get(got.a.data());
        b_.get(got.b.data());
        ipiv_.get(got.ipiv.data());
        info_.get(got.info.data());
        on_cpu(task);
        return same_numbers(got.a, host_.a, "A") && same_numbers(got.b, host_.b, "B") &&
               same_integers(got.ipiv, host_.ipiv, "ipiv") &&
               same_integers(got.info, host_.info, "info");
    }

private:
    void point(T *a_start, T *b_start, std::vector<T *> &a, std::vector<T *> &b) const
    {
        for (std::size_t s = 0; s < a.size(); ++s) {
            a[s] = a_start + s * static_cast<std::size_t>(shape_.n * shape_.n);
            b[s] = b_start + s * static_cast<std::size_t>(shape_.n * shape_.nrhs);
        }
    }

    void on_cpu(Task task)
    {
        std::vector<T *> a(static_cast<std::size_t>(shape_.batch)), b(a.size());
        point(host_.a.data(), host_.b.data(), a, b);
        const Operands<T> operands = {host_.a.data(), host_.b.data(),    a.data(),
                                      b.data(),       host_.ipiv.data(), host_.info.data()};
        must(cpu_, call(cpu_, task, shape_, operands), "on the CPU");
    }

    tdls_handle_t device_, cpu_;
    Shape shape_;
    DeviceArray<T> a_, b_;
    DeviceArray<std::int32_t> ipiv_, info_;
    DeviceArray<T *> a_systems_, b_systems_;
    HostArrays<T> host_;
};

// On a handle of its own, whose scratch memory is not there yet.
template <typename T>
bool replay(cudaStream_t stream, tdls_handle_t cpu, const Shape &shape, Task task, bool warm)
{
    tdls_handle_t handle = nullptr;
    must(nullptr, tdls_create(TDLS_BACKEND_CUDA, 0, &handle), "cuda");
    must(handle, tdls_set_stream(handle, stream), "the stream");
    bool good = true;
    {
        Problem<T> problem(handle, cpu, shape);
        std::uint64_t state = 20261201 + static_cast<std::uint64_t>(shape.n);
        problem.renew(task, state, false);
        if (warm) {
            must(handle, call(handle, task, shape, problem.operands()), "the first call");
            must(handle, tdls_synchronize(handle), "the first call");
            good = problem.right(task);
            problem.renew(task, state, false);
        }
        std::size_t nodes = 0;
        const cudaGraphExec_t graph = capture(
            stream,
            [&] {
                const tdls_status_t status = call(handle, task, shape, problem.operands());
                if (status != TDLS_SUCCESS) {
                    std::printf("# returns %d: %s\n", status, tdls_last_error(handle));
                }
                return status == TDLS_SUCCESS;
            },
            nodes);
        good = good && graph != nullptr;
        if (good && nodes == 0) {
            std::printf("# the graph is empty\n");
            good = false;
        }
        for (int launch = 0; launch < launches && good; ++launch) {
            if (launch > 0) {
                problem.renew(task, state, launch % 2 == 1);
            }
            good = fine(cudaGraphLaunch(graph, stream), "launching the graph") &&
                   fine(cudaStreamSynchronize(stream), "waiting for the graph") &&
                   problem.right(task);
        }
        if (graph != nullptr) {
            static_cast<void>(cudaGraphExecDestroy(graph));
        }
    }
    must(handle, tdls_destroy(handle), "destroying the handle");
    if (!good) {
        std::printf("#   n %d, nrhs %d, batch %lld\n", shape.n, shape.nrhs,
                    static_cast<long long>(shape.batch));
    }
    return good;
}

// Says of what fails whether it would pass after a first call.
template <typename T>
bool replay_at_once(cudaStream_t stream, tdls_handle_t cpu, const Shape &shape, Task task)
{
    const bool good = replay<T>(stream, cpu, shape, task, false);
    if (!good) {
        std::printf("#   after a call that is not captured it %s\n",
                    replay<T>(stream, cpu, shape, task, true) ? "passes" : "fails as well");
    }
    return good;
}

template <typename T>
void every_routine(cudaStream_t stream, tdls_handle_t cpu, const char *type)
{
    const struct {
        Storage value;
        const char *name;
    } storages[] = {{Storage::Pointers, "pointers"},
                    {Storage::Strided, "strided"},
                    {Storage::Interleaved, "interleaved"}};
    const struct {
        Task value;
        const char *name;
    } tasks[] = {{Task::Getrf, "getrf"},
                 {Task::Getrs, "getrs"},
                 {Task::GesvKeep, "gesv"},
                 {Task::Gesv, "gesv without ipiv"}};
    for (const auto &storage : storages) {
        for (const auto &task : tasks) {
            const std::string name = std::string(type) + ", " + storage.name + ", " + task.name;
            bool good = true;
            for (const std::int32_t n : {1, 3, 8, 16, 24, 32, 33, 64}) {
                const Shape shape = {storage.value, n, 1 + n % 2, 203};
                good = replay_at_once<T>(stream, cpu, shape, task.value) && good;
            }
            report(good, name);
            good = true;
            const bool scratch = task.value == Task::Gesv;
            for (const std::int32_t n : {65, 100, 250}) {
                const Shape shape = {storage.value, n, 2, 5};
                good = (scratch ? replay<T>(stream, cpu, shape, task.value, true)
                                : replay_at_once<T>(stream, cpu, shape, task.value)) &&
                       good;
            }
            report(good, name + ", order above 64" + (scratch ? ", after one call" : ""));
        }
    }
}

// Whether a capture would notice a call that waits: tdls_synchronize in its place.
bool waiting_is_refused(cudaStream_t stream)
{
    tdls_handle_t handle = nullptr;
    must(nullptr, tdls_create(TDLS_BACKEND_CUDA, 0, &handle), "cuda");
    must(handle, tdls_set_stream(handle, stream), "the stream");
    std::printf("# a complaint is expected here:\n");
    std::size_t nodes = 0;
    const cudaGraphExec_t graph = capture(
        stream, [&] { return tdls_synchronize(handle) == TDLS_SUCCESS; }, nodes);
    must(handle, tdls_destroy(handle), "destroying the handle");
    return graph == nullptr;
}

} // namespace

int main()
{
    std::printf("TAP version 13\n");
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
        std::printf("1..0 # SKIP no CUDA device: %s\n", cudaGetErrorString(error));
        return 0;
    }
    cudaStream_t stream = nullptr;
    if (!fine(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream")) {
        device_check::give_up("a stream", "there is none");
    }
    tdls_handle_t cpu = nullptr;
    must(nullptr, tdls_create(TDLS_BACKEND_CPU, 0, &cpu), "cpu");
    // First, while no kernel has been loaded yet.
    every_routine<double>(stream, cpu, "double");
    every_routine<float>(stream, cpu, "float");
    report(waiting_is_refused(stream), "a call that waits does not pass");
    std::printf("1..%d\n", lines);
    must(cpu, tdls_destroy(cpu), "destroying the handle");
    static_cast<void>(cudaStreamDestroy(stream));
    return failures > 0 ? 1 : 0;
}
