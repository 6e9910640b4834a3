#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos: two `glint serve` on one state folder, at random under kills, freezes, full disks, cut connections and
hostile videos.

Every acknowledged scan must end once, with a right reason, and nothing may be left behind.
usage: chaos_test.py GLINT [SECONDS [SEED [SCANS]]]
"""
import http.server
import json
import os
import pathlib
import random
import signal
import socket
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from sanitized import SANITIZED  # noqa: E402

GLINT = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
SCANS = int(sys.argv[4]) if len(sys.argv) > 4 else 300
TOKEN = "chaos-token-0123456789"
PACE = SECONDS / SCANS  # seconds from one scan to the next
DISKS = {"state": 64, "downloads": 4, "results": 192}  # MiB; a result has up to half a MiB
IN_NAMESPACE = "GLINT_CHAOS_DISKS"  # set where this script may mount


class Videos(http.server.BaseHTTPRequestHandler):
    """Serves a clip, whole or not."""

    clip = strip = b""

    def log_message(self, *_):
        pass

    def body(self, kind):
        chaos = random.Random(self.path)
        changed = bytearray(self.clip)
        if kind == "mutated":
            for _ in range(40):
                changed[chaos.randrange(len(changed))] = chaos.randrange(256)
        return {"mutated": bytes(changed), "short": self.clip[: len(self.clip) // 2], "strip": self.strip,
                "page": b"<html>no video</html>" * 9}.get(kind, self.clip)

    def do_GET(self):
        kind = self.path.rsplit("/", 1)[-1].split("-")[0]
        if kind == "inside":
            self.send_response(302)
            self.send_header("Location", "http://169.254.169.254/latest/meta-data/")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        body = self.body(kind)
        self.send_response(404 if kind == "none" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            if kind == "slow":
                for at in range(0, len(body), len(body) // 8 + 1):
                    self.wfile.write(body[at : at + len(body) // 8 + 1])
                    time.sleep(0.4)
            else:
                self.wfile.write(body[: len(body) * 2 // 3] if kind == "cut" else body)
        except OSError:
            pass
        self.close_connection = True


KINDS = {
    "good": {None},
    "slow": {None},
    "mutated": None,  # any end but a fault of the worker's
    "short": {"CORRUPT_VIDEO", "NOT_A_VIDEO", "DOWNLOAD_FAILED", None},
    "strip": {"LIMIT_EXCEEDED"},
    "page": {"NOT_A_VIDEO"},
    "none": {"INPUT_NOT_FOUND"},
    "cut": {"DOWNLOAD_FAILED"},
    "inside": {"URL_NOT_ALLOWED"},
}
OUR_FAULT = {"INTERNAL", "WORKER_DIED", "OUT_OF_MEMORY", "DISK_FULL", "OUTPUT_UNWRITABLE", "STORE_UNAVAILABLE",
             "DECODER_DIED", "DECODER_UNAVAILABLE"}


class CuttingProxy(socketserver.ThreadingTCPServer):
    """Passes connections on to a port; some are cut after a few bytes."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port):
        self.behind = port
        self.cuts = 0
        super().__init__(("127.0.0.1", 0), None)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def finish_request(self, request, client_address):
        left = [random.randrange(3000) if random.random() < 0.3 else 1 << 40]
        with socket.create_connection(("127.0.0.1", self.behind), 5) as behind:
            threads = [threading.Thread(target=self.pump, args=(one, other, left), daemon=True)
                       for one, other in ((request, behind), (behind, request))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.cuts += left[0] <= 0

    def pump(self, one, other, left):
        try:
            while piece := one.recv(min(65536, max(1, left[0]))):
                other.sendall(piece)
                left[0] -= len(piece)
                if left[0] <= 0:
                    break
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def handle_error(self, request, client_address):
        pass  # nobody behind: the worker is dead


class Worker:
    """One of the workers, started again whenever it is down."""

    def __init__(self, folder, source, name):
        self.folder = folder
        self.name = name
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.command = [GLINT, "serve", "--json", "--listen", f"127.0.0.1:{self.port}", "--device", "cpu",
                        "--lanes", "2", "--max-attempts", "100", "--metrics-listen", "",
                        "--state", str(folder / "state"), "--store", str(folder / "results"),
                        "--token-file", str(folder / "tokens"), "--allow-source", source]
        self.lock = threading.Lock()
        self.process = None
        self.start()

    def start(self):
        """@return whether it serves: on a full disk it may refuse to"""
        with open(self.folder / f"log-{self.name}", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log, text=True)
        return '"serving"' in self.process.stdout.readline()

    def kill(self):
        with self.lock:
            self.process.kill()
            self.process.wait()

    def freeze(self, seconds):
        with self.lock:
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(90)


def call(port, *words):
    environment = dict(os.environ, GLINT_SERVER=f"127.0.0.1:{port}", GLINT_TOKEN=TOKEN)
    try:
        return subprocess.run([GLINT, *words], env=environment, capture_output=True, text=True, timeout=60,
                              check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(words, -1, "", "it took too long")


class Trouble:
    """What goes wrong, until it is over."""

    def __init__(self, workers, folder):
        self.workers = workers
        self.folder = folder
        self.counts = {"kills": 0, "freezes": 0, "long freezes": 0, "killed decoders": 0, "full disks": 0,
                       "refused starts": 0}
        self.wrong = []
        self.full = []  # (from, to) of the times with a full disk, seconds of the clock
        self.over = threading.Event()
        self.threads = [threading.Thread(target=self.make), threading.Thread(target=self.revive)]
        if IN_NAMESPACE in os.environ:
            self.threads.append(threading.Thread(target=self.fill))
        for thread in self.threads:
            thread.start()

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join()

    def make(self):
        chaos = random.Random(SEED + 1)
        while not self.over.wait(chaos.uniform(0.5, 2.5) * max(1, PACE)):
            worker = chaos.choice(self.workers)
            dice = chaos.random()
            if dice < 0.35:
                worker.kill()
                self.counts["kills"] += 1
            elif dice < 0.75:
                worker.freeze(chaos.uniform(0, 2))
                self.counts["freezes"] += 1
            elif dice < 0.8 and SECONDS > 300:
                worker.freeze(35)  # longer than a lease: the other takes its scans
                self.counts["long freezes"] += 1
            else:
                self.counts["killed decoders"] += self.kill_decoder(worker)

    def kill_decoder(self, worker):
        """@return whether it had one within a while; the scan whose video it reads may end with DECODER_DIED"""
        for _ in range(300):
            try:
                tasks = pathlib.Path(f"/proc/{worker.process.pid}/task")
                children = " ".join((task / "children").read_text() for task in tasks.iterdir()).split()
                if children:
                    os.kill(int(children[0]), signal.SIGKILL)
                    return True
            except OSError:
                pass
            time.sleep(0.01)
        return False

    def revive(self):
        while not self.over.wait(0.2):
            self.revive_once()

    def revive_once(self):
        for worker in self.workers:
            with worker.lock:
                code = worker.process.poll()
                if code is None:
                    continue
                if code != -signal.SIGKILL and not self.was_full(time.time() - 10, time.time()):
                    self.wrong.append(f"worker {worker.name} ended by itself with {code}")
                if not worker.start():
                    worker.process.wait()
                    self.counts["refused starts"] += 1

    def fill(self):
        """Takes all that is left of a disk, for a while."""
        chaos = random.Random(SEED + 2)
        while not self.over.wait(chaos.uniform(2, 8) * max(1, PACE)):
            disk = chaos.choice(list(DISKS))
            filler = (self.folder / ("state/downloads" if disk == "downloads" else disk)) / "filler"
            begun = time.time()
            self.full.append((begun, begun + 1e9))
            try:
                with open(filler, "wb", buffering=0) as file:
                    while True:
                        file.write(bytes(4096))
            except OSError:
                pass
            self.counts["full disks"] += 1
            self.over.wait(chaos.uniform(0.5, 4))
            filler.unlink(missing_ok=True)
            self.full[-1] = (begun, time.time())

    def was_full(self, begin, end):
        return any(begin <= to and end >= since for since, to in self.full)


def make_videos(folder):
    done = subprocess.run([GLINT, "synth", "--out", str(folder / "synth"), "--size", "320x180",
                           "--frames", "10", "--seed", "1"], capture_output=True, text=True,
                          check=False)
    videos = sorted((folder / "synth").rglob("*.mp4"))
    if not videos:
        sys.exit(f"no clip could be made: {done.stderr}")
    Videos.clip = videos[0].read_bytes()
    try:
        import cv2
        import numpy
    except ImportError:
        del KINDS["strip"]
        return
    strip = cv2.VideoWriter(str(folder / "strip.avi"), cv2.VideoWriter_fourcc(*"MJPG"), 30, (20000, 32))
    for _ in range(3):
        strip.write(numpy.zeros((32, 20000, 3), numpy.uint8))
    strip.release()
    Videos.strip = (folder / "strip.avi").read_bytes()


def submit_all(workers, proxies, source):
    """@return kind and time of every scan that was acknowledged, and how many were not"""
    accepted = {}
    refused = 0
    begin = time.monotonic()
    for number in range(SCANS):
        if time.monotonic() - begin > SECONDS:
            break
        kind = random.choice(["good"] * 4 + list(KINDS))
        scan = f"{kind}-{number}-{random.randrange(1 << 30)}"
        since = time.time()
        for _ in range(5):  # whoever hears nothing asks again, with the same id
            port = random.choice([random.choice(workers).port, random.choice(proxies).server_address[1]])
            if call(port, "submit", f"http://{source}/{scan}", "--id", scan).returncode == 0:
                accepted[scan] = (kind, since)
                break
            time.sleep(0.2)
        else:
            refused += 1
        time.sleep(max(0, begin + (number + 1) * PACE - time.monotonic()))
    return accepted, refused


def main():
    may_mount = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True,
                               check=False).returncode == 0
    if may_mount and IN_NAMESPACE not in os.environ:
        os.environ[IN_NAMESPACE] = "1"
        os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])
    print(f"seed {SEED}, {'' if may_mount else 'no '}full disks", flush=True)
    random.seed(SEED)
    with tempfile.TemporaryDirectory() as name:
        try:
            run(pathlib.Path(name))
        finally:
            for disk in ("state/downloads", "state", "results") if may_mount else ():
                subprocess.run(["umount", "-l", f"{name}/{disk}"], check=False)


def run(folder):
    make_videos(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Videos)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = f"127.0.0.1:{server.server_port}"
    for disk, size in DISKS.items() if IN_NAMESPACE in os.environ else ():
        at = folder / ("state/downloads" if disk == "downloads" else disk)
        at.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}m,mode=700", "none", str(at)], check=True)
    (folder / "tokens").write_text(f"chaos {TOKEN}\n")
    os.chmod(folder / "tokens", 0o600)
    workers = [Worker(folder, source, name) for name in "ab"]
    proxies = [CuttingProxy(worker.port) for worker in workers]
    trouble = Trouble(workers, folder)
    accepted, refused = submit_all(workers, proxies, source)
    trouble.end()
    trouble.revive_once()
    counts = dict(trouble.counts, cuts=sum(proxy.cuts for proxy in proxies), unacknowledged=refused)
    wrong = trouble.wrong + check(folder, workers, accepted, trouble)
    print(f"{len(accepted)} scans, {counts}")
    for line in wrong[:40]:
        print("WRONG:", line)
    server.shutdown()
    if wrong:
        for name in "ab":
            print(f"--- log of {name}:\n", (folder / f"log-{name}").read_text(errors="replace")[-3000:])
    sys.exit(1 if wrong else 0)


def wait_for_ends(workers, accepted):
    wrong = []
    patience = time.monotonic() + (900 if SANITIZED else 90) + len(accepted)
    for scan in accepted:
        while True:
            shown = call(random.choice(workers).port, "get", scan, "--json").stdout
            state = (json.loads(shown).get("scan") or {}).get("state", "") if shown.startswith("{") else ""
            state = state.removeprefix("SCAN_STATE_").lower()
            if state in ("succeeded", "failed", "cancelled"):
                break
            if time.monotonic() > patience:
                wrong.append(f"{scan} has not ended: {state or 'unknown'}")
                break
            time.sleep(0.2)
    return wrong


def check(folder, workers, accepted, trouble):
    wrong = wait_for_ends(workers, accepted)
    for worker in workers:
        if (code := worker.stop()) != 0:
            wrong.append(f"worker {worker.name} ended with {code}")
    rows = sqlite3.connect(folder / "state/jobs.sqlite").execute(
        "SELECT scan_id, state, reason, message, ended_us, (SELECT COUNT(*) FROM glint_events AS e WHERE "
        "e.scan_id = j.scan_id AND e.state IN ('succeeded', 'failed', 'cancelled')) FROM glint_jobs AS j")
    jobs = {row[0]: row[1:] for row in rows}
    ends = {}
    for scan, (kind, since) in accepted.items():
        state, reason, message, ended_us, times = jobs[scan]
        ends[reason or state] = ends.get(reason or state, 0) + 1
        full = trouble.was_full(since, (ended_us or 0) / 1e6)
        excused = (reason == "DISK_FULL" and full) or (reason == "DECODER_DIED" and
                                                       trouble.counts["killed decoders"] > 0)
        right = reason not in OUR_FAULT and (KINDS[kind] is None or reason in KINDS[kind])
        if not (right or excused):
            wrong.append(f"{scan} ended with {reason}: {message}")
        if times != 1:
            wrong.append(f"{scan} ended {times} times")
        if (folder / "results" / scan / "report.json").exists() != (state == "succeeded"):
            wrong.append(f"{scan} is {state}, and its results say otherwise")
    if ends.get("DECODER_DIED", 0) > trouble.counts["killed decoders"]:
        wrong.append("decoders have died that nobody has killed")
    print("ends:", dict(sorted(ends.items())))
    left = [*(folder / "state/downloads").rglob("*.mp4"), *(folder / "state/results").glob("*")]
    left += [one for one in (folder / "results").iterdir() if one.name not in accepted and one.name in jobs]
    return wrong + [f"left behind: {one}" for one in left]


if __name__ == "__main__":
    main()
