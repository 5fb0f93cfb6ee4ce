// SPDX-License-Identifier: BSD-3-Clause
// The routines for small orders: groups of systems, one in each lane of a vector, are brought into
// a buffer, done there, and brought back.
#pragma once

#include <type_traits>

#include "kernels.hpp"
#include "lane_solver.hpp"
#include "lanes.hpp"
#include "panel_solver.hpp"

namespace tdls
{
namespace cpu
{
namespace
{
namespace lane_kernels
{

// Where a group is worked on: in the lanes, and for larger orders in rows as well.
template <typename T>
struct Buffer {
    LaneSystems<T> in_lanes;
    RowSystems<T> in_rows;
    std::size_t bytes = 0;

    // Without scratch only the size has a meaning.
    Buffer(int n, void *scratch)
    {
        const auto order = static_cast<std::size_t>(n);
        const auto begin = reinterpret_cast<std::uintptr_t>(scratch);
        const auto part = [&](auto *&pointer, std::size_t size) {
            pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(begin + bytes);
            bytes += (size + 63) / 64 * 64;
        };
        in_lanes.n = n;
        in_lanes.ld = lane_ld(n);
        in_lanes.first = 0;
        const int columns = n > largest_lane_order ? padded_columns(n) : n;
        const std::size_t column = static_cast<std::size_t>(in_lanes.ld) * vector_bytes;
        part(in_lanes.a, static_cast<std::size_t>(columns + 1) * column);
        in_lanes.rhs = in_lanes.a + static_cast<std::ptrdiff_t>(columns) * in_lanes.ld;
        part(in_lanes.swaps, order * vector_bytes);
        in_rows.length = row_length<T>(n);
        for (int l = 0; l < lanes<T> && n > largest_lane_order; ++l) {
            part(in_rows.start[l], static_cast<std::size_t>(system_length<T>(n)) * sizeof(T));
        }
        part(in_rows.zeros, order * sizeof(T));
        part(in_rows.sink, order * sizeof(T));
    }

    // What lies behind the columns of the systems is 0 from here on.
    void clear() const
    {
        const int n = in_lanes.n;
        for (int i = 0; i < n; ++i) {
            in_rows.zeros[i] = 0;
        }
        for (int l = 0; l < lanes<T> && n > largest_lane_order; ++l) {
            for (int i = 0; i < n; ++i) {
                for (std::ptrdiff_t j = n; j < in_rows.length; ++j) {
                    in_rows.row(l, i)[j] = 0;
                }
            }
        }
    }
};

template <typename T>
std::size_t scratch_bytes(const Batch<T> &batch)
{
    return Buffer<T>(batch.n, nullptr).bytes;
}

// One group of systems of a batch: from s on, as many as there are before `end` or fit.
template <typename T>
class Group
{
public:
    Group(const Batch<T> &batch, const Buffer<T> &buffer, std::int64_t s, std::int64_t end)
        : batch_(batch), lanes_(buffer.in_lanes), rows_(buffer.in_rows), s_(s),
          count_(end - s < lanes<T> ? static_cast<int>(end - s) : lanes<T>), a_(batch.a, s, count_),
          by_rows_(batch.n > largest_lane_order)
    {
        rows_.count = count_;
        for (int l = count_; l < lanes<T>; ++l) {
            rows_.start[l] = rows_.start[count_ - 1];
        }
    }

    // Factors the systems. solves: the first right-hand side comes along. keeps: the factors are
    // whole afterwards.
    void eliminate(const LaneRule<T> &rule, Ahead<T> &ahead, bool solves, bool keeps)
    {
        ahead.aim(s_);
        if (solves) {
            load_rhs(0);
        }
        if (by_rows_) {
            load_rows<T>(rows_, a_, batch_.n, batch_.lda);
            info_ = eliminate_panels<T>(lanes_, rows_, rule, ahead, solves, keeps);
            return;
        }
        load_matrix<T>(lanes_.a, lanes_.ld, a_, batch_.n, batch_.lda);
        info_ = batch_.n <= largest_small_order
                    ? eliminate_small<T>(lanes_, rule, ahead, solves, keeps)
                    : eliminate_lanes<T>(lanes_, rule, ahead, solves, keeps);
    }

    // The rest of the solution that came along.
    void finish() const
    {
        if (by_rows_) {
            solve_panels<T>(lanes_, rows_);
        } else {
            solve_up<T, false>({lanes_.a, 1, lanes_.ld}, lanes_.rhs, batch_.n);
        }
        store_solution(0, sound());
    }

    // All right-hand sides with factors that eliminate() kept; where there are none, nothing.
    void solve() const
    {
        for (int j = 0; by_rows_ && batch_.nrhs > 0 && j < batch_.n; j += panel_width) {
            load_columns<T>(lanes_, rows_, 0, batch_.n, j);
        }
        solve_all(sound());
    }

    // The same with factors that are in the batch.
    void solve_given(Ahead<T> &ahead) const
    {
        ahead.aim(s_);
        if (ahead.wanted()) {
            for (int j = 0; j < batch_.n; ++j) {
                ahead.fetch();
                load_run<T>(lanes_.column(j), a_, j * batch_.lda, 1, batch_.n);
            }
        } else {
            load_matrix<T>(lanes_.a, lanes_.ld, a_, batch_.n, batch_.lda);
        }
        load_swaps<T>(lanes_.swaps, Operand<T, std::int32_t>(batch_.swaps, s_, count_), batch_.n);
        solve_all(present());
    }

    void store_factors() const
    {
        if (by_rows_) {
            store_rows<T>(rows_, a_, batch_.n, batch_.lda);
        } else {
            store_matrix<T>(lanes_.a, lanes_.ld, a_, present(), batch_.n, batch_.lda);
        }
        store_swaps<T>(lanes_.swaps, Operand<T, std::int32_t>(batch_.swaps, s_, count_), batch_.n);
    }

    void store_info() const
    {
        for (int l = 0; l < count_ && batch_.info != nullptr; ++l) {
            batch_.info[s_ + l] = static_cast<std::int32_t>(info_[l]);
        }
    }

private:
    // Bits of the lanes with a system, and of those of them that have an info of 0.
    unsigned present() const { return every_lane<T> >> (lanes<T> - count_); }
    unsigned sound() const { return bits_of<T>(equal_words<T>(info_, Words<T>{})) & present(); }

    void load_rhs(std::int32_t c) const
    {
        load_run<T>(lanes_.rhs, Operand<T, T>(batch_.b, s_, count_), c * batch_.b_column_stride,
                    batch_.b_row_stride, batch_.n);
    }
    void store_solution(std::int32_t c, unsigned wanted) const
    {
        store_run<T>(lanes_.rhs, Operand<T, T>(batch_.b, s_, count_), wanted,
                     c * batch_.b_column_stride, batch_.b_row_stride, batch_.n);
    }
    void solve_all(unsigned wanted) const
    {
        for (std::int32_t c = 0; c < batch_.nrhs; ++c) {
            load_rhs(c);
            solve_lanes<T>(lanes_, batch_.transposed);
            store_solution(c, wanted);
        }
    }

    const Batch<T> &batch_;
    LaneSystems<T> lanes_;
    RowSystems<T> rows_;
    std::int64_t s_;
    int count_;
    Operand<T, T> a_;
    bool by_rows_;
    Words<T> info_;
};

// Factors the systems begin .. end-1, group by group; then finish(group) uses the factors.
template <typename T, typename Finish>
TDLS_FORCE_INLINE void factor(const Batch<T> &batch, std::int64_t begin, std::int64_t end,
                              void *scratch, bool solves, bool keeps, const Finish &finish)
{
    const LaneRule<T> rule(batch.pivot_threshold, batch.singular_floor);
    const Buffer<T> buffer(batch.n, scratch);
    Ahead<T> ahead(batch.a, begin, end, batch.n, batch.lda, fetches<T>(batch.n));
    buffer.clear();
    for (std::int64_t s = begin; s < end; s += lanes<T>) {
        Group<T> group(batch, buffer, s, end);
        group.eliminate(rule, ahead, solves, keeps);
        finish(group);
    }
}

// gesv for tiny orders, without kept factors and for one right-hand side, group by group as long as
// these are full. Returns the first system that is left.
template <typename T, int N>
__attribute__((noinline)) std::int64_t gesv_tiny(const Batch<T> &batch, std::int64_t begin,
                                                 std::int64_t end)
{
    const LaneRule<T> rule(batch.pivot_threshold, batch.singular_floor);
    std::int64_t s = begin;
    for (; s + lanes<T> <= end; s += lanes<T>) {
        const Operand<T, T> a(batch.a, s, lanes<T>), b(batch.b, s, lanes<T>);
        Vector<T> v[static_cast<std::size_t>(N * (N + 1))];
        if (batch.lda == N) {
            load_run<T>(v, a, 0, 1, std::integral_constant<int, N * N>{});
        } else {
            unroll<0, N>([&](auto j) TDLS_INLINED {
                load_run<T>(v + j * N, a, j * batch.lda, 1, std::integral_constant<int, N>{});
            });
        }
        load_run<T>(v + N * N, b, 0, batch.b_row_stride, std::integral_constant<int, N>{});
        const Words<T> info = solve_tiny<T, N>(v, rule);
        const unsigned sound = bits_of<T>(equal_words<T>(info, Words<T>{}));
        if (sound != every_lane<T> ||
            !store_vectors<T>(v + N * N, b, 0, batch.b_row_stride * b.step,
                              std::integral_constant<int, N>{})) {
            Vector<T> x[static_cast<std::size_t>(N)];
            unroll<0, N>([&](auto i) TDLS_INLINED { x[i] = v[N * N + i]; });
            store_run<T>(x, b, sound, 0, batch.b_row_stride, N);
        }
        if (batch.info != nullptr) {
            typedef std::int32_t Numbers __attribute__((
                vector_size(sizeof(std::int32_t) * static_cast<std::size_t>(lanes<T>))));
            store(batch.info + s, __builtin_convertvector(info, Numbers));
        }
    }
    return s;
}

template <typename T>
void getrf(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    factor(batch, begin, end, scratch, false, true, [](Group<T> &group) TDLS_INLINED {
        group.store_factors();
        group.store_info();
    });
}

template <typename T>
void getrs(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    // Tiny systems are one stream. Large ones are soon done with, and the processor foresees their
    // columns better than this.
    constexpr int largest_fetched_order = 20;
    const bool fetched = batch.n > largest_tiny_order && batch.n <= largest_fetched_order;
    const int fetches = fetched ? batch.n : 0;
    const Buffer<T> buffer(batch.n, scratch);
    Ahead<T> ahead(batch.a, begin, end, batch.n, batch.lda, fetches);
    for (std::int64_t s = begin; s < end; s += lanes<T>) {
        Group<T>(batch, buffer, s, end).solve_given(ahead);
    }
}

template <typename T>
void gesv(const Batch<T> &batch, std::int64_t begin, std::int64_t end, void *scratch)
{
    // The only right-hand side takes part in the elimination.
    const bool folded = !batch.transposed && batch.nrhs == 1;
    if (folded && !batch.keep) {
        unroll<1, largest_tiny_order + 1>([&](auto order) TDLS_INLINED {
            if (batch.n == order) {
                begin = gesv_tiny<T, order>(batch, begin, end);
            }
        });
    }
    factor(batch, begin, end, scratch, folded, batch.keep || !folded,
           [&](Group<T> &group) TDLS_INLINED {
               if (folded) {
                   group.finish();
               } else {
                   group.solve();
               }
               if (batch.keep) {
                   group.store_factors();
               }
               group.store_info();
           });
}

} // namespace lane_kernels
} // namespace
} // namespace cpu
} // namespace tdls
