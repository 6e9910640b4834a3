#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clients of a fleet wait for: one `glint serve` on a PostgreSQL server of its own that waits for the disk, and whose
scans only wait (their videos' server never answers). First serve_load's submissions a second with open streams, then a
batch: submitted, submitted again, counted, reported when all of it has ended; and one a tenth as large cancelled.

usage: fleet_bench.py GLINT SERVE_LOAD [--seconds 30] [--rate 1000] [--streams 500] [--batch 100000]
                      [--connections 4] [--only load|batch]
"""
import argparse
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = ROOT / "scripts" / "postgres_server.sh"
TOKENS = "the bench owner=bench tiers=free,premium 0123456789abcdef\n"
# As workers leave them: a scan of a minute, whose video took ten seconds to come.
END = """
UPDATE glint_jobs SET state = 'succeeded', device = 'cpu', started_us = created_us, ended_us = created_us + 60000000,
  lease_until_us = NULL WHERE batch = 'bench';
INSERT INTO glint_events SELECT scan_id, last_seq + n, created_us + n * 10000000, 'running',
  (ARRAY['downloading', 'decoding', 'measuring', 'uploading'])[n], 0.2 * n, 0, 0, 0, 0
  FROM glint_jobs, generate_series(1, 4) AS n WHERE batch = 'bench';
VACUUM ANALYZE glint_jobs, glint_events
"""


@contextlib.contextmanager
def postgres():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SERVER, "start", folder], check=True, env={**os.environ, "POSTGRES_SETTINGS": "-c fsync=on"})
        try:
            yield dict(line.split("=", 1) for line in pathlib.Path(folder, "postgres.env").read_text().split())["URL"]
        finally:
            subprocess.run([SERVER, "stop", folder], check=True)


@contextlib.contextmanager
def worker(options, url, source, *flags):
    """@return its process and address"""
    with tempfile.TemporaryDirectory() as folder:
        log = open(f"{folder}/log", "wb")
        process = subprocess.Popen(
            [options.glint, "serve", "--json", "--listen", "127.0.0.1:0", "--device", "cpu", "--lanes", "1", "--threads",
             "1", "--state", f"{folder}/state", "--store", f"{folder}/results", "--queue-capacity", "1000000",
             "--metrics-listen", "127.0.0.1:0", "--jobs-connections", str(options.connections), "--allow-source", source,
             "--max-connections", "4000", "--max-connections-per-address", "4000", *flags],
            env={"PATH": os.environ["PATH"], "GLINT_JOBS": url}, stdout=subprocess.PIPE, stderr=log, text=True)
        try:
            said = process.stdout.readline()
            port = re.search(r'"ports":\[(\d+)', said)
            if not port:
                raise SystemExit(pathlib.Path(folder, "log").read_text())
            yield process, f"127.0.0.1:{port[1]}"
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
            log.close()


def load(options, url):
    with worker(options, url, "127.0.0.1:*") as (process, address):
        subprocess.run([options.serve_load, address, str(process.pid), str(options.seconds), str(options.rate),
                        str(options.streams), "accepted"], check=False)


def batch(options, url):
    silent = socket.create_server(("127.0.0.1", 0))
    source = f"127.0.0.1:{silent.getsockname()[1]}"
    with tempfile.TemporaryDirectory() as folder:
        tokens = pathlib.Path(folder, "tokens")
        tokens.write_text(TOKENS)
        tokens.chmod(0o600)
        listed = "".join(f"scan-{i} http://{source}/{i}.mp4\n" for i in range(options.batch))
        with worker(options, url, source, "--token-file", str(tokens)) as (_, address):
            def timed(what, *words, text=""):
                start = time.monotonic()
                done = subprocess.run([options.glint, "batch", *words, "--server", address], input=text, text=True,
                                      capture_output=True, env={"PATH": os.environ["PATH"],
                                                                "GLINT_TOKEN": TOKENS.split()[-1]}, check=False)
                took = time.monotonic() - start
                said = (done.stdout.strip() or done.stderr.strip()).splitlines()
                print(f"| {what} | {took:.2f} s | {said[0] if said else done.returncode} |", flush=True)

            print(f"| a batch of {options.batch} | took | |\n|---|---|---|")
            timed("submit", "submit", "-", "--name", "bench", text=listed)
            timed("submit again, all there", "submit", "-", "--name", "bench", text=listed)
            timed("status", "status", "bench")
            timed("report, none ended", "report", "bench", "--format", "csv")
            subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", url], input=END, text=True, check=True)
            timed("status, all ended", "status", "bench")
            timed("report, all ended", "report", "bench", "--format", "csv")
            few = "".join(f"few-{line}" for line in listed.splitlines(keepends=True)[:options.batch // 10])
            timed("submit a tenth as many", "submit", "-", "--name", "few", text=few)
            timed("cancel those", "cancel", "few")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("glint", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("serve_load", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--batch", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--only", choices=("load", "batch"))
    options = parser.parse_args()
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    for part in (load, batch):
        if options.only in (None, part.__name__):
            with postgres() as url:
                part(options, url)
    print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
