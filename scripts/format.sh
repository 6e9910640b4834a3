#!/usr/bin/env bash
# Checks that our C++ and CUDA files are formatted (.clang-format); with --fix, formats them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The version of Debian 12 decides: others format some lines otherwise.
format=$(command -v clang-format-14 || command -v clang-format || true)
if [[ -z $format ]]; then
  echo "format.sh: clang-format is missing: apt-get install clang-format" >&2
  exit 1
fi
how=(--dry-run -Werror)
[[ ${1:-} == --fix ]] && how=(-i)
# By folder, not by git: a tree without its history is checked, too.
find bench examples include src tests \( -name build -o -name node_modules \) -prune \
  -o \( -name '*.cc' -o -name '*.h' -o -name '*.cu' \) -print0 | xargs -0 "$format" "${how[@]}"
echo "format: clean"
