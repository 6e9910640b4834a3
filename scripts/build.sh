#!/usr/bin/env bash
# Builds a preset of CMakePresets.json (default: release) into build/<preset>.
#   scripts/build.sh [PRESET] [CMAKE ARGUMENT...]
# GLINT_JOBS sets how many compilers run at once; without it, as many as cores and memory allow.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
shift || true

# A compiler takes up to 1.5 GB here; with less, the machine would swap or kill it.
jobs=${GLINT_JOBS:-}
if [[ -z $jobs ]]; then
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null || true)
  by_memory=$((${memory_kb:-2000000} / 1500000))
  jobs=$((cores < by_memory ? cores : by_memory))
  jobs=$((jobs > 1 ? jobs : 1))
fi

. scripts/compiler_cache.sh
cmake --preset "$preset" "$@"
cmake --build --preset "$preset" -j "$jobs"
