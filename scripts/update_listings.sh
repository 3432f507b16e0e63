#!/usr/bin/env bash
# Compiles the project's kernels for every architecture of the shipped devices and stores their
# machine code in specs/listings, so that it can be analysed without a CUDA Toolkit. Needs nvcc.
# The same compiler and disassembler give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/cuda_tools.sh
export LC_ALL=C PATH=$PATH:/usr/local/cuda/bin
install_cuda_tools

preset=${PERFMODEL_PRESET:-release}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target perfmodel_listing
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p specs/listings
for arch in 80 89 90 120; do
  cubins=()
  for source in kernels/{gemv,sgemm,spmv}/*.cu; do
    cubin=$scratch/$(basename "$source" .cu)_$arch.cubin
    # As kernels/CMakeLists.txt compiles them in a release build.
    nvcc -O3 -DNDEBUG -std=c++17 -lineinfo -I. -arch=sm_$arch -cubin -o "$cubin" "$source"
    cubins+=("$cubin")
  done
  "build/$preset/bin/perfmodel_listing" specs/listings/sm_$arch.json.gz . "${cubins[@]}"
  echo "specs/listings/sm_$arch.json.gz: $(stat -c %s specs/listings/sm_$arch.json.gz) bytes"
done
