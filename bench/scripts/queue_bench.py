#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shared queue under load: a PostgreSQL server of its own that waits for the disk, a queue of 100,000 scans, and 1, 2,
4 and 8 workers whose scans only wait. Prints a table and the plans of the statements that a long queue could make slow.

With --listeners, 4 workers beside so many more that hear of every change.

usage: queue_bench.py JOBS_BENCH [--queued 100000] [--seconds 8] [--wait-ms 0] [--listeners 0 50 100]
"""
import argparse
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = ROOT / "scripts" / "postgres_server.sh"
FILL = """
INSERT INTO glint_jobs (scan_id, number, change, request, shown_url, state, step, fraction, frames, frames_of, bytes,
  bytes_of, created_us, attempts, cancel_requested, last_seq, fence, owner, tier, turn)
SELECT '@owner-' || n % 10 || '/scan-' || n, nextval('glint_job_number'), nextval('glint_change_number'),
  decode(repeat('ab', 150), 'hex'), 'https://host/video.mp4', 'queued', 'queued', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
  'owner-' || n % 10, (ARRAY['free', 'premium'])[n % 2 + 1], n / 10 FROM generate_series(1, {queued}) AS n;
INSERT INTO glint_turns SELECT tier, owner, MAX(turn) FROM glint_jobs GROUP BY 1, 2;
INSERT INTO glint_events SELECT scan_id, 1, 0, 'queued', 'queued', 0, 0, 0, 0, 0 FROM glint_jobs;
VACUUM ANALYZE
"""
PLANS = {
    "the one whose turn it is": "SELECT scan_id, created_us FROM glint_jobs WHERE state = 'queued' AND tier = 'premium' "
                                "AND turn < 4611686018427387904 ORDER BY turn, number LIMIT 1 FOR UPDATE SKIP LOCKED",
    "a lease that has ended": "SELECT scan_id FROM glint_jobs WHERE state = 'running' AND lease_until_us <= 1 AND tier = "
                              "'premium' ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED",
    "a place in the queue": "SELECT COUNT(*) FROM (SELECT 1 FROM glint_jobs WHERE state = 'queued' AND owner = 'owner-1' "
                            "AND tier = 'premium' AND (turn, number) < (9000, 90000) ORDER BY turn DESC, number DESC "
                            "LIMIT 1000) AS ahead",
    "an id, as a submission looks for it": "SELECT 1 FROM glint_jobs WHERE scan_id = '@owner-1/scan-99991' FOR UPDATE",
    "the ends of the queue": "SELECT (SELECT number FROM glint_jobs WHERE state = 'queued' ORDER BY number LIMIT 1), "
                             "(SELECT number FROM glint_jobs WHERE state = 'queued' ORDER BY number DESC LIMIT 1)",
    "what waits in each tier": "SELECT tier, COUNT(*), MIN(created_us) FROM glint_jobs WHERE state = 'queued' GROUP BY "
                               "tier ORDER BY tier",
    "an owner's list": "SELECT scan_id FROM glint_jobs WHERE number < 90000 AND owner = 'owner-1' ORDER BY number DESC "
                       "LIMIT 100",
    "what has changed": "SELECT scan_id FROM glint_jobs WHERE changed_in >= 9223372036854775806",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--queued", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=8)
    parser.add_argument("--wait-ms", type=int, default=0)
    parser.add_argument("--listeners", type=int, nargs="*", default=[])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([SERVER, "start", folder], check=True, env={"PATH": "/usr/bin:/bin:/usr/sbin",
                                                                     "POSTGRES_SETTINGS": "-c fsync=on -c max_connections=500"})
        try:
            server = dict(line.split("=", 1) for line in pathlib.Path(folder, "postgres.env").read_text().split())
            measure(options, server["URL"])
        finally:
            subprocess.run([SERVER, "stop", folder], check=True)


def measure(options, url):
    def sql(text):
        return subprocess.run(["psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", url], input=text, check=True,
                              text=True, capture_output=True).stdout

    subprocess.run([options.program, url, "0", "0"], check=True)
    start = time.monotonic()
    sql(FILL.format(queued=options.queued))
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print(f"{options.queued} scans queued in {time.monotonic() - start:.1f} s\n")
    print("| workers | claimed and ended a second | claim, ms: half within | 99 % within | end, ms: 99 % within | "
          "failures |\n|---|---|---|---|---|---|", flush=True)
    runs = [(4, listeners) for listeners in options.listeners] or [(workers, 0) for workers in (1, 2, 4, 8)]
    for workers, listeners in runs:
        subprocess.run([options.program, url, str(workers), str(options.seconds), str(options.wait_ms), "0",
                        str(listeners)], check=True)
    print(f"\n{sql('SELECT count(*) FROM glint_jobs WHERE state = $$queued$$').strip()} scans still wait\n")
    for name, statement in PLANS.items():
        print(f"{name}:\n{sql('EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ' + statement)}")


if __name__ == "__main__":
    main()
