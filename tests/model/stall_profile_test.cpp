#include "model/timeline/stall_profile.hpp"

#include <gtest/gtest.h>

#include "model/timeline/stall_comparison.hpp"
#include "tests/sass/assembled.hpp"

namespace perfmodel {
namespace {

constexpr auto waits = static_cast<std::size_t>(Stall::wait);
constexpr auto loads = static_cast<std::size_t>(Stall::long_scoreboard);
constexpr auto selected = static_cast<std::size_t>(Stall::selected);

/// A loop in a loop, of which the inner one takes 60 of 100 warp cycles.
struct Nested {
  Nested() {
    function.name = "kernel";
    function.instructions = sass::testing::assemble(
        "NOP\nouter:\nNOP\ninner:\nNOP\n@P0 BRA inner\n@P1 BRA outer\nEXIT\nNOP");
    run.sm.cycles = 100;
    run.sm.executions = {1, 2, 8, 8, 2, 1, 0};
    run.sm.stalls.resize(7);
    run.sm.stalls[0][selected] = 1;
    run.sm.stalls[1][selected] = 2;
    run.sm.stalls[2][selected] = 8;
    run.sm.stalls[2][loads] = 40;
    run.sm.stalls[3][selected] = 8;
    run.sm.stalls[3][waits] = 4;
    run.sm.stalls[4][selected] = 2;
    run.sm.stalls[4][waits] = 30;
    run.sm.stalls[5][selected] = 1;
    run.sm.stalls[5][waits] = 4;
    run.sm.busy_cycles[static_cast<std::size_t>(Unit::issue)] = 22;
    run.sm.busy_cycles[static_cast<std::size_t>(Unit::lsu_data)] = 50;
  }

  sass::Function function;
  TimelineRun run;
};

TEST(StallProfile, CyclesBelongToTheInnermostLoop) {
  const Nested nested;
  const StallProfile profile = profile_stalls(nested.run, nested.function, 90);
  EXPECT_EQ(profile.warp_cycles, 100);
  ASSERT_EQ(profile.loops.size(), 2U);
  EXPECT_EQ(profile.loops[0].first, 1U);
  EXPECT_EQ(profile.loops[0].depth, 1U);
  EXPECT_DOUBLE_EQ(profile.loops[0].share, 0.34);
  EXPECT_EQ(profile.loops[1].first, 2U);
  EXPECT_EQ(profile.loops[1].last, 3U);
  EXPECT_EQ(profile.loops[1].depth, 2U);
  EXPECT_EQ(profile.loops[1].trips, 8);
  EXPECT_DOUBLE_EQ(profile.loops[1].share, 0.60);
  EXPECT_EQ(profile.outside_loops[waits], 4);
  EXPECT_EQ(profile.outside_loops[selected], 2);
  EXPECT_EQ(profile.totals[waits], 38);
}

TEST(StallProfile, TheHottestInstructionsFirst) {
  const Nested nested;
  const StallProfile profile = profile_stalls(nested.run, nested.function, 90);
  ASSERT_EQ(profile.instructions.size(), 6U) << "one never ran";
  EXPECT_EQ(profile.instructions[0].position, 2U);
  EXPECT_EQ(profile.instructions[0].loop, 1U);
  EXPECT_DOUBLE_EQ(profile.instructions[0].share, 0.48);
  EXPECT_EQ(profile.instructions[1].position, 4U);
  EXPECT_EQ(profile.instructions[1].loop, 0U);
  EXPECT_EQ(profile.instructions[5].position, 0U);
  EXPECT_EQ(profile.instructions[5].loop, std::nullopt);
  const std::vector<StallShare> reasons = ranked(profile.instructions[0].cycles);
  ASSERT_EQ(reasons.size(), 2U);
  EXPECT_EQ(reasons[0].reason, Stall::long_scoreboard);
  EXPECT_DOUBLE_EQ(reasons[0].share, 40.0 / 48);
}

TEST(StallProfile, UnitsOfSubPartitionsAreAveraged) {
  const Nested nested;
  const StallProfile profile = profile_stalls(nested.run, nested.function, 90);
  ASSERT_EQ(profile.utilisation.size(), unit_count);
  EXPECT_DOUBLE_EQ(profile.utilisation[static_cast<std::size_t>(Unit::issue)].share, 0.055);
  EXPECT_DOUBLE_EQ(profile.utilisation[static_cast<std::size_t>(Unit::lsu_data)].share, 0.5);
}

TEST(StallComparison, SharesLeaveOutWhatIsIssued) {
  Counters counters;
  counters.values = {{"smsp__average_warps_issue_stalled_selected_per_issue_active.ratio", 1},
                     {"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio", 1},
                     {"smsp__average_warps_issue_stalled_imc_miss_per_issue_active.ratio", 3},
                     {"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio", 0},
                     {"smsp__average_warps_issue_stalled__per_issue_active", 7},
                     {"smsp__issue_active.sum", 100}};
  const std::vector<StallReason> measured = measured_stalls(counters);
  ASSERT_EQ(measured.size(), 2U);
  EXPECT_EQ(measured[0].name, "imc_miss");
  EXPECT_DOUBLE_EQ(measured[0].share, 0.75);
  EXPECT_DOUBLE_EQ(share_of(measured, "wait"), 0.25);
  EXPECT_EQ(share_of(measured, "barrier"), 0);
  const std::vector<StallReason> predicted = predicted_stalls(Nested().run.sm);
  ASSERT_EQ(predicted.size(), 2U);
  EXPECT_EQ(predicted[0].name, "long_scoreboard");
  EXPECT_DOUBLE_EQ(predicted[0].share, 40.0 / 78);
}

TEST(StallComparison, TopReasonsAgreeWithinFivePoints) {
  const std::vector<StallReason> measured = {{"wait", 0.40}, {"barrier", 0.36}, {"drain", 0.24}};
  EXPECT_TRUE(compare_top_stalls({{"wait", 1}}, measured)->agrees());
  EXPECT_TRUE(compare_top_stalls({{"barrier", 1}}, measured)->agrees());
  EXPECT_FALSE(compare_top_stalls({{"drain", 1}}, measured)->agrees());
  EXPECT_FALSE(compare_top_stalls({{"mio_throttle", 1}}, measured)->agrees());
  EXPECT_FALSE(compare_top_stalls({}, measured).has_value());
  EXPECT_FALSE(compare_top_stalls({{"wait", 1}}, {}).has_value());
}

}  // namespace
}  // namespace perfmodel
