#include "profiling/nvml.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>

namespace perfmodel::profiling {
namespace {

/// A library whose every function can be missing or refuse; its state is global because NVML's
/// functions are plain C functions.
struct FakeNvml {
  std::map<std::string, int> codes;  ///< by function; success where not named
  std::map<std::string, bool> missing;
  int running = 0;
  unsigned clock_mhz[3] = {0, 1980, 3201};
};
FakeNvml fake;

int code_of(const char* name) {
  const auto found = fake.codes.find(name);
  return found == fake.codes.end() ? 0 : found->second;
}

int fake_init() {
  const int code = code_of("nvmlInit_v2");
  fake.running += code == 0 ? 1 : 0;
  return code;
}
int fake_shutdown() {
  --fake.running;
  return code_of("nvmlShutdown");
}
int fake_driver(char* text, unsigned bytes) {
  std::strncpy(text, "580.95.05", bytes);
  return code_of("nvmlSystemGetDriverVersion");
}
int fake_find_pci(const char* id, void** device) {
  *device = &fake;
  return std::string(id) == "0000:1b:00.0" ? code_of("nvmlDeviceGetHandleByPciBusId_v2") : 6;
}
int fake_find_uuid(const char* /*id*/, void** device) {
  *device = &fake;
  return code_of("nvmlDeviceGetHandleByUUID");
}
int fake_clock(void* device, int what, unsigned* value) {
  *value = static_cast<FakeNvml*>(device)->clock_mhz[what];
  return code_of("nvmlDeviceGetClockInfo");
}
int fake_max_clock(void* /*device*/, int /*what*/, unsigned* value) {
  *value = 1990;
  return code_of("nvmlDeviceGetMaxClockInfo");
}
int fake_temperature(void* /*device*/, int /*what*/, unsigned* value) {
  *value = 61;
  return code_of("nvmlDeviceGetTemperature");
}
int fake_power(void* /*device*/, unsigned* value) {
  *value = 412'500;
  return code_of("nvmlDeviceGetPowerUsage");
}
int fake_reasons(void* /*device*/, unsigned long long* bits) {
  *bits = throttle::software_power_cap;
  return code_of("nvmlDeviceGetCurrentClocksEventReasons");
}

void* resolve_fake(const char* name) {
  static const std::map<std::string, void*> functions = {
      {"nvmlInit_v2", reinterpret_cast<void*>(fake_init)},
      {"nvmlShutdown", reinterpret_cast<void*>(fake_shutdown)},
      {"nvmlSystemGetDriverVersion", reinterpret_cast<void*>(fake_driver)},
      {"nvmlDeviceGetHandleByPciBusId_v2", reinterpret_cast<void*>(fake_find_pci)},
      {"nvmlDeviceGetHandleByUUID", reinterpret_cast<void*>(fake_find_uuid)},
      {"nvmlDeviceGetClockInfo", reinterpret_cast<void*>(fake_clock)},
      {"nvmlDeviceGetMaxClockInfo", reinterpret_cast<void*>(fake_max_clock)},
      {"nvmlDeviceGetTemperature", reinterpret_cast<void*>(fake_temperature)},
      {"nvmlDeviceGetPowerUsage", reinterpret_cast<void*>(fake_power)},
      {"nvmlDeviceGetCurrentClocksEventReasons", reinterpret_cast<void*>(fake_reasons)},
      {"nvmlDeviceGetCurrentClocksThrottleReasons", reinterpret_cast<void*>(fake_reasons)},
  };
  const auto found = functions.find(name);
  return found == functions.end() || fake.missing[name] ? nullptr : found->second;
}

class NvmlTest : public testing::Test {
 protected:
  void SetUp() override { fake = FakeNvml{}; }

  static NvmlDevice device() {
    return Nvml::open(resolve_fake)->device_by_pci_bus_id("0000:1b:00.0").value();
  }
};

TEST_F(NvmlTest, ReadsEverythingInSiUnits) {
  const Answer<Nvml> nvml = Nvml::open(resolve_fake);
  ASSERT_TRUE(nvml);
  EXPECT_EQ(*nvml->driver_version(), "580.95.05");
  NvmlDevice gpu = *nvml->device_by_uuid("GPU-1");
  EXPECT_EQ(*gpu.max_sm_clock_hz(), 1.99e9);
  const ClockReading reading = gpu.read();
  EXPECT_EQ(reading.sm_clock_hz, 1.98e9);
  EXPECT_EQ(reading.memory_clock_hz, 3.201e9);
  EXPECT_EQ(reading.power_w, 412.5);
  EXPECT_EQ(reading.temperature_c, 61.0);
  EXPECT_EQ(reading.throttle_bits, throttle::software_power_cap);
}

TEST_F(NvmlTest, ShutsDownWithTheLastUser) {
  {
    const NvmlDevice kept = device();
    EXPECT_EQ(fake.running, 1);
  }
  EXPECT_EQ(fake.running, 0);
}

TEST_F(NvmlTest, EveryErrorCodeIsAnAbsenceWithItsMeaning) {
  for (const int code : {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,  15,
                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 999, 4711}) {
    fake.codes = {{"nvmlInit_v2", code}};
    const Answer<Nvml> refused = Nvml::open(resolve_fake);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.absence().kind, code == 9 ? AbsenceKind::no_driver : AbsenceKind::refused);
    EXPECT_EQ(refused.absence().why, "nvmlInit_v2: " + nvml_error_text(code));
    EXPECT_EQ(fake.running, 0) << "never initialised, so never shut down";

    fake.codes = {{"nvmlDeviceGetClockInfo", code},
                  {"nvmlDeviceGetPowerUsage", code},
                  {"nvmlDeviceGetTemperature", code},
                  {"nvmlDeviceGetCurrentClocksEventReasons", code}};
    EXPECT_EQ(device().read(), ClockReading{});
    EXPECT_FALSE(device().power_w());
  }
  EXPECT_EQ(nvml_error_text(4), "no permission");
  EXPECT_EQ(nvml_error_text(4711), "unknown error 4711");
}

TEST_F(NvmlTest, MissingFunctionsAreAbsences) {
  fake.missing["nvmlDeviceGetPowerUsage"] = true;
  const Answer<double> power = device().power_w();
  ASSERT_FALSE(power);
  EXPECT_EQ(power.absence().kind, AbsenceKind::no_symbol);
  EXPECT_NE(power.absence().why.find("nvmlDeviceGetPowerUsage"), std::string::npos);
  EXPECT_TRUE(device().sm_clock_hz());

  fake.missing["nvmlInit_v2"] = true;
  EXPECT_EQ(Nvml::open(resolve_fake).absence().kind, AbsenceKind::no_symbol);
  EXPECT_EQ(Nvml::open([](const char*) -> void* { return nullptr; }).absence().kind,
            AbsenceKind::no_symbol);
}

TEST_F(NvmlTest, OldDriversNameTheReasonsDifferently) {
  fake.missing["nvmlDeviceGetCurrentClocksEventReasons"] = true;
  EXPECT_TRUE(device().throttle_bits());
  fake.missing["nvmlDeviceGetCurrentClocksThrottleReasons"] = true;
  EXPECT_EQ(device().throttle_bits().absence().kind, AbsenceKind::no_symbol);
}

TEST_F(NvmlTest, UnknownDeviceIsAnAbsence) {
  const auto unknown = Nvml::open(resolve_fake)->device_by_pci_bus_id("ffff:00:00.0");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.absence().kind, AbsenceKind::refused);
}

TEST_F(NvmlTest, OpeningTheRealLibraryNeverFails) {
  const Answer<Nvml> nvml = Nvml::open();
  EXPECT_TRUE(nvml || !nvml.absence().why.empty());
}

}  // namespace
}  // namespace perfmodel::profiling
