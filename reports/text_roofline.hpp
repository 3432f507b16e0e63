#pragma once

#include <optional>

#include "model/analysis.hpp"
#include "reports/document.hpp"

namespace perfmodel::reports {

/// The DRAM roofline in characters, 76 columns wide: log axes, the memory and the fp32 roof, a
/// letter for each kernel with a source ledger, named in the caption. Nothing where there is no
/// such kernel, or more than there are letters.
std::optional<Drawing> text_roofline(const Analysis& analysis);

}  // namespace perfmodel::reports
