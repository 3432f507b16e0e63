// The launches of the applications with their stored machine code, see README.md here.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/spec/launch_reader.hpp"

namespace perfmodel::sass {
namespace {

namespace fs = std::filesystem;

const fs::path folder = PERFMODEL_APPLICATIONS;

/// Names of the launch files, without the ending.
std::vector<std::string> launch_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "launches")) {
    names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

spec::LaunchDescription launch_named(const std::string& name) {
  return spec::read_launch(folder / "launches" / (name + ".yaml"));
}

double warps_of(const Launch& launch) {
  constexpr std::uint32_t lanes = 32;
  return static_cast<double>(launch.blocks()) * ((launch.threads_per_block() + lanes - 1) / lanes);
}

class ApplicationLaunch : public ::testing::TestWithParam<std::string> {};

TEST_P(ApplicationLaunch, EmulatesWithoutDefects) {
  const spec::LaunchDescription description = launch_named(GetParam());
  LoadOptions options;
  options.kernel = description.kernel;
  const std::vector<Module> modules = load_modules(folder / "sm_90.json.gz", options);
  ASSERT_EQ(modules.size(), 1U);
  const Function& function = find_function(modules.front(), description.kernel);
  EXPECT_EQ(function.name, description.kernel);

  const Launch& launch = description.launch;
  const MachineLedger ledger = count_launch(modules.front(), function, launch);
  for (const Defect& defect : ledger.defects) {
    ADD_FAILURE() << defect_kind_name(defect.kind) << ": " << defect.what;
  }
  EXPECT_TRUE(ledger.unknown.empty());
  EXPECT_TRUE(ledger.not_computed.empty());
  EXPECT_FALSE(ledger.results_affected);
  constexpr double largest_uncertainty = 0.1;
  EXPECT_LT(ledger.relative_uncertainty, largest_uncertainty);

  // Every warp does something, and the largest launch takes milliseconds, not seconds.
  constexpr double most_instructions = 2e9;
  EXPECT_GT(ledger.totals.warp_instructions, 5 * warps_of(launch));
  EXPECT_LT(ledger.totals.warp_instructions, most_instructions);
  EXPECT_LE(ledger.totals.thread_instructions, 32 * ledger.totals.warp_instructions);
  EXPECT_GT(ledger.totals.global_store_requests + ledger.totals.atomic_requests, 0);

  // What timing it takes of a device's memory.
  std::uint64_t buffer_bytes = 0;
  for (const Argument& argument : launch.arguments) {
    if (const auto* const buffer = std::get_if<BufferArgument>(&argument)) {
      buffer_bytes += buffer->size_bytes;
    }
  }
  EXPECT_LE(buffer_bytes, std::uint64_t{1} << 30);
}

INSTANTIATE_TEST_SUITE_P(Applications, ApplicationLaunch, ::testing::ValuesIn(launch_names()),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Applications, EveryKernelIsLaunched) {
  std::set<std::string> launched;
  for (const std::string& name : launch_names()) {
    launched.insert(launch_named(name).kernel);
  }
  std::set<std::string> stored;
  for (const KernelSummary& kernel : list_kernels(folder / "sm_90.json.gz")) {
    stored.insert(kernel.name);
  }
  EXPECT_EQ(stored, launched);
}

}  // namespace
}  // namespace perfmodel::sass
