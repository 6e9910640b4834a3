#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How many instructions the hot loops of `photometric` take for a picture of 320x180, by callgrind
# (which has AVX2 and nothing wider): a measure of speed that no other load on the machine disturbs.
# Usage: hot_loop_instructions.sh BUILD_FOLDER; fails where a loop takes more than its limit, and
# ends with 77 where the processor has no AVX2.
set -eu
program="$1/bench/hot_loops"
if [ -r /proc/cpuinfo ] && ! grep -qw avx2 /proc/cpuinfo; then
  echo "hot loops: not counted, this processor has no AVX2" >&2
  exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# Instructions of a whole run.
count() {
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$program" "$1" "$2" >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$folder/log"
}

failed=0
while read -r work limit; do
  # The difference of two runs leaves out the start and what is drawn.
  instructions=$((($(count "$work" 6) - $(count "$work" 2)) / 4))
  echo "$work: $instructions instructions with AVX2 (at most $limit)"
  [ "$instructions" -gt 0 ] && [ "$instructions" -le "$limit" ] || failed=1
done <<LIMITS
align 9400000
colours 700000
long_lines 32000000
warp 2100000
warp_colours 2400000
whiten 4200000
LIMITS
exit "$failed"
