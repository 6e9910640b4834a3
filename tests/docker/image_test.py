# SPDX-License-Identifier: Apache-2.0
"""The image as its user meets it. It is built first, which takes long; so it is skipped unless somebody asks:
GLINT_TEST_IMAGE=build builds it with scripts/image.sh, any other value is the tag of one that is there.
GLINT_BUILDER picks docker, podman or buildah; GLINT_RUN_FLAGS are flags of its `run`, e.g. "--isolation chroot" for
buildah inside a container.   usage: image_test.py GLINT        (that draws the video)"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

GLINT = sys.argv[1]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
WANTED = os.environ.get("GLINT_TEST_IMAGE", "")


def works(builder):
    """Not a docker without its daemon."""
    return shutil.which(builder) and subprocess.run([builder, "images"], capture_output=True, check=False).returncode == 0


BUILDER = os.environ.get("GLINT_BUILDER") or next(filter(works, ("docker", "podman", "buildah")), "")
FLAGS = os.environ.get("GLINT_RUN_FLAGS", "").split()
SKIPPED = 77
DEVICE_UNAVAILABLE = 7


class InContainer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tag = WANTED
        if WANTED == "build":
            cls.tag = "glint:image-test"
            subprocess.run([SOURCE / "scripts/image.sh", cls.tag], check=True)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.folder.chmod(0o755)
        subprocess.run([GLINT, "synth", "--kind", "card", "--size", "320x240", "--frames", "20", "--name", "clip",
                        "--out", cls.folder], check=True, capture_output=True)
        for file in cls.folder.iterdir():
            file.chmod(0o644)
        if BUILDER == "buildah":
            made = subprocess.run(["buildah", "from", "--pull-never", cls.tag], check=True, capture_output=True,
                                  text=True)
            cls.container = made.stdout.strip()
            cls.addClassCleanup(subprocess.run, ["buildah", "rm", cls.container], check=True, capture_output=True)

    def run_in(self, *command):
        mount = ["-v", f"{self.folder}:/videos:ro"]
        if BUILDER == "buildah":
            prefix = ["buildah", "run", *FLAGS, *mount, self.container, "--"]
        else:
            prefix = [BUILDER, "run", "--rm", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
                      "--tmpfs", "/tmp", *FLAGS, *mount, "--entrypoint", command[0], self.tag]
            command = command[1:]
        return subprocess.run([*prefix, *command], capture_output=True, text=True, check=False, timeout=600)

    def test_the_program_says_which_gpu_code_it_holds(self):
        said = self.run_in("glint", "version", "--json")
        self.assertEqual(said.returncode, 0, said.stderr)
        cuda = json.loads(said.stdout)["cuda"]
        print(cuda)
        if os.environ.get("CUDA") == "off":
            self.assertEqual(list(cuda), ["why"])
            return
        self.assertLessEqual({75, 80, 86, 89, 90}, set(cuda["sms"]))
        self.assertEqual(cuda["ptx"], 90)

    def test_a_gpu_that_is_not_there_is_refused_in_one_line(self):
        said = self.run_in("glint", "scan", "/videos/clip.mp4", "--device", "cuda", "--out", "/tmp/none")
        self.assertEqual(said.returncode, DEVICE_UNAVAILABLE, said.stderr)
        lines = [line for line in said.stderr.splitlines() if "device 'cuda' does not work here" in line]
        self.assertEqual(len(lines), 1, said.stderr)
        if os.environ.get("CUDA") == "off":
            self.assertIn("holds no CUDA code", lines[0])
        else:
            self.assertIn("start the container with --gpus all", lines[0])

    def test_a_scan_on_the_cpu_finds_its_decoder(self):
        said = self.run_in("sh", "-c", "glint scan /videos/clip.mp4 --device cpu --out /tmp/done >&2 && "
                                       "cat /tmp/done/report.json")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(json.loads(said.stdout)["device"]["name"], "cpu")

    def test_it_says_what_it_is_made_of_and_what_it_wants_of_a_gpu(self):
        said = self.run_in("sh", "-c", "id -u; env; cd /usr/share/glint; ls licences/glint licences/glint-decode; "
                                       "cat packages/glint.txt")
        self.assertEqual(said.returncode, 0, said.stderr)
        lines = said.stdout.splitlines()
        self.assertEqual(lines[0], "10001", "not root")
        self.assertIn("NVIDIA_DRIVER_CAPABILITIES=compute,video,utility", lines)
        self.assertIn("NVIDIA_VISIBLE_DEVICES=all", lines)
        self.assertIn("libavcodec59", lines, "a licence of the decoder's")
        runtimes = [line for line in lines if line.startswith(("nvidia-cuda-dev ", "libcudart_static"))]
        self.assertEqual(bool(runtimes), os.environ.get("CUDA") != "off", "the CUDA runtime, in the list of packages")


if __name__ == "__main__":
    if not WANTED or not BUILDER:
        print("skipped: " + ("GLINT_TEST_IMAGE is not set; building the image takes more than five minutes" if BUILDER
                             else "neither docker, podman nor buildah works here"))
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0]], verbosity=2)
