#include "model/timeline/sm_timeline.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "model/error.hpp"
#include "model/text.hpp"
#include "model/timeline/held_places.hpp"
#include "model/timeline/instruction_cost.hpp"
#include "model/timeline/timed_queue.hpp"
#include "model/timeline/timeline_observer.hpp"
#include "model/timeline/writeback.hpp"

namespace perfmodel {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr std::size_t scoreboards = sass::first_extra_barrier + sass::extra_barriers;
/// So often a run takes down how far it has come.
constexpr double course_points = 64;
/// Cycles that an arithmetic instruction takes to read its registers, from whichever bank is free.
constexpr double operand_window = 2;
/// From the cycle in which the last register of a load is written until an instruction that needs
/// it can issue; cycles of writing are counted by the arithmetic instruction whose result would be
/// written in the same one.
constexpr double write_latency = 8;
/// Local memory of the SM's warps lies above all buffers, a stretch of sectors for each.
constexpr std::uint64_t local_sectors = std::uint64_t{1} << 56;
constexpr std::uint64_t warp_local_sectors = std::uint64_t{1} << 24;

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

bool is_in_each_sub_partition(Unit unit) {
  return unit != Unit::lsu_data && unit != Unit::l2 && unit != Unit::dram;
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
      : patterns_(patterns),
        costs_(costs),
        options_(options),
        slots_(static_cast<std::size_t>(std::max<std::int64_t>(1, options.resident_blocks))),
        memory_(costs, options.memory, options.l1_bytes, slots_.size(), options.unlimited),
        writeback_(static_cast<std::size_t>(costs.sub_partitions), costs.full_ports_stop_all,
                   *this) {
    if (!code.has_control) {
      fail(printable(function.name) +
           ": the timeline needs the scheduling control of each instruction, which a bare listing "
           "lacks; give the cubin itself");
    }
    costs_of_ = instruction_costs(code, function, costs);
    costs_.branch_cycles = std::round(costs.branch_cycles);  // warps issue at whole cycles
    sub_partitions_.resize(static_cast<std::size_t>(costs.sub_partitions));
    for (std::size_t i = 0; i < sub_partitions_.size(); ++i) {
      sub_partitions_[i].number = i;
    }
    place_in_ = &sub_partitions_.front();
    result_.stalls.resize(costs_of_.size());
    result_.executions.resize(costs_of_.size());
  }

  SmTimelineResult run(const BlockSource& blocks);

 private:
  struct SubPartition;
  struct Warp;

  /// Whom a load is for.
  struct Load {
    Warp* warp = nullptr;
    std::uint64_t generation = 0;
    std::uint8_t barrier = 0;
    Stall reason = Stall::long_scoreboard;
  };
  using LoadWriteback = Writeback<Load, Implementation>;
  friend LoadWriteback;

  /// An instruction in the queue to the memory side.
  struct Request {
    double sent = 0;  ///< from when on it can be let in
    const InstructionCost* cost = nullptr;
    Warp* warp = nullptr;
    std::uint64_t generation = 0;
    const sass::TracedAccess* access = nullptr;  ///< the next one of it; null: lanes exchange
    std::uint32_t accesses = 1;                  ///< left
    bool holds_place = false;
  };

  struct Warp {
    SubPartition* home = nullptr;
    std::size_t age_place = 0;  ///< in `by_age` of its sub-partition
    std::shared_ptr<const sass::BlockTrace> block;
    const sass::WarpTrace* trace = nullptr;
    std::size_t step = 0;
    std::size_t access = 0;
    std::size_t barrier = 0;
    std::size_t slot = 0;
    std::uint64_t number = 0;  ///< of the SM's, for local memory
    double last_issue = 0;
    double stores_arrive = 0;
    double data_pipe_free = 0;  ///< for its next access
    int waits_at = -1;          ///< number of a barrier
    std::array<double, scoreboards> released{};
    std::array<Stall, scoreboards> reason{};
    std::array<std::uint16_t, scoreboards> under_way{};  ///< loads whose release is not yet known
    std::uint16_t asleep_for = 0;                        ///< scoreboards of such loads
    std::uint32_t unserved = 0;     ///< accesses that wait to be let in to the memory side
    bool ends_when_served = false;  ///< behind its last instruction
    Stall place_reason = Stall::mio_throttle;
    double asleep_since = 0;
    std::uint64_t places_given = 0;  ///< by its sub-partition, before it waited for one
    std::uint64_t generation = 0;  ///< tells the warps apart that have this place one after another
    double copies_done = 0;        ///< of LDGSTS so far
    std::vector<double> copy_groups;  ///< when each is complete
  };

  /// What choosing a warp needs to know of it.
  struct Candidate {
    double ready_at = never;      ///< when to look at it again
    double waits_since = -never;  ///< its last issue, if a scoreboard or full queue held it up
    Warp* warp = nullptr;
    double no_place_since = never;  ///< its last issue, if its next instruction finds no room
  };

  struct SubPartition {
    std::size_t number = 0;
    double next = 0;  ///< when a warp may issue
    HeldPlaces places;
    double gives_place = never;  ///< to a warp that waits for one
    int warps_waiting_for_place = 0;
    int of_them_global = 0;       ///< with an instruction that goes beyond shared memory
    std::deque<Request> queue;    ///< to the memory side
    double head_sent = never;     ///< of the first one in it, see Request
    bool head_is_shared = false;  ///< it goes no further than shared memory
    std::deque<Warp> warps;       ///< stay where they are
    std::int64_t live_warps = 0;
    std::vector<Candidate> by_age;  ///< the oldest first
    Warp* last = nullptr;           ///< that issued last
    double transfer_free = 0;
    std::array<double, 2> bank_free{};  ///< register banks, one read a cycle each
    std::array<double, 2> fma_free{};
    double alu_free = 0;
    double xu_free = 0;
    double fp64_free = 0;
    double tensor_free = 0;
    double uniform_free = 0;
    std::uint64_t places_given = 0;  ///< to warps that waited for one
  };

  struct Barrier {
    std::size_t warps = 0;    ///< that have arrived
    std::size_t waiting = 0;  ///< of them, those that wait
    std::uint32_t expected_threads = 0;
    double last_arrival = 0;
  };

  /// Loaded data on its way to L1.
  struct Return {
    SmMemory::Arrival arrival;
    const InstructionCost* cost = nullptr;
    int registers = 0;  ///< that are written
    Load load;
    bool gives_place = false;  ///< when it is served
  };

  struct Slot {
    std::size_t warps_left = 0;
    std::array<Barrier, 16> barriers{};
    std::vector<std::pair<std::size_t, std::size_t>> members;  ///< sub-partition, index
  };

  void start_block(std::size_t slot, double time);
  void fill_room(double time);
  void try_issue(SubPartition& sub_partition, double now);
  Warp* first_of(SubPartition& sub_partition, double now, auto&& may_go);
  bool attempt(SubPartition& sub_partition, Warp& warp, double now);
  void block_until(Warp& warp, double now, double until, Stall reason, std::uint32_t position,
                   double contended = 0);
  static void note_wait(const Warp& warp, Stall reason);
  static Candidate& candidate(const Warp& warp) { return warp.home->by_age[warp.age_place]; }
  static double& ready_at(const Warp& warp) { return candidate(warp).ready_at; }
  static void start_waiting_anew(const Warp& warp) { candidate(warp).waits_since = -never; }
  /// Something happens in the sub-partition at `time`, or before.
  void look_at(SubPartition& sub_partition, double time) {
    sub_partition.next = std::min(sub_partition.next, time);
    next_work_ = std::min(next_work_, time);
  }
  static void put_last(Warp& warp);
  static double* pipe_of(SubPartition& sub_partition, const InstructionCost& cost);
  static const BankReads& reads_of(const SubPartition& sub_partition, const Warp& warp,
                                   const InstructionCost& cost) {
    return sub_partition.last == &warp ? cost.bank_reads : cost.bank_reads_alone;
  }
  static double allocate_operands(SubPartition& sub_partition, const Warp& warp,
                                  const InstructionCost& cost, double now);
  void issue(SubPartition& sub_partition, Warp& warp, const InstructionCost& cost,
             const sass::TracedStep& step, double now);
  double ask_memory(SubPartition& sub_partition, Warp& warp, const InstructionCost& cost,
                    std::uint32_t accesses, double now);
  void note_head(SubPartition& sub_partition);
  [[nodiscard]] double next_let_in() const;
  [[nodiscard]] double finds_room_at(double sent, bool shared) const {
    const double room = std::max(memory_.admits_from(shared), writeback_.resumed_at());
    return std::max(sent, room);
  }
  void let_in(double time);
  /// When the next data under way comes to the data pipe.
  [[nodiscard]] double next_return() const {
    if (returns_.empty() || writeback_.stopped()) {
      return never;
    }
    const double taken_from =
        std::max(writeback_.resumed_at(), memory_.delivers_from(returns_.front().arrival));
    return std::max(returns_.time(), taken_from);
  }
  [[nodiscard]] bool is_shared(const Request& request) const {
    return request.access == nullptr ||
           patterns_[request.access->pattern].space == sass::MemorySpace::shared;
  }
  double pass_on(Request& request, double time);
  void note_places(SubPartition& sub_partition);
  void give_place(SubPartition& sub_partition, double time);
  [[nodiscard]] bool waits_for_ports(const InstructionCost& cost) const {
    return cost.loaded_registers != 0 && !options_.unlimited;
  }
  void bring(const Load& load, const InstructionCost& cost, int registers, double wavefronts,
             double done);
  void written(const Load& load, double cycle) { finish_load(load, cycle + write_latency); }
  void stopped(double cycles) { memory_.stand_still(cycles); }
  void finish_load(const Load& load, double time);
  double send(SubPartition& sub_partition, double transfer, double now) const;
  void deliver(const Return& arrived, double time);
  static void release(Warp& warp, std::uint8_t barrier, double time, Stall reason);
  void end_warp(Warp& warp, double now);
  void arrive_at_barrier(Warp& warp, const sass::TracedBarrier& traced, double now);
  void open_barriers(Slot& slot, double time);
  void open_barrier(Slot& slot, int which, double time);
  void finish_warp(Warp& warp, double now);
  void note_busy(Unit unit, double cycles) {
    result_.busy_cycles[static_cast<std::size_t>(unit)] += cycles;
  }
  void note_stall(const Warp& warp, std::uint32_t position, Stall stall, double begin, double end) {
    if (end <= begin) {
      return;
    }
    result_.stalls[position][static_cast<std::size_t>(stall)] += end - begin;
    if (options_.observer != nullptr) {
      options_.observer->stalled(observed(warp), position, stall, begin, end);
    }
  }
  static ObservedWarp observed(const Warp& warp) {
    return {warp.number, warp.block->block,
            static_cast<std::uint32_t>(warp.trace - warp.block->warps.data())};
  }
  [[nodiscard]] std::array<double, unit_count> busy_cycles() const;

  const std::vector<sass::TracedPattern>& patterns_;
  SmCosts costs_;
  SmTimelineOptions options_;
  std::vector<InstructionCost> costs_of_;
  std::vector<SubPartition> sub_partitions_;
  std::vector<Slot> slots_;
  SmMemory memory_;
  TimedQueue<Return> returns_;
  LoadWriteback writeback_;
  std::size_t let_in_last_ = 0;  ///< sub-partition
  double shared_sent_ = never;   ///< the first of the heads that go no further than shared memory
  double global_sent_ = never;   ///< of the others
  const BlockSource* blocks_ = nullptr;
  std::int64_t blocks_started_ = 0;
  std::uint64_t generations_ = 0;
  SubPartition* place_in_ = nullptr;  ///< gives the next place
  double next_work_ = never;          ///< when a warp may issue or a loaded register is written
  double barrier_free_ = 0;
  double launcher_free_ = 0;
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
  result_.slot_steps[slot_index] = 0;
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
  memory_.restart(slot_index);
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
    warp.generation = ++generations_;
    const double starts =
        options_.unlimited
            ? time
            : std::floor(time + static_cast<double>(i) * costs_.warp_launch_interval);
    warp.last_issue = starts - 1;
    SubPartition& home = sub_partitions_[where];
    if (home.last == &home.warps[index]) {
      home.last = nullptr;
    }
    warp.home = &home;
    ++home.live_warps;
    warp.age_place = fresh ? home.by_age.size() : home.warps[index].age_place;
    home.warps[index] = std::move(warp);
    if (fresh) {
      home.by_age.emplace_back().warp = &home.warps[index];
    }
    put_last(home.warps[index]);
    start_waiting_anew(home.warps[index]);
    ready_at(home.warps[index]) = starts;
    look_at(home, starts);
    if (trace->warps[i].steps.empty()) {
      end_warp(home.warps[index], time);
    }
  }
}

/// Starts further blocks where warps that ended early leave room. The device looks for room when a
/// block ends, on this SM or on another: often, but for the first wave.
void SmTimeline::Implementation::fill_room(double time) {
  if (result_.blocks_done == 0 || options_.unlimited) {
    return;
  }
  const auto needed = static_cast<std::int64_t>(
      (slots_.front().members.size() + sub_partitions_.size() - 1) / sub_partitions_.size());
  while (blocks_started_ < options_.blocks && std::ssize(slots_) < options_.most_blocks &&
         std::ranges::all_of(
             sub_partitions_,
             [&](const SubPartition& sub_partition) {
               return sub_partition.live_warps + needed <= options_.resident_blocks * needed;
             })) {
    slots_.emplace_back();
    result_.slot_steps.push_back(0);
    start_block(slots_.size() - 1, time);
  }
}

/// Makes a warp the youngest.
void SmTimeline::Implementation::put_last(Warp& warp) {
  std::vector<Candidate>& by_age = warp.home->by_age;
  const auto place = by_age.begin() + static_cast<std::ptrdiff_t>(warp.age_place);
  std::rotate(place, place + 1, by_age.end());
  for (std::size_t i = warp.age_place; i < by_age.size(); ++i) {
    by_age[i].warp->age_place = i;
  }
}

/// Behind its last instruction: its place is free once its stores have arrived.
void SmTimeline::Implementation::end_warp(Warp& warp, double now) {
  if (!warp.block->complete) {
    cut_off_ = true;
    ready_at(warp) = never;
  } else if (warp.unserved != 0) {
    warp.ends_when_served = true;
    ready_at(warp) = never;
  } else if (warp.stores_arrive > now) {
    block_until(warp, now, warp.stores_arrive, Stall::drain, warp.trace->steps.back().position());
  } else {
    finish_warp(warp, now);
  }
}

void SmTimeline::Implementation::finish_warp(Warp& warp, double now) {
  const std::size_t index = warp.slot;
  warp.trace = nullptr;
  ready_at(warp) = never;
  --warp.home->live_warps;
  latest_ = std::max(latest_, now);
  const double next_start = std::ceil(now + (options_.unlimited ? 1 : costs_.block_gap));
  if (--slots_[index].warps_left == 0) {
    result_.blocks_done += 1;
    start_block(index, next_start);
  } else {
    open_barriers(slots_[index], now);
  }
  fill_room(next_start);
}

void SmTimeline::Implementation::block_until(Warp& warp, double now, double until, Stall reason,
                                             std::uint32_t position, double contended) {
  const double ready = std::max(std::ceil(until), now + 1);
  note_wait(warp, reason);
  // Behind a warp's last instruction, this is called in the cycle that issues it.
  const double begin = std::max(now, warp.last_issue + 1);
  const double last = std::max(begin, ready - contended);
  note_stall(warp, position, reason, begin, last);
  note_stall(warp, position, Stall::not_selected, last, ready);
  ready_at(warp) = ready;
}

/// What a warp that is held up has waited counts when the next one is chosen.
void SmTimeline::Implementation::note_wait(const Warp& warp, Stall reason) {
  if (reason == Stall::long_scoreboard || reason == Stall::short_scoreboard ||
      reason == Stall::lg_throttle) {
    candidate(warp).waits_since = warp.last_issue;
  }
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

/// A scoreboard counts down to zero at `time` at the earliest.
void SmTimeline::Implementation::release(Warp& warp, std::uint8_t barrier, double time,
                                         Stall reason) {
  if (barrier != sass::no_scheduling_barrier) {
    if (time >= warp.released[barrier]) {
      warp.reason[barrier] = reason;
    }
    warp.released[barrier] = std::max(warp.released[barrier], time);
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
  note_stall(warp, position, Stall::not_selected, std::max(ready_at(warp), warp.last_issue + 1),
             now);
  // Scoreboards first: until they are clear the instruction asks for nothing.
  double clear = 0;
  Stall reason = Stall::long_scoreboard;
  for (unsigned mask = cost.wait_mask; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    if (warp.under_way[i] != 0) {
      warp.asleep_for = cost.wait_mask;
      warp.asleep_since = now;
      ready_at(warp) = never;
      return false;
    }
    if (warp.released[i] > clear) {
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
    if (const double* const pipe = pipe_of(sub_partition, cost);
        pipe != nullptr && *pipe >= now + 1) {
      // Intervals are measured and no whole numbers; the rest of a cycle carries over.
      block_until(warp, now, std::floor(*pipe), Stall::math_pipe_throttle, position);
      return false;
    }
    if (cost.path == Path::memory || cost.path == Path::exchange) {
      if (sub_partition.places.held(now) >= costs_.memory_places) {
        const bool global =
            step.accesses() != 0 && warp.access < warp.trace->accesses.size() &&
            patterns_[warp.trace->accesses[warp.access].pattern].space != sass::MemorySpace::shared;
        candidate(warp).no_place_since = warp.last_issue;
        warp.place_reason = global ? Stall::lg_throttle : Stall::mio_throttle;
        warp.asleep_since = now;
        warp.places_given = sub_partition.places_given;
        ++sub_partition.warps_waiting_for_place;
        sub_partition.of_them_global += global ? 1 : 0;
        note_places(sub_partition);
        note_wait(warp, warp.place_reason);
        ready_at(warp) = never;
        return false;
      }
    }
  }
  issue(sub_partition, warp, cost, step, now);
  return true;
}

/// Returns when the registers of an arithmetic instruction are sure to be read in time; until then
/// nothing behind it issues.
double SmTimeline::Implementation::allocate_operands(SubPartition& sub_partition, const Warp& warp,
                                                     const InstructionCost& cost, double now) {
  const BankReads& reads = reads_of(sub_partition, warp, cost);
  double allocated = now;
  for (std::size_t bank = 0; bank < reads.size(); ++bank) {
    if (reads[bank] != 0) {
      double& free = sub_partition.bank_free[bank];
      free = std::max(free, now) + reads[bank];
      allocated = std::max(allocated, free - operand_window);
    }
  }
  const bool waits = cost.path != Path::memory && cost.path != Path::exchange;
  return waits ? allocated : now;
}

void SmTimeline::Implementation::issue(SubPartition& sub_partition, Warp& warp,
                                       const InstructionCost& cost, const sass::TracedStep& step,
                                       double now) {
  const std::uint32_t position = step.position();
  result_.stalls[position][static_cast<std::size_t>(Stall::selected)] += 1;
  if (options_.observer != nullptr) {
    options_.observer->issued(observed(warp), position, now);
  }
  result_.executions[position] += 1;
  result_.steps += 1;
  result_.slot_steps[warp.slot] += 1;
  note_busy(Unit::issue, 1);
  warp.last_issue = now;
  start_waiting_anew(warp);
  double results = now + cost.latency;
  double registers_read = now + 2;
  double allocated = now;
  const Stall reason = Stall::short_scoreboard;
  if (!step.is_idle()) {
    allocated = options_.unlimited ? now : allocate_operands(sub_partition, warp, cost, now);
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
      case Path::exchange:
        registers_read = ask_memory(sub_partition, warp, cost, step.accesses(), now);
        results = registers_read;
        break;
      case Path::async_mark:
        warp.copy_groups.push_back(warp.copies_done);
        results = warp.copies_done;
        break;
      default:
        break;
    }
  }
  release(warp, cost.write_barrier, results, reason);
  release(warp, cost.read_barrier, registers_read, reason);
  latest_ = std::max(latest_, results);
  ++warp.step;
  sub_partition.next = allocated + 1;
  sub_partition.next +=
      writeback_.write_beside(sub_partition.number, now, step.is_idle() ? BankSet{0} : cost.writes);
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
  // Held up behind the scheduler until its registers are sure to be read.
  const double dispatched = allocated + 1;
  note_stall(warp, next, Stall::dispatch_stall, now + 1, dispatched);
  ready_at(warp) = std::max(now + pause, dispatched);
  note_stall(warp, next, pause_reason, dispatched, ready_at(warp));
}

/// Hands an instruction over to the memory side; returns when its registers have been read.
double SmTimeline::Implementation::ask_memory(SubPartition& sub_partition, Warp& warp,
                                              const InstructionCost& cost, std::uint32_t accesses,
                                              double now) {
  Request request;
  request.cost = &cost;
  request.warp = &warp;
  request.generation = warp.generation;
  double transfer = cost.transfer;
  if (cost.path == Path::memory) {
    if (accesses == 0) {
      return send(sub_partition, transfer, now);
    }
    request.access = &warp.trace->accesses[warp.access];
    request.accesses = accesses;
    warp.access += accesses;
    // Fewer registers than the instruction has where it stands for several narrower ones.
    const int registers = static_cast<int>(patterns_[request.access->pattern].register_rows);
    transfer -= std::max(0, cost.stored_registers - registers) * costs_.operand_interval;
  }
  request.sent = send(sub_partition, transfer, now);
  warp.unserved += request.accesses;
  if (cost.write_barrier != sass::no_scheduling_barrier) {
    warp.under_way[cost.write_barrier] += static_cast<std::uint16_t>(request.accesses);
  }
  const double sent = request.sent;
  if (options_.unlimited ||
      (request.access != nullptr && patterns_[request.access->pattern].asynchronous)) {
    // What copies are waited for is known at once.
    while (request.accesses != 0) {
      request.sent = pass_on(request, request.sent);
    }
  } else {
    request.holds_place = true;
    sub_partition.places.take();
    sub_partition.queue.push_back(request);
    if (sub_partition.queue.size() == 1) {
      note_head(sub_partition);
    }
  }
  return sent;
}

/// Another request, or another access of it, is at the head of a queue.
void SmTimeline::Implementation::note_head(SubPartition& sub_partition) {
  sub_partition.head_sent = never;
  if (!sub_partition.queue.empty()) {
    sub_partition.head_sent = sub_partition.queue.front().sent;
    sub_partition.head_is_shared = is_shared(sub_partition.queue.front());
  }
  shared_sent_ = never;
  global_sent_ = never;
  for (const SubPartition& one : sub_partitions_) {
    double& sent = one.head_is_shared ? shared_sent_ : global_sent_;
    sent = std::min(sent, one.head_sent);
  }
}

/// An access at the head of a queue is let in when it finds the memory side free.
double SmTimeline::Implementation::next_let_in() const {
  return writeback_.stopped()
             ? never
             : std::min(finds_room_at(shared_sent_, true), finds_room_at(global_sent_, false));
}

/// Of several that find it free, the sub-partitions take turns.
void SmTimeline::Implementation::let_in(double time) {
  SubPartition* from = nullptr;
  std::size_t number = let_in_last_;
  for (std::size_t i = 0; i < sub_partitions_.size(); ++i) {
    number = number + 1 == sub_partitions_.size() ? 0 : number + 1;
    SubPartition& one = sub_partitions_[number];
    if (finds_room_at(one.head_sent, one.head_is_shared) > time) {
      continue;
    }
    if (from == nullptr || (!costs_.sub_partitions_take_turns && one.head_sent < from->head_sent)) {
      from = &one;
    }
  }
  let_in_last_ = from->number;
  Request& request = from->queue.front();
  request.sent = pass_on(request, time);
  if (request.accesses == 0) {
    from->queue.pop_front();
  }
  note_head(*from);
}

/// Passes the next access of a request to the memory side; returns when it has begun.
double SmTimeline::Implementation::pass_on(Request& request, double time) {
  Warp& warp = *request.warp;
  const InstructionCost& cost = *request.cost;
  Stall reason = Stall::short_scoreboard;
  SmMemory::Service service;
  double wavefronts = 1;
  int registers = cost.loaded_registers;
  --request.accesses;
  if (request.access == nullptr) {
    service = memory_.exchange(time, cost.latency - cost.transfer);
  } else {
    const sass::TracedAccess& access = *request.access++;
    const sass::TracedPattern& pattern = patterns_[access.pattern];
    wavefronts = pattern.wavefronts;
    // Fewer than the instruction has where it stands for several narrower ones.
    registers = std::min(registers, std::max(1, static_cast<int>(pattern.register_rows)));
    if (pattern.space == sass::MemorySpace::shared) {
      service = memory_.shared(pattern, time, warp.data_pipe_free);
    } else if (pattern.store) {
      reason = Stall::long_scoreboard;
      service = memory_.store(pattern, time);
      warp.stores_arrive = std::max(warp.stores_arrive, service.done);
    } else {
      reason = Stall::long_scoreboard;
      sass::TracedAccess own = access;
      if (pattern.space == sass::MemorySpace::local) {
        own.first_sector += local_sectors + warp.number * warp_local_sectors;
      }
      service = memory_.load(warp.slot, pattern, own, time, warp.data_pipe_free);
    }
    if (pattern.asynchronous) {
      warp.copies_done = std::max(warp.copies_done, service.done);
    }
  }
  --warp.unserved;
  const Load load{&warp, request.generation, cost.write_barrier, reason};
  const bool gives_place = request.holds_place && request.accesses == 0;
  if (service.under_way) {
    returns_.push(service.data_at, {service.arrival, &cost, registers, load,
                                    gives_place && !service.arrival.fetched});
  } else {
    latest_ = std::max(latest_, service.done);
    bring(load, cost, registers, wavefronts, service.done);
  }
  if (gives_place && (service.arrival.fetched || !service.under_way)) {
    warp.home->places.free_at(service.served);
    note_places(*warp.home);
  }
  if (warp.unserved == 0 && warp.ends_when_served) {
    warp.ends_when_served = false;
    end_warp(warp, std::ceil(time));
    look_at(*warp.home, ready_at(warp));
  }
  return service.begins;
}

/// Places, or warps that wait for one, have changed.
void SmTimeline::Implementation::note_places(SubPartition& sub_partition) {
  sub_partition.gives_place =
      sub_partition.warps_waiting_for_place != 0 ? sub_partition.places.next_free() : never;
  place_in_ = &sub_partitions_.front();
  for (SubPartition& one : sub_partitions_) {
    place_in_ = one.gives_place < place_in_->gives_place ? &one : place_in_;
  }
}

/// A place for a memory instruction has become free: of the warps that wait for one, one looks
/// again. It is of the oldest block, or where shared memory is waited for, of that which would
/// issue first; of a block it is the warp that issued the longest time ago.
void SmTimeline::Implementation::give_place(SubPartition& sub_partition, double time) {
  const auto waits = [](const Candidate& one) { return one.no_place_since < never; };
  Warp* next = nullptr;
  if (!costs_.warps_wait_in_turn ||
      sub_partition.of_them_global != sub_partition.warps_waiting_for_place) {
    next = first_of(sub_partition, time, waits);
  }
  if (costs_.warps_wait_in_turn) {
    if (next == nullptr || next->place_reason == Stall::lg_throttle) {
      next = std::ranges::find_if(sub_partition.by_age, waits)->warp;
    }
    for (const Candidate& one : sub_partition.by_age) {
      if (one.no_place_since < next->last_issue && one.warp->slot == next->slot &&
          one.warp->place_reason == next->place_reason) {
        next = one.warp;
      }
    }
  }
  candidate(*next).no_place_since = never;
  sub_partition.places.free_next();
  --sub_partition.warps_waiting_for_place;
  sub_partition.of_them_global -= next->place_reason == Stall::lg_throttle ? 1 : 0;
  note_places(sub_partition);
  // In the cycle in which one of them issues, the others could have.
  const auto contended = static_cast<double>(sub_partition.places_given - next->places_given);
  ++sub_partition.places_given;
  block_until(*next, next->asleep_since, time, next->place_reason,
              next->trace->steps[next->step].position(), contended);
  look_at(sub_partition, ready_at(*next));
}

/// Data has come that could be used at `done` if its registers are written at once. What came in
/// fewer wavefronts than there are registers is written to both banks in the same cycle.
void SmTimeline::Implementation::bring(const Load& load, const InstructionCost& cost, int registers,
                                       double wavefronts, double done) {
  if (!waits_for_ports(cost)) {
    finish_load(load, done);
    return;
  }
  const bool both_banks = wavefronts < registers;
  const int cycles = both_banks ? (registers + 1) / 2 : registers;
  const auto banks = static_cast<BankSet>(both_banks ? 3U : 1U << cost.first_loaded_bank);
  writeback_.add(load.warp->home->number, std::ceil(done) - write_latency - (cycles - 1), cycles,
                 banks, load);
}

/// Hands an instruction's operands to the memory side; returns when they are there.
double SmTimeline::Implementation::send(SubPartition& sub_partition, double transfer,
                                        double now) const {
  if (options_.unlimited) {
    return now + transfer;
  }
  sub_partition.transfer_free = std::max(now, sub_partition.transfer_free) + transfer;
  return sub_partition.transfer_free;
}

/// Loaded data has come to L1: on to the registers.
void SmTimeline::Implementation::deliver(const Return& arrived, double time) {
  const double done = memory_.deliver(arrived.arrival, time);
  latest_ = std::max(latest_, done);
  if (arrived.gives_place) {
    arrived.load.warp->home->places.free_at(done);
    note_places(*arrived.load.warp->home);
  }
  bring(arrived.load, *arrived.cost, arrived.registers, arrived.arrival.wavefronts, done);
}

/// A load's registers can be used from `time` on: its warp goes on if it waits for nothing else.
void SmTimeline::Implementation::finish_load(const Load& load, double time) {
  Warp& warp = *load.warp;
  if (warp.generation != load.generation || load.barrier == sass::no_scheduling_barrier) {
    return;
  }
  --warp.under_way[load.barrier];
  release(warp, load.barrier, time, load.reason);
  Stall reason = load.reason;
  if (warp.asleep_for == 0) {
    return;
  }
  double clear = 0;
  for (unsigned mask = warp.asleep_for; mask != 0; mask &= mask - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(mask));
    if (warp.under_way[i] != 0) {
      return;
    }
    if (warp.released[i] > clear) {
      clear = warp.released[i];
      reason = warp.reason[i];
    }
  }
  warp.asleep_for = 0;
  block_until(warp, warp.asleep_since, clear, reason, warp.trace->steps[warp.step].position());
  look_at(*warp.home, ready_at(warp));
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
    ready_at(warp) = never;
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
    ready_at(warp) = opens;
    note_stall(warp, warp.trace->steps[warp.step - 1].position(), Stall::barrier,
               warp.last_issue + 1, opens);
    look_at(sub_partitions_[where], opens);
    if (warp.step == warp.trace->steps.size()) {
      end_warp(warp, opens);
    }
  }
}

/// Of the warps that `may_go` picks, the one that issued last goes on, else that with the longest
/// counted wait, of equal ones the oldest; null: there is none.
SmTimeline::Implementation::Warp* SmTimeline::Implementation::first_of(SubPartition& sub_partition,
                                                                       double now, auto&& may_go) {
  Warp* const last = costs_.oldest_first ? sub_partition.last : nullptr;
  if (last != nullptr && may_go(candidate(*last))) {
    return last;
  }
  Warp* first = nullptr;
  double longest = -never;
  const double most = costs_.counted_wait_cycles;
  for (const Candidate& one : sub_partition.by_age) {
    const double waited = may_go(one) ? std::min(now - one.waits_since, most) : -never;
    first = waited > longest ? one.warp : first;
    longest = std::max(longest, waited);
  }
  return first;
}

void SmTimeline::Implementation::try_issue(SubPartition& sub_partition, double now) {
  if (!costs_.oldest_first && sub_partition.last != nullptr) {
    put_last(*sub_partition.last);
  }
  for (;;) {
    double next = never;
    Warp* const first = first_of(sub_partition, now, [&](const Candidate& one) {
      const bool ready = one.ready_at <= now;
      next = ready ? next : std::min(next, one.ready_at);
      return ready;
    });
    if (first == nullptr) {
      sub_partition.next = next;
      return;
    }
    if (attempt(sub_partition, *first, now)) {
      return;
    }
  }
}

std::array<double, unit_count> SmTimeline::Implementation::busy_cycles() const {
  std::array<double, unit_count> cycles = result_.busy_cycles;
  const MemoryCounts& memory = memory_.counts();
  cycles[static_cast<std::size_t>(Unit::lsu_data)] = memory.lsu_data_cycles;
  cycles[static_cast<std::size_t>(Unit::l2)] = memory.l2_cycles;
  cycles[static_cast<std::size_t>(Unit::dram)] = memory.dram_cycles;
  return cycles;
}

SmTimelineResult SmTimeline::Implementation::run(const BlockSource& blocks) {
  blocks_ = &blocks;
  for (SubPartition& sub_partition : sub_partitions_) {
    sub_partition.next = never;
  }
  result_.slot_steps.resize(slots_.size());
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    start_block(slot, 0);
  }
  const double budget = options_.step_budget > 0 ? options_.step_budget : never;
  std::vector<std::pair<double, double>> course = {{0, 0}};  // steps and time, now and then
  double now = 0;
  while (!cut_off_) {
    const double gives_place = place_in_->gives_place;
    const double arrival = writeback_.next_arrival();
    const double returned = next_return();
    const double lets_in = next_let_in();
    if (lets_in <= next_work_ && lets_in < returned && lets_in <= arrival) {
      let_in(lets_in);
      continue;
    }
    if (gives_place <= next_work_ && gives_place < returned && gives_place <= arrival) {
      give_place(*place_in_, gives_place);
      continue;
    }
    if (returned < never && returned <= next_work_ && returned <= arrival) {
      deliver(returns_.pop(), returned);
      continue;
    }
    if (arrival < never && arrival <= next_work_) {
      next_work_ = std::min(next_work_, writeback_.arrive());
      continue;
    }
    if (next_work_ == never) {
      break;
    }
    now = next_work_;
    if (options_.observer != nullptr) {
      options_.observer->worked(now, busy_cycles());
    }
    for (SubPartition& sub_partition : sub_partitions_) {
      if (sub_partition.next <= now) {
        try_issue(sub_partition, now);
      }
      if (writeback_.next_written(sub_partition.number) <= now) {
        writeback_.write_until(sub_partition.number, now + 1);
      }
    }
    double next = never;
    for (const SubPartition& sub_partition : sub_partitions_) {
      next = std::min(next, sub_partition.next);
      next = std::min(next, writeback_.next_written(sub_partition.number));
    }
    next_work_ = next;
    if (result_.steps >= static_cast<double>(course.size()) * budget / course_points) {
      course.emplace_back(result_.steps, now);
    }
    if (result_.steps >= budget) {
      cut_off_ = true;
    }
  }
  result_.busy_cycles = busy_cycles();
  const MemoryCounts& memory = memory_.counts();
  result_.l1_sectors = memory.load_sectors;
  result_.l1_missed_sectors = memory.missed_sectors;
  result_.stored_sectors = memory.stored_sectors;
  result_.complete = !cut_off_;
  result_.cycles = result_.complete ? std::max(latest_, now) : now;
  if (!result_.complete) {
    // A trace may have ended before the budget was used up.
    const auto [half_steps, half_time] = *std::prev(
        std::ranges::upper_bound(course, result_.steps / 2, {}, &std::pair<double, double>::first));
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
