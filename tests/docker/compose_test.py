# SPDX-License-Identifier: Apache-2.0
"""docker/compose.yaml, compose.fleet.yaml and glint.service without containers: Compose's own check of the files where it
is installed, and their workers' environments given to the real `glint serve`.   usage: compose_test.py GLINT"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import yaml

GLINT = sys.argv[1]
DOCKER = pathlib.Path(__file__).resolve().parents[2] / "docker"
EXAMPLE = dict(line.split("=", 1) for line in (DOCKER / "example.env").read_text().split("\n")
               if line and not line.startswith("#"))


def value_of(variable):
    """${NAME:-default} and ${NAME:?why}."""
    name, default = re.fullmatch(r"(\w+)(?::([-?].*))?", variable).groups()
    if name in EXAMPLE:
        return EXAMPLE[name]
    if not default or default[0] == "?":
        raise AssertionError(f"docker/example.env does not set {name}")
    return default[1:]


def expanded(text):
    return re.sub(r"\$\$|\$\{([^}]*)\}", lambda m: value_of(m[1]) if m[1] else "$", str(text))


COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
WORKERS = {name: one for name, one in COMPOSE["services"].items() if name.startswith("glint")}
FLEET = yaml.safe_load((DOCKER / "compose.fleet.yaml").read_text())
FLEET_WORKERS = {name: one for name, one in FLEET["services"].items() if name.startswith("glint")}
POSTGRES = DOCKER.parent / "scripts" / "postgres_server.sh"


def check_file(test, name):
    """What Compose itself says of a file."""
    tool = next(filter(shutil.which, ("docker-compose", "podman-compose")), None)
    if tool is None:
        test.skipTest("neither docker-compose nor podman-compose is here")
    with tempfile.TemporaryDirectory() as folder:
        for file in DOCKER.glob("compose*.yaml"):
            shutil.copy(file, folder)
        shutil.copy(DOCKER / "example.env", f"{folder}/.env")
        shutil.copy(DOCKER / "example.tokens", f"{folder}/tokens")
        checked = subprocess.run([tool, "-f", name, "config"], cwd=folder, text=True,
                                 capture_output=True, check=False)
    test.assertEqual(checked.returncode, 0, checked.stderr)


def serve(test, environment, folder):
    """A worker with these variables, and addresses, folder and device of this machine, to its end. @return its log"""
    worker = subprocess.Popen(
        [GLINT, "serve", "--json", "--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0", "--state", folder,
         "--device", "cpu"],
        env={"PATH": os.environ["PATH"], **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = worker.stdout.readline()
    worker.send_signal(signal.SIGTERM)
    _, log = worker.communicate(timeout=60)
    test.assertEqual(worker.returncode, 0, log)
    test.assertEqual(json.loads(said)["event"], "serving", log)
    test.assertNotIn("is no setting", log)
    return log


class Compose(unittest.TestCase):
    def test_compose_takes_the_file(self):
        check_file(self, "compose.yaml")

    def test_glint_serve_starts_with_the_workers_environments(self):
        self.assertEqual(set(WORKERS), {"glint", "glint-gpu"})
        for name, worker in WORKERS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                environment = {key: expanded(text) for key, text in worker["environment"].items()}
                environment["GLINT_TOKENS"] = "0123456789abcdef"
                serve(self, environment, folder)

    def test_workers_have_no_rights_that_they_do_not_need(self):
        for name, worker in WORKERS.items():
            with self.subTest(name):
                self.assertTrue(worker["read_only"])
                self.assertEqual(worker["cap_drop"], ["ALL"])
                self.assertEqual(worker["security_opt"], ["no-new-privileges:true"])
                self.assertNotIn("privileged", worker)
                settings = worker["environment"]
                self.assertIn(f"state:{settings['GLINT_STATE']}", worker["volumes"])
                grace = [int(text.rstrip("s")) for text in
                         (settings["GLINT_DRAIN_GRACE"], worker["stop_grace_period"])]
                self.assertLess(grace[0] + 15, grace[1], "the worker is killed while it drains")
        for name, service in COMPOSE["services"].items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name} is open to the network")

    def test_what_a_worker_may_use_is_limited_in_both_files(self):
        unit = {}
        for line in (DOCKER / "glint.service").read_text().splitlines():
            if "=" in line and not line.startswith("#"):
                unit.update([line.split("=", 1)])
        for name, worker in WORKERS.items():
            with self.subTest(name):
                self.assertEqual(str(worker["ulimits"]["nofile"]), unit["LimitNOFILE"])
                self.assertEqual(str(worker["pids_limit"]), unit["TasksMax"])
                self.assertRegex(expanded(worker["mem_limit"]), r"^[0-9]+g$")
        self.assertRegex(unit["MemoryMax"], r"^[0-9]+%$")
        self.assertEqual(unit["OOMPolicy"], "continue", "a decoder without memory would stop the worker")

    def test_one_worker_at_a_time_and_the_gpu_for_the_one_that_asks(self):
        profiles = {name: worker["profiles"] for name, worker in WORKERS.items()}
        self.assertEqual(profiles, {"glint": ["cpu"], "glint-gpu": ["gpu"]})
        self.assertEqual(len({worker["image"] for worker in WORKERS.values()}), 1, "one image for both")
        self.assertIn([EXAMPLE["COMPOSE_PROFILES"]], profiles.values())
        devices = WORKERS["glint-gpu"]["deploy"]["resources"]["reservations"]["devices"]
        self.assertEqual(devices[0]["capabilities"], ["gpu"])


class Fleet(unittest.TestCase):
    def test_compose_takes_the_file(self):
        check_file(self, "compose.fleet.yaml")

    def test_workers_share_a_queue_and_no_state_and_have_the_same_limits(self):
        self.assertEqual(len(FLEET_WORKERS), 3)
        states = {worker["volumes"][0] for worker in FLEET_WORKERS.values()}
        self.assertEqual(len(states), 3)
        self.assertLessEqual({state.split(":")[0] for state in states}, set(FLEET["volumes"]))
        alone = WORKERS["glint"]
        for name, worker in FLEET_WORKERS.items():
            with self.subTest(name):
                for key in ("read_only", "cap_drop", "security_opt", "ulimits", "pids_limit", "mem_limit"):
                    self.assertEqual(worker[key], alone[key])
                self.assertNotIn("@", worker["environment"]["GLINT_JOBS"].partition("glint@")[0])
        for name, service in FLEET["services"].items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name} is open to the network")

    def test_one_worker_serves_premium_alone_and_has_the_gpu(self):
        tiers = {name: worker["environment"]["GLINT_TIERS"] for name, worker in FLEET_WORKERS.items()}
        self.assertEqual(tiers, {"glint-1": "free,premium", "glint-2": "free,premium", "glint-premium": "premium"})
        premium = FLEET_WORKERS["glint-premium"]
        self.assertEqual(premium["profiles"], ["gpu"])
        self.assertEqual(premium["environment"]["GLINT_DEVICE"], "cuda")
        devices = premium["deploy"]["resources"]["reservations"]["devices"]
        self.assertEqual(devices[0]["capabilities"], ["gpu"])
        self.assertEqual({worker["environment"]["GLINT_TIER_DEVICE"] for worker in FLEET_WORKERS.values()},
                         {"premium=cuda,free=cpu"})

    def test_glint_serve_starts_with_the_workers_environments(self):
        with tempfile.TemporaryDirectory() as folder:
            started = subprocess.run([POSTGRES, "start", folder], text=True, capture_output=True, check=False)
            if started.returncode == 77:
                self.skipTest(started.stderr)
            self.addCleanup(subprocess.run, [POSTGRES, "stop", folder], check=False)
            self.assertEqual(started.returncode, 0, started.stderr)
            server = dict(line.split("=", 1) for line in pathlib.Path(folder, "postgres.env").read_text().split())
            example = (DOCKER / "example.tokens").read_text()
            self.assertLess(max(len(line.split()[-1]) for line in example.splitlines() if line[0] != "#"), 16,
                            "somebody would serve with them")
            tokens = pathlib.Path(folder, "tokens")
            tokens.write_text(example.replace("change-me-", "0123456789abcdef"))
            for name, worker in FLEET_WORKERS.items():
                with self.subTest(name):
                    environment = {key: expanded(text) for key, text in worker["environment"].items()}
                    secret = f"./{pathlib.Path(environment['GLINT_TOKEN_FILE']).name}"
                    self.assertEqual(FLEET["secrets"][worker["secrets"][0]]["file"], secret)
                    environment.update(GLINT_TOKEN_FILE=str(tokens), GLINT_JOBS=server["URL"])
                    log = serve(self, environment, f"{folder}/{name}")
                    self.assertNotIn("JOB_STORE", log)
                    self.assertFalse(pathlib.Path(folder, name, "jobs.sqlite").exists())
            subprocess.run([POSTGRES, "stop", folder], check=False)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
