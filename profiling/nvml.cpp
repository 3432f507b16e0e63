#include "profiling/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

namespace perfmodel::profiling {

// Not anonymous, for `Nvml::Library` has members of these types.
namespace nvml_detail {

// The part of NVML's C interface that is used here. Values and signatures are stable since the
// versions named; a device is an opaque pointer.
using NvmlReturn = int;
using NvmlHandle = void*;
constexpr NvmlReturn nvml_success = 0;
constexpr NvmlReturn nvml_driver_not_loaded = 9;
constexpr int nvml_clock_sm = 1;
constexpr int nvml_clock_memory = 2;
constexpr int nvml_temperature_gpu = 0;
constexpr unsigned nvml_text_bytes = 96;  ///< above NVML's own limit of 80 for the driver version

using InitCall = NvmlReturn (*)();
using TextCall = NvmlReturn (*)(char* text, unsigned bytes);
using FindCall = NvmlReturn (*)(const char* id, NvmlHandle* device);
using SelectCall = NvmlReturn (*)(NvmlHandle device, int what, unsigned* value);
using NumberCall = NvmlReturn (*)(NvmlHandle device, unsigned* value);
using BitsCall = NvmlReturn (*)(NvmlHandle device, unsigned long long* bits);

/// Keeps a shared library open.
class OpenLibrary {
 public:
  explicit OpenLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
  OpenLibrary(const OpenLibrary&) = delete;
  OpenLibrary& operator=(const OpenLibrary&) = delete;
  ~OpenLibrary() {
    if (handle_ != nullptr) {
      dlclose(handle_);
    }
  }
  [[nodiscard]] void* handle() const { return handle_; }

 private:
  void* handle_;
};

inline Absence nvml_refusal(std::string_view function, NvmlReturn code) {
  return {code == nvml_driver_not_loaded ? AbsenceKind::no_driver : AbsenceKind::refused,
          fmt::format("{}: {}", function, nvml_error_text(code))};
}

inline Absence nvml_missing(std::string_view function) {
  return {AbsenceKind::no_symbol,
          fmt::format("the installed NVML has no {}; a newer driver brings it", function)};
}

/// A function of the library with its name for messages.
template <typename Call>
struct NvmlFunction {
  std::string_view name;
  Call call = nullptr;

  template <typename... Arguments>
  [[nodiscard]] std::optional<Absence> operator()(Arguments... arguments) const {
    if (call == nullptr) {
      return nvml_missing(name);
    }
    const NvmlReturn code = call(arguments...);
    return code == nvml_success ? std::nullopt : std::optional(nvml_refusal(name, code));
  }
};

template <typename Call>
NvmlFunction<Call> find_function(const SymbolResolver& resolve, const char* name) {
  return {name, reinterpret_cast<Call>(resolve(name))};
}

}  // namespace nvml_detail

using namespace nvml_detail;  // NOLINT: this file's own

struct Nvml::Library {
  // Before the functions: it is closed after `shutdown` was called.
  std::shared_ptr<const OpenLibrary> opened;

  NvmlFunction<InitCall> init;
  NvmlFunction<InitCall> shutdown;
  NvmlFunction<TextCall> driver_version;
  NvmlFunction<FindCall> find_by_pci;
  NvmlFunction<FindCall> find_by_uuid;
  NvmlFunction<SelectCall> clock_info;
  NvmlFunction<SelectCall> max_clock_info;
  NvmlFunction<SelectCall> temperature;
  NvmlFunction<NumberCall> power_usage;
  NvmlFunction<BitsCall> clocks_event_reasons;
  bool initialised = false;

  Library(const SymbolResolver& resolve, std::shared_ptr<const OpenLibrary> library)
      : opened(std::move(library)),
        init(find_function<InitCall>(resolve, "nvmlInit_v2")),
        shutdown(find_function<InitCall>(resolve, "nvmlShutdown")),
        driver_version(find_function<TextCall>(resolve, "nvmlSystemGetDriverVersion")),
        find_by_pci(find_function<FindCall>(resolve, "nvmlDeviceGetHandleByPciBusId_v2")),
        find_by_uuid(find_function<FindCall>(resolve, "nvmlDeviceGetHandleByUUID")),
        clock_info(find_function<SelectCall>(resolve, "nvmlDeviceGetClockInfo")),
        max_clock_info(find_function<SelectCall>(resolve, "nvmlDeviceGetMaxClockInfo")),
        temperature(find_function<SelectCall>(resolve, "nvmlDeviceGetTemperature")),
        power_usage(find_function<NumberCall>(resolve, "nvmlDeviceGetPowerUsage")),
        clocks_event_reasons(
            find_function<BitsCall>(resolve, "nvmlDeviceGetCurrentClocksEventReasons")) {
    if (clocks_event_reasons.call == nullptr) {
      // Its name before driver 535.
      clocks_event_reasons =
          find_function<BitsCall>(resolve, "nvmlDeviceGetCurrentClocksThrottleReasons");
    }
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (initialised) {
      static_cast<void>(shutdown());
    }
  }

  static Answer<Nvml> start(const SymbolResolver& resolve,
                            std::shared_ptr<const OpenLibrary> opened) {
    auto library = std::make_shared<Library>(resolve, std::move(opened));
    if (library->shutdown.call == nullptr) {
      return nvml_missing(library->shutdown.name);
    }
    if (const auto absence = library->init()) {
      return *absence;
    }
    library->initialised = true;
    return Nvml(std::move(library));
  }

  static Answer<NvmlDevice> find(const std::shared_ptr<const Library>& self,
                                 const NvmlFunction<FindCall>& function, const std::string& id) {
    NvmlHandle handle = nullptr;
    if (const auto absence = function(id.c_str(), &handle)) {
      return *absence;
    }
    return NvmlDevice(self, handle);
  }

  static Answer<double> select(const NvmlFunction<SelectCall>& function, NvmlHandle device,
                               int what, double unit) {
    unsigned value = 0;
    if (const auto absence = function(device, what, &value)) {
      return *absence;
    }
    return static_cast<double>(value) * unit;
  }
};

std::string nvml_error_text(int code) {
  static constexpr std::array<std::pair<int, std::string_view>, 29> texts = {{
      {1, "NVML was not initialised"},
      {2, "an argument is not valid"},
      {3, "not supported by this device"},
      {4, "no permission"},
      {5, "already initialised"},
      {6, "not found"},
      {7, "the buffer is too small"},
      {8, "an external power cable is not attached"},
      {nvml_driver_not_loaded, "no NVIDIA driver is loaded"},
      {10, "timed out"},
      {11, "the kernel driver has an interrupt problem"},
      {12, "a library that NVML needs was not found"},
      {13, "the driver does not have this function"},
      {14, "the device's info ROM is corrupted"},
      {15, "the device has fallen off the bus"},
      {16, "the device needs a reset"},
      {17, "the operating system blocked the device"},
      {18, "library and driver versions differ; restart after a driver update"},
      {19, "in use"},
      {20, "out of memory"},
      {21, "no data"},
      {22, "not possible on a virtual GPU with ECC on"},
      {23, "out of resources"},
      {24, "frequency not supported"},
      {25, "argument version not supported by this driver"},
      {26, "function withdrawn"},
      {27, "not ready"},
      {28, "no such device"},
      {999, "unknown error inside the driver"},
  }};
  for (const auto& [known, text] : texts) {
    if (known == code) {
      return std::string(text);
    }
  }
  return fmt::format("unknown error {}", code);
}

Answer<Nvml> Nvml::open() {
  const auto opened = std::make_shared<const OpenLibrary>("libnvidia-ml.so.1");
  if (opened->handle() == nullptr) {
    return Absence{AbsenceKind::no_library,
                   "libnvidia-ml.so.1, which comes with the NVIDIA driver, cannot be opened"};
  }
  return Library::start([&](const char* name) { return dlsym(opened->handle(), name); }, opened);
}

Answer<Nvml> Nvml::open(const SymbolResolver& resolve) { return Library::start(resolve, nullptr); }

Answer<std::string> Nvml::driver_version() const {
  std::array<char, nvml_text_bytes> text{};
  // One byte less: whatever the library writes, the text ends.
  if (const auto absence = library_->driver_version(text.data(), nvml_text_bytes - 1)) {
    return *absence;
  }
  return std::string(text.data());
}

Answer<NvmlDevice> Nvml::device_by_pci_bus_id(const std::string& bus_id) const {
  return Library::find(library_, library_->find_by_pci, bus_id);
}

Answer<NvmlDevice> Nvml::device_by_uuid(const std::string& uuid) const {
  return Library::find(library_, library_->find_by_uuid, uuid);
}

Answer<double> NvmlDevice::sm_clock_hz() const {
  return Nvml::Library::select(library_->clock_info, handle_, nvml_clock_sm, 1e6);
}

Answer<double> NvmlDevice::memory_clock_hz() const {
  return Nvml::Library::select(library_->clock_info, handle_, nvml_clock_memory, 1e6);
}

Answer<double> NvmlDevice::max_sm_clock_hz() const {
  return Nvml::Library::select(library_->max_clock_info, handle_, nvml_clock_sm, 1e6);
}

Answer<double> NvmlDevice::temperature_c() const {
  return Nvml::Library::select(library_->temperature, handle_, nvml_temperature_gpu, 1.0);
}

Answer<double> NvmlDevice::power_w() const {
  unsigned milliwatt = 0;
  if (const auto absence = library_->power_usage(handle_, &milliwatt)) {
    return *absence;
  }
  return static_cast<double>(milliwatt) / 1e3;
}

Answer<std::uint64_t> NvmlDevice::throttle_bits() const {
  unsigned long long bits = 0;
  if (const auto absence = library_->clocks_event_reasons(handle_, &bits)) {
    return *absence;
  }
  return std::uint64_t{bits};
}

ClockReading NvmlDevice::read() {
  const auto value_of = [](const auto& answer) {
    return answer ? std::optional(answer.value()) : std::nullopt;
  };
  return {value_of(sm_clock_hz()), value_of(memory_clock_hz()), value_of(power_w()),
          value_of(temperature_c()), value_of(throttle_bits())};
}

}  // namespace perfmodel::profiling
