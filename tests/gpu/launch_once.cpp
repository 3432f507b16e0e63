// Runs kernels once each, so that a profiler sees every launch exactly once:
//   launch_once KERNEL@SHAPE...      catalogue kernels; SpMV kernels take a matrix as shape
//   launch_once --patterns           every pattern kernel with every pattern
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "kernels/catalog.hpp"
#include "kernels/cuda_check.hpp"
#include "kernels/launcher.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/error.hpp"
#include "profiling/cuda_resources.hpp"
#include "tests/gpu/access_patterns.hpp"
#include "tests/gpu/launch_problem.hpp"

namespace perfmodel::gpu_tests {
namespace {

using kernels::check_cuda;

void launch_kernel(const std::string& what) {
  const auto [kernel, problem] = launch_problem(what);
  std::vector<profiling::DeviceBuffer> buffers;
  std::vector<const void*> inputs;
  for (const std::string_view input : kernel->inputs) {
    const auto bytes = problem->input(input);
    buffers.emplace_back(bytes.size());
    buffers.back().upload(bytes);
    inputs.push_back(buffers.back().data());
  }
  profiling::DeviceBuffer output(4 * static_cast<std::size_t>(problem->output_elements()));
  const kernels::Plan plan = kernel->plan(problem->shape(), {});
  kernels::launch(*kernel, problem->shape(), plan, inputs, output.data(), nullptr);
  check_cuda(cudaDeviceSynchronize(), what.c_str());
}

void launch_patterns() {
  profiling::DeviceBuffer data(pattern_data_bytes);
  profiling::DeviceBuffer out(pattern_data_bytes);
  profiling::DeviceBuffer offsets(32 * sizeof(int));
  data.fill(0);
  for (const PatternKernel& kernel : pattern_kernels()) {
    for (const AccessPattern& pattern : access_patterns()) {
      const std::vector<int> bytes = pattern_offsets(pattern, kernel.element_bytes);
      offsets.upload(std::span<const int>(bytes));
      void* pointers[] = {offsets.data(), data.data(), out.data()};
      void* arguments[] = {&pointers[0], &pointers[1], &pointers[2]};
      check_cuda(cudaLaunchKernel(kernel.function, dim3(1), dim3(32), arguments, pattern_data_bytes,
                                  nullptr),
                 kernel.name.c_str());
    }
  }
  check_cuda(cudaDeviceSynchronize(), "the pattern kernels");
}

}  // namespace
}  // namespace perfmodel::gpu_tests

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) {
      if (std::string(argv[i]) == "--patterns") {
        perfmodel::gpu_tests::launch_patterns();
      } else {
        perfmodel::gpu_tests::launch_kernel(argv[i]);
      }
    }
  } catch (const perfmodel::Error& error) {
    fmt::print(stderr, "launch_once: {}\n", error.what());
    return 3;
  }
}
