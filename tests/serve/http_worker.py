# SPDX-License-Identifier: Apache-2.0
"""`glint serve --http` for tests: started on free ports of this machine, with its state in a folder."""
import http.client
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from sanitized import patience  # noqa: E402

ALICE = "token-of-alice-0123456789"
BOB = "token-of-bob-0123456789"
TOKENS = f"alice owner=alice {ALICE}\nbob owner=bob {BOB}\n"


class Worker:
    """A worker; with tokens unless told otherwise."""

    def __init__(self, glint, folder, *flags, tokens=TOKENS, store=None, environment=None, tls=None):
        """@param tls  an ssl.SSLContext where the HTTP port speaks TLS"""
        self.glint, self.folder = glint, pathlib.Path(folder)
        self.flags = list(flags)
        self.store = store or self.folder / "results"
        self.environment = environment or {}
        self.tls = tls
        if tokens:
            (self.folder / "tokens").write_text(tokens)
            (self.folder / "tokens").chmod(0o600)
            self.flags += ["--token-file", str(self.folder / "tokens")]
        self.log = self.folder / "log"
        self.start()

    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GLINT_")}
        environment.update(self.environment)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.glint, "serve", "--json", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--device", "cpu",
                 "--state", str(self.folder / "state"), "--store", str(self.store), *self.flags],
                stdout=subprocess.PIPE, stderr=log, env=environment)
        said = self.process.stdout.readline()
        assert said, self.log.read_text()
        ports = json.loads(said)
        self.grpc, self.port = ports["ports"][0], ports["http_ports"][0]
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def connect(self, timeout=patience(30)):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, verb, path, body=None, token=ALICE, **headers):
        """@return (status, headers, body); JSON is read"""
        connection = self.connect()
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            headers.setdefault("Authorization", f"Bearer {token}")
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        try:
            connection.request(verb, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        except OSError as failure:
            raise AssertionError(f"{verb} {path}: {failure!r}; the worker, which ended with {self.process.poll()}, said "
                                 f"at last: {self.log.read_text()[-3000:]}") from failure
        connection.close()
        if answer.headers.get("Content-Type", "").startswith("application/json") and content:
            content = json.loads(content)
        return answer.status, answer.headers, content

    def events(self, scan, token=ALICE, after=0):
        """The events of a scan, to its end: (event, id, data)."""
        connection = self.connect(60)
        connection.request("GET", f"/v1/scans/{scan}:watch?afterSeq={after}", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        assert answer.status == 200, (answer.status, answer.read())
        events, fields = [], {}
        for line in answer.read().decode().split("\n"):
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                fields[name] = value
            elif fields:
                events.append((fields.get("event"), fields.get("id"), json.loads(fields["data"])))
                fields = {}
        connection.close()
        return events

    def finished(self, scan, token=ALICE):
        for _ in range(patience(600)):
            state = self.call("GET", f"/v1/scans/{scan}", token=token)[2]["scan"]
            if state["state"] in ("SCAN_STATE_SUCCEEDED", "SCAN_STATE_FAILED", "SCAN_STATE_CANCELLED"):
                return state
            time.sleep(0.1)
        raise AssertionError(f"{scan} does not end: {state}")


def make_clip(glint, folder):
    """A small video. @return its path"""
    subprocess.run([glint, "synth", "--kind", "card", "--size", "320x240", "--frames", "20", "--name", "clip", "--out",
                    str(folder)], check=True, capture_output=True)
    return pathlib.Path(folder) / "clip.mp4"
