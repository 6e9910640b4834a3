#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws where the time of a whole job goes, before and after, as an SVG.

usage: plot_time.py FIGURES CLIP SVG
       plot_time.py --timings BEFORE AFTER CLIP SVG

FIGURES is what end_to_end.py --json wrote, CLIP one of its clips: before is baseline.py, after is glint, motion where
needed. BEFORE and AFTER are the timing.json of two builds of glint that scanned the same clip: the seconds are of the
processor, which another load on the machine does not change, divided by the steps' shares of the wall time. Each has a bar
of its steps' shares; a line below shows both jobs on one scale.
"""
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

WIDTH, LEFT, TOP, BAR, ROW = 860, 90, 46, 34, 96
SPAN = WIDTH - LEFT - 20
COLOURS = ["#4878a8", "#e0a458", "#6a9a58", "#b05a5a", "#8a76a8", "#7a7a7a", "#5aa0a0", "#c88aa8"]
LEAST = 0.012  # share of the job: smaller steps are drawn as one


def shares(figures):
    """[(step, share of the wall time)], largest first; what no step accounts for is the process's start and end."""
    wall_ms = 1000 * figures["wall_s"]
    steps = {name: ms / wall_ms for name, ms in figures["step_ms"].items()}
    large = {name: share for name, share in steps.items() if share >= LEAST}
    rest = max(0.0, 1 - sum(large.values()))
    return sorted(large.items(), key=lambda item: -item[1]) + ([("other", rest)] if rest > 0 else [])


def text(x, y, words, size=13, anchor="start", colour="#222"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def rectangle(x, y, width, height, colour):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height}" fill="{colour}"/>'


def of_timing(path):
    """A timing.json as figures of end_to_end.py: CPU seconds, shared out by the steps' wall time."""
    timing = json.loads(Path(path).read_text())
    per_wall_ms = timing["cpu_ms"] / timing["wall_ms"]
    return {"wall_s": timing["cpu_ms"] / 1000,
            "step_ms": {step["step"]: step["ms"] * per_wall_ms for step in timing["steps"]}}


def draw(clip, rows):
    longest = max(figures["wall_s"] for _, figures in rows)
    out = [text(LEFT, 24, f"Where the time of a whole job goes: {clip}", 15)]
    for i, (name, figures) in enumerate(rows):
        y, x = TOP + i * ROW, LEFT
        out += [text(LEFT - 10, y + 15, name, anchor="end"),
                text(LEFT - 10, y + 31, f"{figures['wall_s']:.1f} s", anchor="end", colour="#666")]
        label_end = 0.0
        for k, (step, share) in enumerate(shares(figures)):
            out.append(rectangle(x, y, SPAN * share, BAR, COLOURS[k % len(COLOURS)]))
            words = f"{step} {100 * share:.0f} %"
            if x >= label_end and x + 7 * len(words) <= WIDTH:
                out.append(text(x, y + BAR + 15, words, 12))
                label_end = x + 7 * len(words) + 6
            x += SPAN * share
        out.append(rectangle(LEFT, y + BAR + 24, SPAN * figures["wall_s"] / longest, 4, "#444"))
    height = TOP + 2 * ROW + 6
    out.append(text(LEFT, height - 8, "dark lines: both jobs on one scale", 12, colour="#666"))
    body = "\n".join(out)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif">\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n')


def main():
    if len(sys.argv) == 6 and sys.argv[1] == "--timings":
        before, after, clip, svg = sys.argv[2:]
        rows = [("before", of_timing(before)), ("after", of_timing(after))]
    elif len(sys.argv) == 4:
        figures, clip, svg = sys.argv[1:]
        result = json.loads(Path(figures).read_text())[clip]
        rows = [("before", result["baseline"]), ("after", result["needed"])]
    else:
        sys.exit(__doc__)
    Path(svg).write_text(draw(clip, rows))


if __name__ == "__main__":
    main()
