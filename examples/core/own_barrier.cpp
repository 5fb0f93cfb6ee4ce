// SPDX-License-Identifier: BSD-3-Clause
// A group of four threads with the caller's own barrier, each thread holding its part of the system
// in variables of its own ("internal" operands).
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

#include <tdls/tdls.hpp>

constexpr int n = 8;
constexpr tdls::CooperativeLUppConfig<double> config = {.rows_per_thread = 2,
                                                        .layout = tdls::MatrixLayout::ColMajor};
using Solver = tdls::CooperativeLUppSolverStatic<double, n, config>;
constexpr int threads = Solver::threads_per_system; // 4
constexpr int held = Solver::rows_per_thread;       // 2

int main()
{
    std::barrier<> barrier(threads);
    double work[Solver::workspace_size]; // with an own barrier it may hold anything
    bool sound[threads] = {};
    double error[threads] = {};

    const auto member = [&](int tx) {
        // This thread holds rows tx and tx + 4 of A: element c of row tx + K*threads at A[c*held +
        // K].
        double A[n * held], b[held] = {}, x[held];
        int piv[held];
        for (int K = 0; K < held; ++K) {
            const int r = tx + K * threads;
            for (int c = 0; c < n; ++c) {
                A[c * held + K] = r == (c + 3) % n ? 5.0 : 1.0 / (1 + r + c);
                b[K] += A[c * held + K]; // b = A * (1, ..., 1)
            }
        }
        auto sync = [&barrier] { barrier.arrive_and_wait(); };
        sound[tx] = Solver::solve<true, true, true>(tx, A, 0, piv, 0, b, x, 0, work, sync);
        for (int K = 0; K < held; ++K) {
            error[tx] += tdls::abs(x[K] - 1);
        }
    };
    std::vector<std::thread> others;
    for (int tx = 1; tx < threads; ++tx) {
        others.emplace_back(member, tx);
    }
    member(0);
    for (std::thread &other : others) {
        other.join();
    }

    bool right = true;
    for (int tx = 0; tx < threads; ++tx) {
        std::printf("thread %d: %s, error %.1e\n", tx, sound[tx] ? "sound" : "singular", error[tx]);
        right = right && sound[tx] && error[tx] < 1e-12;
    }
    return right ? 0 : 1;
}
