#!/usr/bin/env python3
"""Checks that what the documentation names is there, in a second.

In every Markdown file, of what stands in `backticks`:

  - a path below a folder of this tree (also of src, tests or include, and without its ending) exists;
  - a source file that is named without a folder exists somewhere;
  - a name like RunScan, kMaxViews, glint::Plane or line_width stands in some file of the tree that is
    no documentation;
  - a test like Strangers.SilentConnectionsAreDropped, or .SilentConnectionsAreDropped, stands there, too.

Relative links lead to files, and lines are at most 120 characters wide, but for tables, code and
long addresses. Decisions (docs/adr) and the changelog name what was there then: only links and lines count.

usage: scripts/check_docs.py      prints what it finds and then exits with 1
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {"build", "node_modules", ".git", ".next", "out", "generated", "__pycache__"}
MAX_WIDTH = 120
SOURCES = (".cc", ".h", ".cu", ".cuh", ".py", ".sh", ".proto", ".cmake", ".ts", ".tsx", ".mjs", ".in")
# Paths with other endings are what glint leaves, or others do.
CHECKED = {*SOURCES, ".md", ".yml", ".yaml", ""}
# Names of others' programs and interfaces that the documentation mentions.
FOREIGN = {"score.py", "middleware.ts", "ReadWriteOnce", "nvidia_cuda_runtime"}

CODE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.-]+(/[\w.{},*-]+)+/?")
FILE = re.compile(r"[\w-]+(" + "|".join(map(re.escape, SOURCES)) + r")|[\w-]+\.\{h,cc\}")
NAME = re.compile(r"(?:\w+::)*(~?[A-Za-z_]\w*)(?:\(\))?")
CAMEL = re.compile(r"k?[A-Z]+[a-z0-9]+(?:[A-Z]+[a-z0-9]*)+|k[A-Z]\w+")
TEST = re.compile(r"([A-Z]\w*)?\.([A-Z][a-z]*[A-Z]\w*)(…)?")
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)+")


def tree_files():
    for path in ROOT.rglob("*"):
        relative = path.relative_to(ROOT)
        if path.is_file() and not SKIPPED & set(relative.parts):
            yield relative


def documents(files):
    for path in files:
        if path.suffix == ".md":
            yield path


class Tree:
    """What there is to be named."""

    def __init__(self, files):
        self.names = {path.name for path in files}
        self.paths = {str(path) for path in files} | {str(up) for path in files for up in path.parents}
        self.tops = {path.parts[0] for path in files if len(path.parts) > 1}
        self.below_src = {path.parts[1] for path in files if path.parts[0] == "src" and len(path.parts) > 2}
        self.words = {word for path in files for word in re.split(r"\W+", path.name)}
        for path in files:
            if path.suffix not in (".md", ".png", ".jpg", ".svg", ".mp4"):
                self.words.update(re.findall(r"\w+", (ROOT / path).read_text(errors="replace")))

    def has_path(self, path, beside):
        """Of one path, without braces: as it is, from a folder's root or the document's place, and
        without an ending."""
        if "*" in path:
            return any(pathlib.PurePath(one).match(path) for one in self.paths)
        starts = [path, f"src/{path}", f"tests/{path}", f"include/{path}", str(beside / path)]
        return any(start + ending in self.paths for start in starts for ending in ("", *SOURCES))

    def is_ours(self, path):
        first = path.partition("/")[0]
        return (first in self.tops or first in self.below_src) and pathlib.PurePath(path).suffix in CHECKED


def spread(path):
    """Paths that a{b,c} stands for."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if not braces:
        return [path]
    return [one for part in braces.group(1).split(",")
            for one in spread(path[:braces.start()] + part + path[braces.end():])]


def what_is_wrong(code, tree, beside):
    """Why a piece of code in the text names something that is not there, or None."""
    code = code.strip()
    if code in FOREIGN:
        return None
    if PATH.fullmatch(code) and tree.is_ours(code):
        missing = [path for path in spread(code.rstrip("/")) if not tree.has_path(path, beside)]
        return f"there is no {', '.join(missing)}" if missing else None
    if FILE.fullmatch(code):
        missing = [name for name in spread(code) if name not in tree.names]
        return f"no file has the name {', '.join(missing)}" if missing else None
    test = TEST.fullmatch(code)
    if test:
        suite, case, cut = test.groups()
        known = any(word.startswith(case) for word in tree.words) if cut else case in tree.words
        if suite and suite not in tree.words:
            return f"there is no {suite}"
        return None if known else f"no test has the name {case}"
    name = NAME.fullmatch(code)
    if not name:
        return None
    word = name.group(1)
    if (CAMEL.fullmatch(word) or SNAKE.fullmatch(word)) and word not in tree.words:
        return f"{word} stands nowhere in the code"
    return None


def check(path, tree):
    names = "adr" not in path.parts and path.name != "CHANGELOG.md"
    fenced = False
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        at = f"{path}:{number}"
        if line.lstrip().startswith("```"):
            fenced = not fenced
            continue
        if fenced or line.startswith("    "):
            continue
        for link in LINK.findall(line):
            file = link.partition("#")[0]
            if file and "://" not in link and not link.startswith("mailto:"):
                if not (ROOT / path.parent / file).exists():
                    yield f"{at}: the link leads nowhere: {link}"
        for code in CODE.findall(line) if names else ():
            wrong = what_is_wrong(code, tree, path.parent)
            if wrong:
                yield f"{at}: `{code}`: {wrong}"
        breakable = all(len(word) <= MAX_WIDTH - 40 for word in line.split())
        if len(line) > MAX_WIDTH and breakable and not line.lstrip().startswith("|"):
            yield f"{at}: {len(line)} characters wide; at most {MAX_WIDTH}"


def main():
    files = sorted(tree_files())
    tree = Tree(files)
    found = [wrong for path in documents(files) for wrong in check(path, tree)]
    print("\n".join(found) if found else "docs: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
