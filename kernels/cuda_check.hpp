#pragma once

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "model/error.hpp"

namespace perfmodel::kernels {

/// Throws Error (unavailable) that names the call and CUDA's reason.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw Error(ErrorKind::unavailable, fmt::format("{}: {} ({})", call, cudaGetErrorString(status),
                                                    cudaGetErrorName(status)));
  }
}

}  // namespace perfmodel::kernels
