#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `glint serve` makes of places for results that fail: faults of every kind at every phase of a publication.

Each fault hits one of two scans, under an id where half of the time an older result lies. Afterwards both must have
succeeded, whole, computed once, with nothing left after a sweep. What was counted is printed as a table. A real Supabase server can be
killed and restarted, too: --stores real --kinds restart --cells 1. Five minutes: --kinds down_300.
usage: store_faults.py GLINT FAKE_SUPABASE [--stores s3,fake,ceph,real,folder] [--kinds KIND,...] [--rounds N]
           [--cells N] [--seed N] [--long] [--supabase CHECKOUT]
"""
import argparse
import errno
import hashlib
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

import store_backends
from store_backends import STAGING

PHASES = ["before", "staging", "list", "deleting", "copying", "last"]
FOLDER_PHASES = ["before", "list", "staging", "sync", "last"]
TOKEN = "store-faults-token-0123456789"
# Names of what is the same in every result of one video.
SAME = (".png",)


class Videos(http.server.BaseHTTPRequestHandler):
    """Serves two clips; how often each scan's was asked for says how often it was computed."""

    clips = {}
    asked = {}
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_GET(self):
        clip, scan = self.path.strip("/").split("/")
        with self.lock:
            self.asked[scan] = self.asked.get(scan, 0) + 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.clips[clip])))
        self.end_headers()
        self.wfile.write(self.clips[clip])


def no_fault(*_):
    return None


class Fault:
    """Fires at the nth request of a phase; heals after `seconds`."""

    def __init__(self, cell, kind, phase, dice):
        self.cell, self.kind, self.phase = cell, kind, phase
        self.left = dice.randrange(1, 4) if phase in ("staging", "copying") else 1
        self.after = dice.random() < 0.5  # whether the request that it meets still does its work
        self.fired = threading.Event()
        self.healed = threading.Event()
        self.lock = threading.Lock()
        self.count = 0
        self.computing = set()  # scans without a result on disk when their worker was killed or stopped

    def __call__(self, phase, before):
        with self.lock:
            if not self.fired.is_set():
                if phase != self.phase or before == self.after:
                    return None
                self.left -= 1
                if self.left > 0:
                    return None
                self.fired.set()
                self.cell.check_half("at the fault")
                return getattr(self, self.kind.split("_")[0])(first=True)
        if self.healed.is_set() or not before:
            return None
        return getattr(self, self.kind.split("_")[0])(first=False)

    def heal_after(self, seconds, action=lambda: None):
        def heal():
            action()
            self.healed.set()
        threading.Timer(seconds, heal).start()

    def seconds(self):
        return float(self.kind.split("_")[1])

    def down(self, first):
        if first:
            self.cell.proxy.down()
            self.heal_after(self.seconds(), self.cell.proxy.up)
        return "cut"

    def restart(self, first):
        if first:
            threading.Thread(target=lambda: (self.cell.proxy.backend.restart(), self.healed.set())).start()
        return "cut" if first else None

    def burst(self, first):
        """So many answers of this status."""
        status, most = (int(word) for word in self.kind.split("_")[1:])
        with self.lock if not first else _Nothing():
            self.count += 1
            if self.count >= most:
                self.healed.set()
        body = json.dumps({"statusCode": str(status), "error": "SlowDown", "message": "not now"}).encode()
        return status, {"Content-Type": "application/json"}, body

    def denied(self, first):
        if first:
            self.heal_after(self.seconds())
        body = json.dumps({"statusCode": "403", "error": "Unauthorized", "message": "the key was changed"}).encode()
        return 403, {"Content-Type": "application/json"}, body

    def hang(self, first):
        if not first:
            return None
        self.healed.set()
        time.sleep(45)  # its client gives up before
        return "cut"

    def lost(self, first):
        self.healed.set()
        return "cut" if first else None

    def kill(self, first):
        if first:
            self.computing = self.cell.computing()
            self.cell.worker.process.kill()
            self.healed.set()
        return "cut" if first else None

    def freeze(self, first):
        if first:
            self.computing = self.cell.computing()
            self.cell.worker.process.send_signal(signal.SIGSTOP)
            self.healed.set()
        return None


class FolderFault:
    """A fault of the file system: the library in the worker fires it, and writes that it has."""

    ERRORS = {"away": errno.ETIMEDOUT, "full": errno.ENOSPC, "kill": 0, "freeze": -1}

    def __init__(self, cell, kind, phase, dice):
        self.cell, self.computing, self.fired = cell, set(), self
        word, *seconds = kind.split("_")
        self.mark = pathlib.Path(cell.proxy.url + ".fired")
        self.mark.unlink(missing_ok=True)
        pathlib.Path(cell.proxy.url).write_text(
            f"{phase} {dice.randrange(1, 2 if phase == 'last' else 4)} {seconds[0] if seconds else 1} {self.ERRORS[word]} {dice.random()}")

    def is_set(self):
        return self.mark.exists()

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while not self.is_set() and time.monotonic() < end:
            time.sleep(0.05)
        self.computing = self.cell.computing()


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class Worker:
    started = []

    def __init__(self, cell):
        folder = cell.folder
        (folder / "tokens").write_text(f"faults {TOKEN}\n")
        os.chmod(folder / "tokens", 0o600)
        self.log = folder / "log"
        self.process = subprocess.Popen(
            [cell.run.glint, "serve", "--json", "--listen", "127.0.0.1:0", "--device", "cpu", "--lanes", "2",
             "--threads", "1", "--default-profile", "classic", "--state", folder / "state", "--store", cell.place,
             "--token-file", folder / "tokens", "--allow-source", cell.run.source, "--max-attempts", "10",
             "--exit-when-idle", "0s"],
            stdout=subprocess.PIPE, stderr=open(self.log, "ab"), text=True, env=cell.environment())
        self.started.append(self.process)
        line = self.process.stdout.readline()
        if "ports" not in line:
            raise RuntimeError(f"the worker does not start: {line} {self.log.read_text()[-600:]}")
        self.server = f"127.0.0.1:{json.loads(line)['ports'][0]}"

    def call(self, *words):
        environment = dict(os.environ, GLINT_SERVER=self.server, GLINT_TOKEN=TOKEN)
        program = self.process.args[0]
        return subprocess.run([program, *words], env=environment, capture_output=True, text=True, timeout=60,
                              check=False)


class Cell:
    """A worker of its own, on a part of a store of its own, that meets one fault after the other."""

    def __init__(self, run, backend, folder, number):
        self.run, self.folder, self.number = run, folder, number
        self.is_folder = backend.name == "folder"
        self.proxy = (store_backends.Plan(backend, folder) if self.is_folder else store_backends.Proxy(backend))
        self.proxy.fault = no_fault
        self.place = f"{backend.scheme}/cell-{number}"
        self.scans = []
        self.half = []
        self.frozen = None  # a worker that is stopped
        self.worker = Worker(self)
        self.whole = {}
        for clip in ("new", "old"):  # what each clip's result looks like, and the store has worked
            self.submit([f"reference-{clip}"], clip)
            self.wait(60)
            self.whole[clip] = self.published(f"reference-{clip}")
        assert self.whole["new"] and self.whole["new"] != self.whole["old"], self.whole

    def environment(self):
        return dict(os.environ, **self.proxy.backend.environment(self.proxy.url))

    def submit(self, scans, clip):
        self.scans = scans
        for scan in scans:
            url = f"http://{self.run.source}/{clip}/{self.number}-{scan}"
            done = self.worker.call("submit", url, "--id", scan)
            if done.returncode != 0 and self.frozen is None and self.proxy.fault is not no_fault:
                if self.worker.process.poll() is None:  # stopped, not killed by the fault
                    self.frozen = self.worker
                self.worker = Worker(self)
                done = self.worker.call("submit", url, "--id", scan)
            if done.returncode != 0:
                raise RuntimeError(f"not accepted: {done.stderr}")

    def computing(self):
        """The scans without a result, on the worker's disk or in the store."""
        kept = {path.name.split("~")[0] for path in (self.folder / "state" / "results").glob("*.result")}
        return {scan for scan in self.scans if self.published(scan) != self.whole["new"]} - kept

    def successor(self):
        """A second worker. One that was stopped while it wrote its job store keeps that locked: it gets further."""
        for _ in range(10):
            try:
                return Worker(self)
            except RuntimeError:
                self.worker.process.send_signal(signal.SIGCONT)
                time.sleep(0.02)
                self.worker.process.send_signal(signal.SIGSTOP)
        return Worker(self)

    def states(self):
        shown = [self.worker.call("get", scan, "--json").stdout for scan in self.scans]
        return [json.loads(text).get("scan", {"state": "?"}) if text.startswith("{") else {"state": "?"}
                for text in shown]

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.worker.process.poll() is not None:
                if self.is_folder and self.proxy.fault is not no_fault:
                    self.proxy.fault.computing |= self.computing()
                self.worker = Worker(self)
            states = self.states()
            if all(s["state"] in ("SCAN_STATE_SUCCEEDED", "SCAN_STATE_FAILED", "SCAN_STATE_CANCELLED")
                   for s in states):
                return states
            time.sleep(0.15)
        return self.states()

    def key(self, scan):
        return f"cell-{self.number}/{scan}/"

    def published(self, scan):
        """The digests of a complete set's pictures, by name; None where there is no complete set."""
        backend = self.proxy.backend
        if backend.get(self.key(scan) + "report.json") is None:
            return None
        names = {key[len(self.key(scan)):] for key in backend.keys(self.key(scan))}
        return {name: hashlib.sha256(backend.get(self.key(scan) + name) or b"").hexdigest()
                if name.endswith(SAME) else "" for name in names}

    def check_half(self, when):
        for scan in self.scans:
            found = self.published(scan)
            if found is not None and found not in self.whole.values() and not self.is_old(found):
                self.half.append(f"{scan} {when}")

    def is_old(self, found):
        """A set of the program's: without the completion marker, maybe with names that are not removed yet."""
        old = {name: digest for name, digest in self.whole["old"].items() if name != "receipt.json"}
        return all(found.get(name) == digest for name, digest in old.items() if name != "objects.json")

    def publish_older(self, scan):
        done = subprocess.run([self.run.glint, "scan", self.run.clips / "old.mp4", "--out", f"{self.place}/{scan}",
                               "--profile", "classic", "--device", "cpu"], env=self.environment(),
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"no older result: {done.stderr[-400:]}")

    def meet(self, kind, phase, number, dice):
        """One fault. @return what is counted"""
        scans = [f"f{number}-{i}" for i in range(2)]
        self.half = []
        if dice.random() < 0.5:
            for scan in scans:
                self.publish_older(scan)
        fault = (FolderFault if self.is_folder else Fault)(self, kind, phase, dice)
        self.scans = scans
        tmpfs = kind.startswith("down") and kind.endswith("full")
        if tmpfs:
            self.fill_disk()
        self.proxy.fault = fault
        self.submit(scans, "new")
        if kind == "freeze":
            fault.fired.wait(60)
            if self.frozen is None:
                self.frozen, self.worker = self.worker, self.successor()
            states = self.wait(150)
            self.frozen.process.send_signal(signal.SIGCONT)
            time.sleep(3)
            self.frozen.process.terminate()
            self.frozen.process.wait()
            self.frozen = None
        else:
            states = self.wait(600 if "300" in kind else 240)
        self.proxy.fault = no_fault
        if self.is_folder:
            pathlib.Path(self.proxy.url).unlink()
        if tmpfs:
            self.empty_disk()
        self.check_half("at the end")
        return self.count(fault, states)

    def fill_disk(self):
        place = self.folder / "state" / "results"
        place.mkdir(exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "glint", place], check=True)

    def empty_disk(self):
        subprocess.run(["umount", "-l", self.folder / "state" / "results"], check=True)

    def count(self, fault, states):
        lost = [f"{s} {r.get('state')} {json.dumps(r.get('failure', r))[:300]}"
                for s, r in zip(self.scans, states) if r["state"] != "SCAN_STATE_SUCCEEDED"]
        lost += [f"{s}: another set" for s, r in zip(self.scans, states)
                 if r["state"] == "SCAN_STATE_SUCCEEDED" and self.published(s) != self.whole["new"]]
        twice = [s for s in self.scans if Videos.asked.get(f"{self.number}-{s}", 0) > 1 + (s in fault.computing)]
        again = sum(s in fault.computing and Videos.asked[f"{self.number}-{s}"] == 2 for s in self.scans)
        swept = subprocess.run([self.run.glint, "store", "sweep", self.place, "--older-than", "0"],
                               env=self.environment(), capture_output=True, text=True, check=False)
        left = {key for key in self.proxy.backend.keys(f"cell-{self.number}/") if STAGING in key}
        kept = list((self.folder / "state" / "results").glob("*"))
        if swept.returncode != 0 or kept:
            left.add(f"{swept.stderr} {kept}")
        return {"fired": fault.fired.is_set(), "scans": len(self.scans), "lost": lost, "again": again,
                "twice": twice, "half": self.half, "left": sorted(left)}

    def end(self):
        self.worker.process.terminate()
        self.worker.process.send_signal(signal.SIGCONT)
        self.worker.process.wait()
        self.proxy.down()


class Run:
    def __init__(self, options, folder):
        self.glint, self.options, self.folder = options.glint, options, folder
        self.clips = folder
        for clip, seed, frames in (("new", 1, 8), ("old", 2, 9)):
            subprocess.run([self.glint, "synth", "--out", folder, "--name", clip, "--size", "320x180", "--frames",
                            str(frames), "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
            Videos.clips[clip] = (folder / f"{clip}.mp4").read_bytes()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Videos)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.source = f"127.0.0.1:{server.server_port}"
        self.rows = {}
        self.backends = []
        self.lock = threading.Lock()
        self.failed = False

    def backend(self, name):
        if name == "s3":
            return store_backends.FakeS3()
        if name == "ceph":
            (self.folder / "ceph").mkdir()
            return store_backends.Ceph(self.folder / "ceph")
        if name == "folder":
            (self.folder / "folder").mkdir()
            return store_backends.Folder(self.folder / "folder")
        if name == "fake":
            return store_backends.Supabase.fake(self.options.fake_supabase)
        (self.folder / "real").mkdir()
        return store_backends.Supabase.real(self.folder / "real", self.options.supabase)

    def work(self, backend, number, todo, dice):
        folder = self.folder / f"{backend.name}-{number}"
        folder.mkdir()
        cell = None
        try:
            cell = Cell(self, backend, folder, f"{backend.name}-{number}")
            while True:
                with self.lock:
                    if not todo:
                        return
                    kind, phase = todo.pop()
                    count = sum(row["faults"] for row in self.rows.values())
                began = time.monotonic()
                counted = cell.meet(kind, phase, f"{count}-{dice.randrange(1 << 20)}", dice)
                self.add(backend, kind, phase, counted, time.monotonic() - began, folder)
        except Exception as error:  # a cell that breaks must not end the run silently
            self.failed = True
            print(f"BROKEN {backend.name}: {type(error).__name__}: {error}", flush=True)
        finally:
            if cell:
                cell.end()

    def add(self, backend, kind, phase, counted, seconds, folder):
        with self.lock:
            if not counted["fired"]:
                print(f"  did not fire: {backend.name} {kind} {phase}", flush=True)
            row = self.rows.setdefault((backend.name, kind), dict.fromkeys(
                ("faults", "scans", "lost", "again", "twice", "half", "left"), 0))
            row["faults"] += counted["fired"]
            for name in ("scans", "again"):
                row[name] += counted[name]
            for name in ("lost", "twice", "half", "left"):
                row[name] += len(counted[name])
            bad = counted["lost"] or counted["twice"] or counted["half"] or counted["left"]
            self.failed |= bool(bad)
            print(f"{'BAD ' if bad else 'ok  '}{backend.name} {kind} {phase} {seconds:.1f} s"
                  f"{' ' + json.dumps(counted) + ' ' + str(folder) if bad else ''}", flush=True)

    def table(self):
        print("| store | fault | faults | scans acknowledged | lost | computed again, no result on disk | computed "
              "again in spite of one | half-published | left |")
        print("|---|---|---|---|---|---|---|---|---|")
        total = [0] * 7
        for (store, kind), row in sorted(self.rows.items()):
            values = list(row.values())
            total = [a + b for a, b in zip(total, values)]
            print(f"| {store} | {kind} | {' | '.join(str(v) for v in values)} |")
        print(f"| all | | {' | '.join(str(v) for v in total)} |")


def kinds_of(store, options):
    """All that a store can have, or what is asked for of it."""
    asked = options.kinds.split(",") if options.kinds else None
    if store == "folder":
        kinds = ["away_1", "away_30", "full_1", "full_30", "kill", "freeze"]
        return [kind for kind in kinds if not asked or kind in asked]
    if asked:
        return [kind for kind in asked if kind.split("_")[0] not in ("away", "full")]
    quick = ["down_1", "burst_503_3", "burst_503_30", "lost", "kill", "denied_4"]
    slow = ["down_30", "hang", "freeze"]
    quick += ["burst_544_30"] if store in ("fake", "real") else []
    quick += ["down_3_full"] if os.geteuid() == 0 else []
    return quick + slow


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("glint")
    parser.add_argument("fake_supabase")
    parser.add_argument("--stores", default="s3,fake")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--phases", default="")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--cells", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--supabase", default=os.environ.get("GLINT_TEST_SUPABASE_SOURCE"))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="glint-faults-"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    run = Run(options, folder)
    began = time.monotonic()
    try:
        meet_all(run, options)
    finally:
        for worker in Worker.started:
            worker.kill()
        for backend in run.backends:
            backend.stop()
    run.table()
    print(f"{time.monotonic() - began:.0f} s; {folder}")
    if not run.failed and not options.keep:
        subprocess.run(["rm", "-rf", folder], check=True)
    sys.exit(run.failed or not run.rows)


def meet_all(run, options):
    for store in options.stores.split(","):
        dice = random.Random(options.seed)
        todo = [(kind, phase) for _ in range(options.rounds) for kind in kinds_of(store, options)
                for phase in (FOLDER_PHASES if store == "folder" else PHASES)
                if not options.phases or phase in options.phases.split(",")]
        dice.shuffle(todo)
        backend = run.backend(store)
        run.backends.append(backend)
        cells = [threading.Thread(target=run.work, args=(backend, i, todo, random.Random(options.seed + i)))
                 for i in range(min(options.cells, len(todo)))]
        for cell in cells:
            cell.daemon = True
            cell.start()
        for cell in cells:
            cell.join()


if __name__ == "__main__":
    main()
