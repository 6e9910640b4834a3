# SPDX-License-Identifier: Apache-2.0
"""The whole product as users deploy it: the built site in Chromium, a real `glint serve`, a video on a
web server, and results in a folder (OnFolder), a real S3 server (OnS3), a fake Supabase (OnSupabase) or a real one
(OnRealSupabase, where GLINT_TEST_SUPABASE_SOURCE names a built checkout of it).
usage: service_test.py GLINT OnFolder|OnS3|OnSupabase|OnRealSupabase FAKE_SUPABASE"""
import functools
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / one) for one in ("examples/nextjs/test", "tests/support", "tests/serve")]
import store_backends  # noqa: E402
from sanitized import patience  # noqa: E402
from s3_client import S3Client, opens_without_credentials, read_environment  # noqa: E402
from site_support import PATIENCE, Site, SiteTest, open_browser  # noqa: E402

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
TOKEN = "token-of-the-service-test"


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Service(SiteTest):
    """Worker, site and browser. Subclasses say where results go."""

    @classmethod
    def open_store(cls, work):
        """@return the worker's environment for its store"""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="glint-service-")
        cls.addClassCleanup(cls.folder.cleanup)
        work = pathlib.Path(cls.folder.name)
        videos = work / "videos"
        subprocess.run([GLINT, "synth", "--kind", "card", "--size", "640x360", "--frames", "40",
                        "--out", videos, "--name", "card"], check=True, capture_output=True)
        (videos / "page.html").write_text("<!doctype html><title>no video</title>")
        handler = functools.partial(QuietFiles, directory=videos)
        cls.files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.files.serve_forever, daemon=True).start()
        cls.videos = f"http://127.0.0.1:{cls.files.server_port}"
        cls.worker, server = cls.start_worker(work)
        cls.site = Site(work, {"GLINT_SERVER": server, "GLINT_TOKEN": TOKEN})
        cls.browser = open_browser(work / "chromium")

    @classmethod
    def start_worker(cls, work):
        environment = {"PATH": os.environ["PATH"], "GLINT_TOKENS": TOKEN, **cls.open_store(work)}
        worker = subprocess.Popen(
            [GLINT, "serve", "--json", "--listen", "127.0.0.1:0", "--state", work / "state",
             "--drain-grace", f"{patience(30)}s",
             "--allow-source", f"127.0.0.1:{cls.files.server_port}"],
            env=environment, stdout=subprocess.PIPE, text=True)
        return worker, f"127.0.0.1:{json.loads(worker.stdout.readline())['ports'][0]}"

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        cls.site.close()
        cls.worker.send_signal(signal.SIGTERM)
        code = cls.worker.wait(timeout=patience(PATIENCE))
        cls.worker.stdout.close()
        cls.files.shutdown()
        cls.files.server_close()
        if code != 0:
            raise AssertionError(f"the worker ended with {code} after SIGTERM")

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.site.url + path, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)


class OnFolder(Service):
    @classmethod
    def open_store(cls, work):
        cls.results = work / "results"
        return {"GLINT_STORE": str(cls.results)}

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


class OnS3(Service):
    """With the keys that the former worker used, in the bucket that it used."""
    BUCKET = "analysis-images"

    @classmethod
    def open_store(cls, work):
        server = work / "s3"
        script = ROOT / "scripts/s3_server.sh"
        server.mkdir()
        cls.addClassCleanup(subprocess.run, [script, "stop", server], check=True)
        subprocess.run([script, "start", server], stdout=subprocess.DEVNULL, check=True)
        environment = read_environment(server / "s3.env")
        cls.endpoint = environment["AWS_ENDPOINT_URL"]
        cls.s3 = S3Client(environment)
        cls.s3.make_bucket(cls.BUCKET)
        return {**environment, "GLINT_STORE": f"s3://{cls.BUCKET}", "GLINT_STORE_KEYS": "legacy",
                "GLINT_STORE_URLS": "signed"}

    def assert_keys(self, scan, item_type):
        """Everything of the scan is in the bucket, as docs/storage.md says, and nothing else."""
        keys = self.s3.keys(self.BUCKET, scan)
        folders = {"frames", "regions", "analysis"} if item_type == "comic" else {"frames", "analysis"}
        self.assertLessEqual(folders, {key.split("/")[1] for key in keys})
        self.assertLessEqual({f"{scan}/frames/golden_01.png", f"{scan}/analysis/mask.png",
                              f"{scan}/analysis/report.json"}, keys)
        _, body = self.call(f"/api/scans/{scan}")
        named = {one["name"].rsplit("/", 1)[-1] for one in body["scan"]["result"]["objects"]}
        self.assertEqual({key.rsplit("/", 1)[-1] for key in keys}, named | {"receipt.json", "objects.json"})

    def test_the_page_shows_the_pictures_of_the_bucket(self):
        self.submit(f"{self.videos}/card.mp4")
        self.until_heading("The result")
        self.until(self.pictures_loaded)
        for picture in self.browser.find_elements("css selector", ".compare img"):
            self.assertTrue(picture.get_attribute("src").startswith(self.endpoint))
        # The second table, the regions, comes from the report in the bucket.
        self.until(lambda _: len(self.browser.find_elements("css selector", "table")) == 2)
        self.assert_keys(self.browser.current_url.rsplit("/", 1)[1], "generic")

    def test_the_former_app_gets_the_answer_that_it_reads(self):
        wanted = {"videoUrl": f"{self.videos}/card.mp4", "scanId": "former", "itemType": "comic"}
        status, body = self.call("/api/scan?compat=1", wanted)
        self.assertEqual((status, body["success"], body["scanId"]), (200, True, "former"))
        self.assertEqual(len(body["goldenFrames"]), len(body["frameTimestamps"]))
        analysis = body["cvAnalysis"]
        self.assertGreater(analysis["damageScore"], 0)
        self.assertIn("spine", analysis["regionScores"])
        images = analysis["images"]
        self.assertEqual(set(images), {"defectMask", "varianceMap", "overlay", "regionCrops", "regionOverlays"})
        self.assertEqual(set(images["regionCrops"]), set(images["regionOverlays"]))
        for url in [*body["goldenFrames"], images["defectMask"], images["varianceMap"],
                    *images["regionCrops"].values(), *images["regionOverlays"].values()]:
            self.assertEqual(opens_without_credentials(url)[:4], b"\x89PNG", url)
            self.assertIsNone(opens_without_credentials(url.split("?")[0]), "the bucket is not public")
        self.assert_keys("former", "comic")


class OnSupabase(Service):
    """In a private bucket as docs/storage.md says that it is set up."""

    @classmethod
    def open_backend(cls, work):
        return store_backends.Supabase.fake(sys.argv[3])

    @classmethod
    def open_store(cls, work):
        cls.backend = cls.open_backend(work)
        cls.addClassCleanup(cls.backend.stop)
        cls.proxy = store_backends.Proxy(cls.backend)  # as the gateway of a project
        return {**cls.backend.environment(cls.proxy.url), "GLINT_STORE": cls.backend.scheme,
                "GLINT_STORE_URLS": "signed"}

    def test_the_page_shows_the_pictures_of_the_bucket_and_the_report(self):
        self.submit(f"{self.videos}/card.mp4")
        self.until_heading("The result")
        self.until(self.pictures_loaded)
        for picture in self.browser.find_elements("css selector", ".compare img"):
            self.assertTrue(picture.get_attribute("src").startswith(self.proxy.url + "/storage/v1/object/sign/"))
        self.until(lambda _: len(self.browser.find_elements("css selector", "table")) == 2)
        scan = self.browser.current_url.rsplit("/", 1)[1]
        _, body = self.call(f"/api/scans/{scan}")
        urls = {one["name"]: one["url"] for one in body["scan"]["result"]["objects"]}
        for name, url in urls.items():
            content = opens_without_credentials(url)
            self.assertTrue(content, name)
            self.assertEqual(content[:4] == b"\x89PNG", name.endswith(".png"), name)
            self.assertIsNone(opens_without_credentials(url.split("?")[0]), "the bucket is not public")
        # The store's own address of the report shows its source; the page's link shows the report.
        with urllib.request.urlopen(urls["report.html"]) as answer:
            self.assertTrue(answer.headers["content-type"].startswith("text/plain"))
        self.browser.get(self.find("p.hint a").get_attribute("href"))
        self.until(lambda _: self.browser.find_elements("css selector", "h1"))
        self.assertIn("Damage", self.browser.find_element("css selector", "body").text)


class OnRealSupabase(OnSupabase):
    @classmethod
    def open_backend(cls, work):
        (work / "supabase").mkdir()
        return store_backends.Supabase.real(work / "supabase", os.environ["GLINT_TEST_SUPABASE_SOURCE"])


if __name__ == "__main__":
    if sys.argv[2] == "OnS3" and not shutil.which("radosgw"):
        print("skipped: there is no radosgw; scripts/setup.sh --tests installs it")
        sys.exit(77)
    if sys.argv[2] == "OnRealSupabase" and not os.environ.get("GLINT_TEST_SUPABASE_SOURCE"):
        print("skipped: GLINT_TEST_SUPABASE_SOURCE names no built checkout")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], sys.argv[2]], verbosity=2)
