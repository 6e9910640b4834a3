# SPDX-License-Identifier: Apache-2.0
"""The Python client against a real `glint serve`.

usage: python_test.py GLINT FOLDER
"""
import functools
import http.server
import json
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from sanitized import patience  # noqa: E402

try:
    import grpc  # noqa: F401
except ImportError:
    print("python3-grpcio is not installed; skipped")
    sys.exit(77)

GLINT = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve()
CLIENT = pathlib.Path(__file__).resolve().parents[2] / "clients/python"
TOKEN = "token-of-the-python-test"
PATIENCE_S = patience(120)
FRAMES = 24

STUBS = FOLDER / "stubs"
shutil.rmtree(STUBS, ignore_errors=True)
shutil.copytree(CLIENT / "src", STUBS, ignore=shutil.ignore_patterns("*_pb2*", "__pycache__"))
subprocess.run([sys.executable, CLIENT / "generate.py", STUBS], check=True)
sys.path.insert(0, str(STUBS))
import glint  # noqa: E402
from glint.v1 import scan_pb2  # noqa: E402


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Worker:
    """A `glint serve` of its own, which can be ended and started again at its port."""

    def __init__(self, folder):
        self.folder = folder
        self.port = self.http_port = 0
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [GLINT, "serve", "--listen", f"127.0.0.1:{self.port}", "--http", f"127.0.0.1:{self.http_port}", "--store", self.folder / "results", "--state",
             self.folder / "state", "--allow-source", "127.0.0.1:*", "--decode-sandbox", "auto", "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={"GLINT_TOKENS": TOKEN})
        serving = json.loads(self.process.stdout.readline())
        self.port, self.http_port = serving["ports"][0], serving["http_ports"][0]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        self.process.stdout.close()


class CuttingProxy:
    """Passes connections on to a port, and cuts the first ones after so many bytes of the client's each."""

    def __init__(self, port, cuts):
        self.port, self.cuts, self.passed = port, list(cuts), 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            worker = socket.create_connection(("127.0.0.1", self.port))
            threading.Thread(target=self.answers, args=(worker, client), daemon=True).start()
            left = self.cuts.pop(0) if self.cuts else None
            threading.Thread(target=self.requests, args=(client, worker, left), daemon=True).start()

    def requests(self, client, worker, left):
        try:
            while left is None or left > 0:
                piece = client.recv(16384 if left is None else min(left, 16384))
                if not piece:
                    break
                worker.sendall(piece)
                self.passed += len(piece)
                left = None if left is None else left - len(piece)
        except OSError:  # one of them has left
            pass
        for end in (client, worker):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has left before
                pass

    def answers(self, worker, client):
        try:
            while piece := worker.recv(16384):
                client.sendall(piece)
        except OSError:
            pass

    def close(self):
        self.listener.close()


class PythonClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="glint-python-")
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        videos = cls.work / "videos"
        subprocess.run([GLINT, "synth", "--kind", "card", "--size", "320x180", "--frames", str(FRAMES), "--out", videos,
                        "--name", "card"], check=True, capture_output=True)
        (videos / "page.mp4").write_text("<!doctype html><title>no video</title>")
        files = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(QuietFiles, directory=videos))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        cls.addClassCleanup(files.shutdown)
        cls.videos = f"http://127.0.0.1:{files.server_port}"
        cls.worker = Worker(cls.work)
        cls.addClassCleanup(cls.worker.end)

    def client(self, **options):
        client = glint.Client(f"127.0.0.1:{self.worker.port}", **{"token": TOKEN, **options})
        self.addCleanup(client.close)
        return client

    def test_scan_waits_for_the_result_and_tells_how_it_gets_on(self):
        steps = []
        scan = self.client().scan(f"{self.videos}/card.mp4", "whole", item_type="card",
                                  on_change=lambda now: steps.append(now.progress.fraction))
        self.assertEqual(scan.state, scan_pb2.SCAN_STATE_SUCCEEDED)
        self.assertEqual(scan.result.objects[-1].name, "report.json")
        self.assertGreater(len(steps), 2)
        report = json.loads((self.work / "results/whole/report.json").read_text())
        if report["assessment"] is not None:
            self.assertEqual(scan.result.summary.verdict, report["assessment"]["verdict"])
        again = self.client().get("whole")
        for stored in (*again.result.objects, *scan.result.objects):
            stored.url = stored.url.partition("?")[0]  # what follows ends so long after its own call
        self.assertEqual(again, scan)
        self.assertIn("whole", [one.scan_id for one in self.client().list()])

    def test_front_and_back_are_one_scan(self):
        scan = self.client().scan(f"{self.videos}/card.mp4", "both", item_type="card",
                                  back_video_url=f"{self.videos}/card.mp4")
        self.assertEqual(scan.back_video_url, f"{self.videos}/card.mp4")
        self.assertEqual(scan.result.back.outcome, scan.result.summary.outcome)
        report = json.loads((self.work / "results/both/report.json").read_text())
        self.assertEqual(scan.result.both_sides.verdict, report["both_sides"]["verdict"])
        self.assertTrue((self.work / "results/both/back/report.json").exists())

    def test_a_file_of_this_machine_is_uploaded_and_scanned(self):
        client, told = self.client(), []
        video = self.work / "videos/card.mp4"
        address = client.upload(video, on_progress=told.append)
        self.assertTrue(address.startswith("upload://"), address)
        self.assertEqual((told[0], told[-1]), (0.0, 1.0))
        scan = client.scan(address, "uploaded", item_type="card")
        self.assertEqual(scan.state, scan_pb2.SCAN_STATE_SUCCEEDED)
        report = json.loads((self.work / "results/uploaded/report.json").read_text())
        self.assertEqual(report["video"]["frames"], FRAMES)

    def test_an_upload_goes_on_where_it_broke_off(self):
        video = self.work / "long.mp4"
        size = 4 << 20
        content = (self.work / "videos/card.mp4").read_bytes()
        room = size - len(content)
        video.write_bytes(content + room.to_bytes(4, "big") + b"free" + bytes(room - 8))
        proxy = CuttingProxy(self.worker.http_port, [size // 3, size // 3, size // 5])
        self.addCleanup(proxy.close)
        client = self.client(http_url=proxy.url)
        scan = client.scan(client.upload(str(video)), "cut", item_type="card")
        self.assertEqual(scan.state, scan_pb2.SCAN_STATE_SUCCEEDED)
        self.assertEqual(proxy.cuts, [], "it was cut as often as planned")
        # What came was not sent again, but for what was on its way when a connection broke.
        self.assertLess(proxy.passed, size * 1.5)

    def test_an_upload_outlives_a_restart_of_the_worker(self):
        client, video, told = self.client(), self.work / "videos/card.mp4", []

        def restart(part):
            if not told:
                self.worker.end()
                threading.Timer(0.5, self.worker.start).start()
            told.append(part)

        scan = client.scan(client.upload(video, on_progress=restart), "moved-on", item_type="card")
        self.assertEqual(scan.state, scan_pb2.SCAN_STATE_SUCCEEDED)

    def test_uploads_that_cannot_be_say_why(self):
        text = self.work / "videos/page.mp4"
        with self.assertRaises(glint.GlintError) as no_video:
            self.client().upload(text)
        self.assertEqual(no_video.exception.reason, "NOT_A_VIDEO")
        with self.assertRaises(glint.GlintError) as stranger:
            self.client(token="wrong", http_url=f"http://127.0.0.1:{self.worker.http_port}").upload(text)
        self.assertEqual(stranger.exception.reason, "UNAUTHENTICATED")
        with self.assertRaises(glint.GlintError) as away:
            self.client(http_url="http://127.0.0.1:1", reconnect_for=0.1).upload(text)
        self.assertEqual((away.exception.reason, away.exception.retryable), ("WORKER_UNREACHABLE", True))
        with self.assertRaises(glint.GlintError) as clear:
            self.client(http_url="http://scans.example:8080", tls=True).upload(text)
        self.assertIn("in the clear", clear.exception.message)
        with self.assertRaises(OSError):
            self.client().upload(self.work / "none.mp4")

    def test_a_scan_without_a_result_raises_its_reason(self):
        with self.assertRaises(glint.ScanFailed) as failed:
            self.client().scan(f"{self.videos}/page.mp4")
        self.assertEqual(failed.exception.reason, "NOT_A_VIDEO")
        self.assertFalse(failed.exception.retryable)
        self.assertEqual(failed.exception.scan.state, scan_pb2.SCAN_STATE_FAILED)

    def test_calls_raise_the_workers_reasons(self):
        with self.assertRaises(glint.GlintError) as refused:
            self.client(token="wrong").get("any")
        self.assertEqual(refused.exception.reason, "UNAUTHENTICATED")
        with self.assertRaises(glint.GlintError) as unknown:
            self.client().get("never-was")
        self.assertEqual(unknown.exception.reason, "SCAN_NOT_FOUND")
        with self.assertRaises(glint.GlintError) as option:
            self.client().submit(f"{self.videos}/card.mp4", item_type="boat")
        self.assertEqual(option.exception.reason, "INVALID_OPTION")
        with glint.Client("127.0.0.1:1", timeout=5) as nobody, self.assertRaises(glint.GlintError) as away:
            nobody.get("any")
        self.assertEqual(away.exception.reason, "WORKER_UNREACHABLE")
        self.assertTrue(away.exception.retryable)

    def test_the_same_submission_is_the_same_scan(self):
        client = self.client()
        first = client.submit(f"{self.videos}/card.mp4", "twice", item_type="card")
        self.assertEqual(client.submit(f"{self.videos}/card.mp4", "twice", item_type="card").create_time,
                         first.create_time)
        with self.assertRaises(glint.GlintError) as other:
            client.submit(f"{self.videos}/card.mp4", "twice", item_type="page")
        self.assertEqual(other.exception.reason, "SCAN_CONFLICT")
        client.cancel("twice")
        *_, end = client.watch("twice")
        self.assertIn(end.state, (scan_pb2.SCAN_STATE_CANCELLED, scan_pb2.SCAN_STATE_SUCCEEDED))

    def test_watching_goes_on_after_a_restart_of_the_worker(self):
        client = self.client()
        client.submit(f"{self.videos}/card.mp4", "restarted", item_type="card")
        seen, ended = [], threading.Event()

        def watch():
            seen.extend(client.watch("restarted"))
            ended.set()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        self.worker.end()
        time.sleep(0.3)
        self.worker.start()
        self.assertTrue(ended.wait(PATIENCE_S))
        self.assertEqual(seen[-1].state, scan_pb2.SCAN_STATE_SUCCEEDED)

    def test_the_wheel_builds_and_holds_what_it_needs(self):
        source = self.work / "repository/clients/python"
        shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("*_pb2*", "__pycache__", "dist"))
        shutil.copytree(CLIENT.parents[1] / "proto", source.parents[1] / "proto")
        done = subprocess.run([sys.executable, "-m", "build", "--wheel", "--no-isolation",
                               "--skip-dependency-check", source], check=False,
                              capture_output=True, text=True)
        if "No module named build" in done.stderr:
            self.skipTest("python3-build is not installed")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        wheel = next((source / "dist").glob("*.whl"))
        target = self.work / "installed"
        shutil.unpack_archive(wheel, target, "zip")
        subprocess.run([sys.executable, "-c", "import glint; glint.Client().close()"], check=True,
                       env={"PYTHONPATH": str(target)}, cwd=self.work)
        self.assertTrue((target / "glint/py.typed").exists())
        self.assertTrue((target / "glint/v1/scan_pb2.pyi").exists())

    def test_types_hold(self):
        mypy = shutil.which("mypy", path="/usr/bin")
        if mypy is None:
            self.skipTest("mypy is not installed")
        caller = self.work / "caller.py"
        caller.write_text("import glint\nscan = glint.Client().scan('https://a.example/b.mp4')\n"
                          "verdict: str = scan.result.summary.verdict\nwrong: int = scan.scan_id\n"
                          "address: str = glint.Client().upload('card.mp4')\n")
        done = subprocess.run([mypy, "--strict", "--config-file", CLIENT / "pyproject.toml", "--cache-dir",
                               self.work / "mypy", caller], check=False, capture_output=True, text=True,
                              env={"MYPYPATH": str(STUBS)})
        self.assertEqual([line.split(":")[1] for line in done.stdout.splitlines()[:-1]], ["4"], done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], warnings="ignore")
