#pragma once

// Kernels in which every thread works alone: its results come from its three inputs. The body is
// written once. nvcc makes a kernel of it; the host's compiler makes the reference, with plain C++
// in place of the device's intrinsics.
//
//   CORPUS_EACH(name, In, Out, count, ulps) { *r++ = ...; }   // `count` results from a, b, c
//
// CORPUS_SUBJECT is the source file's name. Result k of thread i is out[k * n + i]. `ulps`: how far
// an emulated result may lie from the reference, where the hardware's approximations matter; 0 for
// exact bits.

#include <cstdint>

#ifdef __CUDACC__

#include "tests/sass/corpus/kernel.hpp"

#define CORPUS_EACH(name, In, Out, count, ulps)                                        \
  static __device__ __forceinline__ void name##_one(In a, In b, In c, Out*& r);        \
  CORPUS_KERNEL(name, (const In* a, const In* b, const In* c, Out* out, unsigned n)) { \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                          \
    if (i < n) {                                                                       \
      Out results[count];                                                              \
      Out* r = results;                                                                \
      name##_one(a[i], b[i], c[i], r);                                                 \
      for (unsigned k = 0; k < (count); ++k) {                                         \
        out[k * n + i] = results[k];                                                   \
      }                                                                                \
    }                                                                                  \
  }                                                                                    \
  static __device__ __forceinline__ void name##_one(In a, In b, In c, Out*& r)

#else

#include "tests/sass/corpus/cases.hpp"

#define CORPUS_EACH(name, In, Out, count, ulps)                                               \
  static void name##_one(In a, In b, In c, Out*& r);                                          \
  const bool name##_added =                                                                   \
      ::corpus::add_each<In, Out>(CORPUS_SUBJECT, #name, count, ulps, name##_one);            \
  static void name##_one([[maybe_unused]] In a, [[maybe_unused]] In b, [[maybe_unused]] In c, \
                         Out*& r)

#endif
