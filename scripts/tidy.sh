#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy, every finding is an error) over our sources, or over the files given.
#   scripts/tidy.sh [FILE...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tidy=$(command -v clang-tidy || command -v clang-tidy-14 || true)
if [[ -z $tidy ]]; then
  echo "tidy.sh: clang-tidy is missing: apt-get install clang-tidy" >&2
  exit 1
fi
build=build/debug
# clang cannot read the headers that GCC compiled.
cmake --preset debug -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
cmake --build --preset debug --target glint_proto_sources >/dev/null

files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(git ls-files 'src/*.cc' 'tests/*.cc' 'bench/*.cc' 'examples/*.cc')
fi
# Only what the build knows: fuzz targets need clang, examples their own project.
mapfile -t known < <(grep -o '"file": "[^"]*"' "$build/compile_commands.json" | cut -d'"' -f4)
chosen=()
for file in "${files[@]}"; do
  path=$(realpath "$file")
  for one in "${known[@]}"; do
    [[ $one == "$path" ]] && chosen+=("$path") && break
  done
done
echo "tidy: ${#chosen[@]} files"
printf '%s\0' "${chosen[@]}" | xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet
echo "tidy: clean"
