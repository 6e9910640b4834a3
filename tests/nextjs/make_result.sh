#!/usr/bin/env bash
# A small scan for the site to show. usage: make_result.sh GLINT FOLDER [SIZE FRAMES]
set -euo pipefail
glint=$1 folder=$2 size=${3:-640x360} frames=${4:-40}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$glint" synth --kind card --size "$size" --frames "$frames" --out "$work" --name card
rm -rf "$folder"
"$glint" scan "$work/card.mp4" --item-type comic --out "$folder"
