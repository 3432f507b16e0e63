#pragma once

#include <string>

#include "model/sass/machine_ledger.hpp"

namespace perfmodel::testing {

/// An instruction that `executions` warps run with all their lanes.
inline sass::LedgerLine instruction(const std::string& opcode, double executions,
                                    sass::Pipe pipe = sass::Pipe::alu) {
  sass::LedgerLine line;
  line.opcode = opcode;
  line.text = opcode + " R0, R1, R2";
  line.pipe = pipe;
  line.counts.executions = executions;
  line.counts.active_lanes = 32 * executions;
  line.counts.predicated_lanes = 32 * executions;
  return line;
}

inline sass::LedgerLine shared_load(const std::string& opcode, double executions,
                                    std::uint32_t access_bytes, sass::AccessClass access) {
  sass::LedgerLine line = instruction(opcode, executions, sass::Pipe::lsu);
  line.space = sass::MemorySpace::shared;
  line.access_bytes = access_bytes;
  line.counts.requests = executions;
  const bool uniform = access == sass::AccessClass::broadcast;
  const double passes = access_bytes == 16 ? (uniform ? 2 : 4) : access_bytes == 8 ? 2 : 1;
  line.counts.wavefronts = passes * executions;
  line.counts.ideal_wavefronts = passes * executions;
  line.counts.useful_bytes = executions * access_bytes * (uniform ? 1 : 32);
  line.counts.by_access[static_cast<std::size_t>(access)] = executions;
  return line;
}

/// Coalesced.
inline sass::LedgerLine global_load(const std::string& opcode, double executions,
                                    std::uint32_t access_bytes) {
  sass::LedgerLine line = instruction(opcode, executions, sass::Pipe::lsu);
  line.space = sass::MemorySpace::global;
  line.access_bytes = access_bytes;
  line.counts.requests = executions;
  line.counts.useful_bytes = executions * access_bytes * 32;
  line.counts.sectors = executions * access_bytes;
  line.counts.lines = executions * access_bytes / 4;
  line.counts.wavefronts = line.counts.lines;
  line.counts.ideal_wavefronts = line.counts.lines;
  line.counts.by_access[static_cast<std::size_t>(sass::AccessClass::coalesced)] = executions;
  return line;
}

/// The inner products of K3 at 32x32x32 as sm_90 has them: 32 warps, 32 768 FMAs.
inline sass::MachineLedger small_k3() {
  sass::MachineLedger ledger;
  ledger.kernel = "_ZN9perfmodel7kernels8sgemm_k3EPKfS2_Pfiii";
  ledger.arch = "sm_90";
  ledger.launch.block = {32, 32, 1};
  ledger.registers = 38;
  ledger.shared_bytes = 8192;
  ledger.blocks_total = 1;
  ledger.blocks_emulated = 1;
  ledger.data_independent = true;
  ledger.lines = {
      global_load("LDG.E.CONSTANT", 32, 4),
      global_load("LDG.E.CONSTANT", 32, 4),
      shared_load("LDS", 1024, 4, sass::AccessClass::distinct),
      shared_load("LDS.128", 256, 16, sass::AccessClass::broadcast),
      instruction("FFMA", 1024, sass::Pipe::fma),
      instruction("IMAD.WIDE", 64, sass::Pipe::fma),
      instruction("EXIT", 32, sass::Pipe::control),
  };
  std::uint32_t address = 0;
  for (sass::LedgerLine& line : ledger.lines) {
    line.address = address;
    address += 16;
    line.source_file = "/somewhere/k3.cu";
    line.source_line = 30 + address / 16;
    ledger.totals.warp_instructions += line.counts.executions;
    ledger.totals.thread_instructions += line.counts.predicated_lanes;
    ledger.totals.by_pipe[static_cast<std::size_t>(line.pipe)] += line.counts.executions;
  }
  ledger.totals.by_opcode = {{"FFMA", 1024},    {"LDS", 1024},          {"LDS.128", 256},
                             {"IMAD.WIDE", 64}, {"LDG.E.CONSTANT", 64}, {"EXIT", 32}};
  ledger.totals.shared_load_instructions = 1280;
  ledger.totals.shared_load_wavefronts = 1536;
  ledger.totals.global_load_requests = 64;
  ledger.totals.global_load_sectors = 256;
  ledger.totals.global_load_lines = 64;
  ledger.totals.global_load_useful_bytes = 8192;
  ledger.totals.lsu_wavefronts = 1600;
  ledger.totals.barriers = 0;
  ledger.totals.fp32_fmas = 32768;
  ledger.unique_bytes_per_block = 8192;
  ledger.loops = {{0, 80, 32, 32}};
  return ledger;
}

}  // namespace perfmodel::testing
