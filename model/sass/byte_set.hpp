#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace perfmodel::sass {

/// Bytes from `begin` up to `end`.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// A set of bytes of one buffer, by offset: ranges in ascending order that neither overlap nor
/// touch.
class ByteSet {
 public:
  ByteSet() = default;
  /// Of ranges in any order, which may overlap.
  explicit ByteSet(std::vector<ByteRange> ranges);

  /// Adds a range that begins no earlier than any before.
  void append(std::uint64_t begin, std::uint64_t end);

  [[nodiscard]] const std::vector<ByteRange>& ranges() const { return ranges_; }
  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] std::uint64_t bytes() const;
  /// The whole pieces of `piece_bytes`, counted from offset 0, that the set touches: 32 for
  /// sectors.
  [[nodiscard]] ByteSet whole_pieces(std::uint64_t piece_bytes) const;

  [[nodiscard]] ByteSet shifted(std::int64_t bytes) const;
  /// Whether `other` is this set, moved by `bytes`.
  [[nodiscard]] bool equals_shifted(const ByteSet& other, std::int64_t bytes) const;
  /// By how much this set must be moved to be `other`; nothing where no distance does it.
  [[nodiscard]] std::optional<std::int64_t> shift_to(const ByteSet& other) const;

  /// The union of `count` copies, each `step_bytes` from the one before; the first is this set.
  /// Nothing where it would take more than `most_ranges` ranges.
  [[nodiscard]] std::optional<ByteSet> repeated(std::int64_t step_bytes, std::uint64_t count,
                                                std::size_t most_ranges) const;

  friend ByteSet unite(const ByteSet& left, const ByteSet& right);
  friend bool operator==(const ByteSet&, const ByteSet&) = default;

 private:
  std::vector<ByteRange> ranges_;
};

ByteSet unite(const ByteSet& left, const ByteSet& right);

}  // namespace perfmodel::sass
