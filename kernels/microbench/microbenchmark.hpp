#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/device.hpp"
#include "model/hardware_constants.hpp"

namespace perfmodel::kernels {

/// How a value follows from what one run of a micro-benchmark took.
enum class MicrobenchMethod : std::uint8_t {
  per_clock,           ///< work of an SM over its cycles
  cycles_per_work,     ///< cycles of an SM over its work
  latency,             ///< cycles over the work of one warp
  per_second,          ///< work of the device over seconds
  per_device_clock,    ///< the same over cycles of the SM clock
  seconds_per_launch,  ///< many launches in a row
  seconds_per_pair,    ///< one launch between two events
  loop_branch,         ///< phases of `branches`: what closing a loop adds to a dependent chain
  divergent_branch,    ///< phases of `branches`: what taking both sides costs beyond the sides
  queue_depth,         ///< phases of `queue_depth`: loads that were issued before one waited
  phase_quantile,      ///< phases of `single_load`: cycles that a share of them stays below
};

/// Whether a larger value is the better one.
bool more_is_better(MicrobenchMethod method);

/// A ring of pointers in the data; see make_ring in chase.cu.
struct PointerRing {
  std::uint32_t nodes = 0;  ///< a power of two
  std::uint32_t node_bytes = 0;
  std::uint32_t step = 1;  ///< nodes from one to the next, odd
  /// Every launch starts where the one before ended, so that no node is met twice.
  bool goes_on = false;
};

/// Which time stamps a device function writes.
enum class StampKind : std::uint8_t {
  warps,   ///< one for every warp of the launch
  phases,  ///< one for every phase and warp that takes part
  none,
};

/// One launch of a device function. Blocks and threads along x only.
struct MicrobenchLaunch {
  std::uint32_t grid = 1;
  std::uint32_t block = 32;
  std::uint32_t repeats = 0;  ///< of the timed loop; 0: as many as take long enough
  std::uint32_t extent = 1;   ///< the function's parameters; see the comment above it
  std::uint32_t stride = 1;
  std::size_t data_bytes = 4096;  ///< zeros, where no ring is made of them
  StampKind stamps = StampKind::warps;
  std::uint32_t phases = 0;        ///< of StampKind::phases
  std::uint32_t participants = 1;  ///< warps that go through the phases together
  std::optional<PointerRing> ring;

  [[nodiscard]] std::size_t warps() const { return std::size_t{grid} * ((block + 31) / 32); }
  [[nodiscard]] std::size_t stamp_count() const {
    switch (stamps) {
      case StampKind::warps:
        return warps();
      case StampKind::phases:
        return std::size_t{phases} * participants;
      case StampKind::none:
        return 0;
    }
    return 0;
  }
};

/// What a run took, as far as the method needs it.
struct MicrobenchReading {
  std::uint32_t repeats = 1;
  double warps = 1;                  ///< of the launch
  double sm_warps = 1;               ///< of one SM
  double sm_cycles = 0;              ///< from its first warp's begin to its last one's end
  double seconds = 0;                ///< of one launch, by events
  double clock_hz = 0;               ///< cycles of an SM over the wall clock's time
  std::vector<double> phase_cycles;  ///< of the slowest warp of each
  double participants = 1;           ///< warps that went through the phases together
};

/// An instruction that the machine code of a repeat has to have.
struct ExpectedInstruction {
  std::string_view opcode;  ///< how it begins: "LDS"
  int count = 0;            ///< by warp and repeat
};

/// One micro-benchmark. Everything here works without CUDA; the device function is found by name
/// through `kernels/microbench/code.hpp`.
struct Microbenchmark {
  std::string name;  ///< of the constant: "fma.rate"
  std::string unit;  ///< "lanes/clk/SM"
  std::string proves;
  std::string function;  ///< "arithmetic_rate<Fma>"
  MicrobenchMethod method{};
  double work = 1;      ///< of one warp in one repeat, in the unit of the value
  double quantile = 0;  ///< of MicrobenchMethod::phase_quantile, 0 to 1
  /// The launches to try; the best one counts.
  std::function<std::vector<MicrobenchLaunch>(const Device&)> launches;
  /// What no correct measurement can surpass; nothing where no figure is certain.
  std::function<std::optional<ConstantLimit>(const Device&)> limit;
  std::function<std::optional<DatasheetFigure>(const Device&)> datasheet;
  std::vector<ExpectedInstruction> expected;
  double expected_share = 0;  ///< of all instructions of a repeat, at least
  int min_compute_capability = 0;
};

/// The value of one run. Throws Error where the reading allows none, such as a queue that never
/// filled.
double microbench_value(const Microbenchmark& benchmark, const MicrobenchReading& reading);

/// 90 for "sm_90". Throws Error for anything else.
int compute_capability(const Device& device);

/// All of them, in the order in which they run and are shown.
const std::vector<Microbenchmark>& microbenchmarks();

/// Those whose whole name matches the ECMAScript expression. Throws Error where none does, or for
/// a malformed expression.
std::vector<const Microbenchmark*> matching_microbenchmarks(const std::string& pattern);

}  // namespace perfmodel::kernels
