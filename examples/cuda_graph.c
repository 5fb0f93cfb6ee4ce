/* SPDX-License-Identifier: BSD-3-Clause */
/* On the application's own CUDA memory and stream: a call, captured in a graph and replayed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
#include <tdls/tdls.h>

enum { N = 10, BATCH = 10000, STEPS = 100 };

static double A[BATCH][N][N], X[BATCH][N];

static void check(tdls_handle_t handle, tdls_status_t status)
{
    if (status != TDLS_SUCCESS) {
        fprintf(stderr, "%s: %s\n", tdls_status_string(status), tdls_last_error(handle));
        exit(1);
    }
}

static void check_cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

int main(void)
{
    int32_t devices = 0;
    if (tdls_device_count(TDLS_BACKEND_CUDA, &devices) != TDLS_SUCCESS || devices == 0) {
        fprintf(stderr, "no device: %s\n", tdls_last_error(NULL));
        return 77; /* to the tests: skipped */
    }
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i) {
            A[s][i][i] = 2; /* x is halved in each step */
            X[s][i] = 1;
        }

    double *device_A, *device_X;
    int32_t *device_ipiv, *device_info;
    cudaStream_t stream;
    check_cuda(cudaSetDevice(0)); /* the handle's */
    check_cuda(cudaMalloc((void **)&device_A, sizeof A));
    check_cuda(cudaMalloc((void **)&device_X, sizeof X));
    check_cuda(cudaMalloc((void **)&device_ipiv, BATCH * N * sizeof *device_ipiv));
    check_cuda(cudaMalloc((void **)&device_info, BATCH * sizeof *device_info));
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check_cuda(cudaMemcpyAsync(device_A, A, sizeof A, cudaMemcpyHostToDevice, stream));
    check_cuda(cudaMemcpyAsync(device_X, X, sizeof X, cudaMemcpyHostToDevice, stream));

    tdls_handle_t handle;
    check(NULL, tdls_create(TDLS_BACKEND_CUDA, 0, &handle));
    check(handle, tdls_set_stream(handle, stream));
    check(handle, tdls_dgetrf_coop_strided_batched(handle, N, device_A, N, N * N, device_ipiv, N,
                                                   device_info, BATCH));

    cudaGraph_t graph;
    cudaGraphExec_t step;
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    check(handle, tdls_dgetrs_coop_strided_batched(handle, TDLS_NO_TRANS, N, 1, device_A, N, N * N,
                                                   device_ipiv, N, device_X, N, N, BATCH));
    check_cuda(cudaStreamEndCapture(stream, &graph));
    check_cuda(cudaGraphInstantiateWithFlags(&step, graph, 0));
    for (int s = 0; s < STEPS; ++s)
        check_cuda(cudaGraphLaunch(step, stream));
    check_cuda(cudaMemcpyAsync(X, device_X, sizeof X, cudaMemcpyDeviceToHost, stream));
    check(handle, tdls_synchronize(handle)); /* or cudaStreamSynchronize(stream) */

    int wrong = 0;
    for (int s = 0; s < BATCH; ++s)
        for (int i = 0; i < N; ++i)
            wrong += X[s][i] != 1 / 1267650600228229401496703205376.0; /* 2^-100 */
    printf("%d of %d entries are wrong after %d steps\n", wrong, BATCH * N, STEPS);

    check(handle, tdls_destroy(handle));
    check_cuda(cudaGraphExecDestroy(step));
    check_cuda(cudaGraphDestroy(graph));
    check_cuda(cudaStreamDestroy(stream));
    check_cuda(cudaFree(device_info));
    check_cuda(cudaFree(device_ipiv));
    check_cuda(cudaFree(device_X));
    check_cuda(cudaFree(device_A));
    return wrong == 0 ? 0 : 1;
}
