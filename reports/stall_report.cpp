#include "reports/stall_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/text.hpp"
#include "reports/cells.hpp"

namespace perfmodel::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_instructions = 20;
/// Template arguments make names of targets long.
constexpr std::size_t longest_instruction = 400;

std::string loop_text(const LoopStalls& loop) {
  return fmt::format("{}-{}", address_text(loop.first), address_text(loop.last));
}

std::string loop_text(const StallView& view, const std::optional<std::size_t>& loop) {
  return loop ? loop_text(view.profile.loops[*loop]) : "outside";
}

double group_share(const StallView& view, const std::optional<std::size_t>& loop) {
  double share = 1;
  for (const LoopStalls& one : view.profile.loops) {
    share -= one.share;
  }
  return loop ? view.profile.loops[*loop].share : share;
}

/// "long_scoreboard 62 %, wait 20 %".
std::string top_reasons(const StallCycles& cycles) {
  constexpr std::size_t most = 3;
  constexpr double least = 0.05;
  std::vector<std::string> texts;
  for (const StallShare& one : ranked(cycles)) {
    if (texts.size() < most && one.share >= least) {
      texts.push_back(fmt::format("{} {:.0f} %", stall_name(one.reason), 100 * one.share));
    }
  }
  return join(texts);
}

/// The hottest instructions, those of one loop together; the hottest loop first.
std::vector<InstructionStalls> shown_instructions(const StallView& view) {
  std::vector<InstructionStalls> shown = view.profile.instructions;
  if (!view.all && shown.size() > most_instructions) {
    shown.resize(most_instructions);
  }
  const auto before = [&](const InstructionStalls& left, const InstructionStalls& right) {
    if (left.loop == right.loop) {
      return left.share > right.share;
    }
    const double left_share = group_share(view, left.loop);
    const double right_share = group_share(view, right.loop);
    return left_share != right_share ? left_share > right_share : left.loop < right.loop;
  };
  std::ranges::stable_sort(shown, before);
  return shown;
}

std::size_t left_out(const StallView& view) {
  const std::size_t count = view.profile.instructions.size();
  return view.all || count <= most_instructions ? 0 : count - most_instructions;
}

/// What the models and the counters say of one unit.
struct UnitUse {
  std::string unit;
  std::optional<double> timeline;
  std::optional<double> bound;
  std::optional<double> measured;
};

std::vector<UnitUse> unit_uses(const LaunchAudit& audit, const StallView& view) {
  std::vector<UnitUse> uses;
  const auto of = [&](const std::string& unit) -> UnitUse& {
    const auto found = std::ranges::find(uses, unit, &UnitUse::unit);
    if (found != uses.end()) {
      return *found;
    }
    uses.emplace_back().unit = unit;
    return uses.back();
  };
  for (const UnitShare& one : view.profile.utilisation) {
    of(unit_name(one.unit)).timeline = one.share;
  }
  const double seconds = audit.predictions.front().seconds;
  for (const ResourceBound& one : audit.bounds) {
    of(one.resource).bound = one.seconds / seconds;
  }
  if (audit.measured_units) {
    for (const LimitShare& one : audit.measured_units->utilisation) {
      of(one.resource).measured = one.share;
    }
  }
  return uses;
}

Cell share_cell(const std::optional<double>& share) {
  return share ? percent_cell(*share) : no_cell();
}

Table utilisation_table(const LaunchAudit& audit, const StallView& view) {
  Table table;
  table.title = "Utilisation of every unit";
  table.columns = {{"unit", "unit", Align::left},
                   {"timeline", "timeline"},
                   {"bound", "bound"},
                   {"measured", "measured"}};
  for (const UnitUse& use : unit_uses(audit, view)) {
    table.rows.push_back({text_cell(use.unit), share_cell(use.timeline), share_cell(use.bound),
                          share_cell(use.measured)});
  }
  return table;
}

/// One reason for which warps do not issue, predicted and measured.
struct ReasonShares {
  std::string name;
  double predicted = 0;
  std::optional<double> measured;
};

std::vector<ReasonShares> reason_shares(const LaunchAudit& audit) {
  std::vector<ReasonShares> reasons;
  for (const StallReason& one : predicted_stalls(audit.timeline.sm)) {
    reasons.push_back({one.name, one.share, std::nullopt});
    if (!audit.measured_stalls.empty()) {
      reasons.back().measured = share_of(audit.measured_stalls, one.name);
    }
  }
  for (const StallReason& one : audit.measured_stalls) {
    if (std::ranges::find(reasons, one.name, &ReasonShares::name) == reasons.end()) {
      reasons.push_back({one.name, 0, one.share});
    }
  }
  return reasons;
}

Table reason_table(const LaunchAudit& audit) {
  Table table;
  table.title = "Stall reasons, of the time in which warps do not issue";
  table.columns = {
      {"reason", "reason", Align::left}, {"predicted", "predicted"}, {"measured", "measured"}};
  for (const ReasonShares& one : reason_shares(audit)) {
    table.rows.push_back(
        {text_cell(printable(one.name)), percent_cell(one.predicted), share_cell(one.measured)});
  }
  return table;
}

Table loop_table(const StallView& view) {
  Table table;
  table.title = "Loops, without those inside them";
  table.columns = {{"loop", "loop", Align::left},
                   {"depth", "depth"},
                   {"of warp cycles", "share"},
                   {"top reasons", "reasons", Align::left}};
  for (const LoopStalls& loop : view.profile.loops) {
    table.rows.push_back({text_cell(loop_text(loop)), fixed_cell(loop.depth, 0),
                          percent_cell(loop.share), text_cell(top_reasons(loop.cycles))});
  }
  table.rows.push_back({text_cell("outside"), no_cell(),
                        percent_cell(group_share(view, std::nullopt)),
                        text_cell(top_reasons(view.profile.outside_loops))});
  return table;
}

Json reasons_json(const StallCycles& cycles) {
  Json json = Json::object();
  for (const StallShare& one : ranked(cycles)) {
    json[stall_name(one.reason)] = one.share;
  }
  return json;
}

Json optional_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json loops_json(const StallView& view) {
  Json json = Json::array();
  for (const LoopStalls& loop : view.profile.loops) {
    json.push_back({{"first_address", loop.first * sass::instruction_bytes},
                    {"branch_address", loop.last * sass::instruction_bytes},
                    {"depth", loop.depth},
                    {"iterations", loop.trips},
                    {"share", loop.share},
                    {"reasons", reasons_json(loop.cycles)}});
  }
  return json;
}

Json instructions_json(const StallView& view) {
  Json json = Json::array();
  for (const InstructionStalls& one : shown_instructions(view)) {
    json.push_back({{"address", one.position * sass::instruction_bytes},
                    {"instruction", view.lines[one.position].text},
                    {"loop", one.loop ? Json(*one.loop) : Json(nullptr)},
                    {"executions", one.executions},
                    {"share", one.share},
                    {"reasons", reasons_json(one.cycles)}});
  }
  return json;
}

}  // namespace

Table stall_instruction_table(const StallView& view) {
  Table table;
  table.title = "Hottest instructions";
  table.columns = {{"address", "address", Align::left},
                   {"loop", "loop", Align::left},
                   {"of warp cycles", "share"},
                   {"top reasons", "reasons", Align::left},
                   {"instruction", "instruction", Align::left}};
  for (const InstructionStalls& one : shown_instructions(view)) {
    table.rows.push_back(
        {text_cell(address_text(one.position)), text_cell(loop_text(view, one.loop)),
         percent_cell(one.share), text_cell(top_reasons(one.cycles)),
         text_cell(printable(view.lines[one.position].text, longest_instruction))});
  }
  return table;
}

void add_stalls(Document& document, const LaunchAudit& audit, const StallView& view) {
  document.parts.emplace_back(Heading{"Where the cycles go"});
  document.parts.emplace_back(Paragraph{fmt::format(
      "One SM, {:.3g} % of its warp instructions simulated. Timeline and measured: busy share of "
      "the cycles; bound: least time of the unit, of the predicted time.",
      100 * audit.timeline.share_simulated)});
  document.parts.emplace_back(utilisation_table(audit, view));
  document.parts.emplace_back(reason_table(audit));
  document.parts.emplace_back(loop_table(view));
  document.parts.emplace_back(stall_instruction_table(view));
  if (const std::size_t count = left_out(view); count != 0) {
    document.parts.emplace_back(Paragraph{
        fmt::format("{} more instructions are left out; --all-instructions shows them.", count)});
  }
}

void add_stalls_json(nlohmann::ordered_json& json, const LaunchAudit& audit,
                     const StallView& view) {
  Json units = Json::object();
  for (const UnitUse& use : unit_uses(audit, view)) {
    units[use.unit] = {{"timeline", optional_json(use.timeline)},
                       {"bound", optional_json(use.bound)},
                       {"measured", optional_json(use.measured)}};
  }
  Json reasons = Json::array();
  for (const ReasonShares& one : reason_shares(audit)) {
    reasons.push_back({{"reason", one.name},
                       {"predicted", one.predicted},
                       {"measured", optional_json(one.measured)}});
  }
  json["utilisation"] = std::move(units);
  json["stalls"] = {{"warp_cycles", view.profile.warp_cycles},
                    {"reasons", std::move(reasons)},
                    {"loops", loops_json(view)},
                    {"outside_loops",
                     {{"share", group_share(view, std::nullopt)},
                      {"reasons", reasons_json(view.profile.outside_loops)}}},
                    {"instructions", instructions_json(view)},
                    {"instructions_left_out", left_out(view)}};
}

}  // namespace perfmodel::reports
