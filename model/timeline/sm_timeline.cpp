#include "model/timeline/sm_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"
#include "model/timeline/instruction_cost.hpp"
#include "model/timeline/l1_cache.hpp"

namespace perfmodel {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t scoreboards = 6;
constexpr double sector_bytes = 32;
/// What L1 sends ahead of the port to L2, in cycles of that port.
constexpr double port_queue_cycles = 512;
/// Local memory of the SM's warps lies above all buffers, a stretch of sectors for each.
constexpr std::uint64_t local_sectors = std::uint64_t{1} << 56;
constexpr std::uint64_t warp_local_sectors = std::uint64_t{1} << 24;

/// A number from 0 to 1 for each line, as good as random.
double place_of(std::uint64_t line) {
  std::uint64_t hash = line * std::uint64_t{0x9e3779b97f4a7c15};
  hash = (hash ^ hash >> 29) * std::uint64_t{0xbf58476d1ce4e5b9};
  return static_cast<double>(hash >> 40) / static_cast<double>(1U << 24);
}

}  // namespace

const char* stall_name(Stall stall) {
  static constexpr std::array names = {"selected",           "not_selected",     "wait",
                                       "long_scoreboard",    "short_scoreboard", "barrier",
                                       "math_pipe_throttle", "mio_throttle",     "lg_throttle",
                                       "branch_resolving",   "dispatch_stall",   "drain"};
  static_assert(names.size() == stall_count);
  return names[static_cast<std::size_t>(stall)];
}

const char* unit_name(Unit unit) {
  static constexpr std::array names = {"issue",  "FMA",     "ALU",           "XU", "FP64",
                                       "tensor", "uniform", "LSU data pipe", "L2", "DRAM"};
  static_assert(names.size() == unit_count);
  return names[static_cast<std::size_t>(unit)];
}

std::array<double, stall_count> stall_shares(const SmTimelineResult& result) {
  std::array<double, stall_count> shares{};
  double all = 0;
  for (const auto& by_reason : result.stalls) {
    for (std::size_t i = 0; i < stall_count; ++i) {
      shares[i] += by_reason[i];
      all += by_reason[i];
    }
  }
  for (double& share : shares) {
    share = all > 0 ? share / all : 0;
  }
  return shares;
}

class SmTimeline::Implementation {
 public:
  Implementation(const sass::Code& code, const sass::Function& function,
                 const std::vector<sass::TracedPattern>& patterns, const SmCosts& costs,
                 const SmTimelineOptions& options)
      : patterns_(patterns), costs_(costs), options_(options), l1_(options.l1_bytes) {
    if (!code.has_control) {
      fail(printable(function.name) +
           ": the timeline needs the scheduling control of each instruction, which a bare listing "
           "lacks; give the cubin itself");
    }
    costs_of_ = instruction_costs(code, function, costs);
    sub_partitions_.resize(static_cast<std::size_t>(costs.sub_partitions));
    result_.stalls.resize(costs_of_.size());
    result_.executions.resize(costs_of_.size());
  }

  SmTimelineResult run(const BlockSource& blocks);

 private:
  struct Warp {
    std::shared_ptr<const sass::BlockTrace> block;
    const sass::WarpTrace* trace = nullptr;
    std::size_t step = 0;
    std::size_t access = 0;
    std::size_t barrier = 0;
    std::size_t slot = 0;
    std::uint64_t number = 0;  ///< of the SM's, for local memory
    double ready_at = 0;
    double last_issue = 0;
    double attributed = 0;  ///< of the cycles since, those whose reason is known
    double stores_arrive = 0;
    int waits_at = -1;  ///< number of a barrier
    std::array<double, scoreboards> released{};
    std::array<Stall, scoreboards> reason{};
    double copies_done = 0;           ///< of LDGSTS so far
    std::vector<double> copy_groups;  ///< when each is complete
  };

  struct SubPartition {
    std::vector<Warp> warps;
    std::vector<std::size_t> youngest_first;  ///< of warps
    Warp* last = nullptr;                     ///< that issued last
    double next = 0;
    double transfer_free = 0;
    std::array<double, 2> bank_free{};  ///< register banks, one read a cycle each
    std::array<double, 2> fma_free{};
    double alu_free = 0;
    double xu_free = 0;
    double fp64_free = 0;
    double tensor_free = 0;
    double uniform_free = 0;
    std::vector<double> queue;  ///< when each entry leaves, a ring
    std::size_t queue_next = 0;
  };

  struct Barrier {
    std::size_t warps = 0;    ///< that have arrived
    std::size_t waiting = 0;  ///< of them, those that wait
    std::uint32_t expected_threads = 0;
    double last_arrival = 0;
  };

  struct Slot {
    std::size_t warps_left = 0;
    std::array<Barrier, 16> barriers{};
    std::vector<std::pair<std::size_t, std::size_t>> members;  ///< sub-partition, index
  };

  void start_block(std::size_t slot, double time);
  void try_issue(SubPartition& sub_partition, double now);
  bool attempt(SubPartition& sub_partition, Warp& warp, double now);
  void block_until(Warp& warp, double now, double until, Stall reason, std::uint32_t position);
  static double* pipe_of(SubPartition& sub_partition, const InstructionCost& cost);
  static const BankReads& reads_of(const SubPartition& sub_partition, const Warp& warp,
                                   const InstructionCost& cost) {
    return sub_partition.last == &warp ? cost.bank_reads : cost.bank_reads_alone;
  }
  void issue(SubPartition& sub_partition, Warp& warp, const InstructionCost& cost,
             const sass::TracedStep& step, double now);
  double access_memory(SubPartition& sub_partition, Warp& warp, const InstructionCost& cost,
                       std::uint32_t accesses, double now, double& registers_read, Stall& reason);
  double load_global(const sass::TracedPattern& pattern, std::uint64_t first_sector, double begin,
                     double& pipe_free);
  double store_global(const sass::TracedPattern& pattern, double sent);
  void end_warp(Warp& warp, double now);
  void arrive_at_barrier(Warp& warp, const sass::TracedBarrier& traced, double now);
  void open_barriers(Slot& slot, double time);
  void open_barrier(Slot& slot, int which, double time);
  void finish_warp(Warp& warp, double now);
  void note_busy(Unit unit, double cycles) {
    result_.busy_cycles[static_cast<std::size_t>(unit)] += cycles;
  }
  void note_stall(std::uint32_t position, Stall stall, double cycles) {
    result_.stalls[position][static_cast<std::size_t>(stall)] += cycles;
  }

  const std::vector<sass::TracedPattern>& patterns_;
  SmCosts costs_;
  SmTimelineOptions options_;
  std::vector<InstructionCost> costs_of_;
  std::vector<SubPartition> sub_partitions_;
  std::vector<Slot> slots_;
  L1Cache l1_;
  const BlockSource* blocks_ = nullptr;
  std::int64_t blocks_started_ = 0;
  double lsu_free_ = 0;
  double l2_free_ = 0;
  double dram_free_ = 0;
  double barrier_free_ = 0;
  double launcher_free_ = 0;
  double dram_loads_ = 0;
  double dram_waits_ = 0;
  double dram_stores_ = 0;
  double latest_ = 0;  ///< when everything under way is done
  bool cut_off_ = false;
  SmTimelineResult result_;
};

void SmTimeline::Implementation::start_block(std::size_t slot_index, double time) {
  if (blocks_started_ >= options_.blocks) {
    return;
  }
  const std::shared_ptr<const sass::BlockTrace> trace = (*blocks_)(blocks_started_);
  if (trace == nullptr) {
    return;
  }
  ++blocks_started_;
  if (!options_.unlimited) {
    // The device starts blocks one by one, on all SMs in turn.
    time = std::max(time, std::ceil(launcher_free_));
    launcher_free_ =
        std::max(launcher_free_, time) +
        std::max(costs_.sm_count / costs_.blocks_per_cycle,
                 static_cast<double>(trace->warps.size()) * costs_.warp_launch_interval);
  }
  Slot& slot = slots_[slot_index];
  const std::size_t warps = trace->warps.size();
  slot.warps_left = warps;
  slot.barriers = {};
  const bool fresh = slot.members.empty();
  for (std::size_t i = 0; i < warps; ++i) {
    if (fresh) {
      const std::size_t where = (slot_index * warps + i) % sub_partitions_.size();
      slot.members.emplace_back(where, sub_partitions_[where].warps.size());
      sub_partitions_[where].warps.emplace_back();
    }
    const auto [where, index] = slot.members[i];
    Warp warp;
    warp.block = trace;
    warp.trace = &trace->warps[i];
    warp.slot = slot_index;
    warp.number = slot_index * warps + i;
    const double starts =
        options_.unlimited
            ? time
            : std::floor(time + static_cast<double>(i) * costs_.warp_launch_interval);
    warp.ready_at = starts;
    warp.last_issue = starts - 1;
    SubPartition& home = sub_partitions_[where];
    if (home.last == &home.warps[index]) {
      home.last = nullptr;
    }
    home.warps[index] = std::move(warp);
    std::erase(home.youngest_first, index);
    home.youngest_first.insert(home.youngest_first.begin(), index);
    home.next = std::min(home.next, starts);
    if (trace->warps[i].steps.empty()) {
      end_warp(home.warps[index], time);
    }
  }
}

/// Behind its last instruction: its place is free once its stores have arrived.
void SmTimeline::Implementation::end_warp(Warp& warp, double now) {
  if (!warp.block->complete) {
    cut_off_ = true;
    warp.ready_at = never;
  } else if (warp.stores_arrive > now) {
    block_until(warp, now, warp.stores_arrive, Stall::drain, warp.trace->steps.back().position());
  } else {
    finish_warp(warp, now);
  }
}

void SmTimeline::Implementation::finish_warp(Warp& warp, double now) {
  Slot& slot = slots_[warp.slot];
  warp.trace = nullptr;
  warp.ready_at = never;
  --slot.warps_left;
  latest_ = std::max(latest_, now);
  if (slot.warps_left == 0) {
    result_.blocks_done += 1;
    const std::size_t index = warp.slot;
    start_block(index, std::ceil(now + (options_.unlimited ? 1 : costs_.block_gap)));
  } else {
    open_barriers(slot, now);
  }
}

void SmTimeline::Implementation::block_until(Warp& warp, double now, double until, Stall reason,
                                             std::uint32_t position) {
  const double ready = std::max(std::ceil(until), now + 1);
  note_stall(position, reason, ready - now);
  warp.attributed += ready - now;
  warp.ready_at = ready;
}

double* SmTimeline::Implementation::pipe_of(SubPartition& sub_partition,
                                            const InstructionCost& cost) {
  switch (cost.path) {
    case Path::fma:
      return &*std::ranges::min_element(sub_partition.fma_free);
    case Path::fma_heavy:
      return sub_partition.fma_free.data();
    case Path::alu:
      return &sub_partition.alu_free;
    case Path::xu:
      return &sub_partition.xu_free;
    case Path::fp64:
      return &sub_partition.fp64_free;
    case Path::tensor:
      return &sub_partition.tensor_free;
    case Path::uniform:
      return &sub_partition.uniform_free;
    default:
      return nullptr;
  }
}

bool SmTimeline::Implementation::attempt(SubPartition& sub_partition, Warp& warp, double now) {
  if (warp.step == warp.trace->steps.size()) {
    // Another block may start in its place: look at the warps anew.
    sub_partition.next = now + 1;
    finish_warp(warp, now);
    return true;
  }
  const sass::TracedStep step = warp.trace->steps[warp.step];
  const std::uint32_t position = step.position();
  const InstructionCost& cost = costs_of_[position];
  // Scoreboards first: until they are clear the instruction asks for nothing.
  double clear = 0;
  Stall reason = Stall::long_scoreboard;
  for (std::size_t i = 0; i < scoreboards; ++i) {
    if ((cost.wait_mask >> i & 1U) != 0 && warp.released[i] > clear) {
      clear = warp.released[i];
      reason = warp.reason[i];
    }
  }
  if (cost.path == Path::async_wait && warp.copy_groups.size() > cost.allowed_groups) {
    const double done = warp.copy_groups[warp.copy_groups.size() - 1 - cost.allowed_groups];
    if (done > clear) {
      clear = done;
      reason = Stall::long_scoreboard;
    }
  }
  if (clear > now) {
    block_until(warp, now, clear, reason, position);
    return false;
  }
  if (!options_.unlimited && !step.is_idle()) {
    const auto& reads = reads_of(sub_partition, warp, cost);
    const double banks = std::max(reads[0] != 0 ? sub_partition.bank_free[0] : 0.0,
                                  reads[1] != 0 ? sub_partition.bank_free[1] : 0.0);
    if (banks > now) {
      block_until(warp, now, banks, Stall::dispatch_stall, position);
      return false;
    }
    if (const double* const pipe = pipe_of(sub_partition, cost);
        pipe != nullptr && *pipe >= now + 1) {
      // Intervals are measured and no whole numbers; the rest of a cycle carries over.
      block_until(warp, now, std::floor(*pipe), Stall::math_pipe_throttle, position);
      return false;
    }
    if (cost.path == Path::memory || cost.path == Path::exchange) {
      const double leaves = sub_partition.queue[sub_partition.queue_next];
      if (leaves > now) {
        const bool global =
            step.accesses() != 0 && warp.access < warp.trace->accesses.size() &&
            patterns_[warp.trace->accesses[warp.access].pattern].space != sass::MemorySpace::shared;
        block_until(warp, now, leaves, global ? Stall::lg_throttle : Stall::mio_throttle, position);
        return false;
      }
    }
  }
  issue(sub_partition, warp, cost, step, now);
  return true;
}

void SmTimeline::Implementation::issue(SubPartition& sub_partition, Warp& warp,
                                       const InstructionCost& cost, const sass::TracedStep& step,
                                       double now) {
  const std::uint32_t position = step.position();
  note_stall(position, Stall::selected, 1);
  const double rest = now - warp.last_issue - 1 - warp.attributed;
  if (rest > 0) {
    note_stall(position, Stall::not_selected, rest);
  }
  result_.executions[position] += 1;
  result_.steps += 1;
  note_busy(Unit::issue, 1);
  warp.last_issue = now;
  double results = now + cost.latency;
  double registers_read = now + 2;
  Stall reason = Stall::short_scoreboard;
  if (!step.is_idle()) {
    const auto& reads = reads_of(sub_partition, warp, cost);
    for (std::size_t bank = 0; bank < reads.size(); ++bank) {
      if (reads[bank] != 0) {
        sub_partition.bank_free[bank] = std::max(sub_partition.bank_free[bank], now) + reads[bank];
      }
    }
    if (double* const pipe = pipe_of(sub_partition, cost)) {
      *pipe = std::max(*pipe, now) + cost.interval;
    }
    switch (cost.path) {
      case Path::fma:
        note_busy(Unit::fma, cost.interval / costs_.fma_halves);
        break;
      case Path::fma_heavy:
        note_busy(Unit::fma, cost.interval);
        break;
      case Path::alu:
        note_busy(Unit::alu, cost.interval);
        break;
      case Path::xu:
        note_busy(Unit::xu, cost.interval);
        break;
      case Path::fp64:
        note_busy(Unit::fp64, cost.interval);
        break;
      case Path::tensor:
        note_busy(Unit::tensor, cost.interval);
        break;
      case Path::uniform:
        note_busy(Unit::uniform, cost.interval);
        break;
      case Path::memory:
        results =
            access_memory(sub_partition, warp, cost, step.accesses(), now, registers_read, reason);
        break;
      case Path::exchange: {
        const double sent = std::max(now, sub_partition.transfer_free) + cost.transfer;
        const double begin = options_.unlimited ? sent : std::max(sent, lsu_free_);
        if (!options_.unlimited) {
          sub_partition.transfer_free = sent;
          lsu_free_ = begin + costs_.shared_wavefront;
          sub_partition.queue[sub_partition.queue_next] = begin;
          sub_partition.queue_next = (sub_partition.queue_next + 1) % sub_partition.queue.size();
        }
        note_busy(Unit::lsu_data, costs_.shared_wavefront);
        registers_read = sent;
        results = begin - cost.transfer + cost.latency;
        break;
      }
      case Path::async_mark:
        warp.copy_groups.push_back(warp.copies_done);
        results = warp.copies_done;
        break;
      default:
        break;
    }
  }
  const auto note = [&](std::uint8_t barrier, double time) {
    if (barrier < scoreboards) {
      if (time >= warp.released[barrier]) {
        warp.reason[barrier] = reason;
      }
      warp.released[barrier] = std::max(warp.released[barrier], time);
    }
  };
  note(cost.write_barrier, results);
  note(cost.read_barrier, registers_read);
  latest_ = std::max(latest_, results);
  ++warp.step;
  sub_partition.next = now + 1;
  sub_partition.last = &warp;
  double pause = cost.stall_cycles;
  Stall pause_reason = Stall::wait;
  if (step.is_barrier()) {
    const sass::TracedBarrier& barrier = warp.trace->barriers[warp.barrier++];
    arrive_at_barrier(warp, barrier, now);
    if (barrier.waits) {
      return;
    }
  }
  if (warp.step == warp.trace->steps.size()) {
    end_warp(warp, now);
    return;
  }
  const std::uint32_t next = warp.trace->steps[warp.step].position();
  if (cost.branch && next != position + 1 && pause < costs_.branch_cycles) {
    pause = costs_.branch_cycles;
    pause_reason = Stall::branch_resolving;
  }
  warp.ready_at = now + pause;
  warp.attributed = pause - 1;
  if (pause > 1) {
    note_stall(next, pause_reason, pause - 1);
  }
}

double SmTimeline::Implementation::access_memory(SubPartition& sub_partition, Warp& warp,
                                                 const InstructionCost& cost,
                                                 std::uint32_t accesses, double now,
                                                 double& registers_read, Stall& reason) {
  double sent = std::max(now, options_.unlimited ? 0 : sub_partition.transfer_free) + cost.transfer;
  registers_read = sent;
  double results = sent;
  double first_begin = sent;
  double free = options_.unlimited ? 0 : lsu_free_;
  for (std::uint32_t i = 0; i < accesses; ++i) {
    const sass::TracedAccess& access = warp.trace->accesses[warp.access++];
    const sass::TracedPattern& pattern = patterns_[access.pattern];
    double begin = std::max(sent, free);
    if (pattern.space == sass::MemorySpace::shared) {
      const double busy =
          std::max(pattern.wavefronts * costs_.shared_wavefront, costs_.least_access_cycles);
      free = begin + busy;
      note_busy(Unit::lsu_data, busy);
      const double latency = pattern.atomic ? costs_.shared_atomic_latency : costs_.shared_latency;
      // The measured latency has the transfer of one register and one wavefront in it.
      results =
          std::max(results, free + latency - costs_.operand_interval - costs_.shared_wavefront);
      reason = Stall::short_scoreboard;
    } else {
      std::uint64_t first_sector = access.first_sector;
      if (pattern.space == sass::MemorySpace::local) {
        first_sector += local_sectors + warp.number * warp_local_sectors;
      }
      if (!options_.unlimited) {
        begin = std::max(begin, l2_free_ - port_queue_cycles);
      }
      reason = Stall::long_scoreboard;
      if (pattern.store) {
        const double busy =
            std::max({pattern.wavefronts * costs_.global_wavefront,
                      pattern.lines * costs_.line_lookup, costs_.least_access_cycles});
        free = begin + busy;
        note_busy(Unit::lsu_data, busy);
        warp.stores_arrive = std::max(warp.stores_arrive, store_global(pattern, free));
      } else {
        results = std::max(results, load_global(pattern, first_sector, begin, free));
      }
    }
    if (i == 0) {
      first_begin = begin;
    }
    sent = begin;
    if (pattern.asynchronous) {
      warp.copies_done = std::max(warp.copies_done, results);
    }
  }
  if (!options_.unlimited) {
    sub_partition.transfer_free = registers_read;
    lsu_free_ = std::max(lsu_free_, free);
    sub_partition.queue[sub_partition.queue_next] = first_begin;
    sub_partition.queue_next = (sub_partition.queue_next + 1) % sub_partition.queue.size();
  }
  return results;
}

double SmTimeline::Implementation::load_global(const sass::TracedPattern& pattern,
                                               std::uint64_t first_sector, double begin,
                                               double& pipe_free) {
  result_.l1_sectors += static_cast<double>(pattern.sectors.size());
  double arrives = 0;
  double missing = 0;
  // Rarely more than a warp's own sectors at once.
  std::array<std::uint64_t, 64> missed{};
  std::size_t missed_count = 0;
  const bool bypasses = pattern.atomic;
  for (const std::int32_t offset : pattern.sectors) {
    const std::uint64_t sector = first_sector + static_cast<std::uint64_t>(std::int64_t{offset});
    const L1Cache::Sector found = bypasses ? L1Cache::Sector{} : l1_.find(sector);
    if (found.present) {
      arrives = std::max(arrives, found.arrives);
    } else {
      missed[missed_count++] = sector;
      missing += 1;
    }
  }
  const double wavefronts = missing > 0 ? pattern.line_wavefronts : pattern.wavefronts;
  const double busy = std::max({wavefronts * costs_.global_wavefront,
                                pattern.lines * costs_.line_lookup, costs_.least_access_cycles});
  pipe_free = begin + busy;
  note_busy(Unit::lsu_data, busy);
  const double transfer = 2 * costs_.operand_interval;
  const double results = pipe_free + costs_.l1_latency - transfer - costs_.global_wavefront;
  if (missing > 0) {
    result_.l1_missed_sectors += missing;
    double l2_cycles = missing * sector_bytes / costs_.l2_bytes_per_cycle;
    if (pattern.atomic) {
      l2_cycles = std::max(l2_cycles, missing / costs_.atomics_per_cycle);
    }
    const double port_free = options_.unlimited ? pipe_free : std::max(pipe_free, l2_free_);
    const double sent_all = port_free + l2_cycles;
    note_busy(Unit::l2, l2_cycles);
    if (!options_.unlimited) {
      l2_free_ = sent_all;
    }
    const double one_sector = sector_bytes / costs_.l2_bytes_per_cycle;
    const double unloaded = transfer + costs_.global_wavefront + one_sector;
    const double sent = options_.unlimited ? pipe_free + one_sector : sent_all;
    double dram_done = pipe_free;
    dram_loads_ += missing * options_.memory.dram_share_of_loads;
    if (dram_loads_ >= missing) {
      dram_loads_ -= missing;
      const double dram_cycles = missing * sector_bytes * options_.memory.dram_bytes_per_load_byte /
                                 options_.memory.dram_bytes_per_cycle;
      note_busy(Unit::dram, dram_cycles);
      dram_done = (options_.unlimited ? pipe_free : std::max(pipe_free, dram_free_)) + dram_cycles;
      if (!options_.unlimited) {
        dram_free_ = dram_done;
      }
    }
    dram_waits_ += missing * options_.memory.dram_wait_share;
    const bool waits = dram_waits_ >= missing;
    dram_waits_ -= waits ? missing : 0;
    for (std::size_t i = 0; i < missed_count; ++i) {
      const double place = place_of(missed[i] / 4);
      double comes = sent - unloaded +
                     (pattern.atomic ? costs_.atomic_latency
                                     : costs_.l2_latency * costs_.l2_spread.factor(place));
      if (waits) {
        comes = std::max(
            comes, dram_done - unloaded + costs_.dram_latency * costs_.dram_spread.factor(place));
      }
      arrives = std::max(arrives, comes);
      if (!bypasses) {
        l1_.insert(missed[i], comes);
      }
    }
  }
  return std::max(results, arrives);
}

/// Returns when L2 has them.
double SmTimeline::Implementation::store_global(const sass::TracedPattern& pattern, double sent) {
  const auto sectors = static_cast<double>(pattern.sectors.size());
  result_.stored_sectors += sectors;
  const double cycles = std::max(sectors * sector_bytes / costs_.l2_write_bytes_per_cycle,
                                 pattern.lines / costs_.l2_write_lines_per_cycle);
  note_busy(Unit::l2, cycles);
  double dram_cycles = 0;
  dram_stores_ += sectors * options_.memory.dram_share_of_stores;
  if (dram_stores_ >= sectors) {
    dram_stores_ -= sectors;
    dram_cycles = sectors * sector_bytes / options_.memory.dram_bytes_per_cycle;
    note_busy(Unit::dram, dram_cycles);
  }
  if (!options_.unlimited) {
    l2_free_ = std::max(l2_free_, sent) + cycles;
    dram_free_ = std::max(dram_free_, sent) + dram_cycles;
    return l2_free_ + costs_.l2_latency;
  }
  return sent + costs_.l2_latency;
}

void SmTimeline::Implementation::arrive_at_barrier(Warp& warp, const sass::TracedBarrier& traced,
                                                   double now) {
  Slot& slot = slots_[warp.slot];
  const double served =
      options_.unlimited ? now : std::max(now, barrier_free_) + costs_.barrier_arrival;
  if (!options_.unlimited) {
    barrier_free_ = served;
  }
  Barrier& barrier = slot.barriers[traced.which % slot.barriers.size()];
  ++barrier.warps;
  barrier.expected_threads = traced.expected_threads;
  barrier.last_arrival = std::max(barrier.last_arrival, served);
  if (traced.waits) {
    ++barrier.waiting;
    warp.waits_at = traced.which % static_cast<int>(slot.barriers.size());
    warp.ready_at = never;
    warp.attributed = 0;
  }
  open_barriers(slot, now);
}

/// Opens those at which all have arrived that they wait for.
void SmTimeline::Implementation::open_barriers(Slot& slot, double time) {
  for (std::size_t which = 0; which < slot.barriers.size(); ++which) {
    const Barrier& barrier = slot.barriers[which];
    const bool all = barrier.expected_threads == 0
                         ? barrier.warps >= slot.warps_left
                         : barrier.warps * sass::warp_lanes >= barrier.expected_threads;
    if (barrier.waiting != 0 && all) {
      open_barrier(slot, static_cast<int>(which), std::max(time, barrier.last_arrival));
    }
  }
}

void SmTimeline::Implementation::open_barrier(Slot& slot, int which, double time) {
  const double opens = std::ceil(time + costs_.barrier_latency);
  slot.barriers[static_cast<std::size_t>(which)] = {};
  for (const auto& [where, index] : slot.members) {
    Warp& warp = sub_partitions_[where].warps[index];
    if (warp.trace == nullptr || warp.waits_at != which) {
      continue;
    }
    warp.waits_at = -1;
    warp.ready_at = opens;
    const double waited = opens - warp.last_issue - 1;
    warp.attributed = waited;
    note_stall(warp.trace->steps[warp.step - 1].position(), Stall::barrier, waited);
    sub_partitions_[where].next = std::min(sub_partitions_[where].next, opens);
    if (warp.step == warp.trace->steps.size()) {
      end_warp(warp, opens);
    }
  }
}

/// The warp that issued last goes on if it can, else the youngest that can.
void SmTimeline::Implementation::try_issue(SubPartition& sub_partition, double now) {
  if (sub_partition.last != nullptr && sub_partition.last->ready_at <= now &&
      attempt(sub_partition, *sub_partition.last, now)) {
    return;
  }
  double next = never;
  for (const std::size_t index : sub_partition.youngest_first) {
    Warp& warp = sub_partition.warps[index];
    if (warp.ready_at <= now && attempt(sub_partition, warp, now)) {
      return;
    }
    next = std::min(next, warp.ready_at);
  }
  sub_partition.next = next;
}

SmTimelineResult SmTimeline::Implementation::run(const BlockSource& blocks) {
  blocks_ = &blocks;
  for (SubPartition& sub_partition : sub_partitions_) {
    sub_partition.queue.assign(static_cast<std::size_t>(std::max(1, costs_.queue_entries)), 0.0);
    sub_partition.next = never;
  }
  slots_.resize(static_cast<std::size_t>(std::max<std::int64_t>(1, options_.resident_blocks)));
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    start_block(slot, 0);
  }
  const double budget = options_.step_budget > 0 ? options_.step_budget : never;
  double half_time = 0;
  double half_steps = 0;
  double now = 0;
  while (!cut_off_) {
    double next = never;
    for (const SubPartition& sub_partition : sub_partitions_) {
      next = std::min(next, sub_partition.next);
    }
    if (next == never) {
      break;
    }
    now = next;
    for (SubPartition& sub_partition : sub_partitions_) {
      if (sub_partition.next <= now) {
        try_issue(sub_partition, now);
      }
    }
    if (half_time == 0 && result_.steps >= budget / 2) {
      half_time = now;
      half_steps = result_.steps;
    }
    if (result_.steps >= budget) {
      cut_off_ = true;
    }
  }
  result_.complete = !cut_off_;
  result_.cycles = result_.complete ? std::max(latest_, now) : now;
  if (!result_.complete) {
    result_.steady_steps_per_cycle = (result_.steps - half_steps) / std::max(1.0, now - half_time);
  }
  return std::move(result_);
}

SmTimeline::SmTimeline(const sass::Code& code, const sass::Function& function,
                       const std::vector<sass::TracedPattern>& patterns, const SmCosts& costs,
                       const SmTimelineOptions& options)
    : implementation_(std::make_unique<Implementation>(code, function, patterns, costs, options)) {}

SmTimeline::~SmTimeline() = default;

SmTimelineResult SmTimeline::run(const BlockSource& blocks) { return implementation_->run(blocks); }

}  // namespace perfmodel
