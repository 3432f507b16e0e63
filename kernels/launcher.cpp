#include "kernels/launcher.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "kernels/cuda_check.hpp"
#include "kernels/gemv/device_code.hpp"
#include "kernels/sgemm/cublas.hpp"
#include "kernels/sgemm/device_code.hpp"
#include "kernels/sizes.hpp"
#include "kernels/spmv/device_code.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {
namespace {

struct NamedCode {
  std::string_view name;
  const void* (*code)();
};

/// One line per kernel of the catalogue whose code does not depend on the shape.
constexpr std::array named_codes = {
    NamedCode{"K1", k1_code},
    NamedCode{"K2", k2_code},
    NamedCode{"K3", k3_code},
    NamedCode{"K3c", k3c_code},
    NamedCode{"K4", k4_code},
    NamedCode{"K5-unpadded", k5_unpadded_code},
    NamedCode{"K5", k5_code},
    NamedCode{"K6", k6_code},
    NamedCode{"naive", naive_code},
    NamedCode{"tiled16", tiled16_code},
    NamedCode{"tiled", tiled_code},
    NamedCode{"gemv-row", gemv_row_code},
    NamedCode{"gemv-col", gemv_col_code},
    NamedCode{"gemv-col-shared", gemv_col_shared_code},
    NamedCode{"spmv-csr", spmv_csr_code},
    NamedCode{"spmv-ell", spmv_ell_code},
    NamedCode{"spmv-ell4", spmv_ell4_code},
};

int int_extent(const Shape& shape, std::string_view dimension) {
  return static_cast<int>(checked_extent(shape, dimension));
}

dim3 to_dim3(const std::array<std::uint32_t, 3>& extents) {
  return {extents[0], extents[1], extents[2]};
}

/// Calls the device function with the parameters that all of them share: the inputs, the output,
/// the extents.
void launch_function(const void* function, const Launch& launch, const Kernel& kernel,
                     const Shape& shape, std::span<const void* const> inputs, void* output,
                     cudaStream_t stream) {
  constexpr std::size_t without_opt_in = 48 * 1024;
  if (launch.dynamic_shared_bytes > without_opt_in) {
    check_cuda(cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(launch.dynamic_shared_bytes)),
               "cudaFuncSetAttribute");
  }
  std::vector<const void*> pointers(inputs.begin(), inputs.end());
  pointers.push_back(output);
  std::vector<int> scalars;
  for (const std::string_view scalar : kernel.scalars) {
    scalars.push_back(int_extent(shape, scalar));
  }
  std::vector<void*> arguments;
  for (const void*& pointer : pointers) {
    arguments.push_back(static_cast<void*>(&pointer));
  }
  for (int& scalar : scalars) {
    arguments.push_back(static_cast<void*>(&scalar));
  }
  check_cuda(cudaLaunchKernel(function, to_dim3(launch.grid), to_dim3(launch.block),
                              arguments.data(), launch.dynamic_shared_bytes, stream),
             "cudaLaunchKernel");
}

}  // namespace

const void* device_function(const Kernel& kernel, const Shape& problem_shape) {
  if (kernel.name == "sweep") {
    return sweep_code(int_extent(problem_shape, "block"), int_extent(problem_shape, "tk"),
                      int_extent(problem_shape, "coarsen"));
  }
  for (const NamedCode& entry : named_codes) {
    if (entry.name == kernel.name) {
      return entry.code();
    }
  }
  return nullptr;
}

void launch(const Kernel& kernel, const Shape& problem_shape, const Plan& plan,
            std::span<const void* const> inputs, void* output, cudaStream_t stream) {
  if (plan.skipped()) {
    throw Error(ErrorKind::unavailable,
                fmt::format("kernel {} cannot run: {}", kernel.name, plan.skip_reason));
  }
  if (inputs.size() != kernel.inputs.size()) {
    fail(fmt::format("kernel {} takes {} inputs, not {}", kernel.name, kernel.inputs.size(),
                     inputs.size()));
  }
  if (!plan.library.empty()) {
    launch_cublas(static_cast<const float*>(inputs[0]), static_cast<const float*>(inputs[1]),
                  static_cast<float*>(output), int_extent(problem_shape, "m"),
                  int_extent(problem_shape, "n"), int_extent(problem_shape, "k"), stream);
    return;
  }
  if (plan.nothing_to_do()) {
    return;
  }
  const void* const function = device_function(kernel, problem_shape);
  if (function == nullptr) {
    throw Error(ErrorKind::unavailable, fmt::format("kernel {} has no device code for {}",
                                                    kernel.name, problem_shape.key()));
  }
  for (const Launch& one : plan.launches) {
    launch_function(function, one, kernel, problem_shape, inputs, output, stream);
  }
}

}  // namespace perfmodel::kernels
