// What the emulator counts but does not compute: tensor cores, bulk copies and their barriers.

#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

#include "tests/sass/corpus/kernel.hpp"

CORPUS_KERNEL(tensor_product, (const __half* a, const __half* b, float* out)) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> left;
  fragment<matrix_b, 16, 16, 16, __half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0F);
  for (int i = 0; i < 4; ++i) {
    load_matrix_sync(left, a + 16 * i, 64);
    load_matrix_sync(right, b + 16 * i, 64);
    mma_sync(sum, left, right, sum);
  }
  store_matrix_sync(out, sum, 16, mem_row_major);
}

/// A bulk copy into shared memory that a barrier there announces.
CORPUS_KERNEL(tensor_bulk_copy, (const uint32_t* in, uint32_t* out)) {
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(128) uint32_t words[256];
  __shared__ __align__(8) unsigned long long barrier;
  const auto place = static_cast<uint32_t>(__cvta_generic_to_shared(words));
  const auto at = static_cast<uint32_t>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(at));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, "
        "[%2];" ::"r"(place),
        "l"(in), "r"(at)
        : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at)
        : "memory");
  }
  out[threadIdx.x] = words[threadIdx.x];
#endif
}
