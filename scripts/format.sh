#!/usr/bin/env bash
# Checks that our C++ and CUDA files are formatted (.clang-format); with --fix, formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format=$(command -v clang-format || command -v clang-format-14 || true)
if [[ -z $format ]]; then
  echo "format.sh: clang-format is missing: apt-get install clang-format" >&2
  exit 1
fi
how=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && how=(-i)
git ls-files -z '*.cc' '*.h' '*.cu' | xargs -0 "$format" "${how[@]}"
echo "format: clean"
