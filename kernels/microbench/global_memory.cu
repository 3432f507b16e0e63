// Global memory: loads that hit the L1 by width and lane stride, streams through the L2, and
// streams through DRAM.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int l1_place_bytes = 512;

__device__ void load_l1(unsigned& value, const char* address) {
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(address));
}
__device__ void load_l1(uint2& value, const char* address) {
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(address));
}
__device__ void load_l1(uint4& value, const char* address) {
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
}

/// Past the L1.
__device__ void load_l2(uint4& value, const char* address) {
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address));
}

__device__ void store(char* address, const uint4& value) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x),
               "r"(value.y), "r"(value.z), "r"(value.w));
}

/// Keeps the compiler from computing every address of the loop before it.
__device__ const char* opaque(const char* pointer) {
  const char* copy;
  asm volatile("mov.u64 %0, %1;" : "=l"(copy) : "l"(pointer));
  return copy;
}

}  // namespace

/// Lane i reads at extent + i * stride bytes. The place moves from repeat to repeat, or the
/// compiler would take the loads out of the loop.
template <class Value>
__global__ void __launch_bounds__(1024)
    l1_load(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned stride) {
  constexpr int together = 32 / static_cast<int>(sizeof(Value) / 4) / 2;
  constexpr unsigned round_bytes = l1_unroll * l1_place_bytes;
  static_assert(2 * round_bytes + 31 * 128 + 256 <= l1_reach_bytes, "data is too small");
  const char* const first = static_cast<const char*>(data) + extent + lane_number() * stride;
  unsigned sum = 0;
  DeviceMoment begin{};
  // Two repeats fill the L1 before the stamp.
#pragma unroll 1
  for (unsigned r = 0; r < repeats + 2; ++r) {
    if (r == 2) {
      begin = begin_timing();
    }
    const char* const address = opaque(first + r % 2 * round_bytes);
#pragma unroll
    for (int k = 0; k < l1_unroll; k += together) {
      Value values[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        load_l1(values[i], address + (k + i) % l1_unroll * l1_place_bytes);
      }
#pragma unroll
      for (int i = 0; i < together; ++i) {
        sum ^= folded(values[i]);
      }
    }
  }
  keep(sum, data);
  end_timing(begin, stamps);
}

/// Every block goes through all `extent` chunks again and again, each from a start of its own.
__global__ void __launch_bounds__(chunk_threads)
    l2_read(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned /*stride*/) {
  const char* const base = static_cast<const char*>(data) + threadIdx.x * sizeof(uint4);
  unsigned chunk = static_cast<unsigned>(std::uint64_t{blockIdx.x} * extent / gridDim.x);
  unsigned sum = 0;
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
    uint4 values[stream_unroll];
#pragma unroll
    for (int i = 0; i < stream_unroll; ++i) {
      load_l2(values[i], base + std::size_t{chunk} * chunk_bytes);
      chunk = chunk + 1 == extent ? 0 : chunk + 1;
    }
#pragma unroll
    for (int i = 0; i < stream_unroll; ++i) {
      sum ^= folded(values[i]);
    }
  }
  keep(sum, data);
  end_timing(begin, stamps);
}

__global__ void __launch_bounds__(chunk_threads)
    l2_write(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
             unsigned /*stride*/) {
  char* const base = static_cast<char*>(data) + threadIdx.x * sizeof(uint4);
  unsigned chunk = static_cast<unsigned>(std::uint64_t{blockIdx.x} * extent / gridDim.x);
  const uint4 value{threadIdx.x, 1, 2, 3};
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int i = 0; i < stream_unroll; ++i) {
      store(base + std::size_t{chunk} * chunk_bytes, value);
      chunk = chunk + 1 == extent ? 0 : chunk + 1;
    }
  }
  end_timing(begin, stamps);
}

/// Every thread writes one word to a line of its own: eight chunks take the words of one.
__global__ void __launch_bounds__(1024) l2_scatter(void* data, WarpStamp* stamps, unsigned repeats,
                                                   unsigned extent, unsigned /*stride*/) {
  constexpr unsigned chunks = 128 / sizeof(uint4);
  char* const base = static_cast<char*>(data) + std::size_t{threadIdx.x} * 128;
  const unsigned places = extent < chunks ? 1 : extent / chunks;
  unsigned place = static_cast<unsigned>(std::uint64_t{blockIdx.x} * places / gridDim.x);
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int i = 0; i < stream_unroll; ++i) {
      char* const address = base + std::size_t{place} * (chunks * chunk_bytes);
      asm volatile("st.global.u32 [%0], %1;" ::"l"(address), "r"(r));
      place = place + 1 == places ? 0 : place + 1;
    }
  }
  end_timing(begin, stamps);
}

/// What is done with each 16-byte element of arrays that lie one after the other: A, then B and C
/// where there are any. `rows` elements of a thread are under way together.
struct Read {
  static constexpr int rows = 4;
  static constexpr int operands = 1;
  static constexpr bool writes = false;
};
struct Write {
  static constexpr int rows = 1;
  static constexpr int operands = 0;
  static constexpr bool writes = true;
};
struct Copy {
  static constexpr int rows = 1;
  static constexpr int operands = 1;
  static constexpr bool writes = true;
};
/// C = A + s B
struct Triad {
  static constexpr int rows = 1;
  static constexpr int operands = 2;
  static constexpr bool writes = true;
};

__device__ unsigned scaled_sum(unsigned a, unsigned b, float scale) {
  return __float_as_uint(__fmaf_rn(scale, __uint_as_float(b), __uint_as_float(a)));
}

/// Every block takes `repeats` times `rows` rows of an element a thread, one after the other, and
/// ends. No stamps: where a thread writes one element, they would be 8 % of what its warp writes.
template <class Stream>
__global__ void __launch_bounds__(1024)
    dram_stream(void* data, WarpStamp* /*stamps*/, unsigned repeats, unsigned /*extent*/,
                unsigned stride) {
  constexpr int rows = Stream::rows;
  const std::size_t block_elements = std::size_t{repeats} * rows * blockDim.x;
  const std::size_t array = block_elements * gridDim.x;
  auto* a = static_cast<uint4*>(data) + block_elements * blockIdx.x + threadIdx.x;
  const auto scale = static_cast<float>(stride);
  unsigned sum = 0;
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
    uint4 x[rows];
    uint4 y[rows];
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      if constexpr (Stream::operands > 0) {
        x[i] = __ldcs(a + i * blockDim.x);
      } else {
        x[i] = uint4{threadIdx.x, r, stride, 0};
      }
      if constexpr (Stream::operands > 1) {
        y[i] = __ldcs(a + array + i * blockDim.x);
      }
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      if constexpr (Stream::operands > 1) {
        x[i] = {scaled_sum(x[i].x, y[i].x, scale), scaled_sum(x[i].y, y[i].y, scale),
                scaled_sum(x[i].z, y[i].z, scale), scaled_sum(x[i].w, y[i].w, scale)};
      }
      if constexpr (Stream::writes) {
        __stcs(a + Stream::operands * array + i * blockDim.x, x[i]);
      } else {
        sum ^= folded(x[i]);
      }
    }
    a += rows * blockDim.x;
  }
  if constexpr (!Stream::writes) {
    keep(sum, data);
  }
}

std::vector<DeviceFunction> global_memory_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(l1_load<unsigned int>),
      PERFMODEL_MICROBENCH_CODE(l1_load<uint2>),
      PERFMODEL_MICROBENCH_CODE(l1_load<uint4>),
      PERFMODEL_MICROBENCH_CODE(l2_read),
      PERFMODEL_MICROBENCH_CODE(l2_write),
      PERFMODEL_MICROBENCH_CODE(l2_scatter),
      PERFMODEL_MICROBENCH_CODE(dram_stream<Read>),
      PERFMODEL_MICROBENCH_CODE(dram_stream<Write>),
      PERFMODEL_MICROBENCH_CODE(dram_stream<Copy>),
      PERFMODEL_MICROBENCH_CODE(dram_stream<Triad>),
  };
}

}  // namespace perfmodel::kernels
