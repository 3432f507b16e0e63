#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "model/error.hpp"

namespace perfmodel::profiling {

/// Why hardware counters could not be read. A refusal is a result that people act on, so each kind
/// has a remedy of its own.
enum class RefusalKind : std::uint8_t {
  not_built,                ///< this perfmodel was built without CUPTI's headers
  no_library,               ///< no CUPTI library was found or could be opened
  incompatible_library,     ///< CUPTI is there, but too old for this GPU, driver or program
  insufficient_privileges,  ///< the driver keeps counters for administrators
  virtual_device,           ///< a virtual GPU whose host keeps counters to itself
  other_profiler,           ///< another tool holds the counters
  unsupported_device,       ///< this device or its mode has no counters
  unknown_metric,           ///< the chip has no such metric
  failed,                   ///< anything else CUPTI reported
};

std::string_view to_string(RefusalKind kind);

struct Refusal {
  RefusalKind kind{};
  std::string explanation;  ///< sentences with full stops
  std::string remedy;       ///< sentences with full stops; what to do on host, container, cloud

  /// One paragraph: explanation and remedy.
  [[nodiscard]] std::string paragraph() const;
  bool operator==(const Refusal&) const = default;
};

/// Thrown by everything that reads counters; callers that can go on without them catch it.
class CounterRefused : public Error {
 public:
  explicit CounterRefused(Refusal refusal)
      : Error(ErrorKind::unavailable, refusal.paragraph()), refusal_(std::move(refusal)) {}
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }

 private:
  Refusal refusal_;
};

/// How to open the counters to users: on a host, in a container, in a cloud. A sentence without a
/// full stop; a container's own remedy comes first where `in_container`.
std::string privilege_remedy(bool in_container);

/// What a CUPTI result code other than 0 means. `function` is the call that returned it; the text
/// does not depend on the installed CUPTI.
Refusal refusal_of_cupti(int code, std::string_view function, bool in_container);

/// A refusal that no call returned, with the remedy of its kind. `explanation` ends with a full
/// stop.
Refusal refusal_without_code(RefusalKind kind, std::string explanation);

}  // namespace perfmodel::profiling
