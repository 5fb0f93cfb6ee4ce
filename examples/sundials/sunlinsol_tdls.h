/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file sunlinsol_tdls.h
 * @brief Block-diagonal matrices for SUNDIALS, and the direct solver for them, on libtdls.
 *
 * For one integrator (CVODE, ARKODE, IDA, KINSOL) over many cells that are coupled by the time step
 * alone, as in chemical kinetics: the Jacobian has one small dense block per cell. Copy this file
 * and sunlinsol_tdls.c into your code, and link it with libtdls and SUNDIALS (6.x, in double or
 * single precision):
 *
 * @code{.c}
 * N_Vector y = N_VNew_Serial(cells * n, context);    // cell c: entries c*n ... c*n + n-1
 * SUNMatrix J = SUNMatrix_TdlsBlocks(cells, n, context);
 * SUNLinearSolver solver = SUNLinSol_Tdls(y, J, context);
 * CVodeSetLinearSolver(cvode, solver, J);
 * CVodeSetJacFn(cvode, jacobian);                    // needed: SUNDIALS cannot guess the blocks
 * ...
 * SUNLinSolFree(solver);
 * SUNMatDestroy(J);
 * @endcode
 *
 * and in `jacobian(t, y, fy, J, ...)`, which finds J zeroed, for each cell c and i, j < n:
 *
 * @code{.c}
 * SUNMatrix_TdlsBlocks_Block(J, c)[i + j * n] = d f_i / d y_j;    // column-major, as in LAPACK
 * @endcode
 *
 * Setup factors all blocks by one call of getrf, solve is one call of getrs. If a block is
 * singular, setup returns SUNLS_LUFACT_FAIL, a recoverable failure: the integrator tries a smaller
 * step. SUNLinSolLastFlag then gives the column of the whole matrix, from 1, without a pivot, which
 * is what SUNDIALS' dense solver gives: block (flag - 1) / n, column (flag - 1) % n of it.
 *
 * The vectors' data must be one array in host memory (N_Vector_Serial, _OpenMP, _Pthreads). Not a
 * vector distributed over processes: a block that is singular on one of them would make that one
 * alone repeat the step. There, integrate the local cells by an integrator per process. Contexts,
 * errors and ownership are as everywhere in SUNDIALS: constructors return NULL on failure, the
 * functions SUNMAT_* and SUNLS_*.
 */
#ifndef SUNLINSOL_TDLS_H
#define SUNLINSOL_TDLS_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>

#include <tdls/tdls.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @brief A matrix of `blocks` dense blocks of order n on the diagonal, all zero.
 * @param[in] blocks number of blocks, >= 1
 * @param[in] n      order of each, 1 ... 2^31 - 1
 * @param[in] context SUNDIALS' context
 * @return the matrix, for SUNMatDestroy; NULL for illegal arguments or without memory
 */
SUNMatrix SUNMatrix_TdlsBlocks(sunindextype blocks, sunindextype n, SUNContext context);
/** @brief Number of blocks. */
sunindextype SUNMatrix_TdlsBlocks_Blocks(SUNMatrix A);
/** @brief Order of each block. */
sunindextype SUNMatrix_TdlsBlocks_Order(SUNMatrix A);
/** @brief The n*n elements of block b (from 0), column-major, block b + 1 right behind it. */
realtype *SUNMatrix_TdlsBlocks_Block(SUNMatrix A, sunindextype b);

/**
 * @brief Direct solver for such matrices, on the CPU.
 * @param[in] y       a vector like those of the solves: of blocks*n entries, data in one host array
 * @param[in] A       a matrix like those of the setups
 * @param[in] context SUNDIALS' context
 * @return the solver, for SUNLinSolFree; NULL if y and A do not fit, without memory, or if libtdls
 *     cannot be used (tdls_last_error(NULL) says why)
 *
 * Setup overwrites its matrix by the factors, which the solves after it are given.
 */
SUNLinearSolver SUNLinSol_Tdls(N_Vector y, SUNMatrix A, SUNContext context);
/**
 * @brief The solver's handle, for tdls_set_num_threads, tdls_set_singular_floor, tdls_last_error.
 * Its layout must stay as it is. It belongs to the solver.
 */
tdls_handle_t SUNLinSol_Tdls_Handle(SUNLinearSolver S);

#ifdef __cplusplus
}
#endif

#endif
