#!/usr/bin/env bash
# Runs every fuzz target for the given number of seconds each (default 60) on the shipped files and
# what earlier runs found.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

seconds=${1:-60}
require_packages "${build_packages[@]}" "${check_packages[@]}"
cmake --preset fuzz
cmake --build --preset fuzz --target fuzzers
for target in build/fuzz/bin/fuzz_*; do
  name=$(basename "$target")
  case $name in
    fuzz_recording) seeds=specs/recordings/*/ ;;
    fuzz_specification) seeds="specs/devices specs/kernels" ;;
    *) seeds= ;;
  esac
  mkdir -p "build/fuzz/corpus/$name"
  echo "== $name for $seconds s"
  # shellcheck disable=SC2086  # several seed folders
  "$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 -print_final_stats=0 \
    -verbosity=0 -artifact_prefix=build/fuzz/ "build/fuzz/corpus/$name" $seeds
done
