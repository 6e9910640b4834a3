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

launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}  # or it caches nothing with compiled headers
fi
cmake --preset "$preset" "${launcher[@]}" "$@"
cmake --build --preset "$preset" -j "$jobs"
