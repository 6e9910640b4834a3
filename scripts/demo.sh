#!/usr/bin/env bash
# From a fresh clone to the damage found on a sample: installs what is missing, builds, and runs
# `glint demo`. Arguments go to `glint demo`; --cuda before them builds with CUDA, installing what that needs, or
# fails. Works from any folder; results go to ./glint-demo.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

setup=()
build=(-DGLINT_TESTS=OFF -DGLINT_BENCH=OFF)
if [[ ${1:-} == --cuda ]]; then
  shift
  setup=(--cuda)
  build+=(-DGLINT_CUDA=ON)
fi
"$here/scripts/setup.sh" "${setup[@]}"
"$here/scripts/build.sh" release "${build[@]}"
exec "$here/build/release/src/cli/glint" demo "$@"
