#!/usr/bin/env bash
# From a fresh clone to the damage found on a sample: installs what is missing, builds, and runs
# `glint demo`. Arguments go to `glint demo`. Works from any folder; results go to ./glint-demo.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

"$here/scripts/setup.sh"
"$here/scripts/build.sh" release -DGLINT_TESTS=OFF -DGLINT_BENCH=OFF
exec "$here/build/release/src/cli/glint" demo "$@"
