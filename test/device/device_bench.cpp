// SPDX-License-Identifier: BSD-3-Clause
// Time of gesv on a device, against cuBLAS (getrfBatched and getrsBatched) and against a copy of
// the same bytes on the device, in turn in one process. The public interface, and the CUDA runtime
// where there is one: without a CUDA device, as on the emulated one, by wall clock and without
// cuBLAS.
//
// usage: device_bench [BACKEND] [OPTION...]       --help lists the options
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include <dlfcn.h>

#ifdef TDLS_CHECK_CUDA
#    include <cuda_runtime_api.h>
#endif

#include "device_calls.hpp"

namespace
{

using device_check::call;
using device_check::DeviceArray;
using device_check::give_up;
using device_check::must;
using device_check::Operands;
using device_check::Shape;
using device_check::Storage;
using device_check::Task;

const char *const usage =
    "usage: device_bench [BACKEND] [OPTION...]     (backend: cuda unless given)\n"
    "  --megabytes M   of matrices in a batch (1000)\n"
    "  --orders N,...  (2,4,8,12,16,24,32,48,64)\n"
    "  --runs N        of which the median counts (5)\n"
    "  --seconds S     begin no new order after so many (no limit)\n"
    "  --cublas FILE   the library, where the loader does not find it\n"
    "  --csv FILE      the numbers\n"
    "  --rows          instead: gesv without factors for each number of rows per thread that a "
    "line of\n"
    "                  the standard input names after a type and an order, the tuned one first\n";

struct Options {
    std::string backend = "cuda", cublas, csv;
    double megabytes = 1000, seconds = std::numeric_limits<double>::infinity();
    int runs = 5;
    bool rows = false;
    std::vector<std::int32_t> orders = {2, 4, 8, 12, 16, 24, 32, 48, 64};
};

// ---- Time ---------------------------------------------------------------------------------------

// How long work on the default stream takes.
class Clock
{
public:
    // probe: memory of the device.
    Clock(tdls_handle_t handle, const void *probe) : handle_(handle)
    {
#ifdef TDLS_CHECK_CUDA
        // The emulated device has the name of a CUDA device, and memory of the host.
        cudaPointerAttributes attributes = {};
        if (cudaPointerGetAttributes(&attributes, probe) == cudaSuccess &&
            attributes.type == cudaMemoryTypeDevice) {
            on_cuda_ =
                cudaEventCreate(&begin_) == cudaSuccess && cudaEventCreate(&end_) == cudaSuccess;
        }
        static_cast<void>(cudaGetLastError());
#else
        static_cast<void>(probe);
#endif
    }

    bool on_cuda() const
    {
        return on_cuda_;
    }

    double seconds(const std::function<void()> &work) const
    {
        must(handle_, tdls_synchronize(handle_), "waiting");
#ifdef TDLS_CHECK_CUDA
        if (on_cuda_) {
            float milliseconds = 0;
            bool good = cudaEventRecord(begin_, nullptr) == cudaSuccess;
            work();
            good = good && cudaEventRecord(end_, nullptr) == cudaSuccess &&
                   cudaEventSynchronize(end_) == cudaSuccess &&
                   cudaEventElapsedTime(&milliseconds, begin_, end_) == cudaSuccess;
            if (!good) {
                give_up("timing", cudaGetErrorString(cudaGetLastError()));
            }
            return static_cast<double>(milliseconds) / 1000;
        }
#endif
        const auto begin = std::chrono::steady_clock::now();
        work();
        must(handle_, tdls_synchronize(handle_), "waiting");
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }

    // A copy on the device that does not wait, where there is one.
    void copy(void *to, const void *from, std::int64_t bytes) const
    {
#ifdef TDLS_CHECK_CUDA
        if (on_cuda_) {
            if (cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice,
                                nullptr) != cudaSuccess) {
                give_up("copying", cudaGetErrorString(cudaGetLastError()));
            }
            return;
        }
#endif
        must(handle_, tdls_memcpy(handle_, to, from, bytes), "copying");
    }

private:
    tdls_handle_t handle_;
    bool on_cuda_ = false;
#ifdef TDLS_CHECK_CUDA
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
#endif
};

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// ---- cuBLAS -------------------------------------------------------------------------------------

// Loaded, not linked: the program runs where it is absent. Its C interface, as its manual has it.
class Cublas
{
public:
    explicit Cublas(const std::string &file)
    {
        const std::vector<std::string> names = {file, "libcublas.so.13", "libcublas.so.12",
                                                "libcublas.so.11", "libcublas.so"};
        for (const std::string &name : names) {
            if (library_ == nullptr && !name.empty()) {
                library_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
            }
        }
        if (library_ == nullptr) {
            why_not_ = "cuBLAS is not there (--cublas FILE)";
            return;
        }
        int (*create)(void **) = nullptr;
        const bool found = find("cublasCreate_v2", create) &&
                           find("cublasSgetrfBatched", single_.factor) &&
                           find("cublasSgetrsBatched", single_.solve) &&
                           find("cublasDgetrfBatched", double_.factor) &&
                           find("cublasDgetrsBatched", double_.solve);
        if (!found || create(&handle_) != 0) {
            handle_ = nullptr;
            why_not_ = "cuBLAS does not start";
        }
    }

    bool usable() const { return handle_ != nullptr; }
    const char *why_not() const { return why_not_; }

    template <typename T>
    void solve(const Shape &p, const Operands<T> &o) const
    {
        const auto &of_type = routines(T());
        const int batch = static_cast<int>(p.batch);
        int argument = 0;
        if (of_type.factor(handle_, p.n, o.a_systems, p.n, o.ipiv, o.info, batch) != 0 ||
            of_type.solve(handle_, 0, p.n, p.nrhs, o.a_systems, p.n, o.ipiv, o.b_systems, p.n,
                          &argument, batch) != 0 ||
            argument != 0) {
            give_up("cuBLAS", "a call failed");
        }
    }

private:
    template <typename T>
    struct Routines {
        int (*factor)(void *, int, T *const *, int, int *, int *, int) = nullptr;
        int (*solve)(void *, int, int, int, const T *const *, int, const int *, T *const *, int,
                     int *, int) = nullptr;
    };

    template <typename F>
    bool find(const char *name, F &function) const
    {
        void *symbol = dlsym(library_, name);
        std::memcpy(&function, &symbol, sizeof function);
        return symbol != nullptr;
    }

    const Routines<float> &routines(float) const { return single_; }
    const Routines<double> &routines(double) const { return double_; }

    void *library_ = nullptr, *handle_ = nullptr;
    const char *why_not_ = "";
    Routines<float> single_;
    Routines<double> double_;
};

// ---- Systems ------------------------------------------------------------------------------------

constexpr std::int64_t most_distinct = 1009;

// A batch on the device, made of some distinct systems over and over, and what it is restored from.
template <typename T>
class Systems
{
public:
    Systems(tdls_handle_t handle, const Clock &clock, std::int32_t n, std::int64_t batch)
        : clock_(clock), shape_{Storage::Strided, n, 1, batch},
          distinct_(std::min(batch, most_distinct)), a_(handle, batch * n * n),
          a_kept_(handle, batch * n * n), b_(handle, batch * n), b_kept_(handle, batch * n),
          a_systems_(handle, batch), b_systems_(handle, batch), ipiv_(handle, batch * n),
          info_(handle, batch)
    {
        std::uint64_t state = 20261201 + static_cast<std::uint64_t>(n);
        host_a_.resize(static_cast<std::size_t>(distinct_ * n * n));
        host_b_.resize(static_cast<std::size_t>(distinct_ * n));
        for (T &x : host_a_) {
            x = static_cast<T>(device_check::uniform(state));
        }
        for (T &x : host_b_) {
            x = static_cast<T>(device_check::uniform(state));
        }
        std::vector<T *> pointers(static_cast<std::size_t>(batch));
        for (std::int64_t s = 0; s < batch; ++s) {
            pointers[static_cast<std::size_t>(s)] = a_.data() + s * n * n;
        }
        a_systems_.put(pointers.data());
        for (std::int64_t s = 0; s < batch; ++s) {
            pointers[static_cast<std::size_t>(s)] = b_.data() + s * n;
        }
        b_systems_.put(pointers.data());
        lay_out(Storage::Strided);
    }

    const Shape &shape() const { return shape_; }
    Operands<T> operands() const
    {
        return {a_.data(),         b_.data(),    a_systems_.data(),
                b_systems_.data(), ipiv_.data(), info_.data()};
    }

    void lay_out(Storage storage)
    {
        shape_.storage = storage;
        const std::int64_t n = shape_.n;
        fill(a_kept_, host_a_, n * n);
        fill(b_kept_, host_b_, n);
        restore(true);
    }

    void restore(bool matrices) const
    {
        if (matrices) {
            clock_.copy(a_.data(), a_kept_.data(), a_.bytes());
        }
        clock_.copy(b_.data(), b_kept_.data(), b_.bytes());
    }

    // As a measure of the device: all matrices.
    std::int64_t copy_all() const
    {
        clock_.copy(a_.data(), a_kept_.data(), a_.bytes());
        return 2 * a_.bytes();
    }

    // What gesv must read and write at least.
    std::int64_t bytes(bool keep) const
    {
        return (keep ? 2 * a_.bytes() + ipiv_.bytes() : a_.bytes()) + 2 * b_.bytes() +
               info_.bytes();
    }

    // Greatest backward error of some systems, over n * epsilon; NaN or Inf if one is not solved.
    double error() const
    {
        constexpr int samples = 16;
        const std::int64_t n = shape_.n;
        double worst = 0;
        std::vector<T> x(static_cast<std::size_t>(n));
        for (int sample = 0; sample < samples; ++sample) {
            const std::int64_t s =
                sample * (shape_.batch - 1) / (samples - 1); // the first and the last among them
            for (std::int64_t i = 0; i < n; ++i) {
                b_.get_part(
                    &x[static_cast<std::size_t>(i)],
                    shape_.storage == Storage::Interleaved ? i * shape_.batch + s : s * n + i, 1);
            }
            std::int32_t info = 0;
            info_.get_part(&info, s, 1);
            const double own = info == 0 ? backward_error(s % distinct_, x) : HUGE_VAL;
            worst = own <= worst ? worst : own; // also where it is NaN
        }
        return worst;
    }

private:
    // `count` numbers per system, from those of the distinct systems.
    void fill(const DeviceArray<T> &array, const std::vector<T> &distinct, std::int64_t count) const
    {
        if (shape_.storage == Storage::Strided) {
            array.put_part(0, distinct.data(), distinct_ * count);
            repeat(array, 0, distinct_ * count, shape_.batch * count);
            return;
        }
        std::vector<T> row(static_cast<std::size_t>(distinct_));
        for (std::int64_t e = 0; e < count; ++e) {
            for (std::int64_t s = 0; s < distinct_; ++s) {
                row[static_cast<std::size_t>(s)] =
                    distinct[static_cast<std::size_t>(s * count + e)];
            }
            array.put_part(e * shape_.batch, row.data(), distinct_);
            repeat(array, e * shape_.batch, distinct_, shape_.batch);
        }
    }

    void repeat(const DeviceArray<T> &array, std::int64_t at, std::int64_t filled,
                std::int64_t whole) const
    {
        while (filled < whole) {
            const std::int64_t more = std::min(filled, whole - filled);
            clock_.copy(array.data() + at + filled, array.data() + at,
                        more * std::int64_t{sizeof(T)});
            filled += more;
        }
    }

    double backward_error(std::int64_t s, const std::vector<T> &x) const
    {
        const auto n = static_cast<std::size_t>(shape_.n);
        const T *a = host_a_.data() + static_cast<std::size_t>(s) * n * n;
        const T *b = host_b_.data() + static_cast<std::size_t>(s) * n;
        long double residual = 0, norm_a = 0, norm_x = 0, norm_b = 0;
        for (std::size_t i = 0; i < n; ++i) {
            long double r = b[i], row = 0;
            for (std::size_t j = 0; j < n; ++j) {
                r -= static_cast<long double>(a[j * n + i]) * static_cast<long double>(x[j]);
                row += std::fabs(static_cast<long double>(a[j * n + i]));
            }
            if (!std::isfinite(x[i])) {
                return HUGE_VAL;
            }
            residual = std::max(residual, std::fabs(r));
            norm_a = std::max(norm_a, row);
            norm_x = std::max(norm_x, std::fabs(static_cast<long double>(x[i])));
            norm_b = std::max(norm_b, std::fabs(static_cast<long double>(b[i])));
        }
        const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
        return static_cast<double>(residual / (norm_a * norm_x + norm_b)) /
               (static_cast<double>(n) * epsilon);
    }

    const Clock &clock_;
    Shape shape_;
    std::int64_t distinct_;
    DeviceArray<T> a_, a_kept_, b_, b_kept_;
    DeviceArray<T *> a_systems_, b_systems_;
    DeviceArray<std::int32_t> ipiv_, info_;
    std::vector<T> host_a_, host_b_;
};

// ---- Measurements -------------------------------------------------------------------------------

/// The greatest backward error that passes, in units of n * epsilon.
constexpr double error_bound = 10;

int wrong = 0;

template <typename T>
const char *type_name()
{
    return std::is_same_v<T, double> ? "double" : "float";
}

template <typename T>
std::int64_t batch_of(const Options &options, std::int32_t n)
{
    const double one = static_cast<double>(sizeof(T)) * n * n;
    const double most = options.megabytes * 1e6 / one;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1,
                                    std::numeric_limits<std::int32_t>::max());
}

template <typename T>
void check(const Systems<T> &systems, const char *who)
{
    const double error = systems.error();
    if (!(error <= error_bound)) {
        std::printf("WRONG: %s, %s, order %d, %s: backward error %g * n * epsilon\n", who,
                    type_name<T>(), systems.shape().n,
                    systems.shape().storage == Storage::Strided ? "strided" : "interleaved", error);
        ++wrong;
    }
}

struct Line {
    const char *type;
    std::int32_t n;
    const char *storage;
    bool keep;
    std::int64_t batch, bytes;
    double tdls, cublas, copy; // seconds; NaN: not measured
};

void print(const Line &line, std::FILE *csv)
{
    const double ns = line.tdls / static_cast<double>(line.batch) * 1e9;
    const double rate = static_cast<double>(line.bytes) / line.tdls / 1e9;
    const double faster = line.cublas / line.tdls, slower = line.tdls / line.copy;
    char against[32] = "-";
    if (!std::isnan(faster)) {
        std::snprintf(against, sizeof against, "%.2f", faster);
    }
    std::printf("%-6s %4d %-11s %-7s %10lld %11.3f %9.1f %9s %9.2f\n", line.type, line.n,
                line.storage, line.keep ? "kept" : "dropped", static_cast<long long>(line.batch),
                ns, rate, against, slower);
    std::fflush(stdout);
    if (csv != nullptr) {
        std::fprintf(csv, "%s,%d,%s,%s,%lld,%.4f,%.2f,%.4f,%.4f,%.4f,%.4f\n", line.type, line.n,
                     line.storage, line.keep ? "kept" : "dropped",
                     static_cast<long long>(line.batch), ns, rate,
                     line.cublas / static_cast<double>(line.batch) * 1e9, faster,
                     line.copy / static_cast<double>(line.batch) * 1e9, slower);
    }
}

struct Session {
    const Options &options;
    tdls_handle_t handle;
    const Clock &clock;
    const Cublas *cublas; // null: not to be measured
    std::FILE *csv;       // null: not wanted
};

template <typename T>
void measure_order(const Session &session, std::int32_t n)
{
    const Clock &clock = session.clock;
    Systems<T> systems(session.handle, clock, n, batch_of<T>(session.options, n));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    // Interleaved, which cuBLAS has not, is compared with its time on the strided batch.
    double cublas_strided = nan;
    for (const Storage storage : {Storage::Strided, Storage::Interleaved}) {
        systems.lay_out(storage);
        const Shape &shape = systems.shape();
        for (const bool keep : {false, true}) {
            std::vector<double> tdls, cublas, copy;
            std::int64_t copied = 1;
            // A round that does not count, then the others.
            for (int round = 0; round <= session.options.runs; ++round) {
                systems.restore(true);
                tdls.push_back(clock.seconds([&] {
                    must(session.handle,
                         call(session.handle, keep ? Task::GesvKeep : Task::Gesv, shape,
                              systems.operands()),
                         "gesv");
                }));
                if (round == 0) {
                    check(systems, "tdls");
                }
                if (session.cublas != nullptr && storage == Storage::Strided) {
                    systems.restore(true);
                    cublas.push_back(clock.seconds(
                        [&] { session.cublas->solve<T>(shape, systems.operands()); }));
                    if (round == 0) {
                        check(systems, "cuBLAS");
                    }
                }
                copy.push_back(clock.seconds([&] { copied = systems.copy_all(); }));
            }
            for (auto *times : {&tdls, &cublas, &copy}) {
                if (times->size() > 1) {
                    times->erase(times->begin());
                }
            }
            if (!cublas.empty()) {
                cublas_strided = median(cublas);
            }
            const std::int64_t bytes = systems.bytes(keep);
            print({type_name<T>(), n, storage == Storage::Strided ? "strided" : "interleaved", keep,
                   shape.batch, bytes, median(tdls), cublas_strided,
                   median(copy) * static_cast<double>(bytes) / static_cast<double>(copied)},
                  session.csv);
        }
    }
}

void measure(const Session &session)
{
    if (session.csv != nullptr) {
        std::fprintf(session.csv, "type,n,storage,factors,batch,ns_per_system,gb_per_s,"
                                  "cublas_ns_per_system,times_faster_than_cublas,"
                                  "copy_ns_per_system,times_as_long_as_copy\n");
    }
    std::printf("%-6s %4s %-11s %-7s %10s %11s %9s %9s %9s\n", "type", "n", "storage", "factors",
                "batch", "ns/system", "GB/s", "cuBLAS/", "/copy");
    const auto begin = std::chrono::steady_clock::now();
    for (const bool doubles : {true, false}) {
        for (const std::int32_t n : session.options.orders) {
            const std::chrono::duration<double> so_far = std::chrono::steady_clock::now() - begin;
            if (so_far.count() > session.options.seconds) {
                std::printf("LEFT OUT: %s, order %d: %.0f s are over\n",
                            doubles ? "double" : "float", n, session.options.seconds);
            } else if (doubles) {
                measure_order<double>(session, n);
            } else {
                measure_order<float>(session, n);
            }
        }
    }
    std::printf(
        "cuBLAS/: its time over that of tdls, more is better; /copy: the time of tdls over that "
        "of a copy of the same bytes on the device, at best 1\n");
}

template <typename T>
void measure_rows(const Session &session, std::int32_t n, std::istream &settings)
{
    Systems<T> systems(session.handle, session.clock, n, batch_of<T>(session.options, n));
    std::vector<std::int32_t> rows;
    for (std::int32_t each = 0; settings >> each;) {
        rows.push_back(each);
    }
    std::vector<std::vector<double>> times(rows.size());
    for (int round = 0; round <= session.options.runs; ++round) {
        for (std::size_t r = 0; r < rows.size(); ++r) {
            must(session.handle, tdls_set_rows_per_thread(session.handle, rows[r]), "the rows");
            systems.restore(false);
            const double time = session.clock.seconds([&] {
                must(session.handle,
                     call(session.handle, Task::Gesv, systems.shape(), systems.operands()), "gesv");
            });
            if (round == 0) {
                check(systems, "tdls");
            } else {
                times[r].push_back(time);
            }
        }
    }
    std::size_t best = 0;
    std::printf("%-6s %4d", type_name<T>(), n);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const double ns = median(times[r]) / static_cast<double>(systems.shape().batch) * 1e9;
        std::printf("  %3d: %9.3f", rows[r], ns);
        best = median(times[r]) < median(times[best]) ? r : best;
        if (session.csv != nullptr) {
            std::fprintf(session.csv, "%s,%d,%d,%s,%.4f\n", type_name<T>(), n, rows[r],
                         r == 0 ? "tuned" : "other", ns);
        }
    }
    std::printf("  %s\n",
                best == 0 ? "the tuned one is best" : "ANOTHER THAN THE TUNED ONE IS BEST");
    std::fflush(stdout);
}

void measure_all_rows(const Session &session)
{
    if (session.csv != nullptr) {
        std::fprintf(session.csv, "type,n,rows_per_thread,choice,ns_per_system\n");
    }
    std::printf("type      n  rows per thread: ns per system, the tuned one first\n");
    int tables = 0;
    for (std::string text; std::getline(std::cin, text);) {
        std::istringstream line(text);
        std::string type;
        std::int32_t n = 0;
        if (!(line >> type >> n) || n < 1) {
            give_up(text.c_str(), "no type and order");
        }
        if (type == "double") {
            measure_rows<double>(session, n, line);
        } else {
            measure_rows<float>(session, n, line);
        }
        ++tables;
    }
    if (tables == 0) {
        give_up("--rows", "the standard input is empty");
    }
}

// ---- The program --------------------------------------------------------------------------------

Options read_options(int argc, char **argv)
{
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        const bool more = i + 1 < argc;
        if (name == "--help") {
            std::printf("%s", usage);
            std::exit(0);
        } else if (name == "--rows") {
            options.rows = true;
        } else if (name == "--megabytes" && more) {
            options.megabytes = std::atof(argv[++i]);
        } else if (name == "--runs" && more) {
            options.runs = std::max(1, std::atoi(argv[++i]));
        } else if (name == "--seconds" && more) {
            options.seconds = std::atof(argv[++i]);
        } else if (name == "--cublas" && more) {
            options.cublas = argv[++i];
        } else if (name == "--csv" && more) {
            options.csv = argv[++i];
        } else if (name == "--orders" && more) {
            options.orders.clear();
            std::istringstream list(argv[++i]);
            for (std::string order; std::getline(list, order, ',');) {
                options.orders.push_back(std::max(1, std::atoi(order.c_str())));
            }
        } else if (name[0] != '-') {
            options.backend = name;
        } else {
            std::fprintf(stderr, "%s: unknown or without a value\n%s", name.c_str(), usage);
            std::exit(2);
        }
    }
    return options;
}

} // namespace

int main(int argc, char **argv)
{
    const Options options = read_options(argc, argv);
    tdls_handle_t handle = nullptr;
    must(nullptr, tdls_create(tdls_backend_from_name(options.backend.c_str()), 0, &handle),
         options.backend.c_str());
    std::FILE *csv = nullptr;
    if (!options.csv.empty() && (csv = std::fopen(options.csv.c_str(), "w")) == nullptr) {
        give_up(options.csv.c_str(), "cannot be written");
    }
    {
        const DeviceArray<double> probe(handle, 1);
        const Clock clock(handle, probe.data());
        char name[256];
        must(handle, tdls_device_name(handle, name, sizeof name), "the device's name");
        std::printf("%s, %s backend, %g MB of matrices, timed by %s, median of %d runs\n", name,
                    options.backend.c_str(), options.megabytes,
                    clock.on_cuda() ? "events" : "wall clock", options.runs);
        if (!clock.on_cuda()) {
            std::printf("MISSING: cuBLAS: %s\n",
#ifdef TDLS_CHECK_CUDA
                        "this is no CUDA device"
#else
                        "compiled without the CUDA runtime"
#endif
            );
        }
        if (options.rows) {
            measure_all_rows({options, handle, clock, nullptr, csv});
        } else if (clock.on_cuda()) {
            const Cublas cublas(options.cublas);
            if (!cublas.usable()) {
                std::printf("MISSING: cuBLAS: %s\n", cublas.why_not());
            }
            measure({options, handle, clock, cublas.usable() ? &cublas : nullptr, csv});
        } else {
            measure({options, handle, clock, nullptr, csv});
        }
    }
    if (csv != nullptr) {
        std::fclose(csv);
    }
    must(handle, tdls_destroy(handle), "destroying the handle");
    return wrong > 0 ? 1 : 0;
}
