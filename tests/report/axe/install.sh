#!/usr/bin/env bash
# Installs axe-core, the accessibility rules of the page's test, into a folder: install.sh FOLDER
# Exits with 77 (skipped) where there is no npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v npm >/dev/null || { echo "install.sh: npm is missing: apt-get install nodejs npm" >&2; exit 77; }
mkdir -p "$1"
cp package.json package-lock.json "$1"
cd "$1"
cmp -s package-lock.json installed.json && [[ -f node_modules/axe-core/axe.min.js ]] && exit 0
npm ci --ignore-scripts --no-audit --no-fund
cp package-lock.json installed.json
