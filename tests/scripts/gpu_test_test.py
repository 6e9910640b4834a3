# SPDX-License-Identifier: Apache-2.0
"""scripts/gpu-test.sh with stand-ins for the programs that need a GPU.   usage: gpu_test_test.py GPU-TEST-SH"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
PROGRAMS = ("src/cli/glint", "tests/stages/stages_test", "tests/stages/cuda_stages_test", "tests/scan/cuda_scan_test",
            "tests/decode/nvdec_test")
GOOD = 'echo "[  PASSED  ] 3 tests."'
# What the script calls, besides programs of glint and a compute-sanitizer that may be here or not.
TOOLS = ("bash", "cut", "dirname", "grep", "mkdir", "sed", "sleep", "tail", "tee", "timeout")
# Leaves its own flags out and runs what stands after them.
SANITIZER = '''while [ "${1#--}" != "$1" ]; do
  case $1 in --tool | --error-exitcode) shift ;; esac
  shift
done
exec "$@"'''
LOST = "echo '========= Unable to find injection library libsanitizer-collection.so'"


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for program in PROGRAMS:
            self.put(program, GOOD)
        (self.folder / "tools").mkdir()
        for tool in TOOLS:
            (self.folder / "tools" / tool).symlink_to(shutil.which(tool))

    def put(self, program, script):
        path = self.folder / program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def table(self, **environment):
        ran = subprocess.run([SCRIPT, self.folder], cwd=self.folder, capture_output=True, text=True, check=False,
                             timeout=60, env={"PATH": str(self.folder / "tools"), **environment})
        lines = (self.folder / "gpu-test-results" / "table.txt").read_text().splitlines()
        self.assertEqual(ran.stdout.splitlines()[:-1], lines, "what is printed is what is kept")
        return ran.returncode, {line.split()[0]: line for line in lines}

    def test_all_parts_pass(self):
        code, rows = self.table()
        self.assertEqual(code, 0, rows)
        self.assertEqual(list(rows)[:8], ["doctor", "parity", "equality", "scans", "nvdec", "verify", "verify-large",
                                          "bench"])
        self.assertRegex(rows["parity"], r"passed +\d+ s  \[  PASSED  \] 3 tests")
        self.assertIn("NOT RUN  it is not installed", rows["compute-sanitizer"])

    def test_a_part_that_fails_or_skips_is_told_and_the_rest_runs(self):
        self.put("tests/stages/stages_test", "echo broken; exit 1")
        self.put("tests/decode/nvdec_test", 'echo "[  SKIPPED ] 1 test"; exit 0')
        code, rows = self.table()
        self.assertEqual(code, 1)
        self.assertRegex(rows["parity"], "FAILED .*broken")
        self.assertIn("FAILED", rows["nvdec"])
        self.assertIn("passed", rows["bench"])

    def test_a_sanitizer_that_works_runs_with_all_its_tools(self):
        self.put("tools/compute-sanitizer", SANITIZER)
        self.put("tests/stages/cuda_stages_test", 'case $* in *Graph*) echo "a race"; exit 9 ;; esac; ' + GOOD)
        code, rows = self.table()
        self.assertEqual(code, 1, rows)
        self.assertNotIn("compute-sanitizer", rows)
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            self.assertIn("passed", rows[tool])
            self.assertRegex(rows[f"{tool}-graphs"], "FAILED .*a race")

    def test_a_sanitizer_that_runs_nothing_is_told_and_left_out(self):
        self.put("tools/compute-sanitizer", LOST + "; exit 13")
        code, rows = self.table()
        self.assertEqual(code, 0, rows)
        self.assertRegex(rows["compute-sanitizer"],
                         "NOT RUN +it does not work: Unable to find injection library libsanitizer-collection.so$")
        self.assertEqual(list(rows)[-2:], ["bench", "compute-sanitizer"])

    def test_the_libraries_of_debians_sanitizer_are_found(self):
        flag = "--injection-path=/usr/lib/nvidia-cuda-toolkit/compute-sanitizer"
        self.put("tools/compute-sanitizer", f"[ \"$1\" = {flag} ] || {{ {LOST}; exit 13; }}\n{SANITIZER}")
        code, rows = self.table()
        self.assertEqual(code, 0, rows)
        self.assertIn("passed", rows["memcheck"])
        self.assertIn("passed", rows["synccheck-graphs"])

    def test_it_ends_in_time(self):
        self.put("tests/stages/cuda_stages_test", "sleep 50")
        code, rows = self.table(GLINT_GPU_SECONDS="2")
        self.assertEqual(code, 1)
        self.assertIn("passed", rows["parity"])
        self.assertIn("TOO-LONG", rows["equality"])
        self.assertIn("no time left", rows["bench"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
