#!/usr/bin/env bash
# Runs the benchmarks (Google Benchmark).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

require_packages "${build_packages[@]}" "${test_packages[@]}" "${check_packages[@]}"
cmake --preset ci
cmake --build --preset ci --target benchmarks
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
if [ -x "$nvcc" ]; then
  fatbin=build/ci/thousand_kernels.fatbin
  if [ ! -e $fatbin ]; then
    for i in {1..1000}; do
      echo "__global__ void kernel_$i(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] *= $i; }"
    done >build/ci/thousand_kernels.cu
    "$nvcc" -arch=sm_90 -fatbin -o $fatbin build/ci/thousand_kernels.cu
  fi
  export PERFMODEL_BENCHMARK_FATBIN=$fatbin
fi
build/ci/bin/benchmarks "$@"
