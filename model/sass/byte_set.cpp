#include "model/sass/byte_set.hpp"

#include <algorithm>
#include <utility>

#include "model/sass/access_pattern.hpp"

namespace perfmodel::sass {
namespace {

/// Offsets may only be moved to where they do not fall below zero, so that wrapping is exact.
std::uint64_t moved(std::uint64_t offset, std::int64_t bytes) {
  return offset + static_cast<std::uint64_t>(bytes);
}

}  // namespace

ByteSet::ByteSet(std::vector<ByteRange> ranges) {
  std::ranges::sort(ranges, {}, &ByteRange::begin);
  ranges_.reserve(ranges.size());
  for (const ByteRange& range : ranges) {
    append(range.begin, range.end);
  }
}

void ByteSet::append(std::uint64_t begin, std::uint64_t end) {
  if (!ranges_.empty() && begin <= ranges_.back().end) {
    ranges_.back().end = std::max(ranges_.back().end, end);
  } else {
    ranges_.push_back({begin, end});
  }
}

std::uint64_t ByteSet::bytes() const {
  std::uint64_t sum = 0;
  for (const ByteRange& range : ranges_) {
    sum += range.end - range.begin;
  }
  return sum;
}

ByteSet ByteSet::whole_pieces(std::uint64_t piece_bytes) const {
  ByteSet whole;
  for (const ByteRange& range : ranges_) {
    whole.append(range.begin / piece_bytes * piece_bytes,
                 (range.end + piece_bytes - 1) / piece_bytes * piece_bytes);
  }
  return whole;
}

ByteSet ByteSet::shifted(std::int64_t bytes) const {
  ByteSet result = *this;
  for (ByteRange& range : result.ranges_) {
    range = {moved(range.begin, bytes), moved(range.end, bytes)};
  }
  return result;
}

bool ByteSet::equals_shifted(const ByteSet& other, std::int64_t bytes) const {
  return std::ranges::equal(
      ranges_, other.ranges_, [bytes](const ByteRange& left, const ByteRange& right) {
        return moved(left.begin, bytes) == right.begin && moved(left.end, bytes) == right.end;
      });
}

std::optional<std::int64_t> ByteSet::shift_to(const ByteSet& other) const {
  if (empty() || other.empty()) {
    return empty() == other.empty() ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  const auto bytes = static_cast<std::int64_t>(other.ranges_.front().begin - ranges_.front().begin);
  return equals_shifted(other, bytes) ? std::optional(bytes) : std::nullopt;
}

std::optional<ByteSet> ByteSet::repeated(std::int64_t step_bytes, std::uint64_t count,
                                         std::size_t most_ranges) const {
  if (step_bytes == 0 || count <= 1) {
    return *this;
  }
  // Twice as many copies with each step, as in a power by squaring: copies that touch become one
  // range early on.
  ByteSet result;
  std::uint64_t done = 0;
  ByteSet doubled = *this;
  std::uint64_t copies = 1;
  while (true) {
    if (doubled.ranges_.size() > most_ranges || result.ranges_.size() > most_ranges) {
      return std::nullopt;
    }
    if ((count & copies) != 0) {
      result = unite(result, doubled.shifted(step_bytes * static_cast<std::int64_t>(done)));
      done += copies;
    }
    if (done == count) {
      break;
    }
    doubled = unite(doubled, doubled.shifted(step_bytes * static_cast<std::int64_t>(copies)));
    copies *= 2;
  }
  if (result.ranges_.size() > most_ranges) {
    return std::nullopt;
  }
  return result;
}

ByteSet unite(const ByteSet& left, const ByteSet& right) {
  ByteSet result;
  result.ranges_.reserve(left.ranges_.size() + right.ranges_.size());
  auto next_left = left.ranges_.begin();
  auto next_right = right.ranges_.begin();
  while (next_left != left.ranges_.end() || next_right != right.ranges_.end()) {
    const bool take_left =
        next_right == right.ranges_.end() ||
        (next_left != left.ranges_.end() && next_left->begin <= next_right->begin);
    const ByteRange& range = take_left ? *next_left++ : *next_right++;
    result.append(range.begin, range.end);
  }
  return result;
}

}  // namespace perfmodel::sass
