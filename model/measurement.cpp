#include "model/measurement.hpp"

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

}  // namespace perfmodel
