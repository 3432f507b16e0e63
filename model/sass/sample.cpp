#include "model/sass/sample.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>

namespace perfmodel::sass {
namespace {

constexpr std::uint64_t fewest_random_blocks = 30;
/// Members of a class that are compared along one direction: the first, and neighbours as far as
/// an alignment may take to repeat, where that is quick.
constexpr std::uint64_t neighbour_instructions = 1'000'000;
constexpr std::uint64_t most_neighbours = line_bytes / 4;
/// Blocks anywhere in a class that are run where the place in memory matters.
constexpr std::uint32_t most_places = 8;

/// Blocks of a grid, given to the CPU's threads in turn.
class BlockRunner {
 public:
  BlockRunner(const LaunchContext& context, const EmulationOptions& options)
      : context_(context), options_(options) {}

  /// Runs `blocks`; `result(i)` is where the counts of number i are added, from several threads.
  template <class Take>
  void run(const std::vector<std::uint64_t>& blocks, Take take) {
    run_count(blocks.size(), [&](std::uint64_t i) { return blocks[i]; }, take);
  }

  /// Runs `count` blocks, of which number i is `block_of(i)`; `take(i, counts)` receives its
  /// counts, one at a time.
  template <class BlockOf, class Take>
  void run_count(std::uint64_t count, BlockOf block_of, Take take) {
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> done{0};
    std::exception_ptr failure;
    std::uint64_t failed_block = std::numeric_limits<std::uint64_t>::max();
    std::mutex mutex;
    const auto work = [&] {
      std::uint64_t i = 0;
      try {
        BlockEmulator emulator(context_);
        emulator.set_find_defects(find_defects_);
        while ((i = next.fetch_add(1)) < count) {
          emulator.run(block_of(i));
          const BlockCounts counts = emulator.take_counts();
          const std::uint64_t finished = ++done;
          const std::scoped_lock lock(mutex);
          take(i, counts);
          if (options_.progress) {
            options_.progress(finished, count);
          }
        }
        const std::scoped_lock lock(mutex);
        work_ += emulator.work();
        for (const auto& [key, defect] : emulator.defects()) {
          Defect& all = defects_[key];
          const std::uint64_t occurrences = all.occurrences + defect.occurrences;
          // The first block that shows it speaks for all, whatever thread ran it.
          if (all.occurrences == 0 || defect.what < all.what) {
            all = defect;
          }
          all.occurrences = occurrences;
        }
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (i < failed_block) {
          failed_block = i;
          failure = std::current_exception();
        }
        next.store(count);
      }
    };
    const std::uint64_t threads = std::min<std::uint64_t>(
        count, options_.threads != 0 ? options_.threads
                                     : std::max(1U, std::thread::hardware_concurrency()));
    std::vector<std::thread> others;
    for (std::uint64_t i = 1; i < threads; ++i) {
      others.emplace_back(work);
    }
    work();
    for (std::thread& thread : others) {
      thread.join();
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    blocks_ += count;
  }

  /// Races and unwritten memory are looked for unless this says otherwise.
  void set_find_defects(bool find) { find_defects_ = find; }

  [[nodiscard]] std::uint64_t work() const { return work_; }
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
  [[nodiscard]] std::vector<Defect> defects() const {
    std::vector<Defect> list;
    for (const auto& [key, defect] : defects_) {
      list.push_back(defect);
    }
    return list;
  }

 private:
  const LaunchContext& context_;
  const EmulationOptions& options_;
  bool find_defects_ = true;
  std::uint64_t work_ = 0;
  std::uint64_t blocks_ = 0;
  std::map<BlockEmulator::DefectKey, Defect> defects_;
};

SampledBlocks finish(BlockRunner& runner, Sampling sampling, std::vector<WeightedCounts> parts) {
  SampledBlocks result;
  result.sampling = sampling;
  result.blocks_emulated = runner.blocks();
  result.parts = std::move(parts);
  result.defects = runner.defects();
  return result;
}

SampledBlocks run_all(BlockRunner& runner, std::uint64_t blocks) {
  WeightedCounts sum;
  runner.run_count(
      blocks, [](std::uint64_t i) { return i; },
      [&](std::uint64_t /*block*/, const BlockCounts& counts) { sum.counts += counts; });
  return finish(runner, Sampling::all, {std::move(sum)});
}

double total_instructions(const BlockCounts& counts) {
  double sum = 0;
  for (const InstructionCounter& counter : counts.instructions) {
    sum += static_cast<double>(counter.executions);
  }
  return sum;
}

SampledBlocks run_random(BlockRunner& runner, std::uint64_t blocks, std::uint64_t work_of_one,
                         const EmulationOptions& options) {
  const std::uint64_t count =
      std::min(blocks, std::max(fewest_random_blocks, options.random_sample_instructions /
                                                          std::max<std::uint64_t>(1, work_of_one)));
  const std::vector<std::uint64_t> chosen = random_blocks(blocks, count, options.seed);
  WeightedCounts sum;
  sum.weight = static_cast<double>(blocks) / static_cast<double>(count);
  std::vector<double> instructions(count);
  runner.run(chosen, [&](std::uint64_t i, const BlockCounts& counts) {
    instructions[i] = total_instructions(counts);
    sum.counts += counts;
  });
  const double mean =
      std::accumulate(instructions.begin(), instructions.end(), 0.0) / static_cast<double>(count);
  double squares = 0;
  for (const double value : instructions) {
    squares += (value - mean) * (value - mean);
  }
  SampledBlocks result = finish(runner, Sampling::random, {std::move(sum)});
  if (count > 1 && mean > 0) {
    // Drawn without replacement: what was seen is certain.
    const double unseen = 1 - static_cast<double>(count) / static_cast<double>(blocks);
    const double variance = squares / static_cast<double>(count - 1);
    result.relative_uncertainty =
        1.96 * std::sqrt(variance / static_cast<double>(count) * unseen) / mean;
  }
  return result;
}

/// Where a block stands in one direction, as far as its counts depend on it.
struct Interval {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;

  [[nodiscard]] std::uint32_t size() const { return (last - first) / step + 1; }
  [[nodiscard]] std::uint32_t at(std::uint32_t index) const { return first + index * step; }
};

/// Blocks that are expected to count the same.
struct BlockClass {
  std::array<Interval, 3> extents;

  [[nodiscard]] std::uint64_t size() const {
    return std::uint64_t{extents[0].size()} * extents[1].size() * extents[2].size();
  }
};

std::array<std::uint32_t, 3> middle_of(const Launch& launch) {
  return {launch.grid[0] / 2, launch.grid[1] / 2, launch.grid[2] / 2};
}

class ClassSampler {
 public:
  /// `middle` are the counts of the block there, which took `work_of_one`.
  ClassSampler(BlockRunner& runner, const Launch& launch, BlockCounts middle,
               std::uint64_t work_of_one, std::uint64_t seed)
      : runner_(runner),
        launch_(launch),
        middle_(std::move(middle)),
        neighbours_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            neighbour_instructions / std::max<std::uint64_t>(1, work_of_one), 1, most_neighbours))),
        random_(seed) {}

  /// Empty parts: some class does not settle.
  std::vector<WeightedCounts> run() {
    std::vector<WeightedCounts> parts;
    if (uniform_grid(parts)) {
      return parts;
    }
    std::vector<BlockClass> open = position_classes();
    while (!open.empty()) {
      const BlockClass one = open.back();
      open.pop_back();
      if (!settle(one, open, parts)) {
        return {};
      }
      if (open.size() > most_classes) {
        return {};
      }
    }
    return parts;
  }

 private:
  static constexpr std::size_t most_classes = 256;
  static constexpr std::uint32_t largest_step = 32;

  /// Whether the whole grid is one class: its corners, the middle, the middle's neighbours and a
  /// block anywhere count the same. A tail or a border would show in a corner.
  bool uniform_grid(std::vector<WeightedCounts>& parts) {
    BlockClass whole;
    const std::array<std::uint32_t, 3> middle = middle_of(launch_);
    std::array<std::uint32_t, 3> anywhere{};
    for (std::size_t i = 0; i < 3; ++i) {
      whole.extents[i] = {0, launch_.grid[i] - 1, 1};
      anywhere[i] = draw(launch_.grid[i]);
    }
    std::vector<std::uint64_t> members = {block_at(whole, anywhere)};
    for (std::size_t corner = 0; corner < 8; ++corner) {
      std::array<std::uint32_t, 3> index{};
      for (std::size_t i = 0; i < 3; ++i) {
        index[i] = (corner >> i & 1U) != 0 ? launch_.grid[i] - 1 : 0;
      }
      members.push_back(block_at(whole, index));
    }
    for (std::size_t i = 0; i < 3; ++i) {
      std::array<std::uint32_t, 3> index = middle;
      for (std::uint32_t j = 0; j < neighbours_ && ++index[i] < launch_.grid[i]; ++j) {
        members.push_back(block_at(whole, index));
      }
    }
    std::ranges::sort(members);
    const auto repeated = std::ranges::unique(members);
    members.erase(repeated.begin(), repeated.end());
    std::erase(members, block_at(whole, middle));
    std::vector<BlockCounts> counts(members.size() + 1);
    runner_.run(members, [&](std::uint64_t i, const BlockCounts& own) { counts[i] = own; });
    counts.back() = std::move(middle_);
    if (std::ranges::any_of(counts, [&](const BlockCounts& own) { return own != counts[0]; })) {
      return false;
    }
    parts.push_back({common_counts(whole, counts), static_cast<double>(whole.size())});
    return true;
  }

  /// First, last and between in each direction.
  [[nodiscard]] std::vector<BlockClass> position_classes() const {
    std::array<std::vector<Interval>, 3> intervals;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t extent = launch_.grid[i];
      intervals[i].push_back({0, 0, 1});
      if (extent > 2) {
        intervals[i].push_back({1, extent - 2, 1});
      }
      if (extent > 1) {
        intervals[i].push_back({extent - 1, extent - 1, 1});
      }
    }
    std::vector<BlockClass> classes;
    for (const Interval& z : intervals[2]) {
      for (const Interval& y : intervals[1]) {
        for (const Interval& x : intervals[0]) {
          classes.push_back({{x, y, z}});
        }
      }
    }
    return classes;
  }

  [[nodiscard]] std::uint64_t block_at(const BlockClass& one,
                                       const std::array<std::uint32_t, 3>& index) const {
    return one.extents[0].at(index[0]) +
           std::uint64_t{launch_.grid[0]} *
               (one.extents[1].at(index[1]) +
                std::uint64_t{launch_.grid[1]} * one.extents[2].at(index[2]));
  }

  std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random_() % below); }

  /// Runs the first member, its neighbours in every direction, and one at random far away. Where
  /// they agree the class is settled; otherwise the directions that matter are divided in two.
  bool settle(const BlockClass& one, std::vector<BlockClass>& open,
              std::vector<WeightedCounts>& parts) {
    std::vector<std::uint64_t> members = {block_at(one, {0, 0, 0})};
    std::vector<std::size_t> direction = {0};
    std::array<std::uint32_t, 3> anywhere{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t size = one.extents[i].size();
      anywhere[i] = draw(size);
      std::array<std::uint32_t, 3> index{};
      for (std::uint32_t j = 0; j < neighbours_ && ++index[i] < size; ++j) {
        members.push_back(block_at(one, index));
        direction.push_back(i);
      }
    }
    if (one.size() > 1) {
      members.push_back(block_at(one, anywhere));
      direction.push_back(3);
    }
    std::vector<BlockCounts> counts(members.size());
    runner_.run(members, [&](std::uint64_t i, const BlockCounts& own) { counts[i] = own; });
    std::array<bool, 3> differs{};
    bool any = false;
    for (std::size_t i = 1; i < members.size(); ++i) {
      if (counts[i] == counts[0]) {
        continue;
      }
      any = true;
      if (direction[i] < 3) {
        differs[direction[i]] = true;
      }
    }
    if (!any) {
      parts.push_back({common_counts(one, counts), static_cast<double>(one.size())});
      return true;
    }
    if (!differs[0] && !differs[1] && !differs[2]) {
      // Only the distant member differs: any direction may be to blame.
      for (std::size_t i = 0; i < 3; ++i) {
        differs[i] = one.extents[i].size() > 1;
      }
    }
    std::vector<BlockClass> divided = {one};
    for (std::size_t i = 0; i < 3; ++i) {
      if (!differs[i]) {
        continue;
      }
      if (one.extents[i].step >= largest_step) {
        return false;
      }
      std::vector<BlockClass> halves;
      for (const BlockClass& part : divided) {
        const Interval whole = part.extents[i];
        BlockClass even = part;
        even.extents[i].step = 2 * whole.step;
        BlockClass odd = even;
        odd.extents[i].first = whole.first + whole.step;
        even.extents[i].last = even.extents[i].first + (whole.size() - 1) / 2 * 2 * whole.step;
        odd.extents[i].last = odd.extents[i].first + (whole.size() - 2) / 2 * 2 * whole.step;
        halves.push_back(even);
        halves.push_back(odd);
      }
      divided = std::move(halves);
    }
    open.insert(open.end(), divided.begin(), divided.end());
    return true;
  }

  /// The counts of every block of a class, of which some were run: as they are alike, or, where the
  /// place in memory matters, with the mean of these and some others anywhere.
  BlockCounts common_counts(const BlockClass& one, std::vector<BlockCounts>& run) {
    const auto place_matters = [](const InstructionCounter& counter) {
      return counter.miss_wavefronts.sum != 0;
    };
    if (std::ranges::none_of(run.front().instructions, place_matters)) {
      return std::move(run.front());
    }
    std::vector<std::uint64_t> others;
    for (std::uint32_t i = 0; i < std::min(neighbours_, most_places) && one.size() > run.size();
         ++i) {
      others.push_back(block_at(one, {draw(one.extents[0].size()), draw(one.extents[1].size()),
                                      draw(one.extents[2].size())}));
    }
    BlockCounts sum;
    for (const BlockCounts& own : run) {
      sum += own;
    }
    runner_.run(others, [&](std::uint64_t, const BlockCounts& own) { sum += own; });
    BlockCounts common = std::move(run.front());
    for (std::size_t i = 0; i < common.instructions.size(); ++i) {
      common.instructions[i].miss_wavefronts.sum =
          sum.instructions[i].miss_wavefronts.sum / static_cast<double>(run.size() + others.size());
    }
    return common;
  }

  BlockRunner& runner_;
  const Launch& launch_;
  BlockCounts middle_;
  std::uint32_t neighbours_;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<std::uint64_t> random_blocks(std::uint64_t blocks, std::uint64_t count,
                                         std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> chosen;
  // Floyd's method: no list of all blocks is needed.
  for (std::uint64_t j = blocks - count; j < blocks; ++j) {
    const std::uint64_t candidate = random() % (j + 1);
    const bool taken = std::ranges::find(chosen, candidate) != chosen.end();
    chosen.push_back(taken ? j : candidate);
  }
  std::ranges::sort(chosen);
  return chosen;
}

SampledBlocks run_all_blocks(const LaunchContext& context, const EmulationOptions& options) {
  BlockRunner runner(context, options);
  return run_all(runner, context.launch->blocks());
}

SampledBlocks run_sampled_blocks(const LaunchContext& context, bool data_independent,
                                 const EmulationOptions& options) {
  const std::uint64_t blocks = context.launch->blocks();
  if (options.all_blocks || blocks == 1) {
    return run_all_blocks(context, options);
  }
  // The block in the middle says what a block takes.
  EmulationOptions quiet = options;
  quiet.progress = nullptr;
  BlockRunner probe(context, quiet);
  const auto [x, y, z] = middle_of(*context.launch);
  const auto& grid = context.launch->grid;
  BlockCounts middle;
  probe.run({x + std::uint64_t{grid[0]} * (y + std::uint64_t{grid[1]} * z)},
            [&](std::uint64_t, const BlockCounts& counts) { middle = counts; });
  if (probe.work() * blocks < options.whole_grid_instructions) {
    return run_all_blocks(context, options);
  }
  SampledBlocks result;
  if (data_independent) {
    BlockRunner runner(context, quiet);
    runner.set_find_defects(false);  // the block in the middle was searched, which takes its time
    std::vector<WeightedCounts> parts =
        ClassSampler(runner, *context.launch, std::move(middle), probe.work(), options.seed).run();
    if (!parts.empty()) {
      result = finish(runner, Sampling::classes, std::move(parts));
    }
  }
  if (result.parts.empty()) {
    BlockRunner runner(context, options);
    result = run_random(runner, blocks, probe.work(), options);
  }
  result.blocks_emulated += probe.blocks();
  const std::vector<Defect> seen = probe.defects();
  result.defects.insert(result.defects.end(), seen.begin(), seen.end());
  return result;
}

}  // namespace perfmodel::sass
