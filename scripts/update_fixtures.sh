#!/usr/bin/env bash
# Compiles the cubins that the tests of model/sass read, and the listing of one of them. Needs nvcc,
# ptxas and nvdisasm. Review the tests' expectations afterwards: they hold figures of the code.
set -euo pipefail
cd "$(dirname "$0")/../tests/sass/fixtures"
PATH=$PATH:/usr/local/cuda/bin
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for arch in 75 90 120; do
  # The way over PTX lets the folder of the source be replaced, which is this machine's.
  nvcc -O3 -std=c++17 -lineinfo -arch=sm_$arch -ptx -o "$scratch/code.ptx" variables.cu
  sed -E -i 's|^(\s*\.file\s+[0-9]+ ")/.*/([^/"]*")|\1/src/\2|' "$scratch/code.ptx"
  ptxas -O3 -lineinfo -arch=sm_$arch -o variables_sm_$arch.cubin "$scratch/code.ptx"
done
