#!/usr/bin/env bash
# Results of real scans, one per kind of report, for the tests that look at files as others do.
# usage: make_scans.sh GLINT FOLDER [SIZE FRAMES]
set -euo pipefail
glint=$1 folder=$2 size=${3:-640x360} frames=${4:-40}
rm -rf "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$glint" synth --kind card --size "$size" --frames "$frames" --out "$work" --name card

scan() {  # NAME FLAG...
  local name=$1
  shift
  "$glint" scan "$work/card.mp4" --out "$folder/$name" "$@"
}
scan classic --profile classic --item-type comic --motion all
scan photometric --profile photometric --item-type comic
scan surface --profile photometric --item-type surface
scan compared --profile photometric --item-type card --reference "$folder/photometric"
"$glint" synth --kind card --size "$size" --frames "$frames" --seed 9 --out "$work" --name back
scan both --profile photometric --item-type card --back "$work/back.mp4"
scan unusable --profile classic --motion-limit 0.001
