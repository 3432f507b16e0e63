#include "kernels/sgemm/cublas.hpp"

#include <cublas_v2.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <type_traits>

#include "kernels/cuda_check.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {
namespace {

void check_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Error(ErrorKind::unavailable, fmt::format("{}: {}", call, cublasGetStatusName(status)));
  }
}

struct DestroyHandle {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyHandle>;

Handle create_handle() {
  // The variable overrides even the math mode, and cuBLAS reads it when it starts.
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  cublasHandle_t raw = nullptr;
  check_cublas(cublasCreate(&raw), "cublasCreate");
  Handle handle(raw);
  check_cublas(cublasSetMathMode(raw, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  return handle;
}

cublasHandle_t handle_of_current_device() {
  thread_local std::map<int, Handle> handles;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  auto found = handles.find(device);
  if (found == handles.end()) {
    found = handles.emplace(device, create_handle()).first;
  }
  return found->second.get();
}

}  // namespace

void launch_cublas(const float* a, const float* b, float* c, int m, int n, int k,
                   cudaStream_t stream) {
  if (k == 0) {
    // An empty sum; what cuBLAS makes of null operands is not worth relying on.
    const std::size_t bytes = std::size_t(m) * std::size_t(n) * sizeof(float);
    check_cuda(cudaMemsetAsync(c, 0, bytes, stream), "cudaMemsetAsync");
    return;
  }
  cublasHandle_t handle = handle_of_current_device();
  check_cublas(cublasSetStream(handle, stream), "cublasSetStream");
  const float one = 1;
  const float zero = 0;
  // cuBLAS is column-major: C^T = B^T A^T is the row-major product with the operands swapped.
  check_cublas(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n),
      "cublasSgemm");
}

}  // namespace perfmodel::kernels
