#!/usr/bin/env python3
"""Counts what ctest and the GoogleTest programs below it ran, and prints one closing line.

Usage: test_summary.py FOLDER   (with ctest.xml and one JSON file per GoogleTest program)
Exits with 1 when something failed, when nothing ran, or, with CI=true, when a test was skipped that
could have run here: each excuse is checked (EXCUSES).
"""
import collections
import ctypes
import os
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

CLONE_NEWNS = 0x20000


def googletest_cases(path):
    """(name, state, why) of every case in a GoogleTest XML report. (Version 1.12, Debian's, leaves
    what a test said when it skipped out of its JSON.)"""
    for suite in xml.etree.ElementTree.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            name = f"{suite.get('name')}.{case.get('name')}"
            if case.get("status") == "notrun":
                continue  # disabled, or left out by a filter
            if case.find("failure") is not None:
                yield name, "failed", ""
            elif case.get("result") == "skipped":
                why = "; ".join(skip.get("message", "") for skip in case.iter("skipped"))
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


def is_gpu_test(name, _why):
    return "gpu" in name.lower() or "cuda" in name.lower()


def lacks_shared_data(_name, why):
    """The project's own test data (tests/support/shared_data.h), which a user's clone does not have."""
    beside = pathlib.Path(__file__).resolve().parents[2] / "shared/data"
    data = pathlib.Path(os.environ.get("GLINT_SHARED_DATA", beside))
    return "shared test data" in why and not (data / "clips").exists()


def may_not_mount(_name, why):
    """Tests that want a disk of their own (tests/cli/program.h); a child tries to get one."""
    if "mounting is forbidden" not in why:
        return False
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryDirectory() as place:
        child = os.fork()
        if child == 0:
            os._exit(0 if libc.unshare(CLONE_NEWNS) == 0
                     and libc.mount(b"tmpfs", place.encode(), b"tmpfs", 0, b"size=64k") == 0 else 1)
        return os.waitpid(child, 0)[1] != 0


def names_no_supabase(_name, why):
    """Tests on a real Supabase Storage server, which no package has (scripts/supabase_server.sh)."""
    return "GLINT_TEST_SUPABASE_SOURCE" in why and not os.environ.get("GLINT_TEST_SUPABASE_SOURCE")


# Why a test may be skipped even with CI=true.
EXCUSES = {
    "for want of a GPU": is_gpu_test,
    "for want of the shared test data": lacks_shared_data,
    "for want of a real Supabase": names_no_supabase,
    "where mounting is forbidden": may_not_mount,
}


def excuse_of(name, why):
    """The first excuse that holds, or None."""
    return next((excuse for excuse, holds in EXCUSES.items() if holds(name, why)), None)


def main():
    folder = pathlib.Path(sys.argv[1])
    by_program = {report.stem: list(googletest_cases(report))
                  for report in sorted(folder.glob("*.xml")) if report.name != "ctest.xml"}
    blamed = {program for program, cases in by_program.items()
              if any(state == "failed" for _, state, _ in cases)}
    cases = [case for program_cases in by_program.values() for case in program_cases]
    cases += ctest_cases(folder / "ctest.xml", by_program, blamed)

    count = {state: sum(1 for case in cases if case[1] == state)
             for state in ("passed", "failed", "skipped")}
    excused = collections.Counter()
    for name, state, why in cases:
        if state == "skipped":
            print(f"skipped: {name}{': ' + why if why else ''}")
            excused[excuse_of(name, why)] += 1
    for excuse, times in excused.items():
        print(f"skipped {excuse or 'although they could have run'}: {times}")
    strict = os.environ.get("CI", "").lower() in ("true", "1")
    forbidden = strict and excused[None] > 0
    if forbidden:
        print(f"with CI=true no test may be skipped that could have run; {excused[None]} were")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped")
    nothing = count["passed"] + count["failed"] == 0
    return 1 if count["failed"] or nothing or forbidden else 0


if __name__ == "__main__":
    sys.exit(main())
