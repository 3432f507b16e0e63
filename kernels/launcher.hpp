#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "kernels/kernel.hpp"

namespace perfmodel::kernels {

/// The device function of a kernel at a problem's shape, as cudaFuncGetAttributes and
/// cudaOccupancyMaxActiveBlocksPerMultiprocessor take it. Null for a library's kernel, and for
/// parameters that are not built (the plan then says so).
const void* device_function(const Kernel& kernel, const Shape& problem_shape);

/// Queues everything that `plan` (made for this shape) asks for on `stream`, without waiting.
/// `inputs` are device pointers in the order of `kernel.inputs`, `output` that of the result.
/// A plan with nothing to do queues nothing. Throws Error (unavailable) when the plan is skipped or
/// CUDA or cuBLAS refuses.
void launch(const Kernel& kernel, const Shape& problem_shape, const Plan& plan,
            std::span<const void* const> inputs, void* output, cudaStream_t stream);

}  // namespace perfmodel::kernels
