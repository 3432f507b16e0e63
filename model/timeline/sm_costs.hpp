#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/device.hpp"
#include "model/hardware_constants.hpp"

namespace perfmodel {

/// How a latency varies from line to line, relative to its mean: the factor below which each share
/// of the lines stays. A line is always as far from the SM; of several, a warp waits for the last.
struct LatencySpread {
  struct Point {
    double share = 0;
    double factor = 1;
  };
  /// As measured on an H200 (SM clock cycles of 20,000 single loads of L2): three quarters of the
  /// lines are near, an eighth is half as far again.
  std::array<Point, 7> points = {
      {{0, 0.8}, {0.1, 0.81}, {0.25, 0.83}, {0.5, 0.91}, {0.75, 0.97}, {0.9, 1.44}, {1, 1.5}}};

  /// `share` from 0 to 1.
  [[nodiscard]] double factor(double share) const;
};

/// What instructions and memory accesses cost on one SM of a device, in SM cycles, and what the SM
/// gets of the memory behind it while all SMs ask. Intervals are those of one sub-partition, from
/// one warp instruction of a pipe to the next.
struct SmCosts {
  int sub_partitions = 4;

  // Arithmetic. The FMA pipe has two halves from 128 FMA lanes on; only one multiplies integers.
  int fma_halves = 2;
  double fma_interval = 2;  ///< of one half
  double alu_interval = 2;
  double xu_interval = 8;
  double fp64_interval = 2;
  double tensor_fmas_per_cycle = 1024;  ///< of the SM, bf16
  double tensor_tf32_fmas_per_cycle = 512;
  double uniform_interval = 2;
  double xu_latency = 17;
  double fp64_latency = 8;
  double tensor_latency = 24;
  double special_register_latency = 20;
  double constant_latency = 28;
  /// A warp that waited for a scoreboard comes behind those that have waited longer; from so long
  /// on, the older one goes first.
  double counted_wait_cycles = 64;
  double branch_cycles = 7;  ///< from a taken branch to the next instruction of its warp

  // The way to shared memory and L1, one for the four sub-partitions.
  double operand_interval = 2;  ///< to hand over one register of a warp
  /// Memory instructions that a sub-partition has place for until they have been served.
  int memory_places = 15;
  double shared_wavefront = 1;  ///< of the data pipe
  double global_wavefront = 1;
  /// From one wavefront of a warp to its next, of one access or of two; the data pipe serves others
  /// meanwhile.
  double warp_wavefront_cycles = 2;
  double least_access_cycles = 1;  ///< of any access, however few its wavefronts
  double line_lookup = 0.25;       ///< in the tags of L1, of one of an access's lines
  /// What an access whose data is not in L1 takes more of the way in.
  double absent_look_up = 0.65;
  double shared_latency = 23;  ///< one conflict-free load, until its result can be used
  double shuffle_latency = 26;
  double l1_latency = 34;
  double shared_atomic_latency = 26;
  double barrier_arrival = 2;   ///< of one warp at its block's barrier
  double barrier_latency = 12;  ///< from the last arrival until warps go on

  // Memory.
  double l1_bytes = 0;      ///< L1 and shared memory together
  double l2_latency = 339;  ///< a load that misses L1, until its result can be used
  /// The same of a line that an SM of the same half of the L2 has loaded before; of the others, a
  /// quarter comes from the other half.
  double l2_near_latency = 339;
  double dram_latency = 687;
  LatencySpread l2_spread;
  LatencySpread dram_spread;
  double l2_bytes_per_cycle = 50;  ///< of one SM while all load
  double l2_write_bytes_per_cycle = 18;
  double l2_write_lines_per_cycle = 0.3;  ///< where little of each line is written
  double dram_bytes_per_cycle = 17;       ///< while all only read
  double dram_write_bytes_per_cycle = 16;
  double dram_mixed_bytes_per_cycle = 15;  ///< as much read as written
  /// What a busy DRAM adds to its latency, at half of its rate: while all only read, and while they
  /// write as much. As measured on an H200, by loops with few to many loads under way.
  double dram_queue_s = 55e-9;
  double dram_mixed_queue_s = 125e-9;
  double atomic_latency = 490;
  double atomics_per_cycle = 2;  ///< lanes that hit different addresses, of one SM

  // Launching.
  double block_gap = 100;  ///< from the end of a block until its successor's first instruction
  double warp_launch_interval = 5.6;  ///< from one warp of a block to the next, of one SM
  double blocks_per_cycle = 1;        ///< that the device starts
  double launch_s = 2.7e-6;           ///< between two events around an empty kernel

  double clock_hz = 0;
  int sm_count = 0;

  // What may be left out, see `Mechanism`.
  bool register_banks = true;
  bool write_ports = true;
  bool oldest_first = true;
  bool returning_data_uses_pipe = true;
  bool warps_wait_in_turn = true;
  bool sub_partitions_take_turns = true;
  bool full_ports_stop_all = true;

  /// Bytes that DRAM moves for an SM in a cycle while all ask for this mixture: turning around
  /// between reading and writing takes time.
  [[nodiscard]] double dram_rate(double load_bytes, double store_bytes) const;
  /// See `dram_queue_s`, of this mixture.
  [[nodiscard]] double dram_queue_cycles(double load_bytes, double store_bytes) const;
};

/// Where the costs of a device come from.
struct SmCostSources {
  SmCosts costs;
  /// Relative standard uncertainty of a time that they are used for.
  double relative_uncertainty = 0;
  /// A sentence for each constant that is not the device's own, and what stands in for it.
  std::vector<std::string> fallbacks;
};

/// From the constants measured on the device; where there are none (or one is missing), from what
/// is published of its architecture. `clock_hz`: SM clock.
SmCostSources sm_costs(const Device& device, const HardwareConstants* constants, double clock_hz);

/// The same SM at another clock. What lies behind L1 keeps its own: its bandwidths in bytes per
/// second stay, and of a latency what is beyond that of L1 stays in seconds.
SmCosts at_clock(const SmCosts& costs, double clock_hz);

}  // namespace perfmodel
