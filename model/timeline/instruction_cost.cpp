#include "model/timeline/instruction_cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "model/sass/matrix_product.hpp"
#include "model/sass/register_use.hpp"

namespace perfmodel {
namespace {

bool is_integer_product(sass::Op op) {
  return op == sass::Op::imad || op == sass::Op::imad_wide || op == sass::Op::imad_hi ||
         op == sass::Op::dp4a || op == sass::Op::dp2a;
}

std::uint8_t allowed_groups(const sass::ListedInstruction& listed) {
  // "SB0, 0x1": how many may be under way.
  const std::size_t comma = listed.operands.find(',');
  if (comma == std::string::npos) {
    return 0;
  }
  return static_cast<std::uint8_t>(std::strtoul(listed.operands.c_str() + comma + 1, nullptr, 0));
}

/// Registers that an instruction reads from each of a sub-partition's two banks, each once; with
/// `cached`, but for those that its predecessor left in the operand cache.
BankReads bank_reads(const sass::Code& code, std::size_t position, bool cached) {
  std::vector<sass::RegisterRead> kept;
  if (cached && position > 0) {
    const sass::Instruction& before = code.instructions[position - 1];
    for (const sass::RegisterRead& read : sass::register_use(before, code).reads) {
      if (read.slot != sass::address_slot && (before.control.reuse >> read.slot & 1U) != 0) {
        kept.push_back(read);
      }
    }
  }
  std::vector<std::uint16_t> registers;
  for (const sass::RegisterRead& read :
       sass::register_use(code.instructions[position], code).reads) {
    if (std::ranges::find(kept, read) == kept.end()) {
      registers.push_back(read.number);
    }
  }
  std::ranges::sort(registers);
  registers.erase(std::ranges::unique(registers).begin(), registers.end());
  BankReads reads{};
  for (const std::uint16_t number : registers) {
    ++reads[number % reads.size()];
  }
  return reads;
}

/// Takes down which registers an instruction writes, and whether they come through the memory side.
void take_writes(const sass::Code& code, std::size_t position, InstructionCost& cost) {
  const std::vector<std::uint16_t> written =
      sass::register_use(code.instructions[position], code).writes;
  if (written.empty()) {
    return;
  }
  if (cost.path == Path::memory || cost.path == Path::exchange) {
    cost.loaded_registers = static_cast<std::uint8_t>(written.size());
    cost.first_loaded_bank = written.front() % 2;
  } else if (cost.write_barrier == sass::no_scheduling_barrier) {
    for (const std::uint16_t number : written) {
      cost.writes |= static_cast<BankSet>(1U << number % 2);
    }
  }
}

double address_rows(const sass::AddressOperand& address) {
  return address.base.pool ? 0 : address.base64 ? 2 : 1;
}

/// A product of matrices takes as long as its multiply-adds: "HMMA.16816.F32.BF16" has 16 x 8 x 16.
double tensor_interval(const sass::Instruction& instruction, const sass::ListedInstruction& listed,
                       const SmCosts& costs) {
  if (instruction.op == sass::Op::hfma2) {
    return costs.alu_interval;  // only moves a constant
  }
  // Of types without a measured rate, and where the opcode does not tell, that of m16n8k16.
  const std::optional<sass::MatrixProduct> product = sass::matrix_product(listed.opcode);
  const bool has_rate = product && product->data_type != "fp64" && product->data_type != "fp8";
  const double fmas = has_rate ? product->fmas : 16 * 8 * 16;
  const bool tf32 = listed.opcode.find("TF32") != std::string::npos;
  return fmas * costs.sub_partitions /
         (tf32 ? costs.tensor_tf32_fmas_per_cycle : costs.tensor_fmas_per_cycle);
}

InstructionCost cost_of(const sass::Instruction& instruction, const sass::ListedInstruction& listed,
                        const SmCosts& costs) {
  using sass::Op;
  InstructionCost cost;
  const sass::SchedulingControl& control = instruction.control;
  cost.stall_cycles = std::max<std::uint8_t>(1, control.stall_cycles);
  cost.wait_mask = control.wait_mask;
  cost.write_barrier = control.write_barrier;
  cost.read_barrier = control.read_barrier;
  const auto use = [&](Path path, double interval, double latency) {
    cost.path = path;
    cost.interval = interval;
    cost.latency = latency;
  };
  switch (instruction.pipe) {
    case sass::Pipe::fma:
      use(costs.fma_halves > 1 && !is_integer_product(instruction.op) ? Path::fma : Path::fma_heavy,
          costs.fma_interval, 6);
      break;
    case sass::Pipe::alu:
      use(Path::alu, costs.alu_interval, 6);
      break;
    case sass::Pipe::xu:
      use(Path::xu, costs.xu_interval, costs.xu_latency);
      break;
    case sass::Pipe::fp64:
      use(Path::fp64, costs.fp64_interval, costs.fp64_latency);
      break;
    case sass::Pipe::tensor:
      use(Path::tensor, tensor_interval(instruction, listed, costs), costs.tensor_latency);
      break;
    case sass::Pipe::uniform:
      use(Path::uniform, costs.uniform_interval, costs.special_register_latency);
      break;
    case sass::Pipe::lsu:
    case sass::Pipe::control:
    case sass::Pipe::other:
      break;
  }
  switch (instruction.op) {
    case Op::load:
    case Op::store:
    case Op::atomic:
    case Op::ldgsts:
    case Op::ldsm: {
      cost.path = Path::memory;
      double rows = address_rows(instruction.address);
      if (instruction.op == Op::ldgsts) {
        rows += address_rows(instruction.address2);
      }
      if (instruction.op == Op::store || instruction.op == Op::atomic) {
        rows += static_cast<double>(sass::data_rows(instruction));
      }
      if (instruction.op == Op::store) {
        cost.stored_registers = static_cast<std::uint8_t>(sass::data_rows(instruction));
      }
      cost.transfer = std::max(1.0, rows) * costs.operand_interval;
      break;
    }
    case Op::shfl:
      cost.path = Path::exchange;
      cost.latency = costs.shuffle_latency;
      cost.transfer = 2 * costs.operand_interval;
      break;
    case Op::s2r:
      if (instruction.pipe != sass::Pipe::uniform) {
        cost.path = Path::special;
        cost.latency = costs.special_register_latency;
      }
      break;
    case Op::ldc:
      cost.path = Path::constant;
      cost.latency = costs.constant_latency;
      break;
    default:
      break;
  }
  cost.branch = instruction.op == Op::bra || instruction.op == Op::brx ||
                instruction.op == Op::call || instruction.op == Op::ret;
  if (listed.opcode.starts_with("LDGDEPBAR")) {
    cost.path = Path::async_mark;
  } else if (listed.opcode.starts_with("DEPBAR")) {
    cost.path = Path::async_wait;
    cost.allowed_groups = allowed_groups(listed);
  }
  return cost;
}

}  // namespace

std::vector<InstructionCost> instruction_costs(const sass::Code& code,
                                               const sass::Function& function,
                                               const SmCosts& costs) {
  std::vector<InstructionCost> all;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    all.push_back(cost_of(code.instructions[i], function.instructions[i], costs));
    if (costs.register_banks) {
      all.back().bank_reads = bank_reads(code, i, true);
      all.back().bank_reads_alone = bank_reads(code, i, false);
    }
    if (costs.write_ports) {
      take_writes(code, i, all.back());
    }
  }
  return all;
}

}  // namespace perfmodel
