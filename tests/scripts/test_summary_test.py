# SPDX-License-Identifier: Apache-2.0
"""Which skipped tests scripts/test_summary.py lets pass. Usage: test_summary_test.py SCRIPT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = sys.argv.pop(1)
NO_SUPABASE = "GLINT_TEST_SUPABASE_SOURCE names no built checkout"
NO_DATA = "needs the project's shared test data beside the repository"


def case(name, result="completed", inside=""):
    return f'<testcase name="{name}" status="run" result="{result}">{inside}</testcase>'


def skipped(name, why):
    return case(name, "skipped", f'<skipped message="a_test.cc:9&#x0A;{why}"/>')


class TestSummary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def summarise(self, *cases, ci="true"):
        """The exit code and the text for one program with these cases; `self.folder` is the data's."""
        results = self.folder / "results"
        results.mkdir(exist_ok=True)
        (results / "ctest.xml").write_text('<testsuite><testcase name="a_test" status="run"/></testsuite>')
        (results / "a_test.xml").write_text(
            f'<testsuites><testsuite name="Suite">{"".join(cases)}</testsuite></testsuites>')
        environment = {**os.environ, "CI": ci, "GLINT_SHARED_DATA": str(self.folder / "data")}
        ended = subprocess.run([sys.executable, SCRIPT, results], env=environment, text=True,
                               stdout=subprocess.PIPE, check=False)
        return ended.returncode, ended.stdout

    def test_counts(self):
        code, text = self.summarise(case("A"), case("B"), skipped("Gpu", "none"))
        self.assertEqual(code, 0)
        self.assertTrue(text.endswith("2 passed, 0 failed, 1 skipped\n"), text)

    def test_failures_and_nothing_fail(self):
        self.assertEqual(self.summarise(case("A"), case("B", inside='<failure message="no"/>'))[0], 1)
        self.assertEqual(self.summarise()[0], 1)

    def test_only_ci_minds_a_skip(self):
        self.assertEqual(self.summarise(case("A"), skipped("B", "tired"))[0], 1)
        self.assertEqual(self.summarise(case("A"), skipped("B", "tired"), ci="")[0], 0)

    def test_want_of_the_shared_data_is_an_excuse_where_it_is_absent(self):
        code, text = self.summarise(case("A"), skipped("B", NO_DATA), skipped("C", NO_DATA))
        self.assertEqual(code, 0)
        self.assertIn("skipped for want of the shared test data: 2\n", text)
        (self.folder / "data/clips").mkdir(parents=True)
        self.assertEqual(self.summarise(case("A"), skipped("B", NO_DATA))[0], 1)

    def test_want_of_a_real_supabase_is_an_excuse_unless_one_is_named(self):
        cases = [case("A"), skipped("B", NO_SUPABASE)]
        os.environ.pop("GLINT_TEST_SUPABASE_SOURCE", None)
        code, text = self.summarise(*cases)
        self.assertEqual((code, "skipped for want of a real Supabase: 1\n" in text), (0, True))
        os.environ["GLINT_TEST_SUPABASE_SOURCE"] = "/nowhere"
        self.assertEqual(self.summarise(*cases)[0], 1)


if __name__ == "__main__":
    unittest.main()
