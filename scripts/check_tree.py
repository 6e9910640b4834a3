#!/usr/bin/env python3
"""Checks habits of this tree that no compiler checks, in a second.

  - CMake lists name one source a line, sorted.
  - No function of src and bench is longer than 50 lines, none of src/analyse longer than 40.
  - The folders of src/analyse/photometric include only what stands below them in docs/architecture.md.
  - The subjects of commits since the branch left origin/main have at most 72 characters (without
    history, or on origin/main itself, of the last commit).

usage: scripts/check_tree.py      prints what it finds and then exits with 1
"""
import itertools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {"build", "node_modules", ".git", ".next", "out"}
MAX_SUBJECT = 72
# What opens a brace at the start of a line and is no function.
OTHERS = re.compile(r"\s*(inline\s+)?(namespace|class|struct|enum|union|extern|template\s*<[^>]*>\s*(class|struct)|"
                    r"public|private|protected|case|default|do|else|try)\b")


def files(folder, *endings):
    for path in sorted((ROOT / folder).rglob("*")):
        if path.name.endswith(endings) and not SKIPPED & set(path.relative_to(ROOT).parts):
            yield path


def at(path, line, text):
    return f"{path.relative_to(ROOT)}:{line}: {text}"


### CMake ##########################################################################################
SOURCE = re.compile(r"(?:^|\s)([\w./-]+\.(?:cc|cu))(?=$|[\s)])")


def cmake_lists():
    for path in files(".", "CMakeLists.txt"):
        above = None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.strip().startswith(("APART ", "set_source_files_properties")):
                continue  # properties of what is listed elsewhere
            sources = SOURCE.findall(line.partition("#")[0])
            if len(sources) > 1:
                yield at(path, number, f"one source a line, not {len(sources)}")
            alone = len(sources) == 1 and re.fullmatch(r"\s*[\w./-]+\)*", line)
            if alone and above and sources[0] < above:
                yield at(path, number, f"{sources[0]} belongs above {above}")
            above = sources[0] if alone else None


### Functions ######################################################################################
def without_texts(source):
    """The source with comments and strings blanked, line by line the same."""
    pattern = r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|/\*(?:.|\n)*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), source)


def functions(lines):
    """(first, last) line of every function; relies on the format that clang-format leaves."""
    for end, line in enumerate(lines):
        closing = re.fullmatch(r"(\s*)\}\s*", line)
        if not closing or len(closing.group(1)) > 4:
            continue
        indent = closing.group(1)
        opening = re.compile(rf"{indent}\S.*")
        start = end - 1
        while start >= 0 and not opening.fullmatch(lines[start]):
            start -= 1
        # A signature of several lines: its first one has the same indent, the others a larger one.
        head = " ".join(part.strip() for part in lines[start:end])
        if start < 0 or OTHERS.match(lines[start]) or "(" not in head.partition("{")[0]:
            continue
        if re.match(rf"{indent}(if|for|while|switch|return|\}})\b", lines[start]) or lines[start].startswith(f"{indent}}}"):
            continue
        yield start + 1, end + 1


def long_functions():
    for path in itertools.chain(*(files(folder, ".cc", ".h", ".cu", ".cuh") for folder in ("src", "bench"))):
        limit = 40 if "analyse" in path.relative_to(ROOT).parts else 50
        lines = [line.rstrip() for line in without_texts(path.read_text()).splitlines()]
        for first, last in functions(lines):
            if last - first + 1 > limit:
                yield at(path, first, f"a function of {last - first + 1} lines; at most {limit}")


### Folders ########################################################################################
PHOTOMETRIC = "src/analyse/photometric"
INCLUDED = re.compile(r'#include "analyse/photometric/(?:(\w+)/)?\w+\.\w+"')


def upward_includes():
    table = (ROOT / "docs/architecture.md").read_text().partition("| folder of `analyse/photometric` |")[2]
    order = re.findall(r"^\| `(\w+)` \|", table.partition("\n\n")[0], re.MULTILINE)
    for path in files(PHOTOMETRIC, ".h", ".cc"):
        folder = path.parent.name
        if path.parent == ROOT / PHOTOMETRIC:
            continue  # the steps: above all
        if folder not in order:
            yield at(path, 1, f"docs/architecture.md does not say what {folder} asks")
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            included = INCLUDED.match(line)
            if included and included[1] not in order[order.index(folder):]:
                yield at(path, number, f"{folder} stands below {included[1] or 'the steps'} in docs/architecture.md")


### Commits ########################################################################################
def git(*arguments):
    ended = subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, check=False)
    return ended.stdout.strip() if ended.returncode == 0 else ""


def long_subjects():
    base = git("merge-base", "HEAD", "origin/main")
    wanted = [f"{base}..HEAD"] if base and base != git("rev-parse", "HEAD") else ["-1", "HEAD"]
    for line in git("log", "--no-merges", "--format=%h %s", *wanted).splitlines():
        name, _, subject = line.partition(" ")
        if len(subject) > MAX_SUBJECT:
            yield f"commit {name}: its subject has {len(subject)} characters; at most {MAX_SUBJECT}"


def main():
    found = [*cmake_lists(), *long_functions(), *upward_includes(), *long_subjects()]
    print("\n".join(found) if found else "tree: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
