# SPDX-License-Identifier: Apache-2.0
"""scripts/image_test.sh with stand-ins for the builder, the build and the test.   usage: image_script_test.py SCRIPT"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
TOOLS = ("bash", "dirname", "id", "mktemp", "rm", "sed", "sort", "tail", "timeout")
SKIPPED = 77
BUILDAH = """echo "buildah $*" >>"$LOG"
case "$1 $2" in
  "images -q") [ -z "$BASE" ] || echo 0123 ;;
  "images --format") echo "424 MB"; echo "424 MB" ;;  # a line for each of its tags
  "images ") ;;
  *) exit 1 ;;
esac"""


class Images(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "tools").mkdir()
        for tool in TOOLS:
            (self.folder / "tools" / tool).symlink_to(shutil.which(tool))
        (self.folder / "scripts").mkdir()
        shutil.copy(SCRIPT, self.folder / "scripts")
        self.put("build/release/src/cli/glint", "")
        self.put("tools/buildah", BUILDAH)
        self.put("scripts/image.sh", 'echo "image.sh $* CUDA=$CUDA with $GLINT_BUILDER" >>"$LOG"')
        self.put("tools/docker", "exit 1")  # its daemon does not run
        self.put("tools/python3", 'echo "$* of $GLINT_TEST_IMAGE CUDA=$CUDA" >>"$LOG"')

    def put(self, program, script):
        path = self.folder / program
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def ran(self, *arguments, **environment):
        log = self.folder / "log"
        log.write_text("")
        done = subprocess.run([self.folder / "scripts" / SCRIPT.name, *arguments], capture_output=True, text=True,
                              check=False, timeout=30,
                              env={"PATH": str(self.folder / "tools"), "LOG": str(log), **environment})
        return done, log.read_text().splitlines()

    def skipped(self, why, *arguments, **environment):
        done, log = self.ran(*arguments, **environment)
        self.assertEqual(done.returncode, SKIPPED, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(why, done.stderr)
        self.assertFalse([line for line in log if line.startswith("image.sh")])

    def test_both_images_are_built_and_tried(self):
        done, log = self.ran(BASE="here")
        self.assertEqual(done.returncode, 0, done.stderr)
        tried = "tests/docker/image_test.py build/release/src/cli/glint of"
        self.assertEqual([line for line in log if not line.startswith("buildah")],
                         ["image.sh glint:image-test-cuda-on CUDA=on with buildah",
                          f"{tried} glint:image-test-cuda-on CUDA=on",
                          "image.sh glint:image-test-cuda-off CUDA=off with buildah",
                          f"{tried} glint:image-test-cuda-off CUDA=off"])
        self.assertEqual(done.stdout.splitlines(), ["image_test: CUDA on: 424 MB", "image_test: CUDA off: 424 MB"])

    def test_what_fails_in_an_image_fails(self):
        self.put("tools/python3", "exit 1")
        done, _ = self.ran(BASE="here")
        self.assertEqual(done.returncode, 1)

    def test_ci_builds_none_unless_it_is_asked_to(self):
        self.skipped("GLINT_TEST_IMAGE=build asks", "--if-asked", BASE="here")
        self.skipped("GLINT_TEST_IMAGE=build asks", "--if-asked", BASE="here", GLINT_TEST_IMAGE="glint:latest")
        done, _ = self.ran("--if-asked", BASE="here", GLINT_TEST_IMAGE="build")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_missing_is_told(self):
        self.skipped("cannot pull it (--base makes one)")
        self.skipped("wants debootstrap" if os.getuid() == 0 else "wants buildah and root", "--base")
        (self.folder / "tools" / "buildah").unlink()
        self.skipped("neither docker, podman nor buildah")
        shutil.rmtree(self.folder / "build")
        self.skipped("no build of glint")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
