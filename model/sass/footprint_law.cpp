#include "model/sass/footprint_law.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace perfmodel::sass {

void TouchedUnion::add(std::uint32_t region, AccessKinds kinds, const ByteSet& bytes) {
  if (kinds.loads) {
    add_to(pending_[2 * std::size_t{region}], bytes);
  }
  if (kinds.stores) {
    add_to(pending_[2 * std::size_t{region} + 1], bytes);
  }
}

void TouchedUnion::add_to(std::vector<ByteRange>& pending, const ByteSet& bytes) {
  if (too_large_) {
    return;
  }
  const std::vector<ByteRange>& ranges = bytes.ranges();
  pending.insert(pending.end(), ranges.begin(), ranges.end());
  if (pending.size() > 2 * most_byte_ranges) {
    pending = ByteSet(std::move(pending)).ranges();
    too_large_ = pending.size() > most_byte_ranges;
  }
}

TouchedBytes TouchedUnion::take() {
  TouchedBytes sets;
  for (std::vector<ByteRange>& pending : pending_) {
    sets.emplace_back(std::move(pending));
  }
  return sets;
}

std::uint64_t BlockLattice::size() const {
  std::uint64_t members = 1;
  for (const Axis& axis : axes) {
    members *= axis.count;
  }
  return members;
}

std::uint64_t BlockLattice::members_before(std::uint64_t block) const {
  if (block <= first) {
    return 0;
  }
  std::uint64_t distance = block - first;
  std::uint64_t inner = size();
  std::uint64_t before = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const Axis& axis = axes[i];
    inner /= axis.count;
    const std::uint64_t index = distance / axis.stride;
    if (index >= axis.count) {
      return before + axis.count * inner;
    }
    before += index * inner;
    distance %= axis.stride;
  }
  return before + (distance > 0 ? 1 : 0);
}

std::uint64_t BlockLattice::block_at(std::span<const std::uint64_t> indices) const {
  std::uint64_t block = first;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    block += indices[i] * axes[i].stride;
  }
  return block;
}

namespace {

/// Members of a lattice: for each axis, where they start and how many there are.
struct Box {
  struct Extent {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
  };
  std::vector<Extent> extents;
};

/// Divides members number `begin` to `end` - 1 into boxes.
class BoxCover {
 public:
  explicit BoxCover(const BlockLattice& lattice) : lattice_(lattice) {
    box_.extents.resize(lattice.axes.size());
  }

  template <class Visit>
  void visit(std::uint64_t begin, std::uint64_t end, Visit visit) {
    cover(lattice_.axes.size(), lattice_.size(), begin, end, visit);
  }

 private:
  /// The axes below `axes` are open, `inner` members together; those above are fixed.
  template <class Visit>
  void cover(std::size_t axes, std::uint64_t inner, std::uint64_t begin, std::uint64_t end,
             Visit& visit) {
    if (begin >= end) {
      return;
    }
    if (begin == 0 && end == inner) {
      for (std::size_t i = 0; i < axes; ++i) {
        box_.extents[i] = {0, lattice_.axes[i].count};
      }
      visit(box_);
      return;
    }
    const std::size_t axis = axes - 1;
    const std::uint64_t members = inner / lattice_.axes[axis].count;
    std::uint64_t index = begin / members;
    const std::uint64_t last = end / members;
    const auto part = [&](std::uint64_t at, std::uint64_t from, std::uint64_t to) {
      box_.extents[axis] = {at, 1};
      cover(axis, members, from, to, visit);
    };
    if (index == last) {
      part(index, begin % members, end % members);
      return;
    }
    if (begin % members != 0) {
      part(index++, begin % members, members);
    }
    if (index < last) {
      box_.extents[axis] = {index, last - index};
      for (std::size_t i = 0; i < axis; ++i) {
        box_.extents[i] = {0, lattice_.axes[i].count};
      }
      visit(box_);
    }
    if (end % members != 0) {
      part(last, 0, end % members);
    }
  }

  const BlockLattice& lattice_;
  Box box_;
};

/// The bytes of all members in the box; nothing: too many ranges.
std::optional<ByteSet> bytes_of(const FootprintLaw::Part& part, const Box& box) {
  std::int64_t start = 0;
  std::vector<std::pair<std::int64_t, std::uint64_t>> repeats;  // bytes, members
  for (std::size_t i = 0; i < box.extents.size(); ++i) {
    start += part.step_bytes[i] * static_cast<std::int64_t>(box.extents[i].first);
    repeats.emplace_back(part.step_bytes[i], box.extents[i].count);
  }
  // Short steps first: they are those that fill gaps.
  std::ranges::sort(repeats, {}, [](const auto& repeat) { return std::abs(repeat.first); });
  std::optional<ByteSet> bytes = part.bytes.shifted(start);
  for (const auto& [step, count] : repeats) {
    if (bytes) {
      bytes = bytes->repeated(step, count, most_byte_ranges);
    }
  }
  return bytes;
}

/// By how much each instruction's bytes move from one block to another.
using Shifts = std::vector<std::int64_t>;

bool same_instructions(const BlockFootprint& left, const BlockFootprint& right) {
  return std::ranges::equal(left, right, [](const auto& one, const auto& other) {
    return one.position == other.position && one.region == other.region;
  });
}

std::optional<Shifts> shifts_between(const BlockFootprint& from, const BlockFootprint& to) {
  if (!same_instructions(from, to)) {
    return std::nullopt;
  }
  Shifts shifts;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const std::optional<std::int64_t> shift = from[i].bytes.shift_to(to[i].bytes);
    if (!shift) {
      return std::nullopt;
    }
    shifts.push_back(*shift);
  }
  return shifts;
}

bool moved_by(const BlockFootprint& from, const BlockFootprint& to, const Shifts& shifts) {
  if (!same_instructions(from, to)) {
    return false;
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!from[i].bytes.equals_shifted(to[i].bytes, shifts[i])) {
      return false;
    }
  }
  return true;
}

/// A lattice with the law that was found for it.
struct Draft {
  BlockLattice blocks;
  std::vector<Shifts> steps;  ///< by axis
};

class LawFinder {
 public:
  /// `whole`: the bytes of all instructions together must move alike, instead of each one's.
  LawFinder(std::span<const AccessKinds> kinds, BlockFootprints& footprints, bool whole,
            std::uint64_t seed)
      : kinds_(kinds), footprints_(footprints), whole_(whole), random_(seed) {}

  std::optional<FootprintLaw> find(const std::array<std::uint32_t, 3>& grid,
                                   std::uint64_t random_blocks) {
    BlockLattice all;
    std::uint64_t stride = 1;
    for (const std::uint32_t extent : grid) {
      all.axes.push_back({stride, extent});
      stride *= extent;
    }
    open_.push_back(std::move(all));
    while (!open_.empty()) {
      BlockLattice one = std::move(open_.back());
      open_.pop_back();
      std::erase_if(one.axes, [](const auto& axis) { return axis.count == 1; });
      if (!footprints_.affordable() || open_.size() + drafts_.size() > most_classes ||
          !settle(one)) {
        return std::nullopt;
      }
    }
    std::vector<std::uint64_t> drawn;
    for (std::uint64_t i = 0; i < random_blocks; ++i) {
      drawn.push_back(draw(stride));
    }
    footprints_.prepare(drawn);
    for (const std::uint64_t block : drawn) {
      if (!verify(draft_with(block), block)) {
        return std::nullopt;
      }
    }
    return finish();
  }

 private:
  static constexpr std::size_t most_classes = 64;
  static constexpr std::size_t most_axes = 6;
  static constexpr std::uint64_t largest_period = 32;
  static constexpr int most_peeled = 8;

  /// The footprint as the law is to describe it.
  const BlockFootprint& footprint(std::uint64_t block) {
    const BlockFootprint& own = footprints_.at(block);
    if (!whole_) {
      return own;
    }
    const auto known = merged_.find(block);
    if (known != merged_.end()) {
      return known->second;
    }
    BlockFootprint merged;
    for (const InstructionFootprint& one : own) {
      const std::uint32_t group = group_of(one.position);
      const auto same = std::ranges::find_if(merged, [&](const InstructionFootprint& other) {
        return other.position == group && other.region == one.region;
      });
      if (same == merged.end()) {
        merged.push_back({group, one.region, one.bytes});
      } else {
        same->bytes = unite(same->bytes, one.bytes);
      }
    }
    std::ranges::sort(merged, {},
                      [](const auto& one) { return std::pair(one.position, one.region); });
    return merged_.emplace(block, std::move(merged)).first->second;
  }

  [[nodiscard]] std::uint32_t group_of(std::uint32_t position) const {
    return (kinds_[position].loads ? 1U : 0U) + (kinds_[position].stores ? 2U : 0U);
  }

  [[nodiscard]] AccessKinds kinds_of(const InstructionFootprint& one) const {
    return whole_ ? AccessKinds{(one.position & 1U) != 0, (one.position & 2U) != 0}
                  : kinds_[one.position];
  }

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// Finds the law of one lattice, or divides it. False: it has none.
  bool settle(const BlockLattice& one) {
    Draft draft{one, {}};
    prepare_neighbours(one);
    for (std::size_t axis = 0; axis < one.axes.size(); ++axis) {
      std::optional<Shifts> step = settle_axis(one, axis);
      if (!step) {
        return true;  // its parts are open now
      }
      draft.steps.push_back(std::move(*step));
    }
    if (verify_members(draft)) {
      drafts_.push_back(std::move(draft));
      return true;
    }
    // Every axis follows the law where it starts, but not where others end: a tail that only the
    // last rows of tiles have.
    if (one.axes.empty() || one.axes.back().count < 2 || ++peeled_ > most_peeled) {
      return false;
    }
    cut(one, one.axes.size() - 1, one.axes.back().count - 1);
    return true;
  }

  void prepare_neighbours(const BlockLattice& one) {
    std::vector<std::uint64_t> blocks = {one.first};
    for (const BlockLattice::Axis& axis : one.axes) {
      for (const std::uint64_t index : {std::uint64_t{1}, axis.count / 2, axis.count - 1}) {
        blocks.push_back(one.first + index * axis.stride);
      }
    }
    footprints_.prepare(blocks);
  }

  /// The step along one axis, as far as the other axes' first members tell. Nothing: the lattice
  /// was divided.
  std::optional<Shifts> settle_axis(const BlockLattice& one, std::size_t axis) {
    const std::uint64_t count = one.axes[axis].count;
    const BlockFootprint& base = footprint(one.first);
    const auto member = [&](std::uint64_t index) -> const BlockFootprint& {
      return footprint(one.first + index * one.axes[axis].stride);
    };
    const auto step_over = [&](std::uint64_t members) {
      return shifts_between(base, member(members));
    };
    const auto follows = [&](const Shifts& step, std::uint64_t members, std::uint64_t times) {
      Shifts shifts = step;
      for (std::int64_t& shift : shifts) {
        shift *= static_cast<std::int64_t>(times);
      }
      return moved_by(base, member(members * times), shifts);
    };
    // Whether every `period`-th member follows a law, as far as the third of them.
    const auto repeats = [&](std::uint64_t period) {
      const std::uint64_t periods = count / period;
      const std::optional<Shifts> step = periods < 2 ? std::nullopt : step_over(period);
      return step && (periods < 3 || follows(*step, period, 2));
    };

    std::optional<Shifts> step = step_over(1);
    std::uint64_t good = 0;  // the last member known to follow the law
    std::uint64_t bad = 1;   // one after it that does not
    if (step) {
      good = 1;
      bad = count;
      for (const std::uint64_t index : {std::uint64_t{2}, count / 2, count - 1}) {
        if (bad == count && index > good && index < count) {
          (follows(*step, 1, index) ? good : bad) = index;
        }
      }
      if (bad == count) {
        return step;
      }
      while (bad - good > 1) {
        const std::uint64_t middle = good + (bad - good) / 2;
        (follows(*step, 1, middle) ? good : bad) = middle;
      }
      // Tiles numbered row by row: a step within the row, another from row to row. The last tile of
      // a row may be clipped.
      for (const std::uint64_t period : {bad, bad + 1}) {
        if (one.axes.size() < most_axes && period > 1 && repeats(period)) {
          divide(one, axis, period);
          return std::nullopt;
        }
      }
    }
    if (bad <= count / 2) {
      // What repeats only every few blocks, as alignment does.
      for (std::uint64_t period = 2; period <= largest_period; period *= 2) {
        if (count >= 3 * period && repeats(period)) {
          take_residues(one, axis, period);
          return std::nullopt;
        }
      }
    }
    cut(one, axis, bad);
    return std::nullopt;
  }

  void open_part(const BlockLattice& one, std::size_t axis, std::uint64_t first,
                 std::uint64_t count, std::uint64_t every = 1) {
    BlockLattice part = one;
    part.first += first * one.axes[axis].stride;
    part.axes[axis] = {one.axes[axis].stride * every, count};
    if (count > 0) {
      open_.push_back(std::move(part));
    }
  }

  void cut(const BlockLattice& one, std::size_t axis, std::uint64_t at) {
    open_part(one, axis, 0, at);
    open_part(one, axis, at, one.axes[axis].count - at);
  }

  void take_residues(const BlockLattice& one, std::size_t axis, std::uint64_t period) {
    const std::uint64_t count = one.axes[axis].count;
    for (std::uint64_t i = 0; i < period; ++i) {
      open_part(one, axis, i, (count - i + period - 1) / period, period);
    }
  }

  /// Makes two axes of one; what is left over is a lattice of its own.
  void divide(const BlockLattice& one, std::size_t axis, std::uint64_t period) {
    const BlockLattice::Axis whole = one.axes[axis];
    const std::uint64_t periods = whole.count / period;
    open_part(one, axis, periods * period, whole.count % period);
    BlockLattice part = one;
    part.axes[axis] = {whole.stride, period};
    part.axes.insert(part.axes.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                     {whole.stride * period, periods});
    open_.push_back(std::move(part));
  }

  /// Whether the corners of the lattice and some members anywhere are as the law says.
  bool verify_members(const Draft& draft) {
    const std::vector<BlockLattice::Axis>& axes = draft.blocks.axes;
    if (axes.empty()) {
      return true;
    }
    std::vector<std::uint64_t> blocks;
    std::vector<std::uint64_t> indices(axes.size());
    for (std::uint64_t corner = 1; corner < std::uint64_t{1} << axes.size(); ++corner) {
      for (std::size_t i = 0; i < axes.size(); ++i) {
        indices[i] = (corner >> i & 1U) != 0 ? axes[i].count - 1 : 0;
      }
      blocks.push_back(draft.blocks.block_at(indices));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      indices[i] = draw(axes[i].count);
    }
    blocks.push_back(draft.blocks.block_at(indices));
    footprints_.prepare(blocks);
    return std::ranges::all_of(blocks, [&](std::uint64_t block) { return verify(&draft, block); });
  }

  bool verify(const Draft* draft, std::uint64_t block) {
    const std::vector<BlockLattice::Axis>& axes = draft->blocks.axes;
    const BlockFootprint& base = footprint(draft->blocks.first);
    Shifts shifts(base.size());
    std::uint64_t distance = block - draft->blocks.first;
    std::uint64_t steps = 0;
    for (std::size_t i = axes.size(); i-- > 0;) {
      const std::uint64_t index = distance / axes[i].stride;
      distance %= axes[i].stride;
      steps += index;
      for (std::size_t j = 0; j < shifts.size(); ++j) {
        shifts[j] += draft->steps[i][j] * static_cast<std::int64_t>(index);
      }
    }
    if (!moved_by(base, footprint(block), shifts)) {
      return false;
    }
    if (steps > 1) {
      verified_.insert(block);  // it is not among those that the law was made of
    }
    return true;
  }

  [[nodiscard]] const Draft* draft_with(std::uint64_t block) const {
    return &*std::ranges::find_if(drafts_, [block](const Draft& draft) {
      return draft.blocks.members_before(block + 1) > draft.blocks.members_before(block);
    });
  }

  FootprintLaw finish() {
    FootprintLaw law;
    law.blocks_verified = verified_.size();
    for (const Draft& draft : drafts_) {
      FootprintLaw::Class& one = law.classes.emplace_back();
      one.blocks = draft.blocks;
      // Instructions that move alike are one part.
      std::map<std::pair<std::uint32_t, Shifts>, std::vector<std::size_t>> alike;
      const BlockFootprint& base = footprint(draft.blocks.first);
      for (std::size_t i = 0; i < base.size(); ++i) {
        Shifts steps;
        for (const Shifts& step : draft.steps) {
          steps.push_back(step[i]);
        }
        const AccessKinds kinds = kinds_of(base[i]);
        alike[{4 * base[i].region + (kinds.loads ? 1U : 0U) + (kinds.stores ? 2U : 0U), steps}]
            .push_back(i);
      }
      for (const auto& [key, members] : alike) {
        std::vector<ByteRange> ranges;
        for (const std::size_t member : members) {
          const std::vector<ByteRange>& own = base[member].bytes.ranges();
          ranges.insert(ranges.end(), own.begin(), own.end());
        }
        one.parts.push_back({base[members.front()].region, kinds_of(base[members.front()]),
                             ByteSet(std::move(ranges)), key.second});
      }
    }
    return law;
  }

  std::span<const AccessKinds> kinds_;
  BlockFootprints& footprints_;
  bool whole_;
  std::mt19937_64 random_;
  std::map<std::uint64_t, BlockFootprint> merged_;
  std::vector<BlockLattice> open_;
  std::vector<Draft> drafts_;
  std::set<std::uint64_t> verified_;
  int peeled_ = 0;
};

}  // namespace

void FootprintLaw::add_range(std::uint64_t first, std::uint64_t count, TouchedUnion& into) const {
  for (const Class& one : classes) {
    const std::uint64_t begin = one.blocks.members_before(first);
    const std::uint64_t end = one.blocks.members_before(first + count);
    BoxCover(one.blocks).visit(begin, end, [&](const Box& box) {
      for (const Part& part : one.parts) {
        const std::optional<ByteSet> bytes = bytes_of(part, box);
        if (!bytes) {
          into.set_too_large();
        } else {
          into.add(part.region, part.kinds, *bytes);
        }
      }
    });
  }
}

std::optional<FootprintLaw> find_footprint_law(const std::array<std::uint32_t, 3>& grid,
                                               std::span<const AccessKinds> kinds,
                                               BlockFootprints& footprints,
                                               std::uint64_t random_blocks, std::uint64_t seed) {
  std::optional<FootprintLaw> law =
      LawFinder(kinds, footprints, false, seed).find(grid, random_blocks);
  if (!law && footprints.affordable()) {
    law = LawFinder(kinds, footprints, true, seed).find(grid, random_blocks);
  }
  return law;
}

}  // namespace perfmodel::sass
