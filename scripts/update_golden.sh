#!/usr/bin/env bash
# Writes the expected output of every golden test anew; review the difference before committing.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release
cmake --build --preset release
PERFMODEL_UPDATE_GOLDEN=1 build/release/bin/golden_tests
git diff --stat -- tests/golden
