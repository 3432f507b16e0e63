#!/usr/bin/env bash
# Checks formatting (clang-format) and code (clang-tidy). With --fix, formats in place instead.
# The tools come from PyPI in fixed versions, so that every machine agrees.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

require_packages "${build_packages[@]}" "${test_packages[@]}" "${check_packages[@]}"
tools=build/lint-tools
if [ ! -x $tools/bin/clang-tidy ]; then
  echo "== Installing clang-format and clang-tidy"
  python3 -m venv $tools
  $tools/bin/pip install --quiet clang-format==22.1.8 clang-tidy==22.1.8
fi

mapfile -t sources < <(git ls-files -- '*.cpp' '*.hpp' '*.cu' '*.cuh')
if [ "${1:-}" = --fix ]; then
  $tools/bin/clang-format -i "${sources[@]}"
  exit
fi
echo "== clang-format"
$tools/bin/clang-format --dry-run --Werror "${sources[@]}"

echo "== clang-tidy"
cmake --preset ci >/dev/null
# Only what this configuration compiles: one of two variants is left out with or without CUDA.
mapfile -t units < <(git ls-files -- 'model/*.cpp' 'kernels/*.cpp' 'profiling/*.cpp' \
  'reports/*.cpp' 'app/*.cpp' | while read -r file; do
  if grep -q "/$file\"" build/ci/compile_commands.json; then echo "$file"; fi
done)
total=${#units[@]}
for i in "${!units[@]}"; do
  printf '%s\0%s\0' "$((i + 1))/$total" "${units[$i]}"
done | xargs -0 -n 2 -P "$(nproc)" bash -c '
  echo "[$2] $3"
  "$0/bin/clang-tidy" --quiet -p build/ci "$3" 2>&1 | grep -v "warnings generated" || true
  exit "${PIPESTATUS[0]}"' "$tools" -
