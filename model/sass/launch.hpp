#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace perfmodel::sass {

/// A value that goes into the parameter bank as it is. Little-endian.
struct ValueArgument {
  std::array<std::byte, 8> bytes{};
  std::uint32_t size_bytes = 4;  ///< 4 or 8
};

/// What a buffer holds before the kernel runs.
enum class Fill : std::uint8_t {
  nothing,  ///< uninitialised: reading it before writing is reported
  zeros,
  iota_i32,
  random_f32,  ///< uniform in [-1, 1)
  random_f64,  ///< uniform in [-1, 1)
  random_f16,  ///< uniform in [-1, 1)
  random_u32,
  data,  ///< `BufferArgument::data`
};

/// Global memory of its own; the parameter is its address.
struct BufferArgument {
  std::uint64_t size_bytes = 0;
  Fill fill = Fill::nothing;
  std::uint64_t seed = 0;
  std::span<const std::byte> data;  ///< for Fill::data: size_bytes of them; must outlive the run
};

using Argument = std::variant<ValueArgument, BufferArgument>;

/// One launch of one kernel.
struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< blocks in x, y, z
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads in x, y, z
  std::uint32_t dynamic_shared_bytes = 0;       ///< per block
  std::vector<Argument> arguments;              ///< in the order of the kernel's parameters

  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  [[nodiscard]] std::uint32_t threads_per_block() const { return block[0] * block[1] * block[2]; }
};

}  // namespace perfmodel::sass
