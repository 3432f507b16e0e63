#include "tests/gpu/launch_problem.hpp"

#include "kernels/catalog.hpp"
#include "kernels/spmv/problem.hpp"

namespace perfmodel::gpu_tests {

std::pair<const kernels::Kernel*, std::unique_ptr<kernels::Problem>> launch_problem(
    const std::string& what) {
  const std::size_t at = what.find('@');
  const kernels::Kernel& kernel = kernels::find_kernel(what.substr(0, at));
  const std::string shape = at == std::string::npos ? "" : what.substr(at + 1);
  if (kernel.family == "spmv") {
    return {&kernel, kernels::make_spmv_problem(kernels::load_matrix(shape))};
  }
  const std::vector<std::string> dimensions(kernel.dimensions.begin(), kernel.dimensions.end());
  return {&kernel, kernels::make_problem(kernel, Shape::parse(shape, dimensions))};
}

std::vector<int> pattern_offsets(const AccessPattern& pattern, std::uint32_t element_bytes) {
  std::vector<int> offsets;
  for (std::size_t lane = 0; lane < pattern.elements.size(); ++lane) {
    const bool active = (pattern.active >> lane & 1U) != 0;
    offsets.push_back(active ? pattern.elements[lane] * static_cast<int>(element_bytes) : -1);
  }
  return offsets;
}

}  // namespace perfmodel::gpu_tests
