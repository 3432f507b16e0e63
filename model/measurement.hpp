#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.hpp"

namespace perfmodel {

/// How long one kernel took at one shape.
struct Measurement {
  std::string kernel;
  Shape shape;
  double median_s{};
  std::vector<double> samples_s;  ///< raw; empty where only the median was published
  std::string note;
};

enum class SourceKind : std::uint8_t {
  measured,   ///< by perfmodel, raw samples kept
  published,  ///< figures taken from elsewhere
};

std::string_view to_string(SourceKind kind);

/// Measurements of one device under one clock. Read from `specs/recordings/<device>/*.json`.
struct Recording {
  std::string name;         ///< file name without its ending
  std::string device;       ///< name of a device specification
  std::string clock_basis;  ///< what the clock is: "device-reported", "measured"
  double clock_hz{};
  SourceKind source_kind{};
  std::string source;  ///< who measured, with what
  std::vector<Measurement> entries;
};

}  // namespace perfmodel
