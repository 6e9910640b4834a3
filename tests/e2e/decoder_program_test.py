#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The decoder as users meet it: installed, found, missing, replaced, killed, and what each program loads.

    decoder_program_test.py BUILD-FOLDER [unittest arguments]
"""
import contextlib
import functools
import http.server
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from sanitized import SANITIZED  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
GLINT = BUILD / "src/cli/glint"
DECODER = BUILD / "src/cli/glint-decode"
# What GPL parts bring, and what no process that holds keys shall load.
CODECS = re.compile(r"lib(av\w+|sw\w+|x264|x265|X\w+|xcb\S*|cairo|openmpt|rsvg\S*|vpx|srt\S*|zmq|rabbitmq|OpenCL)[.-]")
DEVICE_UNAVAILABLE = 7
# Of which a scan takes a tenth of the other's time; the decoder is asked for the same frames.
QUICK = "classic"


def environment(**changes):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GLINT_")}
    return {**kept, **changes}


def run(*command, wrap=(), timeout=300, **changes):
    try:
        return subprocess.run([*wrap, *map(str, command)], capture_output=True, text=True, timeout=timeout, check=False,
                              env=environment(**changes))
    except subprocess.TimeoutExpired as late:
        said = (late.stderr or b"").decode(errors="replace")[-500:]
        raise AssertionError(f"{command[:2]} takes more than {timeout} s; it said at last: {said}") from None


def in_namespace(script):
    """A prefix that runs a command after a script, in a namespace of mounts of its own."""
    return ["unshare", "-m", "--propagation", "private", "sh", "-euc", script + '; exec "$@"', "sh"]


MAY_MOUNT = subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True,
                           check=False).returncode == 0


def libraries(program):
    """The names of all shared libraries that the loader maps for a program."""
    said = subprocess.run(["ldd", str(program)], capture_output=True, text=True, check=True).stdout
    return {line.split()[0].rsplit("/", 1)[-1] for line in said.splitlines() if line.strip()}


def needed(program):
    said = subprocess.run(["readelf", "-d", str(program)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", said))


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="glint-decoder-"))
        os.chmod(cls.base, 0o755)
        made = run(GLINT, "synth", "--kind", "card", "--size", "320x240", "--frames", "20", "--name", "clip", "--out",
                   cls.base)
        assert made.returncode == 0, made.stderr
        cls.video = cls.base / "clip.mp4"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        os.chmod(self.folder, 0o755)

    def program(self, name, text, mode=0o755):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def another_build(self, name="other/glint-decode"):
        return self.program(name, "#!/bin/sh\nprintf 'glint-decode 0.0.9 0123456789abcdef' >&3\nexec sleep 60\n")

    def put(self, source, *names):
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, path)
        return path

    def scan(self, glint=GLINT, *more, profile=QUICK, wrap=(), timeout=300, **changes):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.base)) / "out"
        return run(glint, "scan", self.video, "--out", out, "--device", "cpu", "--profile", profile, *more,
                   wrap=wrap, timeout=timeout, **changes)

    def assert_scans(self, done):
        """It ends well; otherwise the message is what failed, without the progress of the rest."""
        if done.returncode == 0:
            return
        what = [line for line in done.stderr.splitlines() if line.startswith("glint: ")] or [done.stderr[-2000:]]
        self.fail(f"exit code {done.returncode}; {len(what)} lines of failures, the first:\n" + "\n".join(what[:5]))

    def assert_refused(self, done, *words):
        """It ends with DEVICE_UNAVAILABLE, and says why in one line."""
        self.assertEqual(done.returncode, DEVICE_UNAVAILABLE, done.stderr)
        lines = [line for line in done.stderr.splitlines() if "the decoder " in line]
        self.assertEqual(len(lines), 1, done.stderr)
        for word in words:
            self.assertIn(str(word), lines[0])


class WhereItIsLookedFor(Case):
    def test_whatever_the_profile(self):
        self.assert_scans(self.scan(GLINT, profile="photometric"))

    def test_beside_the_program(self):
        self.put(DECODER, "glint-decode")
        self.assert_scans(self.scan(self.put(GLINT, "glint")))

    def test_in_libexec(self):
        self.put(DECODER, "libexec/glint/glint-decode")
        self.assert_scans(self.scan(self.put(GLINT, "bin/glint")))

    def test_where_the_flag_or_the_variable_says(self):
        elsewhere = self.put(DECODER, "elsewhere/another-name")
        glint = self.put(GLINT, "bin/glint")
        self.assert_scans(self.scan(glint, "--decoder", elsewhere))
        self.assert_scans(self.scan(glint, GLINT_DECODER=str(elsewhere)))
        self.assert_refused(self.scan(glint, "--decoder", self.folder / "none", GLINT_DECODER=str(elsewhere)),
                            self.folder / "none")

    def test_of_a_program_that_is_renamed_or_linked(self):
        self.put(DECODER, "bin/glint-decode")
        renamed = self.put(GLINT, "bin/worker")
        self.assert_scans(self.scan(renamed))
        link = self.folder / "link"
        link.symlink_to(renamed)
        self.assert_scans(self.scan(link))

    @unittest.skipUnless(MAY_MOUNT, "mounting is forbidden here")
    @unittest.skipIf(SANITIZED, "a sanitizer needs /proc")
    def test_without_proc(self):
        self.put(DECODER, "bin/glint-decode")
        glint = self.put(GLINT, "bin/glint")
        self.assert_scans(self.scan(glint, wrap=in_namespace("mount -t tmpfs none /proc")))

    @unittest.skipUnless(MAY_MOUNT, "mounting is forbidden here")
    def test_on_a_read_only_root(self):
        self.put(DECODER, "bin/glint-decode")
        glint = self.put(GLINT, "bin/glint")
        done = run(glint, "scan", self.video, "--out", "/mnt/out", "--device", "cpu",
                   wrap=in_namespace("mount -t tmpfs none /mnt; mount -o remount,bind,ro /; ! touch /x 2>/dev/null"))
        self.assert_scans(done)


class WhatIsNoDecoder(Case):
    def test_a_missing_one_is_said_with_where_it_was_looked_for(self):
        glint = self.put(GLINT, "bin/glint")
        words = ("is missing", self.folder / "bin/glint-decode", self.folder / "libexec/glint/glint-decode",
                 "--decoder", "GLINT_DECODER")
        self.assert_refused(self.scan(glint), *words)
        serve = run(glint, "serve", "--listen", "127.0.0.1:0", "--state", self.folder / "state", "--device", "cpu")
        self.assert_refused(serve, *words)
        doctor = run(glint, "doctor", "--device", "cpu", "--out", self.folder / "out")
        self.assertEqual(doctor.returncode, DEVICE_UNAVAILABLE)
        line = next(line for line in doctor.stdout.splitlines() if line.startswith("decoder"))
        for word in ("FAILED", *words):
            self.assertIn(str(word), line)

    def test_one_without_the_right_to_run(self):
        plain = self.program("plain", "no program", 0o644)
        self.assert_refused(self.scan(GLINT, "--decoder", plain), plain, "may not be run", "Permission denied")
        self.assert_refused(self.scan(GLINT, "--decoder", self.folder), self.folder, "may not be run")

    @unittest.skipUnless(MAY_MOUNT, "mounting is forbidden here")
    def test_one_on_a_noexec_mount(self):
        script = f"mount -t tmpfs -o noexec none /mnt; cp {DECODER} /mnt/"
        self.assert_refused(self.scan(GLINT, "--decoder", "/mnt/glint-decode", wrap=in_namespace(script)),
                            "/mnt/glint-decode", "may not be run", "noexec")

    def test_another_program(self):
        for text in ("#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 127\n"):
            other = self.program("other", text)
            self.assert_refused(self.scan(GLINT, "--decoder", other), other, "ended with code", "before it said")
        words = self.program("words", "these are no machine instructions\n")
        self.assert_refused(self.scan(GLINT, "--decoder", words), words, "could not be started")

    def test_one_of_another_build(self):
        other = self.another_build()
        self.assert_refused(self.scan(GLINT, "--decoder", other), other, "glint-decode 0.0.9 0123456789abcdef",
                            "here glint-decode 0.")
        serve = run(GLINT, "serve", "--listen", "127.0.0.1:0", "--state", self.folder / "state", "--device", "cpu",
                    "--decoder", other)
        self.assert_refused(serve, other, "0.0.9")
        doctor = run(GLINT, "doctor", "--device", "cpu", "--decoder", other, "--out", self.folder / "out")
        self.assertEqual(doctor.returncode, DEVICE_UNAVAILABLE)
        self.assertIn("0.0.9", doctor.stdout)

    def test_one_that_writes_rubbish(self):
        for rubbish in ("head -c 70000 /dev/urandom >&3", "printf 'glint-decode ' >&3", "head -c 9 /dev/zero >&3"):
            other = self.program("other", f"#!/bin/sh\n{rubbish}\nexec sleep 60\n")
            self.assert_refused(self.scan(GLINT, "--decoder", other), other, "is needed")

    def test_one_that_says_nothing(self):
        silent = self.program("silent", "#!/bin/sh\nexec sleep 3000\n")
        done = self.scan(GLINT, "--decoder", silent, timeout=2000)
        self.assert_refused(done, silent, "does not say what it is")

    def test_what_is_started_by_hand_says_so(self):
        done = run(DECODER)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is started by glint itself", done.stderr)

    def test_without_an_encoder_synth_and_demo_say_so(self):
        glint = self.put(GLINT, "bin/glint")
        self.put(DECODER, "bin/glint-decode")
        for command in (["synth", "--size", "320x240", "--frames", "2"], ["demo", "--frames", "2"]):
            done = run(glint, *command, "--out", self.folder / "out")
            self.assertEqual(done.returncode, DEVICE_UNAVAILABLE, done.stderr)
            self.assertIn("glint-encode is missing", done.stderr)
            self.assertIn("GLINT_ENCODER", done.stderr)


class ManyAtOnce(Case):
    def test_sixty_four_videos_start_it_at_once(self):
        names = [self.folder / f"v{i}.mp4" for i in range(64)]
        for name in names:
            name.symlink_to(self.video)
        done = run(GLINT, "scan", *names, "--jobs", "64", "--out", self.folder / "out", "--device", "cpu",
                   "--profile", QUICK, timeout=900)
        self.assert_scans(done)
        self.assertEqual(len(list(self.folder.glob("out/*/report.json"))), 64)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root starts processes of another user")
    def test_where_no_more_processes_may_be_started_it_is_said_and_no_video_is_blamed(self):
        names = [self.folder / f"v{i}.mp4" for i in range(32)]
        for name in names:
            name.symlink_to(self.video)
        os.chmod(self.folder, 0o777)
        another = ["setpriv", f"--reuid={1 << 30}", f"--regid={1 << 30}", "--clear-groups", "prlimit", "--nproc=60"]
        done = run(GLINT, "scan", *names, "--jobs", "32", "--threads", "2", "--out", self.folder / "out", "--device",
                   "cpu", "--profile", QUICK, wrap=another, timeout=900)
        failures = [line for line in done.stderr.splitlines() if line.startswith("glint: ")]
        self.assertEqual(done.returncode, DEVICE_UNAVAILABLE, done.stderr[-2000:])
        for line in failures:
            self.assertRegex(line, "no thread could be started|could not be started .Resource temporarily unavailable")

    def test_without_the_sandbox_it_is_the_same_program_and_is_said(self):
        done = self.scan(GLINT, "--decode-sandbox=off")
        self.assert_scans(done)
        self.assertIn("without the sandbox: --decode-sandbox=off", done.stderr)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Served:
    """A worker that serves, and calls to it."""

    def __init__(self, port, metrics, video_url):
        self.remote = ["--server", f"127.0.0.1:{port}"]
        self.metrics = metrics
        self.video_url = video_url

    def submit(self, scan_id, *more, profile=QUICK):
        return run(GLINT, "submit", self.video_url, "--id", scan_id, "--profile", profile, *more, *self.remote)

    def scan(self, scan_id, profile=QUICK):
        return self.submit(scan_id, "--wait", profile=profile)

    def watch(self, scan_id):
        return run(GLINT, "watch", scan_id, *self.remote)

    def state(self, scan_id):
        done = run(GLINT, "get", scan_id, "--json", *self.remote)
        return json.loads(done.stdout)["scan"]

    def health(self):
        """@return the code and the text of /healthz"""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/healthz", timeout=10) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as failed:
            return failed.code, failed.read().decode()

    def serves(self):
        return run(GLINT, "healthcheck", *self.remote).returncode == 0


def until(condition):
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


class AWorker(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(cls.base)))
        threading.Thread(target=cls.web.serve_forever, daemon=True).start()
        cls.address = f"127.0.0.1:{cls.web.server_address[1]}"

    @classmethod
    def tearDownClass(cls):
        cls.web.shutdown()
        cls.web.server_close()
        super().tearDownClass()

    def log(self):
        return (self.folder / "log").read_text()

    @contextlib.contextmanager
    def serving(self, glint, *more, wrap=()):
        with open(self.folder / "log", "w", encoding="utf-8") as log:
            worker = subprocess.Popen([*wrap, glint, "serve", "--listen", "127.0.0.1:0", "--insecure-no-auth",
                                       "--state", self.folder / "state", "--store", self.folder / "results",
                                       "--device", "cpu", "--metrics-listen", "127.0.0.1:0",
                                       "--allow-source", self.address, *more], env=environment(), stdout=log,
                                      stderr=log)
        try:
            until(lambda: "serving on port" in self.log() or worker.poll() is not None)
            found = re.search(r"serving on port (\d+)", self.log())
            self.assertIsNotNone(found, self.log())
            metrics = re.search(r"metrics on port (\d+)", self.log()).group(1)
            yield Served(found.group(1), metrics, f"http://{self.address}/clip.mp4")
        finally:
            worker.send_signal(signal.SIGTERM)
            worker.wait(60)

    def test_frames_that_do_not_fit_into_its_memory_are_refused_by_their_header(self):
        with self.serving(GLINT, "--memory", "1G") as worker:
            self.assertEqual(worker.scan("fits", profile="photometric").returncode, 0)
        with self.serving(GLINT, "--memory", "440M") as worker:  # 49,152 pixels; the clip's frames have 76,800
            self.assertIn("frames may have 0.0 megapixels: more does not fit into 440 MiB", self.log())
            refused = worker.scan("too-large", profile="photometric")
            self.assertEqual(refused.returncode, 5, refused.stderr)
            self.assertIn("320x240", refused.stderr)

    def put_both(self):
        return self.put(GLINT, "bin/glint"), self.put(DECODER, "bin/glint-decode")

    def test_says_which_decoder_it_has(self):
        glint, decoder = self.put_both()
        with self.serving(glint) as worker:
            code, text = worker.health()
            self.assertEqual(code, 200)
            self.assertRegex(text, rf"^serving\ndecoder {decoder}, build 0\.\S+ [0-9a-f]{{16}}, FFmpeg \S+, confined")
            self.assertIn(text.splitlines()[1], self.log())
        with self.serving(glint, "--decode-sandbox=off") as worker:
            self.assertIn("not confined (--decode-sandbox=off)", worker.health()[1])

    def test_goes_on_with_its_own_decoder_when_an_upgrade_replaces_it(self):
        glint, mine = self.put_both()
        with self.serving(glint) as worker:
            self.assert_scans(worker.scan("before"))
            os.replace(self.another_build(), mine)  # as package managers do
            os.replace(self.program("new", "#!/bin/sh\n"), glint)
            self.assert_scans(worker.scan("after"))

    def test_goes_on_when_its_files_are_removed_renamed_or_linked_anew(self):
        glint, mine = self.put_both()
        with self.serving(glint) as worker:
            glint.rename(self.folder / "bin/worker")
            self.assert_scans(worker.scan("renamed"))
            (self.folder / "bin").rename(self.folder / "elsewhere")
            self.assert_scans(worker.scan("moved"))
            (self.folder / "elsewhere/glint-decode").unlink()
            self.assert_scans(worker.scan("removed"))
        versions = [self.put(DECODER, "1/glint-decode"), self.another_build("2/glint-decode")]
        mine.parent.mkdir()
        mine.symlink_to(versions[0])
        with self.serving(self.put(GLINT, "bin/glint")) as worker:
            self.assert_scans(worker.scan("first"))
            mine.unlink()
            mine.symlink_to(versions[1])
            self.assert_scans(worker.scan("second"))

    def assert_waits_for_another_worker(self, spoil, *words):
        """After `spoil` a scan is given back with one clear line; the next worker, with both files new, makes it."""
        glint, mine = self.put_both()
        with self.serving(glint) as worker:
            self.assert_scans(worker.scan("before"))
            spoil(mine)
            self.assertEqual(worker.submit("after").returncode, 0)
            self.assertTrue(until(lambda: worker.health()[0] == 503), self.log())
            self.assertEqual(len(worker.health()[1].splitlines()), 1)
            for word in (mine, *words):
                self.assertIn(str(word), worker.health()[1])
            self.assertTrue(until(lambda: not worker.serves()))
            self.assertEqual(worker.submit("later").returncode, 0, "it still takes them down")
            time.sleep(1.5)  # longer than a worker waits between two looks at the queue
            for scan in ("after", "later"):
                self.assertEqual(worker.state(scan)["state"], "SCAN_STATE_QUEUED")
                self.assertEqual(worker.state(scan).get("attempts", 0), 0, "not the scan's fault")
            told = [line for line in self.log().splitlines() if "no scan is taken until" in line]
            self.assertEqual(len(told), 1, self.log())
        mine.unlink()
        self.put_both()
        with self.serving(glint) as worker:
            for scan in ("after", "later"):
                self.assert_scans(worker.watch(scan))
                self.assertEqual(worker.state(scan)["attempts"], 1)

    def test_gives_scans_back_when_another_build_overwrites_its_decoder(self):
        other = self.another_build().read_text()
        self.assert_waits_for_another_worker(lambda mine: mine.write_text(other), "0.0.9", "here glint-decode 0.")

    def test_gives_scans_back_when_its_decoder_is_emptied(self):
        self.assert_waits_for_another_worker(lambda mine: mine.write_text(""), "could not be started")

    def test_gives_scans_back_when_its_decoder_loses_the_right_to_run(self):
        self.assert_waits_for_another_worker(lambda mine: mine.chmod(0o644), "could not be started",
                                             "Permission denied")

    @unittest.skipUnless(MAY_MOUNT, "mounting is forbidden here")
    def test_gives_scans_back_when_its_decoder_is_replaced_and_proc_is_missing(self):
        glint, mine = self.put_both()
        with self.serving(glint, wrap=in_namespace("mount -t tmpfs none /proc")) as worker:
            self.assert_scans(worker.scan("before"))
            os.replace(self.another_build(), mine)
            self.assertEqual(worker.submit("after").returncode, 0)
            self.assertTrue(until(lambda: worker.health()[0] == 503), self.log())
            self.assertIn(f"{mine} was replaced since this program started", worker.health()[1])
            # Its health says so before the scan is back in the queue.
            self.assertTrue(until(lambda: worker.state("after")["state"] == "SCAN_STATE_QUEUED"), self.log())
            self.assertEqual(worker.state("after").get("attempts", 0), 0, "not the scan's fault")

    def test_goes_on_by_itself_when_its_decoder_is_there_again(self):
        glint, mine = self.put_both()
        with self.serving(glint) as worker:
            mine.chmod(0o644)
            self.assertEqual(worker.submit("waits").returncode, 0)
            self.assertTrue(until(lambda: worker.health()[0] == 503), self.log())
            mine.chmod(0o755)
            self.assert_scans(worker.watch("waits"))
            self.assertTrue(until(lambda: worker.health()[0] == 200), f"{worker.health()}\n{self.log()}")
            self.assertTrue(until(worker.serves))

    def test_ends_every_scan_whose_decoder_is_killed_at_any_moment(self):
        glint, decoder = self.put_both()
        ended = {}
        with self.serving(glint, "--lanes", "4") as worker:
            over = threading.Event()

            def kill():
                chance = random.Random(1)
                while not over.wait(chance.uniform(0, 0.08)):
                    for process in pathlib.Path("/proc").glob("[0-9]*"):
                        with contextlib.suppress(OSError):
                            if (process / "stat").read_text().split()[1] == "(glint-decode)" and \
                                    (process / "exe").resolve() == decoder:
                                os.kill(int(process.name), signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            try:
                names = [f"k{i}" for i in range(40)]
                for name in names:  # while its own trial of the decoder is killed, a worker takes none
                    self.assertTrue(until(lambda: worker.submit(name).returncode == 0), self.log())
                for name in names:
                    worker.watch(name)
                    scan = worker.state(name)
                    ended[name] = scan.get("error", {}).get("reason", scan["state"])
            finally:
                over.set()
                killer.join()
            self.assertLessEqual(set(ended.values()), {"SCAN_STATE_SUCCEEDED", "DECODER_DIED"}, ended)
            self.assertIn("DECODER_DIED", ended.values(), "nothing was killed")
            self.assert_scans(worker.scan("undisturbed"))
            self.assertEqual(worker.health()[0], 200)


class Linkage(unittest.TestCase):
    """What every installed program loads, to the last library."""

    @classmethod
    def setUpClass(cls):
        cls.prefix = pathlib.Path(tempfile.mkdtemp(prefix="glint-installed-"))
        subprocess.run(["cmake", "--install", str(BUILD), "--prefix", str(cls.prefix)], check=True,
                       capture_output=True)
        cls.programs = [path for path in cls.prefix.rglob("*") if path.is_file() and not path.is_symlink()
                        and os.access(path, os.X_OK) and path.read_bytes()[:4] == b"\x7fELF"]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.prefix)

    def test_the_programs_are_these(self):
        self.assertEqual({str(path.relative_to(self.prefix)) for path in self.programs},
                         {"bin/glint", "libexec/glint/glint-decode"})

    def test_only_the_decoder_reaches_a_codec(self):
        for path in self.programs:
            found = {name for name in libraries(path) | needed(path) if CODECS.match(name)}
            print(f"{path.name}: {len(needed(path))} needed, {len(libraries(path))} loaded, {len(found)} of codecs")
            if path.name == "glint-decode":
                self.assertTrue(any(name.startswith("libavcodec") for name in found), found)
            else:
                self.assertEqual(found, set())

    def test_no_program_holds_both_a_codec_and_cuda(self):
        for path in self.programs:
            symbols = subprocess.run(["nm", "-C", str(path)], capture_output=True, text=True, check=True).stdout
            cuda = "cudaMalloc" in symbols or any(name.startswith(("libcuda", "libnv")) for name in libraries(path))
            codec = any(CODECS.match(name) for name in libraries(path))
            self.assertFalse(cuda and codec, path)

    def test_the_library_asks_for_no_codec(self):
        for archive in self.prefix.rglob("lib*.a"):
            symbols = subprocess.run(["nm", "-u", str(archive)], capture_output=True, text=True, check=True).stdout
            asked = {name for name in re.findall(r"U (\w+)", symbols)
                     if re.match(r"(av_|avcodec_|avformat_|avio_|sws_|x264_|x265_|seccomp_)", name)}
            self.assertEqual(asked, set(), archive.name)
        cmake = "".join(path.read_text() for path in self.prefix.rglob("glint*.cmake"))
        self.assertNotRegex(cmake, "FFMPEG|libav|SECCOMP")

    @unittest.skipUnless(shutil.which("dpkg-query") and (BUILD / "build.ninja").exists(), "needs Debian and Ninja")
    def test_what_is_passed_on_is_listed_with_its_terms_program_by_program(self):
        done = run(SOURCE / "docker/collect_runtime.sh", self.prefix / "runtime", BUILD, GLINT, DECODER)
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = {}
        for name in ("glint", "glint-decode"):
            lines = (self.prefix / f"runtime/packages/{name}.txt").read_text().splitlines()
            listed[name] = {line.split()[0] for line in lines}
            self.assertEqual(listed[name], set(os.listdir(self.prefix / "runtime/licences" / name)))
        self.assertTrue(any(name.startswith("libavcodec") for name in listed["glint-decode"]), listed)
        self.assertTrue(any(name.startswith("libx264") for name in listed["glint-decode"]), listed)
        self.assertFalse(any(CODECS.match(name + "-") for name in listed["glint"]), listed)
        # What is in the program itself is no library that the loader would name.
        self.assertTrue(any(name.startswith("libopencv-core") for name in listed["glint"]), listed)
        cuda = "cudaMalloc" in subprocess.run(["nm", str(GLINT)], capture_output=True, text=True, check=True).stdout
        self.assertEqual(cuda, any("cudart" in name for name in listed["glint"]), listed)

    def test_what_is_installed_finds_its_decoder(self):
        done = run(self.prefix / "bin/glint", "doctor", "--device", "cpu", "--out", self.prefix / "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(str(self.prefix / "libexec/glint/glint-decode"), done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
