# SPDX-License-Identifier: Apache-2.0
"""scripts/setup.sh with stand-ins for apt, which change nothing.   usage: setup_test.py SETUP-SH"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path("/etc/apt/sources.list.d/glint-cuda.sources")
ON_DEBIAN = "ID=debian\n" in pathlib.Path("/etc/os-release").read_text()


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.put("id", "echo 0")
        self.put("apt-get", f'echo "$@" >> {self.folder}/apt.log')
        self.put("tee", f'cat > {self.folder}/source; echo "$1" > {self.folder}/tee.log')
        self.put("dpkg-query", "exit 1")  # nothing is installed
        self.put("apt-cache", "true")  # and apt knows no such package
        self.put("nvcc", "true")

    def put(self, name, script):
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)

    def setup(self, *arguments, **environment):
        kept = {name: value for name, value in os.environ.items() if name != "CUDACXX"}
        return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False,
                              env={**kept, "PATH": f"{self.folder}:/usr/bin:/bin", **environment})

    def apt(self):
        log = self.folder / "apt.log"
        return log.read_text() if log.exists() else ""

    def test_without_a_flag_cuda_stays_away(self):
        self.assertEqual(self.setup().returncode, 0)
        self.assertIn("libavcodec-dev", self.apt())
        self.assertNotIn("nvidia", self.apt())

    @unittest.skipIf(not ON_DEBIAN or SOURCE.exists(), "not Debian, or the source is there already")
    def test_cuda_comes_from_debians_non_free_part_and_that_is_said(self):
        ran = self.setup("--cuda", CUDACXX="/usr/bin/nvcc")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(f"setup: adding {SOURCE}: Debian bookworm, components contrib and non-free", ran.stdout)
        self.assertIn("1.6 GB to fetch", ran.stdout)
        self.assertEqual((self.folder / "tee.log").read_text().strip(), str(SOURCE))
        self.assertIn("\nComponents: contrib non-free\n", (self.folder / "source").read_text())
        self.assertIn("update", self.apt().splitlines()[0])
        self.assertRegex(self.apt(), "install .* nvidia-cuda-toolkit g\\+\\+-11")

    def test_a_package_that_apt_knows_needs_no_new_source(self):
        self.put("apt-cache", "echo nvidia-cuda-toolkit")
        ran = self.setup("--cuda", CUDACXX="/usr/bin/nvcc")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("adding", ran.stdout)
        self.assertIn("nvidia-cuda-toolkit", self.apt())

    def test_another_nvcc_is_taken_as_it_is(self):
        ran = self.setup("--cuda")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(f"CUDA is here already: {self.folder}/nvcc", ran.stdout)
        self.assertNotIn("nvidia", self.apt())

    def test_an_unknown_flag_is_refused(self):
        ran = self.setup("--gpu")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("unknown argument '--gpu'", ran.stderr)
        self.assertEqual(self.apt(), "")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
