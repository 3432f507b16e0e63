#include "kernels/microbench/code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/microbench/device_code.hpp"
#include "model/error.hpp"

namespace perfmodel::kernels {

const void* microbench_code(std::string_view function) {
  static const std::vector<DeviceFunction> all = [] {
    std::vector<DeviceFunction> functions;
    for (const auto part :
         {arithmetic_functions, tensor_functions, shared_memory_functions, global_memory_functions,
          chase_functions, atomic_functions, control_functions, queue_functions}) {
      const std::vector<DeviceFunction> some = part();
      functions.insert(functions.end(), some.begin(), some.end());
    }
    return functions;
  }();
  const auto found = std::ranges::find(all, function, &DeviceFunction::name);
  if (found == all.end()) {
    fail(fmt::format("there is no device function '{}'", function));
  }
  return found->code;
}

}  // namespace perfmodel::kernels
