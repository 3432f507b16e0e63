#pragma once

#include <filesystem>

#include "model/metric_set.hpp"

namespace perfmodel::spec {

/// Reads a set of counters (YAML, schema perfmodel.metrics/1, see specs/README.md). Throws Error
/// with file:line:column for anything that is not as the schema says, also for a metric without a
/// roll-up or named twice.
MetricSet read_metric_set(const std::filesystem::path& path);

}  // namespace perfmodel::spec
