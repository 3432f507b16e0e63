#include "model/sass/emulate.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "model/sass/prepare.hpp"
#include "model/sass/sample.hpp"

namespace perfmodel::sass {
namespace {

InstructionCounts& add_counts(InstructionCounts& sum, const InstructionCounter& counter,
                              double weight) {
  const auto add = [weight](double& to, std::uint64_t count) {
    to += weight * static_cast<double>(count);
  };
  add(sum.executions, counter.executions);
  add(sum.active_lanes, counter.active_lanes);
  add(sum.predicated_lanes, counter.predicated_lanes);
  add(sum.divergences, counter.divergences);
  add(sum.taken, counter.taken);
  add(sum.requests, counter.requests);
  add(sum.wavefronts, counter.wavefronts);
  sum.wavefronts += weight * counter.miss_wavefronts.sum;
  add(sum.second_wavefronts, counter.second_wavefronts);
  add(sum.ideal_wavefronts, counter.ideal_wavefronts);
  add(sum.sectors, counter.sectors);
  add(sum.lines, counter.lines);
  add(sum.useful_bytes, counter.useful_bytes);
  for (std::size_t i = 0; i < sum.by_access.size(); ++i) {
    add(sum.by_access[i], counter.by_access[i]);
  }
  return sum;
}

std::string shown_instruction(const ListedInstruction& listed) {
  std::string text = listed.predicate;
  if (!text.empty()) {
    text += ' ';
  }
  text += listed.opcode;
  for (std::size_t i = 0; i < listed.operands.size(); ++i) {
    text += i == 0 ? " " : "";
    text += listed.operands[i];
    if (listed.operands[i] == ',' && i + 1 < listed.operands.size() &&
        listed.operands[i + 1] != ' ') {
      text += ' ';
    }
  }
  return text;
}

std::vector<LedgerLine> ledger_lines(const Module& module, const Function& function,
                                     const Code& code, const SampledBlocks& blocks) {
  std::vector<LedgerLine> lines(code.instructions.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    const ListedInstruction& listed = function.instructions[i];
    LedgerLine& line = lines[i];
    line.address = static_cast<std::uint32_t>(i) * instruction_bytes;
    line.text = shown_instruction(listed);
    line.opcode = listed.opcode;
    line.pipe = instruction.pipe;
    line.space = instruction.space;
    line.store = instruction.op == Op::store || instruction.op == Op::atomic;
    line.atomic = instruction.op == Op::atomic;
    line.access_bytes = instruction.space == MemorySpace::none ? 0 : instruction.access_bytes;
    if (listed.source_line != 0 && listed.source_file < module.source_files.size()) {
      line.source_file = module.source_files[listed.source_file];
      line.source_line = listed.source_line;
    }
    InstructionCounter strides;
    for (const WeightedCounts& part : blocks.parts) {
      if (i >= part.counts.instructions.size()) {
        continue;
      }
      const InstructionCounter& counter = part.counts.instructions[i];
      add_counts(line.counts, counter, part.weight);
      InstructionCounter vote;
      vote.stride_bytes = counter.stride_bytes;
      vote.stride_votes = counter.stride_votes;
      strides += vote;
    }
    line.counts.stride_bytes = strides.stride_bytes;
  }
  return lines;
}

std::vector<LoopCounts> loops_of(const Code& code, const std::vector<LedgerLine>& lines) {
  std::vector<LoopCounts> loops;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    const InstructionCounts& branch = lines[i].counts;
    if (instruction.op != Op::bra || instruction.target < 0 ||
        std::cmp_greater_equal(instruction.target, i) || branch.taken == 0) {
      continue;
    }
    const auto first = static_cast<std::size_t>(instruction.target);
    LoopCounts loop;
    loop.first_address = lines[first].address;
    loop.branch_address = lines[i].address;
    loop.iterations = lines[first].counts.executions;
    loop.entries = std::max(0.0, loop.iterations - branch.taken);
    loops.push_back(loop);
  }
  return loops;
}

/// HFMA2 often only moves a constant: what it multiplies are zeros and immediates.
bool moves_constant(const Instruction& instruction, const Code& code) {
  const auto fixed = [&](const Source& source) {
    return source.pool && !code.pool[source.row].constant;
  };
  return fixed(instruction.sources[0]) && fixed(instruction.sources[1]);
}

MachineTotals totals_of(const Code& code, const std::vector<LedgerLine>& lines) {
  MachineTotals totals;
  std::map<std::string, double> by_opcode;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Instruction& instruction = code.instructions[i];
    const LedgerLine& line = lines[i];
    const InstructionCounts& counts = line.counts;
    if (counts.executions == 0) {
      continue;
    }
    totals.warp_instructions += counts.executions;
    totals.thread_instructions += counts.predicated_lanes;
    totals.by_pipe[static_cast<std::size_t>(line.pipe)] += counts.executions;
    by_opcode[line.opcode] += counts.executions;
    switch (instruction.op) {
      case Op::bar:
        totals.barriers += counts.executions;
        break;
      case Op::bra:
      case Op::brx:
      case Op::call:
      case Op::ret:
        totals.branches += counts.executions;
        totals.divergent_branches += counts.divergences;
        break;
      case Op::ffma:
        totals.fp32_fmas += counts.predicated_lanes;
        break;
      case Op::ffma2:
        totals.fp32_fmas += 2 * counts.predicated_lanes;
        break;
      case Op::dfma:
        totals.fp64_fmas += counts.predicated_lanes;
        break;
      case Op::hfma2:
        if (!moves_constant(instruction, code)) {
          totals.fp16_fmas += 2 * counts.predicated_lanes;
        }
        break;
      case Op::s2r:
        if (line.pipe == Pipe::lsu) {
          totals.lsu_wavefronts += counts.executions;
        }
        break;
      default:
        break;
    }
    if (counts.requests == 0) {
      continue;
    }
    totals.lsu_wavefronts += counts.wavefronts + counts.second_wavefronts;
    if (instruction.op == Op::ldgsts) {
      totals.shared_store_instructions += counts.executions;
      totals.shared_store_wavefronts += counts.second_wavefronts;
    }
    switch (line.space) {
      case MemorySpace::shared:
        if (line.atomic) {
          totals.atomic_requests += counts.requests;
        }
        if (line.store) {
          totals.shared_store_instructions += counts.executions;
          totals.shared_store_wavefronts += counts.wavefronts;
        } else {
          totals.shared_load_instructions += counts.executions;
          totals.shared_load_wavefronts += counts.wavefronts;
        }
        break;
      case MemorySpace::local:
        totals.local_requests += counts.requests;
        totals.local_sectors += counts.sectors;
        break;
      case MemorySpace::global:
      case MemorySpace::generic:
        if (line.atomic) {
          totals.atomic_requests += counts.requests;
        } else if (line.store) {
          totals.global_store_requests += counts.requests;
          totals.global_store_sectors += counts.sectors;
          totals.global_store_lines += counts.lines;
          totals.global_store_useful_bytes += counts.useful_bytes;
        } else {
          totals.global_load_requests += counts.requests;
          totals.global_load_sectors += counts.sectors;
          totals.global_load_lines += counts.lines;
          totals.global_load_useful_bytes += counts.useful_bytes;
        }
        break;
      default:
        break;
    }
  }
  totals.by_opcode.assign(by_opcode.begin(), by_opcode.end());
  std::ranges::stable_sort(totals.by_opcode,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  return totals;
}

/// Executions by opcode of the instructions with one operation.
std::vector<std::pair<std::string, double>> executions_of(const Code& code, Op op,
                                                          const std::vector<LedgerLine>& lines) {
  std::map<std::string, double> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (code.instructions[i].op == op && lines[i].counts.executions > 0) {
      found[lines[i].opcode] += lines[i].counts.executions;
    }
  }
  return {found.begin(), found.end()};
}

MachineLedger make_ledger(const Module& module, const Function& function, const Launch& launch,
                          const PreparedLaunch& prepared, SampledBlocks blocks) {
  MachineLedger ledger;
  ledger.kernel = function.name;
  ledger.arch = module.arch;
  ledger.launch = launch;
  ledger.registers = function.registers;
  ledger.shared_bytes = own_static_shared_bytes(module.sm, function) + launch.dynamic_shared_bytes;
  ledger.blocks_total = launch.blocks();
  ledger.blocks_emulated = blocks.blocks_emulated;
  ledger.sampling = blocks.sampling;
  ledger.data_independent = prepared.slice.data_independent;
  ledger.relative_uncertainty = blocks.relative_uncertainty;
  ledger.lines = ledger_lines(module, function, prepared.code, blocks);
  ledger.totals = totals_of(prepared.code, ledger.lines);
  ledger.loops = loops_of(prepared.code, ledger.lines);
  double sectors = 0;
  for (const WeightedCounts& part : blocks.parts) {
    sectors += part.weight * static_cast<double>(part.counts.unique_sectors);
  }
  ledger.unique_bytes_per_block =
      sectors * sector_bytes / static_cast<double>(std::max<std::uint64_t>(1, launch.blocks()));
  ledger.defects = std::move(blocks.defects);
  ledger.not_computed = executions_of(prepared.code, Op::not_computed, ledger.lines);
  ledger.unknown = executions_of(prepared.code, Op::unknown, ledger.lines);
  ledger.results_affected = prepared.slice.depends_on_not_computed;
  return ledger;
}

}  // namespace

MachineLedger count_launch(const Module& module, const Function& function, const Launch& launch,
                           const EmulationOptions& options) {
  const auto prepared = prepare_launch(module, function, launch, options, false);
  SampledBlocks blocks =
      run_sampled_blocks(prepared->context, prepared->slice.data_independent, options);
  return make_ledger(module, function, launch, *prepared, std::move(blocks));
}

EmulatedRun run_launch(const Module& module, const Function& function, const Launch& launch,
                       const EmulationOptions& options) {
  const auto prepared = prepare_launch(module, function, launch, options, true);
  SampledBlocks blocks = run_all_blocks(prepared->context, options);
  EmulatedRun run;
  for (const int buffer : prepared->buffers) {
    run.outputs.emplace_back();
    if (buffer >= 0) {
      run.outputs.back() = prepared->memory.regions()[static_cast<std::size_t>(buffer)].contents();
    }
  }
  // Whether the counts depend on data is a question about the code, not about this run.
  Code sliced = prepared->code;
  prepared->slice = slice_for_counting(sliced);
  run.ledger = make_ledger(module, function, launch, *prepared, std::move(blocks));
  return run;
}

const char* pipe_name(Pipe pipe) {
  constexpr std::array<const char*, pipe_count> names = {
      "fma", "alu", "xu", "fp64", "tensor", "lsu", "uniform", "control", "other"};
  return names.at(static_cast<std::size_t>(pipe));
}

const char* access_class_name(AccessClass access) {
  constexpr std::array<const char*, 6> names = {"none",      "bcast",   "dist",
                                                "coalesced", "strided", "gather"};
  return names.at(static_cast<std::size_t>(access));
}

const char* defect_kind_name(DefectKind kind) {
  constexpr std::array<const char*, 4> names = {"out of bounds", "misaligned", "uninitialised read",
                                                "shared-memory race"};
  return names.at(static_cast<std::size_t>(kind));
}

const char* sampling_name(Sampling sampling) {
  constexpr std::array<const char*, 3> names = {"all", "classes", "random"};
  return names.at(static_cast<std::size_t>(sampling));
}

}  // namespace perfmodel::sass
