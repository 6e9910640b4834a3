#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures everything that docs/performance.md states, into a folder: about 35 minutes on two idle cores.
# Usage: all.sh BUILD_FOLDER CLIP_720P CLIP_1080P OUT_FOLDER
# The clips are handheld videos of a flat object; both are brought to 600 frames by repeating their packets.
set -eu
build="$1"
out="$4"
here="$(dirname "$0")"
glint="$build/src/cli/glint"
mkdir -p "$out/clips"

for size in 720p 1080p; do
  [ "$size" = 720p ] && clip="$2" || clip="$3"
  ffmpeg -v error -nostdin -y -stream_loop -1 -i "$clip" -c copy -frames:v 600 "$out/clips/$size.mp4"
done

"$build/bench/flow_bench" --pairs=40 1280x720 1920x1080 "$2" "$3" | tee "$out/flow.txt"
sh "$here/flow_instructions.sh" "$build" | tee "$out/instructions.txt"
"$here/sharpness.py" "$build" --json "$out/sharpness.json" | tee "$out/sharpness.txt"
for threads in 1 2; do
  for size in 720p 1080p; do
    "$glint" scan "$out/clips/$size.mp4" --motion all --threads "$threads" --out "$out/threads_${size}_$threads" >/dev/null
    sed -n "s/.*\"measuring\",\"ms\":\([0-9.]*\).*/$size, $threads thread(s), all motion: \1 ms measuring/p" \
      "$out/threads_${size}_$threads/timing.json" | tee -a "$out/threads.txt"
  done
done
"$here/cost_table.py" --glint "$glint" "$2" --threads 2 --json "$out/cost.json" | tee "$out/cost.txt"
for motion in needed all; do
  "$here/end_to_end.py" --glint "$glint" --threads 2 "$out/clips/720p.mp4" "$out/clips/1080p.mp4" \
    --json "$out/job_$motion.json" --motion $motion | tee "$out/job_$motion.txt"
done
"$here/plot_time.py" "$out/job_needed.json" 720p.mp4 "$out/where_the_time_goes.svg"
