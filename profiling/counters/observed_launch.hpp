#pragma once

#include <cstdint>
#include <functional>

namespace perfmodel::profiling {

/// A launch as a collector repeats it: the same result each time, whatever ran before.
struct ObservedLaunch {
  /// Brings caches into the state in which the launch begins, and waits. Not observed.
  std::function<void()> prepare;
  /// Launches and waits for the end. Throws Error where CUDA reports one.
  std::function<void()> launch;
};

/// Who runs the kernel again for every pass over the counters.
enum class ReplayMode : std::uint8_t {
  user,    ///< perfmodel does: nothing is saved or restored
  kernel,  ///< CUPTI does, saving and restoring what the kernel writes
};

}  // namespace perfmodel::profiling
