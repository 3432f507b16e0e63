#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perfmodel {

/// The L1 of one SM: lines of four sectors, hashed into sets, the least recently used one replaced.
/// Remembers when each sector arrives, so that a second request for it waits no longer than the
/// first.
class L1Cache {
 public:
  explicit L1Cache(double bytes) {
    const auto lines = static_cast<std::size_t>(std::max(bytes, 4096.0) / 128);
    sets_ = std::max<std::size_t>(1, lines / ways);
    tags_.resize(sets_ * ways, no_line);
    found_.resize(std::size_t{1} << found_bits);
    used_.resize(sets_ * ways);
    lines_.resize(sets_ * ways);
  }

  struct Sector {
    bool present = false;  ///< or on its way
    double arrives = 0;
  };

  /// Looks a sector (address / 32) up; a present one becomes the most recently used.
  Sector find(std::uint64_t sector) {
    const std::size_t place = place_of(sector / 4);
    if (place == none || (lines_[place].valid >> sector % 4 & 1U) == 0) {
      return {};
    }
    return {true, lines_[place].arrives[sector % 4]};
  }

  /// Makes room for a sector that arrives at `arrives`.
  void insert(std::uint64_t sector, double arrives) {
    std::size_t place = place_of(sector / 4);
    if (place == none) {
      const auto set = used_.begin() + static_cast<std::ptrdiff_t>(set_of(sector / 4));
      place = static_cast<std::size_t>(std::min_element(set, set + ways) - used_.begin());
      tags_[place] = sector / 4;
      absent_ = no_line;
      used_[place] = ++uses_;
      lines_[place].valid = 0;
    }
    lines_[place].valid |= static_cast<std::uint8_t>(1U << sector % 4);
    lines_[place].arrives[sector % 4] = arrives;
  }

 private:
  static constexpr std::size_t ways = 16;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  static constexpr std::size_t none = ~std::size_t{0};
  static constexpr int found_bits = 12;

  struct Line {
    std::uint8_t valid = 0;  ///< a bit for each sector
    std::array<double, 4> arrives{};
  };

  /// Rows of a matrix are often a power of two apart.
  static std::uint64_t hash_of(std::uint64_t tag) {
    return tag * std::uint64_t{0x9e3779b97f4a7c15};
  }
  /// Of its first line.
  [[nodiscard]] std::size_t set_of(std::uint64_t tag) const {
    return (hash_of(tag) >> 32) % sets_ * ways;
  }

  std::size_t place_of(std::uint64_t tag) {
    std::uint32_t& found = found_[hash_of(tag) >> (64 - found_bits)];
    if (tags_[found] == tag) {
      used_[found] = ++uses_;
      return found;
    }
    if (tag == absent_) {
      return none;
    }
    const std::size_t set = set_of(tag);
    for (std::size_t place = set; place < set + ways; ++place) {
      if (tags_[place] == tag) {
        used_[place] = ++uses_;
        found = static_cast<std::uint32_t>(place);
        return place;
      }
    }
    absent_ = tag;
    return none;
  }

  std::size_t sets_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t absent_ = no_line;  ///< looked for last in vain: sectors of one line come together
  std::vector<std::uint32_t> found_;  ///< where a line was last, by bits of its hash
  // By set and way; apart, for a look-up reads no more than the tags.
  std::vector<std::uint64_t> tags_;
  std::vector<std::uint64_t> used_;
  std::vector<Line> lines_;
};

}  // namespace perfmodel
