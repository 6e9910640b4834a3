# SPDX-License-Identifier: Apache-2.0
"""scripts/opencv_cuda.sh with stand-ins for the sources, nvcc and CMake.   usage: opencv_cuda_script_test.py SCRIPT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1]).resolve()
HEADER = "modules/core/include/opencv2/core/version.hpp"


class Build(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # It works in build/ of the tree that it lies in.
        self.put("tree/scripts/opencv_cuda.sh", SCRIPT.read_text())
        self.put("bin/nvcc", "#!/bin/sh\n")
        self.put("bin/c++", "#!/bin/sh\n")
        self.finds_host_compiler("/usr/bin/g++-11")
        self.source("4", "10", "0")
        (self.folder / "contrib/modules/cudaoptflow").mkdir(parents=True)

    def put(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)

    def source(self, *version):
        names = ("MAJOR", "MINOR", "REVISION")
        self.put(f"opencv/{HEADER}", "".join(f"#define CV_VERSION_{name}    {number}\n"
                                             for name, number in zip(names, version)))

    def finds_host_compiler(self, compiler):
        self.put("bin/cmake", f'#!/bin/sh\ncase "$*" in *-P*) echo "{compiler}" >&2; exit 0;; esac\n'
                              f'printf "%s\\n" "$@" "proxy $https_proxy" "ptxas $(command -v ptxas)" '
                              f'>> {self.folder}/cmake.log\n')

    def run_script(self, *arguments, **environment):
        given = arguments or (self.folder / "opencv", self.folder / "contrib", self.folder / "prefix")
        return subprocess.run([self.folder / "tree/scripts/opencv_cuda.sh", *given], capture_output=True, text=True,
                              check=False, env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "GLINT_JOBS": "3",
                                                "CUDACXX": str(self.folder / "bin/nvcc"), **environment})

    def refusal(self, *arguments, **environment):
        ran = self.run_script(*arguments, **environment)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertFalse((self.folder / "cmake.log").exists(), "nothing is built")
        (line,) = ran.stderr.splitlines()
        return line

    def test_what_is_built_and_how(self):
        ran = self.run_script()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        said = (self.folder / "cmake.log").read_text().splitlines()
        for wanted in ("WITH_CUDA=ON", f"CUDA_NVCC_EXECUTABLE={self.folder}/bin/nvcc", "BUILD_TESTS=OFF",
                       "CUDA_HOST_COMPILER=/usr/bin/g++-11", f"CMAKE_INSTALL_PREFIX={self.folder}/prefix",
                       "proxy http://127.0.0.1:9", "3"):
            self.assertIn(wanted, said)
        (modules,) = [line for line in said if line.startswith("BUILD_LIST=")]
        for module in ("cudaarithm", "cudafilters", "cudaimgproc", "cudaoptflow", "cudawarping", "calib3d"):
            self.assertIn(module, modules)
        self.assertIn(f"OpenCV_DIR={self.folder}/prefix/lib/cmake/opencv4", ran.stdout)
        self.assertIn(f"CUDA_TOOLKIT_ROOT_DIR={self.folder}\n", ran.stdout, "beside another CUDA, the one it was built with")

    def test_the_programs_of_another_toolkit_on_the_path_are_not_used(self):
        for folder in ("bin", "toolkit/bin"):
            self.put(f"{folder}/ptxas", "#!/bin/sh\n")
        self.put("toolkit/bin/nvcc", "#!/bin/sh\n")
        self.assertEqual(self.run_script(CUDACXX=str(self.folder / "toolkit/bin/nvcc")).returncode, 0)
        said = (self.folder / "cmake.log").read_text().splitlines()
        self.assertIn(f"ptxas {self.folder}/toolkit/bin/ptxas", said)
        self.assertNotIn(f"ptxas {self.folder}/bin/ptxas", said)

    def test_cmakes_arguments_come_last_and_so_they_win(self):
        paths = [self.folder / name for name in ("opencv", "contrib", "prefix")]
        self.assertEqual(self.run_script(*paths, "-D", "CUDA_ARCH_BIN=7.5").returncode, 0)
        said = (self.folder / "cmake.log").read_text().splitlines()
        self.assertGreater(said.index("CUDA_ARCH_BIN=7.5"), said.index("CUDA_ARCH_BIN=7.5 8.0 8.6 8.9 9.0"))

    def test_what_is_no_opencv_is_refused(self):
        self.assertIn("contrib holds no OpenCV", self.refusal(self.folder / "contrib", self.folder / "contrib",
                                                              self.folder / "prefix"))

    def test_an_old_opencv_is_refused(self):
        self.source("4", "6", "0")
        self.assertIn("is OpenCV 4.6.0; glint's backend needs 4.10 or later", self.refusal())

    def test_another_contrib_is_refused(self):
        self.assertIn("is no opencv_contrib", self.refusal(self.folder / "opencv", self.folder / "opencv",
                                                           self.folder / "prefix"))

    def test_without_nvcc_it_says_where_one_comes_from(self):
        self.assertIn("scripts/setup.sh --cuda", self.refusal(CUDACXX=str(self.folder / "none")))

    def test_an_nvcc_that_works_with_no_compiler_here_is_refused(self):
        self.finds_host_compiler("")
        self.assertIn("works with none of the C++ compilers here", self.refusal())

    def test_too_few_arguments_show_how_it_is_used(self):
        ran = self.run_script(self.folder / "opencv")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("opencv_cuda.sh SOURCE CONTRIB PREFIX", ran.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
