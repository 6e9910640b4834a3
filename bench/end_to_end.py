#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole job, glint against a plain Python cv2 worker (baseline.py), side by side on the same clips.

usage: end_to_end.py --glint PROGRAM CLIP... [--rounds N] [--threads N] [--motion needed|all] [--motion-limit PX]
                     [--json FILE]

Runs both workers in turns, N rounds, each as a whole process, and prints wall seconds, CPU seconds and peak memory
(medians) with the ratios baseline / glint. First checks that both measured the same number of frames: a wrong answer is
no fast answer. The machine should be idle; the ratios of one run are what counts, not the seconds.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BASELINE = Path(__file__).with_name("baseline.py")


def run(command):
    """Runs a process. Returns (its standard output, wall s, CPU s, peak MiB)."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - start
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
        output.seek(0)
        return output.read().decode(), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(clip, args, folder):
    """Medians of both workers on one clip, and where the time of the last round went:
    {"baseline": {"wall_s", "cpu_s", "peak_mib", "step_ms"}, "glint": ...}."""
    rows, steps = {"baseline": [], "glint": []}, {}
    for _ in range(args.rounds):
        out = Path(folder) / "glint"
        shutil.rmtree(out, ignore_errors=True)
        scan = [args.glint, "scan", clip, "--out", out, "--profile", "classic", "--threads", args.threads, "--motion", args.motion]
        if args.motion_limit is not None:
            scan += ["--motion-limit", args.motion_limit]
        _, *figures = run(list(map(str, scan)))
        rows["glint"].append(figures)
        limit = [] if args.motion_limit is None else ["--motion-limit", str(args.motion_limit)]
        text, *figures = run(["/usr/bin/python3", str(BASELINE), str(clip), str(Path(folder) / "baseline"), *limit])
        rows["baseline"].append(figures)
        steps["baseline"] = json.loads(text)["ms"]
        timing = json.loads(next(out.rglob("timing.json")).read_text())
        steps["glint"] = {step["step"]: step["ms"] for step in timing["steps"]}
        measured = len(json.loads(next(out.rglob("report.json")).read_text())["frames"])
        if json.loads(text)["frames"] != measured:
            sys.exit(f"{clip}: the workers saw {json.loads(text)['frames']} and {measured} frames")
    names = ("wall_s", "cpu_s", "peak_mib")
    return {worker: dict(zip(names, map(statistics.median, zip(*figures))), step_ms=steps[worker])
            for worker, figures in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--glint", required=True, type=Path, help="the glint program")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--motion-limit", type=float, help="pixels per frame, for both; default: each worker's own")
    parser.add_argument("--motion", choices=["needed", "all"], default="needed", help="of glint scan")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    args = parser.parse_args()
    results = {}
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {args.threads} threads, {args.rounds} round(s)")
    print(f"{'clip':34} {'worker':9} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for clip in args.clips:
            results[clip.name] = result = compare(clip, args, folder)
            for worker, figures in result.items():
                print("{:34} {:9} {wall_s:8.2f} {cpu_s:8.2f} {peak_mib:9.0f}".format(clip.name, worker, **figures))
            wall, cpu, peak = (result["baseline"][k] / result["glint"][k] for k in ("wall_s", "cpu_s", "peak_mib"))
            print(f"{clip.name:34} {'ratio':9} {wall:7.1f}x {cpu:7.1f}x {peak:8.2f}x", flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
