#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Chaos: `glint serve` under kills, freezes, cut connections and hostile videos, at random.

Every acknowledged scan must end once, with a right reason, and nothing may be left behind.
usage: chaos_test.py GLINT [SECONDS [SEED]]
"""
import http.server
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

GLINT = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 20
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
TOKEN = "chaos-token-0123456789"
LIMIT = 300  # scans


class Videos(http.server.BaseHTTPRequestHandler):
    """Serves a clip, whole or not."""

    clip = b""

    def log_message(self, *_):
        pass

    def do_GET(self):
        kind = self.path.rsplit("/", 1)[-1].split("-")[0]
        body = self.clip
        if kind == "mutated":
            chaos = random.Random(self.path)
            changed = bytearray(body)
            for _ in range(40):
                changed[chaos.randrange(len(changed))] = chaos.randrange(256)
            body = bytes(changed)
        elif kind == "short":
            body = body[: len(body) // 2]
        elif kind == "page":
            body = b"<html>no video</html>" * 9
        self.send_response(404 if kind == "none" else 200)
        self.send_header("Content-Length", str(len(self.clip) if kind == "cut" else len(body)))
        self.end_headers()
        if kind == "cut":
            body = body[: len(body) * 2 // 3]
        try:
            self.wfile.write(body)
        except OSError:
            pass
        self.close_connection = True


KINDS = {
    "good": {None},
    "mutated": None,  # any end but a fault of the worker's
    "short": {"CORRUPT_VIDEO", "NOT_A_VIDEO", "DOWNLOAD_FAILED", None},
    "page": {"NOT_A_VIDEO"},
    "none": {"INPUT_NOT_FOUND"},
    "cut": {"DOWNLOAD_FAILED"},
}
OUR_FAULT = {"INTERNAL", "WORKER_DIED", "OUT_OF_MEMORY", "DISK_FULL", "OUTPUT_UNWRITABLE"}


class Worker:
    def __init__(self, folder, source):
        self.folder = folder
        self.source = source
        self.process = None
        self.server = ""
        self.start()

    def start(self):
        (self.folder / "tokens").write_text(f"chaos {TOKEN}\n")
        os.chmod(self.folder / "tokens", 0o600)
        self.process = subprocess.Popen(
            [GLINT, "serve", "--json", "--listen", "127.0.0.1:0", "--device", "cpu", "--lanes", "2", "--max-attempts", "100",
             "--state", str(self.folder / "state"), "--store", str(self.folder / "results"),
             "--token-file", str(self.folder / "tokens"), "--allow-source", self.source],
            stdout=subprocess.PIPE, stderr=open(self.folder / "log", "ab"), text=True)
        self.server = f"127.0.0.1:{json.loads(self.process.stdout.readline())['ports'][0]}"

    def call(self, *words):
        environment = dict(os.environ, GLINT_SERVER=self.server, GLINT_TOKEN=TOKEN)
        return subprocess.run([GLINT, *words], env=environment, capture_output=True, text=True,
                              timeout=60, check=False)

    def kill(self):
        self.process.kill()
        self.process.wait()


def make_clip(folder):
    done = subprocess.run([GLINT, "synth", "--out", str(folder / "synth"), "--size", "320x180",
                           "--frames", "10", "--seed", "1"], capture_output=True, text=True,
                          check=False)
    videos = sorted((folder / "synth").rglob("*.mp4"))
    if not videos:
        sys.exit(f"no clip could be made: {done.stderr}")
    return videos[0].read_bytes()


def state_of(worker, scan):
    shown = worker.call("get", scan, "--json")
    return json.loads(shown.stdout).get("scan") if shown.stdout.startswith("{") else None


def main():
    print(f"seed {SEED}", flush=True)
    random.seed(SEED)
    with tempfile.TemporaryDirectory() as name:
        run(pathlib.Path(name))


def run(folder):
    Videos.clip = make_clip(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Videos)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = f"127.0.0.1:{server.server_port}"
    worker = Worker(folder, source)
    accepted = {}
    counts = {"kills": 0, "freezes": 0, "unreachable": 0}
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and len(accepted) < LIMIT:
        kind = random.choice(["good"] * 4 + list(KINDS))
        scan = f"{kind}-{len(accepted)}-{random.randrange(1 << 30)}"
        done = worker.call("submit", f"http://{source}/{scan}", "--id", scan)
        if done.returncode == 0:
            accepted[scan] = kind
        else:
            counts["unreachable"] += 1
        dice = random.random()
        if dice < 0.06:
            worker.kill()
            worker.start()
            counts["kills"] += 1
        elif dice < 0.12:
            worker.process.send_signal(signal.SIGSTOP)
            time.sleep(random.random() * 2)
            worker.process.send_signal(signal.SIGCONT)
            counts["freezes"] += 1
    check(folder, worker, accepted, counts)
    server.shutdown()


def check(folder, worker, accepted, counts):
    wrong = []
    ends = {}
    patience = time.monotonic() + 60 + len(accepted)
    for scan, kind in accepted.items():
        while True:
            shown = state_of(worker, scan)
            state = (shown or {}).get("state", "").removeprefix("SCAN_STATE_").lower()
            if state in ("succeeded", "failed", "cancelled"):
                break
            if time.monotonic() > patience:
                wrong.append(f"{scan} has not ended: {state or 'unknown'}")
                break
            time.sleep(0.2)
        reason = ((shown or {}).get("error") or {}).get("reason") or None
        ends[str(reason)] = ends.get(str(reason), 0) + 1
        allowed = KINDS[kind]
        if reason in OUR_FAULT or (allowed is not None and reason not in allowed):
            wrong.append(f"{scan} ended with {reason}")
    worker.process.send_signal(signal.SIGTERM)
    code = worker.process.wait(60)
    if code != 0:
        wrong.append(f"the worker ended with {code}")
    left = list((folder / "state" / "downloads").rglob("*.mp4"))
    if left:
        wrong.append(f"left behind: {left}")
    print(f"{len(accepted)} scans, {counts}, ends {ends}")
    for line in wrong:
        print("WRONG:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
