#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/load.hpp"
#include "tests/emulation/catalogue.hpp"
#include "tests/sass/ledger_equality.hpp"

namespace perfmodel::kernels::testing {
namespace {

using sass::testing::different_counts;

/// Of sampled blocks, as a share: those of misses are a mean.
constexpr double wavefront_tolerance = 0.1;

/// The stored machine code of an architecture, read once.
const std::vector<sass::Module>& stored_code(const std::string& arch) {
  static std::map<std::string, std::vector<sass::Module>> known;
  std::vector<sass::Module>& modules = known[arch];
  if (modules.empty()) {
    modules = sass::load_modules(std::filesystem::path(PERFMODEL_SPECS) / "listings" /
                                 (arch + ".json.gz"));
  }
  return modules;
}

/// Where a loaded value decides how long a loop runs, or what is loaded next.
bool reads_indices(const Kernel& kernel) { return kernel.family == "spmv"; }

const std::vector<std::string> architectures = {"sm_80", "sm_89", "sm_90", "sm_120"};

std::string test_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

class StoredListing : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const std::string& arch() { return std::get<0>(GetParam()); }
  const std::string& kernel_name() { return std::get<1>(GetParam()); }
};

/// What the code computes is the reference; and counting, which computes only what addresses and
/// control flow need, sees the same instructions.
TEST_P(StoredListing, ComputesTheReferenceAndCountsAlike) {
  for (const Case& one : cases_of(kernel_name())) {
    SCOPED_TRACE(one.name + " on " + arch());
    const std::vector<MachineCode> found = code_of(one, stored_code(arch()));
    ASSERT_EQ(found.size(), 1U);
    const auto& [module, function] = found.front();
    const sass::MachineLedger run = expect_reference(one, found.front());
    EXPECT_EQ(run.data_independent, !reads_indices(*one.kernel));
    const sass::Launch launch =
        machine_launches(*one.kernel, *one.problem, Contents::indices).front();
    sass::EmulationOptions how;
    how.all_blocks = true;
    const sass::MachineLedger all = sass::count_launch(*module, *function, launch, how);
    EXPECT_EQ(different_counts(all, run), "");
    EXPECT_EQ(all.data_independent, run.data_independent);
    EXPECT_EQ(all.defects.size(), 0U);
    how.all_blocks = false;
    how.whole_grid_instructions = 0;
    const sass::MachineLedger sampled = sass::count_launch(*module, *function, launch, how);
    EXPECT_EQ(different_counts(sampled, run, wavefront_tolerance), "");
    EXPECT_EQ(sampled.relative_uncertainty, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StoredListing,
                         ::testing::Combine(::testing::ValuesIn(architectures),
                                            ::testing::ValuesIn(tested_kernels())),
                         [](const auto& parameter) {
                           return std::get<0>(parameter.param) + "_" +
                                  test_name(std::get<1>(parameter.param));
                         });

/// Larger grids: representative blocks stand for all of them.
class StoredListingSampling : public ::testing::TestWithParam<std::string> {};

TEST_P(StoredListingSampling, RepresentativeBlocksStandForAll) {
  const Kernel& kernel = find_kernel(GetParam());
  std::vector<Shape> shapes = {Shape({{"m", 265}, {"n", 197}, {"k", 9}}),
                               Shape({{"m", 96}, {"n", 545}, {"k", 33}}),
                               Shape({{"m", 1031}, {"n", 31}, {"k", 6}})};
  if (kernel.name == "K6") {
    shapes = {Shape({{"m", 265}, {"n", 196}, {"k", 12}}), Shape({{"m", 96}, {"n", 548}, {"k", 36}}),
              Shape({{"m", 1031}, {"n", 28}, {"k", 8}})};
  }
  if (kernel.family == "gemv") {
    shapes = {Shape({{"m", 40'001}, {"n", 5}}), Shape({{"m", 16'384}, {"n", 3}})};
  }
  for (const Shape& shape : shapes) {
    const Case one{&kernel, std::string(kernel.name) + " " + shape.key(),
                   make_problem(kernel, shape)};
    SCOPED_TRACE(one.name);
    const auto [module, function] = code_of(one, stored_code("sm_90")).at(0);
    const sass::Launch launch = machine_launches(kernel, *one.problem, Contents::indices).front();
    sass::EmulationOptions how;
    how.find_defects = false;
    how.whole_grid_instructions = 0;
    const sass::MachineLedger sampled = sass::count_launch(*module, *function, launch, how);
    how.all_blocks = true;
    const sass::MachineLedger all = sass::count_launch(*module, *function, launch, how);
    EXPECT_EQ(sampled.sampling, sass::Sampling::classes);
    EXPECT_EQ(different_counts(sampled, all, wavefront_tolerance), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, StoredListingSampling,
                         ::testing::Values("K1", "K2", "K3", "K3c", "K4", "K5", "K6", "naive",
                                           "tiled16", "gemv-row", "gemv-col", "gemv-col-shared"),
                         [](const auto& parameter) { return test_name(parameter.param); });

}  // namespace
}  // namespace perfmodel::kernels::testing
