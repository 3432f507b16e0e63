#include "model/sass/slice.hpp"

#include <algorithm>
#include <bitset>
#include <limits>
#include <utility>
#include <vector>

#include "model/sass/control_flow.hpp"
#include "model/sass/register_use.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::size_t most_rows = 640;
/// Rows of the warp's file, then its predicates.
using Values = std::bitset<most_rows + predicate_count>;

bool is_memory(Op op) {
  return op == Op::load || op == Op::store || op == Op::atomic || op == Op::ldgsts ||
         op == Op::ldsm;
}

/// The places of predicates.
Values values_of(const PredicateSet& predicates) {
  return Values{predicates.to_ullong()} << most_rows;
}

/// A predicate and its sign, as a number: what a guard asks for.
std::size_t condition_of(const PredicateSource& guard) {
  return 2U * guard.index + (guard.negate ? 1 : 0);
}

/// The reads and writes of one instruction.
struct Effects {
  Values guard;   ///< the guard's predicate
  Values always;  ///< read whatever becomes of the result: address, condition
  Values inputs;  ///< read for the result
  Values outputs;
  bool partial = false;  ///< some of the outputs may keep their old values
};

/// Values that later instructions need: in any case, or only by lanes for which a condition holds.
/// The compiler guards an address and the load that uses it alike; without conditions, the address
/// would seem to need what its registers held before.
class Liveness {
 public:
  /// True if that added anything.
  bool merge(const Liveness& other) {
    bool added = add(always_, other.always_);
    for (const auto& [condition, values] : other.conditional_) {
      added = add(under(condition), values & ~always_) || added;
    }
    return added;
  }

  void use(const PredicateSource& guard, const Values& values) {
    if (is_unconditional(guard)) {
      always_ |= values;
    } else {
      under(condition_of(guard)) |= values & ~always_;
    }
  }

  /// What of `values` a lane needs for which the guard holds.
  [[nodiscard]] Values needed(const PredicateSource& guard, const Values& values) const {
    Values live = always_;
    for (const auto& [condition, conditional] : conditional_) {
      if (is_unconditional(guard) || condition != (condition_of(guard) ^ 1U)) {
        live |= conditional;
      }
    }
    return live & values;
  }

  /// `values` are written by lanes for which the guard holds.
  void define(const PredicateSource& guard, const Values& values) {
    if (is_unconditional(guard)) {
      always_ &= ~values;
      for (auto& [condition, conditional] : conditional_) {
        conditional &= ~values;
      }
      return;
    }
    under(condition_of(guard)) &= ~values;
    const Values others = always_ & values;
    always_ &= ~values;
    under(condition_of(guard) ^ 1U) |= others;
  }

  /// Predicate `index` is written: conditions on it meant its new value, and hold of nothing
  /// before.
  void forget_condition(std::size_t index) {
    for (auto& [condition, conditional] : conditional_) {
      if (condition / 2 == index) {
        always_ |= conditional;
        conditional.reset();
      }
    }
  }

 private:
  static bool add(Values& to, const Values& values) {
    const bool added = (values & ~to).any();
    to |= values;
    return added;
  }

  Values& under(std::size_t condition) {
    for (auto& [known, values] : conditional_) {
      if (known == condition) {
        return values;
      }
    }
    return conditional_.emplace_back(condition, Values{}).second;
  }

  Values always_;
  std::vector<std::pair<std::size_t, Values>> conditional_;
};

Effects effects_of(const Instruction& instruction, const Code& code) {
  const RegisterUse use = register_use(instruction, code);
  Effects effects;
  Values& operands = is_control(instruction.op) ? effects.always : effects.inputs;
  Values& addresses = is_memory(instruction.op) ? effects.always : effects.inputs;
  const auto add_reads = [&](const std::vector<RegisterRead>& reads, std::size_t first_row) {
    for (const RegisterRead& read : reads) {
      (read.slot == address_slot ? addresses : operands).set(first_row + read.number);
    }
  };
  add_reads(use.reads, 0);
  add_reads(use.uniform_reads, code.uniform_base);
  for (const std::uint16_t number : use.writes) {
    effects.outputs.set(number);
  }
  for (const std::uint16_t number : use.uniform_writes) {
    effects.outputs.set(std::size_t{code.uniform_base} + number);
  }
  effects.guard = values_of(use.guard);
  operands |= values_of(use.predicate_reads);
  effects.outputs |= values_of(use.predicate_writes);
  effects.partial = instruction.op == Op::r2p;  // only those in its mask
  return effects;
}

/// Memory whose contents matter, by MemorySpace.
using Spaces = std::array<bool, 6>;

std::size_t index_of(MemorySpace space) { return static_cast<std::size_t>(space); }

class Slicer {
 public:
  explicit Slicer(Code& code) : code_(code), successors_(successors_of(code)) {
    for (const Instruction& instruction : code.instructions) {
      effects_.push_back(effects_of(instruction, code));
    }
    find_blocks();
  }

  SliceResult run() {
    // Needed loads make stores needed, which may make more loads needed.
    while (pass()) {
    }
    SliceResult result;
    result.data_independent = true;
    for (const Instruction& instruction : code_.instructions) {
      if (!instruction.needed) {
        continue;
      }
      const bool global =
          instruction.space == MemorySpace::global || instruction.space == MemorySpace::generic;
      if ((instruction.op == Op::load && global) || instruction.op == Op::atomic ||
          instruction.op == Op::ldgsts) {
        result.data_independent = false;
      }
      if (instruction.op == Op::not_computed || instruction.op == Op::unknown) {
        result.depends_on_not_computed = true;
      }
    }
    return result;
  }

  void find_unread_loads() {
    const std::vector<Liveness> at_start = settle(Pass::everything);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      walk(block, at_start, Pass::mark_unread);
    }
  }

  /// Sets Instruction::needed where running the code takes the instruction, but for the guards and
  /// addresses of accesses in `merged`.
  void mark_running(const std::vector<bool>& merged) {
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      if (merged[i]) {
        effects_[i].guard.reset();
        effects_[i].always.reset();
      }
    }
    const std::vector<Liveness> at_start = settle(Pass::running);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      walk(block, at_start, Pass::mark_running);
    }
  }

  void find_first_uses() {
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
      if (code_.instructions[i].op == Op::load) {
        code_.instructions[i].use_distance = use_distance(i);
      }
    }
  }

 private:
  [[nodiscard]] std::uint16_t use_distance(std::size_t load) const {
    constexpr std::uint16_t farthest = 4096;
    const Values& result = effects_[load].outputs;
    std::size_t at = load;
    for (std::uint16_t distance = 1; distance <= farthest; ++distance) {
      const Instruction& last = code_.instructions[at];
      const auto& ways = successors_[at];
      if (ways.empty()) {
        return 0;
      }
      // A jump's target comes first, the next instruction last.
      const bool stays = last.op == Op::bra && ways.front() <= at;
      at = stays ? ways.front() : ways.back();
      const Effects& effects = effects_[at];
      if (((effects.guard | effects.always | effects.inputs | effects.outputs) & result).any()) {
        return distance;
      }
    }
    return 0;
  }

  /// What following the uses backwards is for.
  enum class Pass : std::uint8_t {
    slice,         ///< only what counts matters
    mark_needed,   ///< the same, setting Instruction::needed
    everything,    ///< every instruction's inputs matter
    mark_unread,   ///< the same, setting Instruction::unread_rows
    running,       ///< every access to memory matters
    mark_running,  ///< the same, setting Instruction::needed
  };

  /// What is needed at the start of every block.
  std::vector<Liveness> settle(Pass pass) {
    std::vector<Liveness> at_start(blocks_.size());
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t block = blocks_.size(); block-- > 0;) {
        changed = at_start[block].merge(walk(block, at_start, pass)) || changed;
      }
    }
    return at_start;
  }

  /// Marks what is needed given the memory that matters so far; true if more memory does.
  bool pass() {
    const std::vector<Liveness> at_start = settle(Pass::slice);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      walk(block, at_start, Pass::mark_needed);
    }
    bool more = false;
    for (const Instruction& instruction : code_.instructions) {
      if (!instruction.needed) {
        continue;
      }
      switch (instruction.op) {
        case Op::load:
        case Op::ldsm:
        case Op::atomic:
          more = matter(instruction.space) || more;
          break;
        case Op::ldgsts:
          more = matter(MemorySpace::global) || more;
          break;
        default:
          break;
      }
    }
    return more;
  }

  /// What is needed at the start of a block, from what is needed at the starts of its successors.
  Liveness walk(std::size_t block, const std::vector<Liveness>& at_start, Pass pass) {
    const bool all = pass == Pass::everything || pass == Pass::mark_unread;
    const bool runs = pass == Pass::running || pass == Pass::mark_running;
    Liveness live;
    for (const std::uint32_t successor : successors_[blocks_[block].last]) {
      live.merge(at_start[block_of_[successor]]);
    }
    for (std::size_t i = blocks_[block].last + 1; i-- > blocks_[block].first;) {
      Instruction& instruction = code_.instructions[i];
      const Effects& effects = effects_[i];
      for (std::size_t p = 0; p < predicate_count; ++p) {
        if (effects.outputs[most_rows + p]) {
          live.forget_condition(p);
        }
      }
      const bool unknown = instruction.op == Op::not_computed || instruction.op == Op::unknown;
      const bool needed = all || (runs && (is_memory(instruction.op) || unknown)) ||
                          is_needed(instruction, effects, live);
      if (pass == Pass::mark_needed || pass == Pass::mark_running) {
        instruction.needed = needed;
      } else if (pass == Pass::mark_unread && instruction.op == Op::load) {
        instruction.unread_rows = unread_rows(instruction, effects, live);
      }
      if (!effects.partial) {
        live.define(instruction.guard, effects.outputs);
      }
      live.use(instruction.guard, effects.always);
      if (needed) {
        live.use(instruction.guard, effects.inputs);
      }
      if ((all || runs) && unknown) {
        live.use(instruction.guard, Values{}.set());  // what it reads is not known
      }
      live.use({}, effects.guard);
    }
    return live;
  }

  static std::uint8_t unread_rows(const Instruction& instruction, const Effects& effects,
                                  const Liveness& live) {
    const Values read = live.needed(instruction.guard, effects.outputs);
    std::uint8_t unread = 0;
    for (std::size_t row = 0; row < data_rows(instruction); ++row) {
      if (!read[instruction.destination + row]) {
        unread = static_cast<std::uint8_t>(unread | 1U << row);
      }
    }
    return unread;
  }

  bool matter(MemorySpace space) {
    bool more = false;
    const auto add = [&](MemorySpace one) {
      more = more || !spaces_[index_of(one)];
      spaces_[index_of(one)] = true;
    };
    add(space);
    if (space == MemorySpace::generic) {
      add(MemorySpace::shared);
      add(MemorySpace::global);
      add(MemorySpace::local);
    } else {
      add(MemorySpace::generic);
    }
    return more;
  }

  [[nodiscard]] bool is_needed(const Instruction& instruction, const Effects& effects,
                               const Liveness& live) const {
    switch (instruction.op) {
      case Op::store:
        return spaces_[index_of(instruction.space)];
      case Op::atomic:
        return spaces_[index_of(instruction.space)] ||
               live.needed(instruction.guard, effects.outputs).any();
      case Op::ldgsts:
        return spaces_[index_of(MemorySpace::shared)];
      default:
        return is_control(instruction.op) || live.needed(instruction.guard, effects.outputs).any();
    }
  }

  /// Runs of instructions that nothing jumps into and only the last of which jumps.
  struct Block {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  void find_blocks() {
    const std::size_t count = code_.instructions.size();
    std::vector<bool> starts(count + 1);
    starts[0] = true;
    for (std::size_t i = 0; i < count; ++i) {
      if (successors_[i].size() != 1 || successors_[i].front() != i + 1) {
        starts[i + 1] = true;
        for (const std::uint32_t successor : successors_[i]) {
          starts[successor] = true;
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (starts[i]) {
        blocks_.push_back({i, i});
      }
      blocks_.back().last = i;
      block_of_.push_back(blocks_.size() - 1);
    }
  }

  Code& code_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<Effects> effects_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> block_of_;  ///< by instruction
  Spaces spaces_{};
};

/// Instructions that the emulator may pass over in one step when nothing needs them.
bool may_skip(const Instruction& instruction) {
  return (instruction.op == Op::nop || !instruction.needed) && !is_control(instruction.op) &&
         !is_memory(instruction.op) && is_unconditional(instruction.guard);
}

/// Instructions that no address in global memory depends on, once nothing needs their results.
bool may_drop(const Instruction& instruction) {
  const bool global = instruction.op == Op::ldgsts || instruction.space == MemorySpace::global ||
                      instruction.space == MemorySpace::generic;
  return instruction.op != Op::nop && !instruction.needed && !is_control(instruction.op) && !global;
}

/// Whether it is known where control may go.
bool can_follow(const Code& code) {
  return code.rows <= most_rows &&
         std::ranges::none_of(code.instructions, [](const Instruction& instruction) {
           return instruction.op == Op::brx;
         });
}

}  // namespace

std::vector<bool> find_unneeded(const Code& code, const std::vector<bool>& merged) {
  std::vector<bool> unneeded(code.instructions.size());
  if (!can_follow(code) || code.instructions.empty()) {
    return unneeded;
  }
  Code before = code;
  Code after = code;
  Slicer(before).mark_running(std::vector<bool>(unneeded.size()));
  Slicer(after).mark_running(merged);
  for (std::size_t i = 0; i < unneeded.size(); ++i) {
    unneeded[i] = before.instructions[i].needed && !after.instructions[i].needed;
  }
  return unneeded;
}

void find_unread_loads(Code& code) {
  if (can_follow(code) && !code.instructions.empty()) {
    Slicer(code).find_unread_loads();
  }
}

void find_first_uses(Code& code) {
  if (can_follow(code) && !code.instructions.empty()) {
    Slicer(code).find_first_uses();
  }
}

SliceResult slice_for_counting(Code& code) {
  SliceResult result;
  if (!can_follow(code)) {
    // Where control may go is not known: every value counts.
    for (const Instruction& instruction : code.instructions) {
      result.depends_on_not_computed = result.depends_on_not_computed ||
                                       instruction.op == Op::not_computed ||
                                       instruction.op == Op::unknown;
    }
    return result;
  }
  result = Slicer(code).run();
  std::uint16_t run = 0;
  for (std::size_t i = code.instructions.size(); i-- > 0;) {
    Instruction& instruction = code.instructions[i];
    run = may_skip(instruction) ? static_cast<std::uint16_t>(std::min<int>(
                                      run + 1, std::numeric_limits<std::uint16_t>::max()))
                                : std::uint16_t{0};
    instruction.skip = run;
  }
  return result;
}

SliceResult slice_for_addresses(Code& code) {
  SliceResult result = slice_for_counting(code);
  bool dropped = can_follow(code);
  while (dropped) {
    dropped = false;
    for (Instruction& instruction : code.instructions) {
      if (may_drop(instruction)) {
        instruction = Instruction{};
        dropped = true;
      }
    }
    // What only dropped instructions took their addresses and guards from is not needed either.
    result = slice_for_counting(code);
  }
  return result;
}

}  // namespace perfmodel::sass
