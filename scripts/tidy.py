#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy, every finding is an error) over our sources, or over the files given.

usage: scripts/tidy.py [--jobs N] [--together N] [--changed [--seconds S]] [FILE...]

--changed takes the sources that differ from where the branch left origin/main (on origin/main itself,
from the commit before), and those beside a changed header of the same name: src first, small changes first.
--seconds ends after that time and says what was left out.

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
import time

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


def git(*arguments):
    """What git prints, or None where it fails: without git, history or such a commit."""
    ended = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, check=False)
    return ended.stdout.strip() if ended.returncode == 0 else None


def changed_sources():
    """{source: lines changed in it and its header}, or None where there is nothing to compare with."""
    base = git("merge-base", "HEAD", "origin/main")
    if base is None or base == git("rev-parse", "HEAD"):
        base = git("rev-parse", "--verify", "HEAD~1")
    if base is None:
        return None
    changed = collections.Counter()
    for line in (git("diff", "--numstat", "--no-renames", "--diff-filter=d", base) or "").splitlines():
        added, removed, name = line.split("\t")
        path = ROOT / name
        if path.suffix in (".cc", ".h") and path.with_suffix(".cc").exists():
            changed[path.with_suffix(".cc").resolve()] += int(added) + int(removed)
    return changed


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


def check(flags, files, end):
    """What clang-tidy says of the files, "" when nothing; None where it is not done by `end`."""
    if time.monotonic() >= end:
        return None
    name = hashlib.sha256("\n".join(map(str, files)).encode()).hexdigest()[:16]
    folder = GROUPS / name
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "group.cc"
    source.write_text("".join(f'#include "{file}"\n' for file in files))
    command = f"{flags} -c {source}"
    (folder / "compile_commands.json").write_text(
        json.dumps([{"directory": str(BUILD), "file": str(source), "command": command}]))
    try:
        ended = subprocess.run(
            ["clang-tidy", "-p", folder, "--quiet", "--checks=-bugprone-suspicious-include",
             f"--header-filter={HEADERS}", source], timeout=min(end - time.monotonic(), 86400),
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except subprocess.TimeoutExpired:
        return None
    if "[clang-diagnostic-" in ended.stdout and len(files) > 1:
        half = len(files) // 2
        found = [check(flags, part, end) for part in (files[:half], files[half:])]
        return None if None in found else "".join(found)
    if ended.returncode != 0:
        return ended.stdout or f"clang-tidy failed on {', '.join(map(str, files))}\n"
    return ""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at the same time")
    parser.add_argument("--together", type=int, default=8, help="files per run at most")
    parser.add_argument("--changed", action="store_true", help="only what differs from origin/main")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after that time")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    return parser.parse_args()


def groups_of(wanted, together):
    """(flags, files) of each run of clang-tidy: src first, then those with the smallest changes."""
    def order(group):
        files = group[1]
        ours = files[0].is_relative_to(ROOT / "src")
        return not ours, sum(wanted.get(file, 0) for file in files) / len(files)

    groups = []
    for (_, flags), files in sources(set(wanted)).items():
        files.sort(key=lambda file: wanted.get(file, 0))
        groups += [(flags, files[i:i + together]) for i in range(0, len(files), together)]
    return sorted(groups, key=order)


def check_all(groups, jobs, seconds):
    """Prints what is found. @return whether nothing was"""
    count = sum(len(files) for _, files in groups)
    done, clean, left_out = 0, True, []
    end = time.monotonic() + seconds
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        running = {pool.submit(check, *group, end): group[1] for group in groups}
        for ended in concurrent.futures.as_completed(running):
            found, files = ended.result(), running[ended]
            if found is None:
                left_out += files
                continue
            done += len(files)
            clean = clean and not found
            print(f"{found}tidy: {done} of {count} files", flush=True)
    if left_out:
        names = ", ".join(str(file.relative_to(ROOT)) for file in left_out)
        print(f"tidy: {len(left_out)} files were left out for want of time: {names}")
    return clean


def main():
    options = arguments()
    if not shutil.which("clang-tidy"):
        sys.exit("tidy: clang-tidy is missing: apt-get install clang-tidy")
    wanted = dict.fromkeys((file.resolve() for file in options.files), 0)
    if options.changed:
        changed = changed_sources()
        if not changed:
            print("tidy: no history to compare with" if changed is None else "tidy: no source has changed")
            return
        wanted.update(changed)
    configure()
    groups = groups_of(wanted, options.together)
    if not groups:
        sys.exit("tidy: none of these files is compiled")
    if not check_all(groups, options.jobs, options.seconds):
        sys.exit("tidy: see above")
    print("tidy: nothing found")


if __name__ == "__main__":
    main()
