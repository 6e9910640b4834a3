#!/usr/bin/env bash
# Installs what is missing, builds with warnings as errors, and runs every test.
#   scripts/test.sh [CTEST ARGUMENT...]       e.g. scripts/test.sh -R store
# GLINT_PRESET picks another preset (default: ci). With CI=true a test that is skipped although it
# could have run is a failure (scripts/test_summary.py): a test that never runs protects nobody.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${GLINT_PRESET:-ci}
scripts/setup.sh --tests
scripts/build.sh "$preset"

results=build/$preset/test-results
rm -rf "$results"
mkdir -p "$results"
export GTEST_OUTPUT="xml:$PWD/$results/"
# Many tests wait for servers and processes; a few more at a time than there are cores use the cores.
jobs=$(($(nproc) * 3 / 2))
jobs=$((jobs < 4 ? jobs : 4))
status=0
ctest --test-dir "build/$preset" --output-on-failure --timeout 600 -j "$jobs" \
  --output-junit "$PWD/$results/ctest.xml" "$@" || status=$?
python3 scripts/test_summary.py "$results" || status=$?
exit "$status"
