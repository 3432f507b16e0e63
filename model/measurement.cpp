#include "model/measurement.hpp"

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

}  // namespace perfmodel
