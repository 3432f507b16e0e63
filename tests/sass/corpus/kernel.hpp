#pragma once

// Declares a kernel of the corpus. Where the code is linked into a program, the kernel also enters
// a list by name, so that the program can launch it; see tests/gpu/corpus_test.cpp.

#include <cuda_runtime.h>

#include <cstdint>

namespace corpus {

/// In tests/gpu/corpus_test.cpp.
bool add_kernel(const char* name, const void* kernel);

}  // namespace corpus

#ifdef CORPUS_LINKED
#define CORPUS_ADD(name) \
  static const bool name##_added = ::corpus::add_kernel(#name, reinterpret_cast<const void*>(name));
#else
#define CORPUS_ADD(name)
#endif

#define CORPUS_KERNEL(name, parameters)       \
  extern "C" __global__ void name parameters; \
  CORPUS_ADD(name)                            \
  extern "C" __global__ void name parameters
