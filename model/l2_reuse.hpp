#pragma once

#include <vector>

namespace perfmodel {

/// The blocks of a launch as L2 sees them: in groups of one block on every SM. The blocks of a
/// group start together and keep in step, because every SM treats its resident blocks alike.
struct BlockGroups {
  double groups = 1;          ///< of the launch
  double fresh_bytes = 0;     ///< that a group loads and none before it did
  double repeated_bytes = 0;  ///< that a group loads and others do as well, in the same order
  double stored_bytes = 0;    ///< of a group
  double copies = 1;          ///< that L2 holds of what is loaded
  int kinds = 1;              ///< of so many groups in a row, each repeats bytes of its own
  /// How fast the groups go on that are resident together, relative to each other, the oldest
  /// first; at least one.
  std::vector<double> pace;
};

/// What L2 keeps of what passes through it.
struct L2Retention {
  double bytes = 0;       ///< 0: there is no L2
  bool is_split = false;  ///< in two halves; what SMs of both read, both hold

  /// How often the cache holds a byte that `readers` SMs, at random places, ask for together.
  [[nodiscard]] double copies(double readers) const;
  /// Of data loaded before, the share that is still there after `between_bytes` of other data,
  /// copies included.
  [[nodiscard]] double kept_share(double between_bytes) const;
  /// Of other data, what may pass before any is lost.
  [[nodiscard]] double safe_bytes() const;
};

/// Of the bytes that groups repeat, the share that L2 does not hold when they are asked for. Lets
/// the groups of the launch run at their pace, one after another, and takes down how much other
/// data each piece saw pass since it was last asked for.
double repeated_miss_share(const BlockGroups& groups, const L2Retention& l2);

}  // namespace perfmodel
