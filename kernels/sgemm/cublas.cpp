#include "kernels/sgemm/cublas.hpp"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include "kernels/cuda_check.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {
namespace {

/// The functions of cuBLAS used here. It is opened when the first product is asked for: linking it
/// would make every perfmodel command load half a gigabyte.
struct Cublas {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSgemm_v2) sgemm;
  decltype(&cublasGetStatusName) status_name;

  void check(cublasStatus_t status, const char* call) const {
    if (status != CUBLAS_STATUS_SUCCESS) {
      throw Error(ErrorKind::unavailable, fmt::format("{}: {}", call, status_name(status)));
    }
  }
};

void* open_library() {
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  const char* home = std::getenv("CUDA_HOME");
  const std::array<std::string, 4> candidates = {
      name,
      (home == nullptr ? std::string("/usr/local/cuda") : std::string(home)) + "/lib64/" + name,
      std::string(PERFMODEL_CUDA_LIBRARY_FOLDER) + "/" + name, "/usr/local/cuda/lib64/" + name};
  for (const std::string& candidate : candidates) {
    if (void* library = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      return library;
    }
  }
  throw Error(ErrorKind::unavailable,
              fmt::format("{} was not found; install cuBLAS of that version, or name its folder in "
                          "LD_LIBRARY_PATH",
                          name));
}

template <typename Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    throw Error(ErrorKind::unavailable, fmt::format("cuBLAS has no function {}", name));
  }
}

const Cublas& cublas() {
  static const Cublas loaded = [] {
    void* library = open_library();
    Cublas functions{};
    resolve(library, "cublasCreate_v2", functions.create);
    resolve(library, "cublasDestroy_v2", functions.destroy);
    resolve(library, "cublasSetMathMode", functions.set_math_mode);
    resolve(library, "cublasSetStream_v2", functions.set_stream);
    resolve(library, "cublasSgemm_v2", functions.sgemm);
    resolve(library, "cublasGetStatusName", functions.status_name);
    return functions;
  }();
  return loaded;
}

struct DestroyHandle {
  void operator()(cublasHandle_t handle) const { cublas().destroy(handle); }
};
using Handle = std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroyHandle>;

Handle create_handle() {
  // The variable overrides even the math mode, and cuBLAS reads it when it starts.
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  cublasHandle_t raw = nullptr;
  cublas().check(cublas().create(&raw), "cublasCreate");
  Handle handle(raw);
  cublas().check(cublas().set_math_mode(raw, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
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
    const std::size_t bytes =
        static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * sizeof(float);
    check_cuda(cudaMemsetAsync(c, 0, bytes, stream), "cudaMemsetAsync");
    return;
  }
  cublasHandle_t handle = handle_of_current_device();
  cublas().check(cublas().set_stream(handle, stream), "cublasSetStream");
  const float one = 1;
  const float zero = 0;
  // cuBLAS is column-major: C^T = B^T A^T is the row-major product with the operands swapped.
  cublas().check(
      cublas().sgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n),
      "cublasSgemm");
}

}  // namespace perfmodel::kernels
