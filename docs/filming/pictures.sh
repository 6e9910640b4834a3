#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of docs/filming.md from a drawn scan. Usage: pictures.sh GLINT  (needs ffmpeg)
set -eu
glint="$1"
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$glint" synth --kind card --seed 4 --size 720x960 --frames 60 --out "$work" --name card >/dev/null
for frame in 0 12 45; do
  ffmpeg -v error -y -i "$work/card.mp4" -vf "select='eq(n,$frame)'" -frames:v 1 "$work/$frame.png"
done

# row OUT QUALITY FRAME=FILTER...: parts of frames beside each other, 360 x 480 each
row() {
  out="$1" quality="$2"
  shift 2
  inputs='' filter='' names='' n=0
  for part in "$@"; do
    inputs="$inputs -i $work/${part%%=*}.png"
    filter="$filter[$n]${part#*=},scale=360:480,pad=iw+8:ih:4:0:white[p$n];"
    names="${names}[p$n]"
    n=$((n + 1))
  done
  # shellcheck disable=SC2086  # the paths are our own and hold no spaces
  ffmpeg -v error -y $inputs -filter_complex "$filter${names}hstack=$n" -q:v "$quality" "$here/$out"
}

row light.jpg 5 12=crop=360:480:330:60 45=crop=360:480:330:60
row whole.jpg 6 12=null 12=crop=480:640:240:0 "12=scale=240:320,pad=720:960:(ow-iw)/2:(oh-ih)/2:0x55595d"
row steady.jpg 6 12=null 12=dblur=angle=25:radius=14
