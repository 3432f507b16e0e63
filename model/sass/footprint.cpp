#include "model/sass/footprint.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "model/sass/access_pattern.hpp"
#include "model/sass/footprint_law.hpp"
#include "model/sass/footprint_recorder.hpp"
#include "model/sass/prepare.hpp"
#include "model/sass/sample.hpp"

namespace perfmodel::sass {
namespace {

constexpr std::uint64_t fewest_estimated_blocks = 30;
/// Emulated again to check a law: as many random blocks as this allows, within limits.
constexpr std::uint64_t verification_instructions = 500'000;
constexpr std::uint64_t fewest_verified_blocks = 4;
constexpr std::uint64_t most_verified_blocks = 32;
constexpr std::size_t most_blocks_for_law = 1024;

/// How often the bytes of some sets occur among them.
struct Occurrences {
  double any = 0;
  double once = 0;
  double twice = 0;
};

Occurrences occurrences_of(const std::vector<ByteSet>& sets) {
  std::vector<std::pair<std::uint64_t, int>> edges;
  for (const ByteSet& set : sets) {
    for (const ByteRange& range : set.ranges()) {
      edges.emplace_back(range.begin, 1);
      edges.emplace_back(range.end, -1);
    }
  }
  std::ranges::sort(edges);
  Occurrences result;
  int depth = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    depth += edges[i].second;
    if (depth == 0) {
      continue;
    }
    const auto bytes = static_cast<double>(edges[i + 1].first - edges[i].first);
    result.any += bytes;
    result.once += depth == 1 ? bytes : 0;
    result.twice += depth == 2 ? bytes : 0;
  }
  return result;
}

struct Estimate {
  double value = 0;
  double most = 0;
};

/// Bytes that `blocks` blocks touch, from the sets of those that were drawn. How many more the
/// others touch follows from how many were seen once and twice, as ecology extrapolates the species
/// of an area from quadrats (Colwell, Chao et al. 2012, incidence data). Exact where no two blocks
/// share a byte, and where all touch the same.
Estimate estimate(const std::vector<ByteSet>& drawn, std::uint64_t blocks, std::uint64_t limit) {
  const Occurrences seen = occurrences_of(drawn);
  const auto count = static_cast<double>(drawn.size());
  const double others = static_cast<double>(blocks) - count;
  double sum = 0;
  for (const ByteSet& set : drawn) {
    sum += static_cast<double>(set.bytes());
  }
  Estimate result;
  result.most = std::min(static_cast<double>(limit), sum / count * static_cast<double>(blocks));
  result.value = seen.any;
  if (seen.once > 0 && seen.twice > 0) {
    const double never = (count - 1) / count * seen.once * seen.once / (2 * seen.twice);
    const double chance = seen.once / (count * never + seen.once);  // of one block, for one of them
    result.value += never * (1 - std::pow(1 - chance, others));
  } else {
    result.value += seen.once / count * others;
  }
  result.value = std::min(result.value, result.most);
  return result;
}

UniqueBytes exact_bytes(const ByteSet& set) {
  const auto bytes = static_cast<double>(set.bytes());
  const double sectors = static_cast<double>(set.whole_pieces(sector_bytes).bytes()) / sector_bytes;
  const double pairs =
      static_cast<double>(set.whole_pieces(sector_pair_bytes).bytes()) / sector_pair_bytes;
  return {bytes, sectors, pairs, bytes, sectors};
}

UniqueBytes operator+(const UniqueBytes& left, const UniqueBytes& right) {
  return {left.bytes + right.bytes, left.sectors + right.sectors,
          left.sector_pairs + right.sector_pairs, left.most_bytes + right.most_bytes,
          left.most_sectors + right.most_sectors};
}

/// What each instruction does, where it accesses global memory.
std::vector<AccessKinds> access_kinds(const Code& code) {
  std::vector<AccessKinds> kinds;
  for (const Instruction& instruction : code.instructions) {
    kinds.push_back(
        {instruction.op != Op::store, instruction.op == Op::store || instruction.op == Op::atomic});
  }
  return kinds;
}

/// Every instruction by itself; or, of a coarse footprint, the first that does the same, for what
/// several instructions of an unrolled loop touch together has far fewer gaps.
std::vector<std::uint32_t> recording_groups(const Code& code, std::uint32_t piece_bytes) {
  std::map<Op, std::uint32_t> first;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t i = 0; i < code.instructions.size(); ++i) {
    groups.push_back(
        piece_bytes == 1 ? i : first.try_emplace(code.instructions[i].op, i).first->second);
  }
  return groups;
}

EmulationOptions without_defects(EmulationOptions options) {
  options.find_defects = false;
  options.progress = nullptr;
  return options;
}

}  // namespace

/// Emulates blocks, and remembers what they touched.
class EmulatedBlocks final : public BlockFootprints {
 public:
  EmulatedBlocks(const LaunchContext& context, const EmulationOptions& options)
      : context_(context), options_(options) {}

  void prepare(std::span<const std::uint64_t> blocks) override {
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t block : blocks) {
      if (!known_.contains(block)) {
        missing.push_back(block);
      }
    }
    std::ranges::sort(missing);
    const auto repeated = std::ranges::unique(missing);
    missing.erase(repeated.begin(), repeated.end());
    run(missing);
  }

  const BlockFootprint& at(std::uint64_t block) override {
    prepare({&block, 1});
    return known_.at(block);
  }

  [[nodiscard]] bool affordable() const override {
    return work() < options_.random_sample_instructions && blocks_run_ < most_blocks_for_law;
  }

  /// Forgets what blocks touched where that takes much memory.
  void relax() {
    if (ranges_ > most_byte_ranges) {
      known_.clear();
      ranges_ = 0;
    }
  }

  /// Instructions emulated.
  [[nodiscard]] std::uint64_t work() const {
    std::uint64_t sum = 0;
    for (const auto& worker : workers_) {
      sum += worker->emulator.work();
    }
    return sum;
  }

  [[nodiscard]] std::uint64_t blocks_run() const { return blocks_run_; }

 private:
  struct Worker {
    Worker(const LaunchContext& context, std::uint32_t piece_bytes)
        : recorder(recording_groups(*context.code, piece_bytes), *context.memory, piece_bytes),
          emulator(context) {
      emulator.set_recorder(&recorder);
    }

    FootprintRecorder recorder;
    BlockEmulator emulator;
  };

  void run(const std::vector<std::uint64_t>& blocks) {
    const std::size_t threads = std::min<std::size_t>(
        blocks.size(), options_.threads != 0 ? options_.threads
                                             : std::max(1U, std::thread::hardware_concurrency()));
    while (workers_.size() < threads) {
      workers_.push_back(std::make_unique<Worker>(context_, options_.footprint_piece_bytes));
    }
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    std::size_t failed = std::numeric_limits<std::size_t>::max();
    const auto work = [&](Worker& worker) {
      std::size_t i = 0;
      try {
        while ((i = next.fetch_add(1)) < blocks.size()) {
          worker.emulator.run(blocks[i]);
          BlockFootprint footprint = worker.recorder.take();
          const std::scoped_lock lock(mutex);
          for (const InstructionFootprint& one : footprint) {
            ranges_ += one.bytes.ranges().size();
          }
          known_.emplace(blocks[i], std::move(footprint));
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        next.store(blocks.size());
      }
    };
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([&, i] { work(*workers_[i]); });
    }
    if (threads > 0) {
      work(*workers_[0]);
    }
    for (std::thread& thread : others) {
      thread.join();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    blocks_run_ += blocks.size();
  }

  const LaunchContext& context_;
  const EmulationOptions& options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::map<std::uint64_t, BlockFootprint> known_;
  std::size_t ranges_ = 0;
  std::uint64_t blocks_run_ = 0;
};

/// The blocks that are asked for.
class BlockList {
 public:
  BlockList(std::uint64_t first, std::uint64_t count) : first_(first), count_(count) {}
  explicit BlockList(std::vector<std::uint64_t> blocks)
      : blocks_(std::move(blocks)), count_(blocks_.size()) {}

  [[nodiscard]] std::uint64_t size() const { return count_; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    return blocks_.empty() ? first_ + i : blocks_[i];
  }

  /// Calls `visit(first, count)` for each run of consecutive blocks.
  template <class Visit>
  void ranges(Visit visit) const {
    if (blocks_.empty()) {
      visit(first_, count_);
    }
    for (const std::uint64_t block : blocks_) {
      visit(block, std::uint64_t{1});
    }
  }

 private:
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> blocks_;
  std::uint64_t count_ = 0;
};

class LaunchFootprint::Implementation {
 public:
  Implementation(const Module& module, const Function& function, const Launch& launch,
                 const EmulationOptions& options)
      : options_(without_defects(options)),
        blocks_(launch.blocks()),
        prepared_(prepare_launch(module, function, launch, options_, false)),
        slice_(slice_for_addresses(prepared_->code)),
        kinds_(access_kinds(prepared_->code)),
        emulated_(prepared_->context, options_) {
    (void)emulated_.at(blocks_ / 2);
    work_of_one_ = std::max<std::uint64_t>(1, emulated_.work());
    if (slice_.data_independent && !runs_whole()) {
      law_ = find_footprint_law(launch.grid, kinds_, emulated_,
                                std::clamp(verification_instructions / work_of_one_,
                                           fewest_verified_blocks, most_verified_blocks),
                                options_.seed);
    }
  }

  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

  Footprint of(const BlockList& blocks) {
    if (law_) {
      TouchedUnion touched(regions());
      blocks.ranges([&](std::uint64_t first, std::uint64_t count) {
        law_->add_range(first, count, touched);
      });
      if (!touched.too_large()) {
        return exact(blocks, FootprintBasis::law, touched);
      }
    } else if (runs_whole() || blocks.size() <= fewest_estimated_blocks ||
               blocks.size() <= options_.random_sample_instructions / work_of_one_) {
      TouchedUnion touched(regions());
      emulate(blocks, touched);
      if (!touched.too_large()) {
        return exact(blocks, FootprintBasis::all_blocks, touched);
      }
    }
    return estimated(blocks);
  }

 private:
  [[nodiscard]] std::size_t regions() const { return prepared_->memory.regions().size(); }

  [[nodiscard]] bool runs_whole() const {
    return options_.all_blocks || blocks_ == 1 ||
           blocks_ < options_.whole_grid_instructions / work_of_one_;
  }

  void emulate(const BlockList& blocks, TouchedUnion& touched) {
    constexpr std::uint64_t at_a_time = 256;
    for (std::uint64_t i = 0; i < blocks.size() && !touched.too_large(); i += at_a_time) {
      std::vector<std::uint64_t> some;
      for (std::uint64_t j = i; j < std::min(blocks.size(), i + at_a_time); ++j) {
        some.push_back(blocks[j]);
      }
      emulated_.prepare(some);
      for (const std::uint64_t block : some) {
        for (const InstructionFootprint& one : emulated_.at(block)) {
          touched.add(one.region, kinds_[one.position], one.bytes);
        }
      }
      emulated_.relax();
    }
  }

  Footprint exact(const BlockList& blocks, FootprintBasis basis, TouchedUnion& touched) {
    const TouchedBytes sets = touched.take();
    return described(blocks, basis, [&](std::size_t slot) { return exact_bytes(sets[slot]); });
  }

  Footprint estimated(const BlockList& blocks) {
    const std::uint64_t count = std::min(
        blocks.size(),
        std::max(fewest_estimated_blocks, options_.random_sample_instructions / work_of_one_));
    std::vector<std::uint64_t> chosen = random_blocks(blocks.size(), count, options_.seed);
    for (std::uint64_t& block : chosen) {
      block = blocks[block];
    }
    emulated_.prepare(chosen);
    std::vector<std::vector<ByteSet>> drawn(2 * regions());  // by slot, of each block
    for (const std::uint64_t block : chosen) {
      TouchedUnion touched(regions());
      for (const InstructionFootprint& one : emulated_.at(block)) {
        touched.add(one.region, kinds_[one.position], one.bytes);
      }
      TouchedBytes sets = touched.take();
      for (std::size_t slot = 0; slot < sets.size(); ++slot) {
        drawn[slot].push_back(std::move(sets[slot]));
      }
    }
    emulated_.relax();
    return described(blocks, FootprintBasis::estimate, [&](std::size_t slot) {
      std::vector<ByteSet>& sets = drawn[slot];
      const std::uint64_t size = prepared_->memory.regions()[slot / 2].size();
      const Estimate bytes = estimate(sets, blocks.size(), size);
      const auto in_pieces = [&](std::uint32_t piece_bytes) {
        for (ByteSet& set : sets) {
          set = set.whole_pieces(piece_bytes);
        }
        return estimate(sets, blocks.size(), (size + piece_bytes - 1) / piece_bytes * piece_bytes);
      };
      const Estimate sectors = in_pieces(sector_bytes);
      const Estimate pairs = in_pieces(sector_pair_bytes);
      return UniqueBytes{bytes.value, sectors.value / sector_bytes, pairs.value / sector_pair_bytes,
                         bytes.most, sectors.most / sector_bytes};
    });
  }

  /// `unique(slot)`: distinct bytes of slots as of TouchedBytes.
  template <class Unique>
  Footprint described(const BlockList& blocks, FootprintBasis basis, Unique unique) {
    Footprint footprint;
    footprint.blocks = blocks.size();
    footprint.basis = basis;
    footprint.blocks_emulated = emulated_.blocks_run();
    footprint.blocks_verified = basis == FootprintBasis::law ? law_->blocks_verified : 0;
    for (std::size_t i = 0; i < regions(); ++i) {
      const Region& region = prepared_->memory.regions()[i];
      BufferFootprint buffer;
      buffer.name = region.name();
      buffer.size_bytes = region.size();
      buffer.loads = unique(2 * i);
      buffer.stores = unique(2 * i + 1);
      const auto argument = std::ranges::find(prepared_->buffers, static_cast<int>(i));
      if (argument != prepared_->buffers.end()) {
        buffer.argument = static_cast<std::size_t>(argument - prepared_->buffers.begin());
      } else if (buffer.loads.bytes == 0 && buffer.stores.bytes == 0) {
        continue;
      }
      footprint.loads = footprint.loads + buffer.loads;
      footprint.stores = footprint.stores + buffer.stores;
      footprint.buffers.push_back(std::move(buffer));
    }
    return footprint;
  }

  EmulationOptions options_;
  std::uint64_t blocks_;
  std::unique_ptr<PreparedLaunch> prepared_;
  SliceResult slice_;
  std::vector<AccessKinds> kinds_;
  EmulatedBlocks emulated_;
  std::uint64_t work_of_one_ = 1;
  std::optional<FootprintLaw> law_;
};

LaunchFootprint::LaunchFootprint(const Module& module, const Function& function,
                                 const Launch& launch, const EmulationOptions& options)
    : implementation_(std::make_unique<Implementation>(module, function, launch, options)) {}

LaunchFootprint::~LaunchFootprint() = default;

Footprint LaunchFootprint::of_range(std::uint64_t first, std::uint64_t count) {
  const std::uint64_t begin = std::min(first, implementation_->blocks());
  return implementation_->of({begin, std::min(count, implementation_->blocks() - begin)});
}

Footprint LaunchFootprint::of_blocks(std::span<const std::uint64_t> blocks) {
  std::vector<std::uint64_t> inside;
  std::ranges::copy_if(blocks, std::back_inserter(inside),
                       [&](std::uint64_t block) { return block < implementation_->blocks(); });
  if (inside.empty()) {
    return of_range(0, 0);
  }
  return implementation_->of(BlockList(std::move(inside)));
}

const char* footprint_basis_name(FootprintBasis basis) {
  constexpr std::array<const char*, 3> names = {"all", "law", "estimate"};
  return names.at(static_cast<std::size_t>(basis));
}

}  // namespace perfmodel::sass
