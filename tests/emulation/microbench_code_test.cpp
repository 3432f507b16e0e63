// The machine code that this build compiled for the micro-benchmarks: every repeat of a timed loop
// has to consist of the instruction that is measured, and of next to nothing else.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "kernels/microbench/code.hpp"
#include "kernels/microbench/microbenchmark.hpp"
#include "kernels/microbench/stamps.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/sass/tools.hpp"

namespace perfmodel::kernels::testing {
namespace {

/// One SM is enough, and a small L2 keeps the launches small.
Device small_device(const std::string& arch) {
  Device device;
  device.name = "small";
  device.architecture = arch;
  device.sm_count.value = 1;
  device.fma_per_clk_per_sm.value = 128;
  device.dram_bytes_per_s.value = 1e12;
  device.l2_bytes = Sourced<std::int64_t>{1 << 22, Origin::datasheet, ""};
  device.threads_per_sm.value = 1024;
  device.clocks = {{"measured", {1e9, Origin::measured, ""}}};
  return device;
}

std::string without_namespace(std::string name) {
  const std::string prefix = "perfmodel::kernels::";
  for (const std::string& part : {prefix, std::string("(anonymous namespace)::")}) {
    for (auto at = name.find(part); at != std::string::npos; at = name.find(part)) {
      name.erase(at, part.size());
    }
  }
  return name;
}

sass::ValueArgument value_argument(std::uint32_t value) {
  sass::ValueArgument argument;
  std::memcpy(argument.bytes.data(), &value, sizeof(value));
  return argument;
}

/// Two warps, few repeats, buffers as small as that allows.
sass::MachineLedger count(const sass::Module& module, const sass::Function& function,
                          const MicrobenchLaunch& launch, std::uint32_t repeats) {
  constexpr std::size_t enough = 1 << 20;
  sass::Launch small;
  small.block[0] = std::min(launch.block, 64U);
  small.arguments = {
      sass::BufferArgument{std::min(launch.data_bytes, enough), sass::Fill::zeros, 0, {}},
      sass::BufferArgument{1024 * sizeof(WarpStamp), sass::Fill::zeros, 0, {}},
      value_argument(repeats), value_argument(launch.extent), value_argument(launch.stride)};
  sass::EmulationOptions how;
  how.all_blocks = true;
  how.find_defects = false;
  return sass::count_launch(module, function, small, how);
}

double executed(const sass::MachineLedger& ledger, std::string_view opcode) {
  double sum = 0;
  for (const auto& [name, executions] : ledger.totals.by_opcode) {
    sum += name.starts_with(opcode) ? executions : 0;
  }
  return sum;
}

void expect_code(const Microbenchmark& benchmark, const sass::Module& module,
                 const sass::Function& function) {
  SCOPED_TRACE(benchmark.name + " on " + module.arch);
  EXPECT_EQ(function.local_bytes, 0U) << "registers are spilled";
  const MicrobenchLaunch launch = benchmark.launches(small_device(module.arch)).front();
  const sass::MachineLedger few = count(module, function, launch, 2);
  const sass::MachineLedger more = count(module, function, launch, 3);
  const double warps = std::min(launch.block, 64U) / 32.0;
  const double all = more.totals.warp_instructions - few.totals.warp_instructions;
  double wanted = 0;
  for (const ExpectedInstruction& expected : benchmark.expected) {
    const double found = executed(more, expected.opcode) - executed(few, expected.opcode);
    EXPECT_GE(found, expected.count * warps) << expected.opcode;
    // The loop may count with the instruction that it measures.
    EXPECT_LE(found, (expected.count + 1) * warps) << expected.opcode;
    wanted += found;
  }
  if (!benchmark.expected.empty()) {
    // Some architectures want instructions that do nothing between two of these.
    const double nothing = executed(more, "NOP") - executed(few, "NOP");
    std::string rest;
    for (const auto& [name, executions] : more.totals.by_opcode) {
      rest += " " + name + " " + std::to_string(executions - executed(few, name));
    }
    EXPECT_GE(wanted / (all - nothing), benchmark.expected_share) << rest;
  }
  for (const sass::Defect& defect : more.defects) {
    // The pointers of a ring are not in the zeros that the buffer holds here.
    EXPECT_TRUE(launch.ring) << sass::defect_kind_name(defect.kind) << ": " << defect.what;
  }
  EXPECT_TRUE(more.unknown.empty());
  EXPECT_EQ(more.totals.local_requests, 0);
}

TEST(MicrobenchCode, EveryRepeatIsWhatIsMeasured) {
  const sass::LoadOptions options;
  for (const sass::CudaTool tool : {sass::CudaTool::cuobjdump, sass::CudaTool::nvdisasm}) {
    const sass::ToolSearch search = sass::search_tool(tool, options.tools);
    if (!search.program) {
      GTEST_SKIP() << sass::tool_name(tool) << ": " << search.problem << "; " << search.remedy;
    }
  }
  const std::vector<sass::Module> modules = sass::load_modules("/proc/self/exe", options);
  for (const Microbenchmark& benchmark : microbenchmarks()) {
    // Keeps the device code in the program.
    ASSERT_NE(microbench_code(benchmark.function), nullptr) << benchmark.name;
    std::size_t found = 0;
    for (const sass::Module& module : modules) {
      for (const sass::Function& function : module.functions) {
        if (without_namespace(sass::short_name(function.name)) != benchmark.function) {
          continue;
        }
        ++found;
        expect_code(benchmark, module, function);
      }
    }
    EXPECT_GT(found, 0U) << benchmark.function;
  }
}

}  // namespace
}  // namespace perfmodel::kernels::testing
