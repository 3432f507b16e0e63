#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/sass/machine_ledger.hpp"
#include "model/sass/module.hpp"

namespace perfmodel::sass {

inline constexpr std::uint32_t warp_lanes = 32;
/// One 32-bit value per lane.
using Row = std::array<std::uint32_t, warp_lanes>;

/// What an instruction computes, with its variants taken apart into the fields of Instruction.
enum class Op : std::uint8_t {
  // Integer
  mov,
  mov64,
  sel,
  sel64,
  iadd3,
  iadd64,
  imad,
  imad_wide,
  imad_hi,
  lea,
  lea_hi,
  shf,
  lop3,
  imnmx,
  imnmx64,
  viaddmnmx,
  isetp,
  iabs,
  popc,
  flo,
  brev,
  prmt,
  sgxt,
  bmsk,
  dp4a,
  dp2a,
  packed_integer,  ///< several narrow integers side by side, or three at once
  // Predicates
  plop3,
  p2r,
  r2p,
  // Floating point
  fadd,
  fmul,
  ffma,
  fmnmx,
  fmnmx3,
  fsetp,
  fset,
  fsel,
  fchk,
  mufu,
  dadd,
  dmul,
  dfma,
  dsetp,
  dmnmx,
  hadd2,
  hmul2,
  hfma2,
  hmnmx2,
  hsetp2,
  hset2,
  ffma2,
  fadd2,
  fmul2,
  // Conversions
  i2f,
  f2i,
  f2f,
  f2fp,
  frnd,
  // Across lanes
  s2r,
  cs2r,
  r2ur,
  vote,
  redux,
  shfl,
  match,
  elect,
  qspc,  ///< whether a generic address lies in shared, local or global memory
  // Memory
  ldc,
  load,
  store,
  atomic,
  ldgsts,
  ldsm,
  // Control
  bra,
  brx,
  call,
  ret,
  exit,
  bssy,
  bsync,
  breakb,
  bmov_from,
  bmov_to,
  warpsync,
  yield,  ///< lanes that wait to converge need not wait for these
  bar,
  b2r,
  trap,
  nop,
  not_computed,  ///< counted; its result is zero and flagged
  unknown,       ///< counted and flagged on request
};

/// A source operand: 32 lanes of 32 bits, in the warp's own rows or in the constant pool. A 64-bit
/// operand continues in the next row.
struct Source {
  std::uint16_t row = 0;  ///< pool row 0 holds zeros
  bool pool = true;
  bool negate = false;
  bool absolute = false;
  bool invert = false;
  /// Packed halves: 0 both as they are, 1 the low one twice, 2 the high one twice, 3 swapped.
  std::uint8_t half = 0;
  std::uint8_t byte = 0;  ///< narrow integer conversions: the first byte used

  [[nodiscard]] bool plain() const { return !negate && !absolute && !invert && half == 0; }
};

/// Predicates 0 to 6 are P0 to P6, 8 to 14 UP0 to UP6; 7 and 15 are always true.
inline constexpr std::uint8_t predicate_true = 7;
inline constexpr std::uint8_t predicate_count = 16;

struct PredicateSource {
  std::uint8_t index = predicate_true;
  bool negate = false;
};

enum class Compare : std::uint8_t {
  f,
  lt,
  eq,
  le,
  gt,
  ne,
  ge,
  num,
  nan,
  ltu,
  equ,
  leu,
  gtu,
  neu,
  geu,
  t,
  min,  ///< DSETP: the first operand is the smaller; and whether neither is a number
  max
};
enum class Combine : std::uint8_t { and_, or_, xor_ };
enum class Rounding : std::uint8_t { nearest, down, up, zero };
enum class Number : std::uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, f32, f64 };
enum class Function1 : std::uint8_t { rcp, rsq, sqrt, ex2, lg2, sin, cos, tanh, rcp64h, rsq64h };
/// How PRMT reads its selector.
enum class Permute : std::uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class Packed : std::uint8_t { add, extreme, add_extreme, extreme3, difference };
enum class AtomicOp : std::uint8_t { add, min, max, and_, or_, xor_, inc, dec, exch, cas, cast };
enum class ShuffleMode : std::uint8_t { idx, up, down, bfly };
enum class VoteMode : std::uint8_t { any, all, eq };
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  smid,
  eqmask,
  ltmask,
  lemask,
  gtmask,
  gemask,
  clock,
  shared_window,
  local_window,
  zero,
};

/// Where a memory instruction finds its address: base (scaled), plus a uniform register, plus an
/// offset.
struct AddressOperand {
  Source base;          ///< pool row 0 where there is none
  bool base64 = false;  ///< the base is a pair of registers
  std::uint8_t scale_log2 = 0;
  Source uniform;  ///< pool row 0 where there is none
  bool uniform64 = false;
  std::int64_t offset = 0;
};

/// One decoded instruction.
struct Instruction {
  Op op = Op::nop;
  Pipe pipe = Pipe::other;
  PredicateSource guard;
  bool uniform = false;  ///< runs once for the warp: all lanes take part
  /// False where nothing that is counted depends on the value computed; set for counting runs.
  bool needed = true;
  std::uint16_t skip = 0;  ///< length of the run of unneeded, unguarded instructions from here
  /// Loads: bit i for the i-th register loaded, where no later instruction can read it.
  std::uint8_t unread_rows = 0;
  /// Loads: after how many instructions the first one reads or replaces the result; 0: not known.
  std::uint16_t use_distance = 0;

  std::uint16_t destination = 0;  ///< row; the sink row for RZ
  std::array<std::uint8_t, 2> predicate_destinations{predicate_true, predicate_true};
  std::array<Source, 3> sources;
  std::array<PredicateSource, 3> predicates;

  // Variants; which of them matter depends on `op`.
  Compare compare = Compare::f;
  Combine combine = Combine::and_;
  Rounding rounding = Rounding::nearest;
  Number from = Number::s32;  ///< also the type of a comparison, product or atomic
  Number to = Number::s32;
  Function1 function = Function1::rcp;
  AtomicOp atomic = AtomicOp::add;
  Permute permute = Permute::index;
  Packed packed = Packed::add;
  std::uint8_t element_bits = 32;  ///< of packed integers
  ShuffleMode shuffle = ShuffleMode::idx;
  VoteMode vote = VoteMode::any;
  Special special = Special::zero;
  bool extended = false;     ///< .X, .EX: takes a carry, or the low halves' verdict
  bool high = false;         ///< .HI
  bool left = false;         ///< shifts
  bool wrap = false;         ///< shift counts modulo the width
  bool sign_extend = false;  ///< .SX32, .SH
  bool flush = false;        ///< .FTZ
  bool saturate = false;     ///< .SAT
  bool relu = false;
  bool packed_bf16 = false;
  bool widen = false;  ///< packed halves to or in fp32
  bool has_destination = false;
  std::uint8_t lut = 0;
  std::uint8_t lut2 = 0;
  std::uint8_t shift = 0;

  // Memory
  MemorySpace space = MemorySpace::none;
  std::uint8_t access_bytes = 4;  ///< per lane
  bool sign_extend_load = false;
  AddressOperand address;
  AddressOperand address2;    ///< LDGSTS: the global side
  std::uint8_t bank = 0;      ///< LDC
  std::uint8_t matrices = 0;  ///< LDSM
  bool transposed = false;
  std::uint8_t zeroed_rows = 1;  ///< what becomes of the result of Op::not_computed

  // Control
  std::int32_t target = -1;  ///< index of an instruction
  std::uint8_t barrier_register = 0;
  bool barrier_arrive = false;  ///< BAR.ARV
  bool barrier_reduce = false;  ///< BAR.RED

  SchedulingControl control{};  ///< see Code::has_control
};

/// Where the constant pool gets a row from.
struct PoolEntry {
  bool constant = false;    ///< from a constant bank; otherwise an immediate
  std::uint32_t value = 0;  ///< of an immediate
  std::uint8_t bank = 0;
  std::uint32_t offset_bytes = 0;

  friend bool operator==(const PoolEntry&, const PoolEntry&) = default;
};

/// A function ready to run.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<PoolEntry> pool;     ///< row 0 holds zeros
  std::uint16_t rows = 0;          ///< of a warp's file, the sink row included
  std::uint16_t sink = 0;          ///< written, never read
  std::uint16_t uniform_base = 0;  ///< row of UR0
  bool calls = false;              ///< has subroutines or indirect jumps
  bool has_control = false;        ///< the instructions' scheduling controls are known
};

struct DecodeOptions {
  bool count_unknown = false;  ///< decode what is not known as Op::unknown instead of refusing it
};

/// Throws Error bad_input: an unknown opcode or operand, by name and address; a branch that leaves
/// the function.
Code decode(const Function& function, int sm, const DecodeOptions& options = {});

}  // namespace perfmodel::sass
