#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfmodel {

/// The size of one problem: named extents such as m, n, k of a matrix product, in the order in
/// which the kernel family names them. Extents are at least 1.
class Shape {
 public:
  Shape() = default;
  explicit Shape(std::vector<std::pair<std::string, std::int64_t>> extents);

  /// Reads "4096x4096x4096" (in the order of `dimensions`) or "m=4096,n=4096,k=4096".
  /// Throws Error on a missing, unknown, repeated, overflowing or malformed extent, and on one
  /// below `minimum`: a ledger per FMA needs work, a run may be empty.
  static Shape parse(std::string_view text, std::span<const std::string> dimensions,
                     std::int64_t minimum = 1);

  /// The extent of a dimension; throws Error if the shape does not name it.
  [[nodiscard]] std::int64_t extent(std::string_view dimension) const;
  [[nodiscard]] bool has(std::string_view dimension) const;
  [[nodiscard]] std::span<const std::pair<std::string, std::int64_t>> extents() const {
    return extents_;
  }

  /// The same extents in another order; throws Error unless the names are exactly `dimensions`.
  [[nodiscard]] Shape ordered_as(std::span<const std::string> dimensions) const;

  /// "4096x4096x4096".
  [[nodiscard]] std::string to_string() const;
  /// "m=4096,n=4096,k=4096": order-independent identity, sorted by name.
  [[nodiscard]] std::string key() const;

  friend bool operator==(const Shape& a, const Shape& b) { return a.key() == b.key(); }

 private:
  std::vector<std::pair<std::string, std::int64_t>> extents_;
};

}  // namespace perfmodel
