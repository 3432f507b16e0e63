#include "model/sass/slice.hpp"

#include <algorithm>
#include <bitset>
#include <limits>

namespace perfmodel::sass {
namespace {

constexpr std::size_t most_rows = 640;
/// Rows of the warp's file, then its predicates.
using Values = std::bitset<most_rows + predicate_count>;

bool is_wide(Number number) {
  return number == Number::u64 || number == Number::s64 || number == Number::f64;
}

std::size_t data_rows(const Instruction& instruction) {
  return (instruction.access_bytes + 3U) / 4;
}

/// Consecutive rows of source `index`.
std::size_t source_rows(const Instruction& instruction, std::size_t index) {
  switch (instruction.op) {
    case Op::mov64:
    case Op::iadd64:
    case Op::dadd:
    case Op::dmul:
    case Op::dfma:
    case Op::dsetp:
    case Op::dmnmx:
    case Op::fadd2:
    case Op::fmul2:
    case Op::ffma2:
    case Op::brx:
    case Op::ret:
      return 2;
    case Op::imad_wide:
    case Op::imad_hi:
      return index == 2 ? 2 : 1;
    case Op::isetp:
    case Op::i2f:
    case Op::f2i:
    case Op::f2f:
    case Op::frnd:
    case Op::match:
      return is_wide(instruction.from) ? 2 : 1;
    case Op::store:
    case Op::atomic:
      return data_rows(instruction);
    default:
      return 1;
  }
}

std::size_t destination_rows(const Instruction& instruction) {
  switch (instruction.op) {
    case Op::mov64:
    case Op::iadd64:
    case Op::imad_wide:
    case Op::dadd:
    case Op::dmul:
    case Op::dfma:
    case Op::dmnmx:
    case Op::fadd2:
    case Op::fmul2:
    case Op::ffma2:
      return 2;
    case Op::i2f:
    case Op::f2i:
    case Op::f2f:
    case Op::frnd:
      return is_wide(instruction.to) ? 2 : 1;
    case Op::cs2r:
      return instruction.high ? 2 : 1;
    case Op::load:
    case Op::ldc:
    case Op::atomic:
      return data_rows(instruction);
    case Op::ldsm:
      return instruction.matrices;
    case Op::not_computed:
      return 4;
    default:
      return 1;
  }
}

bool is_control(Op op) {
  switch (op) {
    case Op::bra:
    case Op::brx:
    case Op::call:
    case Op::ret:
    case Op::exit:
    case Op::bssy:
    case Op::bsync:
    case Op::breakb:
    case Op::bmov_to:
    case Op::warpsync:
    case Op::bar:
    case Op::trap:
      return true;
    default:
      return false;
  }
}

bool is_memory(Op op) {
  return op == Op::load || op == Op::store || op == Op::atomic || op == Op::ldgsts ||
         op == Op::ldsm;
}

void add_rows(Values& values, const Source& source, std::size_t rows) {
  if (source.pool) {
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    values.set(source.row + row);
  }
}

void add_predicate(Values& values, std::uint8_t index) {
  if (index % 8 != predicate_true) {
    values.set(most_rows + index);
  }
}

void add_address(Values& values, const AddressOperand& address) {
  add_rows(values, address.base, address.base64 ? 2 : 1);
  add_rows(values, address.uniform, address.uniform64 ? 2 : 1);
}

/// The reads and writes of one instruction.
struct Effects {
  Values always;   ///< read whatever becomes of the result: guard, address, condition
  Values inputs;   ///< read for the result
  Values outputs;
  bool certain = false;  ///< the outputs are written whenever the instruction is reached
};

Effects effects_of(const Instruction& instruction, const Code& code) {
  Effects effects;
  add_predicate(effects.always, instruction.guard.index);
  effects.certain = instruction.guard.index % 8 == predicate_true && !instruction.guard.negate;
  Values& values = is_control(instruction.op) ? effects.always : effects.inputs;
  for (std::size_t i = 0; i < instruction.sources.size(); ++i) {
    add_rows(values, instruction.sources[i], source_rows(instruction, i));
  }
  for (const PredicateSource& predicate : instruction.predicates) {
    add_predicate(values, predicate.index);
  }
  if (is_memory(instruction.op)) {
    add_address(effects.always, instruction.address);
    add_address(effects.always, instruction.address2);
  } else {
    add_address(effects.inputs, instruction.address);
  }
  if (instruction.op == Op::p2r) {
    for (std::uint8_t p = 0; p < predicate_true; ++p) {
      add_predicate(effects.inputs, p);
    }
  }
  if (instruction.destination != code.sink && instruction.has_destination) {
    for (std::size_t row = 0; row < destination_rows(instruction); ++row) {
      effects.outputs.set(instruction.destination + row);
    }
  }
  for (const std::uint8_t index : instruction.predicate_destinations) {
    add_predicate(effects.outputs, index);
  }
  if (instruction.op == Op::r2p) {
    for (std::uint8_t p = 0; p < predicate_true; ++p) {
      add_predicate(effects.outputs, p);
    }
    effects.certain = false;  // only those in its mask
  }
  return effects;
}

std::vector<std::vector<std::uint32_t>> successors_of(const Code& code) {
  const auto count = static_cast<std::uint32_t>(code.instructions.size());
  std::vector<std::uint32_t> behind_calls;
  for (std::uint32_t i = 0; i + 1 < count; ++i) {
    if (code.instructions[i].op == Op::call) {
      behind_calls.push_back(i + 1);
    }
  }
  std::vector<std::vector<std::uint32_t>> successors(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Instruction& instruction = code.instructions[i];
    const auto always = [](const PredicateSource& source) {
      return source.index % 8 == predicate_true && !source.negate;
    };
    bool falls_through = true;
    switch (instruction.op) {
      case Op::bra:
      case Op::call:
        successors[i].push_back(static_cast<std::uint32_t>(instruction.target));
        falls_through = instruction.high || !always(instruction.guard) ||
                        !always(instruction.predicates[0]);
        break;
      case Op::ret:
        successors[i] = behind_calls;
        falls_through = !always(instruction.guard);
        break;
      case Op::exit:
        falls_through = !always(instruction.guard) || !always(instruction.predicates[0]);
        break;
      default:
        break;
    }
    if (falls_through && i + 1 < count) {
      successors[i].push_back(i + 1);
    }
  }
  return successors;
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

 private:
  /// Marks what is needed given the memory that matters so far; true if more memory does.
  bool pass() {
    const std::size_t count = code_.instructions.size();
    std::vector<Values> before(count);
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t i = count; i-- > 0;) {
        const Values now = before_instruction(i, before);
        if (now != before[i]) {
          before[i] = now;
          changed = true;
        }
      }
    }
    bool more = false;
    for (std::size_t i = 0; i < count; ++i) {
      Instruction& instruction = code_.instructions[i];
      instruction.needed = is_needed(instruction, effects_[i], after_instruction(i, before));
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

  [[nodiscard]] Values after_instruction(std::size_t i, const std::vector<Values>& before) const {
    Values after;
    for (const std::uint32_t successor : successors_[i]) {
      after |= before[successor];
    }
    return after;
  }

  [[nodiscard]] bool is_needed(const Instruction& instruction, const Effects& effects,
                               const Values& after) const {
    switch (instruction.op) {
      case Op::store:
        return spaces_[index_of(instruction.space)];
      case Op::atomic:
        return spaces_[index_of(instruction.space)] || (effects.outputs & after).any();
      case Op::ldgsts:
        return spaces_[index_of(MemorySpace::shared)];
      default:
        return is_control(instruction.op) || (effects.outputs & after).any();
    }
  }

  [[nodiscard]] Values before_instruction(std::size_t i, const std::vector<Values>& before) const {
    const Effects& effects = effects_[i];
    const Instruction& instruction = code_.instructions[i];
    Values values = after_instruction(i, before);
    const bool needed = is_needed(instruction, effects, values);
    if (effects.certain) {
      values &= ~effects.outputs;
    }
    values |= effects.always;
    if (needed) {
      values |= effects.inputs;
    }
    return values;
  }

  Code& code_;
  std::vector<std::vector<std::uint32_t>> successors_;
  std::vector<Effects> effects_;
  Spaces spaces_{};
};

/// Instructions that the emulator may pass over in one step when nothing needs them.
bool may_skip(const Instruction& instruction) {
  return (instruction.op == Op::nop || !instruction.needed) && !is_control(instruction.op) &&
         !is_memory(instruction.op) && instruction.guard.index % 8 == predicate_true &&
         !instruction.guard.negate;
}

}  // namespace

SliceResult slice_for_counting(Code& code) {
  const bool jumps_anywhere = std::ranges::any_of(
      code.instructions, [](const Instruction& instruction) { return instruction.op == Op::brx; });
  SliceResult result;
  if (jumps_anywhere || code.rows > most_rows) {
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
    run = may_skip(instruction)
              ? static_cast<std::uint16_t>(
                    std::min<int>(run + 1, std::numeric_limits<std::uint16_t>::max()))
              : std::uint16_t{0};
    instruction.skip = run;
  }
  return result;
}

}  // namespace perfmodel::sass
