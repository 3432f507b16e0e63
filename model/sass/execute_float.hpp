#pragma once

#include <algorithm>
#include <cfenv>
#include <cmath>

#include "model/sass/execute_lanes.hpp"
#include "model/sass/instruction.hpp"

namespace perfmodel::sass::execution {

/// Changes the rounding of the host while it lives.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) {
    if (rounding != Rounding::nearest) {
      changed_ = true;
      std::fesetround(rounding == Rounding::down ? FE_DOWNWARD
                      : rounding == Rounding::up ? FE_UPWARD
                                                 : FE_TOWARDZERO);
    }
  }
  ~RoundingScope() {
    if (changed_) {
      std::fesetround(FE_TONEAREST);
    }
  }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  bool changed_ = false;
};

inline float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

inline float finish_float(const Instruction& instruction, float value) {
  if (instruction.flush) {
    value = flushed(value);
  }
  if (instruction.saturate) {
    value = value > 0 ? std::min(value, 1.0F) : 0.0F;  // a NaN becomes zero
  }
  return value;
}

inline bool compares(Compare compare, bool less, bool equal, bool unordered) {
  const bool greater = !less && !equal && !unordered;
  switch (compare) {
    case Compare::f:
      return false;
    case Compare::lt:
      return less;
    case Compare::eq:
      return equal;
    case Compare::le:
      return less || equal;
    case Compare::gt:
      return greater;
    case Compare::ne:
      return less || greater;
    case Compare::ge:
      return greater || equal;
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    case Compare::ltu:
      return less || unordered;
    case Compare::equ:
      return equal || unordered;
    case Compare::leu:
      return less || equal || unordered;
    case Compare::gtu:
      return greater || unordered;
    case Compare::neu:
      return !equal;
    case Compare::geu:
      return greater || equal || unordered;
    case Compare::t:
      return true;
    case Compare::min:
    case Compare::max:
      break;
  }
  return false;
}

inline bool usual_float(const Instruction& instruction) {
  return instruction.rounding == Rounding::nearest && !instruction.flush && !instruction.saturate;
}

inline void fused_multiply_add(const Lanes& lanes) {
  lanes.map3<Kind::f32>([](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    return as_bits(__builtin_fmaf(as_float(a), as_float(b), as_float(c)));
  });
}

// Not worth compiling more than once, or changed by the rounding of the host.

/// FADD, FMUL and FFMA with a rounding, a flush or a saturation.
void unusual_float(Lanes lanes);
/// Two single-precision results side by side (sm_100 and later).
void packed_float(Lanes lanes);
void double_arithmetic(Lanes lanes);
/// FSETP, FSET, DSETP.
void compare_floats(Lanes lanes);
void float_extreme(Lanes lanes);
/// FCHK: whether a / b needs the slow path.
void check_division(Lanes lanes);
/// MUFU.
void special_function(Lanes lanes);
/// HADD2, HMUL2, HFMA2.
void half_arithmetic(Lanes lanes);
/// HSETP2, HSET2, HMNMX2.
void half_comparison(Lanes lanes);
/// I2F, F2I, F2F, FRND.
void convert(Lanes lanes);
/// F2FP.
void pack_halves(Lanes lanes);

}  // namespace perfmodel::sass::execution
