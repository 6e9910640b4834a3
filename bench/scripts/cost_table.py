#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a scan costs by the length and by the size of its clip: time grows with both, memory with the size alone.

usage: cost_table.py --glint PROGRAM CLIP [--threads N] [--lengths ...] [--heights ...] [--json FILE]

Makes the clips from CLIP in a temporary folder with ffmpeg: its first 60 frames, scaled, and repeated without encoding
them again. Prints a row per clip: wall and CPU seconds, CPU milliseconds per frame, peak memory. Every clip but the
shortest repeats itself, so that its frames cost what those of the shortest do.
"""
import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from end_to_end import peak_memory, run

FRAMES = 60  # of the clip that is repeated


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, arguments)], check=True)


def make_clip(source, folder, height, frames):
    once, clip = folder / f"{height}.mp4", folder / f"{height}_{frames}.mp4"
    if not once.exists():
        ffmpeg("-i", source, "-vf", f"scale=-2:{height}:flags=bicubic", "-frames:v", FRAMES, "-an", "-c:v", "libx264",
               "-preset", "veryfast", "-crf", 23, "-pix_fmt", "yuv420p", once)
    ffmpeg("-stream_loop", frames // FRAMES - 1, "-i", once, "-c", "copy", clip)
    return clip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clip", type=Path)
    parser.add_argument("--glint", required=True, type=Path, help="the glint program")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--lengths", nargs="*", type=int, default=[60, 600, 6000], help="frames, at --height")
    parser.add_argument("--height", type=int, default=360, help="of the clips of different lengths")
    parser.add_argument("--heights", nargs="*", type=int, default=[360, 720, 1080, 2160], help="of clips of --frames")
    parser.add_argument("--frames", type=int, default=120, help="of the clips of different heights")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    args = parser.parse_args()
    if any(frames <= 0 or frames % FRAMES for frames in [*args.lengths, args.frames]):
        parser.error(f"lengths are multiples of {FRAMES}")
    rows = []
    print(f"load {os.getloadavg()[0]:.1f}, {args.threads} threads")
    print(f"{'size':>11} {'frames':>7} {'wall s':>8} {'CPU s':>8} {'CPU ms/frame':>13} {'peak MiB':>9}")
    cases = [(args.height, frames) for frames in args.lengths] + [(height, args.frames) for height in args.heights]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for height, frames in cases:
            clip = make_clip(args.clip, folder, height, frames)
            out = folder / f"result_{height}_{frames}"
            scan = [str(args.glint), "scan", str(clip), "--out", str(out), "--profile", "classic", "--threads", str(args.threads)]
            _, wall, cpu, _ = run(scan)
            report = json.loads((out / "report.json").read_text())
            if len(report["frames"]) != frames:
                raise SystemExit(f"{clip.name}: {len(report['frames'])} frames instead of {frames}")
            shutil.rmtree(out)
            peak = peak_memory(scan)
            size = "{}x{}".format(*report["video"]["size"])
            rows.append({"size": size, "frames": frames, "wall_s": wall, "cpu_s": cpu, "peak_mib": peak})
            print(f"{size:>11} {frames:7} {wall:8.2f} {cpu:8.2f} {1000 * cpu / frames:13.2f} {peak:9.0f}", flush=True)
            clip.unlink()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
