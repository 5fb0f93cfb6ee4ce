// SPDX-License-Identifier: BSD-3-Clause
// LU with partial pivoting of a group of systems that are larger than what lanes alone do well.
//
// A panel of columns is brought into the lanes, one system in each, and eliminated there: the
// search for a pivot, which is a chain of dependent operations, is done for all systems of the
// group at once. What a panel does to the columns to the right of it is done within each system, of
// which the rows are vectors: rows change places as a whole, and the system stays in the
// first-level cache.
#pragma once

#include "lane_solver.hpp"
#include "lanes.hpp"

namespace tdls
{
namespace cpu
{
namespace
{

// The systems of a group by rows: element (i, j) of system l is start[l][i * length + j]. Rows go
// on behind column n with zeros, as far as vectors reach. Lanes without a system have that of the
// last one.
template <typename T>
struct RowSystems {
    T *start[static_cast<std::size_t>(lanes<T>)];
    std::ptrdiff_t length;
    T *zeros; // n of them
    T *sink;  // as many elements, never read
    int count;

    T *row(int l, int i) const { return start[l] + i * length; }
};

// Columns of a panel.
constexpr int panel_width = 8;

// The columns of a system up to whole panels.
constexpr int padded_columns(int n)
{
    return (n + panel_width - 1) / panel_width * panel_width;
}

// With what vectors that begin behind a panel reach over, and an odd number of cache lines, so that
// neither rows nor systems fall into few sets of the cache.
template <typename T>
constexpr std::ptrdiff_t row_length(int n)
{
    constexpr int line = 64 / static_cast<int>(sizeof(T));
    const int reach = padded_columns(n) + (lanes<T> > panel_width ? lanes<T> - panel_width : 0);
    return ((reach + line - 1) / line | 1) * line;
}
template <typename T>
constexpr std::ptrdiff_t system_length(int n)
{
    return (n | 1) * row_length<T>(n);
}

// ---- Between memory, rows and lanes -------------------------------------------------------------

// The first elements of the columns j .. j + lanes - 1 of a matrix, `beyond` for those it lacks.
template <typename T>
struct Columns {
    T *start[static_cast<std::size_t>(lanes<T>)];

    TDLS_FORCE_INLINE Columns(T *matrix, int j, int n, std::int64_t lda, T *beyond)
    {
        for (int l = 0; l < lanes<T>; ++l) {
            start[l] = j + l < n ? matrix + (j + l) * lda : beyond;
        }
    }
};

template <typename T>
void load_rows(const RowSystems<T> &to, const Operand<T, T> &from, int n, std::int64_t lda)
{
    if (from.adjacent) {
        // Down the columns: along the rows each element may lie on another page.
        for (int j = 0; j < n; j += piece<T>) {
            for (int i = 0; i < n; ++i) {
                T *row[static_cast<std::size_t>(lanes<T>)];
                unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { row[l] = to.row(l, i); });
                store_piece<T>(row, j, [&](int q) TDLS_INLINED {
                    const T *at = from.start[0] + (i + (j + q) * lda) * from.step;
                    return j + q < n ? load<Vector<T>>(at) : Vector<T>{};
                });
            }
        }
        return;
    }
    for (int l = 0; l < from.count; ++l) {
        if (from.step != 1) {
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) {
                    to.row(l, i)[j] = from.start[l][(i + j * lda) * from.step];
                }
            }
            continue;
        }
        for (int j = 0; j < n; j += lanes<T>) {
            const Columns<T> columns(from.start[l], j, n, lda, to.zeros);
            const std::ptrdiff_t length = to.length;
            T *const first = to.start[l] + j;
            for_each_piece<T>(n, [&](std::int64_t i) TDLS_INLINED {
                T *const at = first + i * length;
                load_piece<T>(columns.start, i,
                              [&](int q, Vector<T> v) TDLS_INLINED { store(at + q * length, v); });
            });
        }
    }
}

template <typename T>
void store_rows(const RowSystems<T> &from, const Operand<T, T> &to, int n, std::int64_t lda)
{
    if (to.adjacent) {
        for_each_piece<T>(n, [&](std::int64_t j) TDLS_INLINED {
            for (int i = 0; i < n; ++i) {
                T *row[static_cast<std::size_t>(lanes<T>)];
                unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { row[l] = from.row(l, i); });
                load_piece<T>(row, j, [&](int q, Vector<T> v) TDLS_INLINED {
                    store(to.start[0] + (i + (j + q) * lda) * to.step, v);
                });
            }
        });
        return;
    }
    for (int l = 0; l < to.count; ++l) {
        if (to.step != 1) {
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) {
                    to.start[l][(i + j * lda) * to.step] = from.row(l, i)[j];
                }
            }
            continue;
        }
        for (int j = 0; j < n; j += lanes<T>) {
            const Columns<T> columns(to.start[l], j, n, lda, from.sink);
            const std::ptrdiff_t length = from.length;
            const T *const first = from.start[l] + j;
            for_each_piece<T>(n, [&](std::int64_t i) TDLS_INLINED {
                const T *const at = first + i * length;
                store_piece<T>(columns.start, i, [&](int q) TDLS_INLINED {
                    return load<Vector<T>>(at + q * length);
                });
            });
        }
    }
}

// Of rows first .. last-1 the columns of the panel that begins with column j: into the lanes, or
// back.
template <typename T>
TDLS_FORCE_INLINE void load_columns(const LaneSystems<T> &to, const RowSystems<T> &from, int first,
                                    int last, int j)
{
    const std::ptrdiff_t length = from.length, ld = to.ld;
    T *row[static_cast<std::size_t>(lanes<T>)];
    unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { row[l] = from.row(l, first) + j; });
    Vector<T> *column = to.column(j) + first, *const end = to.column(j) + last;
    for (std::ptrdiff_t e = 0; column < end; ++column, e += length) {
        unroll<0, panel_width / piece<T>>([&](auto p) TDLS_INLINED {
            load_piece<T>(row, e + p * piece<T>, [&](int q, Vector<T> v) TDLS_INLINED {
                column[(p * piece<T> + q) * ld] = v;
            });
        });
    }
}
template <typename T>
TDLS_FORCE_INLINE void store_columns(const LaneSystems<T> &from, const RowSystems<T> &to, int first,
                                     int last, int j)
{
    const std::ptrdiff_t length = to.length, ld = from.ld;
    T *row[static_cast<std::size_t>(lanes<T>)];
    unroll<0, lanes<T>>([&](auto l) TDLS_INLINED { row[l] = to.row(l, first) + j; });
    const Vector<T> *column = from.column(j) + first, *const end = from.column(j) + last;
    for (std::ptrdiff_t e = 0; column < end; ++column, e += length) {
        unroll<0, panel_width / piece<T>>([&](auto p) TDLS_INLINED {
            store_piece<T>(row, e + p * piece<T>,
                           [&](int q) TDLS_INLINED { return column[(p * piece<T> + q) * ld]; });
        });
    }
}

// ---- Columns in the lanes ----------------------------------------------------------------------

// So many columns, or vectors of columns, are updated at once.
constexpr int update_block = 3;

// Calls run(width) with the constant width of the next columns, of which `left` are left.
template <typename Run>
TDLS_FORCE_INLINE void with_width(int left, const Run &run)
{
    switch (left) {
    case 1:
        run(std::integral_constant<int, 1>{});
        break;
    case 2:
        run(std::integral_constant<int, 2>{});
        break;
    case 3:
        run(std::integral_constant<int, 3>{});
        break;
    default:
        run(std::integral_constant<int, part_width>{});
        break;
    }
}

// Where the elimination of a group stands: info, and lanes without a pivot in the last columns.
template <typename T>
struct Progress {
    Words<T> info = {};
    Mask<T> zero[part_width];
    bool any_zero;
};

// The elimination of Width columns of a group, those from k0 on, among themselves.
template <typename T, int Width>
class Part
{
public:
    TDLS_FORCE_INLINE Part(const LaneSystems<T> &s, int k0) : s_(s), k0_(k0), n_(s.n)
    {
        unroll<0, Width>([&](auto c) TDLS_INLINED { column_[c] = s.column(k0 + c); });
        search_column<0>();
    }

    // Step t: the row of the pivot comes to its place.
    template <int t>
    TDLS_FORCE_INLINE void find_pivot(const LaneRule<T> &rule, Progress<T> &progress)
    {
        const int k = k0_ + t;
        pivots_ = decide<T>(search_, rule, k, progress.info);
        progress.zero[t] = pivots_.zero;
        progress.any_zero = (t > 0 && progress.any_zero) || pivots_.any_zero;
        s_.swaps[k] = pivots_.position * vector_bytes;
        const LaneRows<T> rows(s_.swaps + k);
        unroll<t, Width>([&](auto c) TDLS_INLINED {
            old_[c] = column_[c][k];
            chosen_[c] = rows.take(column_[c]);
            column_[c][k] = chosen_[c];
        });
        inverse_ = reciprocal<T>(search_, rule, pivots_, chosen_[t]);
    }

    // Step t: the row that was there goes where the pivot came from, and all below are updated.
    template <int t>
    TDLS_FORCE_INLINE void update_rows()
    {
        const int k = k0_ + t;
        if constexpr (t > 0) {
            exchange<T, 1, t>(s_, k, column_[0]);
        }
        Words<T> number = broadcast(static_cast<Word<T>>(k + 1));
        const Words<T> ones = broadcast(Word<T>(1));
        if (pivots_.any_zero) {
            for (int i = k + 1; i < n_; ++i, number += ones) {
                const Mask<T> here = equal_words<T>(pivots_.position, number);
                unroll<t, Width>([&](auto c) TDLS_INLINED {
                    column_[c][i] = choose<T>(here, old_[c], column_[c][i]);
                });
            }
            scale_masked<T>(s_, k, pivots_.zero, inverse_);
            update_masked<T>(s_, k, pivots_.zero, k + 1, k0_ + Width);
            if constexpr (t + 1 < Width) {
                search_column<t + 1>();
            }
            return;
        }
        V *column[Width], old[Width], chosen[Width];
        unroll<t, Width>([&](auto c) TDLS_INLINED {
            column[c] = column_[c];
            old[c] = old_[c];
            chosen[c] = chosen_[c];
        });
        const V inverse = inverse_;
        const Words<T> position = pivots_.position;
        Search<T> search;
        const auto row = [&](int i, auto is_first) TDLS_INLINED {
            const Mask<T> here = equal_words<T>(position, number);
            const V multiplier = choose<T>(here, old[t], column[t][i]) * inverse;
            column[t][i] = multiplier;
            unroll<t + 1, Width>([&](auto c) TDLS_INLINED {
                const V x = subtract_product<T>(multiplier, chosen[c],
                                                choose<T>(here, old[c], column[c][i]));
                column[c][i] = x;
                if constexpr (c == t + 1) {
                    if constexpr (is_first) {
                        search.start(x, number);
                    } else {
                        search.see(x, number);
                    }
                }
            });
            number += ones;
        };
        if (k + 1 < n_) {
            row(k + 1, std::true_type{});
        }
        for (int i = k + 2; i < n_; ++i) {
            row(i, std::false_type{});
        }
        if constexpr (t + 1 < Width) {
            search_ = search;
        }
    }

private:
    using V = Vector<T>;

    template <int t>
    TDLS_FORCE_INLINE void search_column()
    {
        const V *const column = column_[t];
        Words<T> number = broadcast(static_cast<Word<T>>(k0_ + t));
        Search<T> search;
        search.start(column[k0_ + t], number);
        for (int i = k0_ + t + 1; i < n_; ++i) {
            number += broadcast(Word<T>(1));
            search.see(column[i], number);
        }
        search_ = search;
    }

    const LaneSystems<T> &s_;
    int k0_, n_;
    V *column_[Width];
    Search<T> search_;
    Pivots<T> pivots_;
    V old_[Width], chosen_[Width], inverse_;
};

template <typename T, int Width>
TDLS_FORCE_INLINE void eliminate_columns(const LaneSystems<T> &s, const LaneRule<T> &rule, int k0,
                                         Progress<T> &progress, Ahead<T> &ahead)
{
    Part<T, Width> part(s, k0);
    unroll<0, Width>([&](auto t) TDLS_INLINED {
        ahead.fetch();
        part.template find_pivot<t>(rule, progress);
        part.template update_rows<t>();
    });
}

// What these columns do to Count others, of which the rows have changed places.
template <typename T, int Width, int Count>
TDLS_FORCE_INLINE void update_columns(const LaneSystems<T> &s, int k0, Vector<T> *first)
{
    using V = Vector<T>;
    const V *l[Width];
    V *x[Count], u[Count][Width];
    unroll<0, Width>([&](auto t) TDLS_INLINED { l[t] = s.column(k0 + t); });
    unroll<0, Count>([&](auto c) TDLS_INLINED {
        x[c] = first + c * static_cast<std::ptrdiff_t>(s.ld);
        unroll<0, Width>([&](auto t) TDLS_INLINED {
            u[c][t] = x[c][k0 + t];
            unroll<0, t>([&](auto r) TDLS_INLINED {
                u[c][t] = subtract_product<T>(l[r][k0 + t], u[c][r], u[c][t]);
            });
            x[c][k0 + t] = u[c][t];
        });
    });
    for (int i = k0 + Width; i < s.n; ++i) {
        unroll<0, Count>([&](auto c) TDLS_INLINED {
            V y = x[c][i];
            unroll<0, Width>([&](auto t)
                                 TDLS_INLINED { y = subtract_product<T>(l[t][i], u[c][t], y); });
            x[c][i] = y;
        });
    }
}

// The same for columns first .. last-1: rows change places, then the steps, nothing in lanes where
// one has no pivot.
template <typename T, int Width>
TDLS_FORCE_INLINE void update_range(const LaneSystems<T> &s, int k0, int first, int last,
                                    const Progress<T> &progress, Ahead<T> &ahead)
{
    exchange_columns<T, Width>(s, k0, first, last);
    if (progress.any_zero) {
        unroll<0, Width>([&](auto t) TDLS_INLINED {
            update_masked<T>(s, k0 + t, progress.zero[t], first, last);
        });
        return;
    }
    int j = first;
    for (; j + update_block <= last; j += update_block) {
        ahead.fetch();
        update_columns<T, Width, update_block>(s, k0, s.column(j));
    }
    if (j + 2 == last) {
        update_columns<T, Width, 2>(s, k0, s.column(j));
    } else if (j < last) {
        update_columns<T, Width, 1>(s, k0, s.column(j));
    }
}

// The same for the right-hand side.
template <typename T, int Width>
TDLS_FORCE_INLINE void update_rhs(const LaneSystems<T> &s, int k0, const Progress<T> &progress)
{
    exchange<T, Width, 1>(s, k0, s.rhs);
    if (progress.any_zero) {
        unroll<0, Width>(
            [&](auto t) TDLS_INLINED { update_masked<T>(s, k0 + t, progress.zero[t], s.rhs); });
    } else {
        update_columns<T, Width, 1>(s, k0, s.rhs);
    }
}

// P S = L U of a group in the lanes. solves: L y = P b as well. keeps: the multipliers found
// earlier change places too. Returns info.
template <typename T>
__attribute__((noinline)) Words<T> eliminate_lanes(const LaneSystems<T> &s, const LaneRule<T> &rule,
                                                   Ahead<T> &ahead, bool solves, bool keeps)
{
    Progress<T> progress;
    for (int k0 = 0; k0 < s.n; k0 += part_width) {
        with_width(s.n - k0, [&](auto width) TDLS_INLINED {
            eliminate_columns<T, width>(s, rule, k0, progress, ahead);
            if (keeps) {
                exchange_columns<T, width>(s, k0, 0, k0);
            }
            if constexpr (width == part_width) {
                update_range<T, width>(s, k0, k0 + width, s.n, progress, ahead);
            }
            if (solves) {
                update_rhs<T, width>(s, k0, progress);
            }
        });
    }
    return progress.info;
}

// ---- The columns behind a panel, in one system --------------------------------------------------

// Steps of a panel exchange the rows of Count vectors of columns.
template <typename T, int Count>
TDLS_FORCE_INLINE void exchange_vectors(T *const top, std::ptrdiff_t length, int steps,
                                        const std::ptrdiff_t *swaps)
{
    for (int t = 0; t < steps; ++t) {
        T *const upper = top + t * length, *const other = top + swaps[t];
        unroll<0, Count>([&](auto c) TDLS_INLINED {
            const auto held = load<Vector<T>>(upper + c * lanes<T>);
            store(upper + c * lanes<T>, load<Vector<T>>(other + c * lanes<T>));
            store(other + c * lanes<T>, held);
        });
    }
}

// Width steps on Count vectors of columns: rows top .. , of which there are `rows`, with their
// multipliers at l.
template <typename T, int Width, int Count>
TDLS_FORCE_INLINE void update_vectors(T *const top, const T *l, std::ptrdiff_t length, int rows)
{
    using V = Vector<T>;
    V u[Count][Width];
    unroll<0, Width>([&](auto t) TDLS_INLINED {
        T *const at = top + t * length;
        unroll<0, Count>([&](auto c) TDLS_INLINED { u[c][t] = load<V>(at + c * lanes<T>); });
        unroll<0, t>([&](auto r) TDLS_INLINED {
            const V multiplier = broadcast(l[t * length + r]);
            unroll<0, Count>([&](auto c) TDLS_INLINED {
                u[c][t] = subtract_product<T>(multiplier, u[c][r], u[c][t]);
            });
        });
        unroll<0, Count>([&](auto c) TDLS_INLINED { store(at + c * lanes<T>, u[c][t]); });
    });
    T *row = top + Width * length;
    l += Width * length;
    for (int i = Width; i < rows; ++i, row += length, l += length) {
        V multiplier[Width], x[Count];
        unroll<0, Width>([&](auto t) TDLS_INLINED { multiplier[t] = broadcast(l[t]); });
        unroll<0, Count>([&](auto c) TDLS_INLINED { x[c] = load<V>(row + c * lanes<T>); });
        unroll<0, Width>([&](auto t) TDLS_INLINED {
            unroll<0, Count>([&](auto c) TDLS_INLINED {
                x[c] = subtract_product<T>(multiplier[t], u[c][t], x[c]);
            });
        });
        unroll<0, Count>([&](auto c) TDLS_INLINED { store(row + c * lanes<T>, x[c]); });
    }
}

// A panel at the rows and columns from l on, of so many columns, and what it does to those behind
// it.
template <typename T>
struct Panel {
    T *l;
    std::ptrdiff_t length;
    int rows;
    int width;                   // panel_width, unless it is the last
    const std::ptrdiff_t *swaps; // from row l to the row that step t exchanges with row l + t
    unsigned zero;               // bit t: step t has no pivot
};

// Count vectors of columns, j columns behind it.
template <typename T, int Count>
TDLS_FORCE_INLINE void apply_panel(const Panel<T> &panel, int j)
{
    const std::ptrdiff_t length = panel.length;
    T *const top = panel.l + panel.width + j;
    exchange_vectors<T, Count>(top, length, panel.width, panel.swaps);
    for (int t = 0; t < panel.width; t += part_width) {
        update_vectors<T, part_width, Count>(top + t * length, panel.l + t * length + t, length,
                                             panel.rows - t);
    }
}

// All columns, where some step has no pivot.
template <typename T>
__attribute__((noinline)) void apply_without(const Panel<T> &panel)
{
    const std::ptrdiff_t length = panel.length;
    T *const top = panel.l + panel.width;
    const int columns = panel.rows - panel.width;
    for (int t = 0; t < panel.width; ++t) {
        for (int j = 0; j < columns; ++j) {
            const T held = top[t * length + j];
            top[t * length + j] = top[panel.swaps[t] + j];
            top[panel.swaps[t] + j] = held;
        }
    }
    for (int t = 0; t < panel.width; ++t) {
        for (int i = t + 1; i < panel.rows && (panel.zero >> t & 1U) == 0; ++i) {
            for (int j = 0; j < columns; ++j) {
                T &x = top[i * length + j];
                x = fused(-panel.l[i * length + t], top[t * length + j], x);
            }
        }
    }
}

template <typename T>
TDLS_FORCE_INLINE void apply_panel(const Panel<T> &panel, Ahead<T> &ahead)
{
    if (panel.zero != 0) {
        apply_without<T>(panel);
        return;
    }
    const int columns = panel.rows - panel.width;
    int j = 0;
    for (; j + (update_block - 1) * lanes<T> < columns; j += update_block * lanes<T>) {
        ahead.fetch();
        apply_panel<T, update_block>(panel, j);
    }
    if (j + lanes<T> < columns) {
        apply_panel<T, 2>(panel, j);
    } else if (j < columns) {
        apply_panel<T, 1>(panel, j);
    }
}

// The `columns` columns before it: rows change places.
template <typename T>
TDLS_FORCE_INLINE void exchange_left(const Panel<T> &panel, int columns)
{
    T *const first = panel.l - columns;
    for (int t = 0; t < panel.width; ++t) {
        T *const upper = first + t * panel.length, *const other = first + panel.swaps[t];
        for (int j = 0; j < columns; j += piece<T>) {
            const auto held = load<Vector<T, 16>>(upper + j);
            store(upper + j, load<Vector<T, 16>>(other + j));
            store(other + j, held);
        }
    }
}

// ---- The elimination ----------------------------------------------------------------------------

// The panel of columns s.first .. end-1 of all systems, in the lanes, a part at a time. Bit t of
// zeros[l]: step t of system l has no pivot.
template <typename T>
TDLS_FORCE_INLINE void eliminate_panel(const LaneSystems<T> &s, const LaneRule<T> &rule, int end,
                                       bool solves, Progress<T> &progress, unsigned *zeros,
                                       Ahead<T> &ahead)
{
    for (int k0 = s.first; k0 < end; k0 += part_width) {
        with_width(end - k0, [&](auto width) TDLS_INLINED {
            eliminate_columns<T, width>(s, rule, k0, progress, ahead);
            exchange_columns<T, width>(s, k0, s.first, k0);
            if constexpr (width == part_width) {
                update_range<T, width>(s, k0, k0 + width, end, progress, ahead);
            }
            if (solves) {
                update_rhs<T, width>(s, k0, progress);
            }
            for (int t = 0; t < width && progress.any_zero; ++t) {
                const unsigned without = bits_of<T>(progress.zero[t]);
                for (int l = 0; l < lanes<T>; ++l) {
                    zeros[l] |= (without >> l & 1U) << (k0 - s.first + t);
                }
            }
        });
    }
}

// P S = L U of the systems in the rows; the rows of L are in their final order with keeps. solves:
// L y = P b in the lanes. The lanes hold a panel at a time. Returns info.
template <typename T>
__attribute__((noinline)) Words<T> eliminate_panels(LaneSystems<T> s, const RowSystems<T> &systems,
                                                    const LaneRule<T> &rule, Ahead<T> &ahead,
                                                    bool solves, bool keeps)
{
    Progress<T> progress;
    for (s.first = 0; s.first < s.n; s.first += panel_width) {
        const int k0 = s.first, width = smaller(panel_width, s.n - k0);
        unsigned zeros[static_cast<std::size_t>(lanes<T>)] = {};
        load_columns<T>(s, systems, k0, s.n, k0);
        eliminate_panel<T>(s, rule, k0 + width, solves, progress, zeros, ahead);
        store_columns<T>(s, systems, k0, s.n, k0);
        for (int l = 0; l < systems.count; ++l) {
            std::ptrdiff_t swaps[panel_width];
            for (int t = 0; t < width; ++t) {
                const auto *bytes = reinterpret_cast<const Word<T> *>(s.swaps + k0 + t);
                swaps[t] = (bytes[l] / vector_bytes - k0) * systems.length;
            }
            const Panel<T> panel = {
                systems.row(l, k0) + k0, systems.length, s.n - k0, width, swaps, zeros[l]};
            if (keeps) {
                exchange_left<T>(panel, k0);
            }
            if (k0 + width < s.n) {
                apply_panel<T>(panel, ahead);
            }
        }
    }
    return progress.info;
}

// How often the eliminations above call Ahead's fetch() for a group, about.
template <typename T>
int fetches(int n)
{
    // Larger systems are streams long enough for the processor to foresee, and would drive this
    // group out.
    constexpr int largest_fetched_order = 96;
    int calls = n;
    if (n > largest_fetched_order) {
        return 0;
    }
    for (int k0 = part_width; k0 < n && n > largest_small_order; k0 += part_width) {
        if (n <= largest_lane_order) {
            calls += (n - k0) / update_block;
        } else if (k0 % panel_width == 0) {
            calls += 1 + (n - k0 + lanes<T> - 1) / (update_block * lanes<T>)*lanes<T>;
        }
    }
    return calls;
}

// U x = y with U in the rows, x in the place of the right-hand side.
template <typename T>
__attribute__((noinline)) void solve_panels(LaneSystems<T> s, const RowSystems<T> &systems)
{
    for (s.first = (s.n - 1) / panel_width * panel_width; s.first >= 0; s.first -= panel_width) {
        const int end = smaller(s.first + panel_width, s.n);
        load_columns<T>(s, systems, 0, end, s.first);
        solve_up<T, false>({s.a, 1, s.ld, s.first}, s.rhs, end, s.first);
    }
}

} // namespace
} // namespace cpu
} // namespace tdls
