# SPDX-License-Identifier: Apache-2.0
"""Places for results that fail when they are told to: a proxy that knows the phases of a publication, and what
stands behind it (a real or a fake server). For store_faults.py and bench/scripts/store_latency.py."""
import http.client
import http.server
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import s3_client  # noqa: E402

STAGING = ".glint-partial"


class FakeS3:
    """As much of S3 as a publication needs, in memory; believes every signature."""

    name = "s3"
    scheme = "s3://glint"

    def __init__(self):
        self.objects = {}
        self.modified = {}
        self.lock = threading.Lock()

    def environment(self, url):
        return {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}

    def stop(self):
        pass

    def get(self, key):
        with self.lock:
            return self.objects.get(key)

    def keys(self, prefix):
        with self.lock:
            return {key for key in self.objects if key.startswith(prefix)}

    def answer(self, method, target, headers, body):
        parts = urllib.parse.urlsplit(target)
        key = urllib.parse.unquote(parts.path).split("/", 2)[2] if parts.path.count("/") > 1 else ""
        query = urllib.parse.parse_qs(parts.query, keep_blank_values=True)
        with self.lock:
            if method == "PUT":
                source = urllib.parse.unquote(headers.get("x-amz-copy-source", "")).split("/", 2)
                if len(source) == 3 and source[2] not in self.objects:
                    return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
                self.objects[key] = self.objects[source[2]] if len(source) == 3 else body
                self.modified[key] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
                return 200, {"Content-Type": "application/xml"}, b"<CopyObjectResult/>"
            if method == "POST" and "delete" in query:
                for gone in xml.etree.ElementTree.fromstring(body).iter("Key"):
                    self.objects.pop(gone.text, None)
                return 200, {"Content-Type": "application/xml"}, b"<DeleteResult/>"
            if "list-type" in query:
                found = sorted(k for k in self.objects if k.startswith(query.get("prefix", [""])[0]))
                rows = "".join(f"<Contents><Key>{urllib.parse.quote(k)}</Key><LastModified>{self.modified[k]}"
                               "</LastModified></Contents>" for k in found)
                text = f"<ListBucketResult>{rows}<IsTruncated>false</IsTruncated></ListBucketResult>"
                return 200, {"Content-Type": "application/xml"}, text.encode()
            if key not in self.objects:
                return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
            return 200, {}, self.objects[key]

    @staticmethod
    def phase(method, target, headers):
        path = urllib.parse.unquote(urllib.parse.urlsplit(target).path)
        if method in ("GET", "HEAD"):
            return "before"
        if method == "POST":
            return "deleting"
        return "copying" if "x-amz-copy-source" in headers else write_phase(path)


def write_phase(path):
    if STAGING in path:
        return "staging"
    return {"objects.json": "list", "report.json": "last"}.get(path.rsplit("/", 1)[-1])


class Remote:
    """A server of its own process behind a URL."""

    def __init__(self, url):
        self.parts = urllib.parse.urlsplit(url)

    def answer(self, method, target, headers, body):
        connection = http.client.HTTPConnection(self.parts.hostname, self.parts.port, timeout=120)
        try:
            sent = {k: v for k, v in headers.items() if k not in ("connection", "expect", "transfer-encoding")}
            connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            if body and "content-length" not in sent:
                connection.putheader("content-length", str(len(body)))
            connection.endheaders(body or None)
            reply = connection.getresponse()
            content = reply.read()
            kept = {k: v for k, v in reply.getheaders()
                    if k.lower() not in ("connection", "keep-alive", "transfer-encoding", "content-length")}
            return reply.status, kept, content
        finally:
            connection.close()


class Ceph(Remote):
    """Ceph's object gateway, a real S3 server."""

    name = "ceph"
    scheme = "s3://glint"
    phase = staticmethod(FakeS3.phase)

    def __init__(self, folder):
        self.folder = folder
        self.script("start")
        self.settings = s3_client.read_environment(folder / "s3.env")
        super().__init__(self.settings["AWS_ENDPOINT_URL"])
        self.client = s3_client.S3Client(self.settings)
        self.client.make_bucket("glint")

    def script(self, action):
        subprocess.run([ROOT / "scripts" / "s3_server.sh", action, self.folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def environment(self, url):
        return dict(self.settings, AWS_ENDPOINT_URL=url)

    def get(self, key):
        try:
            return self.client.request("GET", "/glint/" + urllib.parse.quote(key))
        except urllib.error.HTTPError:
            return None

    def keys(self, prefix):
        return self.client.keys("glint", prefix)

    def stop(self):
        self.script("stop")


class Supabase(Remote):
    """Supabase Storage: the fake of tests/support, or a real one."""

    scheme = "supabase://masks"

    def __init__(self, name, url, key, started):
        super().__init__(url)
        self.name, self.url, self.key, self.started = name, url, key, started

    @classmethod
    def fake(cls, program):
        started = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        url, key = started.stdout.readline().split()
        return cls("fake", url, key, started)

    @classmethod
    def real(cls, folder, checkout):
        script = ROOT / "scripts" / "supabase_server.sh"
        subprocess.run([script, "start", folder, checkout], check=True)
        settings = s3_client.read_environment(folder / "supabase.env")
        made = cls("real", settings["SUPABASE_URL"], settings["SUPABASE_SERVICE_ROLE_KEY"], None)
        made.script, made.folder, made.settings = script, folder, settings
        made.make_bucket("masks", False)
        return made

    def make_bucket(self, bucket, public, types=("image/png", "application/json", "text/html")):
        self.call("POST", "/bucket", {"id": bucket, "name": bucket, "public": public,
                                      "file_size_limit": 52428800, "allowed_mime_types": list(types)})

    def restart(self):
        """Kills the server and starts it again."""
        pid = int((self.folder / "storage.pid").read_text())
        subprocess.run(["kill", "-9", str(pid)], check=False)
        subprocess.run([self.script, "restart-storage", self.folder], check=True)

    def stop(self):
        if self.started:
            self.started.stdin.close()
            self.started.wait()
        else:
            subprocess.run([self.script, "stop", self.folder], check=True)

    def environment(self, url):
        return {"SUPABASE_URL": url, "SUPABASE_SECRET_KEY": self.key}

    def call(self, method, path, body=None):
        headers = {"apikey": self.key, "Authorization": "Bearer " + self.key, "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        path = "/storage/v1" * (self.name == "fake") + path
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        for wait in (0.5, 1, 2, 4, 8, None):  # another cell may have it killed just now
            try:
                with urllib.request.urlopen(request, timeout=60) as reply:
                    return reply.read()
            except urllib.error.HTTPError:
                raise
            except OSError:
                if wait is None:
                    raise
                time.sleep(wait)

    def get(self, key):
        try:
            return self.call("GET", "/object/authenticated/masks/" + urllib.parse.quote(key))
        except urllib.error.HTTPError:
            return None

    def keys(self, prefix):
        found, folders = set(), [prefix.rstrip("/")]
        while folders:
            folder = folders.pop()
            rows = json.loads(self.call("POST", "/object/list/masks", {"prefix": folder + "/", "limit": 1000}))
            for row in rows:
                key = f"{folder}/{row['name']}"
                (folders.append if row["id"] is None else found.add)(key)
        return found

    def answer(self, method, target, headers, body):
        if self.name == "real":  # its gateway has the storage below this path
            target = target.removeprefix("/storage/v1")
        return super().answer(method, target, headers, body)

    @staticmethod
    def phase(method, target, headers):
        path = urllib.parse.unquote(urllib.parse.urlsplit(target).path)
        if method == "DELETE":
            return "deleting"
        if method != "POST" or "/object/list/" in path or "/object/sign/" in path:
            return "before"
        return "copying" if path.endswith("/object/copy") else write_phase(path)


class Folder:
    """A folder on a network file system, which tests/serve/folder_faults.c plays."""

    name = "folder"

    def __init__(self, folder):
        self.folder = folder
        self.scheme = str(folder / "out")
        self.library = folder / "faults.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.library,
                        pathlib.Path(__file__).with_name("folder_faults.c"), "-ldl"], check=True)

    def environment(self, plan):
        return {"LD_PRELOAD": str(self.library), "GLINT_FAULT_ROOT": self.scheme, "GLINT_FAULT_PLAN": plan}

    def get(self, key):
        file = self.folder / "out" / key
        return file.read_bytes() if file.is_file() else None

    def keys(self, prefix):
        out = self.folder / "out"
        return {str(file.relative_to(out)) for file in (out / prefix.rstrip("/")).rglob("*") if file.is_file()}

    def stop(self):
        pass


class Plan:
    """In a proxy's place: no fault of its own, but a file that tells the worker's file system to fail."""

    def __init__(self, backend, folder):
        self.backend, self.url = backend, str(folder / "plan")
        self.fault = None

    def down(self):
        pass


class Proxy:
    """Stands in front of a backend. `fault(phase, before)` is called for each request, before it is passed on and
    after; what it returns takes the place of the answer: a status and a body, or "cut"."""

    def __init__(self, backend, delay=0.0):
        self.backend = backend
        self.delay = delay
        self.fault = lambda *_: None
        self.connections = set()
        self.lock = threading.Lock()
        self.listener = None
        self.port = 0
        self.up()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def up(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(128)
        self.port = listener.getsockname()[1]
        self.listener = listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def down(self):
        """As a server that was killed: connections are reset, new ones refused."""
        with self.lock:
            if self.listener:
                self.listener.shutdown(socket.SHUT_RDWR)
                self.listener.close()
                self.listener = None
            for connection in self.connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def accept(self, listener):
        while True:
            try:
                connection, address = listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection, address), daemon=True).start()

    def serve(self, connection, address):
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            time.sleep(self.delay)  # of the handshake
            Handler(connection, address, self)
        except OSError:
            pass
        finally:
            with self.lock:
                self.connections.discard(connection)
            connection.close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_any(self):
        proxy = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        time.sleep(proxy.delay)
        phase = proxy.backend.phase(self.command, self.path, headers)
        result = proxy.fault(phase, True)
        if result is None:
            try:
                answer = proxy.backend.answer(self.command, self.path, headers, body)
            except OSError:
                answer = "cut"
            result = proxy.fault(phase, False) or answer
        if result == "cut":
            self.close_connection = True
            return
        status, extra, content = result
        self.send_response(status)
        for name, value in extra.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any
