#pragma once

#include <cuda_runtime_api.h>

namespace perfmodel::kernels {

/// K0: row-major C[m x n] = A[m x k] B[k x n] by cublasSgemm in pedantic math mode, with TF32 off.
/// m and n above 0. The first call of a thread on a device creates a handle, which takes long and
/// must not be timed. Throws Error (unavailable) when cuBLAS refuses.
void launch_cublas(const float* a, const float* b, float* c, int m, int n, int k,
                   cudaStream_t stream);

}  // namespace perfmodel::kernels
