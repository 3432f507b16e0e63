#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <string_view>

namespace perfmodel::kernels {

/// Throws Error (unavailable) unless `code` is success. The message names the call, where it
/// stands and what CUDA says:
///
///     check_cuda(cudaEventCreate(&event), "cudaEventCreate");
void check_cuda(cudaError_t code, std::string_view call,
                std::source_location where = std::source_location::current());

}  // namespace perfmodel::kernels
