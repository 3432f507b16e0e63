#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/finding.hpp"
#include "model/sass/tools.hpp"
#include "profiling/answer.hpp"
#include "profiling/cuda_libraries.hpp"
#include "profiling/device_query.hpp"
#include "profiling/nvml.hpp"

namespace perfmodel::profiling {

/// Where the checks look. `this_machine` fills it in; tests name folders of their own.
struct DiagnosisSources {
  std::filesystem::path driver_version;                ///< /proc/driver/nvidia/version
  std::filesystem::path driver_params;                 ///< /proc/driver/nvidia/params
  std::filesystem::path process_status;                ///< /proc/self/status, for the capabilities
  std::vector<std::filesystem::path> container_marks;  ///< any of them: inside a container
  bool container_variables = false;                    ///< the environment speaks of a container
  sass::ToolPlaces tools;                              ///< programs, toolkits and wheels
  CudaLibraryPlaces libraries;
  std::filesystem::path current_folder;
  std::filesystem::path cache_folder;  ///< need not exist yet; empty: no HOME
  std::function<Answer<Nvml>()> open_nvml;
  std::function<Answer<LiveDevices>()> devices;
};

/// The places of this machine, from its environment variables. `devices` is passed in, for it
/// depends on how the program was built.
DiagnosisSources this_machine(std::function<Answer<LiveDevices>()> devices);

/// Every check, in the order in which one thing needs the next. What is missing is a finding and
/// no error.
std::vector<Finding> diagnose(const DiagnosisSources& sources);

}  // namespace perfmodel::profiling
