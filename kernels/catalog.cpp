#include "kernels/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/gemv/kernels.hpp"
#include "kernels/gemv/problem.hpp"
#include "kernels/sgemm/kernels.hpp"
#include "kernels/sgemm/problem.hpp"
#include "kernels/spmv/kernels.hpp"
#include "model/error.hpp"
#include "model/text.hpp"

namespace perfmodel::kernels {
namespace {

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const std::span<const Kernel> family : {sgemm_kernels(), gemv_kernels(), spmv_kernels()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

std::span<const Kernel> catalog() {
  static const std::vector<Kernel> kernels = all_kernels();
  return kernels;
}

const Kernel& find_kernel(std::string_view name) {
  std::vector<std::string> names;
  for (const Kernel& kernel : catalog()) {
    if (kernel.name == name) {
      return kernel;
    }
    names.emplace_back(kernel.name);
  }
  fail(fmt::format("there is no runnable kernel '{}'{}; there are: {}", printable(name),
                   did_you_mean(name, names), join(names)));
}

std::unique_ptr<Problem> make_problem(const Kernel& kernel, const Shape& shape) {
  if (kernel.family == "spmv") {
    fail(fmt::format("kernel {} needs a matrix, not a shape: stencil-A, stencil-B or a .mtx file",
                     kernel.name));
  }
  const Shape own = recorded_shape(kernel, shape);
  if (own.extents().size() != shape.extents().size()) {
    std::vector<std::string> names(kernel.dimensions.begin(), kernel.dimensions.end());
    fail(fmt::format("kernel {} has the dimensions {}, not those of '{}'", kernel.name,
                     join(names, " x "), shape.key()));
  }
  if (kernel.family == "gemv") {
    return make_gemv_problem(own);
  }
  return make_gemm_problem(own);
}

Shape recorded_shape(const Kernel& kernel, const Shape& problem_shape) {
  std::vector<std::pair<std::string, std::int64_t>> extents;
  for (const std::string_view dimension : kernel.dimensions) {
    extents.emplace_back(dimension, problem_shape.extent(dimension));
  }
  return Shape(std::move(extents));
}

}  // namespace perfmodel::kernels
