#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/sass/instruction.hpp"
#include "model/sass/module.hpp"
#include "model/timeline/sm_costs.hpp"

namespace perfmodel {

/// Where an instruction goes when it is issued.
enum class Path : std::uint8_t {
  none,       ///< takes an issue slot only
  fma,        ///< either half of the FMA pipe
  fma_heavy,  ///< the half that multiplies integers
  alu,
  xu,
  fp64,
  tensor,
  uniform,
  memory,    ///< to the data pipe, with accesses
  exchange,  ///< to the data pipe, without memory: shuffles, the number of a thread
  constant,
  special,
  async_mark,  ///< LDGDEPBAR
  async_wait,  ///< DEPBAR
};

/// Registers read from each of a sub-partition's two banks, which hold those of even and of odd
/// number and deliver one a cycle.
using BankReads = std::array<std::uint8_t, 2>;

/// One bit for each of a sub-partition's register banks.
using BankSet = std::uint8_t;

/// What one instruction costs, as far as its code tells.
struct InstructionCost {
  Path path = Path::none;
  std::uint8_t stall_cycles = 1;
  std::uint16_t wait_mask = 0;
  std::uint8_t write_barrier = sass::no_scheduling_barrier;
  std::uint8_t read_barrier = sass::no_scheduling_barrier;
  std::uint8_t allowed_groups = 0;  ///< async_wait
  bool branch = false;
  double interval = 0;                ///< cycles that its pipe is busy
  double latency = 0;                 ///< of results that a scoreboard waits for
  double transfer = 0;                ///< to hand its registers over to the memory pipe
  std::uint8_t stored_registers = 0;  ///< of them, what a store writes
  BankReads bank_reads{};        ///< behind its predecessor, which left some in the operand cache
  BankReads bank_reads_alone{};  ///< with nothing in the operand cache
  BankSet writes = 0;            ///< of a result that comes after a fixed time
  std::uint8_t loaded_registers = 0;  ///< that come through the memory side
  std::uint8_t first_loaded_bank = 0;
};

/// By position. Where the code has no scheduling control, every instruction is as if it set none.
std::vector<InstructionCost> instruction_costs(const sass::Code& code,
                                               const sass::Function& function,
                                               const SmCosts& costs);

}  // namespace perfmodel
