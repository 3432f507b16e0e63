#include "kernels/cuda_check.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "model/error.hpp"

namespace perfmodel::kernels {

void check_cuda(cudaError_t code, std::string_view call, std::source_location where) {
  if (code == cudaSuccess) {
    return;
  }
  // Errors that do not break the context would otherwise be found again by the next check.
  static_cast<void>(cudaGetLastError());
  throw Error(ErrorKind::unavailable,
              fmt::format("{} failed at {}:{}: {} ({})", call,
                          std::filesystem::path(where.file_name()).filename().string(),
                          where.line(), cudaGetErrorString(code), cudaGetErrorName(code)));
}

}  // namespace perfmodel::kernels
