#!/usr/bin/env bash
# Tests and measures everything on a machine with a GPU and leaves the recordings in a folder:
#   scripts/gpu.sh FOLDER [BIN]
# BIN is a folder with programs that were built elsewhere (preset portable: perfmodel, gpu_tests,
# launch_once, time_launches and the folder applications); without it they are built here. Copy the
# recordings to specs/recordings/DEVICE/ to keep them.
set -euo pipefail
folder=$(realpath -m "$1")
bin=${2:+$(realpath "$2")}
cd "$(dirname "$0")/.."
mkdir -p "$folder"

if [ -z "$bin" ]; then
  source scripts/packages.sh
  require_packages "${build_packages[@]}" "${test_packages[@]}"
  cmake --preset release
  cmake --build --preset release
  bin=build/release/bin
fi

echo "== Device"
"$bin/perfmodel" doctor
echo "== Tests"
# The stored machine code of the corpus, and where the tables of docs/machine-ledger.md go.
PERFMODEL_CORPUS="$PWD/tests/sass/corpus" PERFMODEL_COUNTER_TABLES="$folder" \
  "$bin/gpu_tests" --gtest_brief=1
measure() { # FILE ARGUMENTS...
  echo "== $1"
  local begin=$SECONDS
  "$bin/perfmodel" measure --record "$folder/$1.json" "${@:2}"
  echo "$1 took $((SECONDS - begin)) s"
}
# Square, the power-of-two stride removed, prefill, decode with a batch of 32 and of 1.
square=4096x4096x4096,1024x1024x1024,2048x2048x2048,8192x8192x8192
odd=4097x4097x4097,4100x4100x4100
ffn=2048x18944x3584,32x18944x3584,1x18944x3584
measure ladder --shape "$square,$odd,$ffn"
measure layouts --kernels 'K5.*' --shape 4096x4096x4096
measure gemv --kernels 'gemv-.*' --shape 1024x1024,4096x4096,8192x8192,16384x16384,131072x4096
measure spmv --kernels 'spmv-.*'
if [ -x "$bin/time_launches" ]; then # not built by toolkits before CUDA 12.8
  echo "== applications"
  "$bin/time_launches" "$bin/applications" tests/applications/launches/*.yaml \
    --out "$folder/applications.json"
fi
echo "== sweep"
"$bin/perfmodel" sweep --record "$folder/sweep.json"
echo "== study"
"$bin/perfmodel" study --record "$folder/study.json"
echo "== constants"
"$bin/perfmodel" calibrate --device auto --save "$folder/constants.json"
