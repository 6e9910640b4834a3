#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy, every finding is an error) over our sources, or over the files given.

usage: scripts/tidy.py [--jobs N] [--together N] [FILE...]

Most of the time goes into headers that many sources share. So those of a folder that are compiled alike
are checked several at a time, as one source that includes them; those that do not compile together (two
use one name for two things) are checked in halves.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/tidy"  # of its own: without compiled headers
GROUPS = BUILD / "groups"
OURS = [ROOT / folder for folder in ("src", "tests", "bench")]
HEADERS = f"{ROOT}/(include|src|tests|bench)/.*"


def configure():
    """Leaves the commands of the compiler and the generated headers in BUILD."""
    # clang cannot read the headers that GCC compiled.
    for command in (["cmake", "--preset", "debug", "-B", BUILD,
                     "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON"],
                    ["cmake", "--build", BUILD, "--target", "glint_proto_sources"]):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def sources(wanted):
    """{(folder, flags): files} of what the build knows; fuzz targets and examples it does not."""
    alike = collections.defaultdict(set)
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        if path.suffix != ".cc" or (wanted and path not in wanted):
            continue
        if any(path.is_relative_to(folder) for folder in OURS):
            alike[path.parent, entry["command"].partition(" -o ")[0]].add(path)
    seen = set()  # a file of several targets is checked once
    for place, files in alike.items():
        alike[place] = sorted(files - seen)
        seen |= files
    return alike


def check(flags, files):
    """What clang-tidy says of the files, "" when nothing."""
    name = hashlib.sha256("\n".join(map(str, files)).encode()).hexdigest()[:16]
    folder = GROUPS / name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "group.cc"
    source.write_text("".join(f'#include "{file}"\n' for file in files))
    command = f"{flags} -c {source}"
    (folder / "compile_commands.json").write_text(
        json.dumps([{"directory": str(BUILD), "file": str(source), "command": command}]))
    ended = subprocess.run(
        ["clang-tidy", "-p", folder, "--quiet", "--checks=-bugprone-suspicious-include",
         f"--header-filter={HEADERS}", source],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if "[clang-diagnostic-" in ended.stdout and len(files) > 1:
        half = len(files) // 2
        return check(flags, files[:half]) + check(flags, files[half:])
    if ended.returncode != 0:
        return ended.stdout or f"clang-tidy failed on {', '.join(map(str, files))}\n"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at the same time")
    parser.add_argument("--together", type=int, default=8, help="files per run at most")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not shutil.which("clang-tidy"):
        sys.exit("tidy: clang-tidy is missing: apt-get install clang-tidy")
    configure()
    groups = []
    for (_, flags), files in sources({file.resolve() for file in options.files}).items():
        groups += [(flags, files[i:i + options.together])
                   for i in range(0, len(files), options.together)]
    count = sum(len(files) for _, files in groups)
    if count == 0:
        sys.exit("tidy: none of these files is compiled")
    done, clean = 0, True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(check, *group): len(group[1]) for group in groups}
        for ended in concurrent.futures.as_completed(running):
            done += running[ended]
            found = ended.result()
            clean = clean and not found
            print(f"{found}tidy: {done} of {count} files", flush=True)
    if not clean:
        sys.exit("tidy: see above")
    print("tidy: clean")


if __name__ == "__main__":
    main()
