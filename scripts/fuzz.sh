#!/usr/bin/env bash
# Runs fuzz targets for the given number of seconds each (default 60) on the shipped files and what
# earlier runs found: scripts/fuzz.sh [SECONDS] [READER...], such as 600 cubin listing; all where
# none is named. With --smoke instead of seconds, a fixed number of inputs from a fixed seed.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

if [ "${1:-}" = --smoke ]; then
  limit=(-runs=5000 -seed=1)
else
  limit=(-max_total_time="${1:-60}")
fi
readers=("${@:2}")
if [ ${#readers[@]} -eq 0 ]; then
  readers=(constants cubin disassembly emulation expression launch listing ncu nvbench recording
           specification)
fi
require_packages "${build_packages[@]}" "${check_packages[@]}"
cmake --preset fuzz
cmake --build --preset fuzz --target "${readers[@]/#/fuzz_}"
for reader in "${readers[@]}"; do
  case $reader in
    cubin) seeds="tests/sass/fixtures" ;;
    disassembly) seeds="tests/fuzz/disassemblies" ;;
    emulation) seeds="tests/fuzz/programs" ;;
    launch) seeds="specs/launches" ;;
    listing) seeds="tests/fuzz/listings" ;;
    ncu | nvbench) seeds=tests/profiling/fixtures ;;
    constants | recording) seeds=$(echo specs/recordings/*/) ;;
    specification) seeds="specs/devices specs/kernels" ;;
    *) seeds="" ;;
  esac
  mkdir -p "build/fuzz/corpus/$reader"
  echo "== $reader ${limit[*]}"
  # shellcheck disable=SC2086  # several seed folders
  "build/fuzz/bin/fuzz_$reader" "${limit[@]}" -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=0 -verbosity=0 "-artifact_prefix=build/fuzz/$reader-" \
    "build/fuzz/corpus/$reader" $seeds
done
