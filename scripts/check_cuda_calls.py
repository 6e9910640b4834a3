#!/usr/bin/env python3
"""Looks for calls of the CUDA runtime whose error could be forgotten.

Usage: check_cuda_calls.py FOLDER...

In C++ and CUDA files, every call of a function cudaXxx() must be the argument of Check() or
Tried(), whose results are [[nodiscard]], or be returned. Prints those that are not; exits with 1
when there are any, or when no call was found at all.
"""
import pathlib
import re
import sys

CALL = re.compile(r"\bcuda[A-Z]\w*\s*\(")
# They only name an error.
HARMLESS = {"cudaGetErrorString", "cudaGetErrorName"}
GUARDED = re.compile(r"(\b(Check|Tried)\s*\(|\breturn)\s*$")


def without_comments_and_texts(source):
    """The source with comments and strings blanked, line by line the same."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), source, flags=re.S)


def bare_calls(path):
    """(guarded, [line of each bare call]) of a file."""
    source = without_comments_and_texts(path.read_text(encoding="utf-8"))
    guarded, bare = 0, []
    for match in CALL.finditer(source):
        name = match.group().rstrip("( \t\n")
        if name in HARMLESS:
            continue
        if GUARDED.search(source[:match.start()]):
            guarded += 1
        else:
            bare.append((source.count("\n", 0, match.start()) + 1, name))
    return guarded, bare


def main():
    guarded, failed = 0, False
    for folder in sys.argv[1:]:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            if path.suffix not in (".h", ".cc", ".cu", ".cuh"):
                continue
            here, bare = bare_calls(path)
            guarded += here
            for line, name in bare:
                print(f"{path}:{line}: the error of {name}() can be forgotten; give it to Check()")
                failed = True
    print(f"{guarded} calls of the CUDA runtime, each of them checked" if not failed else "")
    return 1 if failed or guarded == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
