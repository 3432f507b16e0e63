#include "reports/tone.hpp"

namespace perfmodel::reports {

Tone tone_of(VerdictClass verdict_class) {
  switch (verdict_class) {
    case VerdictClass::bandwidth_bound:
    case VerdictClass::instruction_bound:
      return Tone::settled;
    case VerdictClass::uncoalesced:
      return Tone::attention;
    case VerdictClass::model_not_applicable:
      return Tone::open;
  }
  return Tone::plain;
}

Tone tone_of(LimitClass limit_class) {
  switch (limit_class) {
    case LimitClass::bandwidth_bound:
    case LimitClass::instruction_bound:
      return Tone::settled;
    case LimitClass::latency_bound:
    case LimitClass::launch_bound:
    case LimitClass::tail_bound:
      return Tone::attention;
    case LimitClass::inconclusive:
      return Tone::open;
  }
  return Tone::plain;
}

Tone tone_of(Change change) {
  switch (change) {
    case Change::same:
      return Tone::plain;
    case Change::faster:
      return Tone::good;
    case Change::slower:
      return Tone::bad;
    case Change::unsure:
      return Tone::attention;
  }
  return Tone::plain;
}

Tone tone_of(FindingStatus status) {
  switch (status) {
    case FindingStatus::ok:
      return Tone::good;
    case FindingStatus::missing:
      return Tone::attention;
    case FindingStatus::refused:
      return Tone::bad;
  }
  return Tone::plain;
}

Tone tone_of(VerificationStatus status) {
  switch (status) {
    case VerificationStatus::passed:
      return Tone::good;
    case VerificationStatus::failed:
      return Tone::bad;
    case VerificationStatus::skipped:
      return Tone::attention;
  }
  return Tone::plain;
}

}  // namespace perfmodel::reports
