#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <regex>
#include <set>
#include <tuple>

#include "kernels/catalog.hpp"
#include "kernels/machine_launch.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/load.hpp"
#include "model/sass/register_use.hpp"
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

class StoredControls : public ::testing::TestWithParam<std::string> {};

/// The barriers that an instruction sets, as a mask.
std::uint32_t barriers_set(const sass::SchedulingControl& control) {
  std::uint32_t set = 0;
  for (const std::uint8_t barrier : {control.write_barrier, control.read_barrier}) {
    EXPECT_TRUE(barrier < sass::scheduling_barriers || barrier == sass::no_scheduling_barrier);
    set |= barrier == sass::no_scheduling_barrier ? 0U : 1U << barrier;
  }
  return set;
}

/// For every instruction the last one of the loops around it; itself where there are none.
std::vector<std::size_t> ends_of_loops(const sass::Code& code) {
  std::vector<std::size_t> ends(code.instructions.size());
  std::iota(ends.begin(), ends.end(), std::size_t{0});
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const sass::Instruction& jump = code.instructions[i];
    if (jump.op == sass::Op::bra && static_cast<std::size_t>(jump.target) <= i) {
      for (auto inside = static_cast<std::size_t>(jump.target); inside <= i; ++inside) {
        ends[inside] = i;
      }
    }
  }
  return ends;
}

/// A barrier that an instruction waits for is one that an instruction before it sets, or a later
/// one of a loop around both.
TEST_P(StoredControls, WaitForBarriersThatAreSet) {
  for (const sass::Module& module : stored_code(GetParam())) {
    for (const sass::Function& function : module.functions) {
      SCOPED_TRACE(function.name);
      ASSERT_TRUE(function.has_control);
      const sass::Code code = sass::decode(function, module.sm);
      const std::vector<std::size_t> ends = ends_of_loops(code);
      std::vector<std::uint32_t> set_up_to;  // with each instruction
      std::uint32_t set = 0;
      for (const sass::Instruction& instruction : code.instructions) {
        set |= barriers_set(instruction.control);
        set_up_to.push_back(set);
      }
      std::size_t waits = 0;
      for (std::size_t i = 0; i < code.instructions.size(); ++i) {
        const std::uint32_t waited = code.instructions[i].control.wait_mask;
        // What the instruction sets itself counts only from one pass of a loop to the next.
        const std::uint32_t before = i == 0 ? 0U : set_up_to[i - 1];
        EXPECT_EQ(waited & ~(ends[i] == i ? before : set_up_to[ends[i]]), 0U)
            << "instruction " << i;
        waits += waited != 0 ? 1 : 0;
      }
      EXPECT_GT(waits, 0U);
    }
  }
}

/// The disassembler marks the operands that are reused; the slots read from the operands have to
/// agree with the bits of the control.
TEST_P(StoredControls, ReuseIsOfOperandsInTheirSlots) {
  const std::regex reused("\\bR([0-9]+)\\|?\\.reuse");
  std::size_t flags = 0;
  for (const sass::Module& module : stored_code(GetParam())) {
    for (const sass::Function& function : module.functions) {
      const sass::Code code = sass::decode(function, module.sm);
      ASSERT_TRUE(code.has_control);
      for (std::size_t i = 0; i < code.instructions.size(); ++i) {
        const sass::Instruction& instruction = code.instructions[i];
        const std::string& operands = function.instructions[i].operands;
        const sass::RegisterUse use = sass::register_use(instruction, code);
        std::set<std::pair<unsigned, unsigned>> by_slot;  // of the first register of each operand
        for (const sass::RegisterRead& read : use.reads) {
          if ((instruction.control.reuse >> read.slot & 1U) != 0 &&
              !by_slot.contains({read.slot, read.number - 1U})) {
            by_slot.emplace(read.slot, read.number);
          }
        }
        std::multiset<unsigned> expected;
        for (std::sregex_iterator match(operands.begin(), operands.end(), reused), end;
             match != end; ++match) {
          expected.insert(static_cast<unsigned>(std::stoul((*match)[1])));
        }
        std::multiset<unsigned> found;
        for (const auto& [slot, number] : by_slot) {
          found.insert(number);
        }
        EXPECT_EQ(found, expected) << function.name << " instruction " << i << ": "
                                   << function.instructions[i].opcode << ' ' << operands;
        flags += expected.size();
      }
    }
  }
  EXPECT_GT(flags, 0U);
}

INSTANTIATE_TEST_SUITE_P(Architectures, StoredControls, ::testing::ValuesIn(architectures),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace perfmodel::kernels::testing
