#!/usr/bin/env bash
# Runs everything that needs a GPU, and prints one table. Fails when there is no GPU.
#   scripts/gpu-test.sh BUILD-FOLDER     or, in a bundle of scripts/bundle.sh: ./gpu-test.sh
# Logs and the certificate go to ./gpu-test-results. GLINT_GPU_CASES sets the number of random
# cases of `glint verify` (default 1000), GLINT_GPU_SCANS that of the scans in one process while
# device memory is watched (default 100). GLINT_GPU_VIDEOS names a folder of videos that are scanned
# on the CPU and on the GPU, and compared; without it only a small one is, which the test draws.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $# -gt 0 ]]; then
  build=$(cd "$1" && pwd)
  glint=$build/src/cli/glint
  stages=$build/tests/stages/stages_test
  cuda=$build/tests/stages/cuda_stages_test
  scans=$build/tests/scan/cuda_scan_test
  nvdec=$build/tests/decode/nvdec_test
  opencv=$build/tests/stages/opencv_cuda_test  # only where OpenCV has its CUDA modules
else
  glint=$here/bin/glint
  stages=$here/bin/stages_test
  cuda=$here/bin/cuda_stages_test
  scans=$here/bin/cuda_scan_test
  nvdec=$here/bin/nvdec_test
fi
for program in "$glint" "$stages" "$cuda" "$scans" "$nvdec"; do
  if [[ ! -x $program ]]; then
    echo "gpu-test.sh: $program is missing; build it first, or name the build folder" >&2
    exit 2
  fi
done

results=$PWD/gpu-test-results
mkdir -p "$results"
export GLINT_REQUIRE_GPU=1
failed=0
rows=()

# run NAME COMMAND...: one row of the table.
run() {
  local name=$1 log=$results/$1.log start=$SECONDS state=passed
  shift
  "$@" >"$log" 2>&1 || state=FAILED
  # Tests that a filter no longer finds, or that did not run, are none that passed.
  if grep -qE 'PASSED  \] 0 tests|SKIPPED  *\]' "$log"; then state=FAILED; fi
  [[ $state == passed ]] || failed=1
  rows+=("$(printf '%-22s %-8s %5d s  %s' "$name" "$state" $((SECONDS - start)) "$(tail -n 1 "$log" | cut -c 1-90)")")
}

cases=${GLINT_GPU_CASES:-1000}
export GLINT_GPU_SCANS=${GLINT_GPU_SCANS:-100}
run doctor "$glint" doctor --device cuda
run parity "$stages" --gtest_filter='*/cuda'
run equality "$cuda" --gtest_filter='*/gpu'
run scans "$scans" --gtest_filter='*/gpu'
run nvdec "$nvdec"
if [[ -x ${opencv:-} ]]; then run opencv_cuda "$opencv"; fi
run verify "$glint" verify --device cuda --cases "$cases" --out "$results/certificate.json"
run verify-large "$glint" verify --device cuda --cases 8 --largest-side 4096 --seed 77
run bench "$glint" bench --device cuda --tune --tuning-file "$results/tuning.json" \
  --at-a-time 1 --at-a-time 2 --at-a-time 4 --out "$results/bench.json"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    run "$tool" compute-sanitizer --tool "$tool" --error-exitcode 9 \
      "$glint" verify --device cuda --cases 3 --largest-side 90
    run "$tool-graphs" compute-sanitizer --tool "$tool" --error-exitcode 9 \
      "$cuda" --gtest_filter='*Graph*/gpu'
  done
else
  rows+=("$(printf '%-22s %-8s' compute-sanitizer 'NOT RUN: it is not installed')")
fi

printf '%s\n' "${rows[@]}"
exit "$failed"
