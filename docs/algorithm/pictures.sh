#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/algorithm.md from drawn scans. Usage: pictures.sh GLINT  (needs ffmpeg)
set -eu
glint="$1"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
for kind in page cover; do
  "$glint" demo --kind "$kind" --frames 40 --out "$work/$kind" --json >/dev/null 2>&1
done

# side_by_side OUT KIND CROP PICTURE...: the same part of several pictures of a scan
side_by_side() {
  out="$1" result="$work/$2/result" crop="$3"
  shift 3
  inputs='' filter='' names='' n=0
  for picture in "$@"; do
    inputs="$inputs -i $result/$picture"
    filter="$filter[$n]format=rgb24,crop=$crop,pad=iw+6:ih:3:0:white[p$n];"
    names="${names}[p$n]"
    n=$((n + 1))
  done
  # shellcheck disable=SC2086  # the paths are our own and hold no spaces
  ffmpeg -v error -y $inputs -filter_complex "$filter${names}hstack=$n" -q:v 4 "$here/$out"
}

side_by_side lines.jpg page 400:350:445:0 rectified.png median.png heatmap.png layers/lines.png
side_by_side outline.jpg cover 240:150:0:0 median.png layers/outline.png overlay.png
side_by_side glare.jpg page 850:596:0:0 rectified.png layers/glare.png
