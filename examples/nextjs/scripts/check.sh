#!/usr/bin/env bash
# What CI runs: installs exactly what the lock file says, generates the stubs, runs the unit tests and
# builds the site. Exits with 77 where Node.js is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v npm >/dev/null; then
  echo "check.sh: npm is missing: apt-get install nodejs npm" >&2
  exit 77
fi
export NEXT_TELEMETRY_DISABLED=1
export NEXT_IGNORE_INCORRECT_LOCKFILE=1 # the build changes no committed file
stamp=node_modules/.package-lock.json
if [[ ! $stamp -nt package-lock.json || ! $stamp -nt package.json ]]; then
  npm ci --ignore-scripts --no-audit --no-fund # packages' scripts do not run here, nor does ours
fi
npm run generate
npm test
npm run build
