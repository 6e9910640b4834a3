#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clips that show no object, and whether a scan gives a percentage of one all the same.

Makes test patterns (ffmpeg's), pans over the photographs of a folder, and parts of clips in which no object shows; then
judges all of them with `glint eval`:

    bench/scripts/no_object.py --glint build/release/src/cli/glint --out /tmp/none \\
        --photographs photos --films films --part desk.mp4:0:3:640x200+0+0

A part is FILE:START:SECONDS:WIDTHxHEIGHT+X+Y. What is made already is kept. Needs ffmpeg.
"""
import argparse
import json
import pathlib
import subprocess
import sys

SIZE = "960x540"
SECONDS = 4
PATTERNS = {
    "testsrc": f"testsrc=size={SIZE}:rate=25",
    "testsrc2": f"testsrc2=size={SIZE}:rate=25",
    "rgbtestsrc": f"rgbtestsrc=size={SIZE}:rate=25",
    "smptebars": f"smptebars=size={SIZE}:rate=25",
    "pal75bars": f"pal75bars=size={SIZE}:rate=25",
    "mandelbrot": f"mandelbrot=size={SIZE}:rate=25:maxiter=300",
    "life": "life=size=320x180:rate=25:mold=10:ratio=0.1:seed=7,scale=960:540",
    "gradients": f"gradients=size={SIZE}:rate=25:seed=3:speed=0.02",
    "cellauto": f"cellauto=size={SIZE}:rate=25:seed=5",
}
# Slow enough for the motion limit; the picture is enlarged until it fills the frame with room to move.
PAN = ("scale=1500:1000:force_original_aspect_ratio=increase,crop=1400:800,"
       "crop=960:540:'200+200*sin(t*{speed})':'120+110*cos(t*{speed}*0.75)',format=yuv420p")
PHOTOGRAPHS = {".jpg", ".jpeg", ".png"}
FILMS = {".mp4", ".avi", ".mov", ".mkv", ".webm"}


def encode(arguments, clip):
    if clip.exists():
        return clip
    subprocess.run(["ffmpeg", "-v", "error", "-y", *arguments, "-c:v", "libx264", "-preset", "veryfast", "-crf", "22",
                    "-pix_fmt", "yuv420p", "-an", str(clip)], check=True)
    return clip


def patterns(folder):
    for name, source in PATTERNS.items():
        yield encode(["-f", "lavfi", "-i", source, "-t", str(SECONDS)], folder / f"pattern_{name}.mp4")


def pans(photographs, folder, speed):
    for photograph in sorted(photographs.iterdir()):
        if photograph.suffix.lower() not in PHOTOGRAPHS or "_mask" in photograph.stem:
            continue
        yield encode(["-loop", "1", "-framerate", "25", "-i", str(photograph), "-t", str(SECONDS), "-vf",
                      PAN.format(speed=speed), "-r", "25"], folder / f"pan_{photograph.stem}.mp4")


def parts(descriptions, folder):
    for number, description in enumerate(descriptions):
        file, start, seconds, place = description.rsplit(":", 3)
        size, x, y = place.split("+")
        width, height = size.split("x")
        yield encode(["-ss", start, "-t", seconds, "-i", file, "-vf", f"crop={width}:{height}:{x}:{y},scale=640:-2"],
                     folder / f"part_{number + 1}_{pathlib.Path(file).stem}.mp4")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glint", required=True, help="the program")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="a folder for clips and results")
    parser.add_argument("--photographs", type=pathlib.Path, action="append", default=[], help="a folder")
    parser.add_argument("--films", type=pathlib.Path, action="append", default=[], help="a folder of clips, as they are")
    parser.add_argument("--part", action="append", default=[], help="FILE:START:SECONDS:WIDTHxHEIGHT+X+Y")
    parser.add_argument("--pan-speed", type=float, default=0.1, help="radians a second")
    parser.add_argument("--item-type", default="page")
    arguments = parser.parse_args()
    folder = arguments.out / "no_object"
    folder.mkdir(parents=True, exist_ok=True)
    clips = [*patterns(folder), *parts(arguments.part, folder)]
    for photographs in arguments.photographs:
        clips += pans(photographs, folder, arguments.pan_speed)
    for films in arguments.films:
        clips += [film for film in sorted(films.iterdir()) if film.suffix.lower() in FILMS]
    expectations = [{"clip": str(clip.resolve()), "item_type": arguments.item_type, "object": False} for clip in clips]
    (folder / "clips.json").write_text(json.dumps({"clips": expectations}, indent=1) + "\n")
    command = [arguments.glint, "eval", "--out", str(arguments.out / "results"), str(folder)]
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
