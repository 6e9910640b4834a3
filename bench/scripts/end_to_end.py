#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole job, glint against a plain Python cv2 worker (baseline.py), side by side on the same clips.

usage: end_to_end.py --glint PROGRAM CLIP... [--rounds N] [--threads N] [--motion needed all] [--motion-limit PX]
                     [--json FILE]

Runs the workers in turns (the baseline, and glint once per kind of --motion), N rounds, each as a whole process, and prints
wall seconds, CPU seconds and peak memory (medians) with the ratios baseline / glint. A wrong answer is no fast answer: all
must measure the same number of frames, every run of glint choose the same golden frames, and how many of them the baseline
chooses, too, is printed (it measures what OpenCV's colour conversion gives it, so near ties may fall the other way). Both
use one limit of motion. Memory is that of glint and its decoder's process together, in a
run of its own: to look into processes holds them up. The machine should be idle; the ratios of one run are what counts,
not the seconds.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

BASELINE = Path(__file__).with_name("baseline.py")


def proportional_mib(pid):
    """Memory of a process and its children; what several of them share counts once. 0 when they are gone."""
    total = 0
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        total = sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(proportional_mib(child) for child in (task / "children").read_text().split())
    except OSError:
        pass
    return total


def watch_memory(pid, ended, peaks):
    while not ended.wait(0.1):
        peaks.append(proportional_mib(pid))


def run(command):
    """Runs a process. Returns (its standard output, wall s, CPU s, peak MiB): time with its children, memory without."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit code {process.returncode}")
        output.seek(0)
        return output.read().decode(), wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def peak_memory(command):
    """MiB that a process and its children take together at most."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ended, peaks = threading.Event(), []
    watcher = threading.Thread(target=watch_memory, args=(process.pid, ended, peaks))
    watcher.start()
    process.wait()
    ended.set()
    watcher.join()
    return max(peaks)


def run_glint(clip, motion, args, folder):
    """Returns (its figures, its report, milliseconds per step)."""
    out = Path(folder) / "glint"
    shutil.rmtree(out, ignore_errors=True)
    scan = [args.glint, "scan", clip, "--out", out, "--profile", "classic", "--threads", args.threads, "--motion", motion]
    if args.motion_limit is not None:
        scan += ["--motion-limit", args.motion_limit]
    scan = list(map(str, scan))
    _, wall, cpu, _ = run(scan)
    timing = json.loads(next(out.rglob("timing.json")).read_text())
    report = json.loads(next(out.rglob("report.json")).read_text())
    shutil.rmtree(out)
    return (wall, cpu, peak_memory(scan)), report, {step["step"]: step["ms"] for step in timing["steps"]}


def run_baseline(clip, motion_limit, folder):
    """Returns (its figures, what it printed)."""
    text, *figures = run(["/usr/bin/python3", str(BASELINE), str(clip), str(Path(folder) / "baseline"),
                          "--motion-limit", str(motion_limit)])
    return figures, json.loads(text)


def check(clip, reports, baseline):
    """Ends the program unless all answers agree. Prints how the golden frames compare."""
    frames = {len(report["frames"]) for report in reports} | {baseline["frames"]}
    if len(frames) != 1:
        sys.exit(f"{clip}: the workers saw different numbers of frames: {sorted(frames)}")
    golden = {tuple(one["frame"] for one in report["golden_frames"]) for report in reports}
    if len(golden) != 1:
        sys.exit(f"{clip}: glint chose different golden frames: {sorted(golden)}")
    ours = golden.pop()
    same = len(set(ours) & set(baseline["golden"]))
    print(f"{clip.name:34} golden frames {list(ours)}, baseline {baseline['golden']}: {same} the same")


def compare(clip, args, folder):
    """Medians of all workers on one clip, and where the time of the last round went:
    {"baseline": {"wall_s", "cpu_s", "peak_mib", "step_ms"}, "needed": ..., "all": ...}."""
    rows, steps, reports = {}, {}, []
    for _ in range(args.rounds):
        for motion in args.motion:
            figures, report, steps[motion] = run_glint(clip, motion, args, folder)
            rows.setdefault(motion, []).append(figures)
            reports.append(report)
        figures, baseline = run_baseline(clip, reports[0]["selection"]["motion_limit_px"], folder)
        rows.setdefault("baseline", []).append(figures)
        steps["baseline"] = baseline["ms"]
    check(clip, reports, baseline)
    names = ("wall_s", "cpu_s", "peak_mib")
    return {worker: dict(zip(names, map(statistics.median, zip(*figures))), step_ms=steps[worker])
            for worker, figures in rows.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--glint", required=True, type=Path, help="the glint program")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--motion-limit", type=float, help="pixels per frame, for both; default: glint's own for the size")
    parser.add_argument("--motion", nargs="+", choices=["needed", "all"], default=["needed"], help="of glint scan")
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
            for motion in args.motion:
                wall, cpu, peak = (result["baseline"][k] / result[motion][k] for k in ("wall_s", "cpu_s", "peak_mib"))
                print(f"{clip.name:34} {'/ ' + motion:9} {wall:7.1f}x {cpu:7.1f}x {peak:8.2f}x", flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
