// SPDX-License-Identifier: BSD-3-Clause
// The dialects of the compilers that read the core: g++, clang++, nvcc, hipcc.
#pragma once

#include <tdls/core/target.hpp>

// Inline namespace of everything in the core. Objects compiled for different instruction sets
// define it differently, so that the linker cannot merge their templates into one.
#ifndef TDLS_CORE_ABI
#    define TDLS_CORE_ABI v0
#endif

#if TDLS_DEVICE_DIALECT
#    define TDLS_HOST_DEVICE __host__ __device__
#else
#    define TDLS_HOST_DEVICE
#endif

#define TDLS_FORCE_INLINE inline __attribute__((always_inline))

// Device code keeps rows in registers only if everything that touches them is inlined; on the host
// the compiler judges better.
// (Between the parameters and the body of a lambda. What is inlined only late may by then have
// become a choice between two addresses, which keeps the rows in memory.)
#if TDLS_TARGET_HOST
#    define TDLS_FORCE_INLINE_GPU inline
#    define TDLS_INLINE_LAMBDA_GPU
#else
#    define TDLS_FORCE_INLINE_GPU TDLS_FORCE_INLINE
#    define TDLS_INLINE_LAMBDA_GPU __attribute__((always_inline))
#endif

#define TDLS_RESTRICT __restrict__

// Before a function template for host and device that calls what its caller gives it, which may be
// for the device alone: nvcc then does not warn.
#if defined(__CUDACC__)
#    define TDLS_CALLS_GIVEN _Pragma("nv_exec_check_disable")
#else
#    define TDLS_CALLS_GIVEN
#endif

// Before a loop without dependences between its iterations, where the compiler cannot know.
// (clang tests at run time, and warns where it does not follow such a hint.)
#if defined(__clang__) || TDLS_DEVICE_DIALECT
#    define TDLS_INDEPENDENT
#else
#    define TDLS_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Before a loop of device code that shall stay one.
#if TDLS_TARGET_HOST
#    define TDLS_NO_UNROLL
#else
#    define TDLS_NO_UNROLL _Pragma("unroll 1")
#endif

// Before a loop of device code that shall be unrolled altogether.
#if TDLS_TARGET_HOST
#    define TDLS_UNROLL
#else
#    define TDLS_UNROLL _Pragma("unroll")
#endif
