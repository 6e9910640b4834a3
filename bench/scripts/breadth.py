#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a detector does on scans that nobody tuned it to.

Draws scans with `glint synth` (all kinds of objects, lights, a finger in the picture, bent paper,
bit rates from 1 to 15 Mbit/s, damaged and clean) and judges them with `glint eval`:

    bench/scripts/breadth.py --glint build/release/src/cli/glint --out /tmp/breadth --first-seed 9100

Whoever changes the detector develops on some seeds and reports others. What is drawn already is
kept, and what is scanned already is judged again without a scan unless --force is given.
"""

import argparse
import pathlib
import subprocess
import sys

# name, kind, and further options of `glint synth`; each case has a seed of its own.
CASES = [
    ("page_1mbit", "page", ["--bit-rate", "1"]),
    ("page_15mbit", "page", ["--bit-rate", "15"]),
    ("page_two_lamps", "page", ["--light", "two", "--bit-rate", "6"]),
    ("page_bent", "page", ["--bend", "0.008", "--bit-rate", "8"]),
    ("page_finger_clean", "page", ["--fingers", "--clean", "--bit-rate", "4"]),
    ("cover_2mbit", "cover", ["--bit-rate", "2"]),
    ("cover_diffuse", "cover", ["--light", "diffuse", "--bit-rate", "8"]),
    ("cover_still_lamp", "cover", ["--light", "still", "--bit-rate", "8"]),
    ("cover_finger", "cover", ["--fingers", "--bit-rate", "6"]),
    ("cover_1080p", "cover", ["--size", "1920x1080", "--bit-rate", "12"]),
    ("cover_clean", "cover", ["--clean", "--bit-rate", "3"]),
    ("card_1mbit_clean", "card", ["--clean", "--bit-rate", "1"]),
    ("card_3mbit", "card", ["--bit-rate", "3"]),
    ("card_two_lamps", "card", ["--light", "two", "--bit-rate", "10"]),
    ("card_portrait_still_lamp", "card", ["--rotation", "90", "--light", "still",
                                          "--bit-rate", "6"]),
    ("card_clean_diffuse", "card", ["--clean", "--light", "diffuse", "--bit-rate", "5"]),
]


def draw(glint, folder, first_seed, only):
    """Draws what is missing of the cases whose name contains `only`. Returns their label files."""
    labels = []
    for number, (name, kind, options) in enumerate(CASES):
        if only not in name:
            continue
        seed = first_seed + number
        full_name = f"{name}_{seed}"
        labels.append(folder / f"{full_name}.labels.json")
        if labels[-1].exists():
            continue
        subprocess.run([glint, "synth", "--frames", "150", "--kind", kind, "--seed", str(seed), "--name", full_name,
                        "--out", str(folder), *options],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return labels


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--glint", required=True, help="the program")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="a folder for the scans")
    parser.add_argument("--first-seed", type=int, required=True,
                        help="of the first scan; each further one has the next seed")
    parser.add_argument("--profile", default="photometric")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--force", action="store_true", help="scan again")
    arguments = parser.parse_args()
    labels = draw(arguments.glint, arguments.out / "scans", arguments.first_seed, arguments.only)
    command = [arguments.glint, "eval", "--profile", arguments.profile,
               "--out", str(arguments.out / arguments.profile), *map(str, labels)]
    if arguments.force:
        command.append("--force")
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode


if __name__ == "__main__":
    sys.exit(main())
