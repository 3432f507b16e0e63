#pragma once

#include <string_view>

namespace perfmodel::profiling {

// Written by cmake/build_info.cmake at every build.

/// "0.1.0".
std::string_view build_version();

/// The git commit that was built, with "-dirty" where files differed from it; empty for sources
/// without a history.
std::string_view build_commit();

}  // namespace perfmodel::profiling
