#pragma once

#include <cstdint>

namespace perfmodel::sass {

/// Index of a scheduling barrier in SchedulingControl where an instruction sets none; the barriers
/// of a warp are 0 to 5.
inline constexpr std::uint8_t no_scheduling_barrier = 7;
inline constexpr unsigned scheduling_barriers = 6;
/// Beyond those of the hardware, for code that is imagined: see merge_accesses.
inline constexpr std::uint8_t first_extra_barrier = 8;
inline constexpr std::uint8_t extra_barriers = 8;

/// What the compiler tells the warp scheduler with each instruction: the hardware checks no
/// dependence on its own. From sm_70 on these are bits 105 to 125 of the instruction's 128, in the
/// order below from the lowest on. NVIDIA does not document them; after Z. Jia, M. Maggioni,
/// B. Staiger, D. P. Scarpazza: "Dissecting the NVIDIA Volta GPU Architecture via
/// Microbenchmarking", arXiv:1804.06826, 2018, section 2.1.
struct SchedulingControl {
  std::uint8_t stall_cycles = 0;  ///< before the warp's next instruction, 0 to 15
  /// The scheduler had better go on with another warp, where the bit is 0.
  bool yield = false;
  /// Set until the result is written, which takes a time that the compiler does not know.
  std::uint8_t write_barrier = no_scheduling_barrier;
  /// Set until the sources are read, so that they may be overwritten.
  std::uint8_t read_barrier = no_scheduling_barrier;
  /// Bit i: the instruction is not issued before barrier i is clear.
  std::uint16_t wait_mask = 0;
  /// Bit i: the register of operand i stays in the operand cache for the warp's next instruction.
  std::uint8_t reuse = 0;

  friend bool operator==(const SchedulingControl&, const SchedulingControl&) = default;
};

/// Number of the lowest bit of the control in an instruction, and how many bits it has.
inline constexpr unsigned control_shift = 105;
inline constexpr unsigned control_bits = 21;

namespace control_field {
// First bit in the packed control, and bits, of each field.
inline constexpr unsigned yield_shift = 4;
inline constexpr unsigned write_barrier_shift = 5;
inline constexpr unsigned read_barrier_shift = 8;
inline constexpr unsigned wait_shift = 11;
inline constexpr unsigned reuse_shift = 17;
inline constexpr std::uint32_t stall_mask = 0xf;
inline constexpr std::uint32_t barrier_mask = 0x7;
inline constexpr std::uint32_t wait_mask = 0x3f;
inline constexpr std::uint32_t reuse_mask = 0xf;
}  // namespace control_field

/// The control in the lowest `control_bits` of `packed`, as it stands in the instruction.
constexpr SchedulingControl unpack_control(std::uint32_t packed) {
  namespace field = control_field;
  const auto take = [packed](unsigned shift, std::uint32_t mask) {
    return static_cast<std::uint8_t>((packed >> shift) & mask);
  };
  return {take(0, field::stall_mask),
          take(field::yield_shift, 1) == 0,
          take(field::write_barrier_shift, field::barrier_mask),
          take(field::read_barrier_shift, field::barrier_mask),
          take(field::wait_shift, field::wait_mask),
          take(field::reuse_shift, field::reuse_mask)};
}

/// The inverse of `unpack_control`.
constexpr std::uint32_t pack_control(const SchedulingControl& control) {
  namespace field = control_field;
  return std::uint32_t{control.stall_cycles} |
         std::uint32_t{control.yield ? 0U : 1U} << field::yield_shift |
         std::uint32_t{control.write_barrier} << field::write_barrier_shift |
         std::uint32_t{control.read_barrier} << field::read_barrier_shift |
         std::uint32_t{control.wait_mask} << field::wait_shift |
         std::uint32_t{control.reuse} << field::reuse_shift;
}

}  // namespace perfmodel::sass
