#!/usr/bin/env bash
# Compiles the project's kernels for every architecture of the shipped devices and stores their
# machine code in specs/listings, so that it can be analysed without a CUDA Toolkit; likewise that of
# tests/applications for one architecture, beside its sources. Needs nvcc. The same compiler and
# disassembler give the same bytes.
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
# listing FILE ARCH SOURCE...: as kernels/CMakeLists.txt and tests/CMakeLists.txt compile them in a
# release build.
listing() {
  local file=$1 arch=$2 cubins=() source cubin
  shift 2
  for source in "$@"; do
    cubin=$scratch/$(basename "$source" .cu)_$arch.cubin
    nvcc -O3 -DNDEBUG -std=c++17 -lineinfo -I. -arch="sm_$arch" -cubin -o "$cubin" "$source"
    cubins+=("$cubin")
  done
  "build/$preset/bin/perfmodel_listing" "$file" . "${cubins[@]}"
  echo "$file: $(stat -c %s "$file") bytes"
}
mkdir -p specs/listings
for arch in 80 89 90 120; do
  listing specs/listings/sm_$arch.json.gz $arch kernels/{gemv,sgemm,spmv}/*.cu
done
listing tests/applications/sm_90.json.gz 90 tests/applications/*.cu
