#include <gtest/gtest.h>

#include "model/error.hpp"
#include "profiling/device_query.hpp"

namespace perfmodel::profiling {
namespace {

DeviceAttributes h200() {
  DeviceAttributes device;
  device.name = "NVIDIA H200";
  device.compute_capability = "9.0";
  device.sm_count = 132;
  device.clock_rate_hz = 1.98e9;
  device.memory_clock_hz = 3.201e9;
  device.memory_bus_bits = 6016;
  device.l2_bytes = 62914560;
  device.shared_bytes_per_sm = 233472;
  device.threads_per_sm = 2048;
  return device;
}

Device specification(const std::string& name, const std::string& title, std::int64_t sms,
                     double bytes_per_s, const std::string& architecture = "sm_90") {
  Device device;
  device.name = name;
  device.title = title;
  device.architecture = architecture;
  device.sm_count.value = sms;
  device.dram_bytes_per_s.value = bytes_per_s;
  return device;
}

DeviceAttributes named(const std::string& name, const std::string& capability, std::int64_t sms,
                       double memory_clock_hz, std::int64_t bus_bits) {
  DeviceAttributes device;
  device.name = name;
  device.compute_capability = capability;
  device.sm_count = sms;
  device.memory_clock_hz = memory_clock_hz;
  device.memory_bus_bits = bus_bits;
  return device;
}

const std::vector<Device> catalogue = {
    specification("a100-40", "NVIDIA A100 40 GB", 108, 1555e9, "sm_80"),
    specification("a100-80", "NVIDIA A100 80 GB SXM", 108, 2039e9, "sm_80"),
    specification("h100-pcie", "NVIDIA H100 PCIe", 114, 2039e9),
    specification("h100-sxm", "NVIDIA H100 SXM", 132, 3352e9),
    specification("h200", "NVIDIA H200", 132, 4814.304e9),
    specification("rtx4090", "NVIDIA GeForce RTX 4090", 128, 1008.096e9, "sm_89"),
    specification("v100", "NVIDIA Tesla V100 SXM2", 80, 898e9, "sm_70"),
};

TEST(DeviceCatalogue, FindsByProductAndFigures) {
  EXPECT_EQ(catalogue_name(h200(), catalogue), "h200");
  EXPECT_EQ(catalogue_name(named("NVIDIA H100 80GB HBM3", "9.0", 132, 2.619e9, 5120), catalogue),
            "h100-sxm");
  EXPECT_EQ(catalogue_name(named("NVIDIA A100-SXM4-40GB", "8.0", 108, 1.215e9, 5120), catalogue),
            "a100-40");
  EXPECT_EQ(catalogue_name(named("NVIDIA A100-SXM4-80GB", "8.0", 108, 1.593e9, 5120), catalogue),
            "a100-80");
  EXPECT_EQ(catalogue_name(named("NVIDIA GeForce RTX 4090", "8.9", 128, 10.501e9, 384), catalogue),
            "rtx4090");
  EXPECT_EQ(catalogue_name(named("Tesla V100-SXM2-16GB", "7.0", 80, 0.877e9, 4096), catalogue),
            "v100");
}

TEST(DeviceCatalogue, RefusesRelatives) {
  EXPECT_FALSE(
      catalogue_name(named("NVIDIA A100 80GB PCIe", "8.0", 108, 1.512e9, 5120), catalogue));
  EXPECT_FALSE(catalogue_name(named("NVIDIA H200 NVL", "9.0", 132, 3.201e9, 6016), catalogue));
  EXPECT_FALSE(
      catalogue_name(named("NVIDIA GeForce RTX 4090 D", "8.9", 128, 10.501e9, 384), catalogue));
  EXPECT_FALSE(catalogue_name(named("Tesla V100-PCIE-16GB", "7.0", 80, 0.877e9, 4096), catalogue));
  EXPECT_FALSE(
      catalogue_name(named("NVIDIA H200 MIG 1g.18gb", "9.0", 16, 3.201e9, 6016), catalogue));
}

TEST(DeviceCatalogue, TwoThatFitAreNone) {
  const std::vector<Device> twice = {specification("a", "NVIDIA H200", 132, 4814e9),
                                     specification("b", "NVIDIA H200", 132, 4815e9)};
  EXPECT_FALSE(catalogue_name(h200(), twice));
}

TEST(DeviceCatalogue, LiveDeviceBecomesAModelDevice) {
  const Device device = device_from_attributes(h200(), "h200");
  EXPECT_EQ(device.name, "h200");
  EXPECT_EQ(device.title, "NVIDIA H200");
  EXPECT_EQ(device.architecture, "sm_90");
  EXPECT_EQ(device.sm_count.value, 132);
  EXPECT_EQ(device.sm_count.origin, Origin::measured);
  EXPECT_EQ(device.fma_per_clk_per_sm.value, 128);
  EXPECT_EQ(device.fma_per_clk_per_sm.origin, Origin::datasheet);
  EXPECT_DOUBLE_EQ(device.dram_bytes_per_s.value, 4814.304e9);
  EXPECT_EQ(device.clock("device-reported").clock_hz.value, 1.98e9);
}

TEST(DeviceCatalogue, MissingFiguresAndUnknownChipsAreExplained) {
  DeviceAttributes no_clock = h200();
  no_clock.memory_clock_hz.reset();
  DeviceAttributes unknown = h200();
  unknown.compute_capability = "99.0";
  for (const DeviceAttributes& device : {no_clock, unknown}) {
    try {
      static_cast<void>(device_from_attributes(device, "h200"));
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unavailable);
    }
  }
}

TEST(CudaVersion, Text) {
  EXPECT_EQ(cuda_version_text(13000), "13.0");
  EXPECT_EQ(cuda_version_text(12040), "12.4");
}

}  // namespace
}  // namespace perfmodel::profiling
