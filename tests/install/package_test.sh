#!/usr/bin/env bash
# The example builds against an installed perfmodel and predicts what the command predicts.
#
#   package_test.sh PREFIX EXAMPLE CMAKE COMPILER
set -euo pipefail
prefix=$(realpath "$1") example=$2 cmake=$3 compiler=$4
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

"$cmake" -S "$example" -B "$build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$build/log" || { cat "$build/log"; exit 1; }
"$cmake" --build "$build" >"$build/log" || { cat "$build/log"; exit 1; }
cd /
got=$("$build/predict" l40s "$prefix/share/perfmodel/specs/listings/sm_89.json.gz" \
  "$prefix/share/perfmodel/specs/launches/sgemm-1024.yaml")
echo "$got"
# Of a device without constants of its own, the command knows no more than the example.
class=${got##*$'\n'}
class=${class%%:*}
time_us=$(grep -o '[0-9.]* us,' <<<"$got" | cut -d. -f1)
told=$("$prefix/bin/perfmodel" audit --cubin "$prefix/share/perfmodel/specs/listings/sm_89.json.gz" \
  --launch "$prefix/share/perfmodel/specs/launches/sgemm-1024.yaml" --device l40s)
grep -q "Verdict: $class" <<<"$told"
grep -q "model: $time_us" <<<"$told"
