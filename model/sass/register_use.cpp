#include "model/sass/register_use.hpp"

#include <utility>

namespace perfmodel::sass {
namespace {

bool is_wide(Number number) {
  return number == Number::u64 || number == Number::s64 || number == Number::f64;
}

/// Consecutive rows of source `index`.
std::size_t source_rows(const Instruction& instruction, std::size_t index) {
  switch (instruction.op) {
    case Op::mov64:
    case Op::sel64:
    case Op::imnmx64:
    case Op::iadd64:
    case Op::dadd:
    case Op::dmul:
    case Op::dfma:
    case Op::dsetp:
    case Op::dmnmx:
    case Op::fadd2:
    case Op::fmul2:
    case Op::ffma2:
    case Op::qspc:
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
    case Op::sel64:
    case Op::imnmx64:
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
      return instruction.zeroed_rows;
    default:
      return 1;
  }
}

/// See RegisterRead::slot.
std::uint8_t slot_of(Op op, std::size_t index) {
  switch (op) {
    // The sum's second operand stands where the fused one has its third.
    case Op::fadd:
    case Op::fadd2:
    case Op::dadd:
    case Op::dsetp:
    case Op::hadd2:
    case Op::hset2:
    case Op::hsetp2:
      return index == 1 ? 2 : static_cast<std::uint8_t>(index);
    // The first place is empty, or has the address.
    case Op::mov:
    case Op::mov64:
    case Op::iabs:
    case Op::popc:
    case Op::flo:
    case Op::brev:
    case Op::mufu:
    case Op::i2f:
    case Op::f2i:
    case Op::f2f:
    case Op::frnd:
    case Op::store:
    case Op::atomic:
      return static_cast<std::uint8_t>(index + 1);
    case Op::qspc:
      return address_slot;
    default:
      return static_cast<std::uint8_t>(index);
  }
}

class UseReader {
 public:
  UseReader(const Instruction& instruction, const Code& code)
      : instruction_(instruction), code_(code) {}

  RegisterUse read() {
    add_predicate(use_.guard, instruction_.guard.index);
    for (std::size_t i = 0; i < instruction_.sources.size(); ++i) {
      add_reads(instruction_.sources[i], source_rows(instruction_, i), slot_of(instruction_.op, i));
    }
    for (const AddressOperand* const address : {&instruction_.address, &instruction_.address2}) {
      add_reads(address->base, address->base64 ? 2 : 1, address_slot);
      add_reads(address->uniform, address->uniform64 ? 2 : 1, address_slot);
    }
    for (const PredicateSource& predicate : instruction_.predicates) {
      add_predicate(use_.predicate_reads, predicate.index);
    }
    if (instruction_.op == Op::p2r) {
      add_all_predicates(use_.predicate_reads);
    }
    if (instruction_.destination != code_.sink && instruction_.has_destination) {
      add_writes();
    }
    for (const std::uint8_t index : instruction_.predicate_destinations) {
      add_predicate(use_.predicate_writes, index);
    }
    if (instruction_.op == Op::r2p) {
      add_all_predicates(use_.predicate_writes);
    }
    use_.complete = instruction_.op != Op::not_computed && instruction_.op != Op::unknown;
    return std::move(use_);
  }

 private:
  void add_reads(const Source& source, std::size_t rows, std::uint8_t slot) {
    if (source.pool) {
      return;
    }
    const bool uniform = source.row >= code_.uniform_base;
    const std::size_t first = uniform ? source.row - code_.uniform_base : source.row;
    for (std::size_t i = 0; i < rows; ++i) {
      (uniform ? use_.uniform_reads : use_.reads)
          .push_back({static_cast<std::uint16_t>(first + i), slot});
    }
  }

  void add_writes() {
    const std::uint16_t row = instruction_.destination;
    const bool uniform = row >= code_.uniform_base;
    const std::size_t first = uniform ? row - code_.uniform_base : row;
    for (std::size_t i = 0; i < destination_rows(instruction_); ++i) {
      (uniform ? use_.uniform_writes : use_.writes)
          .push_back(static_cast<std::uint16_t>(first + i));
    }
  }

  static void add_predicate(PredicateSet& set, std::uint8_t index) {
    if (index % 8 != predicate_true) {
      set.set(index);
    }
  }

  static void add_all_predicates(PredicateSet& set) {
    for (std::uint8_t index = 0; index < predicate_true; ++index) {
      add_predicate(set, index);
    }
  }

  const Instruction& instruction_;
  const Code& code_;
  RegisterUse use_;
};

}  // namespace

RegisterUse register_use(const Instruction& instruction, const Code& code) {
  return UseReader(instruction, code).read();
}

std::size_t data_rows(const Instruction& instruction) {
  return (instruction.access_bytes + 3U) / 4;
}

}  // namespace perfmodel::sass
