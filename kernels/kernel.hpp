#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.hpp"

namespace perfmodel::kernels {

/// The geometry of one kernel launch, in CUDA's order x, y, z.
struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads
  std::size_t dynamic_shared_bytes = 0;         ///< per block, on top of what the code declares

  friend bool operator==(const Launch&, const Launch&) = default;
};

/// What running a kernel at a shape takes. Known without a GPU.
///
/// No launches, no library and no reason to skip: the result has no elements, so that there is
/// nothing to do, and that is a success.
struct Plan {
  std::vector<Launch> launches;  ///< in stream order
  std::string library;           ///< "cuBLAS" where a library picks its own launches
  std::size_t device_bytes = 0;  ///< inputs and output together
  std::string skip_reason;       ///< why this kernel cannot run this shape; empty if it can

  [[nodiscard]] bool skipped() const { return !skip_reason.empty(); }
  [[nodiscard]] bool nothing_to_do() const {
    return launches.empty() && library.empty() && !skipped();
  }
};

/// What a device grants a launch. The defaults hold on every device that CUDA supports.
struct DeviceLimits {
  std::uint32_t threads_per_block = 1024;
  std::uint32_t grid_x = 2147483647;
  std::uint32_t grid_y = 65535;
  /// Dynamic shared memory that a block may have. More than 48 KiB needs the device's opt-in limit
  /// here (cudaDevAttrMaxSharedMemoryPerBlockOptin); the launcher then opts in.
  std::size_t shared_bytes_per_block = 48 * 1024;
};

/// One kernel of the catalogue. Everything here works without CUDA; the device code is found by
/// name through `kernels/launcher.hpp`.
struct Kernel {
  std::string_view name;    ///< also the name of its file in specs/kernels/
  std::string_view family;  ///< as in that file
  /// The extents of a recorded shape, in the order of the specification.
  std::span<const std::string_view> dimensions;
  /// Inputs in the order of the device function's parameters; see `Problem::input`. The output
  /// follows them, then the extents named by `scalars`, each as an int.
  std::span<const std::string_view> inputs;
  std::span<const std::string_view> scalars;
  /// Both take the full shape of a problem (`Problem::shape`), and throw Error when the shape lacks
  /// an extent or its sizes overflow 64 bits.
  Plan (*plan)(const Shape& shape, const DeviceLimits& limits);
  std::int64_t (*required_bytes)(const Shape& shape);  ///< each input and output element once
};

/// The part of a problem's shape that `kernel` names: the identity of its recordings.
Shape recorded_shape(const Kernel& kernel, const Shape& problem_shape);

}  // namespace perfmodel::kernels
