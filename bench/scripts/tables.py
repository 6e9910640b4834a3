#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tables of docs/performance.md, in Markdown, of what all.sh left in a folder.

usage: tables.py FOLDER >TABLES.md
"""
import json
import sys
from pathlib import Path


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"


def read(file):
    return json.loads(file.read_text())


def jobs(folder):
    rows = []
    for clip, workers in read(folder / "job.json").items():
        base = workers.pop("baseline")
        rows.append([f"{clip}: `bench/scripts/baseline.py`", f"{base['wall_s']:.1f}", f"{base['cpu_s']:.1f}", f"{base['peak_mib']:.0f}"])
        for motion, own in workers.items():
            rows.append([f"{clip}: `--motion {motion}`", f"{own['wall_s']:.2f}", f"{own['cpu_s']:.2f}", f"{own['peak_mib']:.0f}"])
            rows.append(["**ratio**", *(f"**{base[k] / own[k]:.1f}**" for k in ("wall_s", "cpu_s")),
                         f"**{base['peak_mib'] / own['peak_mib']:.2f}**"])
    return table(["`classic`, 2 threads", "wall s", "CPU s", "peak MiB"], rows)


def flow(folder):
    """Of flow_bench's lines: frames, target, ours, OpenCV's, ratio, error."""
    ratios, targets = {}, []
    for line in (folder / "flow.txt").read_text().splitlines()[2:]:
        frames, target, _, _, ratio, _ = line.split()
        ratios.setdefault(frames, {})[target] = ratio
        targets += [target] if target not in targets else []
    rows = [[frames, *(by_target[target] for target in targets)] for frames, by_target in ratios.items()]
    return table(["flow, one core, ratio to OpenCV's CPU time", *targets], rows)


def sharpness(folder):
    rows = [[size, f"{f['glint_ms']:.3f}", f"{f['python_ms']:.2f}", f"{f['ratio']:.0f}"]
            for size, f in read(folder / "sharpness.json").items()]
    return table(["sharpness of a frame, one thread, CPU ms", "glint", "`cv2.Laplacian(...).var()`", "ratio"], rows)


def threads(folder):
    def measuring(size, count):
        steps = read(folder / f"threads_{size}_{count}" / "timing.json")["steps"]
        return next(step["ms"] for step in steps if step["step"] == "measuring") / 1000

    rows = []
    for size in ("720p", "1080p"):
        one, two = measuring(size, 1), measuring(size, 2)
        rows.append([size, f"{one:.2f}", f"{two:.2f}", f"{one / two:.2f}"])
    return table(["measuring, `--motion all`, wall s", "1 thread", "2 threads", "ratio"], rows)


def cost(folder):
    rows = [[r["size"], r["frames"], f"{r['wall_s']:.2f}", f"{r['cpu_s']:.2f}", f"{1000 * r['cpu_s'] / r['frames']:.2f}",
             f"{r['peak_mib']:.0f}"] for r in read(folder / "cost.json")]
    return table(["size", "frames", "wall s", "CPU s", "CPU ms a frame", "peak MiB"], rows)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    parts = [jobs(folder), flow(folder), (folder / "instructions.txt").read_text(), sharpness(folder), threads(folder), cost(folder)]
    print("\n".join(parts), end="")


if __name__ == "__main__":
    main()
