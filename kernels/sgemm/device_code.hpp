#pragma once

namespace perfmodel::kernels {

// The device functions as the CUDA runtime takes them (cudaLaunchKernel, occupancy, attributes).
// All have the parameters
//   (const float* a, const float* b, float* c, int m, int n, int k)
// with row-major A[m x k], B[k x n], C[m x n], and the geometry that `sgemm_kernels` plans.

const void* k1_code();
const void* k2_code();
const void* k3_code();
const void* k3c_code();
const void* k4_code();
const void* k5_code();
const void* k5_unpadded_code();
const void* k6_code();
const void* naive_code();
const void* tiled16_code();
const void* tiled_code();
/// Null unless the parameters are among the 27 combinations that are built.
const void* sweep_code(int block, int tk, int coarsen);

}  // namespace perfmodel::kernels
