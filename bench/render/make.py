#!/usr/bin/python3
"""Renders labelled scans of the second optics. Needs Debian's blender, ffmpeg, python3-opencv and python3-numpy.

    bench/render/make.py --list
    bench/render/make.py r01_cover v05_card_tilted --out /tmp/optics          # some
    bench/render/make.py --split develop --out /tmp/optics                    # all to develop on
    bench/render/make.py n7801 n7802 --out /tmp/optics                        # drawn by chance from these seeds
    bench/render/make.py r01_cover --out /tmp/look --frames 40:44 --scale 0.5 # a quick look
    bench/render/make.py r01_cover --out /tmp/optics --every 2                # half the frames of the same motion

Takes about 5 minutes a scan of 720p on two idle cores; what is rendered stays in OUT/work and is not rendered again.
"""
import argparse
import subprocess
import sys
from pathlib import Path

import maps
import phone
from geometry import Geometry
from labels import write
from scenes import SCANS, scan_named

HERE = Path(__file__).resolve().parent


def render(scan, folder, frames, samples, scale):
    command = ["blender", "-b", "-P", str(HERE / "cycles.py"), "--", scan.name, str(folder)]
    command += [str(v) for v in (frames.start, frames.stop, frames.step, samples, scale)]
    done = subprocess.run(command, capture_output=True, text=True)
    missing = [f for f in frames if not (folder / "frames" / f"light.{f:04d}.exr").exists()]
    if missing:
        raise RuntimeError(f"{scan.name}: Blender left out {len(missing)} frames: {(done.stdout + done.stderr)[-800:]}")


def make(scan, out, frames, samples, scale):
    folder = out / "work" / (scan.name if scale == 1 else f"{scan.name}_{scale}")
    defects = maps.make(scan, folder)
    render(scan, folder, frames, samples, scale)
    clip = out / f"{scan.name}.mp4"
    gains = phone.film(scan, folder, clip, frames)
    return write(scan, folder, clip, Geometry(folder, scale), defects, gains, frames)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="the scans there are")
    parser.add_argument("--split", choices=("develop", "validate"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--frames", default="", metavar="FIRST:LAST", help="a part of the frames")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth frame: the same motion at 25/N a second, N times cheaper")
    parser.add_argument("--samples", type=int, default=4, help="light paths a pixel")
    parser.add_argument("--scale", type=float, default=1.0, help="of the picture's size")
    return parser.parse_args()


def main():
    args = arguments()
    if args.list:
        for scan in SCANS.values():
            what = "clean" if not scan.damaged else ", ".join(d.kind for d in scan.damage)
            print(f"{scan.name:24} {scan.split:9} {scan.stock:7} {scan.light:13} {scan.hand:7} {what}")
        return 0
    names = args.names or [s.name for s in SCANS.values() if s.split == args.split]
    unknown = [n for n in names if scan_named(n) is None]
    if unknown or not names or args.out is None:
        print(f"make.py: no scan {', '.join(unknown)}" if unknown else "make.py: say which scans, and --out", file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        first, _, last = args.frames.partition(":")
        scan = scan_named(name)
        frames = range(int(first or 0), min(int(last or scan.frames), scan.frames), args.every)
        labels = make(scan, args.out, frames, args.samples, args.scale)
        seen = ", ".join(f"{d['type']} {d['peak_delta']} ({d['lost_ink']:.0%} ink)" for d in labels["defects"])
        print(f"{name}: {labels['frames']} frames, object {labels['flat_size']}, floor {labels['contrast_floor']}; {seen or 'clean'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
