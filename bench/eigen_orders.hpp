/* SPDX-License-Identifier: BSD-3-Clause */
// Eigen's fixed-size LU of one order and type: what eigen_orders.cpp gives peer_eigen.cpp.
#ifndef TDLS_BENCH_EIGEN_ORDERS_HPP
#define TDLS_BENCH_EIGEN_ORDERS_HPP

#include "peer.hpp"

namespace bench
{

/// `kept` is an array of Eigen's decompositions, one per system, in place of factors in A.
template <typename T>
struct EigenOrder {
    int n;
    void *(*make_kept)(std::int64_t count);
    void (*destroy_kept)(void *kept);
    /// Factors b.matrices into kept, untimed.
    void (*factor)(const Batch<T> &b, void *kept);
    bool (*run)(const Batch<T> &b, void *kept);
    void (*solve)(const void *kept, std::int64_t system, T *x);
};

/// The orders are compiled in groups; null: the order is not in the group.
constexpr int eigen_groups = 3;
template <typename T, int group>
const EigenOrder<T> *find_eigen_order(int n);
template <>
const EigenOrder<float> *find_eigen_order<float, 0>(int n);
template <>
const EigenOrder<float> *find_eigen_order<float, 1>(int n);
template <>
const EigenOrder<float> *find_eigen_order<float, 2>(int n);
template <>
const EigenOrder<double> *find_eigen_order<double, 0>(int n);
template <>
const EigenOrder<double> *find_eigen_order<double, 1>(int n);
template <>
const EigenOrder<double> *find_eigen_order<double, 2>(int n);

} // namespace bench

#endif // TDLS_BENCH_EIGEN_ORDERS_HPP
