// SPDX-License-Identifier: BSD-3-Clause
// Which target the current pass compiles for, decided here and nowhere else.
//
// nvcc and hipcc compile a source several times, once for the host and once per device
// architecture. Exactly one of these is 1 in each pass:
//   TDLS_TARGET_NVIDIA   device pass of nvcc, or of clang in CUDA mode
//   TDLS_TARGET_AMD      device pass of hipcc
//   TDLS_TARGET_HOST     everything else
// TDLS_DEVICE_DIALECT is 1 in every pass of a compiler that knows __host__ and __device__.
#pragma once

#if defined(__CUDA_ARCH__)
#    define TDLS_TARGET_NVIDIA 1
#    define TDLS_TARGET_AMD 0
#elif defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#    define TDLS_TARGET_NVIDIA 0
#    define TDLS_TARGET_AMD 1
#else
#    define TDLS_TARGET_NVIDIA 0
#    define TDLS_TARGET_AMD 0
#endif
#define TDLS_TARGET_HOST (!TDLS_TARGET_NVIDIA && !TDLS_TARGET_AMD)

#if defined(__CUDACC__) || defined(__HIPCC__) || defined(__HIP__)
#    define TDLS_DEVICE_DIALECT 1
#else
#    define TDLS_DEVICE_DIALECT 0
#endif
