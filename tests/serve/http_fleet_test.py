# SPDX-License-Identifier: Apache-2.0
"""Uploads to workers that share a queue in PostgreSQL: taken into a folder that they share, too, or refused at once.
usage: http_fleet_test.py GLINT"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support")]
from http_worker import Worker, make_clip  # noqa: E402
from sanitized import patience  # noqa: E402

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
POSTGRES = pathlib.Path(__file__).resolve().parents[2] / "scripts/postgres_server.sh"
PATCH = {"Content_Type": "application/offset+octet-stream", "Tus_Resumable": "1.0.0"}


class AFleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="glint-http-fleet-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.clip = make_clip(GLINT, cls.folder)
        started = subprocess.run([POSTGRES, "start", cls.folder / "queue"], capture_output=True, text=True, check=False)
        if started.returncode == 77:
            raise unittest.SkipTest(started.stderr)
        assert started.returncode == 0, started.stderr
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", cls.folder / "queue"], check=True, capture_output=True)
        lines = (cls.folder / "queue/postgres.env").read_text().split()
        cls.url = dict(line.split("=", 1) for line in lines)["URL"]

    def worker(self, name, *flags):
        folder = self.folder / name
        folder.mkdir()
        worker = Worker(GLINT, folder, *flags, tokens="", store=self.folder / "results",
                        environment={"GLINT_JOBS": self.url, "PATH": os.environ["PATH"]})
        self.addCleanup(worker.stop)
        return worker

    def test_another_worker_goes_on_with_an_upload_and_scans_it(self):
        shared = ("--uploads", str(self.folder / "uploads"))
        takes = self.worker("takes", *shared, "--tiers", "nobody-asks-for-this")
        scans = self.worker("scans", *shared)
        content = self.clip.read_bytes()
        half = len(content) // 2
        upload = takes.call("POST", "/v1/uploads", Upload_Length=str(len(content)))[2]["uploadId"]
        path = f"/v1/uploads/{upload}"
        self.assertEqual(takes.call("PATCH", path, content[:half], Upload_Offset="0", **PATCH)[0], 204)
        self.assertEqual(scans.call("HEAD", path)[1]["Upload-Offset"], str(half))
        self.assertEqual(scans.call("PATCH", path, content[half:], Upload_Offset=str(half), **PATCH)[0], 204)
        submitted = takes.call("POST", "/v1/scans", {"scanId": "shared", "videoUrl": f"upload://{upload}"})
        self.assertEqual(submitted[0], 200, submitted)
        self.assertEqual(takes.finished("shared")["state"], "SCAN_STATE_SUCCEEDED")
        self.assertIn("[shared] scan succeeded", scans.log.read_text())
        self.assertNotIn("[shared] scan started", takes.log.read_text())
        self.assertTrue((self.folder / "results/shared/report.json").exists())
        deadline = time.monotonic() + patience(60)
        while takes.call("HEAD", path)[0] != 404:
            self.assertLess(time.monotonic(), deadline, "its scan is made")
            time.sleep(0.2)
        self.assertEqual([file.name for file in (self.folder / "uploads").iterdir()], ["lock"])

    def test_without_a_shared_folder_they_are_refused_before_any_byte_has_come(self):
        alone = self.worker("alone")
        status, _, body = alone.call("POST", "/v1/uploads", Upload_Length="1000")
        self.assertEqual(status, 404)
        self.assertIn("--uploads and one folder that they share", body["message"])
        status, _, body = alone.call("PUT", "/v1/uploads/mine", self.clip.read_bytes())
        self.assertEqual(status, 404)
        named = alone.call("POST", "/v1/scans", {"videoUrl": "upload://mine"})
        self.assertEqual(named[0], 400)
        refused = subprocess.run([GLINT, "submit", self.clip, "--server", f"127.0.0.1:{alone.grpc}"], capture_output=True,
                                 text=True, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("--uploads", refused.stderr)

    def test_a_worker_of_another_folder_says_what_is_wrong(self):
        here = self.worker("here", "--uploads", str(self.folder / "one"), "--tiers", "nobody-asks-for-this")
        other = self.worker("other", "--uploads", str(self.folder / "two"), "--tiers", "mistaken")
        put = here.call("PUT", "/v1/uploads/lost", self.clip.read_bytes())
        self.assertEqual(put[0], 201, put)
        here.call("POST", "/v1/scans", {"scanId": "lost", "videoUrl": "upload://lost", "tier": "mistaken"})
        error = other.finished("lost")["error"]
        self.assertEqual(error["reason"], "INPUT_NOT_FOUND")
        self.assertIn("--uploads", error["message"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
