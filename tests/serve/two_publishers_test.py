#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two `glint scan` that publish different results to one place at the same time, on a folder and on a bucket: what is
complete there is one of the two, whole, at every moment, and nothing of the other stays.
usage: two_publishers_test.py GLINT [ROUNDS]
"""
import hashlib
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import store_backends  # noqa: E402
from sanitized import patience  # noqa: E402

MARK = "report.json"


def digests(objects):
    """What tells two results apart: their names, and the digests of their pictures."""
    return {name: hashlib.sha256(content).hexdigest() if name.endswith(".png") else ""
            for name, content in objects.items()}


class Bucket:
    """Looks at the bucket before and after each request that changes it."""

    name = "bucket"

    def __init__(self, _):
        self.backend = store_backends.FakeS3()
        self.proxy = store_backends.Proxy(self.backend)
        self.proxy.fault = self.on_request
        self.watched = None
        self.seen = []

    def place(self, prefix):
        return f"{self.backend.scheme}/{prefix}"

    def environment(self):
        return dict(os.environ, **self.backend.environment(self.proxy.url))

    def objects(self, prefix):
        with self.backend.lock:
            return {key[len(prefix) + 1:]: content for key, content in self.backend.objects.items()
                    if key.startswith(prefix + "/") and store_backends.STAGING not in key}

    def on_request(self, phase, before):
        if self.watched and phase != "before":
            self.look()
        if before:
            time.sleep(random.uniform(0, 0.02))

    def look(self):
        found = self.objects(self.watched)
        if MARK in found:
            self.seen.append(digests(found))

    def watch(self, prefix):
        self.watched = prefix
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.look()
        self.watched = None

    def leftovers(self):
        return [key for key in self.backend.objects if store_backends.STAGING in key]


class Folder:
    """Reads the folder all the time."""

    name = "folder"

    def __init__(self, folder):
        self.folder = folder / "results"
        self.watched = None
        self.seen = []

    def place(self, prefix):
        return str(self.folder / prefix)

    def environment(self):
        return dict(os.environ)

    def objects(self, prefix):
        place = self.folder / prefix
        return {str(file.relative_to(place)): file.read_bytes() for file in place.rglob("*") if file.is_file()}

    def look(self):
        place = self.folder / self.watched
        try:
            before = place.stat().st_ino
            found = self.objects(self.watched)
            if place.stat().st_ino == before and MARK in found:
                self.seen.append(digests(found))
        except OSError:  # replaced while it was read
            pass

    def watch(self, prefix):
        self.watched = prefix
        return self

    def __enter__(self):
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.look_all_the_time)
        self.thread.start()
        return self

    def look_all_the_time(self):
        while not self.ended.wait(0.001):
            self.look()

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.look()

    def leftovers(self):
        return list(self.folder.rglob(store_backends.STAGING + "*"))


def scan(glint, clip, store, prefix):
    return subprocess.Popen([glint, "scan", clip, "--out", store.place(prefix), "--profile", "classic", "--device",
                             "cpu", "--threads", "1"], env=store.environment(), stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)


def main():
    glint, rounds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    failures = []
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        clips = []
        for seed, frames in ((1, 8), (2, 9)):
            subprocess.run([glint, "synth", "--out", folder, "--name", f"clip-{seed}", "--size", "320x180", "--frames",
                            str(frames), "--seed", str(seed)], check=True, stdout=subprocess.DEVNULL)
            clips.append(folder / f"clip-{seed}.mp4")
        for store in (Folder(folder), Bucket(folder)):
            whole = []
            for i, clip in enumerate(clips):
                assert scan(glint, clip, store, f"alone-{i}").wait() == 0
                whole.append(digests(store.objects(f"alone-{i}")))
            assert whole[0] != whole[1]
            ended = {0: 0}
            for number in range(rounds):
                with store.watch("both" if number % 2 else f"new-{number}"):  # replaces a result, or makes the first
                    programs = [scan(glint, clip, store, store.watched) for clip in clips]
                    said = [program.communicate(timeout=patience(120))[1] for program in programs]
                for program, words in zip(programs, said):
                    ended[program.returncode] = ended.get(program.returncode, 0) + 1
                    if program.returncode != 0:
                        print(f"{store.name}: ended with {program.returncode}: {words.strip()[-300:]}")
                        if not words.strip():
                            failures.append(f"{store.name}: a program failed without a word")
                if all(program.returncode != 0 for program in programs):
                    failures.append(f"{store.name} {number}: nobody published")
                if not store.seen or store.seen[-1] not in whole:
                    failures.append(f"{store.name} {number}: no whole result at the end")
            mixed = sum(found not in whole for found in store.seen)
            kinds = [store.seen.count(one) for one in whole]
            print(f"{store.name}: {rounds} rounds, ended {ended}; complete when looked at {len(store.seen)} times, "
                  f"of the first {kinds[0]}, of the second {kinds[1]}, of neither {mixed}")
            if mixed:
                failures.append(f"{store.name}: {mixed} times a complete set of neither")
            if store.leftovers():
                failures.append(f"{store.name}: left {store.leftovers()}")
    print("\n".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
