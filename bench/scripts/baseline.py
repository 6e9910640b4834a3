#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The work of glint's `classic` profile the way a plain Python cv2 worker does it: the yardstick of bench/scripts/end_to_end.py.

usage: baseline.py CLIP OUT_FOLDER [--motion-limit 3.0]

One process: decode every frame, Laplacian variance, Farneback flow against the frame before, the five sharpest steady
frames, seek back to them and store them as PNG, edge/Laplacian/gradient/texture maps, fusion, mask, heatmap. It neither
locates nor rectifies the object: frames are resized to the first one, as such workers do. Needs Debian's python3-opencv.
Prints one JSON object: frames, golden frames, milliseconds per step.
"""
import argparse
import json
import time
from pathlib import Path

import cv2
import numpy as np

FARNEBACK = dict(pyr_scale=0.5, levels=3, winsize=15, iterations=3, poly_n=5, poly_sigma=1.2, flags=0)
GOLDEN_FRAMES, GAP = 5, 15


class Steps:
    """Wall milliseconds by step."""

    def __init__(self):
        self.ms = {}

    def add(self, name, since):
        now = time.perf_counter()
        self.ms[name] = self.ms.get(name, 0) + 1000 * (now - since)
        return now


def measure(clip, steps):
    """[(sharpness, motion)] of every frame; the first frame's motion is nan."""
    video, previous, rows = cv2.VideoCapture(str(clip)), None, []
    while True:
        at = time.perf_counter()
        ok, frame = video.read()
        if not ok:
            return rows
        luma = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
        at = steps.add("decode", at)
        sharpness = cv2.Laplacian(luma, cv2.CV_64F).var()
        at = steps.add("sharpness", at)
        motion = float("nan")
        if previous is not None:
            flow = cv2.calcOpticalFlowFarneback(previous, luma, None, **FARNEBACK)
            motion = cv2.cartToPolar(flow[..., 0], flow[..., 1])[0].mean()
            steps.add("flow", at)
        rows.append((sharpness, motion))
        previous = luma


def golden(rows, motion_limit):
    """The sharpest steady frames, GAP apart."""
    chosen = []
    for i in sorted(range(len(rows)), key=lambda i: (-rows[i][0], i)):
        if rows[i][1] <= motion_limit and all(abs(i - j) >= GAP for j in chosen):
            chosen.append(i)
        if len(chosen) == GOLDEN_FRAMES:
            break
    return chosen


def store_frames(clip, chosen, out):
    """Seeks to each chosen frame and stores it."""
    video, files = cv2.VideoCapture(str(clip)), []
    for rank, index in enumerate(chosen, 1):
        video.set(cv2.CAP_PROP_POS_FRAMES, index)
        ok, frame = video.read()
        if ok:
            files.append(out / f"golden_{rank:02}.png")
            cv2.imwrite(str(files[-1]), frame, [cv2.IMWRITE_PNG_COMPRESSION, 9])
    return files


def unit(a):
    top = a.max()
    return a / top if top > 0 else np.zeros_like(a)


def score_map(greys):
    maps = []
    for g in greys:
        edges = 0.5 * cv2.Canny(g, 15, 60) + 0.35 * cv2.Canny(g, 30, 100) + 0.15 * cv2.Canny(g, 50, 150)
        laplacian = np.abs(cv2.Laplacian(g, cv2.CV_64F))
        gradient = np.hypot(cv2.Sobel(g, cv2.CV_64F, 1, 0), cv2.Sobel(g, cv2.CV_64F, 0, 1))
        f = g.astype(np.float64)
        mean = cv2.blur(f, (5, 5))
        texture = np.sqrt(np.maximum(cv2.blur(f * f, (5, 5)) - mean * mean, 0))
        maps.append(0.45 * unit(edges) + 0.25 * unit(laplacian) + 0.20 * unit(gradient) + 0.10 * unit(texture))
    score = np.maximum.reduce(maps)
    if len(greys) > 1:
        score = 0.75 * score + 0.25 * unit(np.var(np.stack([g.astype(np.float64) for g in greys]), axis=0))
    return score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clip", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--motion-limit", type=float, default=3.0, help="pixels per frame")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    steps = Steps()
    rows = measure(args.clip, steps)
    chosen = golden(rows, args.motion_limit)
    at = time.perf_counter()
    files = store_frames(args.clip, chosen, args.out)
    at = steps.add("golden frames", at)
    if files:
        greys = [cv2.cvtColor(cv2.imread(str(f)), cv2.COLOR_BGR2GRAY) for f in files]
        greys = [cv2.resize(g, greys[0].shape[::-1]) for g in greys]
        score = score_map(greys)
        mask = (score > score.mean() + 0.3 * score.std()).astype(np.uint8) * 255
        mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((2, 2), np.uint8))
        at = steps.add("maps", at)
        cv2.imwrite(str(args.out / "mask.png"), mask, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        heat = cv2.applyColorMap((255 * unit(score)).astype(np.uint8), cv2.COLORMAP_JET)
        cv2.imwrite(str(args.out / "heatmap.png"), heat, [cv2.IMWRITE_PNG_COMPRESSION, 9])
        steps.add("pictures", at)
    print(json.dumps({"frames": len(rows), "golden": chosen, "ms": {k: round(v, 1) for k, v in steps.ms.items()}}))


if __name__ == "__main__":
    main()
