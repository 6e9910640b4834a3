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
GLINT_PRESET=$preset exec scripts/test.sh "$@"
