#include "model/sass/trace.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "model/sass/block.hpp"
#include "model/sass/prepare.hpp"
#include "model/sass/trace_edit.hpp"

namespace perfmodel::sass {
namespace {

std::size_t hash_of(const TracedPattern& pattern) {
  std::size_t hash =
      pattern.wavefronts * std::size_t{131} + (std::size_t{pattern.register_rows} << 20) +
      (static_cast<std::size_t>(pattern.space) << 28) + (pattern.store ? std::size_t{1} << 32 : 0) +
      (pattern.atomic ? std::size_t{1} << 33 : 0) +
      (pattern.asynchronous ? std::size_t{1} << 34 : 0);
  for (const std::int32_t sector : pattern.sectors) {
    hash = (hash ^ static_cast<std::uint32_t>(sector)) * std::size_t{0x9e3779b97f4a7c15};
  }
  return hash;
}

std::uint32_t rows_moved(const Instruction& instruction) {
  return instruction.op == Op::ldsm ? instruction.matrices : (instruction.access_bytes + 3U) / 4;
}

}  // namespace

void TraceRecorder::begin(std::uint64_t block, std::size_t warps, std::uint64_t most_steps) {
  trace_ = {};
  trace_.block = block;
  trace_.warps.resize(warps);
  most_steps_ = most_steps;
}

BlockTrace TraceRecorder::take() { return std::exchange(trace_, {}); }

void TraceRecorder::add_access(std::uint32_t warp, std::uint32_t position, std::uint64_t key,
                               TracedAccess access, MemorySpace space, const AccessCost& cost,
                               const TracedLanes& lanes, bool second) {
  if (padding_.row_bytes != 0 && space == MemorySpace::shared) {
    alignment_[position].note(padding_, lanes.offsets,
                              static_cast<std::uint32_t>(lanes.first_address), lanes.mask);
    key = 0;  // where rows end tells patterns apart as well
  }
  if (key == 0) {
    access.pattern = pattern_of(position, space, cost, lanes, second);
  } else if (const auto known = by_key_.find(key); known != by_key_.end()) {
    access.pattern = known->second;
  } else {
    access.pattern = pattern_of(position, space, cost, lanes, second);
    by_key_.emplace(key, access.pattern);
  }
  WarpTrace& trace = trace_.warps[warp];
  trace.steps.back().add_access();
  trace.accesses.push_back(access);
}

std::uint32_t TraceRecorder::pattern_of(std::uint32_t position, MemorySpace space,
                                        const AccessCost& cost, const TracedLanes& lanes,
                                        bool second) {
  const Instruction& instruction = code_.instructions[position];
  TracedPattern pattern;
  pattern.space = space;
  pattern.store = instruction.op == Op::store || (instruction.op == Op::ldgsts && second);
  pattern.atomic = instruction.op == Op::atomic;
  pattern.asynchronous = instruction.op == Op::ldgsts;
  pattern.wavefronts = cost.wavefronts;
  pattern.register_rows = rows_moved(instruction);
  pattern.lines = cost.lines;
  pattern.useful_bytes = cost.useful_bytes;
  if (space == MemorySpace::shared) {
    pattern.conflict_free_wavefronts = cost.conflict_free_wavefronts;
    for (std::uint32_t i = 0; i < pattern.widened.size() && !pattern.atomic; ++i) {
      const std::uint32_t bytes = 8U << i;
      if (bytes > instruction.access_bytes) {
        const AccessCost wide = shared_access(
            lanes.offsets, static_cast<std::uint32_t>(lanes.first_address % line_bytes), lanes.mask,
            bytes, pattern.store);
        pattern.widened[i] = {wide.wavefronts, wide.conflict_free_wavefronts};
      }
    }
    if (padding_.row_bytes != 0) {
      pattern.padded =
          padded_passes(padding_, lanes.offsets, static_cast<std::uint32_t>(lanes.first_address),
                        lanes.mask, instruction);
    }
  } else {
    constexpr std::uint64_t widest_bytes = 16;
    pattern.alignment_bytes = static_cast<std::uint32_t>(
        std::uint64_t{1} << std::countr_zero(lanes.first_address | widest_bytes));
    pattern.sectors.assign(cost.sector_offsets.begin(), cost.sector_offsets.begin() + cost.sectors);
  }
  const std::size_t hash = hash_of(pattern);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto known = begin; known != end; ++known) {
    if (patterns_[known->second] == pattern) {
      return known->second;
    }
  }
  const auto index = static_cast<std::uint32_t>(patterns_.size());
  patterns_.push_back(std::move(pattern));
  by_hash_.emplace(hash, index);
  return index;
}

struct LaunchTracer::Implementation {
  Implementation(const Module& module, const Function& function, const Launch& launch,
                 const EmulationOptions& options, const AccessChanges* changes)
      : prepared(prepare_launch(module, function, launch, without_defects(options), false)),
        emulator(prepared->context),
        recorder(prepared->code) {
    emulator.set_trace(&recorder);
    if (changes != nullptr) {
      if (changes->padding.row_bytes != 0) {
        recorder.pad_shared(changes->padding);
      }
      editor.emplace(prepared->code, *changes);
    }
  }

  /// A block alone finds memory unwritten that others write.
  static EmulationOptions without_defects(EmulationOptions options) {
    options.find_defects = false;
    return options;
  }

  std::unique_ptr<PreparedLaunch> prepared;
  BlockEmulator emulator;
  TraceRecorder recorder;
  std::optional<TraceEditor> editor;
};

LaunchTracer::LaunchTracer(const Module& module, const Function& function, const Launch& launch,
                           const EmulationOptions& options, const AccessChanges* changes)
    : implementation_(
          std::make_unique<Implementation>(module, function, launch, options, changes)) {}

LaunchTracer::~LaunchTracer() = default;

BlockTrace LaunchTracer::trace(std::uint64_t index, std::uint64_t most_steps) {
  Implementation& own = *implementation_;
  const std::uint32_t threads = own.prepared->context.launch->threads_per_block();
  own.recorder.begin(index, (threads + warp_lanes - 1) / warp_lanes, most_steps);
  own.emulator.run(index);
  BlockTrace trace = own.recorder.take();
  trace.complete = own.emulator.has_ended();
  return own.editor ? own.editor->edit(trace, own.recorder.patterns()) : trace;
}

std::size_t LaunchTracer::buffer_of(std::uint64_t sector) const {
  const auto& regions = implementation_->prepared->context.memory->regions();
  const auto found = std::ranges::find_if(regions, [&](const Region& region) {
    const std::uint64_t begin = region.address() / sector_bytes;
    return sector >= begin && sector * sector_bytes < region.address() + region.size();
  });
  return static_cast<std::size_t>(found - regions.begin());
}

void LaunchTracer::pad_shared(const SharedPadding& padding) {
  implementation_->recorder.pad_shared(padding);
}

const std::vector<PaddedAlignment>& LaunchTracer::alignment() const {
  return implementation_->recorder.alignment();
}

const Code& LaunchTracer::code() const {
  return implementation_->editor ? implementation_->editor->code()
                                 : implementation_->prepared->code;
}

const std::vector<TracedPattern>& LaunchTracer::patterns() const {
  return implementation_->editor ? implementation_->editor->patterns()
                                 : implementation_->recorder.patterns();
}

}  // namespace perfmodel::sass
