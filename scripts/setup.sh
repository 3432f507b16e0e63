#!/usr/bin/env bash
# Prepares the machine, builds perfmodel and analyses the shipped RTX 4090 recording.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/cuda_tools.sh

require_packages "${build_packages[@]}"
install_cuda_tools
echo "== Configuring"
cmake --preset release
echo "== Building"
cmake --build --preset release --target perfmodel
echo "== perfmodel analyze --device rtx4090"
build/release/bin/perfmodel analyze --device rtx4090
echo
echo "Next: build/release/bin/perfmodel --help"
