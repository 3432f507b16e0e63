#include "model/measurement.hpp"

namespace perfmodel {

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
