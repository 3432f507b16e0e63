#include "model/roofline_chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "model/spec/catalog.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

Device device_named(const std::string& name) {
  return spec::Catalog(testing::source_specs()).device(name);
}

HardwareConstants constants_of(const std::string& device) {
  HardwareConstants constants;
  constants.device = device;
  constants.sm_clock_hz = 1e9;
  constants.constants.resize(3);
  constants.constants[0].name = "dram.read";
  constants.constants[0].value = 4e12;
  constants.constants[1].name = "fma.rate";
  constants.constants[1].value = 120;
  constants.constants[2].name = "hfma2.rate";
  constants.constants[2].value = 125;
  constants.constants[2].datasheet = DatasheetFigure{128, "a guide"};
  return constants;
}

TEST(Ceilings, OneSetForEachClockBasis) {
  const Device device = device_named("rtx4090");
  const std::vector<CeilingSet> sets = ceiling_sets(device, nullptr);
  ASSERT_EQ(sets.size(), device.clocks.size());
  EXPECT_EQ(sets[0].name, "datasheet, 2.52 GHz (device-reported)");
  EXPECT_FALSE(sets[0].is_measured);
  ASSERT_EQ(sets[0].memory.size(), 3U);
  EXPECT_EQ(sets[0].memory[0].level, MemoryLevel::l1);
  EXPECT_DOUBLE_EQ(sets[0].memory[0].bytes_per_s, 128 * 128 * 2.52e9);
  EXPECT_DOUBLE_EQ(sets[0].memory[2].bytes_per_s, device.dram_bytes_per_s.value);
  EXPECT_DOUBLE_EQ(sets[0].compute[0].flop_per_s, device.peak_flop_per_s(2.52e9));
  EXPECT_DOUBLE_EQ(sets[0].instructions_per_s, 4 * 128 * 2.52e9);
}

TEST(Ceilings, MeasuredConstantsAreASetOfTheirOwn) {
  const HardwareConstants constants = constants_of("h200");
  const std::vector<CeilingSet> sets = ceiling_sets(device_named("h200"), &constants);
  ASSERT_EQ(sets.size(), 2U);
  EXPECT_EQ(sets[1].name, "measured, 1 GHz");
  ASSERT_EQ(sets[1].memory.size(), 1U);
  EXPECT_EQ(sets[1].memory[0].bytes_per_s, 4e12);
  ASSERT_EQ(sets[1].compute.size(), 2U);
  EXPECT_DOUBLE_EQ(sets[1].compute[0].flop_per_s, 2 * 120 * 132 * 1e9);
  // Two halves to a lane.
  EXPECT_DOUBLE_EQ(sets[1].compute[1].flop_per_s, 4 * 125 * 132 * 1e9);
  // The published rate of a type comes with the constant.
  EXPECT_EQ(sets[0].compute[1].data_type, "fp16");
  EXPECT_EQ(sets[0].compute[1].source, "a guide");
}

TEST(Ceilings, ConstantsOfAnotherDeviceAreNone) {
  const HardwareConstants constants = constants_of("h200");
  for (const CeilingSet& set : ceiling_sets(device_named("a100-80"), &constants)) {
    EXPECT_FALSE(set.is_measured);
    EXPECT_EQ(set.compute.size(), 1U);
  }
}

TEST(Ceilings, TensorCoresHaveRoofsByType) {
  HardwareConstants constants = constants_of("h200");
  constants.constants[1].name = "tensor.bf16.rate";
  constants.constants[1].value = 1400;
  constants.constants[1].datasheet = DatasheetFigure{2048, "a paper"};
  const std::vector<CeilingSet> sets = ceiling_sets(device_named("h200"), &constants);
  const auto roof = [](const CeilingSet& set, std::string_view type) {
    const auto found = std::ranges::find(set.compute, type, &ComputeRoof::data_type);
    return found == set.compute.end() ? ComputeRoof{} : *found;
  };
  EXPECT_DOUBLE_EQ(roof(sets[1], "tensor bf16").flop_per_s, 2 * 1400 * 132 * 1e9);
  EXPECT_EQ(roof(sets[1], "tensor bf16").source, "micro-benchmark tensor.bf16.rate");
  EXPECT_DOUBLE_EQ(roof(sets[1], "tensor fp16").flop_per_s, 2 * 1400 * 132 * 1e9);
  EXPECT_EQ(
      roof(sets[1], "tensor fp16").source,
      "micro-benchmark tensor.bf16.rate; fp16 has the rate of bf16 in the A100 and H100 white "
      "papers");
  EXPECT_DOUBLE_EQ(roof(sets[0], "tensor bf16").flop_per_s, 2 * 2048 * 132 * sets[0].clock_hz);
  EXPECT_EQ(roof(sets[1], "tensor tf32").flop_per_s, 0) << "not measured";
}

LaunchWork small_work() {
  sass::MachineTotals totals;
  totals.fp32_fmas = 1e9;
  totals.warp_instructions = 1e8;
  totals.lsu_wavefronts = 1e7;
  Traffic traffic;
  traffic.l2_load_bytes = 4e8;
  traffic.l2_store_bytes = 1e8;
  return launch_work(totals, traffic);
}

TEST(LaunchWork, LeavesOutWhatIsNotThere) {
  const LaunchWork work = small_work();
  ASSERT_EQ(work.flop.size(), 1U);
  EXPECT_EQ(work.flop[0].data_type, "fp32");
  EXPECT_EQ(work.flop[0].flop, 2e9);
  ASSERT_EQ(work.levels.size(), 2U);
  EXPECT_EQ(work.levels[0].bytes, 128e7);
  EXPECT_EQ(work.levels[0].kind, FigureKind::counted);
  EXPECT_EQ(work.levels[1].bytes, 5e8);
  EXPECT_EQ(work.levels[1].kind, FigureKind::predicted);
}

/// A product of bf16 with a little arithmetic of fp32 around it.
LaunchWork tensor_work() {
  sass::MachineTotals totals;
  totals.fp32_fmas = 1e6;
  totals.by_opcode = {{"HMMA.16816.F32.BF16", 1e6},
                      {"FFMA", 1e6 / 32},
                      {"HMMA.1688.F32.BF16", 1e5},
                      {"HFMA2.MMA", 1e3},
                      {"IMMA.16832.S8.S8", 10}};
  totals.lsu_wavefronts = 1e7;
  return launch_work(totals, {});
}

TEST(LaunchWork, ProductsOfTensorCoresByType) {
  const LaunchWork work = tensor_work();
  ASSERT_EQ(work.flop.size(), 2U);
  EXPECT_EQ(work.flop[0].data_type, "tensor bf16") << "most FLOP first";
  EXPECT_EQ(work.flop[0].flop, 2 * (1e6 * 16 * 8 * 16 + 1e5 * 16 * 8 * 8));
  EXPECT_EQ(work.flop[1].data_type, "fp32");
  EXPECT_EQ(work.flop[1].flop, 2e6);
  EXPECT_EQ(work.uncounted_products, std::vector<std::string>{"IMMA.16832.S8.S8"});
  EXPECT_TRUE(small_work().uncounted_products.empty());
}

TEST(RooflinePoints, ProductsOfTensorCoresStandAgainstTheirOwnRoof) {
  CeilingSet set;
  set.memory = {{MemoryLevel::l1, 1e15, ""}};
  set.compute = {{"fp32", 6e13, ""}, {"tensor bf16", 9e14, ""}};
  CeilingSet without = set;
  without.compute.pop_back();
  const std::array sets = {set, without};
  const std::vector<RooflinePoint> points = roofline_points(tensor_work(), 1e-5, sets);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].data_type, "tensor bf16");
  EXPECT_EQ(points[0].roofs[0].limiter, "tensor bf16");
  EXPECT_EQ(points[0].roofs[0].roof_per_s, 9e14);
  EXPECT_DOUBLE_EQ(points[0].roofs[0].share, points[0].per_s / 9e14);
  EXPECT_EQ(points[0].roofs[1].limiter, "") << "the peak of fp32 does not stand in";
  EXPECT_EQ(points[1].data_type, "fp32");
  EXPECT_NE(points[1].roofs[0].limiter, "tensor bf16");
}

TEST(RooflinePoints, TheLowerRoofLimits) {
  CeilingSet set;
  set.memory = {{MemoryLevel::l1, 1e13, ""}, {MemoryLevel::l2, 1e12, ""}};
  set.compute = {{"fp32", 1e13, ""}};
  set.instructions_per_s = 1e12;
  const std::vector<RooflinePoint> points = roofline_points(small_work(), 1e-3, {&set, 1});
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].intensity, 2e9 / 128e7);
  EXPECT_DOUBLE_EQ(points[0].per_s, 2e12);
  EXPECT_EQ(points[0].roofs[0].limiter, "fp32");
  EXPECT_DOUBLE_EQ(points[0].roofs[0].share, 0.2);
  EXPECT_EQ(points[1].roofs[0].limiter, "L2");
  EXPECT_DOUBLE_EQ(points[1].roofs[0].roof_per_s, 4e12);
  EXPECT_DOUBLE_EQ(points[1].roofs[0].share, 0.5);

  const std::vector<RooflinePoint> instructions = instruction_points(small_work(), 1e-3, {&set, 1});
  ASSERT_EQ(instructions.size(), 2U);
  EXPECT_DOUBLE_EQ(instructions[1].intensity, 1e8 / (5e8 / 32));
  EXPECT_EQ(instructions[1].roofs[0].limiter, "L2");
  EXPECT_DOUBLE_EQ(instructions[1].roofs[0].roof_per_s, 1e8 / (5e8 / 32) * 1e12 / 32);
}

TEST(RooflinePoints, AShareAboveTheRoofIsNotClamped) {
  CeilingSet set;
  set.memory = {{MemoryLevel::l2, 1e9, ""}};
  set.compute = {{"fp32", 1e13, ""}};
  const std::vector<RooflinePoint> points = roofline_points(small_work(), 1e-3, {&set, 1});
  EXPECT_EQ(points[0].roofs[0].limiter, "");  // the set has no roof of L1
  EXPECT_GT(points[1].roofs[0].share, 1);
}

}  // namespace
}  // namespace perfmodel
