// Tensor cores through mma.sync with float accumulators, which every architecture since sm_80 has.
// sm_90's wgmma is faster; the kernels that the model is for do not use it.

#include "kernels/microbench/device.cuh"
#include "kernels/microbench/device_code.hpp"

namespace perfmodel::kernels {
namespace {

constexpr int tensor_chains = 4;

/// A 16x8 tile of C, 16 deep.
struct Bf16 {
  static __device__ void step(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
  }
};

/// A 16x8 tile of C, 8 deep.
struct Tf32 {
  static __device__ void step(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
  }
};

template <class Op, int used_chains>
__device__ void run_tensor(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                           unsigned stride) {
  const unsigned a[4] = {extent, extent + threadIdx.x, extent ^ threadIdx.x, threadIdx.x};
  const unsigned b[2] = {stride + threadIdx.x, stride ^ threadIdx.x};
  float d[used_chains][4];
#pragma unroll
  for (int i = 0; i < used_chains; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      d[i][j] = static_cast<float>(threadIdx.x + i + j);
    }
  }
  const DeviceMoment begin = begin_timing();
#pragma unroll 1
  for (unsigned r = 0; r < repeats; ++r) {
#pragma unroll
    for (int k = 0; k < tensor_unroll; ++k) {
      Op::step(d[k % used_chains], a, b);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < used_chains; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      sum += d[i][j];
    }
  }
  keep(__float_as_uint(sum), data);
  end_timing(begin, stamps);
}

}  // namespace

template <class Op>
__global__ void __launch_bounds__(1024)
    tensor_rate(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent, unsigned stride) {
  run_tensor<Op, tensor_chains>(data, stamps, repeats, extent, stride);
}

template <class Op>
__global__ void tensor_latency(void* data, WarpStamp* stamps, unsigned repeats, unsigned extent,
                               unsigned stride) {
  run_tensor<Op, 1>(data, stamps, repeats, extent, stride);
}

std::vector<DeviceFunction> tensor_functions() {
  return {
      PERFMODEL_MICROBENCH_CODE(tensor_rate<Bf16>),
      PERFMODEL_MICROBENCH_CODE(tensor_rate<Tf32>),
      PERFMODEL_MICROBENCH_CODE(tensor_latency<Bf16>),
      PERFMODEL_MICROBENCH_CODE(tensor_latency<Tf32>),
  };
}

}  // namespace perfmodel::kernels
