#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Sharpness of a frame: glint's statistics stage against cv2.Laplacian + numpy's variance, in turns, in CPU time.

usage: sharpness.py BUILD_FOLDER [--rounds N] [--json FILE]

glint's side also counts clipped pixels, and its benchmark has compared its variance with OpenCV's before it is timed.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np

SIZES = {"720p": (1280, 720), "1080p": (1920, 1080)}


def ours(bench, name):
    """CPU milliseconds per frame on one thread."""
    command = [bench, f"--benchmark_filter=^LumaStatistics/{name}/cpu", "--benchmark_format=json", "--benchmark_min_time=0.1"]
    done = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "GLINT_BENCH_THREADS": "1"})
    runs = json.loads(done.stdout)["benchmarks"]
    if len(runs) != 1 or runs[0].get("error_occurred"):
        sys.exit(f"{name}: {runs}")
    return runs[0]["cpu_time"]


def theirs(picture, times=10):
    start = time.process_time()
    for _ in range(times):
        cv2.Laplacian(picture, cv2.CV_64F).var()
    return 1000 * (time.process_time() - start) / times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    noise = np.random.default_rng(1)
    results = {}
    print(f"{'CPU ms a frame':16} {'glint':>8} {'Python':>8} {'ratio':>7}   (medians of {args.rounds} turns)")
    for name, (width, height) in SIZES.items():
        picture = noise.integers(0, 256, (height, width), dtype=np.uint8)
        pairs = [(ours(args.build / "bench/stage_bench", name), theirs(picture)) for _ in range(args.rounds)]
        glint, python = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(b / a for a, b in pairs)
        results[name] = {"glint_ms": glint, "python_ms": python, "ratio": ratio}
        print(f"{name:16} {glint:8.3f} {python:8.3f} {ratio:6.1f}x", flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
