#!/usr/bin/env bash
# Runs every fuzz target for the given number of seconds each (default 60) on the shipped files and
# what earlier runs found. With --smoke, a fixed number of inputs from a fixed seed instead.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

if [ "${1:-}" = --smoke ]; then
  limit=(-runs=5000 -seed=1)
else
  limit=(-max_total_time="${1:-60}")
fi
require_packages "${build_packages[@]}" "${check_packages[@]}"
cmake --preset fuzz
cmake --build --preset fuzz --target fuzzers
for target in build/fuzz/bin/fuzz_*; do
  name=$(basename "$target")
  case $name in
    fuzz_launch) seeds=specs/launches ;;
    fuzz_constants | fuzz_recording) seeds=specs/recordings/*/ ;;
    fuzz_cubin) seeds=tests/sass/fixtures ;;
    fuzz_listing) seeds=tests/fuzz/listings ;;
    fuzz_specification) seeds="specs/devices specs/kernels" ;;
    *) seeds= ;;
  esac
  mkdir -p "build/fuzz/corpus/$name"
  echo "== $name ${limit[*]}"
  # shellcheck disable=SC2086  # several seed folders
  "$target" "${limit[@]}" -timeout=5 -rss_limit_mb=1024 -print_final_stats=0 \
    -verbosity=0 -artifact_prefix=build/fuzz/ "build/fuzz/corpus/$name" $seeds
done
