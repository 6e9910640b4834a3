# SPDX-License-Identifier: Apache-2.0
"""TLS on the HTTP port of the real `glint serve`, with certificates of an authority of its own.
usage: http_tls_test.py GLINT"""
import http.client
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support")]
from http_worker import ALICE, Worker, make_clip  # noqa: E402
from sanitized import patience  # noqa: E402

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
PATIENCE_S = patience(60)


class Authority:
    """Signs certificates."""

    def __init__(self, folder, name):
        self.folder = folder
        self.cert, self.key = folder / f"{name}.pem", folder / f"{name}.key"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.cert)

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)

    def sign(self, name, usage):
        """@return the certificate's file and its key's"""
        cert, key, request, facts = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr", "ext"))
        self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                     f"/CN={name}", "-keyout", key, "-out", request)
        facts.write_text(f"subjectAltName=IP:127.0.0.1\nextendedKeyUsage={usage}\n")
        self.openssl("x509", "-req", "-in", request, "-CA", self.cert, "-CAkey", self.key, "-CAcreateserial", "-days", "2",
                     "-extfile", facts, "-out", cert)
        return cert, key


class WithTls(unittest.TestCase):
    mutual = False

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="glint-tls-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.authority = Authority(cls.folder, "authority")
        cls.cert, cls.key = cls.authority.sign("worker", "serverAuth")
        cls.mine = cls.authority.sign("client", "clientAuth")
        cls.clip = make_clip(GLINT, cls.folder)
        flags = ["--tls-cert", str(cls.cert), "--tls-key", str(cls.key)]
        flags += ["--tls-client-ca", str(cls.authority.cert)] if cls.mutual else []
        cls.worker = Worker(GLINT, cls.folder, *flags, tls=cls.context(cls.mine if cls.mutual else None))
        cls.addClassCleanup(cls.worker.stop)

    @classmethod
    def context(cls, shown=None):
        context = ssl.create_default_context(cafile=cls.authority.cert)
        if shown:
            context.load_cert_chain(*shown)
        return context

    def curl(self, *words):
        return subprocess.run(["curl", "-sS", "--max-time", str(PATIENCE_S), "-H", f"Authorization: Bearer {ALICE}", *map(str, words)],
                              check=False, capture_output=True, text=True)


class Encrypted(WithTls):
    def test_a_user_uploads_scans_watches_and_downloads_with_curl(self):
        curl = lambda *words: self.curl("--cacert", self.authority.cert, "-f", *words)  # noqa: E731
        url = self.worker.url
        self.assertTrue(url.startswith("https://"))
        put = json.loads(curl("-T", self.clip, f"{url}/v1/uploads/safe").stdout)
        curl("-H", "content-type: application/json", f"{url}/v1/scans", "-d",
             json.dumps({"scanId": "safe", "videoUrl": put["videoUrl"]}))
        self.assertTrue(curl("-N", f"{url}/v1/scans/safe:watch").stdout.rstrip().endswith("event: end\ndata: {}"))
        scan = json.loads(curl(f"{url}/v1/scans/safe").stdout)["scan"]
        links = {one["name"]: one["url"] for one in scan["result"]["objects"]}
        self.assertTrue(links["report.json"].startswith(url + "/"), links)
        json.loads(curl(links["report.json"]).stdout)
        self.assertEqual(curl(f"{url}/v1/scans/safe:download", "-o", self.folder / "safe.zip").returncode, 0)

    def test_strangers_in_between_see_nothing(self):
        self.assertEqual(self.curl(f"{self.worker.url}/healthz").returncode, 60, "curl knows no such authority")
        plain = self.curl(self.worker.url.replace("https:", "http:") + "/healthz")
        self.assertNotEqual(plain.returncode, 0, "nothing is answered in the clear")
        old = self.curl("--cacert", self.authority.cert, "--tls-max", "1.1", f"{self.worker.url}/healthz")
        self.assertNotEqual(old.returncode, 0, "TLS 1.1 is too old")

    def test_a_file_is_submitted_from_the_command_line(self):
        done = subprocess.run([GLINT, "submit", self.clip, "--id", "from-cli", "--server", f"127.0.0.1:{self.worker.grpc}",
                               "--ca", self.authority.cert], env={"GLINT_TOKEN": ALICE}, capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.worker.finished("from-cli")["state"], "SCAN_STATE_SUCCEEDED")

    def test_a_renewed_certificate_is_used_without_a_restart(self):
        lasting = http.client.HTTPSConnection("127.0.0.1", self.worker.port, timeout=PATIENCE_S, context=self.context())
        lasting.request("GET", "/healthz")
        lasting.getresponse().read()
        before = ssl.get_server_certificate(("127.0.0.1", self.worker.port))
        for file in self.authority.sign("renewed", "serverAuth"):
            (self.folder / ("worker" + file.suffix)).write_bytes(file.read_bytes())
        deadline = time.monotonic() + PATIENCE_S
        while ssl.get_server_certificate(("127.0.0.1", self.worker.port)) == before:
            self.assertLess(time.monotonic(), deadline, self.worker.log.read_text())
            time.sleep(0.2)
        self.assertEqual(self.worker.call("GET", "/healthz")[0], 200)
        lasting.request("GET", "/healthz")
        self.assertEqual(lasting.getresponse().status, 200, "connections from before go on")
        lasting.close()


class Mutual(WithTls):
    mutual = True

    def test_who_shows_a_certificate_may_call(self):
        self.assertEqual(self.worker.call("GET", "/v1/scans")[0], 200)
        done = self.curl("--cacert", self.authority.cert, "--cert", self.mine[0], "--key", self.mine[1], "-f",
                         f"{self.worker.url}/v1/scans")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_nobody_else_reaches_anything(self):
        stranger = Authority(self.folder, "stranger").sign("intruder", "clientAuth")
        for shown in ((), ("--cert", self.cert, "--key", self.key),  # a server's
                      ("--cert", stranger[0], "--key", stranger[1])):
            for path in ("/healthz", "/", "/openapi.json", "/v1/scans"):
                done = self.curl("--cacert", self.authority.cert, *shown, "-w", "%{http_code}", f"{self.worker.url}{path}")
                self.assertFalse(done.returncode == 0 and not done.stdout.endswith("403"), (shown, path, done.stdout))

    def test_a_file_is_submitted_with_a_certificate(self):
        done = subprocess.run([GLINT, "submit", self.clip, "--id", "shown", "--server", f"127.0.0.1:{self.worker.grpc}",
                               "--ca", self.authority.cert, "--cert", self.mine[0], "--key", self.mine[1]],
                              env={"GLINT_TOKEN": ALICE}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


class Clear(unittest.TestCase):
    def test_it_is_refused_where_others_could_listen_and_served_on_the_loopback(self):
        with tempfile.TemporaryDirectory(prefix="glint-clear-") as name:
            folder = pathlib.Path(name)
            cert, key = Authority(folder, "authority").sign("worker", "serverAuth")
            tls = ["--tls-cert", str(cert), "--tls-key", str(key), "--http-clear"]
            refused = subprocess.run([GLINT, "serve", *tls, "--http", "0.0.0.0:0", "--listen", "127.0.0.1:0"],
                                     env={"GLINT_TOKENS": ALICE}, capture_output=True, text=True, check=False, cwd=folder,
                                     timeout=PATIENCE_S)
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("http-clear: '0.0.0.0:0'", refused.stderr)
            worker = Worker(GLINT, folder, *tls)
            self.addCleanup(worker.stop)
            self.assertEqual(worker.call("GET", "/healthz")[0], 200)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
