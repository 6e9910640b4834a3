#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many instructions one pair of 320x180 takes on the AVX2 path (expansion of one frame, flow,
# lengths), by callgrind: a measure of speed that no other load on the machine disturbs.
# Usage: flow_instructions.sh BUILD_FOLDER [LIMIT]; fails above the limit (default 16,000,000), and
# ends with 77 where the processor has no AVX2.
# cv::calcOpticalFlowFarneback takes 121,000,000.
set -eu
bench="$1/bench/flow_bench"
limit="${2:-16000000}"
if [ -r /proc/cpuinfo ] && ! grep -qw avx2 /proc/cpuinfo; then
  echo "flow: not counted, this processor has no AVX2" >&2
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# Instructions inside the function that is the work, for a number of pairs.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" --collect-atstart=no \
    --toggle-collect='glint::farneback::Farneback::MeanLengthTo(*' \
    "$bench" --pairs="$1" --target=AVX2 --no-opencv 320x180 >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/log"
}

# The first frame of a run is expanded before the first pair: the difference of two runs is exact.
few="$(count 2)"
many="$(count 6)"
instructions=$(((many - few) / 4))
echo "flow: $instructions instructions per 320x180 pair with AVX2 (at most $limit)"
[ "$instructions" -gt 0 ] && [ "$instructions" -le "$limit" ]
