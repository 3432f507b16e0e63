#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <span>

#include "kernels/cuda_check.hpp"
#include "profiling/device_query.hpp"

namespace perfmodel::profiling {
namespace {

using kernels::check_cuda;

/// An attribute, or nothing where the device does not tell it (some give 0).
std::optional<std::int64_t> attribute(int device, cudaDeviceAttr what) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, what, device) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  return value > 0 ? std::optional<std::int64_t>(value) : std::nullopt;
}

/// CUDA gives clocks in kilohertz.
std::optional<double> clock_hz(int device, cudaDeviceAttr what) {
  const auto kilohertz = attribute(device, what);
  return kilohertz ? std::optional(static_cast<double>(*kilohertz) * 1e3) : std::nullopt;
}

/// "GPU-" and the bytes in hexadecimal, grouped as nvidia-smi and NVML do.
std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < std::size(uuid.bytes); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

DeviceAttributes attributes_of(int device) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  constexpr int bus_id_bytes = 32;
  std::array<char, bus_id_bytes> bus_id{};
  check_cuda(cudaDeviceGetPCIBusId(bus_id.data(), bus_id_bytes, device), "cudaDeviceGetPCIBusId");

  DeviceAttributes attributes;
  attributes.name = properties.name;
  attributes.pci_bus_id = bus_id.data();
  attributes.uuid = uuid_text(properties.uuid);
  attributes.compute_capability = fmt::format("{}.{}", properties.major, properties.minor);
  attributes.sm_count = properties.multiProcessorCount;
  attributes.clock_rate_hz = clock_hz(device, cudaDevAttrClockRate);
  attributes.memory_clock_hz = clock_hz(device, cudaDevAttrMemoryClockRate);
  attributes.memory_bus_bits = attribute(device, cudaDevAttrGlobalMemoryBusWidth);
  attributes.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  attributes.l2_bytes = attribute(device, cudaDevAttrL2CacheSize);
  attributes.shared_bytes_per_block = attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  attributes.shared_bytes_per_sm = attribute(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  attributes.threads_per_sm = attribute(device, cudaDevAttrMaxThreadsPerMultiProcessor);
  return attributes;
}

}  // namespace

Answer<LiveDevices> query_devices() {
  int driver = 0;
  int runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  if (driver == 0) {
    return Absence{AbsenceKind::no_driver,
                   "no NVIDIA driver is loaded on this machine, or none is passed into this "
                   "container"};
  }
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
  if (code == cudaErrorInsufficientDriver) {
    return Absence{AbsenceKind::driver_too_old,
                   fmt::format("the driver supports CUDA {}, this perfmodel uses {}; update the "
                               "driver",
                               cuda_version_text(driver), cuda_version_text(runtime))};
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    return Absence{AbsenceKind::no_device,
                   "the driver shows no CUDA device; check CUDA_VISIBLE_DEVICES and whether the "
                   "container was started with GPUs"};
  }
  if (code != cudaSuccess) {
    return Absence{AbsenceKind::refused,
                   fmt::format("cudaGetDeviceCount: {} ({})", cudaGetErrorString(code),
                               cudaGetErrorName(code))};
  }
  LiveDevices live;
  live.driver_cuda_version = cuda_version_text(driver);
  live.runtime_version = cuda_version_text(runtime);
  for (int device = 0; device < count; ++device) {
    live.devices.push_back({device, attributes_of(device)});
  }
  return live;
}

}  // namespace perfmodel::profiling
