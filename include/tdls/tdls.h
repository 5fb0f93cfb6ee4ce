/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file tdls.h
 * @brief libtdls: very many very small dense linear systems, solved at once.
 *
 * LU factorization with partial pivoting of `batch` systems of order n (1 to a few dozen; there is
 * no upper limit on the CPU), with the names, formats and conventions of LAPACK, on a CPU or a GPU.
 *
 * The smallest use, ten thousand systems A X = B with one right-hand side each, one behind the
 * other in memory, A no longer needed afterwards:
 *
 * @code{.c}
 * tdls_handle_t handle;
 * if (tdls_create(TDLS_BACKEND_CPU, 0, &handle) != TDLS_SUCCESS) {
 *     fprintf(stderr, "%s\n", tdls_last_error(NULL));
 *     return 1;
 * }
 * tdls_status_t status = tdls_dgesv_coop_strided_batched(
 *     handle, n, 1, A, n, (int64_t)n * n, NULL, 0, B, n, n, info, 10000);
 * if (status != TDLS_SUCCESS)
 *     fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
 * tdls_destroy(handle);
 * @endcode
 *
 * @section names Names
 * `tdls_<x><routine>_coop_<storage>`: x is `s` (float) or `d` (double); the routine is LAPACK's
 * getrf (factor), getrs (solve with the factors) or gesv (both); the storage is one of
 * - `batched`: arrays of pointers, one pointer per system;
 * - `strided_batched`: system s begins `s * stride` elements after system 0;
 * - `interleaved_batched`: the systems are interleaved element by element, in blocks of `width`.
 *
 * @section layout Layout
 * A handle works in one layout, TDLS_COL_MAJOR (default) or TDLS_ROW_MAJOR. Element (i, j) of A,
 * both from 0, has the element number `e = i + j*lda` in column-major, `e = i*lda + j` in
 * row-major; likewise B with ldb, which has n rows and nrhs columns. `batched` and
 * `strided_batched` find element e at offset e from the start of the system.
 * In interleaved storage element e of system s is
 *
 *     A[(s / width) * width * lda * n + e * width + s % width]
 *     B[(s / width) * width * ldb * nrhs + e * width + s % width]     (row-major: width * ldb * n)
 *     ipiv[(s / width) * width * n + k * width + s % width]           (entry k of ipiv)
 *
 * so that width >= batch is a structure of arrays (SoA), width = the vector length an array of
 * structures of arrays (AoSoA), and width = 1 an array of structures (AoS). The slots of a last,
 * unfilled block are never read nor written. `info[s]` is plain in every storage.
 *
 * What is factored is S, the stored array read column-major: S = A in column-major layout, S = A^T
 * in row-major layout. `P S = L U`, L unit lower, U upper triangular. Hence
 * - in column-major layout getrf, getrs and gesv do what LAPACK's do;
 * - in row-major layout getrf leaves the factors of `P A^T = L U`: what LAPACKE writes for the same
 *   memory when it is told that it is column-major. getrs and gesv solve with A itself all the
 *   same. LAPACKE's factors from LAPACK_ROW_MAJOR calls are different ones (of A, transposed in
 *   memory) and do not fit here.
 *
 * @section pivots Pivots
 * ipiv is LAPACK's sequence of swaps, 1-based: at step k row k of S changed places with row
 * ipiv[k]. In getrf and getrs a NULL ipiv is an error; it never means "no pivoting", as it does in
 * cuBLAS. In gesv a NULL ipiv means "the factors are not wanted": A is then only read.
 *
 * @section info info
 * One int32 per system, in memory of the handle's device; NULL if not wanted. 0, or k >= 1 if the
 * best pivot of column k of S (1-based, the first such column; in row-major layout that is row k of
 * A) is below the singular floor (tdls_set_singular_floor). The factorization goes on to the end;
 * gesv leaves B of such a system as it was. A singular system is no failure of the call: the status
 * is TDLS_SUCCESS. Each entry is written by each successful call, also when n = 0 or nrhs = 0.
 *
 * @section nan NaN and Inf
 * They stay within their own system: ipiv keeps within 1..n, no other system changes by one bit,
 * nothing hangs, and info follows LAPACK: a NaN is not a zero pivot.
 *
 * @section status Status
 * Every function that can fail returns a tdls_status_t: TDLS_SUCCESS; or -i, if argument i (the
 * first is 1) is illegal; or one of TDLS_ERR_*. Arguments are checked in order, and nothing has
 * been touched when one is illegal. Pointers are checked only where they would be used: with batch
 * = 0 or n = 0 the data pointers may be NULL, with nrhs = 0 so may B (and, in getrs, A and ipiv,
 * which are then of no use either). With n <= 0 or batch <= 0 the strides of written operands are
 * not checked. tdls_last_error() says in words what was wrong.
 *
 * @section strides Leading dimensions and strides
 * lda >= max(1, n); ldb >= max(1, n), in row-major layout max(1, nrhs). Strides are in elements and
 * >= 0. An operand that is only read may have a stride of 0, or overlapping systems: one
 * factorization serves many right-hand sides by `strideA = strideP = 0` in getrs. For a written
 * operand and batch > 1: strideA >= lda*n, strideB >= ldb*nrhs (row-major: ldb*n), strideP >= n.
 * Element alignment is all that a pointer needs. Padding (rows n..lda-1, gaps between systems)
 * keeps its bits. Offsets are 64-bit: a batch may have more than 2^31 elements. Operands must not
 * overlap one another where one of them is written.
 *
 * @section bits Bits
 * The result of a system depends on its own entries and on the numerical settings of the handle
 * (layout, pivot threshold, singular floor) alone, to the bit: not on the backend, the instruction
 * set, the storage, the batch size, the position in the batch, the number of threads, or
 * rows_per_thread. The arithmetic is the right-looking LU with one fused multiply-add per update,
 * a multiplication by the reciprocal of the pivot in the factorization, and divisions in the back
 * substitution; among pivots of equal magnitude the first in the pivoted order is taken. Where a
 * result is NaN, its sign and payload are open. This holds in the default floating-point
 * environment (round to nearest, subnormals kept), in every thread that a call uses. No
 * invalid-operation or divide-by-zero flag is raised on finite, nonsingular systems that the plain
 * loop would not raise.
 *
 * @section threads Threads, asynchrony
 * One call at a time on one handle; different handles may be used from different threads at the
 * same time. CPU calls return when done; called inside an OpenMP parallel region, or in a child of
 * fork() whose parent had computed on several threads, they use the calling thread alone. Device
 * calls are enqueued on the handle's stream, neither allocate nor synchronize, and can be captured
 * in a graph. One exception: gesv with ipiv == NULL and n > 64 may enlarge scratch of the handle;
 * make one such call before capturing. On the CPU calls may allocate, and keep it for later ones.
 *
 * The library never prints, exits, aborts, throws or changes process state; dlclose() leaves it.
 */
#ifndef TDLS_TDLS_H
#define TDLS_TDLS_H

#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
/** Marks what the shared library exports. */
#    define TDLS_API __attribute__((visibility("default")))
#else
#    define TDLS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup tdls_constants Types and constants
 * @{ */

/** Version of this header; tdls_version() gives that of the library. */
#define TDLS_VERSION_MAJOR 0
#define TDLS_VERSION_MINOR 1 /**< see TDLS_VERSION_MAJOR */
#define TDLS_VERSION_PATCH 0 /**< see TDLS_VERSION_MAJOR */

/** Opaque handle: a backend, one of its devices, settings, scratch memory. One per calling thread.
 */
typedef struct tdls_context *tdls_handle_t;

/** TDLS_SUCCESS, -i for an illegal argument i, or one of TDLS_ERR_*. */
typedef int32_t tdls_status_t;

/** Backends. There is no automatic one, since the backend fixes where every pointer must live. */
enum {
    TDLS_BACKEND_CPU = 1,  /**< OpenMP; data in host memory; always there */
    TDLS_BACKEND_CUDA = 2, /**< NVIDIA GPUs; data in device memory; a module loaded on demand */
    TDLS_BACKEND_HIP = 3   /**< AMD GPUs; data in device memory; a module loaded on demand */
};

/** Layouts, with the values of LAPACKE. */
enum {
    TDLS_ROW_MAJOR = 101, /**< the elements of a row lie side by side, as in C */
    TDLS_COL_MAJOR = 102  /**< the elements of a column lie side by side, as in Fortran */
};

/** op(A) of getrs, with the values of CBLAS. For real types the last two are the same. */
enum {
    TDLS_NO_TRANS = 111,  /**< op(A) = A */
    TDLS_TRANS = 112,     /**< op(A) = A^T */
    TDLS_CONJ_TRANS = 113 /**< op(A) = A^H, which is A^T */
};

/** Row interchange schemes of the kernels: a matter of speed alone. */
enum {
    TDLS_INTERCHANGE_AUTO = 0,    /**< the kernel's own choice */
    TDLS_INTERCHANGE_LOGICAL = 1, /**< rows stay, and their positions are noted */
    TDLS_INTERCHANGE_PHYSICAL = 2 /**< rows move */
};

/** Values of tdls_status_t that are not illegal arguments. */
enum {
    TDLS_SUCCESS = 0,                     /**< done; singular systems are told by info alone */
    TDLS_ERR_BACKEND_UNAVAILABLE = -1001, /**< backend not built, not installed, or not loadable */
    TDLS_ERR_NO_DEVICE = -1002,           /**< backend there, no such device */
    TDLS_ERR_ALLOC = -1003,               /**< memory of host or device exhausted */
    TDLS_ERR_DEVICE = -1004,              /**< a device call failed (launch, copy, synchronize) */
    TDLS_ERR_NOT_SUPPORTED = -1005,       /**< valid request that this backend does not do */
    TDLS_ERR_INTERNAL = -1006             /**< a defect of the library: please report it */
};

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Library
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_library Library
 * @{ */

/**
 * @brief Version of the library that is loaded (the header's is TDLS_VERSION_*).
 * @param[out] major (1) written unless NULL
 * @param[out] minor (2) written unless NULL
 * @param[out] patch (3) written unless NULL
 */
TDLS_API void tdls_version(int32_t *major, int32_t *minor, int32_t *patch);

/**
 * @brief A status in words.
 * @param[in] status (1) any value
 * @return a constant string, never NULL; "unknown status" for a value that no function returns
 */
TDLS_API const char *tdls_status_string(tdls_status_t status);

/**
 * @brief Text of the last failure, with names and values: what was wrong, what would have been
 * right.
 * @param[in] handle (1) a handle: its last failure. NULL: the last failure of the calling thread in
 * a function without a handle (tdls_create, tdls_device_count).
 * @return a string, "" if nothing has failed; valid until the next call with that handle (with
 * NULL: of this thread). A later success does not clear it.
 */
TDLS_API const char *tdls_last_error(tdls_handle_t handle);

/**
 * @brief Backend of a name, for programs that take it from a user.
 * @param[in] name (1) "cpu", "cuda" or "hip"
 * @return TDLS_BACKEND_*, or 0 if the name is unknown or NULL
 */
TDLS_API int32_t tdls_backend_from_name(const char *name);

/**
 * @brief Name of a backend.
 * @param[in] backend (1) TDLS_BACKEND_*
 * @return "cpu", "cuda" or "hip"; NULL if unknown
 */
TDLS_API const char *tdls_backend_name(int32_t backend);

/**
 * @brief Number of devices of a backend.
 * @param[in]  backend (1) TDLS_BACKEND_*
 * @param[out] count   (2) number of devices, numbered from 0; the CPU has one
 * @return TDLS_SUCCESS, -i if argument i is illegal, or TDLS_ERR_*
 * @retval TDLS_SUCCESS also with 0 devices: the backend is there, a device is not
 * @retval TDLS_ERR_BACKEND_UNAVAILABLE the module is not there or cannot be loaded; count is 0
 */
TDLS_API tdls_status_t tdls_device_count(int32_t backend, int32_t *count);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Handles
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_handles Handles
 * @{ */

/**
 * @brief Makes a handle on a device.
 *
 * Modules of the CUDA and HIP backends (tdls_cuda.so, tdls_hip.so) are searched first in the
 * folders of the environment variable TDLS_MODULE_PATH (colon-separated; ignored in set-uid
 * programs), then in the folder `tdls` beside libtdls.so. The CPU backend chooses the best
 * instruction set of the processor; the environment variable TDLS_CPU_ISA (`generic`, `avx2`,
 * `avx512`, `neon`) forces one. The environment is read in this call alone.
 *
 * @param[in]  backend (1) TDLS_BACKEND_*
 * @param[in]  device  (2) number of the device, from 0
 * @param[out] handle  (3) the handle, to be given to tdls_destroy; NULL after any failure
 * @return TDLS_SUCCESS, -i if argument i is illegal, or TDLS_ERR_*
 * @retval TDLS_ERR_BACKEND_UNAVAILABLE not built, not installed, or not loadable:
 * tdls_last_error(NULL) lists what was looked for and where
 * @retval TDLS_ERR_NO_DEVICE     the backend has no device of that number
 * @retval TDLS_ERR_NOT_SUPPORTED TDLS_CPU_ISA names an instruction set that is unknown, not built,
 * or not of this processor
 * @retval TDLS_ERR_ALLOC         out of memory
 */
TDLS_API tdls_status_t tdls_create(int32_t backend, int32_t device, tdls_handle_t *handle);

/**
 * @brief Releases a handle and its scratch memory, after the work of its stream is done.
 * @param[in] handle (1) a handle, or NULL: nothing happens. Memory of tdls_malloc is not released.
 * @return TDLS_SUCCESS, always
 */
TDLS_API tdls_status_t tdls_destroy(tdls_handle_t handle);

/**
 * @brief Backend of a handle.
 * @param[in]  handle  (1)
 * @param[out] backend (2) TDLS_BACKEND_*
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_backend(tdls_handle_t handle, int32_t *backend);

/**
 * @brief Name of the handle's device; on the CPU the processor and the instruction set in use.
 * @param[in]  handle (1)
 * @param[out] buffer (2) takes the name, cut to size - 1 characters, and a final NUL
 * @param[in]  size   (3) size of buffer in bytes, >= 1; 256 is enough
 * @return TDLS_SUCCESS, -i if argument i is illegal, or TDLS_ERR_*
 */
TDLS_API tdls_status_t tdls_device_name(tdls_handle_t handle, char *buffer, int64_t size);

/**
 * @brief Waits until all that was enqueued on the handle's stream has been done.
 * @param[in] handle (1)
 * @return TDLS_SUCCESS; -1 without a handle; TDLS_ERR_DEVICE if this or an earlier, asynchronous
 * operation failed, which on the CPU none does
 */
TDLS_API tdls_status_t tdls_synchronize(tdls_handle_t handle);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Memory
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_memory Memory
 * With these, one program runs unchanged on every backend.
 * @{ */

/**
 * @brief Memory that the handle's device computes on, uninitialized, aligned to 256 bytes.
 * @param[in]  handle  (1)
 * @param[in]  bytes   (2) size, >= 0
 * @param[out] pointer (3) the memory, to be given to tdls_free; NULL for 0 bytes. Not written on
 *                     failure.
 * @return TDLS_SUCCESS, -i if argument i is illegal, TDLS_ERR_ALLOC (out of memory), or
 * TDLS_ERR_DEVICE
 */
TDLS_API tdls_status_t tdls_malloc(tdls_handle_t handle, int64_t bytes, void **pointer);

/**
 * @brief Releases memory of tdls_malloc, after the earlier work of the handle's stream.
 * @param[in] handle  (1) a handle on the same device
 * @param[in] pointer (2) from tdls_malloc; NULL is fine
 * @return TDLS_SUCCESS, -i if argument i is illegal, or TDLS_ERR_DEVICE
 */
TDLS_API tdls_status_t tdls_free(tdls_handle_t handle, void *pointer);

/**
 * @brief Copies between host and device memory in any direction, which it finds itself.
 *
 * Runs after all earlier work on the handle's stream and has completed on return.
 * @param[in]  handle (1)
 * @param[out] to     (2) destination; may be NULL if bytes = 0
 * @param[in]  from   (3) source; may be NULL if bytes = 0
 * @param[in]  bytes  (4) size, >= 0
 * @return TDLS_SUCCESS, -i if argument i is illegal, or TDLS_ERR_DEVICE
 */
TDLS_API tdls_status_t tdls_memcpy(tdls_handle_t handle, void *to, const void *from, int64_t bytes);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Settings of a handle
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_settings Settings of a handle
 * A setter takes effect for the calls after it; an illegal value (-2) changes nothing. The getters
 * write the value in force through argument 2.
 * @{ */

/**
 * @brief How matrices are stored: TDLS_COL_MAJOR (default) or TDLS_ROW_MAJOR.
 * @param[in] handle (1)
 * @param[in] layout (2) see @ref layout
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_layout(tdls_handle_t handle, int32_t layout);
/**
 * @brief The layout in force.
 * @param[in]  handle (1)
 * @param[out] layout (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_layout(tdls_handle_t handle, int32_t *layout);

/**
 * @brief Row interchange scheme of device kernels: a matter of speed alone, results are the same.
 * @param[in] handle      (1)
 * @param[in] interchange (2) TDLS_INTERCHANGE_AUTO (default), _LOGICAL or _PHYSICAL
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_row_interchange(tdls_handle_t handle, int32_t interchange);
/**
 * @brief The scheme that was set.
 * @param[in]  handle (1)
 * @param[out] interchange (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_row_interchange(tdls_handle_t handle, int32_t *interchange);

/**
 * @brief Threshold pivoting: how readily a row stays in place.
 *
 * 1 (default) is LAPACK's choice: the largest magnitude of the column, the first of equals. With a
 * threshold t < 1, the element in place is the pivot if it is at least t times the largest (and not
 * below the singular floor); otherwise the largest is. Rounded to the type of the matrix.
 * @param[in] handle    (1)
 * @param[in] threshold (2) in (0, 1]
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_pivot_threshold(tdls_handle_t handle, double threshold);
/**
 * @brief The threshold that was set.
 * @param[in]  handle (1)
 * @param[out] threshold (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_pivot_threshold(tdls_handle_t handle, double *threshold);

/**
 * @brief Magnitude below which a pivot counts as zero (see @ref info).
 *
 * Rounded to the type of the matrix. 0 (default) stands for the smallest normal number of the type,
 * which is also the least that takes effect.
 * @param[in] handle (1)
 * @param[in] floor  (2) >= 0 and finite, in the unit of the matrix
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_singular_floor(tdls_handle_t handle, double floor);
/**
 * @brief The floor that was set.
 * @param[in]  handle (1)
 * @param[out] floor (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_singular_floor(tdls_handle_t handle, double *floor);

/**
 * @brief Rows of a system that each thread of a device kernel holds: a matter of speed alone.
 * @param[in] handle (1)
 * @param[in] rows   (2) >= 0; 0 (default) = tuned; the nearest compiled value is used. Ignored on
 * the CPU. The getter returns what was set.
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_rows_per_thread(tdls_handle_t handle, int32_t rows);
/**
 * @brief The rows per thread that were set.
 * @param[in]  handle (1)
 * @param[out] rows (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_rows_per_thread(tdls_handle_t handle, int32_t *rows);

/**
 * @brief Number of threads of a CPU call.
 * @param[in] handle  (1)
 * @param[in] threads (2) >= 0; 0 (default) = OpenMP's own choice (OMP_NUM_THREADS), and fewer where
 * a batch is too small to be worth it. At most 64, or 4 per processor if more. Ignored on devices,
 * and inside an OpenMP parallel region.
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_num_threads(tdls_handle_t handle, int32_t threads);
/**
 * @brief The number of threads that was set.
 * @param[in]  handle (1)
 * @param[out] threads (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_num_threads(tdls_handle_t handle, int32_t *threads);

/**
 * @brief Stream on which device calls are enqueued; ignored on the CPU.
 * @param[in] handle (1)
 * @param[in] stream (2) a cudaStream_t or hipStream_t of the handle's device; NULL (default) = the
 *                   default stream. It must outlive its use here.
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_set_stream(tdls_handle_t handle, void *stream);
/**
 * @brief The stream that was set.
 * @param[in]  handle (1)
 * @param[out] stream (2)
 * @return TDLS_SUCCESS, or -i if argument i is illegal
 */
TDLS_API tdls_status_t tdls_get_stream(tdls_handle_t handle, void **stream);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Pointer arrays
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_batched Routines on pointer arrays
 * @{ */
/**
 * @brief Factors `P S = L U` of each system, in place (S = A, in row-major layout A^T).
 *
 * LAPACK's dgetrf, batched. What it writes LAPACKE's dgetrs can consume (as LAPACK_COL_MAJOR,
 * whatever the layout here).
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in,out] A (3) array of batch pointers, itself where the data lives; A[s] points to system
 *     s, n columns of lda elements (row-major: rows). In: the matrices. Out: L below the diagonal,
 *     U on and above it, in LAPACK's format
 * @param[in] lda (4) leading dimension of A in elements, >= max(1, n)
 * @param[out] ipiv (5) ipiv + s*strideP holds the n entries of system s, 1-based swaps; never NULL
 * @param[in] strideP (6) distance of the entries of two systems, >= 0; >= n if batch > 1
 * @param[out] info (7) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] batch (8) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrf_coop_batched(tdls_handle_t handle, int32_t n, double *const A[],
                                                int32_t lda, int32_t *ipiv, int64_t strideP,
                                                int32_t *info, int64_t batch);
/** @copydoc tdls_dgetrf_coop_batched */
TDLS_API tdls_status_t tdls_sgetrf_coop_batched(tdls_handle_t handle, int32_t n, float *const A[],
                                                int32_t lda, int32_t *ipiv, int64_t strideP,
                                                int32_t *info, int64_t batch);

/**
 * @brief Solves `op(A) X = B` of each system with factors from getrf, gesv or LAPACK.
 *
 * LAPACK's dgetrs, batched. Singular factors are not looked for: Inf and NaN come out of them, as
 * in LAPACK.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] trans (2) op(A): TDLS_NO_TRANS is A, TDLS_TRANS and TDLS_CONJ_TRANS are A^T
 * @param[in] n (3) order of the systems, >= 0
 * @param[in] nrhs (4) number of right-hand sides of each system, >= 0
 * @param[in] A (5) array of batch pointers, itself where the data lives; A[s] points to system s,
 *     n columns of lda elements (row-major: rows); the factors as getrf, gesv or LAPACK left them.
 *     Only read
 * @param[in] lda (6) leading dimension of A in elements, >= max(1, n)
 * @param[in] ipiv (7) ipiv + s*strideP holds the n entries of system s, each in 1..n; never NULL
 * @param[in] strideP (8) distance of the entries of two systems, >= 0; 0 uses one for all
 * @param[in,out] B (9) array of batch pointers, itself where the data lives; B[s] points to the n
 *     x nrhs right-hand sides of system s. In: B. Out: X
 * @param[in] ldb (10) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[in] batch (11) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrs_coop_batched(tdls_handle_t handle, int32_t trans, int32_t n,
                                                int32_t nrhs, double *const A[], int32_t lda,
                                                const int32_t *ipiv, int64_t strideP,
                                                double *const B[], int32_t ldb, int64_t batch);
/** @copydoc tdls_dgetrs_coop_batched */
TDLS_API tdls_status_t tdls_sgetrs_coop_batched(tdls_handle_t handle, int32_t trans, int32_t n,
                                                int32_t nrhs, float *const A[], int32_t lda,
                                                const int32_t *ipiv, int64_t strideP,
                                                float *const B[], int32_t ldb, int64_t batch);

/**
 * @brief Solves `A X = B` of each system: getrf and getrs in one.
 *
 * LAPACK's dgesv, batched. With ipiv == NULL the factors are not kept and A stays as it was: the
 * fast path when only X is wanted. With nrhs = 0 it still factors.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in] nrhs (3) number of right-hand sides of each system, >= 0
 * @param[in,out] A (4) array of batch pointers, itself where the data lives; A[s] points to system
 *     s, n columns of lda elements (row-major: rows). In: the matrices. Out: the factors as from
 *     getrf; with ipiv == NULL A is only read
 * @param[in] lda (5) leading dimension of A in elements, >= max(1, n)
 * @param[out] ipiv (6) ipiv + s*strideP holds the n entries of system s, 1-based swaps; or NULL:
 *     the factors are not kept
 * @param[in] strideP (7) distance of the entries of two systems, >= 0; >= n if batch > 1; ignored
 *     if ipiv == NULL
 * @param[in,out] B (8) array of batch pointers, itself where the data lives; B[s] points to the n
 *     x nrhs right-hand sides of system s. In: B. Out: X; unchanged where info > 0
 * @param[in] ldb (9) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[out] info (10) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] batch (11) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgesv_coop_batched(tdls_handle_t handle, int32_t n, int32_t nrhs,
                                               double *const A[], int32_t lda, int32_t *ipiv,
                                               int64_t strideP, double *const B[], int32_t ldb,
                                               int32_t *info, int64_t batch);
/** @copydoc tdls_dgesv_coop_batched */
TDLS_API tdls_status_t tdls_sgesv_coop_batched(tdls_handle_t handle, int32_t n, int32_t nrhs,
                                               float *const A[], int32_t lda, int32_t *ipiv,
                                               int64_t strideP, float *const B[], int32_t ldb,
                                               int32_t *info, int64_t batch);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Strided storage
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_strided_batched Routines on strided storage
 * @{ */
/**
 * @brief Factors `P S = L U` of each system, in place (S = A, in row-major layout A^T).
 *
 * LAPACK's dgetrf, batched. What it writes LAPACKE's dgetrs can consume (as LAPACK_COL_MAJOR,
 * whatever the layout here).
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in,out] A (3) system s at A + s*strideA, n columns of lda elements (row-major: rows). In:
 *     the matrices. Out: L below the diagonal, U on and above it, in LAPACK's format
 * @param[in] lda (4) leading dimension of A in elements, >= max(1, n)
 * @param[in] strideA (5) distance of two systems in elements, >= 0; >= lda*n if batch > 1
 * @param[out] ipiv (6) ipiv + s*strideP holds the n entries of system s, 1-based swaps; never NULL
 * @param[in] strideP (7) distance of the entries of two systems, >= 0; >= n if batch > 1
 * @param[out] info (8) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] batch (9) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrf_coop_strided_batched(tdls_handle_t handle, int32_t n, double *A,
                                                        int32_t lda, int64_t strideA, int32_t *ipiv,
                                                        int64_t strideP, int32_t *info,
                                                        int64_t batch);
/** @copydoc tdls_dgetrf_coop_strided_batched */
TDLS_API tdls_status_t tdls_sgetrf_coop_strided_batched(tdls_handle_t handle, int32_t n, float *A,
                                                        int32_t lda, int64_t strideA, int32_t *ipiv,
                                                        int64_t strideP, int32_t *info,
                                                        int64_t batch);

/**
 * @brief Solves `op(A) X = B` of each system with factors from getrf, gesv or LAPACK.
 *
 * LAPACK's dgetrs, batched. Singular factors are not looked for: Inf and NaN come out of them, as
 * in LAPACK.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] trans (2) op(A): TDLS_NO_TRANS is A, TDLS_TRANS and TDLS_CONJ_TRANS are A^T
 * @param[in] n (3) order of the systems, >= 0
 * @param[in] nrhs (4) number of right-hand sides of each system, >= 0
 * @param[in] A (5) system s at A + s*strideA, n columns of lda elements (row-major: rows); the
 *     factors as getrf, gesv or LAPACK left them
 * @param[in] lda (6) leading dimension of A in elements, >= max(1, n)
 * @param[in] strideA (7) distance of two systems in elements, >= 0; 0 uses one factorization for
 *     all
 * @param[in] ipiv (8) ipiv + s*strideP holds the n entries of system s, each in 1..n; never NULL
 * @param[in] strideP (9) distance of the entries of two systems, >= 0; 0 uses one for all
 * @param[in,out] B (10) n x nrhs right-hand sides of system s at B + s*strideB. In: B. Out: X
 * @param[in] ldb (11) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[in] strideB (12) distance of two systems of B in elements, >= 0; >= ldb*nrhs (row-major:
 *     ldb*n) if batch > 1
 * @param[in] batch (13) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrs_coop_strided_batched(tdls_handle_t handle, int32_t trans,
                                                        int32_t n, int32_t nrhs, const double *A,
                                                        int32_t lda, int64_t strideA,
                                                        const int32_t *ipiv, int64_t strideP,
                                                        double *B, int32_t ldb, int64_t strideB,
                                                        int64_t batch);
/** @copydoc tdls_dgetrs_coop_strided_batched */
TDLS_API tdls_status_t tdls_sgetrs_coop_strided_batched(tdls_handle_t handle, int32_t trans,
                                                        int32_t n, int32_t nrhs, const float *A,
                                                        int32_t lda, int64_t strideA,
                                                        const int32_t *ipiv, int64_t strideP,
                                                        float *B, int32_t ldb, int64_t strideB,
                                                        int64_t batch);

/**
 * @brief Solves `A X = B` of each system: getrf and getrs in one.
 *
 * LAPACK's dgesv, batched. With ipiv == NULL the factors are not kept and A stays as it was: the
 * fast path when only X is wanted. With nrhs = 0 it still factors.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in] nrhs (3) number of right-hand sides of each system, >= 0
 * @param[in,out] A (4) system s at A + s*strideA, n columns of lda elements (row-major: rows). In:
 *     the matrices. Out: the factors as from getrf; with ipiv == NULL A is only read
 * @param[in] lda (5) leading dimension of A in elements, >= max(1, n)
 * @param[in] strideA (6) distance of two systems in elements, >= 0; >= lda*n if batch > 1, unless
 *     ipiv == NULL
 * @param[out] ipiv (7) ipiv + s*strideP holds the n entries of system s, 1-based swaps; or NULL:
 *     the factors are not kept
 * @param[in] strideP (8) distance of the entries of two systems, >= 0; >= n if batch > 1; ignored
 *     if ipiv == NULL
 * @param[in,out] B (9) n x nrhs right-hand sides of system s at B + s*strideB. In: B. Out: X;
 *     unchanged where info > 0
 * @param[in] ldb (10) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[in] strideB (11) distance of two systems of B in elements, >= 0; >= ldb*nrhs (row-major:
 *     ldb*n) if batch > 1
 * @param[out] info (12) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] batch (13) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgesv_coop_strided_batched(tdls_handle_t handle, int32_t n,
                                                       int32_t nrhs, double *A, int32_t lda,
                                                       int64_t strideA, int32_t *ipiv,
                                                       int64_t strideP, double *B, int32_t ldb,
                                                       int64_t strideB, int32_t *info,
                                                       int64_t batch);
/** @copydoc tdls_dgesv_coop_strided_batched */
TDLS_API tdls_status_t tdls_sgesv_coop_strided_batched(tdls_handle_t handle, int32_t n,
                                                       int32_t nrhs, float *A, int32_t lda,
                                                       int64_t strideA, int32_t *ipiv,
                                                       int64_t strideP, float *B, int32_t ldb,
                                                       int64_t strideB, int32_t *info,
                                                       int64_t batch);

/** @} */

/* ------------------------------------------------------------------------------------------------
 * Interleaved storage
 * --------------------------------------------------------------------------------------------- */
/** @defgroup tdls_interleaved_batched Routines on interleaved storage
 * @{ */
/**
 * @brief Factors `P S = L U` of each system, in place (S = A, in row-major layout A^T).
 *
 * LAPACK's dgetrf, batched. What it writes LAPACKE's dgetrs can consume (as LAPACK_COL_MAJOR,
 * whatever the layout here).
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in,out] A (3) n columns of lda elements (row-major: rows) of each system, interleaved.
 *     In: the matrices. Out: L below the diagonal, U on and above it, in LAPACK's format
 * @param[in] lda (4) leading dimension of A in elements, >= max(1, n)
 * @param[out] ipiv (5) n entries of each system, interleaved, 1-based swaps; never NULL
 * @param[out] info (6) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] width (7) systems in a block, >= 1
 * @param[in] batch (8) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrf_coop_interleaved_batched(tdls_handle_t handle, int32_t n,
                                                            double *A, int32_t lda, int32_t *ipiv,
                                                            int32_t *info, int64_t width,
                                                            int64_t batch);
/** @copydoc tdls_dgetrf_coop_interleaved_batched */
TDLS_API tdls_status_t tdls_sgetrf_coop_interleaved_batched(tdls_handle_t handle, int32_t n,
                                                            float *A, int32_t lda, int32_t *ipiv,
                                                            int32_t *info, int64_t width,
                                                            int64_t batch);

/**
 * @brief Solves `op(A) X = B` of each system with factors from getrf, gesv or LAPACK.
 *
 * LAPACK's dgetrs, batched. Singular factors are not looked for: Inf and NaN come out of them, as
 * in LAPACK.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] trans (2) op(A): TDLS_NO_TRANS is A, TDLS_TRANS and TDLS_CONJ_TRANS are A^T
 * @param[in] n (3) order of the systems, >= 0
 * @param[in] nrhs (4) number of right-hand sides of each system, >= 0
 * @param[in] A (5) n columns of lda elements (row-major: rows) of each system, interleaved; the
 *     factors as getrf, gesv or LAPACK left them
 * @param[in] lda (6) leading dimension of A in elements, >= max(1, n)
 * @param[in] ipiv (7) n entries of each system, interleaved, each in 1..n; never NULL
 * @param[in,out] B (8) n x nrhs right-hand sides of each system, interleaved. In: B. Out: X
 * @param[in] ldb (9) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[in] width (10) systems in a block, >= 1
 * @param[in] batch (11) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgetrs_coop_interleaved_batched(
    tdls_handle_t handle, int32_t trans, int32_t n, int32_t nrhs, const double *A, int32_t lda,
    const int32_t *ipiv, double *B, int32_t ldb, int64_t width, int64_t batch);
/** @copydoc tdls_dgetrs_coop_interleaved_batched */
TDLS_API tdls_status_t tdls_sgetrs_coop_interleaved_batched(tdls_handle_t handle, int32_t trans,
                                                            int32_t n, int32_t nrhs, const float *A,
                                                            int32_t lda, const int32_t *ipiv,
                                                            float *B, int32_t ldb, int64_t width,
                                                            int64_t batch);

/**
 * @brief Solves `A X = B` of each system: getrf and getrs in one.
 *
 * LAPACK's dgesv, batched. With ipiv == NULL the factors are not kept and A stays as it was: the
 * fast path when only X is wanted. With nrhs = 0 it still factors.
 * @param[in] handle (1) decides device, layout and settings
 * @param[in] n (2) order of the systems, >= 0
 * @param[in] nrhs (3) number of right-hand sides of each system, >= 0
 * @param[in,out] A (4) n columns of lda elements (row-major: rows) of each system, interleaved.
 *     In: the matrices. Out: the factors as from getrf; with ipiv == NULL A is only read
 * @param[in] lda (5) leading dimension of A in elements, >= max(1, n)
 * @param[out] ipiv (6) n entries of each system, interleaved, 1-based swaps; or NULL: the factors
 *     are not kept
 * @param[in,out] B (7) n x nrhs right-hand sides of each system, interleaved. In: B. Out: X;
 *     unchanged where info > 0
 * @param[in] ldb (8) leading dimension of B in elements, >= max(1, n); row-major: >= max(1, nrhs)
 * @param[out] info (9) batch entries, or NULL: 0, or the first column without a pivot
 * @param[in] width (10) systems in a block, >= 1
 * @param[in] batch (11) number of systems, >= 0
 * @return TDLS_SUCCESS, -i, or TDLS_ERR_*; see tdls.h
 */
TDLS_API tdls_status_t tdls_dgesv_coop_interleaved_batched(tdls_handle_t handle, int32_t n,
                                                           int32_t nrhs, double *A, int32_t lda,
                                                           int32_t *ipiv, double *B, int32_t ldb,
                                                           int32_t *info, int64_t width,
                                                           int64_t batch);
/** @copydoc tdls_dgesv_coop_interleaved_batched */
TDLS_API tdls_status_t tdls_sgesv_coop_interleaved_batched(tdls_handle_t handle, int32_t n,
                                                           int32_t nrhs, float *A, int32_t lda,
                                                           int32_t *ipiv, float *B, int32_t ldb,
                                                           int32_t *info, int64_t width,
                                                           int64_t batch);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* TDLS_TDLS_H */
