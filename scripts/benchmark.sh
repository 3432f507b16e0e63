#!/usr/bin/env bash
# Runs the benchmarks (Google Benchmark).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

require_packages "${build_packages[@]}" "${test_packages[@]}" "${check_packages[@]}"
cmake --preset ci
cmake --build --preset ci --target benchmarks
build/ci/bin/benchmarks "$@"
