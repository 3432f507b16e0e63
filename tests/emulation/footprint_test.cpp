#include "model/sass/footprint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "kernels/spmv/matrix.hpp"
#include "kernels/spmv/problem.hpp"
#include "model/occupancy.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "model/spec/catalog.hpp"
#include "profiling/recording_file.hpp"
#include "tests/emulation/catalogue.hpp"

namespace perfmodel::kernels::testing {
namespace {

using sass::Footprint;
using sass::FootprintBasis;
using sass::LaunchFootprint;

const std::vector<sass::Module>& sm90_code() {
  static const std::vector<sass::Module> modules =
      sass::load_modules(std::filesystem::path(PERFMODEL_SPECS) / "listings/sm_90.json.gz");
  return modules;
}

/// The distinct elements of the launch are those of the operands and the result.
void expect_operands(const Case& one, const Footprint& launch) {
  constexpr double element_bytes = 4;
  const auto extent = [&](const char* dimension) {
    return static_cast<double>(one.problem->shape().extent(dimension));
  };
  if (one.kernel->family == "sgemm") {
    EXPECT_EQ(launch.buffers[0].loads.bytes, element_bytes * extent("m") * extent("k"));
    EXPECT_EQ(launch.buffers[1].loads.bytes, element_bytes * extent("k") * extent("n"));
    EXPECT_EQ(launch.buffers[2].stores.bytes, element_bytes * extent("m") * extent("n"));
  } else if (one.kernel->family == "gemv") {
    // The columns of a matrix by columns are padded to four elements, which are loaded at once.
    const bool padded = one.kernel->name != "gemv-row";
    const double rows = padded ? 4 * std::ceil(extent("m") / 4) : extent("m");
    EXPECT_EQ(launch.buffers[0].loads.bytes, element_bytes * rows * extent("n"));
    EXPECT_EQ(launch.buffers[1].loads.bytes, element_bytes * extent("n"));
    EXPECT_EQ(launch.buffers[2].stores.bytes, element_bytes * extent("m"));
  }
}

/// What is asked of ranges of blocks must be what emulating each of them finds.
void expect_brute_force(const Case& one, FootprintBasis basis) {
  SCOPED_TRACE(one.name);
  const auto [module, function] = code_of(one, sm90_code()).at(0);
  const sass::Launch launch =
      machine_launches(*one.kernel, *one.problem, Contents::indices).front();
  sass::EmulationOptions how;
  how.all_blocks = true;
  LaunchFootprint all(*module, *function, launch, how);
  how.all_blocks = false;
  how.whole_grid_instructions = 0;
  LaunchFootprint footprint(*module, *function, launch, how);
  const std::uint64_t blocks = launch.blocks();
  std::mt19937_64 random(3);
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t first = i == 0 ? 0 : random() % blocks;
    const std::uint64_t count = i == 0 ? blocks : i < 4 ? 1 : 1 + random() % (blocks - first);
    const Footprint truth = all.of_range(first, count);
    const Footprint found = footprint.of_range(first, count);
    EXPECT_EQ(truth.basis, FootprintBasis::all_blocks);
    EXPECT_EQ(found.basis, blocks == 1 ? FootprintBasis::all_blocks : basis);
    EXPECT_EQ(found.buffers, truth.buffers) << first << " + " << count << " of " << blocks;
    EXPECT_EQ(found.loads, truth.loads);
    EXPECT_EQ(found.stores, truth.stores);
    if (i == 0) {
      expect_operands(one, found);
    }
  }
  // The ledger counts what single blocks touch, in whole sectors.
  how.all_blocks = true;
  how.find_defects = false;
  double sectors = 0;
  for (std::uint64_t block = 0; block < blocks; ++block) {
    const Footprint alone = all.of_range(block, 1);
    sectors += alone.loads.sectors + alone.stores.sectors;
  }
  EXPECT_DOUBLE_EQ(sass::count_launch(*module, *function, launch, how).unique_bytes_per_block,
                   32 * sectors / static_cast<double>(blocks));
}

class FootprintOf : public ::testing::TestWithParam<std::string> {};

TEST_P(FootprintOf, AnyRangeOfBlocks) {
  const std::string& name = GetParam();
  std::vector<Case> cases = cases_of(name);
  const Kernel& kernel = *cases.front().kernel;
  const bool k6 = kernel.name == "K6";
  if (kernel.family == "sgemm" && kernel.name != "sweep" && kernel.name != "tiled") {
    for (const Shape& shape : {Shape({{"m", 265}, {"n", k6 ? 196 : 197}, {"k", k6 ? 12 : 9}}),
                               Shape({{"m", 128}, {"n", 384}, {"k", 32}}),
                               Shape({{"m", 1031}, {"n", k6 ? 28 : 31}, {"k", k6 ? 8 : 6}})}) {
      cases.push_back({&kernel, name + " " + shape.key(), make_problem(kernel, shape)});
    }
  }
  if (kernel.family == "gemv") {
    for (const Shape& shape : {Shape({{"m", 4001}, {"n", 5}}), Shape({{"m", 1024}, {"n", 64}})}) {
      cases.push_back({&kernel, name + " " + shape.key(), make_problem(kernel, shape)});
    }
  }
  for (const Case& one : cases) {
    // The columns that a sparse matrix names decide addresses.
    expect_brute_force(one,
                       kernel.family == "spmv" ? FootprintBasis::all_blocks : FootprintBasis::law);
  }
}

std::string test_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, FootprintOf, ::testing::ValuesIn(tested_kernels()),
                         [](const auto& parameter) { return test_name(parameter.param); });

TEST(Footprint, LargeProductsTakeFewBlocks) {
  constexpr double mebibyte = 1 << 20;
  for (const char* name : {"K2", "K6"}) {
    const Kernel& kernel = find_kernel(name);
    const Case one{&kernel, name,
                   make_problem(kernel, Shape({{"m", 4096}, {"n", 4096}, {"k", 4096}}))};
    SCOPED_TRACE(name);
    const auto [module, function] = code_of(one, sm90_code()).at(0);
    const sass::Launch launch = machine_launches(kernel, *one.problem, Contents::indices).front();
    LaunchFootprint footprint(*module, *function, launch);
    const Footprint all = footprint.of_range(0, launch.blocks());
    EXPECT_EQ(all.basis, FootprintBasis::law);
    EXPECT_GE(all.blocks_verified, 4U);
    EXPECT_LT(all.blocks_emulated, 30U);
    EXPECT_EQ(all.loads.bytes, 2 * 64 * mebibyte);
    EXPECT_EQ(all.stores.bytes, 64 * mebibyte);
    EXPECT_EQ(all.loads.sectors, all.loads.bytes / 32);
    // A row of tiles shares its rows of A.
    const Footprint row = footprint.of_range(launch.grid[0], launch.grid[0]);
    EXPECT_EQ(row.buffers[0].loads.bytes, 64 * mebibyte / launch.grid[1]);
    EXPECT_EQ(row.buffers[1].loads.bytes, 64 * mebibyte);
    EXPECT_EQ(row.stores.bytes, 64 * mebibyte / launch.grid[1]);
  }
}

/// The occupancy calculator of CUDA gave these counts on the device.
TEST(Occupancy, IsThatOfTheRecordings) {
  const spec::Catalog catalog{std::filesystem::path(PERFMODEL_SPECS)};
  const Device device = catalog.device("h200");
  int compared = 0;
  for (const std::filesystem::path& file : catalog.recording_files("h200")) {
    for (const Measurement& one : profiling::read_recording(file).entries) {
      if (one.foreign || !one.blocks_per_sm || !one.occupancy || !one.shared_bytes_per_block) {
        continue;
      }
      SCOPED_TRACE(one.kernel + " " + one.shape.key());
      const std::string name = machine_function(find_kernel(one.kernel), one.shape);
      std::vector<sass::Function> found;
      for (const sass::Module& module : sm90_code()) {
        std::ranges::copy_if(module.functions, std::back_inserter(found),
                             [&](const sass::Function& function) { return function.name == name; });
      }
      ASSERT_EQ(found.size(), 1U);
      const auto threads = static_cast<std::int64_t>(
          std::lround(*one.occupancy * static_cast<double>(device.threads_per_sm.value) /
                      static_cast<double>(*one.blocks_per_sm)));
      EXPECT_EQ(resident_blocks_per_sm(
                    device, {threads, found.front().registers, *one.shared_bytes_per_block}),
                *one.blocks_per_sm);
      ++compared;
    }
  }
  EXPECT_GT(compared, 30);
}

}  // namespace
}  // namespace perfmodel::kernels::testing
