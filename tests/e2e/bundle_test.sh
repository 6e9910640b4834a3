#!/usr/bin/env bash
# A bundle runs from another folder, without any environment, on the libraries that it holds.
#   bundle_test.sh SOURCE-FOLDER BUILD-FOLDER
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1/scripts/bundle.sh" "$2" "$folder/first"
mv "$folder/first" "$folder/moved"
cd "$folder"

# The loader takes what the bundle holds, and the rest of it are the C library's parts.
elsewhere=$(env -i LD_TRACE_LOADED_OBJECTS=1 moved/bin/glint | awk '/=> \// { print $3 }' |
  grep -v "^$folder/moved/" | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv)\.so' || true)
if [[ -n $elsewhere ]]; then
  echo "these libraries are not those of the bundle:" >&2
  echo "$elsewhere" >&2
  exit 1
fi
env -i moved/bin/glint doctor --device cpu --out "$folder/out"
env -i moved/bin/glint synth --help >/dev/null
env -i moved/bin/cuda_stages_test --gtest_filter='Probing.*' >/dev/null

# Without a GPU, gpu-test.sh fails, says so in its table, and leaves its logs. Its tests' failures are
# not this run's: they write no report where CTest's programs do.
if ! env -i moved/bin/glint doctor --device cuda >/dev/null 2>&1; then
  if env -u GTEST_OUTPUT GLINT_GPU_CASES=1 moved/gpu-test.sh >table; then
    echo "gpu-test.sh passed without a GPU" >&2
    exit 1
  fi
  grep -q 'verify .*FAILED' table
fi
echo "the bundle runs"
