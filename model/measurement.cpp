#include "model/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace perfmodel {

std::string_view to_string(CacheMode mode) {
  switch (mode) {
    case CacheMode::cold:
      return "cold";
    case CacheMode::warm:
      return "warm";
  }
  return "";
}

std::string_view to_string(VerificationStatus status) {
  switch (status) {
    case VerificationStatus::passed:
      return "passed";
    case VerificationStatus::failed:
      return "failed";
    case VerificationStatus::skipped:
      return "skipped";
  }
  return "";
}

std::string_view to_string(SourceKind kind) {
  switch (kind) {
    case SourceKind::measured:
      return "measured";
    case SourceKind::published:
      return "published";
    case SourceKind::imported:
      return "imported";
  }
  return "";
}

bool is_metric_name(std::string_view text) {
  constexpr std::size_t longest = 200;
  const auto alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return !text.empty() && text.size() <= longest && alphanumeric(text.front()) &&
         std::ranges::all_of(text, [&](char c) {
           return alphanumeric(c) || std::string_view("_.:/+-").find(c) != std::string_view::npos;
         });
}

std::string ForeignKernel::label() const {
  const auto shown = [](const Extents& extents) {
    return fmt::format("{}x{}x{}", extents[0], extents[1], extents[2]);
  };
  std::string out = name;
  if (grid) {
    out += " " + shown(*grid);
  }
  if (block) {
    out += " of " + shown(*block);
  }
  for (const auto& [parameter, value] : parameters) {
    out += fmt::format(" {}={}", parameter, value);
  }
  return out;
}

std::string Measurement::label() const {
  return foreign ? foreign->label() : fmt::format("{} at {}", kernel, shape.to_string());
}

std::string SkippedMeasurement::label() const {
  return foreign ? foreign->label() : fmt::format("{} at {}", kernel, shape.to_string());
}

}  // namespace perfmodel
