#include "model/finding.hpp"

namespace perfmodel {

std::string_view to_string(FindingStatus status) {
  switch (status) {
    case FindingStatus::ok:
      return "ok";
    case FindingStatus::missing:
      return "missing";
    case FindingStatus::refused:
      return "refused";
  }
  return "";
}

}  // namespace perfmodel
