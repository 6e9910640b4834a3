#!/usr/bin/env bash
# Runs everything that needs a GPU, part after part, and prints one table. Fails when there is no GPU.
#   scripts/gpu-test.sh BUILD-FOLDER     or, in a bundle of scripts/bundle.sh: ./gpu-test.sh
# It ends within 10 minutes (GLINT_GPU_SECONDS): a part that takes longer than its share is ended, and the next begins.
# The table (table.txt), logs and the certificate go to ./gpu-test-results. GLINT_GPU_CASES sets the number of random
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
ends=$((SECONDS + ${GLINT_GPU_SECONDS:-600}))
: >"$results/table.txt"

# row TEXT: one row of the table, now and in the file.
row() {
  printf '%s\n' "$1" | tee -a "$results/table.txt"
}

# run NAME SECONDS COMMAND...: one part, for so long at most.
run() {
  local name=$1 seconds=$2 log=$results/$1.log start=$SECONDS state=passed code
  shift 2
  seconds=$((seconds < ends - start ? seconds : ends - start))
  if ((seconds < 1)); then
    failed=1
    row "$(printf '%-22s %-8s no time left' "$name" 'NOT RUN')"
    return
  fi
  timeout --kill-after 5 "$seconds" "$@" >"$log" 2>&1
  code=$?
  # Tests that a filter no longer finds, or that did not run, are none that passed.
  if ((code != 0)) || grep -qE 'PASSED  \] 0 tests|SKIPPED  *\]' "$log"; then state=FAILED; fi
  if ((code == 124 || code == 137)); then state=TOO-LONG; fi
  [[ $state == passed ]] || failed=1
  row "$(printf '%-22s %-8s %5d s  %s' "$name" "$state" $((SECONDS - start)) "$(tail -n 1 "$log" | cut -c 1-90)")"
}

cases=${GLINT_GPU_CASES:-1000}
export GLINT_GPU_SCANS=${GLINT_GPU_SCANS:-100}
run doctor 30 "$glint" doctor --device cuda
run parity 60 "$stages" --gtest_filter='*/cuda'
run equality 60 "$cuda" --gtest_filter='*/gpu'
run scans 120 "$scans" --gtest_filter='*/gpu'
# Without the project's own clips beside the repository, the test of them would only say so.
own=()
[[ -n ${GLINT_SHARED_DATA:-} ]] || own=(--gtest_filter='-*SharedClips')
run nvdec 60 "$nvdec" "${own[@]}"
if [[ -x ${opencv:-} ]]; then run opencv_cuda 30 "$opencv"; fi
run verify 120 "$glint" verify --device cuda --cases "$cases" --out "$results/certificate.json"
# One case takes 45 s on 16 cores: nearly all of it is the CPU's scalar reference.
run verify-large 90 "$glint" verify --device cuda --cases 1 --largest-side 4096 --seed 77
run bench 120 "$glint" bench --device cuda --tune --tuning-file "$results/tuning.json" \
  --at-a-time 1 --at-a-time 2 --at-a-time 4 --out "$results/bench.json"
# Where compute-sanitizer does not find its libraries it fails whatever it runs, so it has to run a program without CUDA
# first. Debian's CUDA 11.8 has them in a folder where it looks only when it is told to.
sanitizer=()
fault='it is not installed'
if command -v compute-sanitizer >/dev/null; then
  for flag in '' --injection-path=/usr/lib/nvidia-cuda-toolkit/compute-sanitizer; do
    sanitizer=(compute-sanitizer ${flag:+"$flag"})
    said=$(timeout --kill-after 5 30 "${sanitizer[@]}" --require-cuda-init=no /bin/true 2>&1) && break
    sanitizer=()
    fault="it does not work: $(tail -n 1 <<<"$said" | sed 's/^=* //' | cut -c 1-90)"
  done
fi
if [[ ${#sanitizer[@]} -gt 0 ]]; then
  for tool in memcheck racecheck initcheck synccheck; do
    run "$tool" 60 "${sanitizer[@]}" --tool "$tool" --error-exitcode 9 \
      "$glint" verify --device cuda --cases 3 --largest-side 90
    run "$tool-graphs" 60 "${sanitizer[@]}" --tool "$tool" --error-exitcode 9 \
      "$cuda" --gtest_filter='*Graph*/gpu'
  done
else
  row "$(printf '%-22s %-8s %s' compute-sanitizer 'NOT RUN' "$fault")"
fi
echo "gpu-test: the table is in $results/table.txt"
exit "$failed"
