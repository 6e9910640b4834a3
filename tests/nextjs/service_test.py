# SPDX-License-Identifier: Apache-2.0
"""The whole product as users deploy it: the built site in Chromium, a real `glint serve`, a video on a
web server, results in the folder store, or in an S3 server when S3 (an env file of
scripts/s3_server.sh) is given.   usage: service_test.py GLINT [S3]"""
import functools
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/nextjs/test"))
from site_support import Site, SiteTest, open_browser  # noqa: E402

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
S3 = dict(line.split("=", 1) for line in pathlib.Path(sys.argv[2]).read_text().split()) \
    if len(sys.argv) > 2 else None
TOKEN = "token-of-the-service-test"


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Service(SiteTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="glint-service-")
        work = pathlib.Path(cls.folder.name)
        videos = work / "videos"
        subprocess.run([GLINT, "synth", "--kind", "card", "--size", "640x360", "--frames", "40",
                        "--out", videos, "--name", "card"], check=True, capture_output=True)
        (videos / "page.html").write_text("<!doctype html><title>no video</title>")
        handler = functools.partial(QuietFiles, directory=videos)
        cls.files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.files.serve_forever, daemon=True).start()
        cls.videos = f"http://127.0.0.1:{cls.files.server_port}"
        cls.results = work / "results"
        cls.worker, server = cls.start_worker(work)
        cls.site = Site(work, {"GLINT_SERVER": server, "GLINT_TOKEN": TOKEN})
        cls.browser = open_browser(work / "chromium")

    @classmethod
    def start_worker(cls, work):
        environment = {"PATH": os.environ["PATH"], "GLINT_TOKENS": TOKEN, **(S3 or {})}
        store = "s3://scans" if S3 else str(cls.results)
        worker = subprocess.Popen(
            [GLINT, "serve", "--json", "--listen", "127.0.0.1:0", "--state", work / "state",
             "--store", store, "--allow-source", f"127.0.0.1:{cls.files.server_port}"],
            env=environment, stdout=subprocess.PIPE, text=True)
        return worker, f"127.0.0.1:{json.loads(worker.stdout.readline())['ports'][0]}"

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.site.close()
        cls.worker.send_signal(signal.SIGTERM)
        code = cls.worker.wait(timeout=60)
        cls.worker.stdout.close()
        cls.files.shutdown()
        cls.files.server_close()
        cls.folder.cleanup()
        if code != 0:
            raise AssertionError(f"the worker ended with {code} after SIGTERM")

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.site.url + path, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def test_a_video_becomes_a_result(self):
        self.submit(f"{self.videos}/card.mp4?signature=secret")
        self.until_heading("The result")
        self.assertIn("Damaged surface", self.text())
        self.assertNotIn("secret", self.browser.page_source)
        scan = self.browser.current_url.rsplit("/", 1)[1]
        status, body = self.call(f"/api/scans/{scan}")
        self.assertEqual((status, body["scan"]["state"]), (200, "succeeded"))
        names = [one["name"] for one in body["scan"]["result"]["objects"]]
        self.assertIn("report.json", names)
        if not S3:
            report = json.loads((self.results / scan / "report.json").read_text())
            self.assertAlmostEqual(report["named_regions"][0]["damaged_percent"],
                                   body["scan"]["result"]["namedRegions"][0]["damagedPercent"], 4)

    def test_what_is_no_video_is_said_so(self):
        self.submit(f"{self.videos}/page.html")
        self.until_text("This is not a video")

    def test_an_inner_address_is_refused_at_once(self):
        status, body = self.call("/api/scans", {"videoUrl": "http://169.254.169.254/latest/meta-data"})
        self.assertEqual((status, body["reason"]), (403, "URL_NOT_ALLOWED"))
        self.submit("http://10.0.0.7/card.mp4")
        self.until_text("This address cannot be used")

    def test_the_same_request_twice_is_one_scan(self):
        wanted = {"videoUrl": f"{self.videos}/card.mp4", "scanId": "twice", "itemType": "card"}
        self.assertEqual(self.call("/api/scan", wanted)[1]["created"], True)
        self.assertEqual(self.call("/api/scan", wanted)[1]["created"], False)
        status, body = self.call("/api/scan", {**wanted, "itemType": "comic"})
        self.assertEqual((status, body["reason"]), (409, "SCAN_CONFLICT"))

    def test_the_former_app_is_answered_or_told_what_is_missing(self):
        wanted = {"videoUrl": f"{self.videos}/card.mp4", "scanId": "former", "itemType": "comic"}
        status, body = self.call("/api/scan?compat=1", wanted)
        # The folder store gives out no addresses; that is said, and no empty result is invented.
        self.assertEqual((status, body["reason"]), (500, "NO_ADDRESSES"))
        wanted = {"videoUrl": f"{self.videos}/page.html", "scanId": "former-bad"}
        status, body = self.call("/api/scan?compat=1", wanted)
        self.assertEqual((status, body["success"], body["reason"]), (415, False, "NOT_A_VIDEO"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
