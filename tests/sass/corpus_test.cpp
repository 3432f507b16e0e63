// The emulator against plain C++, on kernels that make the compiler emit most of the instruction
// set. Their machine code is stored; scripts/update_corpus.sh compiles it anew.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "model/error.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/find_function.hpp"
#include "model/sass/load.hpp"
#include "tests/sass/corpus/emulation.hpp"

namespace perfmodel::sass {
namespace {

using corpus::Bytes;
using corpus::Case;

constexpr std::array<int, 6> corpus_architectures = {75, 80, 89, 90, 100, 120};

const std::vector<Module>& corpus_modules(int sm) {
  static std::map<int, std::vector<Module>> loaded;
  auto found = loaded.find(sm);
  if (found == loaded.end()) {
    const std::string file =
        std::string(PERFMODEL_CORPUS) + "/sm_" + std::to_string(sm) + ".json.gz";
    found = loaded.emplace(sm, load_modules(file)).first;
  }
  return found->second;
}

class Corpus : public ::testing::TestWithParam<std::tuple<int, std::string>> {
 protected:
  /// Calls `check(module, function, case)` for every case of the subject.
  template <class Check>
  void for_each_case(Check check) {
    const auto& [sm, subject] = GetParam();
    std::size_t count = 0;
    for (const Case& one : corpus::cases()) {
      if (one.subject != subject || one.least_sm > sm) {
        continue;
      }
      SCOPED_TRACE(one.kernel);
      const Module* const module = corpus::module_of(corpus_modules(sm), one);
      ASSERT_NE(module, nullptr) << "no such kernel: run scripts/update_corpus.sh";
      try {
        check(*module, find_function(*module, one.kernel), one);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
      ++count;
    }
    if (count == 0) {
      GTEST_SKIP() << "nothing for this architecture";
    }
  }
};

EmulationOptions corpus_options() {
  EmulationOptions options;
  options.all_blocks = true;
  options.threads = 1;
  options.instruction_budget = 20'000'000;
  return options;
}

std::string defects_of(const MachineLedger& ledger) {
  std::string text;
  for (const Defect& defect : ledger.defects) {
    if (defect.kind != DefectKind::uninitialised_read && defect.kind != DefectKind::shared_race) {
      text += std::string(defect_kind_name(defect.kind)) + ": " + defect.what + "\n";
    }
  }
  return text;
}

TEST_P(Corpus, ComputesWhatTheSourceSays) {
  for_each_case([](const Module& module, const Function& function, const Case& one) {
    const EmulatedRun run = run_launch(module, function, corpus::launch_of(one), corpus_options());
    EXPECT_EQ(defects_of(run.ledger), "");
    EXPECT_EQ(run.ledger.not_computed.empty(), one.computed);
    if (!one.expected) {
      return;
    }
    const Bytes wanted = one.expected();
    ASSERT_FALSE(wanted.empty()) << "the reference gives another number of results";
    EXPECT_EQ(corpus::differences(one, wanted, run.outputs.at(one.output)), "");
  });
}

/// Values that nothing counted depends on are not computed: that must not change a count.
TEST_P(Corpus, CountsAreThoseOfAFullRun) {
  for_each_case([](const Module& module, const Function& function, const Case& one) {
    const Launch launch = corpus::launch_of(one);
    const MachineLedger full = run_launch(module, function, launch, corpus_options()).ledger;
    const MachineLedger counted = count_launch(module, function, launch, corpus_options());
    EXPECT_EQ(counted.totals.warp_instructions, full.totals.warp_instructions);
    EXPECT_EQ(counted.unique_bytes_per_block, full.unique_bytes_per_block);
    ASSERT_EQ(counted.lines.size(), full.lines.size());
    std::size_t different = 0;
    for (std::size_t i = 0; i < full.lines.size() && different < 5; ++i) {
      const InstructionCounts& a = counted.lines[i].counts;
      const InstructionCounts& b = full.lines[i].counts;
      const auto all_of = [](const InstructionCounts& counts) {
        return std::array{counts.executions,  counts.active_lanes, counts.predicated_lanes,
                          counts.taken,       counts.divergences,  counts.requests,
                          counts.wavefronts,  counts.sectors,      counts.lines,
                          counts.useful_bytes};
      };
      if (all_of(a) != all_of(b)) {
        ADD_FAILURE() << "at " << full.lines[i].address << ": " << full.lines[i].text;
        ++different;
      }
    }
  });
}

std::vector<std::string> corpus_subjects() {
  std::set<std::string> subjects;
  for (const Case& one : corpus::cases()) {
    subjects.insert(one.subject);
  }
  return {subjects.begin(), subjects.end()};
}

INSTANTIATE_TEST_SUITE_P(AllArchitectures, Corpus,
                         ::testing::Combine(::testing::ValuesIn(corpus_architectures),
                                            ::testing::ValuesIn(corpus_subjects())),
                         [](const auto& parameters) {
                           return "sm_" + std::to_string(std::get<0>(parameters.param)) + "_" +
                                  std::get<1>(parameters.param);
                         });

}  // namespace
}  // namespace perfmodel::sass
