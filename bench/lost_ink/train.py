#!/usr/bin/python3
"""Learns what tells dashes of lost ink from print, and scores rows of dashes on still pictures.

    bench/lost_ink/train.py fit /tmp/stills /tmp/medians:3 --out src/analyse/photometric/lost_ink/dash_model.inc
    bench/lost_ink/train.py score /tmp/stills

Folders are those of stills.py; medians of scans with a mask of their damage beside them are as good (NAME.ppm and
NAME.mask.png; of these `score` counts false rows only). `:3` counts what a folder holds three times. Needs Debian's python3-sklearn, python3-opencv and the
program build/*/bench/dash_features. A model that is written means a new build, new scores and new docs/measurements.md.
"""
import argparse
import json
import subprocess
import sys
import zlib
from collections import defaultdict
from pathlib import Path

import cv2
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import average_precision_score

ROOT = Path(__file__).resolve().parent.parent.parent
VISIBLE_SHARE = 0.25  # of a line that lost ink shows on
TREES = dict(max_iter=100, learning_rate=0.1, max_leaf_nodes=12, min_samples_leaf=40, l2_regularization=1.0)


def run(program, folder, *options):
    """What the program says of each picture of a folder: {picture: rows of fields}."""
    paths = sorted(str(p) for p in folder.glob("*.ppm"))
    if not paths:
        sys.exit(f"train.py: {folder}: no picture NAME.ppm")
    if not Path(program).exists():
        sys.exit(f"train.py: {program}: no such program; build glint with its benches, or say --program")
    out = subprocess.run([program, *options, *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
    said = {}
    for line in out.splitlines():
        kind, *fields = line.split("\t")
        if kind == "picture":
            said[Path(fields[0])] = rows = []
        else:
            rows.append([float(f) for f in fields])
    return said


def mask_of(path):
    """The number of the line on each pixel, so much wider; None of a clean picture."""
    mask = path.with_suffix(".mask.png")
    return cv2.imread(str(mask), cv2.IMREAD_GRAYSCALE) if mask.exists() else None


def examples(program, folder, weight):
    """Per picture its features, whether each dash lies on damage, and their weight."""
    for path, rows in run(program, folder).items():
        if not rows:
            continue
        table, mask = np.array(rows), mask_of(path)
        lost = np.zeros(len(table), bool)
        if mask is not None:
            mask = cv2.dilate(mask, np.ones((3, 3), np.uint8))
            x, y = (np.clip(table[:, i].astype(int), 0, mask.shape[1 - i] - 1) for i in (0, 1))
            lost = mask[y, x] > 0
        yield path, table[:, 3:].astype(np.float32), lost, np.full(len(table), weight)


def fitted(pictures):
    features, lost, weight = (np.concatenate([p[i] for p in pictures]) for i in (1, 2, 3))
    model = HistGradientBoostingClassifier(random_state=0, **TREES).fit(features, lost, weight)
    share = (weight * lost).sum() / weight.sum()
    return model, float(np.log(share / (1 - share)))


def number(value):
    return np.format_float_positional(np.float32(value), precision=6, fractional=False, trim="0") + "F"


def wrapped(items):
    lines = [" "]
    for item in items:
        if len(lines[-1]) + len(item) > 116:
            lines.append(" ")
        lines[-1] += f" {item},"
    return "\n".join(lines)


def write(model, prior, out):
    """The trees as a table: of each node the most that goes left, of which feature, both ways from the tree's first node."""
    roots, nodes = [], []
    for (tree,) in model._predictors:
        roots.append(str(len(nodes)))
        for n in tree.nodes:
            leaf = f"{{{number(n['value'])}, kLeaf, 0, 0}}"
            split = f"{{{number(n['num_threshold'])}, {n['feature_idx']}, {n['left']}, {n['right']}}}"
            nodes.append(leaf if n["is_leaf"] else split)
    base = float(np.ravel(model._baseline_prediction)[0]) - prior
    out.write_text(f"""// Written by bench/lost_ink/train.py; do not edit.
// clang-format off
constexpr double kBaseline = {base:.6f};
constexpr std::uint16_t kRoots[] = {{
{wrapped(roots)}
}};
constexpr Node kNodes[] = {{
{wrapped(nodes)}
}};
// clang-format on
""")


def fit(args):
    pictures = []
    for folder in args.folders:
        name, _, weight = folder.partition(":")
        pictures += examples(args.program, Path(name), float(weight or 1))
    half = [zlib.crc32(p[0].name.encode()) % 2 for p in pictures]
    for one in (0, 1):
        model, _ = fitted([p for p, h in zip(pictures, half) if h != one])
        rest = [p for p, h in zip(pictures, half) if h == one]
        said = model.decision_function(np.concatenate([p[1] for p in rest]))
        precision = average_precision_score(np.concatenate([p[2] for p in rest]), said)
        print(f"half {one}: {len(rest)} pictures, average precision {precision:.3f} by what the other half taught")
    model, prior = fitted(pictures)
    write(model, prior, args.out)
    print(f"{args.out}: {sum(len(p[2]) for p in pictures)} dashes, {sum(int(p[2].sum()) for p in pictures)} of them lost ink")


def line_under(row, mask):
    """The number of the line on which a row lies with half of its length; 0: none."""
    count = max(int(np.hypot(row[2] - row[0], row[3] - row[1])), 2)
    x = np.clip(np.linspace(row[0], row[2], count).round().astype(int), 0, mask.shape[1] - 1)
    y = np.clip(np.linspace(row[1], row[3], count).round().astype(int), 0, mask.shape[0] - 1)
    numbers, counts = np.unique(mask[y, x], return_counts=True)
    most = counts[numbers > 0].max(initial=0)
    return int(numbers[numbers > 0][counts[numbers > 0].argmax()]) if most >= count / 2 else 0


def score(args):
    for folder in map(Path, args.folders):
        tally, wrong = defaultdict(int), []
        for path, rows in run(args.program, folder, "--rows").items():
            mask = mask_of(path)
            tally["damaged" if mask is not None else "clean"] += 1
            lines = set()
            if mask is not None:
                wide = cv2.dilate(mask, np.ones((7, 7), np.uint8))
                lines = {line_under(row, wide) for row in rows}
                said = path.with_suffix(".json")
                shares = json.loads(said.read_text())["lost_ink"] if said.exists() else []
                visible = {n for n, share in enumerate(shares, 1) if share >= VISIBLE_SHARE}
                tally["visible"] += len(visible)
                tally["found"] += len(visible & lines)
            if 0 in lines or (mask is None and rows):
                wrong.append(path.stem)
        print(f"{folder}: {tally['found']} of {tally['visible']} visible lines; false rows on {len(wrong)} of "
              f"{tally['damaged']} damaged and {tally['clean']} clean pictures: {' '.join(wrong)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("fit", "score"))
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--out", type=Path, default=ROOT / "src/analyse/photometric/lost_ink/dash_model.inc")
    parser.add_argument("--program", default=str(ROOT / "build/release/bench/dash_features"))
    args = parser.parse_args()
    {"fit": fit, "score": score}[args.command](args)


if __name__ == "__main__":
    main()
