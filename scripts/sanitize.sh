#!/usr/bin/env bash
# Builds with sanitizers and runs every test under them.
#   scripts/sanitize.sh asan|tsan [CTEST ARGUMENT...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-}
if [[ $preset != asan && $preset != tsan ]]; then
  echo "usage: scripts/sanitize.sh asan|tsan [CTEST ARGUMENT...]" >&2
  exit 2
fi
shift
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
# What libav's or gRPC's threads hand to each other would look like races.
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1:suppressions=$PWD/scripts/tsan.supp:${TSAN_OPTIONS:-}
GLINT_PRESET=$preset exec scripts/test.sh "$@"
