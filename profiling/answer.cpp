#include "profiling/answer.hpp"

namespace perfmodel::profiling {

std::string_view to_string(AbsenceKind kind) {
  switch (kind) {
    case AbsenceKind::not_built:
      return "not built in";
    case AbsenceKind::no_driver:
      return "no driver";
    case AbsenceKind::driver_too_old:
      return "driver too old";
    case AbsenceKind::no_device:
      return "no device";
    case AbsenceKind::no_library:
      return "no library";
    case AbsenceKind::no_symbol:
      return "function missing";
    case AbsenceKind::refused:
      return "refused";
  }
  return "";
}

}  // namespace perfmodel::profiling
