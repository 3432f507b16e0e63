#!/usr/bin/env bash
# Builds and runs the tests. The argument is a preset: release (the default), ci or asan.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/cuda_tools.sh
source scripts/browser.sh

preset=${1:-release}
packages=("${build_packages[@]}" "${test_packages[@]}")
if [ "$preset" = ci ]; then
  packages+=("${check_packages[@]}")
fi
require_packages "${packages[@]}"
install_cuda_tools
if [ "$preset" = ci ]; then
  install_browser
fi
echo "== Building ($preset)"
cmake --preset "$preset" -DPERFMODEL_TESTS=ON
cmake --build --preset "$preset"
if [ "$preset" = ci ]; then
  echo "== Compiling every public header alone"
  cmake --build --preset ci --target all_verify_interface_header_sets
fi
echo "== Testing ($preset)"
ctest --preset "$preset" --parallel "$(nproc)"
