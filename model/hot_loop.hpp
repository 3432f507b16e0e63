#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/launch_audit.hpp"
#include "model/sass/machine_ledger.hpp"
#include "model/timeline/sm_timeline.hpp"

namespace perfmodel {

struct LineStall {
  Stall reason{};
  double share{};  ///< of all warp cycles of the launch
};

/// One instruction and where its warps' time goes.
struct HotLine {
  std::uint32_t address{};
  std::string text;
  double executions{};            ///< by warps, of the launch: counted
  double wavefronts{};            ///< counted
  double ideal_wavefronts{};      ///< that the same bytes need without conflicts
  double sectors{};               ///< counted
  double share{};                 ///< of all warp cycles of the launch: predicted
  std::vector<LineStall> stalls;  ///< the largest first
};

/// The part of the machine code where warps spend most of their time.
struct HotLoop {
  bool is_loop = false;  ///< else the whole kernel, which has none
  double trip_count{};
  double share{};  ///< of all warp cycles of the launch
  std::vector<HotLine> lines;
  std::size_t left_out = 0;  ///< lines beyond `most_hot_lines`
};

/// Lines of a hot loop that are kept.
inline constexpr std::size_t most_hot_lines = 400;

/// The innermost loop in which warps spend most cycles, or the whole kernel where it has no loop.
/// `sm` is the timeline of the same code. Nothing where it holds no cycles.
std::optional<HotLoop> hottest_loop(const sass::MachineLedger& ledger, const SmTimelineResult& sm);

}  // namespace perfmodel
