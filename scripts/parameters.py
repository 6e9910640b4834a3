#!/usr/bin/env python3
"""Checks that docs/parameters.md lists every parameter of a scan's analysis as it is.

Paths, defaults and ranges come from `glint eval --list-params --json`, meanings from the comments
of the structs' fields in include/glint and src/analyse.

usage: scripts/parameters.py GLINT [--fix]      exits with 1 when the page is stale; --fix writes it
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/parameters.md"
HEAD = """# Parameters

Every number that decides what a scan marks, as `glint eval --list-params` prints them. The defaults are what glint is
tested with, and what every scan uses; `glint eval --set PATH=VALUE` scans labelled videos with another value and says
what that does to F ([cli.md](cli.md)). It is a tool for glint's developers. What the steps do, and why:
[algorithm.md](algorithm.md).

This page is written by `scripts/parameters.py`, and a test fails when it is stale.
"""
FOOT = """
## What cannot be set

Constants that decide marks, too, but set the size of tables and loops when glint is compiled, in arithmetic that the
CPU's instruction sets and CUDA share or in sums over cells. Another value is another build.

| constant | value | where | what it is |
|---|---|---|---|"""
FIXED = [
    ("src/analyse/alignment.h", "kPatch"),
    ("src/analyse/homography_fit.h", "kFitRounds"),
    ("src/analyse/location/outline_judge.h", "kSideSamples"),
    ("src/analyse/location/outline_track.h", "kLinked"),
    ("src/analyse/photometric/pixels/block_sums.h", "kBlock"),
    ("src/analyse/photometric/evidence/energy_normalisation.h", "kActivityBins"),
    ("src/analyse/photometric/scene/occluders.h", "kThumbnailStep", "kOccluderCell"),
    ("src/analyse/photometric/outline/outline.h", "kBackgroundMargin"),
    ("src/analyse/rectify.cc", "kCoverageGrid"),
    ("src/analyse/track.cc", "kLevels"),
    ("src/stages/shared/classic_arithmetic.h", "kDetailRadius"),
    ("src/stages/shared/photometric_arithmetic.h", "kSmoothReach", "kModelRadius", "kModelRounds", "kNoiseRadius",
     "kGroupReach", "kLineTaps"),
    ("src/stages/shared/farneback/parameters.h", "kCoarserLevels", "kSmallestLevelSide", "kIterations",
     "kWindowRadius", "kPolyRadius", "kPolySigma"),
]
STRUCT = re.compile(r"^struct (\w+Params|NoiseModel) \{$(.*?)^\};$", re.M | re.S)
PARAM = re.compile(r"\s*GLINT_PARAM\((?:std::|photometric::|reference::)?(\w+), (\w+)()")
FIELD = re.compile(r"\s*(?:std::|photometric::|reference::)?(\w+)(?:<[^>]*>)? (\w+)(?:\s*=[^;]*|\{[^;]*\})?(?:;|$)\s*(?:///<\s*(.*))?$")


def structs():
    """The fields of every struct of parameters: {struct: {field: (type, meaning)}}."""
    found = {}
    for header in sorted([*(ROOT / "include/glint").glob("*.h"), *(ROOT / "src/analyse").rglob("*.h")]):
        for name, body in STRUCT.findall(header.read_text()):
            fields, above, last = found.setdefault(name, {}), [], None
            for line in body.splitlines():
                comment = re.match(r"\s*///(<?)\s*(.*)", line)
                field = PARAM.match(line) or FIELD.match(line)
                if comment and not comment[1]:
                    above.append(comment[2])
                elif comment and last:
                    fields[last] = (fields[last][0], f"{fields[last][1]} {comment[2]}".strip())
                elif field:
                    last = field[2]
                    fields[last] = (field[1], " ".join([*above, field[3] or ""]).strip())
                    above = []
                else:
                    above, last = [], None
    return found


def meaning(known, struct, path):
    """What the comment of a field says; a struct may list the fields of a member as its own."""
    fields = known.get(struct, {})
    if path[0] in fields:
        kind, text = fields[path[0]]
        if len(path) == 1:
            return text
        return meaning(known, kind, path[1:]) if kind in known else f"{text} (value {path[1]} of the table)"
    return next(filter(None, (meaning(known, kind, path) for kind, _ in fields.values())), "")


def fixed():
    """The lines of the constants that cannot be set: [| name | value | header | what it decides |]."""
    lines = []
    for header, *names in FIXED:
        text = (ROOT / header).read_text()
        for name in names:
            found = re.search(rf"((?:^ *///? [^\n]*\n)*)^ *(?:inline |static )*constexpr [\w:]+ {name} = ([^;]+);"
                              r"(?: *///?<? *([^\n]*))?", text, re.M)
            if not found:
                sys.exit(f"{header} has no constant {name}")
            text_of = " ".join(line.strip().lstrip("/< ") for line in found[1].splitlines()) or found[3]
            if not text_of:
                sys.exit(f"{name} of {header} has no doc comment that says what it is")
            lines.append(f"| `{name}` | `{found[2]}` | `{header}` | {text_of} |")
    return lines


def page(glint):
    listed = subprocess.run([glint, "eval", "--list-params", "--json"], check=True, capture_output=True, text=True)
    known = structs()
    lines, group = [HEAD], None
    for line in listed.stdout.splitlines():
        param = json.loads(line)
        path = param["path"]
        if group != path.split(".")[0]:
            group = path.split(".")[0]
            lines += [f"## {group}\n" if len(lines) == 1 else f"\n## {group}\n",
                      "| parameter | default | range | what it decides |", "|---|---|---|---|"]
        text = meaning(known, "AnalysisParams", path.split("."))
        if not text:
            sys.exit(f"{path} has no doc comment that says what it decides")
        text = text.replace("|", "\\|")
        lines.append(f"| `{path}` | {param['default']:g} | {param['min']:g} to {param['max']:g} | {text} |")
    return "\n".join([*lines, FOOT, *fixed()]) + "\n"


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--fix"]):
        sys.exit(__doc__)
    wanted = page(sys.argv[1])
    if sys.argv[2:]:
        PAGE.write_text(wanted)
    elif not PAGE.exists() or PAGE.read_text() != wanted:
        sys.exit("docs/parameters.md is stale; run scripts/parameters.py GLINT --fix")


if __name__ == "__main__":
    main()
