#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of a fleet: `glint serve` on one queue in PostgreSQL and one bucket, whose every publication is counted.

  kills      workers of the fleet are killed (kill -9) at random moments and started again
  failover   a primary with a standby (streaming replication) is killed, and the standby promoted
  cut        the network between two workers and the server is cut for a while
  clock      one worker's clock is a day ahead, another's a day behind, and one of them is killed
  tls        sslmode=verify-full against a server with a certificate of an authority of our own
  disk       the server's disk is filled to the last byte, and emptied again (where file systems may be mounted)
  full       the server has fewer connections than the workers want
  versions   workers of an older program beside new ones, which migrate its tables (with --old)

The scans are of two owners, one of which may run two at once, in two tiers, which half of the workers serve in either
order. In each scenario every scan must end once, with success, and be published once. They run at the same time, each on
a server of its own. docs/operations.md has longer runs.
usage: fleet_faults.py GLINT [--kills 6] [--workers 3] [--cut 3] [--scans 12] [--old GLINT] [--only NAME]
"""
import argparse
import collections
import concurrent.futures
import http.server
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import store_backends

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from sanitized import SANITIZED, patience  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
POSTGRES = ROOT / "scripts" / "postgres_server.sh"
FAKETIME = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
BINARIES = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
TOKENS = {"ann": "owner=ann tiers=free,premium 0123456789abcdef-ann",
          "bob": "owner=bob tiers=free,premium running=2 0123456789abcdef-bob"}
STATES = ("queued", "running", "succeeded", "failed", "cancelled")


class CountingS3(store_backends.FakeS3):
    """Counts how often each result was published: its last object put in its place."""

    def __init__(self):
        super().__init__()
        self.published = collections.Counter()

    def answer(self, method, target, headers, body):
        if method == "PUT" and self.phase(method, target, headers) == "last":
            self.published["/".join(target.split("?")[0].split("/")[-3:-1])] += 1
        return super().answer(method, target, headers, body)


class Videos(http.server.BaseHTTPRequestHandler):
    clip = b""

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.clip)))
        self.end_headers()
        try:
            self.wfile.write(self.clip)
        except OSError:
            pass


class Network:
    """Passes connections on to a port until it is cut."""

    def __init__(self, behind):
        self.behind = behind
        self.whole = True
        self.ends = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                server = socket.create_connection(("127.0.0.1", self.behind)) if self.whole else None
            except OSError:
                server = None
            if server is None:
                client.close()
                continue
            self.ends |= {client, server}
            for one, other in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(one, other), daemon=True).start()

    def pump(self, one, other):
        try:
            while piece := one.recv(65536):
                other.sendall(piece)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.ends.discard(end)

    def cut(self):
        self.whole = False
        for end in list(self.ends):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def mend(self):
        self.whole = True


class Server:
    """A PostgreSQL of its own."""

    def __init__(self, folder, settings=""):
        self.folder = folder
        self.run("start", settings)
        self.read()

    def read(self):
        said = dict(line.split("=", 1) for line in (self.folder / "postgres.env").read_text().split())
        self.port, self.url = int(said["PGPORT"]), said["URL"]

    def run(self, action, settings=""):
        done = subprocess.run([POSTGRES, action, self.folder], text=True, capture_output=True, check=False,
                              env={**os.environ, "POSTGRES_SETTINGS": settings})
        if done.returncode == 77:
            print(done.stderr, file=sys.stderr)
            sys.exit(77)
        if done.returncode != 0:
            raise AssertionError(done.stderr)

    def sql(self, text):
        return subprocess.run(["psql", "-X", "-At", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port),
                               "-U", "postgres", "postgres", "-c", text], check=True, text=True, capture_output=True).stdout

    def sql_fails(self):
        try:
            self.sql("SELECT 1")
            return False
        except subprocess.CalledProcessError:
            return True

    def standby(self, folder):
        """Another server that follows this one, which waits for it with each commit."""
        folder.mkdir()
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (folder / "postgres.env").write_text(
            f"PGHOST=127.0.0.1\nPGPORT={port}\nURL=postgresql://glint@127.0.0.1:{port}/postgres\n")
        # The base backup has to be the server's user's, as the script makes it one.
        alone = [] if os.getuid() else ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        subprocess.run([*alone, BINARIES[-1] / "pg_basebackup", "-D", folder / "pg", "-R", "-X", "stream", "-c", "fast",
                        "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres"], check=True, cwd="/")
        follower = object.__new__(Server)
        follower.folder = folder
        follower.run("restart")
        follower.read()
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")
        while self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'").strip() != "1":
            time.sleep(0.1)
        return follower


class Worker:
    def __init__(self, fleet, name, url, environment=None, program=None):
        self.fleet, self.name = fleet, name
        tiers = "free,premium" if len(fleet.workers) % 2 else "premium,free"
        self.log = fleet.folder / f"{name}.log"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.command = [program or fleet.glint, "serve", "--json", "--listen", f"127.0.0.1:{self.port}", "--device", "cpu",
                        "--lanes", "1", "--threads", "1", "--downloads", "1", "--state", fleet.folder / name,
                        "--store", "s3://glint", "--allow-source", fleet.source, "--max-attempts", "100",
                        "--drain-grace", "10s", "--tiers", tiers, "--token-file", fleet.tokens]
        self.environment = {"PATH": os.environ["PATH"], "GLINT_JOBS": url, **fleet.store.backend.environment(
            fleet.store.url), **(environment or {})}
        self.process = None
        self.start()

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(one) for one in self.command], env=self.environment,
                                            stdout=subprocess.PIPE, stderr=log, text=True)
        said = self.process.stdout.readline()
        if '"serving"' not in said:
            raise AssertionError(self.log.read_text()[-2000:])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(60)
        self.process.stdout.close()
        if code != 0:
            raise AssertionError(f"{self.name} ended with {code}: {self.log.read_text()[-2000:]}")


class Fleet:
    """What the scenarios work with."""

    def __init__(self, glint, folder, source):
        self.glint, self.folder, self.source = glint, folder, source
        self.store = store_backends.Proxy(CountingS3())
        self.workers = []
        self.tokens = folder / "tokens"
        self.tokens.write_text("".join(f"{line}\n" for line in TOKENS.values()))
        self.tokens.chmod(0o600)

    def worker(self, url, environment=None, program=None):
        self.workers.append(Worker(self, f"worker-{len(self.workers)}", url, environment, program))
        return self.workers[-1]

    def call(self, worker, owner, *words, text=""):
        return subprocess.run([self.glint, *words, "--profile", "classic", "--server", f"127.0.0.1:{worker.port}"],
                              input=text, text=True, check=False, capture_output=True,
                              env={"PATH": os.environ["PATH"], "GLINT_TOKEN": TOKENS[owner].split()[-1]})

    def submit(self, worker, count):
        """Half of them are ann's and half bob's, who have the same ids; a third is premium."""
        for owner, of_owner in (("ann", (count + 1) // 2), ("bob", count // 2)):
            for tier in ("free", "premium"):
                lines = "".join(f"scan-{i} http://{self.source}/{i}.mp4\n" for i in range(of_owner)
                                if (i % 3 == 0) == (tier == "premium"))
                done = self.call(worker, owner, "batch", "submit", "-", "--name", "faults", "--tier", tier, text=lines)
                if lines and done.returncode != 0:
                    raise AssertionError(done.stderr)

    def counts(self, server):
        rows = dict(line.split("|") for line in
                    server.sql("SELECT state, count(*) FROM glint_jobs GROUP BY state").split())
        return {state: int(rows.get(state, 0)) for state in STATES}

    def wait_until(self, server, ended, seconds=patience(240)):
        """Until so many scans have ended. @return seconds"""
        begin = time.monotonic()
        while True:
            counts = self.counts(server)
            if sum(counts[state] for state in STATES[2:]) >= ended:
                return time.monotonic() - begin
            if time.monotonic() - begin > seconds:
                raise AssertionError(f"after {seconds} s: {counts}")
            time.sleep(0.05)

    def check(self, server, count):
        """Every scan ended once, with success, and was published once. @return a line of figures"""
        counts = self.counts(server)
        ends = server.sql("SELECT coalesce(max(ends), 0), coalesce(min(ends), 0), count(*) FROM (SELECT count(*) "
                          "FILTER (WHERE state IN ('succeeded', 'failed', 'cancelled')) AS ends FROM glint_events "
                          "GROUP BY scan_id) AS counted").strip()
        attempts = server.sql("SELECT sum(attempts) FROM glint_jobs").strip()
        published = collections.Counter(self.store.backend.published.values())
        figures = f"{counts['succeeded']} succeeded, {attempts} attempts, published {dict(published)}"
        wrong = []
        if counts != {**dict.fromkeys(STATES, 0), "succeeded": count}:
            why = server.sql("SELECT reason, message FROM glint_jobs WHERE state = 'failed' LIMIT 3")
            wrong.append(f"states: {counts} {why}")
        if ends != f"1|1|{count}":
            wrong.append(f"most, fewest ends of a scan, and scans: {ends}")
        if published != {1: count}:
            wrong.append(f"published so often: {dict(published)}")
        if wrong:
            raise AssertionError("; ".join(wrong))
        return figures

    def end(self):
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()
        self.store.down()


def kills(fleet, options, server):
    workers = [fleet.worker(server.url) for _ in range(options.workers)]
    # As many scans as keep the workers busy until the last kill.
    count = max(options.scans, options.kills * 2)
    fleet.submit(workers[0], count)
    running = 0
    for _ in range(options.kills):
        time.sleep(random.uniform(0.05, 0.8))
        worker = random.choice(workers)
        worker.kill()
        running += int(server.sql("SELECT count(*) FROM glint_jobs WHERE state = 'running' AND lease_until_us > 0 AND "
                                  f"worker LIKE '%{worker_id(fleet, worker)}%'"))
        worker.start()
    fleet.wait_until(server, count, patience(60 + count))
    for worker in workers:
        worker.stop()
    return f"{options.kills} kills over {options.workers} workers with {running} scans under way; " + \
        fleet.check(server, count)


def worker_id(fleet, worker):
    return (fleet.folder / worker.name / "workers" / "id").read_text().strip()


def failover(fleet, options, server):
    standby = server.standby(fleet.folder / "standby")
    try:
        url = f"postgresql://glint@127.0.0.1:{server.port},127.0.0.1:{standby.port}/postgres"
        workers = [fleet.worker(url) for _ in range(2)]
        fleet.submit(workers[0], options.scans)
        fleet.wait_until(server, options.scans // 4)
        before = fleet.counts(server)
        server.run("kill")
        time.sleep(2)
        standby.sql("SELECT pg_promote()")
        took = fleet.wait_until(standby, sum(before[state] for state in STATES[2:]) + 1)
        fleet.wait_until(standby, options.scans)
        for worker in workers:
            worker.stop()
        return f"{before} when the primary was killed; the first end {took:.1f} s after the promotion; " + \
            fleet.check(standby, options.scans)
    finally:
        standby.run("stop")


def cut(fleet, options, server):
    network = Network(server.port)
    workers = [fleet.worker(f"postgresql://glint@127.0.0.1:{network.port}/postgres") for _ in range(2)]
    fleet.submit(workers[0], options.scans)
    fleet.wait_until(server, options.scans // 4)
    network.cut()
    before = fleet.counts(server)
    time.sleep(options.cut)
    meanwhile = fleet.counts(server)
    network.mend()
    direct = fleet.worker(server.url)
    took = fleet.wait_until(server, options.scans)
    for worker in [*workers, direct]:
        worker.stop()
    return f"cut for {options.cut} s at {before}, at its end {meanwhile}; all had ended {took:.1f} s later; " + \
        fleet.check(server, options.scans)


def clock(fleet, options, server):
    if not FAKETIME.exists():
        return "not tried: the package faketime is missing"
    if SANITIZED:
        return "not tried: the false clock would be loaded before the sanitizer"
    def off(by):
        return {"LD_PRELOAD": str(FAKETIME), "FAKETIME": by, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
                "DONT_FAKE_MONOTONIC": "1"}
    begin = time.time()
    ahead, behind = fleet.worker(server.url, off("+1d")), fleet.worker(server.url, off("-1d"))
    right = fleet.worker(server.url)
    fleet.submit(ahead, options.scans)
    fleet.wait_until(server, options.scans // 4)
    ahead.kill()
    ahead.start()
    fleet.wait_until(server, options.scans)
    times = [int(one) / 1e6 for one in server.sql("SELECT min(created_us), min(started_us), max(ended_us) FROM "
                                                  "glint_jobs").strip().split("|")]
    if not all(begin - 5 < one < time.time() + 5 for one in times):
        raise AssertionError(f"times of the scans are not the server's: {times}")
    for worker in (ahead, behind, right):
        worker.stop()
    return fleet.check(server, options.scans)


def disk(fleet, options, _):
    small = fleet.folder / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100m", "tmpfs", small], check=False,
                      capture_output=True).returncode != 0:
        return "not tried: no file system may be mounted here"
    server = None
    try:
        server = Server(small, "-c max_wal_size=32MB -c min_wal_size=32MB")
        workers = [fleet.worker(server.url) for _ in range(2)]
        fleet.submit(workers[0], options.scans)
        fleet.wait_until(server, options.scans // 4)
        filler = small / "filler"
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        taken, refused = 0, collections.Counter()
        until = time.monotonic() + patience(180)  # some submissions still find room, and each may take seconds
        while time.monotonic() < until and (sum(refused.values()) < 3 or not refused["DISK_FULL"]):
            done = fleet.call(workers[0], "ann", "submit", f"http://{fleet.source}/x.mp4", "--id", f"late-{taken}")
            taken += done.returncode == 0
            if done.returncode != 0:
                refused["DISK_FULL" if "disk" in done.stderr else done.stderr] += 1
        filler.unlink()
        if not refused["DISK_FULL"]:
            raise AssertionError(f"nobody was told of the disk: {taken} taken, {dict(refused)}")
        if server.sql_fails():
            server.run("restart")  # it stops by itself where its write-ahead log finds no space
        # What was refused is not known, or it was taken after all: then it runs as all others.
        count = int(server.sql("SELECT count(*) FROM glint_jobs"))
        if count < options.scans + taken:
            raise AssertionError(f"{options.scans + taken} were accepted, and {count} are known")
        fleet.wait_until(server, count)
        for worker in workers:
            worker.stop()
        return f"no byte left: {taken} submissions taken, refused {dict(refused)}; " + fleet.check(server, count)
    finally:
        if server is not None:
            server.run("stop")
        subprocess.run(["umount", "-l", small], check=False)


def full(fleet, options, server):
    first = fleet.worker(server.url)
    server.sql("ALTER ROLE glint CONNECTION LIMIT 4")
    others = [fleet.worker(server.url) for _ in range(2)]
    fleet.submit(first, options.scans)
    fleet.wait_until(server, options.scans)
    logs = "".join(worker.log.read_text() for worker in fleet.workers)
    said = logs.count("no connection left")
    if not said:
        raise AssertionError("no worker was short of connections")
    server.sql("ALTER ROLE glint CONNECTION LIMIT -1")
    for worker in [first, *others]:
        worker.stop()
    return f"4 connections for 3 workers, {said} times none left; " + fleet.check(server, options.scans)


def versions(fleet, options, server):
    if not options.old:
        return "not tried: --old names no older program"
    old = [fleet.worker(server.url, program=options.old) for _ in range(2)]
    before = server.sql("SELECT max(version) FROM glint_schema").strip()
    fleet.submit(old[0], options.scans)
    fleet.wait_until(server, options.scans // 4)
    new = [fleet.worker(server.url) for _ in range(2)]
    after = server.sql("SELECT max(version) FROM glint_schema").strip()
    fleet.wait_until(server, options.scans)
    made = [worker.log.read_text().count("scan succeeded") for worker in [*old, *new]]
    for worker in [*old, *new]:
        worker.stop()
    return f"tables {before}, then {after}; scans of the old workers {made[:2]}, of the new {made[2:]}; " + \
        fleet.check(server, options.scans)


def certificates(folder):
    """An authority, and a server's certificate for "localhost" by it; and another authority."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, cwd=folder, capture_output=True)
    for name in ("ca", "other"):
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name} of a test",
                "-keyout", f"{name}.key", "-out", f"{name}.pem")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", "server.key", "-out",
            "server.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", "names", "-out", "server.pem")
    os.chmod(folder / "server.key", 0o600)


def tls(fleet, options, server):
    certificates(fleet.folder)
    for setting, file in (("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key")):
        server.sql(f"ALTER SYSTEM SET {setting} = '{fleet.folder / file}'")
    server.sql("ALTER SYSTEM SET ssl = on")
    server.sql("SELECT pg_reload_conf()")
    def url(host, authority):
        return (f"postgresql://glint@{host}:{server.port}/postgres?sslmode=verify-full&sslrootcert="
                f"{fleet.folder / authority}")
    for host, authority, why in (("127.0.0.1", "ca.pem", "does not match host name"),
                                 ("localhost", "other.pem", "certificate verify failed")):
        refused = subprocess.run([fleet.glint, "serve", "--listen", "127.0.0.1:0", "--device", "cpu", "--state",
                                  fleet.folder / "refused", "--store", fleet.folder / "results"], text=True,
                                 env={"PATH": os.environ["PATH"], "GLINT_JOBS": url(host, authority)}, timeout=60,
                                 capture_output=True, check=False)
        if refused.returncode == 0 or why not in refused.stderr or "check sslmode" not in refused.stderr:
            raise AssertionError(f"{host}, {authority}: {refused.returncode}: {refused.stderr}")
    worker = fleet.worker(url("localhost", "ca.pem"))
    fleet.submit(worker, 4)
    fleet.wait_until(server, 4)
    encrypted = server.sql("SELECT count(*) FILTER (WHERE ssl), count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING "
                           "(pid) WHERE application_name = 'glint'").strip().split("|")
    if encrypted[0] != encrypted[1] or int(encrypted[0]) < 2:
        raise AssertionError(f"connections that are encrypted, and all: {encrypted}")
    worker.stop()
    return f"{encrypted[0]} of {encrypted[1]} connections encrypted, a wrong name and a wrong authority refused; " + \
        fleet.check(server, 4)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glint")
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--cut", type=float, default=3)
    parser.add_argument("--scans", type=int, default=12)
    parser.add_argument("--old", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    glint = str(pathlib.Path(options.glint).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([glint, "synth", "--out", folder / "synth", "--size", "320x180", "--frames", "20", "--kind",
                        "card", "--seed", "1"], check=True, capture_output=True)
        Videos.clip = next((folder / "synth").rglob("*.mp4")).read_bytes()
        videos = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Videos)
        videos.daemon_threads = True
        threading.Thread(target=videos.serve_forever, daemon=True).start()
        tried = [one for one in (tls, clock, cut, failover, kills, disk, full,
                                    versions) if options.only in ("", one.__name__)]
        with concurrent.futures.ThreadPoolExecutor(len(tried)) as together:
            went_well = list(together.map(
                lambda one: try_one(one, options, glint, folder, f"127.0.0.1:{videos.server_port}"), tried))
        sys.exit(0 if all(went_well) else 1)


def try_one(scenario, options, glint, folder, source):
    own = folder / scenario.__name__
    own.mkdir()
    begin = time.monotonic()
    server = Server(own / "server")
    fleet = Fleet(glint, own, source)
    try:
        said = scenario(fleet, options, server)
        print(f"{scenario.__name__}: {said} ({time.monotonic() - begin:.0f} s)", flush=True)
        return True
    except (AssertionError, subprocess.SubprocessError) as failure:
        print(f"WRONG: {scenario.__name__}: {failure} {getattr(failure, 'stderr', '') or ''}", flush=True)
        for worker in fleet.workers:
            print(f"--- {worker.name}:\n{worker.log.read_text(errors='replace')[-2500:]}")
        return False
    finally:
        fleet.end()
        server.run("stop")


if __name__ == "__main__":
    main()
