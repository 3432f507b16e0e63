#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "model/sass/block.hpp"
#include "model/sass/emulate.hpp"
#include "model/sass/instruction.hpp"
#include "model/sass/launch.hpp"
#include "model/sass/memory.hpp"
#include "model/sass/module.hpp"
#include "model/sass/slice.hpp"

namespace perfmodel::sass {

/// A launch with its code decoded, its memory laid out and its constants in place. The module, the
/// function and the launch must outlive it.
struct PreparedLaunch {
  Code code;
  SliceResult slice;
  GlobalMemory memory;
  /// By argument: the buffer's index in the memory, or -1.
  std::vector<int> buffers;
  LaunchContext context;  ///< points into the members above
};

/// `values`: every value is to be computed; otherwise only what counting needs. Throws Error
/// bad_input where the geometry is impossible, the arguments do not match the kernel's parameters,
/// or the code cannot be decoded.
std::unique_ptr<PreparedLaunch> prepare_launch(const Module& module, const Function& function,
                                               const Launch& launch,
                                               const EmulationOptions& options, bool values);

}  // namespace perfmodel::sass
