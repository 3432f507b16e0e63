#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/device.hpp"
#include "model/measurement.hpp"
#include "profiling/answer.hpp"

namespace perfmodel::profiling {

/// A CUDA device of this machine.
struct LiveDevice {
  int ordinal = 0;  ///< CUDA's number of it in this process
  DeviceAttributes attributes;
};

struct LiveDevices {
  std::string driver_cuda_version;  ///< newest CUDA that the driver supports: "13.0"
  std::string runtime_version;      ///< of the CUDA runtime that perfmodel uses
  std::vector<LiveDevice> devices;  ///< at least one
};

/// The devices of this machine. Absent in a build without CUDA (not_built), without a driver
/// (no_driver), with one older than the runtime (driver_too_old) or without a device (no_device).
/// There are two implementations; the build links one (see profiling/CMakeLists.txt).
Answer<LiveDevices> query_devices();

/// "13.0" for CUDA's 13000.
std::string cuda_version_text(int version);

/// "sm_90" for the compute capability "9.0"; empty where that is not known.
std::string architecture_of(const DeviceAttributes& device);

/// A live device as the models see it: what it said about itself, with origin `measured`; the
/// multiply-adds per clock follow from its compute capability. Throws Error (unavailable) where a
/// figure is missing or the compute capability is not known.
Device device_from_attributes(const DeviceAttributes& attributes,
                              const std::string& catalogue_name);

/// The specification that describes a device: title and name have to mean the same product,
/// memory size and form factor aside ("NVIDIA H100 80GB HBM3" is an "NVIDIA H100 SXM"), then
/// architecture, number of SMs and DRAM bandwidth have to agree as far as the device tells them,
/// and no other specification may fit as well. Nothing otherwise.
std::optional<std::string> catalogue_name(const DeviceAttributes& attributes,
                                          std::span<const Device> catalogue);

}  // namespace perfmodel::profiling
