#pragma once

#include <string_view>

namespace perfmodel::kernels {

/// The device function of this name, as cudaLaunchKernel takes it. Throws Error where there is
/// none.
const void* microbench_code(std::string_view function);

}  // namespace perfmodel::kernels
