// Rates and latencies of the arithmetic pipes. Eight independent chains a thread and 32 warps an SM
// keep a pipe full; one chain of one warp shows how long a result takes.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int chains = 8;

/// What the operations of one type have in common: `step` advances chain i. Operations that could
/// be merged with the one before (x ^ b ^ b) take their neighbours instead of constants; going up
/// the chains they are independent, going down each needs the one before.
template <class Type, bool neighbours>
struct Operation {
  using Value = Type;
  static constexpr bool takes_neighbours = neighbours;
};

struct Fma : Operation<float, false> {
  static __device__ void step(float (&x)[chains], int i, float b, float c) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i]) : "f"(b), "f"(c));
  }
};

struct Add : Operation<float, false> {
  static __device__ void step(float (&x)[chains], int i, float b, float /*c*/) {
    asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x[i]) : "f"(b));
  }
};

struct Mul : Operation<float, false> {
  static __device__ void step(float (&x)[chains], int i, float b, float /*c*/) {
    asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x[i]) : "f"(b));
  }
};

struct Logic : Operation<unsigned, true> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;"
                 : "+r"(x[i])
                 : "r"(x[(i + 1) % chains]), "r"(x[(i + 2) % chains]));
  }
};

/// Two registers only: beside FMAs of three, none waits for a bank of the register file.
struct ShiftBy7 : Operation<unsigned, true> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("shf.l.wrap.b32 %0, %0, %1, 7;" : "+r"(x[i]) : "r"(x[(i + 1) % chains]));
  }
};

struct Add3 : Operation<unsigned, true> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("{ .reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2; }"
                 : "+r"(x[i])
                 : "r"(x[(i + 1) % chains]), "r"(x[(i + 2) % chains]));
  }
};

struct Shift : Operation<unsigned, true> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned b, unsigned) {
    asm volatile("shf.l.wrap.b32 %0, %0, %1, %2;" : "+r"(x[i]) : "r"(x[(i + 1) % chains]), "r"(b));
  }
};

struct Imad : Operation<unsigned, false> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned b, unsigned c) {
    asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(x[i]) : "r"(b), "r"(c));
  }
};

struct Exp2 : Operation<float, false> {
  static __device__ void step(float (&x)[chains], int i, float, float) {
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[i]));
  }
};

/// The bits of the integer are taken for a float again; what they mean does not matter.
struct FloatToInt : Operation<unsigned, false> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("{ .reg .f32 t; mov.b32 t, %0; cvt.rni.s32.f32 %0, t; }" : "+r"(x[i]));
  }
};

struct IntToFloat : Operation<unsigned, false> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("{ .reg .f32 t; cvt.rn.f32.s32 t, %0; mov.b32 %0, t; }" : "+r"(x[i]));
  }
};

struct DoubleFma : Operation<double, false> {
  static __device__ void step(double (&x)[chains], int i, double b, double c) {
    asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[i]) : "d"(b), "d"(c));
  }
};

struct HalfFma2 : Operation<unsigned, false> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned b, unsigned c) {
    asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(x[i]) : "r"(b), "r"(c));
  }
};

struct Shuffle : Operation<unsigned, true> {
  static __device__ void step(unsigned (&x)[chains], int i, unsigned, unsigned) {
    asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;"
                 : "+r"(x[i])
                 : "r"(x[(i + 1) % chains]));
  }
};

__device__ unsigned bits(float value) { return __float_as_uint(value); }
__device__ unsigned bits(double value) { return __double2loint(value); }
__device__ unsigned bits(unsigned value) { return value; }

template <class Op>
__device__ void run_arithmetic(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                               unsigned stride, bool independent) {
  using Value = typename Op::Value;
  Value x[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    x[i] = static_cast<Value>(threadIdx.x + i);
  }
  // Not the same for all lanes, or the compiler would keep them in uniform registers.
  const auto b = static_cast<Value>(extent + threadIdx.x);
  const auto c = static_cast<Value>(stride + threadIdx.x);
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < arithmetic_unroll; ++k) {
      const int down = Op::takes_neighbours ? (chains - k % chains) % chains : 0;
      Op::step(x, independent ? k % chains : down, b, c);
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    sum += bits(x[i]);
  }
  keep(sum, data);
  end_timing(begin, stamps);
}

}  // namespace

template <class Op>
__global__ void __launch_bounds__(1024)
    arithmetic_rate(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                    unsigned stride) {
  run_arithmetic<Op>(data, stamps, repeats, extent, stride, true);
}

template <class Op>
__global__ void arithmetic_latency(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                                   unsigned stride) {
  run_arithmetic<Op>(data, stamps, repeats, extent, stride, false);
}

/// FMAs and shifts in turn: two pipes together take every issue slot.
__global__ void __launch_bounds__(1024)
    issue_rate(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned stride) {
  float x[chains];
  unsigned y[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    x[i] = static_cast<float>(threadIdx.x + i);
    y[i] = threadIdx.x + i;
  }
  const auto b = static_cast<float>(extent + threadIdx.x);
  const auto c = static_cast<float>(stride + threadIdx.x);
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < arithmetic_unroll / 2; ++k) {
      Fma::step(x, k % chains, b, c);
      ShiftBy7::step(y, k % chains, 0, 0);
    }
  }
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < chains; ++i) {
    sum += bits(x[i]) + y[i];
  }
  keep(sum, data);
  end_timing(begin, stamps);
}

std::vector<DeviceFunction> arithmetic_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Fma>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Add>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Mul>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Logic>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Add3>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Shift>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Imad>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Exp2>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<FloatToInt>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<IntToFloat>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<DoubleFma>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<HalfFma2>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_rate<Shuffle>),
      PERFMODEL_MICROBENCH_CODE(issue_rate),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Fma>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Logic>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Add3>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Imad>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Exp2>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<FloatToInt>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<DoubleFma>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<HalfFma2>),
      PERFMODEL_MICROBENCH_CODE(arithmetic_latency<Shuffle>),
  };
}

}  // namespace perfmodel::kernels
