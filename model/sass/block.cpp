#include "model/sass/block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "model/error.hpp"
#include "model/sass/block_state.hpp"
#include "model/sass/trace.hpp"
#include "model/text.hpp"

namespace perfmodel::sass {

InstructionCounter& InstructionCounter::operator+=(const InstructionCounter& other) {
  executions += other.executions;
  active_lanes += other.active_lanes;
  predicated_lanes += other.predicated_lanes;
  divergences += other.divergences;
  taken += other.taken;
  requests += other.requests;
  wavefronts += other.wavefronts;
  miss_wavefronts.sum += other.miss_wavefronts.sum;
  second_wavefronts += other.second_wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  sectors += other.sectors;
  lines += other.lines;
  useful_bytes += other.useful_bytes;
  for (std::size_t i = 0; i < by_access.size(); ++i) {
    by_access[i] += other.by_access[i];
  }
  // In whatever order blocks finish, the same stride wins.
  if (std::pair(other.stride_votes, other.stride_bytes) > std::pair(stride_votes, stride_bytes)) {
    stride_bytes = other.stride_bytes;
    stride_votes = other.stride_votes;
  }
  return *this;
}

BlockCounts& BlockCounts::operator+=(const BlockCounts& other) {
  instructions.resize(std::max(instructions.size(), other.instructions.size()));
  for (std::size_t i = 0; i < other.instructions.size(); ++i) {
    instructions[i] += other.instructions[i];
  }
  unique_sectors += other.unique_sectors;
  return *this;
}

BlockEmulator::BlockEmulator(const LaunchContext& context)
    : context_(context), code_(*context.code) {
  const std::uint32_t threads = context.launch->threads_per_block();
  const std::uint32_t warps = (threads + warp_lanes - 1) / warp_lanes;
  rows_.resize(std::size_t{code_.rows} * warps);
  warps_.resize(warps);
  for (std::uint32_t i = 0; i < warps; ++i) {
    warps_[i].number = i;
    warps_[i].rows = rows_.data() + std::size_t{code_.rows} * i;
    warps_[i].local.resize(std::size_t{context.local_bytes} * warp_lanes);
  }
  shared_.resize(context.shared_bytes);
  if (context.defects) {
    shared_shadow_ = std::make_unique<SharedShadow>();
    shared_shadow_->writes.resize(context.shared_bytes / 4 + 1);
    shared_shadow_->reads.resize(context.shared_bytes / 4 + 1);
  }
  counts_.instructions.resize(code_.instructions.size());
  skipped_executions_.resize(code_.instructions.size() + 1);
  skipped_lanes_.resize(code_.instructions.size() + 1);
  std::uint32_t memos = 0;
  for (const Instruction& instruction : code_.instructions) {
    first_memo_.push_back(memos);
    const bool accesses = instruction.op == Op::load || instruction.op == Op::store ||
                          instruction.op == Op::atomic || instruction.op == Op::ldgsts;
    memos += (accesses ? 1U : 0U) + (instruction.op == Op::ldgsts ? 1U : 0U);
  }
  memos_.resize(memos * memo_entries);
  last_sectors_.resize(remembered_accesses);
  pending_.resize(remembered_sectors);
  find_defects_ = context.defects;
  for (const Region& region : context.memory->regions()) {
    touched_.emplace_back(region.size());
  }
}

BlockEmulator::~BlockEmulator() = default;

BlockCounts BlockEmulator::take_counts() {
  BlockCounts counts;
  counts.instructions.resize(code_.instructions.size());
  std::swap(counts, counts_);
  return counts;
}

void BlockEmulator::start(std::uint64_t index) {
  const Launch& launch = *context_.launch;
  block_ = {static_cast<std::uint32_t>(index % launch.grid[0]),
            static_cast<std::uint32_t>(index / launch.grid[0] % launch.grid[1]),
            static_cast<std::uint32_t>(index / launch.grid[0] / launch.grid[1])};
  executed_ = 0;
  barriers_ = {};
  for (LastSectors& last : last_sectors_) {
    last.count = 0;
  }
  std::ranges::fill(pending_, PendingSector{});
  std::ranges::fill(rows_, Row{});
  std::ranges::fill(shared_, std::byte{0});
  if (find_defects_) {
    std::ranges::fill(shared_shadow_->writes, 0);
    std::ranges::fill(shared_shadow_->reads, 0);
  }
  const std::uint32_t threads = launch.threads_per_block();
  for (Warp& warp : warps_) {
    const std::uint32_t first = warp.number * warp_lanes;
    const std::uint32_t lanes = std::min(warp_lanes, threads - first);
    warp.live = lanes == warp_lanes ? full_mask : (1U << lanes) - 1;
    warp.predicates.fill(0);
    warp.predicates[predicate_true] = full_mask;
    warp.predicates[predicate_true + 8] = full_mask;
    warp.groups.assign(1, LaneGroup{0, warp.live});
    warp.current = 0;
    warp.executed = 0;
    warp.waited = 0;
    warp.last_arrival = 0;
    warp.awaited.clear();
    std::ranges::fill(warp.local, std::byte{0});
    warp.clock.assign(warps_.size(), 0);
    warp.clock[warp.number] = 1;
  }
}

void BlockEmulator::run(std::uint64_t index) {
  start(index);
  bool running = true;
  while (running) {
    running = false;
    bool progress = false;
    for (Warp& warp : warps_) {
      while (warp.live != 0 && (trace_ == nullptr || !trace_->is_full()) &&
             select_group(warp, false)) {
        const std::uint64_t before = executed_;
        const std::uint64_t turns_before = warp.executed / turn_instructions;
        warp.yielded = false;
        turn_start_ = before - warp.executed;
        run_turn(warp);
        warp.executed = executed_ - turn_start_;
        progress = true;
        if (executed_ > context_.instruction_budget) {
          report_endless();
        }
        // A warp that used up its turn lets the others run: it may wait for them.
        if (executed_ - before >= turn_length()) {
          if (warp.live != 0 && warp.executed / turn_instructions != turns_before) {
            if (warp.yielded) {
              release_from_yielded(warp);
            }
            select_group(warp, true);
          }
          break;
        }
      }
      running = running || warp.live != 0;
    }
    if (trace_ != nullptr && trace_->is_full()) {
      break;
    }
    complete_barriers();
    if (running && !progress) {
      bool released = false;
      for (const Warp& warp : warps_) {
        for (const LaneGroup& group : warp.groups) {
          released = released || group.wait == Wait::none;
        }
      }
      if (!released) {
        report_deadlock();
      }
    }
  }
  finish_counts();
}

bool BlockEmulator::has_ended() const {
  return std::ranges::all_of(warps_, [](const Warp& warp) { return warp.live == 0; });
}

void BlockEmulator::finish_counts() {
  std::int64_t executions = 0;
  std::int64_t lanes = 0;
  for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
    executions += std::exchange(skipped_executions_[i], 0);
    lanes += std::exchange(skipped_lanes_[i], 0);
    InstructionCounter& counter = counts_.instructions[i];
    counter.executions += static_cast<std::uint64_t>(executions);
    counter.active_lanes += static_cast<std::uint64_t>(lanes);
    counter.predicated_lanes += static_cast<std::uint64_t>(lanes);
  }
  skipped_executions_.back() = 0;
  skipped_lanes_.back() = 0;
  for (Touched& touched : touched_) {
    counts_.unique_sectors += touched.take();
  }
}

/// A trace is cut off where all warps have come to: they keep in step.
std::uint64_t BlockEmulator::turn_length() const {
  return trace_ != nullptr ? traced_turn_instructions : turn_instructions;
}

std::string BlockEmulator::where(std::uint32_t position) const {
  std::string text = fmt::format("address {:#06x}", position * instruction_bytes);
  const auto& listed = context_.function->instructions[position];
  if (listed.source_line != 0 && listed.source_file < context_.module->source_files.size()) {
    text += fmt::format(" ({}:{})", context_.module->source_files[listed.source_file],
                        listed.source_line);
  }
  return text;
}

void BlockEmulator::report_deadlock() const {
  std::string waiting;
  std::size_t count = 0;
  for (const Warp& warp : warps_) {
    for (const LaneGroup& group : warp.groups) {
      if (count++ < 4) {
        waiting += fmt::format("{}warp {} (lanes {:#010x}) at {}", waiting.empty() ? "" : ", ",
                               warp.number, group.mask, where(group.position));
      }
    }
  }
  fail(
      fmt::format("{}: block ({},{},{}) is deadlocked at a barrier that not all of its threads "
                  "reach: {}{}",
                  printable(context_.function->name), block_[0], block_[1], block_[2], waiting,
                  count > 4 ? fmt::format(" and {} more", count - 4) : ""));
}

void BlockEmulator::report_endless() const {
  // The backward branch taken most often closes the innermost loop that does not end.
  std::uint32_t branch = 0;
  std::uint64_t most = 0;
  for (std::uint32_t i = 0; i < code_.instructions.size(); ++i) {
    const Instruction& instruction = code_.instructions[i];
    if (instruction.target >= 0 && std::cmp_less_equal(instruction.target, i) &&
        counts_.instructions[i].taken > most) {
      most = counts_.instructions[i].taken;
      branch = i;
    }
  }
  const auto target = static_cast<std::uint32_t>(std::max(0, code_.instructions[branch].target));
  fail(
      fmt::format("{}: block ({},{},{}) did not end within {} warp instructions; it loops from {} "
                  "to {}. Raise the limit with --max-instructions if that is no endless loop",
                  printable(context_.function->name), block_[0], block_[1], block_[2],
                  context_.instruction_budget, where(target), where(branch)));
}

bool BlockEmulator::select_group(Warp& warp, bool rotate) {
  const std::size_t none = warp.groups.size();
  std::size_t best = none;
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    if (warp.groups[i].wait != Wait::none || (rotate && i == warp.current)) {
      continue;
    }
    if (best == none || warp.groups[i].position < warp.groups[best].position) {
      best = i;
    }
  }
  if (best == none) {
    return rotate && none != 0 && warp.groups[warp.current].wait == Wait::none;
  }
  // Lanes that spin must not keep those waiting that they wait for: after a turn, others go first.
  if (!rotate && warp.current < none && warp.groups[warp.current].wait == Wait::none) {
    return true;
  }
  warp.current = best;
  return true;
}

void BlockEmulator::split(Warp& warp, std::uint32_t taken_mask, std::uint32_t taken_position,
                          std::uint32_t other_mask, std::uint32_t other_position) {
  LaneGroup& group = warp.groups[warp.current];
  LaneGroup other = group;
  group.mask = taken_mask;
  group.position = taken_position;
  other.mask = other_mask;
  other.position = other_position;
  warp.groups.push_back(other);
  if (other.position < taken_position) {
    warp.current = warp.groups.size() - 1;
  }
}

void BlockEmulator::wait_for_convergence(Warp& warp, std::uint8_t which) {
  LaneGroup& group = warp.groups[warp.current];
  group.wait = Wait::convergence;
  group.which = which;
  release_convergence(warp);
}

void BlockEmulator::wait_for_lanes(Warp& warp, std::uint32_t mask) {
  LaneGroup& group = warp.groups[warp.current];
  group.wait = Wait::warp_sync;
  group.sync_mask = mask;
  release_convergence(warp);
}

/// Lanes that spin and yield may wait for what those waiting to converge with them are yet to do,
/// such as giving back a lock: lets these go on alone.
void BlockEmulator::release_from_yielded(Warp& warp) {
  for (LaneGroup& group : warp.groups) {
    if (group.wait == Wait::convergence) {
      group.wait = Wait::none;
      ++group.position;
      for (std::uint32_t& met : warp.convergence[group.which]) {
        met &= ~group.mask;
      }
    }
  }
}

/// Lets groups go on whose lanes have all arrived, as one.
void BlockEmulator::release_convergence(Warp& warp) {
  for (std::size_t i = 0; i < warp.groups.size(); ++i) {
    const LaneGroup first = warp.groups[i];
    if (first.wait != Wait::convergence && first.wait != Wait::warp_sync) {
      continue;
    }
    const auto expected_of = [&](const LaneGroup& group) {
      const std::uint32_t wanted =
          group.wait == Wait::warp_sync
              ? group.sync_mask
              : warp.convergence[group.which]
                                [static_cast<std::size_t>(std::countr_zero(group.mask))];
      return wanted & warp.live;
    };
    const std::uint32_t expected = expected_of(first);
    std::uint32_t arrived = 0;
    for (const LaneGroup& group : warp.groups) {
      if (group.wait == first.wait && (group.mask & expected) != 0 &&
          (first.wait == Wait::warp_sync || group.which == first.which)) {
        arrived |= group.mask;
      }
    }
    if ((expected & ~arrived) != 0) {
      continue;
    }
    // Groups at the same instruction merge; others just go on.
    LaneGroup merged = first;
    std::size_t kept = 0;
    std::size_t merged_index = 0;
    for (std::size_t j = 0; j < warp.groups.size(); ++j) {
      LaneGroup group = warp.groups[j];
      const bool released = group.wait == first.wait && (group.mask & expected) != 0 &&
                            (first.wait == Wait::warp_sync || group.which == first.which);
      if (released && group.position == first.position && j != i) {
        merged.mask |= group.mask;
        continue;
      }
      if (released && j != i) {
        group.wait = Wait::none;
        ++group.position;
      }
      if (j == i) {
        merged_index = kept;
      }
      warp.groups[kept++] = group;
    }
    warp.groups.resize(kept);
    merged.wait = Wait::none;
    ++merged.position;
    warp.groups[merged_index] = merged;
    warp.current = merged_index;
    i = static_cast<std::size_t>(-1);  // positions changed: look again from the start
  }
  if (warp.current >= warp.groups.size()) {
    warp.current = 0;
  }
}

void BlockEmulator::leave(Warp& warp, std::uint32_t mask) {
  warp.live &= ~mask;
  LaneGroup& group = warp.groups[warp.current];
  group.mask &= ~mask;
  if (group.mask == 0) {
    warp.groups.erase(warp.groups.begin() + static_cast<std::ptrdiff_t>(warp.current));
    warp.current = 0;
  }
  release_convergence(warp);
}

void BlockEmulator::arrive_at_barrier(Warp& warp, const Instruction& instruction,
                                      std::uint32_t mask) {
  LaneGroup& group = warp.groups[warp.current];
  const auto value = [&](const Source& source) {
    return (source.pool ? context_.pool[source.row]
                        : warp.rows[source.row])[static_cast<std::size_t>(std::countr_zero(mask))];
  };
  group.which = static_cast<std::uint8_t>(value(instruction.sources[0]) & 15);
  Barrier& barrier = barriers_[group.which];
  barrier.expected_threads = value(instruction.sources[1]);
  if (trace_ != nullptr) {
    trace_->add_barrier(warp.number,
                        {group.which, barrier.expected_threads, !instruction.barrier_arrive});
  }
  if (instruction.barrier_reduce) {
    const PredicateSource source = instruction.predicates[0];
    const std::uint32_t lanes =
        (source.negate ? ~warp.predicates[source.index] : warp.predicates[source.index]) & mask;
    barrier.popcount += static_cast<std::uint32_t>(std::popcount(lanes));
    barrier.all = barrier.all && lanes == mask;
    barrier.reduction = instruction.atomic;
  }
  if (instruction.barrier_arrive) {
    barrier.arrived_early += warp_lanes;
    barrier.early.push_back(warp.number);
    ++group.position;
    return;
  }
  group.wait = Wait::barrier;
}

/// Opens every barrier at which all that it waits for have arrived.
void BlockEmulator::complete_barriers() {
  for (std::size_t which = 0; which < barriers_.size(); ++which) {
    Barrier& barrier = barriers_[which];
    std::uint32_t warps_arrived = 0;
    std::uint32_t live_warps = 0;
    std::vector<std::uint32_t> participants;
    for (const Warp& warp : warps_) {
      if (warp.live == 0) {
        continue;
      }
      ++live_warps;
      std::uint32_t arrived = 0;
      for (const LaneGroup& group : warp.groups) {
        if (group.wait == Wait::barrier && group.which == which) {
          arrived |= group.mask;
        }
      }
      if (arrived == warp.live) {
        ++warps_arrived;
        participants.push_back(warp.number);
      }
    }
    if (warps_arrived == 0 && barrier.arrived_early == 0) {
      continue;
    }
    const std::uint32_t arrived_threads = warps_arrived * warp_lanes + barrier.arrived_early;
    const bool complete = barrier.expected_threads == 0
                              ? warps_arrived == live_warps
                              : arrived_threads >= barrier.expected_threads;
    if (!complete || participants.empty()) {
      continue;
    }
    std::vector<std::uint32_t> ordered = participants;
    ordered.insert(ordered.end(), barrier.early.begin(), barrier.early.end());
    order_behind_barrier(ordered);
    for (const std::uint32_t number : participants) {
      Warp& warp = warps_[number];
      if (barrier.reduction == AtomicOp::add) {
        warp.barrier_result = barrier.popcount;
      } else if (barrier.reduction == AtomicOp::and_) {
        warp.barrier_result = barrier.all ? 1 : 0;
      } else {
        warp.barrier_result = barrier.popcount != 0 ? 1 : 0;
      }
      for (LaneGroup& group : warp.groups) {
        if (group.wait == Wait::barrier && group.which == which) {
          group.wait = Wait::none;
          ++group.position;
        }
      }
      warp.current = 0;
    }
    barrier = {};
  }
}

void BlockEmulator::order_behind_barrier(const std::vector<std::uint32_t>& participants) {
  std::vector<std::uint32_t> latest(warps_.size());
  for (const std::uint32_t number : participants) {
    for (std::size_t i = 0; i < latest.size(); ++i) {
      latest[i] = std::max(latest[i], warps_[number].clock[i]);
    }
  }
  for (const std::uint32_t number : participants) {
    warps_[number].clock = latest;
    ++warps_[number].clock[number];
  }
}

}  // namespace perfmodel::sass
