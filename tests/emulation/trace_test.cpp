#include "model/sass/trace.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/sass/load.hpp"
#include "tests/emulation/catalogue.hpp"
#include "tests/sass/trace_sums.hpp"

namespace perfmodel::kernels::testing {
namespace {

const std::vector<sass::Module>& stored_code() {
  static const std::vector<sass::Module> modules =
      sass::load_modules(std::filesystem::path(PERFMODEL_SPECS) / "listings" / "sm_90.json.gz");
  return modules;
}

class StoredTrace : public ::testing::TestWithParam<const char*> {};

/// The whole grid traced block by block is the ledger of the launch.
TEST_P(StoredTrace, BlocksAddUpToTheLedger) {
  for (const Case& one : cases_of(GetParam())) {
    SCOPED_TRACE(one.name);
    const auto [module, function] = code_of(one, stored_code()).at(0);
    const sass::Launch launch =
        machine_launches(*one.kernel, *one.problem, Contents::indices).front();
    sass::EmulationOptions how;
    how.all_blocks = true;
    const sass::MachineLedger ledger = sass::count_launch(*module, *function, launch, how);
    sass::LaunchTracer tracer(*module, *function, launch);
    std::vector<sass::testing::StepSums> sums(ledger.lines.size());
    for (std::uint64_t block = 0; block < launch.blocks(); ++block) {
      const sass::BlockTrace trace = tracer.trace(block, std::numeric_limits<std::uint64_t>::max());
      EXPECT_TRUE(trace.complete);
      sass::testing::add(sums, sass::testing::sums_of(trace, tracer));
    }
    sass::testing::expect_same(sums, ledger);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StoredTrace, ::testing::Values("K1", "K3", "K5", "K6"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace perfmodel::kernels::testing
