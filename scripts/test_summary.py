#!/usr/bin/env python3
"""Counts what ctest and the GoogleTest programs below it ran, and prints one closing line.

Usage: test_summary.py FOLDER   (with ctest.xml and one JSON file per GoogleTest program)
Exits with 1 when something failed, when nothing ran, or, with CI=true, when a test other than a GPU
test was skipped.
"""
import json
import os
import pathlib
import sys
import xml.etree.ElementTree


def googletest_cases(path):
    """(name, state, why) of every case in a GoogleTest JSON report."""
    report = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            name = f"{suite['name']}.{case['name']}"
            if case.get("status") == "NOTRUN":
                continue  # disabled, or left out by a filter
            if case.get("failures"):
                yield name, "failed", ""
            elif case.get("result") == "SKIPPED":
                why = "; ".join(s.get("message", "").strip() for s in case.get("skipped", []))
                yield name, "skipped", " ".join(why.split())
            else:
                yield name, "passed", ""


def ctest_cases(path, counted, blamed):
    """The same of ctest's report. Programs whose own cases were counted add nothing, unless they
    failed although none of their cases did (a crash, a timeout, a sanitizer at the end)."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        name, status = case.get("name"), case.get("status")
        if status == "fail":
            if name not in blamed:
                yield name, "failed", ""
        elif name in counted:
            continue
        elif status == "run":
            yield name, "passed", ""
        else:
            yield name, "skipped", "not run"


def main():
    folder = pathlib.Path(sys.argv[1])
    by_program = {report.stem: list(googletest_cases(report))
                  for report in sorted(folder.glob("*.json"))}
    blamed = {program for program, cases in by_program.items()
              if any(state == "failed" for _, state, _ in cases)}
    cases = [case for program_cases in by_program.values() for case in program_cases]
    cases += ctest_cases(folder / "ctest.xml", by_program, blamed)

    count = {state: sum(1 for case in cases if case[1] == state)
             for state in ("passed", "failed", "skipped")}
    forbidden = []
    for name, state, why in cases:
        if state == "skipped":
            gpu = "gpu" in name.lower() or "cuda" in name.lower()
            print(f"skipped: {name}{': ' + why if why else ''}")
            if not gpu:
                forbidden.append(name)
    strict = os.environ.get("CI", "").lower() in ("true", "1")
    if strict and forbidden:
        print(f"with CI=true only GPU tests may be skipped; {len(forbidden)} others were")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    nothing = count["passed"] + count["failed"] == 0
    return 1 if count["failed"] or nothing or (strict and forbidden) else 0


if __name__ == "__main__":
    sys.exit(main())
