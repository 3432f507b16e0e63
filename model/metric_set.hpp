#pragma once

#include <string>
#include <vector>

namespace perfmodel {

/// A hardware counter as the vendor's tools name it.
struct MetricChoice {
  std::string name;         ///< with its roll-up: "dram__bytes_read.sum"
  std::string alternative;  ///< its name on chips that lack the first; may be empty
  std::string meaning;
};

/// Counters that answer one question. Read from `specs/metrics/*.yaml`.
struct MetricSet {
  std::string name;  ///< "shared"; also the name of its file
  std::string title;
  std::vector<MetricChoice> metrics;
};

/// What a chip says of one of its metrics.
struct MetricProperties {
  std::string name;         ///< without roll-up: "smsp__inst_executed"
  std::string description;  ///< "# of warp instructions executed"
  std::string hardware_unit;
  std::string dimension;  ///< "byte", "percent"; may be empty

  bool operator==(const MetricProperties&) const = default;
};

}  // namespace perfmodel
