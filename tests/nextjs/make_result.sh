#!/usr/bin/env bash
# A small scan for the site to show. usage: make_result.sh GLINT FOLDER
set -euo pipefail
glint=$1 folder=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$glint" synth --kind card --size 640x360 --frames 40 --out "$work" --name card
rm -rf "$folder"
"$glint" scan "$work/card.mp4" --item-type comic --out "$folder"
