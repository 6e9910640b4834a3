# SPDX-License-Identifier: Apache-2.0
"""docker/modal_app.py against a stand-in of Modal's interface, which knows the arguments of Modal's documentation
(modal.com/docs/reference) and refuses others; its containers are this machine, its GPUs are none.
usage: modal_test.py GLINT"""
import contextlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest

GLINT = pathlib.Path(sys.argv[1]).resolve()
APP = pathlib.Path(__file__).resolve().parents[2] / "docker" / "modal_app.py"


class Image:
    """modal.Image, as far as it is used."""
    @staticmethod
    def from_registry(tag, secret=None, *, setup_dockerfile_commands=(), force_build=False, add_python=None):
        image = Image()
        image.tag, image.first, image.commands, image.variables = tag, list(setup_dockerfile_commands), [], {}
        return image

    def dockerfile_commands(self, *commands, context_files=(), secrets=(), gpu=None, force_build=False):
        self.commands += commands
        return self

    def env(self, variables):
        assert all(isinstance(value, str) for value in variables.values()), "Modal takes strings only"
        self.variables.update(variables)
        return self


class Function:
    """What App.function makes: its settings, and the function itself."""
    def __init__(self, code, settings):
        self.code, self.settings = code, settings

    def remote(self, *arguments, **named):
        return self.code(*arguments, **named)


class App:
    def __init__(self, name=None, *, image=None, secrets=(), volumes=None, include_source=True):
        self.name, self.image = name, image

    def function(self, *, image=None, secrets=None, gpu=None, cpu=None, memory=None, timeout=300, retries=None,
                 volumes=None, min_containers=None, max_containers=None, buffer_containers=None,
                 scaledown_window=None, region=None, schedule=None, name=None, ephemeral_disk=None):
        settings = {"gpu": gpu, "cpu": cpu, "secrets": secrets, "timeout": timeout}
        assert 1 <= timeout <= 86400, "Modal's limits"
        return lambda code: Function(code, settings)


class Named:
    """modal.Secret and modal.Dict."""
    @staticmethod
    def from_name(name, *, environment_name=None, required_keys=()):
        return name


class Dict(dict):
    @staticmethod
    def from_name(name, *, environment_name=None, create_if_missing=False):
        return Dict()


def load(**environment):
    """The module as Modal would import it, and the ports that it forwarded."""
    forwarded = []

    @contextlib.contextmanager
    def forward(port, *, unencrypted=False, h2_enabled=False, client=None):
        forwarded.append((port, h2_enabled))
        yield types.SimpleNamespace(tls_socket=("worker.modal.host", 443))

    sys.modules["modal"] = types.SimpleNamespace(Image=Image, App=App, Secret=Named, Dict=Dict, forward=forward)
    spec = importlib.util.spec_from_file_location("modal_app", APP)
    module = importlib.util.module_from_spec(spec)
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        spec.loader.exec_module(module)
    finally:
        os.environ.clear()
        os.environ.update(before)
    return module, forwarded


class OnModal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        base = tempfile.TemporaryDirectory()
        cls.addClassCleanup(base.cleanup)
        subprocess.run([GLINT, "synth", "--kind", "card", "--size", "320x240", "--frames", "20", "--name", "clip",
                        "--out", base.name], check=True, capture_output=True)
        cls.video = f"{base.name}/clip.mp4"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.app, self.forwarded = load(GLINT_STORE=folder.name)
        os.environ["PATH"] = f"{GLINT.parent}:{os.environ['PATH']}"

    def test_the_image_is_roots_before_modal_adds_its_python(self):
        self.assertEqual(self.app.image.first, ["USER root", "ENTRYPOINT []"])

    def test_only_what_computes_on_a_gpu_rents_one(self):
        settings = {name: getattr(self.app, name).settings for name in ("scan", "scan_cpu", "scan_gpu", "serve")}
        self.assertEqual({name: one["gpu"] for name, one in settings.items()},
                         {"scan": None, "scan_cpu": None, "scan_gpu": "T4", "serve": "T4"})
        for name in ("scan_cpu", "scan_gpu", "serve"):
            self.assertEqual(settings[name]["secrets"], ["glint"], name)
        self.assertGreater(settings["scan"]["timeout"], settings["scan_gpu"]["timeout"], "it waits for that")

    def test_a_scan_on_the_cpu_leaves_its_result_in_the_store(self):
        result = self.app.scan.remote("one", self.video, "generic", tier="cheap")
        self.assertEqual((result["event"], result["outcome"]), ("result", "scanned"))
        self.assertIn("damaged_percent", result)
        self.assertEqual(pathlib.Path(result["report"]).parent, self.folder / "one")
        report = json.loads((self.folder / "one" / "report.json").read_text())
        self.assertEqual(report["device"]["name"], "cpu")

    def test_without_a_gpu_a_scan_that_was_to_have_one_fails(self):
        with self.assertRaisesRegex(RuntimeError, "device 'cuda' does not work here"):
            self.app.scan.remote("two", self.video, tier="fast")
        self.assertFalse((self.folder / "two").exists())

    def test_the_choice_is_by_tier_and_by_what_was_measured(self):
        self.assertEqual(self.app.device_for("auto", 1920 * 1080), "cpu", "nothing was measured")
        app, _ = load(GLINT_CPU_UP_TO_PIXELS=str(1280 * 720))
        self.assertEqual([app.device_for("auto", size) for size in (0, 1280 * 720, 1920 * 1080)],
                         ["cpu", "cpu", "cuda"])
        self.assertEqual(app.device_for("cheap", 3840 * 2160), "cpu")
        self.assertEqual(app.device_for("fast", 0), "cuda")
        with self.assertRaisesRegex(ValueError, "tier must be"):
            app.device_for("dear", 0)
        self.assertEqual(app.image.variables["GLINT_CPU_UP_TO_PIXELS"], str(1280 * 720), "the container knows, too")

    def test_serve_ends_with_the_reason_where_there_is_no_gpu(self):
        os.environ["GLINT_TOKENS"] = "0123456789abcdef"
        with self.assertRaisesRegex(RuntimeError, "glint serve ended with 7"):
            self.app.serve.remote()
        self.assertEqual(self.forwarded, [(self.app.PORT, True)], "gRPC needs HTTP/2")
        self.assertNotIn("address", self.app.workers)

    def test_serve_publishes_its_address_while_a_worker_runs(self):
        # A worker as serve() starts it, but for the device, which this machine does not have, and the patience.
        (self.folder / "glint").write_text(
            f'#!/bin/sh\nexec {GLINT} $(echo "$@" | sed "s/--device cuda/--device cpu/; s/idle 5m/idle 2s/")\n')
        (self.folder / "glint").chmod(0o755)
        os.environ["PATH"] = f"{self.folder}:{os.environ['PATH']}"
        os.environ["GLINT_TOKENS"] = "0123456789abcdef"
        ended = []
        served = threading.Thread(target=lambda: ended.append(self.app.serve.remote()))
        served.start()
        deadline = time.monotonic() + 30
        while "address" not in self.app.workers and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(self.app.workers.get("address"), "worker.modal.host:443")
        served.join(60)
        self.assertEqual(ended, [None], "it ends by itself, without an error")
        self.assertNotIn("address", self.app.workers)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
