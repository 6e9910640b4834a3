#!/usr/bin/env bash
# Makes a folder that runs on another machine with the same processor architecture and a C library
# at least as new: the programs, every other shared library they need, and gpu-test.sh.
#   scripts/bundle.sh BUILD-FOLDER OUTPUT-FOLDER
# The GPU's driver is not part of it: it belongs to the machine. For one's own machines: it holds
# programs that must not be given to others (docs/licences.md).
set -euo pipefail

if [[ $# -ne 2 ]]; then
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
build=$(cd "$1" && pwd)
mkdir -p "$2/bin" "$2/lib"
out=$(cd "$2" && pwd)
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# The libraries of a program but those that must fit the machine's kernel and loader.
libraries_of() {
  ldd "$1" | awk '/=> \// { print $3 }' |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|ld-linux[^/]*)\.so' || true
}

for program in src/cli/glint src/cli/glint-decode src/cli/glint-encode tests/stages/stages_test \
  tests/stages/cuda_stages_test tests/scan/cuda_scan_test tests/decode/nvdec_test; do
  if [[ ! -x $build/$program ]]; then
    echo "bundle.sh: $build/$program is missing; build it first" >&2
    exit 1
  fi
  if ldd "$build/$program" | grep 'not found' >&2; then
    echo "bundle.sh: $program lacks the libraries above" >&2
    exit 1
  fi
  cp -f "$build/$program" "$out/bin/"
  for library in $(libraries_of "$build/$program"); do cp -nL "$library" "$out/lib/"; done
done
cp -f "$scripts/gpu-test.sh" "$out/"
du -sh "$out" | awk '{ print "bundle: " $2 ", " $1 }'
