#!/usr/bin/python3
"""Draws still pictures of prints with lost ink, and clean ones, to learn from and to score.

    bench/lost_ink/stills.py --out /tmp/stills --count 200                          # our own prints, half of them damaged
    bench/lost_ink/stills.py --out /tmp/stills --count 400 --pictures /usr/share/games/wesnoth /usr/share/backgrounds

A phone's median of many views shows lost ink as one frame does, less its noise: no light is needed to draw it. Needs
Debian's python3-opencv and python3-numpy. Writes NAME.ppm; of a damaged one also NAME.mask.png, the number of its line
on each pixel, and NAME.json, the share of each line over which its print changes by 8 grey levels and more.
"""
import argparse
import json
import multiprocessing
import sys
from pathlib import Path

import cv2
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "render"))
import prints  # noqa: E402
from maps import PAPER, distances, polyline, smoothstep  # noqa: E402

F = np.float32
SHEETS = {"cover": ((170, 260), 0.12), "card": ((63, 88), 0.045), "page": ((210, 297), 0.15)}  # mm; mm a pixel of the print
LEAST_BYTES = 60_000  # of a picture's file: smaller ones are icons


def picture(path, height, width, rng):
    """A picture cut to a sheet's shape, often with a margin of paper; None where it cannot be read."""
    image = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image is None or min(image.shape[:2]) < 200:
        return None
    scale = max(height / image.shape[0], width / image.shape[1])
    size = (max(width, round(image.shape[1] * scale)), max(height, round(image.shape[0] * scale)))
    image = cv2.resize(image, size, interpolation=cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA)
    top, left = (image.shape[0] - height) // 2, (image.shape[1] - width) // 2
    image = image[top : top + height, left : left + width]
    margin = int(0.04 * width)
    if rng.random() < 0.6:
        image = image[margin:-margin, margin:-margin]
        image = cv2.copyMakeBorder(image, margin, margin, margin, margin, cv2.BORDER_CONSTANT, value=(232, 236, 240))
    for _ in range(int(rng.integers(0, 5))):
        x, y = rng.uniform(0.2, 0.8, 2)
        prints.balloon(image, rng, x * width, y * height, 0.14 * width, 0.05 * height)
    return np.ascontiguousarray(image)


def lines(kind, rng):
    """Where damage runs: two creases, now and then a bent corner or a tick at the spine. Shares of the sheet; sigma in mm."""
    small = 0.6 if kind == "card" else 1.0
    for _ in range(2):
        start, turn, length = rng.uniform(0.1, 0.9, 2), rng.uniform(0, np.pi), rng.uniform(0.2, 0.5)
        end = start + length * np.array([np.cos(turn), np.sin(turn)]) * rng.choice([-1, 1])
        if np.all((end > 0.04) & (end < 0.96)):
            yield start, end, rng.uniform(0.3, 0.34) * small
    if rng.random() < 0.5:
        corner, across, down = rng.integers(0, 2, 2), rng.uniform(0.1, 0.25), rng.uniform(0.07, 0.2)
        yield np.abs(corner - [across, 0]), np.abs(corner - [0, down]), 0.33 * small
    if kind == "cover" and rng.random() < 0.6:
        y = rng.uniform(0.04, 0.96)
        yield np.array([0, y]), np.array([rng.uniform(0.04, 0.075), y + rng.uniform(-0.008, 0.008)]), rng.uniform(0.24, 0.26)


def lose_ink(art, line, mm, px, rng):
    """The print without the ink of one line: where it was, how far from the line each pixel lies, the share that shows."""
    height, width = art.shape[:2]
    yy, xx = np.mgrid[0:height, 0:width].astype(F)
    x, y = (xx + F(0.5)) * F(px), (yy + F(0.5)) * F(px)
    start, end, sigma = line[0] * mm, line[1] * mm, line[2]
    path = polyline(rng, start, end, rng.uniform(-0.03, 0.03) * float(np.hypot(*(end - start))), 0.3)
    distance, along = distances(path, x, y, 6)
    at_rim = [min(p[0], p[1], mm[0] - p[0], mm[1] - p[1]) < 0.6 for p in (path[0], path[-1])]
    fade = smoothstep(np.minimum(1 if at_rim[0] else along * 8, 1 if at_rim[1] else (1 - along) * 8))
    breaks = prints.noise(rng, height, width, 0.5 / px) + F(0.7) * prints.noise(rng, height, width, 2.2 / px)
    level = float(np.quantile(breaks, 1 - rng.choice([0.25, 0.3, 0.3, 0.4, 0.55])))
    near = np.clip((F(0.8 * sigma + px) - distance) / F(2 * px), 0, 1)
    lost = (near * np.clip((breaks - level) * 4, 0, 1) * (fade > 0.3)).astype(F)
    damaged = art * (1 - lost[..., None]) + PAPER * lost[..., None]
    change = cv2.cvtColor(damaged, cv2.COLOR_BGR2GRAY) - cv2.cvtColor(art, cv2.COLOR_BGR2GRAY)
    shows = float((cv2.GaussianBlur(change, (0, 0), 1)[distance < 0.9 * px] >= 8 / 255).mean())
    return damaged, distance < max(1.5 * sigma, 2 * px), shows


def film(art, mask, rng):
    """The print as a phone shows it: smaller, blurred, under some lamp, sharpened and compressed."""
    scale = rng.integers(820, 1080) / max(art.shape[:2])
    size = (int(art.shape[1] * scale), int(art.shape[0] * scale))
    image = cv2.GaussianBlur(cv2.resize(art, size, interpolation=cv2.INTER_AREA), (0, 0), rng.uniform(0.55, 0.9))
    image = image * F(255 * rng.uniform(0.8, 1.02)) * rng.uniform(0.93, 1, 3).astype(F)
    image = image + F(0.35) * (image - cv2.GaussianBlur(image, (0, 0), 1.2))
    image = np.clip(image + rng.standard_normal(image.shape) * 0.8 + 0.5, 0, 255).astype(np.uint8)
    packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(72, 93))])[1]
    return cv2.imdecode(packed, cv2.IMREAD_COLOR), cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST)


def draw(job):
    seed, damaged, path, out = job
    rng = np.random.default_rng(seed)
    kind = str(rng.choice(["cover", "card", "page", "page"]))
    mm, px = np.array(SHEETS[kind][0]), SHEETS[kind][1]
    width, height = (int(side / px) for side in mm)
    art = picture(path, height, width, rng) if path else prints.draw(kind, rng, height, width)
    if art is None:
        return
    art = cv2.GaussianBlur(art, (0, 0), 0.12 / px).astype(F) / 255 * F(0.95) + F(0.02)
    mask, shown = np.zeros((height, width), np.uint8), []
    for number, line in enumerate(lines(kind, rng) if damaged else (), 1):
        art, on, share = lose_ink(art, line, mm, px, rng)
        mask[on] = number
        shown.append(round(share, 3))
    image, mask = film(art, mask, rng)
    name = Path(out) / f"{'d' if damaged else 'c'}{seed:05d}"
    cv2.imwrite(f"{name}.ppm", image)
    if damaged:
        cv2.imwrite(f"{name}.mask.png", mask)
        Path(f"{name}.json").write_text(json.dumps({"lost_ink": shown}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200, help="every other one is clean")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=Path, nargs="*", default=[], help="folders of prints to draw on instead of our own")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    every = sorted(p for folder in args.pictures for p in folder.rglob("*") if p.suffix in (".png", ".jpg", ".webp"))
    paths = [p for p in every if p.stat().st_size >= LEAST_BYTES]
    np.random.default_rng(args.seed).shuffle(paths)
    if args.pictures and not paths:
        sys.exit(f"stills.py: no picture in {', '.join(map(str, args.pictures))}")
    jobs = [(args.seed + i, i % 2 == 0, paths[i // 2 % len(paths)] if paths else None, args.out) for i in range(args.count)]
    with multiprocessing.Pool() as pool:
        for _ in pool.imap_unordered(draw, jobs, 4):
            pass


if __name__ == "__main__":
    main()
