#!/usr/bin/env bash
# Compiles the cubins and fatbins that the tests of model/sass read. Needs nvcc, ptxas and
# fatbinary. Review the tests' expectations afterwards: they hold figures of the code.
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
# Containers: two architectures, compressed; and one that holds nothing but PTX.
fatbinary -64 --compress-all --create=variables.fatbin \
  --image3=kind=elf,sm=75,file=variables_sm_75.cubin \
  --image3=kind=elf,sm=90,file=variables_sm_90.cubin
fatbinary -64 --compress-all --create=ptx_only.fatbin --image3=kind=ptx,sm=90,file="$scratch/code.ptx"
