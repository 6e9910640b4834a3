#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`glint serve` on a machine that runs out: of disk at each write, of descriptors, of memory, and of a steady clock.

usage: machine_faults_test.py GLINT [unittest arguments]   (GLINT_FAULTS=all tries every count, which takes long)
"""
import contextlib
import datetime
import http.server
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support")]
import attacks_test as attacks  # noqa: E402
from sanitized import SANITIZED, patience  # noqa: E402

GLINT = sys.argv[1]
ALL = os.environ.get("GLINT_FAULTS") == "all"
TOKEN = attacks.TOKEN
MAY_MOUNT = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True,
                           check=False).returncode == 0
IN_NAMESPACE = "GLINT_FAULTS_NAMESPACE"
FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
ENDS = {"succeeded", "failed", "cancelled"}


class Videos(http.server.BaseHTTPRequestHandler):
    """Serves a clip; slowly where the path says so."""

    clip = b""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.clip)))
        self.end_headers()
        with contextlib.suppress(OSError):
            if self.path.startswith("/slow"):
                for at in range(0, len(self.clip), len(self.clip) // 40 + 1):
                    self.wfile.write(self.clip[at : at + len(self.clip) // 40 + 1])
                    time.sleep(0.2)
            else:
                self.wfile.write(self.clip)


class Served:
    """A worker on a folder of the test."""

    def __init__(self, folder, source, *more, name="a", environment=None):
        (folder / "tokens").write_text(f"faults {TOKEN}\n")
        os.chmod(folder / "tokens", 0o600)
        self.log = folder / f"log-{name}"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [GLINT, "serve", "--json", "--listen", "127.0.0.1:0", "--device", "cpu", "--metrics-listen", "",
                 "--lanes", "1", "--drain-grace", "1s", "--state", str(folder / "state"),
                 "--store", str(folder / "results"), "--token-file", str(folder / "tokens"),
                 "--allow-source", source, *more],
                stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **(environment or {})})
        said = json.loads(self.process.stdout.readline() or "{}")
        self.port = said["ports"][0] if said.get("event") == "serving" else None
        self.source = source

    def call(self, *words):
        environment = dict(os.environ, GLINT_SERVER=f"127.0.0.1:{self.port}", GLINT_TOKEN=TOKEN)
        return subprocess.run([GLINT, *words], env=environment, capture_output=True, text=True, timeout=120,
                              check=False)

    def submit(self, scan, kind="clip"):
        """@return whether it was acknowledged"""
        return self.call("submit", f"http://{self.source}/{kind}/{scan}", "--id", scan).returncode == 0

    def scan(self, scan):
        shown = self.call("get", scan, "--json").stdout
        return json.loads(shown).get("scan", {}) if shown.startswith("{") else {}

    def end_of(self, scan, seconds=60):
        """@return state and reason; the state that it has after so long"""
        limit = time.monotonic() + patience(seconds)
        while True:
            found = self.scan(scan)
            state = found.get("state", "").removeprefix("SCAN_STATE_").lower()
            if state in ENDS or time.monotonic() > limit:
                return state, (found.get("error") or {}).get("reason")
            time.sleep(0.1)

    def said(self):
        return self.log.read_text(errors="replace")[-3000:]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.stdout.close()
        return self.process.wait(60)


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.TemporaryDirectory()
        made = subprocess.run([GLINT, "synth", "--out", cls.base.name, "--size", "320x180", "--frames", "10", "--seed",
                               "1", "--name", "clip"], capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        Videos.clip = (pathlib.Path(cls.base.name) / "clip.mp4").read_bytes()
        cls.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Videos)
        cls.web.daemon_threads = True
        threading.Thread(target=cls.web.serve_forever, daemon=True).start()
        cls.source = f"127.0.0.1:{cls.web.server_port}"

    @classmethod
    def tearDownClass(cls):
        cls.web.shutdown()
        cls.web.server_close()
        cls.base.cleanup()

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(dir=self.base.name)
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def serving(self, *more, **how):
        worker = Served(self.folder, self.source, *more, **how)
        self.addCleanup(worker.stop)
        return worker


@unittest.skipUnless(IN_NAMESPACE in os.environ, "mounting is forbidden here")
class FullDisks(Case):
    """The disk has so many KiB left when a scan is submitted: whatever write it fails, nothing is lost."""

    def with_disk(self, where, size_mb):
        disk = self.folder / where
        disk.mkdir(parents=True, mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size_mb}m,mode=700", "none", str(disk)], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(disk)], check=False)
        return disk

    def leave(self, disk, kib):
        with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))
        os.truncate(disk / "filler", max(0, (disk / "filler").stat().st_size - kib * 1024))

    def try_each(self, where, size_mb, counts):
        disk = self.with_disk(where, size_mb)
        worker = self.serving()
        self.assertIsNotNone(worker.port, worker.said())
        seen = {}
        for kib in counts:
            self.leave(disk, kib)
            scan = f"with-{kib}-kib"
            acknowledged = worker.submit(scan)
            if acknowledged:
                worker.end_of(scan, 1.5)
            (disk / "filler").unlink()
            state, reason = worker.end_of(scan) if acknowledged else ("refused", None)
            seen[f"{state} {reason or ''}".strip()] = seen.get(f"{state} {reason or ''}".strip(), 0) + 1
            self.assertIn((state, reason), {("refused", None), ("succeeded", None), ("failed", "DISK_FULL")},
                          f"{kib} KiB: {worker.said()}")
            self.assertEqual((self.folder / "results" / scan / "report.json").exists(), state == "succeeded")
        print(f"{where}, {len(counts)} counts: {seen}")
        self.assertIsNone(worker.process.poll())
        self.assertTrue(worker.submit("after"))
        self.assertEqual(worker.end_of("after"), ("succeeded", None))

    def test_of_the_job_store(self):
        self.try_each("state", 8, range(0, 520, 4 if ALL else 64))

    def test_of_downloads(self):
        self.try_each("state/downloads", 1, range(0, 44, 4 if ALL else 16))

    def test_of_results(self):
        self.try_each("results", 64, range(0, 600, 8 if ALL else 96))


@unittest.skipIf(SANITIZED, "a sanitizer looks at memory through pipes, and takes their want for a fault")
class Descriptors(Case):
    def test_are_missing_and_scans_wait_or_say_so(self):
        worker = self.serving()
        seen = {}
        _, hard = resource.prlimit(worker.process.pid, resource.RLIMIT_NOFILE)
        for left in range(0, 41, 1 if ALL else 8):
            opened = len(os.listdir(f"/proc/{worker.process.pid}/fd"))
            resource.prlimit(worker.process.pid, resource.RLIMIT_NOFILE, (opened + left, hard))
            scan = f"with-{left}-left"
            caller = None
            with contextlib.suppress(OSError):
                caller = attacks.Caller(worker.port)
                caller.socket.settimeout(5)
                attacks.submit(caller, scan, f"http://{self.source}/clip/{scan}")
            time.sleep(0.5)
            resource.prlimit(worker.process.pid, resource.RLIMIT_NOFILE, (hard, hard))
            if not worker.scan(scan):
                self.assertTrue(worker.submit(scan), worker.said())
            state, reason = worker.end_of(scan, 180)  # attempts that lacked some wait, longer each time
            seen[f"{state} {reason or ''}".strip()] = seen.get(f"{state} {reason or ''}".strip(), 0) + 1
            self.assertIn((state, reason), {("succeeded", None), ("failed", "DOWNLOAD_FAILED"),
                                            ("failed", "OUTPUT_UNWRITABLE"), ("failed", "OUT_OF_MEMORY")},
                          f"{left} left: {worker.said()}")
            if caller is not None:
                caller.socket.close()
        print(f"descriptors: {seen}")
        self.assertNotIn("without the sandbox", worker.said())
        self.assertTrue(worker.submit("after"))
        self.assertEqual(worker.end_of("after"), ("succeeded", None))


@unittest.skipUnless(FAKETIME.exists(), "needs the package faketime")
@unittest.skipIf(SANITIZED, "the false clock would be loaded before the sanitizer")
class Clocks(Case):
    """The clock of the workers is set, while scans run."""

    def setUp(self):
        super().setUp()
        self.clock = self.folder / "clock"
        self.set_clock("+0")

    def set_clock(self, offset):
        (self.folder / "next").write_text(offset + "\n")
        os.rename(self.folder / "next", self.clock)

    def with_clock(self, name):
        return self.serving(name=name, environment={
            "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1"})

    def test_that_jump_by_days_steal_nothing_and_lose_nothing(self):
        one, other = self.with_clock("a"), self.with_clock("b")
        self.assertIsNotNone(one.port, one.said())
        for jump, days in (("+1d", 1), ("-2d", -2), ("+30d", 30), ("+0", 0)):
            scan = f"during{jump}".replace("+", "-plus-")
            self.assertTrue(one.submit(scan, "slow"), one.said())  # 8 s; a worker looks for dead ones every 5 s
            time.sleep(1)
            self.set_clock(jump)
            time.sleep(1)
            self.assertTrue(other.submit(f"at{days}"), other.said())
            created = datetime.datetime.fromisoformat(other.scan(f"at{days}")["create_time"][:19])
            self.assertEqual(round((created - datetime.datetime.utcnow()) / datetime.timedelta(days=1)), days)
            self.assertEqual(one.end_of(scan), ("succeeded", None), one.said())
            self.assertEqual(one.scan(scan)["attempts"], 1, one.said() + other.said())

    def test_that_jump_hide_no_dead_worker(self):
        one = self.with_clock("a")
        self.assertTrue(one.submit("orphan", "slow"))
        time.sleep(1)
        other = self.with_clock("b")
        self.set_clock("-2d")
        one.process.kill()
        one.process.wait()
        self.assertEqual(other.end_of("orphan", 40), ("succeeded", None), other.said())


def control_group(controller, file_of_v1, file_of_v2, limit):
    """A new control group with a limit. @return its folder and the limit's file; nothing without the right"""
    for root, file in ((f"/sys/fs/cgroup/{controller}", file_of_v1), ("/sys/fs/cgroup", file_of_v2)):
        group = pathlib.Path(root) / f"glint-faults-{os.getpid()}"
        try:
            group.mkdir()
            (group / file).write_text(str(limit))
            return group, group / file
        except OSError:
            with contextlib.suppress(OSError):
                group.rmdir()
    return None, None


class Processes(Case):
    def test_are_missing_and_scans_wait(self):
        group, most = control_group("pids", "pids.max", "pids.max", "max")
        if group is None:
            self.skipTest("may make no control group with a limit of processes")
        self.addCleanup(group.rmdir)
        worker = self.serving()
        self.addCleanup(worker.stop)
        (group / "cgroup.procs").write_text(str(worker.process.pid))
        self.assertTrue(worker.submit("warm"))
        self.assertEqual(worker.end_of("warm"), ("succeeded", None))
        seen = {}
        for left in range(0, 16, 1 if ALL else 4):
            scan = f"with-{left}-left"
            most.write_text(str(len(os.listdir(f"/proc/{worker.process.pid}/task")) + left))
            self.assertTrue(worker.submit(scan), worker.said())
            time.sleep(1)
            most.write_text("max")
            state, reason = worker.end_of(scan, 25)
            # Where the decoder runs, and has no threads, its caller is told so and may try again.
            self.assertIn((state, reason), {("succeeded", None), ("failed", "OUT_OF_MEMORY")},
                          f"{left} left: {worker.said()}")
            found = worker.scan(scan)
            self.assertEqual(found["attempts"], 1, f"{left} left: {worker.said()}")
            if reason:
                self.assertIn("no thread could be started", found["error"]["message"])
            seen[reason or state] = seen.get(reason or state, 0) + 1
        print(f"processes: {seen}")
        self.assertNotIn("without the sandbox", worker.said())


class Memory(Case):
    def test_of_a_gibibyte_outlives_every_attack(self):
        group, _ = control_group("memory", "memory.limit_in_bytes", "memory.max", 1 << 30)
        if group is None:
            self.skipTest("may make no control group with a limit of memory")
        self.addCleanup(group.rmdir)
        worker = self.serving()
        self.addCleanup(worker.stop)
        (group / "cgroup.procs").write_text(str(worker.process.pid))
        for number in range(4):
            self.assertTrue(worker.submit(f"warm-{number}"))
            self.assertEqual(worker.end_of(f"warm-{number}"), ("succeeded", None))
        before = attacks.resident_mb(worker.process.pid)
        seconds = 10 if ALL else 2
        most = 0
        for name, stranger in attacks.ATTACKS.items():
            if stranger is None:
                continue
            scan = "during-" + name.replace(" ", "-").replace(",", "")
            self.assertTrue(worker.submit(scan, "slow"))
            attackers = [subprocess.Popen([sys.executable, attacks.__file__, "--attack", name, str(worker.port)],
                                          stderr=subprocess.DEVNULL) for _ in range(2)]
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                most = max(most, attacks.resident_mb(worker.process.pid))
                time.sleep(0.05)
            for attacker in attackers:
                attacker.kill()
                attacker.wait()
            self.assertIsNone(worker.process.poll(), f"{name}: {worker.said()}")
            self.assertEqual(worker.end_of(scan), ("succeeded", None), worker.said())
        end = time.monotonic() + 60
        while (after := attacks.resident_mb(worker.process.pid)) > 1.1 * before and time.monotonic() < end:
            time.sleep(1)
        print(f"memory: {before:.0f} MB before, {most:.0f} at most, {after:.0f} after")
        if not SANITIZED:  # which keeps what is freed
            self.assertLessEqual(after, 1.1 * before)


if __name__ == "__main__":
    if MAY_MOUNT and IN_NAMESPACE not in os.environ:
        os.environ[IN_NAMESPACE] = "1"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
    unittest.main(argv=sys.argv[1:])
