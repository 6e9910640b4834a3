#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a result takes to a store that is far away: store_bench behind a proxy that makes each request, and each
new connection, wait for one round trip.
usage: store_latency.py BUILD [--stores s3,fake] [--delay SECONDS] [--objects N] [--bytes N] [--rounds N] [--most SECONDS]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "serve"))
import store_backends  # noqa: E402


class Gap:
    """How long the place is without a complete set: from the end of the old one's mark to that of the new one's."""

    def __init__(self):
        self.begin = None
        self.listed = False
        self.seconds = []

    def __call__(self, phase, before):
        if phase == "list":
            self.listed = True
        elif phase == "deleting" and not before and self.listed:
            self.begin, self.listed = time.monotonic(), False
        elif phase == "last" and not before:
            self.seconds.append(time.monotonic() - self.begin)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--stores", default="s3,fake")
    parser.add_argument("--delay", type=float, default=0.1)
    parser.add_argument("--objects", type=int, default=32)
    parser.add_argument("--bytes", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--most", type=float, help="fail when every round takes longer")
    options = parser.parse_args()
    slow = False
    for name in options.stores.split(","):
        backend = (store_backends.FakeS3() if name == "s3" else
                   store_backends.Supabase.fake(options.build / "tests/support/glint_fake_supabase"))
        proxy = store_backends.Proxy(backend, delay=options.delay)
        gap = proxy.fault = Gap()
        done = subprocess.run(
            [options.build / "bench/store_bench", f"{backend.scheme}/bench", str(options.objects), str(options.bytes),
             str(options.rounds)], env=dict(os.environ, **backend.environment(proxy.url)), check=True,
            capture_output=True, text=True)
        backend.stop()
        for line in done.stdout.splitlines():
            print(f"{name}, {options.delay * 1e3:.0f} ms a round trip: {line}")
        print(f"{name}: {max(gap.seconds):.3f} s without a complete set at most")
        slow |= bool(options.most) and min(float(line.split()[0]) for line in done.stdout.splitlines()) > options.most
    sys.exit(slow)


if __name__ == "__main__":
    main()
