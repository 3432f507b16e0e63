#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfmodel {

enum class FindingStatus : std::uint8_t {
  ok,
  missing,  ///< not there, or not found
  refused,  ///< there, but this process may not use it
};

std::string_view to_string(FindingStatus status);

/// What one check of this machine found.
struct Finding {
  std::string check;  ///< "driver"
  FindingStatus status{};
  std::string detail;  ///< what was found and where, or what is not there
  std::string remedy;  ///< what to do; empty where all is well

  bool operator==(const Finding&) const = default;
};

}  // namespace perfmodel
