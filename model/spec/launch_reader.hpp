#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/sass/launch.hpp"

namespace perfmodel::spec {

/// A launch as a person describes it, with the bytes that its buffers point to.
struct LaunchDescription {
  std::string kernel;  ///< empty where the description names none
  sass::Launch launch;
  /// What `BufferArgument::data` points to; copies of the description share it.
  std::vector<std::shared_ptr<const std::vector<std::byte>>> contents;
};

/// The same by command-line flags, each as its text.
struct LaunchFlags {
  std::string grid;   ///< "32,32": 1 to 3 extents
  std::string block;  ///< likewise
  std::uint64_t dynamic_shared_bytes = 0;
  std::vector<std::string> arguments;  ///< "i32:4096", "buffer:4096:random_f32:7", ...
};

/// Reads a launch description (YAML, specs/README.md). Files of buffers are relative to it.
/// Throws Error with file:line:column on anything malformed, out of CUDA's range, or a buffer's
/// file that cannot be read or has another size.
LaunchDescription read_launch(const std::filesystem::path& path);

/// The launch that flags describe; files of buffers are relative to the working folder. Throws
/// Error that names the flag.
LaunchDescription launch_from_flags(const LaunchFlags& flags);

}  // namespace perfmodel::spec
