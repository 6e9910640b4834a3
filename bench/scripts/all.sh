#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures the whole job, flow, sharpness, threads and cost for docs/performance.md, into a folder: about 25 minutes on two idle cores.
# Usage: all.sh BUILD_FOLDER CLIP_720P CLIP_1080P OUT_FOLDER [FRAMES] [PAIRS]
# The clips are handheld videos of a flat object; both are brought to FRAMES (600) by repeating their packets. PAIRS (40) is
# how many pairs of frames the flow is timed on. OUT_FOLDER/tables.md and where_the_time_goes.svg are what the page shows.
set -eu
build="$1"
out="$4"
frames="${5:-600}"
pairs="${6:-40}"
here="$(dirname "$0")"
command -v ffmpeg >/dev/null || { echo "all.sh: ffmpeg is missing: apt-get install ffmpeg" >&2; exit 1; }
glint="$build/src/cli/glint"
mkdir -p "$out/clips"

for size in 720p 1080p; do
  [ "$size" = 720p ] && clip="$2" || clip="$3"
  ffmpeg -v error -nostdin -y -stream_loop -1 -i "$clip" -c copy -frames:v "$frames" "$out/clips/$size.mp4"
done

# Into a file first: a pipe would hide that a program failed.
"$build/bench/flow_bench" --pairs="$pairs" 1280x720 1920x1080 "$2" "$3" >"$out/flow.txt"
cat "$out/flow.txt"
sh "$here/../programs/flow_instructions.sh" "$build" >"$out/instructions.txt"
cat "$out/instructions.txt"
"$here/sharpness.py" "$build" --json "$out/sharpness.json"
# One thread on one core: elsewhere the decoder's process would work beside it.
for threads in 1 2; do
  for size in 720p 1080p; do
    rm -rf "$out/threads_${size}_$threads"
    taskset -c "0-$((threads - 1))" \
      "$glint" scan "$out/clips/$size.mp4" --motion all --threads "$threads" --out "$out/threads_${size}_$threads"
  done
done
"$here/cost_table.py" --glint "$glint" "$2" --threads 2 --json "$out/cost.json"
"$here/end_to_end.py" --glint "$glint" --threads 2 --motion needed all --json "$out/job.json" \
  "$out/clips/720p.mp4" "$out/clips/1080p.mp4"
"$here/plot_time.py" "$out/job.json" 720p.mp4 "$out/where_the_time_goes.svg"
"$here/tables.py" "$out" >"$out/tables.md"
cat "$out/tables.md"
