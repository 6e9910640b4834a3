# SPDX-License-Identifier: Apache-2.0
"""docker/kubernetes and docker/monitoring without a cluster: the objects against the types and schemas that Kubernetes,
KEDA and Grafana publish (npm packages), the alert rules by Prometheus' own tool, the workers' environments given to the
real `glint serve`, and every metric that is asked for against what it shows.   usage: kubernetes_test.py GLINT WORK"""
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
import urllib.request

import yaml

GLINT, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
ROOT = pathlib.Path(__file__).resolve().parents[2]
KUBERNETES = ROOT / "docker" / "kubernetes"
MONITORING = ROOT / "docker" / "monitoring"
TYPES = pathlib.Path(__file__).resolve().parent / "published_types"
METRICS = ROOT / "src" / "observe" / "metrics.cc"
POSTGRES = ROOT / "scripts" / "postgres_server.sh"
PLACES = {"keda.sh/v1alpha1": "@kubernetes-models/keda/keda.sh/v1alpha1"}
KUSTOMIZATIONS = {path.parent: yaml.safe_load(path.read_text()) for path in KUBERNETES.rglob("kustomization.yaml")}
OBJECTS = [(path.relative_to(KUBERNETES), one) for path in sorted(KUBERNETES.rglob("*.yaml"))
           if path.name != "kustomization.yaml" for one in yaml.safe_load_all(path.read_text())]
DASHBOARD = json.loads((MONITORING / "grafana.json").read_text())


def named(kind):
    return {one["metadata"]["name"]: one for _, one in OBJECTS if one["kind"] == kind}


def run(test, *command, **options):
    done = subprocess.run([str(one) for one in command], text=True, capture_output=True, check=False, **options)
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    return done.stdout


def settings_of(deployment):
    """The environment of a deployment's worker, as the kubelet would make it, but for what only a cluster has."""
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    environment = {}
    for file in (KUBERNETES / "base" / "glint.env", KUBERNETES / "secret.example.env"):
        environment.update(line.split("=", 1) for line in file.read_text().splitlines()
                           if line and not line.startswith("#"))
    environment.update((one["name"], one["value"]) for one in container["env"])
    return environment


class Published(unittest.TestCase):
    """TypeScript knows the fields' names and types, the schemas what must be there and within which bounds."""

    def test_objects_and_dashboard_are_what_their_publishers_say(self):
        npm = shutil.which("npm")
        if npm is None:
            self.skipTest("npm is not here")
        WORK.mkdir(parents=True, exist_ok=True)
        stamp = WORK / "node_modules" / ".package-lock.json"
        if not stamp.exists() or stamp.stat().st_mtime < (TYPES / "package-lock.json").stat().st_mtime:
            for file in ("package.json", "package-lock.json"):
                shutil.copy(TYPES / file, WORK)
            run(self, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=WORK)
        lines = ['import type { Dashboard } from "@grafana/schema";']
        for i, (file, one) in enumerate(OBJECTS):
            place = PLACES.get(one["apiVersion"], f"kubernetes-models/{one['apiVersion']}")
            lines.append(f'import {{ {one["kind"]} as Kind{i} }} from "{place}";')
            fields = {key: field for key, field in one.items() if key not in ("apiVersion", "kind")}
            lines.append(f"// {file}\nnew Kind{i}({json.dumps(fields)}).validate();")
        # What Grafana declares as enums may be their values in JSON.
        lines.append("type Plain<T> = T extends string ? `${T}` : T extends number | boolean | null | undefined ? T\n"
                     "  : T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;")
        lines.append(f"const dashboard: Plain<Dashboard> = {json.dumps(DASHBOARD)};")
        lines.append("console.log(dashboard.panels?.length);")
        (WORK / "check.ts").write_text("\n".join(lines))
        run(self, "npx", "--no-install", "tsc", "--strict", "--skipLibCheck", "--module", "node16", "--target", "es2022",
            "--types", "", "--lib", "es2022,dom", "check.ts", cwd=WORK)
        self.assertEqual(int(run(self, "node", "check.js", cwd=WORK)), len(DASHBOARD["panels"]))

    def test_kustomize_makes_all_of_it(self):
        if shutil.which("kubectl") is None:
            self.skipTest("kubectl is not here")
        made = list(yaml.safe_load_all(run(self, "kubectl", "kustomize", KUBERNETES)))
        self.assertEqual({one["metadata"]["namespace"] for one in made}, {"glint"})


class Manifests(unittest.TestCase):
    def test_every_file_is_named_by_the_kustomization_beside_it(self):
        for folder, one in KUSTOMIZATIONS.items():
            with self.subTest(folder.name):
                names = [*one.get("resources", []), *one.get("components", [])]
                files = {path.name for path in folder.glob("*.yaml")} - {"kustomization.yaml"}
                self.assertEqual({name for name in names if name.endswith(".yaml")}, files)
                for name in names:
                    self.assertTrue((folder / name).exists(), name)
                for generated in one.get("configMapGenerator", []):
                    for file in generated["envs"]:
                        self.assertTrue((folder / file).exists(), file)

    def test_workers_have_no_rights_that_they_do_not_need_and_time_to_drain(self):
        self.assertEqual(set(named("Deployment")), {"glint-cpu", "glint-gpu"})
        for name, deployment in named("Deployment").items():
            with self.subTest(name):
                pod = deployment["spec"]["template"]["spec"]
                container = pod["containers"][0]
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertFalse(pod["automountServiceAccountToken"])
                self.assertEqual(container["securityContext"], {"allowPrivilegeEscalation": False,
                                                                "readOnlyRootFilesystem": True,
                                                                "capabilities": {"drop": ["ALL"]}})
                settings = settings_of(deployment)
                minutes = int(re.fullmatch(r"(\d+)m", settings["GLINT_DRAIN_GRACE"])[1])
                self.assertLess(60 * minutes + 15, pod["terminationGracePeriodSeconds"])
                mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
                self.assertEqual(mounted, {settings["GLINT_STATE"], "/tmp",
                                           str(pathlib.Path(settings["GLINT_TOKEN_FILE"]).parent)})
                self.assertEqual({one["name"] for one in pod["volumes"]},
                                 {one["name"] for one in container["volumeMounts"]})
                gpus = container["resources"]["limits"].get("nvidia.com/gpu")
                self.assertEqual(gpus, "1" if settings["GLINT_DEVICE"] == "cuda" else None)

    def test_what_refers_to_pods_and_deployments_finds_them(self):
        pods = [one["spec"]["template"]["metadata"]["labels"] for one in named("Deployment").values()]
        selectors = [one["spec"]["selector"] for one in named("Service").values()]
        selectors += [one["spec"]["selector"]["matchLabels"] for one in named("PodDisruptionBudget").values()]
        selectors += [one["spec"]["podSelector"]["matchLabels"] for one in named("NetworkPolicy").values()]
        for selector in selectors:
            for labels in pods:
                self.assertLessEqual(selector.items(), labels.items())
        for deployment in named("Deployment").values():
            self.assertEqual(deployment["spec"]["selector"]["matchLabels"],
                             deployment["spec"]["template"]["metadata"]["labels"])
        for kind in ("ScaledObject", "HorizontalPodAutoscaler"):
            for scaled in named(kind).values():
                self.assertIn(scaled["spec"]["scaleTargetRef"]["name"], named("Deployment"))
        for scaled in named("ScaledObject").values():
            for trigger in scaled["spec"]["triggers"]:
                self.assertIn(trigger["authenticationRef"]["name"], named("TriggerAuthentication"))


class Workers(unittest.TestCase):
    """A worker with a deployment's environment, on a real queue."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        started = subprocess.run([POSTGRES, "start", folder.name], text=True, capture_output=True, check=False)
        if started.returncode == 77:
            raise unittest.SkipTest(started.stderr)
        cls.addClassCleanup(subprocess.run, [POSTGRES, "stop", folder.name], check=False)
        if started.returncode != 0:
            raise AssertionError(started.stderr)
        cls.url = dict(line.split("=", 1) for line in (cls.folder / "postgres.env").read_text().split())["URL"]

    def start(self, deployment):
        name = deployment["metadata"]["name"]
        environment = settings_of(deployment)
        state = self.folder / name
        state.mkdir()
        # What a cluster or a bucket has and this machine has not.
        tokens = state / "tokens"
        tokens.write_text("0123456789abcdef\n")
        environment.update(GLINT_JOBS=self.url, GLINT_DEVICE="cpu", GLINT_STATE=str(state), GLINT_LISTEN="127.0.0.1:0",
                           GLINT_METRICS_LISTEN="127.0.0.1:0", GLINT_TOKEN_FILE=str(tokens),
                           GLINT_STORE=str(state / "results"), GLINT_STORE_URLS="none")
        log = open(state / "log", "w+", encoding="utf-8")
        self.addCleanup(log.close)
        worker = subprocess.Popen([GLINT, "serve", "--json"], env={"PATH": os.environ["PATH"], **environment},
                                  stdout=subprocess.PIPE, stderr=log, text=True)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        self.addCleanup(worker.stdout.close)
        said = worker.stdout.readline()
        self.assertTrue(said, (state / "log").read_text())
        return worker, state, json.loads(said)["metrics_ports"][0]

    def stop(self, worker, state):
        worker.send_signal(signal.SIGTERM)
        self.assertEqual(worker.wait(60), 0, (state / "log").read_text())
        self.assertNotIn("is no setting", (state / "log").read_text())

    def query(self, text):
        return run(self, "psql", "-X", "-At", self.url, "-c", text)

    def test_serve_with_the_environments_and_show_what_is_asked_of_them(self):
        shown = ""
        for deployment in named("Deployment").values():
            worker, state, port = self.start(deployment)
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                shown = answer.read().decode()
            self.stop(worker, state)
        # A metric with labels is shown once there is something to count.
        known = set(re.findall(r'"((?:glint|process)_\w+)"', METRICS.read_text()))
        self.assertEqual(set(re.findall(r"^# TYPE ((?:glint|process)_\w+)", shown, re.M)) - known, set())
        asked = set()
        for expression in expressions():
            asked |= {re.sub(r"_(bucket|sum|count)$", "", name) for name in re.findall(r"(?:glint|process)_\w+", expression)}
        self.assertGreater(len(asked), 15)
        self.assertEqual(asked - known, set())
        for scaled in named("ScaledObject").values():
            for trigger in scaled["spec"]["triggers"]:
                self.assertEqual(self.query(trigger["metadata"]["query"]).strip(), "0")


def expressions():
    """Every expression of PromQL in the dashboard and the alerts."""
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            yield target["expr"]
    for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]:
        for rule in group["rules"]:
            yield rule["expr"]


class Monitoring(unittest.TestCase):
    def setUp(self):
        if shutil.which("promtool") is None:
            self.skipTest("promtool is not here (package prometheus)")

    def test_alerts_fire_when_they_should_and_only_then(self):
        run(self, "promtool", "check", "rules", MONITORING / "alerts.yaml")
        run(self, "promtool", "test", "rules", "alerts.test.yaml", cwd=MONITORING)
        tried = (MONITORING / "alerts.test.yaml").read_text()
        for group in yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]:
            for rule in group["rules"]:
                self.assertIn(rule["alert"], tried)

    def test_the_dashboard_asks_in_promql_and_its_panels_do_not_lie_on_each_other(self):
        asked = [one.replace("$job", ".*") for one in expressions()]
        rules = [{"record": f"glint:asked:{i}", "expr": one} for i, one in enumerate(asked)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump({"groups": [{"name": "asked", "rules": rules}]}, file)
            file.flush()
            run(self, "promtool", "check", "rules", file.name)
        taken = set()
        for panel in DASHBOARD["panels"]:
            place = panel["gridPos"]
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertLessEqual(place["x"] + place["w"], 24)
            self.assertFalse(taken & cells, panel["title"])
            taken |= cells
        self.assertEqual(len({panel["id"] for panel in DASHBOARD["panels"]}), len(DASHBOARD["panels"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
