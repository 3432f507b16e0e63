#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/problem.hpp"
#include "tests/gpu/access_patterns.hpp"

namespace perfmodel::gpu_tests {

/// "K3@64x64x64", or "spmv-csr@stencil-A:64". Throws Error.
std::pair<const kernels::Kernel*, std::unique_ptr<kernels::Problem>> launch_problem(
    const std::string& what);

/// What a pattern kernel takes: byte offsets, -1 for lanes that do nothing.
std::vector<int> pattern_offsets(const AccessPattern& pattern, std::uint32_t element_bytes);

}  // namespace perfmodel::gpu_tests
