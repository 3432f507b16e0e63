#pragma once

#include <string_view>
#include <vector>

namespace perfmodel::kernels {

/// A device function as the CUDA runtime takes it.
struct DeviceFunction {
  std::string_view name;  ///< "arithmetic_rate<Fma>": demangled, without namespaces
  const void* code = nullptr;
};

// All have the parameters
//   (void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned stride)
// which stand in device.cuh and above each function.
std::vector<DeviceFunction> arithmetic_functions();
std::vector<DeviceFunction> tensor_functions();
std::vector<DeviceFunction> shared_memory_functions();
std::vector<DeviceFunction> global_memory_functions();
std::vector<DeviceFunction> chase_functions();
std::vector<DeviceFunction> atomic_functions();
std::vector<DeviceFunction> control_functions();
std::vector<DeviceFunction> queue_functions();

}  // namespace perfmodel::kernels
