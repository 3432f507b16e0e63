#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/timeline/sm_costs.hpp"

namespace perfmodel {

/// A part of the timeline that can be left out, which shows what it is good for.
struct Mechanism {
  std::string_view name;     ///< "register-banks"
  std::string_view meaning;  ///< a line
  void (*leave_out)(SmCosts& costs);
};

std::span<const Mechanism> mechanisms();

/// Throws Error bad_input with the valid names where there is none called `name`.
void leave_out(SmCosts& costs, const std::string& name);

}  // namespace perfmodel
