#!/usr/bin/env bash
# Compiles the kernels of tests/sass/corpus for every architecture and stores their machine code
# beside them, so that the tests need no CUDA Toolkit. Needs nvcc. The same compiler and
# disassembler give the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/cuda_tools.sh
export LC_ALL=C PATH=$PATH:/usr/local/cuda/bin
install_cuda_tools

preset=${PERFMODEL_PRESET:-release}
cmake --build --preset "$preset" --target perfmodel_listing
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for arch in ${PERFMODEL_CORPUS_ARCHITECTURES:-75 80 89 90 100 120}; do
  cubins=()
  for source in tests/sass/corpus/*.cu; do
    options=(-O3 -std=c++17 -I.)
    # Flush denormals, approximate divisions: other instructions than the default.
    [[ $source == */fast.cu ]] && options+=(-use_fast_math)
    cubin=$scratch/$(basename "$source" .cu)_$arch.cubin
    nvcc "${options[@]}" -arch="sm_$arch" -cubin -o "$cubin" "$source"
    cubins+=("$cubin")
  done
  "build/$preset/bin/perfmodel_listing" "tests/sass/corpus/sm_$arch.json.gz" . "${cubins[@]}"
  echo "sm_$arch.json.gz: $(stat -c %s "tests/sass/corpus/sm_$arch.json.gz") bytes"
done
