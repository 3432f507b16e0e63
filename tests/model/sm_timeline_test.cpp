#include "model/timeline/sm_timeline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "model/timeline/instruction_cost.hpp"
#include "model/timeline/mechanism.hpp"
#include "model/timeline/timeline_recorder.hpp"
#include "tests/sass/assembled.hpp"
#include "tests/support/temporary_folder.hpp"

namespace perfmodel {
namespace {

using sass::MemorySpace;
using sass::TracedPattern;
using testing::error_of;

/// Blocks that start at once, and pipes with whole intervals.
SmCosts plain_costs() {
  SmCosts costs;
  costs.warp_launch_interval = 0;
  costs.sm_count = 0;
  costs.block_gap = 0;
  return costs;
}

/// A hand-made kernel whose warps all execute the instructions that `add` appends.
class Kernel {
 public:
  /// One instruction a line; each stalls one cycle and uses no scoreboard until it is told to.
  explicit Kernel(const std::string& text) {
    function_.name = "kernel";
    function_.instructions = sass::testing::assemble(text);
    function_.has_control = true;
    for (sass::ListedInstruction& listed : function_.instructions) {
      listed.control.stall_cycles = 1;
    }
  }

  sass::SchedulingControl& control(std::size_t position) {
    return function_.instructions.at(position).control;
  }
  sass::Function& function() { return function_; }

  void warps(std::size_t count) { trace_.warps.resize(count); }
  /// `count` executions of an instruction by every warp.
  void add(std::uint32_t position, std::size_t count = 1, bool idle = false) {
    for (std::size_t warp = 0; warp < trace_.warps.size(); ++warp) {
      add_to(warp, position, count, idle);
    }
  }
  void add_to(std::size_t warp, std::uint32_t position, std::size_t count = 1, bool idle = false) {
    sass::TracedStep step(position);
    if (idle) {
      step.set_idle();
    }
    trace_.warps.at(warp).steps.insert(trace_.warps.at(warp).steps.end(), count, step);
  }
  /// An execution by every warp that accesses memory from `first_sector` on.
  void add_access(std::uint32_t position, const TracedPattern& pattern,
                  std::uint64_t first_sector = 0) {
    for (std::size_t warp = 0; warp < trace_.warps.size(); ++warp) {
      add_access_to(warp, position, pattern, first_sector);
    }
  }
  void add_access_to(std::size_t warp, std::uint32_t position, const TracedPattern& pattern,
                     std::uint64_t first_sector = 0) {
    patterns_.push_back(pattern);
    add_to(warp, position);
    trace_.warps.at(warp).steps.back().add_access();
    trace_.warps.at(warp).accesses.push_back(
        {static_cast<std::uint32_t>(patterns_.size() - 1), pattern.wavefronts, first_sector});
  }
  /// Every warp waits for all others.
  void add_barrier(std::uint32_t position) {
    add(position);
    for (sass::WarpTrace& warp : trace_.warps) {
      warp.steps.back().set_barrier();
      warp.barriers.push_back({});
    }
  }

  [[nodiscard]] SmTimelineResult run(const SmCosts& costs,
                                     const SmTimelineOptions& options = {}) const {
    const sass::Code code = sass::decode(function_, 90);
    SmTimeline timeline(code, function_, patterns_, costs, options);
    const auto trace = std::make_shared<const sass::BlockTrace>(trace_);
    return timeline.run([&](std::int64_t) { return trace; });
  }

 private:
  sass::Function function_;
  sass::BlockTrace trace_{0, std::vector<sass::WarpTrace>(1), true, 0};
  std::vector<TracedPattern> patterns_;
};

double stalled(const SmTimelineResult& result, Stall stall) {
  double cycles = 0;
  for (const auto& by_reason : result.stalls) {
    cycles += by_reason[static_cast<std::size_t>(stall)];
  }
  return cycles;
}

double warp_cycles(const SmTimelineResult& result) {
  double cycles = 0;
  for (const auto& by_reason : result.stalls) {
    cycles = std::accumulate(by_reason.begin(), by_reason.end(), cycles);
  }
  return cycles;
}

TracedPattern shared_load(std::uint32_t wavefronts) {
  TracedPattern pattern;
  pattern.space = MemorySpace::shared;
  pattern.wavefronts = wavefronts;
  pattern.register_rows = 1;
  return pattern;
}

/// 128 bytes in a line.
TracedPattern coalesced(bool store = false) {
  TracedPattern pattern;
  pattern.space = MemorySpace::global;
  pattern.store = store;
  pattern.wavefronts = 1;
  pattern.register_rows = 1;
  pattern.lines = 1;
  pattern.sectors = {0, 1, 2, 3};
  return pattern;
}

constexpr double n = 1000;

TEST(SmTimeline, DependentInstructionsTakeTheirStall) {
  Kernel kernel("FFMA R4,R4,R5,R5\nEXIT");
  kernel.control(0).stall_cycles = 4;
  kernel.add(0, 1000);
  kernel.add(1);
  const SmTimelineResult result = kernel.run(plain_costs());
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.blocks_done, 1);
  EXPECT_EQ(result.steps, n + 1);
  EXPECT_EQ(result.executions[0], n);
  EXPECT_NEAR(result.cycles, 4 * n, 10);
  EXPECT_NEAR(stalled(result, Stall::wait), 3 * n, 10);
}

/// Cycles per instruction of one sub-partition that eight warps keep busy.
double interval_of(const std::string& instruction, const SmCosts& costs = plain_costs()) {
  Kernel kernel(instruction + "\nEXIT");
  kernel.warps(32);
  kernel.add(0, 500);
  kernel.add(1);
  return kernel.run(costs).cycles / (8 * 500);
}

TEST(SmTimeline, IndependentWarpsAreBoundByIssuing) {
  EXPECT_NEAR(interval_of("FFMA R4,R2,R5,R5"), 1, 0.01) << "two halves, a cycle each";
  EXPECT_NEAR(interval_of("NOP"), 1, 0.01);
}

TEST(SmTimeline, PipesAreBusyForTheirIntervals) {
  SmCosts costs = plain_costs();
  EXPECT_NEAR(interval_of("LOP3.LUT R4,R2,R5,RZ,0xc0,!PT", costs), 2, 0.02);
  EXPECT_NEAR(interval_of("IMAD R4,R2,R5,R5", costs), 2, 0.02) << "one half multiplies integers";
  EXPECT_NEAR(interval_of("MUFU.RCP R4,R5", costs), 8, 0.08);
  EXPECT_NEAR(interval_of("DFMA R4,R2,R6,R8", costs), 3, 0.03) << "banks: six registers";
  costs.fma_halves = 1;
  EXPECT_NEAR(interval_of("FFMA R4,R2,R5,R5", costs), 2, 0.02);
}

TEST(SmTimeline, MeasuredIntervalsAreNotRoundedUp) {
  SmCosts costs = plain_costs();
  costs.alu_interval = 2.004;
  EXPECT_NEAR(interval_of("LOP3.LUT R4,R2,R5,RZ,0xc0,!PT", costs), 2.004, 0.02);
}

TEST(SmTimeline, RegistersOfOneBankAreReadOneByOne) {
  EXPECT_NEAR(interval_of("FFMA R4,R2,R6,R8"), 3, 0.03);
  EXPECT_NEAR(interval_of("FFMA R4,R2,R5,R8"), 2, 0.02);
  EXPECT_NEAR(interval_of("FFMA R4,R2,R2,R2"), 1, 0.01) << "each once";
}

TEST(SmTimeline, ABankServesTheNextInstructionWhileTheOtherIsBusy) {
  // Each reads two registers of one bank and one of the other, in turns.
  Kernel kernel("FFMA R4,R2,R6,R9\nFFMA R5,R3,R7,R8\nEXIT");
  for (int i = 0; i < 500; ++i) {
    kernel.add(0);
    kernel.add(1);
  }
  kernel.add(2);
  EXPECT_NEAR(kernel.run(plain_costs()).cycles / 1000, 1.5, 0.02);
}

TEST(SmTimeline, IdleStepsOnlyIssue) {
  Kernel kernel("MUFU.RCP R4,R5\nEXIT");
  kernel.warps(32);
  kernel.add(0, 500, true);
  kernel.add(1);
  const SmTimelineResult result = kernel.run(plain_costs());
  EXPECT_NEAR(result.cycles, 8 * 500, 40);
  EXPECT_EQ(result.busy_cycles[static_cast<std::size_t>(Unit::xu)], 0);
}

TEST(SmTimeline, WavefrontsOfSharedMemoryPassOneByOne) {
  for (const std::uint32_t wavefronts : {2U, 8U, 32U}) {
    Kernel kernel("LDS R4,[R2]\nEXIT");
    kernel.warps(32);
    for (int i = 0; i < 50; ++i) {
      kernel.add_access(0, shared_load(wavefronts));
    }
    kernel.add(1);
    const SmTimelineResult result = kernel.run(plain_costs());
    const double expected = 32 * 50 * wavefronts;
    EXPECT_NEAR(result.cycles, expected, 0.02 * expected + 60);
    EXPECT_EQ(result.busy_cycles[static_cast<std::size_t>(Unit::lsu_data)], expected);
    EXPECT_GT(stalled(result, Stall::mio_throttle), 0);
  }
}

TEST(SmTimeline, ALoadedValueTakesItsLatency) {
  Kernel kernel("LDS R4,[R2]\nFADD R5,R4,R4\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  constexpr int loads = 100;
  for (int i = 0; i < loads; ++i) {
    kernel.add_access(0, shared_load(1));
    kernel.add(1);
  }
  kernel.add(2);
  const SmCosts costs = plain_costs();
  const SmTimelineResult result = kernel.run(costs);
  EXPECT_NEAR(result.cycles, loads * (costs.shared_latency + 1), loads + 20);
  EXPECT_GT(stalled(result, Stall::short_scoreboard), loads * 20);
  EXPECT_EQ(stalled(result, Stall::long_scoreboard), 0);
}

/// Cycles of each of 100 dependent loads, which are `sectors_apart`.
double cycles_per_load(std::uint64_t sectors_apart, const SmCosts& costs,
                       SmTimelineResult* result = nullptr) {
  Kernel kernel("LDG.E R4,[R2.64]\nFADD R5,R4,R4\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  for (std::uint64_t i = 0; i < 100; ++i) {
    kernel.add_access(0, coalesced(), sectors_apart * i);
    kernel.add(1);
  }
  kernel.add(2);
  SmTimelineOptions options;
  options.l1_bytes = 128 << 10;
  const SmTimelineResult all = kernel.run(costs, options);
  if (result != nullptr) {
    *result = all;
  }
  return all.cycles / 100;
}

/// Cycles by which a load of shared memory delays the end, with `ahead` FFMAs between it and what
/// needs it.
/// `banks` are those that the FFMAs write, from the first on, over and over: 'e' of even registers,
/// 'o' of odd ones, '-' none.
double delay_behind(const std::string& load, std::uint32_t registers, std::size_t ahead,
                    const std::string& banks) {
  const auto cycles = [&](bool waits, const std::string& written) {
    Kernel kernel(load + "\nFFMA R20,RZ,RZ,RZ\nFFMA R21,RZ,RZ,RZ\nFFMA RZ,RZ,RZ,RZ\n" +
                  "ISETP.NE.U32.AND P0,PT,R8,0x4d,PT\nNOP\nEXIT");
    kernel.control(0).write_barrier = 0;
    kernel.control(4).wait_mask = waits ? 1 : 0;
    TracedPattern pattern = shared_load(registers);
    pattern.register_rows = registers;
    kernel.add_access(0, pattern);
    for (std::size_t i = 0; i < ahead; ++i) {
      const char bank = written[i % written.size()];
      kernel.add(bank == 'e' ? 1 : bank == 'o' ? 2 : 3);
    }
    kernel.add(4);
    kernel.add(5, 100);
    kernel.add(6);
    return kernel.run(plain_costs()).cycles;
  };
  return cycles(true, banks) - cycles(false, "-");
}

std::string in_runs_of(std::size_t length) {
  return std::string(length, 'e') + std::string(length, 'o');
}

/// As measured on an H200: a load and FFMAs with these registers, patched into machine code.
TEST(SmTimeline, ALoadIsWrittenWhenItsBankTakesNoOtherResult) {
  struct Case {
    std::string load;
    std::uint32_t registers;
    std::string banks;
    std::map<std::size_t, double> delays;  ///< by FFMAs ahead
  };
  const std::vector<Case> cases = {
      {"LDS R9,[R30]", 1, "e", {{24, 0}, {32, 0}, {48, 0}}},
      {"LDS R9,[R30]", 1, "o", {{24, 8}, {28, 8}, {40, 3}, {48, 3}, {63, 3}}},
      {"LDS.64 R14,[R30]", 2, "eo", {{24, 2}, {28, 0}, {48, 0}}},
      {"LDS.64 R14,[R30]", 2, in_runs_of(2), {{24, 4}, {28, 1}, {32, 0}}},
      {"LDS.64 R14,[R30]", 2, in_runs_of(4), {{24, 8}, {28, 4}, {32, 1}, {40, 0}}},
      {"LDS.64 R14,[R30]", 2, in_runs_of(8), {{24, 9}, {32, 8}, {36, 4}, {48, 0}}},
      {"LDS.128 R8,[R30]", 4, "eo", {{24, 8}, {28, 4}, {32, 1}, {40, 0}}},
      {"LDS.128 R8,[R30]", 4, in_runs_of(2), {{24, 10}, {32, 4}, {40, 0}}},
      {"LDS.128 R8,[R30]", 4, in_runs_of(4), {{24, 10}, {32, 8}, {36, 4}, {48, 0}}},
      {"LDS.128 R8,[R30]", 4, "eee-", {{24, 10}, {32, 4}, {40, 0}}},
      {"LDS.128 R8,[R30]", 4, "eeeeeeeo", {{24, 10}, {34, 6}, {44, 0}}},
      {"LDS.128 R8,[R30]", 4, in_runs_of(8), {{24, 11}, {36, 9}, {56, 1}, {63, 0}}},
      {"LDS.128 R8,[R30]", 4, in_runs_of(16), {{24, 10}, {48, 9}, {56, 8}}},
      {"LDS.128 R8,[R30]", 4, "e", {{24, 11}, {36, 11}, {48, 3}, {63, 3}}}};
  for (const Case& one : cases) {
    for (const auto& [ahead, delay] : one.delays) {
      EXPECT_NEAR(delay_behind(one.load, one.registers, ahead, one.banks), delay, 1)
          << one.load << " behind " << ahead << " of " << one.banks;
    }
  }
}

/// As measured on an H200: loads of one warp that conflict, or are wide, one behind the other.
TEST(SmTimeline, WavefrontsOfOneWarpAreTwoCyclesApart) {
  const auto cycles = [](std::size_t warps, std::size_t loads, std::uint32_t wavefronts) {
    Kernel kernel("LDS R8,[R30]\nISETP.NE.U32.AND P0,PT,R8,0x4d,PT\nEXIT");
    kernel.warps(warps);
    kernel.control(0).write_barrier = 0;
    kernel.control(0).stall_cycles = 4;
    kernel.control(1).wait_mask = 1;
    const TracedPattern pattern = shared_load(wavefronts);
    for (std::size_t i = 0; i < loads; ++i) {
      kernel.add_access(0, pattern);
    }
    kernel.add(1);
    kernel.add(2);
    return kernel.run(plain_costs()).cycles;
  };
  EXPECT_NEAR(cycles(1, 1, 4) - cycles(1, 1, 1), 6, 0.5);
  EXPECT_NEAR(cycles(1, 1, 32) - cycles(1, 1, 1), 62, 0.5);
  EXPECT_NEAR(cycles(1, 8, 4) - cycles(1, 1, 4), 7 * 8, 1);
  EXPECT_NEAR(cycles(1, 8, 32) - cycles(1, 1, 32), 7 * 64, 2);
  EXPECT_NEAR(cycles(2, 8, 4) - cycles(1, 8, 4), 1, 4) << "two warps share the pipe";
  EXPECT_NEAR(cycles(4, 8, 4), 8 * 4 * 4, 40) << "four keep it busy";
}

TEST(SmTimeline, LoadsHitOrMissL1) {
  SmCosts costs = plain_costs();
  costs.l2_spread.points.fill({0, 1});
  costs.l2_spread.points.back() = {1, 1};
  SmTimelineResult result;
  const double hit = cycles_per_load(0, costs, &result);
  EXPECT_NEAR(hit, costs.l1_latency + costs.l2_latency / 100, 5);
  EXPECT_EQ(result.l1_sectors, 400);
  EXPECT_EQ(result.l1_missed_sectors, 4);
  const double miss = cycles_per_load(4, costs, &result);
  EXPECT_NEAR(miss, costs.l2_latency, 10);
  EXPECT_EQ(result.l1_missed_sectors, 400);
  EXPECT_GT(stalled(result, Stall::long_scoreboard), 100 * (costs.l2_latency - 20));
}

TEST(SmTimeline, DataUnderWayPassesThePipeWhenItComes) {
  // 32 warps ask for one line: none has it before it comes, and then one a cycle.
  Kernel kernel("LDG.E R4,[R2.64]\nFADD R5,R4,R4\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  kernel.warps(32);
  kernel.add_access(0, coalesced());
  kernel.add(1);
  kernel.add(2);
  SmCosts costs = plain_costs();
  costs.l2_spread.points.fill({0, 1});
  costs.l2_spread.points.back() = {1, 1};
  SmTimelineOptions options;
  options.l1_bytes = 128 << 10;
  const SmTimelineResult result = kernel.run(costs, options);
  EXPECT_EQ(result.l1_missed_sectors, 4);
  EXPECT_NEAR(result.cycles, costs.l2_latency + 32, 12);
}

TEST(SmTimeline, TheOldestBlockHasTheRightOfWay) {
  // Dependent instructions of eight warps a sub-partition: four take all of the issue slots.
  Kernel kernel("FFMA R4,R4,R5,R5\nEXIT");
  kernel.control(0).stall_cycles = 4;
  kernel.warps(16);
  kernel.add(0, 1000);
  kernel.add(1);
  SmTimelineOptions options;
  options.blocks = 2;
  options.resident_blocks = 2;
  options.step_budget = 16'000;
  const SmTimelineResult result = kernel.run(plain_costs(), options);
  ASSERT_EQ(result.slot_steps.size(), 2);
  EXPECT_GT(result.slot_steps[0], 0.95 * result.steps);
}

const std::string four_wide_loads =
    "LDS.128 R8,[R30]\nLDS.128 R12,[R30]\nLDS.128 R16,[R30]\nLDS.128 R24,[R30]\n";

/// Each of them waits for itself, so that four are under way.
void use_own_scoreboards(Kernel& kernel) {
  for (std::uint8_t i = 0; i < 4; ++i) {
    kernel.control(i).write_barrier = i;
    kernel.control(i).wait_mask = static_cast<std::uint8_t>(1U << i);
  }
}

/// As measured on an H200: of eight warps of a sub-partition that load a word, multiply ten times
/// and then need it, every 18 instructions, six go on at the same pace, and two hardly at all.
TEST(SmTimeline, WarpsThatWaitedForDataComeBehindThoseThatWaitedLonger) {
  Kernel kernel("LDS R9,[R30]\nFFMA R4,R5,R5,R5\nFFMA R6,R9,R5,R5\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(2).wait_mask = 1;
  kernel.warps(4);
  for (int i = 0; i < 200; ++i) {
    kernel.add_access(0, shared_load(1));
    kernel.add(1, 9);
    kernel.add(2);
    kernel.add(1, 7);
  }
  kernel.add(3);
  SmTimelineOptions options;
  options.blocks = 8;
  options.resident_blocks = 8;
  options.step_budget = 8 * 4 * 200 * 18 / 2.0;
  const auto steps = kernel.run(plain_costs(), options).slot_steps;
  ASSERT_EQ(steps.size(), 8);
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_NEAR(steps[i] / steps[0], 1, 0.3) << i;
  }
  EXPECT_LT(steps[7], 0.1 * steps[0]);
  SmCosts strict = plain_costs();
  leave_out(strict, "woken-last");
  const auto strictly = kernel.run(strict, options).slot_steps;
  EXPECT_LT(strictly[4], 0.1 * strictly[0]);
}

/// K3's counters: its warps wait for the queue twice as long as for each other at the barrier.
TEST(SmTimeline, WarpsOfABlockTakeTurnsAtAFullQueue) {
  Kernel kernel("LDS R9,[R30]\nBAR.SYNC 0x0\nEXIT");
  kernel.warps(32);
  for (int stage = 0; stage < 20; ++stage) {
    for (int i = 0; i < 16; ++i) {
      kernel.add_access(0, shared_load(1));
    }
    kernel.add_barrier(1);
  }
  kernel.add(2);
  const SmTimelineResult result = kernel.run(plain_costs());
  EXPECT_LT(stalled(result, Stall::barrier), 0.5 * stalled(result, Stall::mio_throttle));
  SmCosts one_by_one = plain_costs();
  leave_out(one_by_one, "queue-turns");
  const SmTimelineResult ahead = kernel.run(one_by_one);
  EXPECT_GT(stalled(ahead, Stall::barrier), 2 * stalled(result, Stall::barrier));
  EXPECT_NEAR(ahead.cycles, result.cycles, 0.05 * result.cycles) << "the data pipe is as busy";
}

/// 32 warps that load eight times and wait for it, over and over.
Kernel waits_for_eight(const std::string& load, const TracedPattern& pattern, int times) {
  Kernel kernel(load + "\nFFMA R4,R8,R4,R4\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  kernel.warps(32);
  for (int i = 0; i < times; ++i) {
    for (int j = 0; j < 8; ++j) {
      kernel.add_access(0, pattern);
    }
    kernel.add(1);
  }
  kernel.add(2);
  return kernel;
}

/// Of the cycles of such warps, the shares in which loads of shared memory are on their way, and in
/// which the next one finds no place.
std::pair<double, double> eight_loads_on_their_way(std::uint32_t wavefronts) {
  const SmTimelineResult result =
      waits_for_eight("LDS R8,[R30]", shared_load(wavefronts), 50).run(plain_costs());
  return {stalled(result, Stall::short_scoreboard) / warp_cycles(result),
          stalled(result, Stall::mio_throttle) / warp_cycles(result)};
}

/// As measured on an H200, by conflicts: 0.24 and 0.75 where each load takes 32 wavefronts, 0.22
/// and 0.66 where it takes four.
TEST(SmTimeline, LoadsHoldTheirPlaceUntilTheyAreServed) {
  const auto [slow, slow_throttled] = eight_loads_on_their_way(32);
  EXPECT_NEAR(slow, 0.24, 0.02);
  EXPECT_NEAR(slow_throttled, 0.75, 0.03);
  const auto [fast, fast_throttled] = eight_loads_on_their_way(4);
  EXPECT_NEAR(fast, 0.22, 0.02);
  EXPECT_NEAR(fast_throttled, 0.66, 0.06);
}

/// As measured on an H200: of K2's two blocks on an SM the older one takes 2330 cycles an
/// iteration, and the younger one 3700, for then older warps wait for data. Here they never do.
TEST(SmTimeline, OlderBlocksComeFirstAtAFullQueue) {
  const Kernel kernel = waits_for_eight("LDG.E R8,[R2.64]", coalesced(), 200);
  SmTimelineOptions options;
  options.l1_bytes = 128 << 10;
  options.blocks = 2;
  options.resident_blocks = 2;
  options.step_budget = 32 * 200 * 9;
  const auto steps = kernel.run(plain_costs(), options).slot_steps;
  EXPECT_GT(steps[0], 50 * steps[1]) << "which never leaves room";
}

/// As measured on an H200: every 36 instructions a load whose four registers come in two
/// wavefronts, beside FFMAs that leave no cycle in which neither bank is written: three cycles more
/// for each. One in four wavefronts passes between them.
TEST(SmTimeline, WhatComesInFewWavefrontsNeedsBothBanksAtOnce) {
  const auto cycles_per_load = [](std::uint32_t wavefronts) {
    constexpr int loads = 100;
    Kernel kernel(four_wide_loads + "FFMA R20,RZ,RZ,RZ\nFFMA R21,RZ,RZ,RZ\nEXIT");
    use_own_scoreboards(kernel);
    TracedPattern pattern = shared_load(wavefronts);
    pattern.register_rows = 4;
    for (int i = 0; i < loads; ++i) {
      kernel.add_access(i % 4, pattern);
      for (int k = 0; k < 35; ++k) {
        kernel.add(k % 2 == 0 ? 4 : 5);
      }
    }
    kernel.add(6);
    return kernel.run(plain_costs()).cycles / loads;
  };
  EXPECT_NEAR(cycles_per_load(4), 36, 0.5);
  EXPECT_NEAR(cycles_per_load(2), 39, 1.5);
}

/// As measured on an H200: LDS.128 of a sub-partition whose FFMAs keep its ports busy slow down
/// those of another one.
TEST(SmTimeline, DataThatCannotBeWrittenHoldsUpOtherSubPartitions) {
  const auto cycles = [](bool stops) {
    Kernel kernel(four_wide_loads + "FFMA R20,RZ,RZ,RZ\nEXIT");
    use_own_scoreboards(kernel);
    kernel.warps(2);
    TracedPattern pattern = shared_load(4);
    pattern.register_rows = 4;
    for (int i = 0; i < 400; ++i) {
      kernel.add_access_to(0, i % 4, pattern);
      kernel.add_to(0, 4, 12);
      kernel.add_access_to(1, i % 4, pattern);
    }
    kernel.add_to(1, 4);
    kernel.add(5);
    SmCosts costs = plain_costs();
    costs.full_ports_stop_all = stops;
    return stalled(kernel.run(costs), Stall::short_scoreboard);
  };
  EXPECT_GT(cycles(true), 1.2 * cycles(false));
}

/// As measured on an H200: one access passes beside four conflicting ones of another sub-partition
/// as if it were alone.
TEST(SmTimeline, SubPartitionsTakeTurnsAtTheMemorySide) {
  const auto cycles = [](bool turns) {
    Kernel kernel("LDS R8,[R30]\nNOP\nISETP.NE.U32.AND P0,PT,R8,0x4d,PT\nEXIT");
    kernel.control(0).write_barrier = 0;
    kernel.control(2).wait_mask = 1;
    kernel.warps(9);
    for (const std::size_t warp : {0, 4, 8}) {
      for (int i = 0; i < 4; ++i) {
        kernel.add_access_to(warp, 0, shared_load(32));
      }
    }
    kernel.add_to(1, 1, 30);
    kernel.add_access_to(1, 0, shared_load(1));
    kernel.add_to(1, 2);
    kernel.add_to(1, 1, 400);
    kernel.add_to(1, 3);
    SmCosts costs = plain_costs();
    costs.sub_partitions_take_turns = turns;
    return stalled(kernel.run(costs), Stall::short_scoreboard);
  };
  EXPECT_LT(cycles(true), 80);
  EXPECT_GT(cycles(false), 200);
}

/// As measured on an H200: once blocks have ended, others start beside those whose warps have all
/// ended but one.
TEST(SmTimeline, WarpsThatEndEarlyLeaveRoomForFurtherBlocks) {
  Kernel kernel("FFMA R4,R4,R5,R5\nEXIT");
  kernel.control(0).stall_cycles = 4;
  kernel.warps(8);
  kernel.add_to(0, 0, 1000);
  kernel.add(1);
  SmTimelineOptions options;
  options.blocks = 5;
  options.resident_blocks = 2;
  options.most_blocks = 2;
  EXPECT_NEAR(kernel.run(plain_costs(), options).cycles, 3 * 4000, 100);
  options.most_blocks = 32;
  const SmTimelineResult result = kernel.run(plain_costs(), options);
  EXPECT_NEAR(result.cycles, 2 * 4000, 100);
  EXPECT_EQ(result.blocks_done, 5);
}

TEST(SmTimeline, ABarrierWaitsForTheLastWarp) {
  Kernel kernel("NOP\nBAR.SYNC.DEFER_BLOCKING 0x0\nEXIT");
  kernel.warps(4);
  kernel.add_to(3, 0, 1000);
  kernel.add_barrier(1);
  kernel.add(2);
  const SmTimelineResult result = kernel.run(plain_costs());
  EXPECT_NEAR(result.cycles, n + plain_costs().barrier_latency, 15);
  EXPECT_NEAR(stalled(result, Stall::barrier), 3 * n, 100) << "three wait for the fourth";
}

TEST(SmTimeline, StoresDrainBeforeTheNextBlockStarts) {
  Kernel kernel("STG.E [R2.64],R4\nEXIT");
  kernel.add_access(0, coalesced(true));
  kernel.add(1);
  SmTimelineOptions options;
  options.blocks = 10;
  const SmCosts costs = plain_costs();
  const SmTimelineResult stores = kernel.run(costs, options);
  EXPECT_EQ(stores.blocks_done, 10);
  EXPECT_EQ(stores.stored_sectors, 40);
  EXPECT_GE(stores.cycles, 10 * costs.l2_latency);
  EXPECT_GT(stalled(stores, Stall::drain), 9 * costs.l2_latency);
  Kernel nothing("NOP\nEXIT");
  nothing.add(0);
  nothing.add(1);
  EXPECT_LT(nothing.run(costs, options).cycles, 50);
}

TEST(SmTimeline, ResidentBlocksRunSideBySide) {
  Kernel kernel("FFMA R4,R4,R5,R5\nEXIT");
  kernel.control(0).stall_cycles = 4;
  kernel.add(0, 1000);
  kernel.add(1);
  SmTimelineOptions options;
  options.blocks = 8;
  const double one_by_one = kernel.run(plain_costs(), options).cycles;
  options.resident_blocks = 4;
  EXPECT_NEAR(kernel.run(plain_costs(), options).cycles, one_by_one / 4, one_by_one / 100);
}

TEST(SmTimeline, UnlimitedUnitsLeaveLatencyOnly) {
  Kernel kernel("MUFU.RCP R4,R5\nEXIT");
  kernel.warps(32);
  kernel.add(0, 10);
  kernel.add(1);
  SmTimelineOptions options;
  options.unlimited = true;
  EXPECT_GE(kernel.run(plain_costs()).cycles, 8 * 10 * 8 - 8);
  EXPECT_LT(kernel.run(plain_costs(), options).cycles, 8 * 10 + 30) << "issuing, eight warps";
}

TEST(SmTimeline, ABudgetCutsOffAtTheRateOfTheWholeRun) {
  Kernel kernel("FFMA R4,R2,R6,R8\nLOP3.LUT R4,R2,R5,RZ,0xc0,!PT\nEXIT");
  kernel.warps(8);
  for (int i = 0; i < 5000; ++i) {
    kernel.add(0);
    kernel.add(1);
  }
  kernel.add(2);
  const SmTimelineResult all = kernel.run(plain_costs());
  EXPECT_TRUE(all.complete);
  SmTimelineOptions options;
  options.step_budget = 10'000;
  const SmTimelineResult part = kernel.run(plain_costs(), options);
  EXPECT_FALSE(part.complete);
  EXPECT_NEAR(part.steps, options.step_budget, 4);
  EXPECT_LT(part.cycles, all.cycles / 4);
  const double rate = all.steps / all.cycles;
  EXPECT_NEAR(part.steady_steps_per_cycle, rate, 0.02 * rate);
}

TEST(SmTimeline, StallsAddUpToTheLivesOfTheWarps) {
  // All begin together and end behind a barrier.
  Kernel kernel("LDS R4,[R2]\nFFMA R4,R4,R6,R8\nMUFU.RCP R4,R4\nBAR.SYNC.DEFER_BLOCKING 0x0\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  kernel.control(1).stall_cycles = 4;
  kernel.warps(16);
  for (int i = 0; i < 50; ++i) {
    kernel.add_access(0, shared_load(4));
    kernel.add(1);
    kernel.add(2);
  }
  kernel.add_barrier(3);
  kernel.add(4);
  const SmTimelineResult result = kernel.run(plain_costs());
  const double lives = 16 * result.cycles;
  EXPECT_NEAR(warp_cycles(result), lives, 0.01 * lives);
  EXPECT_EQ(stalled(result, Stall::selected), result.steps);
}

TEST(Mechanism, EachCanBeLeftOut) {
  for (const Mechanism& mechanism : mechanisms()) {
    SmCosts costs = plain_costs();
    leave_out(costs, std::string(mechanism.name));
    EXPECT_NEAR(interval_of("FFMA R4,R2,R6,R8", costs), mechanism.name == "register-banks" ? 1 : 3,
                0.03)
        << mechanism.name;
    EXPECT_FALSE(mechanism.meaning.empty());
  }
  SmCosts costs;
  EXPECT_EQ(error_of([&] { leave_out(costs, "bank"); }).substr(0, 42),
            "there is no mechanism bank; valid are regi");
}

TEST(Mechanism, InTurnNoBlockIsPreferred) {
  Kernel kernel("FFMA R4,R4,R5,R5\nEXIT");
  kernel.control(0).stall_cycles = 4;
  kernel.warps(16);
  kernel.add(0, 1000);
  kernel.add(1);
  SmTimelineOptions options;
  options.blocks = 2;
  options.resident_blocks = 2;
  options.step_budget = 16'000;
  SmCosts costs = plain_costs();
  leave_out(costs, "oldest-first");
  const SmTimelineResult result = kernel.run(costs, options);
  EXPECT_NEAR(result.slot_steps[0], result.slot_steps[1], 0.01 * result.steps);
}

/// Sixteen warps that load, compute, and meet at a barrier, then store.
Kernel busy_kernel() {
  Kernel kernel(
      "LDG.E R4,[R2.64]\nFFMA R4,R4,R6,R8\nMUFU.RCP R4,R4\nBAR.SYNC.DEFER_BLOCKING 0x0\n"
      "STG.E [R2.64],R4\nEXIT");
  kernel.control(0).write_barrier = 0;
  kernel.control(1).wait_mask = 1;
  kernel.control(1).stall_cycles = 4;
  kernel.warps(16);
  for (std::uint64_t i = 0; i < 20; ++i) {
    kernel.add_access(0, coalesced(), 4 * i);
    kernel.add(1);
    kernel.add(2);
    kernel.add_barrier(3);
  }
  kernel.add_access(4, coalesced(true));
  kernel.add(5);
  return kernel;
}

TEST(SmTimeline, AnObserverSeesAllOfEveryWarp) {
  const Kernel kernel = busy_kernel();
  const SmCosts costs = plain_costs();
  double seen = 0;
  std::array<double, stall_count> by_reason{};
  std::map<double, int> issued_at;
  for (std::uint64_t sub_partition = 0; sub_partition < 4; ++sub_partition) {
    TimelineWindow window;
    window.cycles = 1e6;
    window.sub_partition = sub_partition;
    TimelineRecorder recorder(window, costs.sub_partitions);
    SmTimelineOptions options;
    options.blocks = 3;
    options.observer = &recorder;
    const SmTimelineResult result = kernel.run(costs, options);
    ASSERT_EQ(recorder.warps().size(), 4U);
    for (const auto& [place, slices] : recorder.warps()) {
      double end = 0;
      for (const WarpSlice& slice : slices) {
        EXPECT_GE(slice.begin, end) << "slices of a warp do not overlap";
        EXPECT_EQ(slice.warp, 4 * place + sub_partition);
        end = slice.end;
        by_reason[static_cast<std::size_t>(slice.reason)] += slice.end - slice.begin;
        seen += slice.end - slice.begin;
        if (slice.reason == Stall::selected) {
          EXPECT_EQ(++issued_at[4 * slice.begin + static_cast<double>(sub_partition)], 1)
              << "one instruction a cycle";
        }
      }
    }
    if (sub_partition == 3) {
      EXPECT_NEAR(seen, warp_cycles(result), 1e-6);
      for (std::size_t i = 0; i < stall_count; ++i) {
        EXPECT_NEAR(by_reason[i], stalled(result, static_cast<Stall>(i)), 1e-6)
            << stall_name(static_cast<Stall>(i));
      }
    }
  }
  EXPECT_GT(by_reason[static_cast<std::size_t>(Stall::drain)], 0);
  EXPECT_GT(by_reason[static_cast<std::size_t>(Stall::not_selected)], 0);
}

TEST(SmTimeline, ARecordedWindowIsCutOff) {
  TimelineWindow window;
  window.begin = 1000;
  window.cycles = 500;
  window.warps = 2;
  TimelineRecorder recorder(window, 4);
  SmTimelineOptions options;
  options.observer = &recorder;
  (void)busy_kernel().run(plain_costs(), options);
  ASSERT_EQ(recorder.warps().size(), 2U);
  for (const auto& [place, slices] : recorder.warps()) {
    double cycles = 0;
    for (const WarpSlice& slice : slices) {
      EXPECT_GE(slice.begin, 1000);
      EXPECT_LE(slice.end, 1500);
      cycles += slice.end - slice.begin;
    }
    EXPECT_EQ(cycles, 500) << "every cycle has a reason";
  }
  EXPECT_NEAR(static_cast<double>(recorder.units().size()), 500 / window.sample_cycles, 2);
}

TEST(SmTimeline, SampledUnitsDoTheWorkThatTheyWereAskedFor) {
  TimelineWindow window;
  window.cycles = 1e6;
  TimelineRecorder recorder(window, 4);
  SmTimelineOptions options;
  options.observer = &recorder;
  const SmTimelineResult result = busy_kernel().run(plain_costs(), options);
  for (const Unit unit : {Unit::issue, Unit::fma, Unit::xu, Unit::lsu_data}) {
    double busy = 0;
    for (const UnitSample& sample : recorder.units()) {
      const double share = sample.shares[static_cast<std::size_t>(unit)];
      EXPECT_LE(share, 1) << unit_name(unit);
      busy += share * window.sample_cycles * (is_in_each_sub_partition(unit) ? 4 : 1);
    }
    const double asked = result.busy_cycles[static_cast<std::size_t>(unit)];
    EXPECT_NEAR(busy, asked, 0.05 * asked) << unit_name(unit);
  }
}

/// Loads of every kind, arithmetic that keeps them from being written, full queues, and barriers in
/// any order: whatever the hardware would do, all of it is done.
TEST(SmTimeline, AnyMixtureOfInstructionsComesToItsEnd) {
  constexpr std::size_t warps = 16;
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Kernel kernel(
        "LDS R8,[R30]\nLDS.128 R12,[R30]\nLDG.E R16,[R32.64]\nLDG.E.128 R20,[R32.64]\n"
        "STG.E [R32.64],R4\nFFMA R24,RZ,RZ,RZ\nFFMA R25,RZ,RZ,RZ\nFFMA R26,R8,R12,R16\n"
        "BAR.SYNC 0x0\nEXIT");
    for (std::uint8_t i = 0; i < 4; ++i) {
      kernel.control(i).write_barrier = i;
    }
    kernel.control(7).wait_mask = static_cast<std::uint8_t>(random() % 16);
    kernel.warps(warps);
    double steps = 0;
    for (int stage = 0; stage < 6; ++stage) {
      for (std::size_t warp = 0; warp < warps; ++warp) {
        for (auto left = random() % 60; left != 0; --left) {
          const auto position = static_cast<std::uint32_t>(random() % 8);
          TracedPattern pattern =
              position < 2 ? shared_load(1U << random() % 6) : coalesced(position == 4);
          pattern.register_rows = position == 1 || position == 3 ? 4 : 1;
          if (position < 5) {
            kernel.add_access_to(warp, position, pattern, random() % 4000);
          } else {
            kernel.add_to(warp, position);
          }
          steps += 1;
        }
      }
      kernel.add_barrier(8);
      steps += warps;
    }
    kernel.add(9);
    SmTimelineOptions options;
    options.blocks = 5;
    options.resident_blocks = 2;
    const SmTimelineResult result = kernel.run(plain_costs(), options);
    EXPECT_TRUE(result.complete) << round;
    EXPECT_EQ(result.blocks_done, 5) << round;
    EXPECT_EQ(result.steps, 5 * (steps + warps)) << round;
  }
}

TEST(SmTimeline, RefusesCodeWithoutControl) {
  Kernel kernel("EXIT");
  kernel.function().has_control = false;
  kernel.add(0);
  EXPECT_EQ(error_of([&] { (void)kernel.run(plain_costs()); }),
            "kernel: the timeline needs the scheduling control of each instruction, which a bare "
            "listing lacks; give the cubin itself");
}

}  // namespace
}  // namespace perfmodel
