#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "profiling/answer.hpp"
#include "profiling/clock_source.hpp"

namespace perfmodel::profiling {

/// The address of a function of a shared library, or null.
using SymbolResolver = std::function<void*(const char* name)>;

/// NVML (the NVIDIA management library), opened at run time: perfmodel neither needs it to build
/// nor to start. Only functions with plain arguments are used, so no versioned struct of NVML's
/// is laid out here. Objects share one initialised library, which is shut down with the last one.
class Nvml {
 public:
  /// Opens libnvidia-ml.so.1. Absent where there is no such library, it lacks a function that
  /// everything else needs, or it refuses to initialise.
  static Answer<Nvml> open();
  /// The same on a library that is already open; what tests use. `resolve` must stay valid as long
  /// as the result and what came from it.
  static Answer<Nvml> open(const SymbolResolver& resolve);

  /// "580.95.05".
  [[nodiscard]] Answer<std::string> driver_version() const;

  /// A device by its PCI bus id ("0000:1b:00.0", as CUDA gives it) or UUID ("GPU-...").
  [[nodiscard]] Answer<class NvmlDevice> device_by_pci_bus_id(const std::string& bus_id) const;
  [[nodiscard]] Answer<class NvmlDevice> device_by_uuid(const std::string& uuid) const;

 private:
  friend class NvmlDevice;
  struct Library;
  explicit Nvml(std::shared_ptr<const Library> library) : library_(std::move(library)) {}

  std::shared_ptr<const Library> library_;
};

/// One device of NVML. Everything it is asked for can be absent on its own: some devices know no
/// power, and containers refuse some calls.
class NvmlDevice final : public ClockSource {
 public:
  [[nodiscard]] Answer<double> sm_clock_hz() const;
  [[nodiscard]] Answer<double> memory_clock_hz() const;
  [[nodiscard]] Answer<double> max_sm_clock_hz() const;
  [[nodiscard]] Answer<double> power_w() const;
  [[nodiscard]] Answer<double> temperature_c() const;
  /// Bits of `throttle`.
  [[nodiscard]] Answer<std::uint64_t> throttle_bits() const;

  /// All of them; what is absent stays empty.
  ClockReading read() override;

 private:
  friend class Nvml;
  NvmlDevice(std::shared_ptr<const Nvml::Library> library, void* handle)
      : library_(std::move(library)), handle_(handle) {}

  std::shared_ptr<const Nvml::Library> library_;
  void* handle_;
};

/// What an NVML return code means, in words; "unknown error 1234" for one we do not know.
std::string nvml_error_text(int code);

}  // namespace perfmodel::profiling
