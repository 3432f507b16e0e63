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
    lines_.resize(sets_ * ways);
  }

  struct Sector {
    bool present = false;  ///< or on its way
    double arrives = 0;
  };

  /// Looks a sector (address / 32) up; a present one becomes the most recently used.
  Sector find(std::uint64_t sector) {
    Line* const line = line_of(sector / 4);
    if (line == nullptr || (line->valid >> sector % 4 & 1U) == 0) {
      return {};
    }
    return {true, line->arrives[sector % 4]};
  }

  /// Makes room for a sector that arrives at `arrives`.
  void insert(std::uint64_t sector, double arrives) {
    Line* line = line_of(sector / 4);
    if (line == nullptr) {
      Line* const set = set_of(sector / 4);
      line = std::min_element(set, set + ways, [](const Line& left, const Line& right) {
        return left.used < right.used;
      });
      line->tag = sector / 4;
      line->valid = 0;
      line->used = ++uses_;
    }
    line->valid |= static_cast<std::uint8_t>(1U << sector % 4);
    line->arrives[sector % 4] = arrives;
  }

 private:
  static constexpr std::size_t ways = 16;

  struct Line {
    std::uint64_t tag = ~std::uint64_t{0};
    std::uint64_t used = 0;
    std::uint8_t valid = 0;  ///< a bit for each sector
    std::array<double, 4> arrives{};
  };

  Line* set_of(std::uint64_t tag) {
    // Rows of a matrix are often a power of two apart.
    const std::uint64_t hash = tag * std::uint64_t{0x9e3779b97f4a7c15};
    return lines_.data() + (hash >> 32) % sets_ * ways;
  }

  Line* line_of(std::uint64_t tag) {
    Line* const set = set_of(tag);
    for (Line* line = set; line != set + ways; ++line) {
      if (line->tag == tag) {
        line->used = ++uses_;
        return line;
      }
    }
    return nullptr;
  }

  std::size_t sets_ = 0;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace perfmodel
