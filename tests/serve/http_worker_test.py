# SPDX-License-Identifier: Apache-2.0
"""The HTTP API of the real `glint serve`: curl as a user has it, uploads that break off, and what strangers try.
usage: http_worker_test.py GLINT"""
import http.server
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[1] / "support")]
from http_worker import ALICE, BOB, Worker, make_clip  # noqa: E402
from sanitized import patience  # noqa: E402

GLINT = str(pathlib.Path(sys.argv[1]).resolve())
PATCH = "application/offset+octet-stream"


def reasons(body):
    return [detail.get("reason") for detail in body.get("details", []) if "reason" in detail]


class Served(unittest.TestCase):
    flags = ()
    tokens = True

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="glint-http-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.clip = make_clip(GLINT, cls.folder)
        options = {} if cls.tokens else {"tokens": ""}
        cls.worker = Worker(GLINT, cls.folder, *cls.flags, **options)

    @classmethod
    def tearDownClass(cls):
        code = cls.worker.stop()
        log = cls.worker.log.read_text()
        cls.temporary.cleanup()
        assert code == 0, log
        assert ALICE not in log and BOB not in log, "a token is in the log"

    def begin(self, length, token=ALICE):
        status, headers, body = self.worker.call("POST", "/v1/uploads", token=token, Upload_Length=str(length),
                                                 Tus_Resumable="1.0.0")
        self.assertEqual(status, 201, body)
        self.assertEqual(headers["Location"], "/v1/uploads/" + body["uploadId"])
        return body["uploadId"]

    def append(self, upload, offset, content, token=ALICE):
        return self.worker.call("PATCH", f"/v1/uploads/{upload}", content, token=token, Upload_Offset=str(offset),
                                Content_Type=PATCH, Tus_Resumable="1.0.0")

    def gone(self, upload):
        """Whether an upload, the only one, goes in a while, and its files after it."""
        deadline = time.time() + patience(60)
        while time.time() < deadline:
            if self.worker.call("HEAD", f"/v1/uploads/{upload}")[0] == 404:
                if {file.name for file in (self.folder / "state" / "uploads").iterdir()} == {"lock"}:
                    return True
            time.sleep(0.1)
        return False


class AUser(Served):
    def curl(self, *arguments):
        return subprocess.run(["curl", "-sS", "--max-time", str(patience(60)),
                               "-H", f"Authorization: Bearer {ALICE}", *arguments],
                              check=True, capture_output=True).stdout

    def test_uploads_scans_watches_and_downloads_with_curl(self):
        url = self.worker.url
        put = json.loads(self.curl("-T", str(self.clip), f"{url}/v1/uploads/my-clip"))
        self.assertEqual(put["videoUrl"], "upload://my-clip")
        submitted = json.loads(self.curl(
            "-H", "content-type: application/json", f"{url}/v1/scans", "-d",
            json.dumps({"scanId": "curl-1", "videoUrl": "upload://my-clip", "options": {"itemType": "card"}})))
        self.assertTrue(submitted["created"])
        stream = self.curl("-N", f"{url}/v1/scans/curl-1:watch").decode()
        self.assertTrue(stream.startswith("event: snapshot\ndata: {"), stream[:200])
        self.assertTrue(stream.rstrip().endswith("event: end\ndata: {}"), stream[-200:])
        scan = json.loads(self.curl(f"{url}/v1/scans/curl-1"))["scan"]
        self.assertEqual((scan["state"], scan["owner"]), ("SCAN_STATE_SUCCEEDED", "alice"))
        objects = {one["name"]: one for one in scan["result"]["objects"]}
        self.assertIn("report.json", objects)
        for name, one in objects.items():  # by their signed links, without a token
            self.assertTrue(one["url"].startswith(f"{url}/v1/scans/curl-1/files/{name}?"), one)
            content = subprocess.run(["curl", "-sS", "-f", one["url"]], check=True, capture_output=True).stdout
            self.assertEqual(len(content), int(one["bytes"]), name)
        archive = zipfile.ZipFile(io.BytesIO(self.curl(f"{url}/v1/scans/curl-1:download")))
        self.assertIsNone(archive.testzip())
        self.assertEqual({name.removeprefix("curl-1/") for name in archive.namelist()}, set(objects))
        self.assertEqual(json.loads(archive.read("curl-1/report.json")),
                         json.loads(self.curl(f"{url}/v1/scans/curl-1/files/report.json")))
        listed = json.loads(self.curl(f"{url}/v1/scans?state=SCAN_STATE_SUCCEEDED&pageSize=5"))
        self.assertIn("curl-1", [one["scanId"] for one in listed["scans"]])
        again = json.loads(self.curl("-H", "content-type: application/json", f"{url}/v1/scans", "-d", json.dumps(
            {"scanId": "curl-1", "videoUrl": "upload://my-clip", "options": {"itemType": "card"}})))
        self.assertFalse(again["created"], "the same request is the same scan, though its upload is used up")

    def test_front_and_back_are_one_scan(self):
        url = self.worker.url
        for side in ("front", "rear"):
            self.curl("-T", str(self.clip), f"{url}/v1/uploads/{side}")
        request = {"scanId": "both-1", "videoUrl": "upload://front", "backVideoUrl": "upload://rear"}
        submit = ("-H", "content-type: application/json", f"{url}/v1/scans", "-d", json.dumps(request))
        self.assertEqual(json.loads(self.curl(*submit))["scan"]["backVideoUrl"], "upload://rear")
        self.curl("-N", f"{url}/v1/scans/both-1:watch")
        scan = json.loads(self.curl(f"{url}/v1/scans/both-1"))["scan"]
        self.assertEqual(scan["state"], "SCAN_STATE_SUCCEEDED", scan)
        result = scan["result"]
        self.assertEqual(result["back"]["outcome"], result["summary"]["outcome"])
        self.assertTrue(result["bothSides"]["verdict"])
        names = {one["name"] for one in result["objects"]}
        self.assertLessEqual({"report.html", "report.json", "back/report.json"}, names)
        self.assertEqual(result["objects"][-1]["name"], "report.json", "the report of both is the last")
        report = json.loads(self.curl(f"{url}/v1/scans/both-1/files/report.json"))
        self.assertEqual(report["both_sides"]["verdict"], result["bothSides"]["verdict"])
        back = json.loads(self.curl(f"{url}/v1/scans/both-1/files/back/report.json"))
        self.assertEqual(back["scan_id"], "both-1")
        archive = zipfile.ZipFile(io.BytesIO(self.curl(f"{url}/v1/scans/both-1:download")))
        self.assertIn("both-1/back/report.json", archive.namelist())
        self.assertFalse(json.loads(self.curl(*submit))["created"], "the same request, though its uploads are used up")

    def test_a_back_that_is_not_there_publishes_nothing(self):
        url = self.worker.url
        self.curl("-T", str(self.clip), f"{url}/v1/uploads/lonely")
        missing = self.worker.call("POST", "/v1/scans", {"videoUrl": "upload://lonely", "backVideoUrl": "upload://none"})
        self.assertEqual(missing[0], 404, missing)
        wrong = self.worker.call("POST", "/v1/scans", {"videoUrl": "upload://lonely", "backVideoUrl": "file:///etc/passwd"})
        self.assertEqual(wrong[0], 400)
        self.assertIn("back_video_url", json.dumps(wrong[2]))
        self.worker.call("PUT", "/v1/uploads/cut", self.clip.read_bytes()[:3000])
        self.worker.call("POST", "/v1/scans", {"scanId": "half", "videoUrl": "upload://lonely", "backVideoUrl": "upload://cut"})
        self.curl("-N", f"{url}/v1/scans/half:watch")
        scan = self.worker.call("GET", "/v1/scans/half")[2]["scan"]
        self.assertEqual(scan["state"], "SCAN_STATE_FAILED", scan)
        self.assertIn("back", scan["error"]["message"])
        self.assertEqual(self.worker.call("GET", "/v1/scans/half/files/report.json")[0], 404)

    def test_finds_what_the_openapi_document_says(self):
        document = self.worker.call("GET", "/openapi.json", token="")[2]
        self.assertEqual(document["openapi"], "3.0.3")
        for path, operations in document["paths"].items():
            for verb in operations:
                status, headers, body = self.worker.call(verb.upper(), path.replace("{", "").replace("}", ""))
                text = body.get("message", "") if isinstance(body, dict) else ""
                self.assertNotEqual(status, 405, (verb, path))
                self.assertNotIn("no such path", text, (verb, path))
        referred = set()

        def walk(node):
            if isinstance(node, dict):
                referred.update([node["$ref"]] if "$ref" in node else [])
            for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
                walk(child)
        walk(document)
        for name in referred:
            self.assertIn(name.rsplit("/", 1)[1], document["components"]["schemas"])

    def test_submits_a_file_from_the_command_line(self):
        environment = {**os.environ, "GLINT_TOKEN": ALICE, "GLINT_SERVER": f"127.0.0.1:{self.worker.grpc}"}
        done = subprocess.run([GLINT, "submit", str(self.clip), "--id", "from-cli", "--wait", "--size", "63x88mm"],
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("report"))
        content = subprocess.run(["curl", "-sS", "-f", report], check=True, capture_output=True).stdout
        self.assertTrue(content.startswith(b"<!doctype html>"), content[:80])
        scan = self.worker.call("GET", "/v1/scans/from-cli")[2]["scan"]
        self.assertEqual(scan["options"]["objectSize"], "63x88mm")

    def test_submits_front_and_back_from_the_command_line(self):
        environment = {**os.environ, "GLINT_TOKEN": ALICE, "GLINT_SERVER": f"127.0.0.1:{self.worker.grpc}"}
        done = subprocess.run([GLINT, "submit", str(self.clip), "--back", str(self.clip), "--id", "both-cli", "--wait"],
                              env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        verdict = self.worker.call("GET", "/v1/scans/both-cli")[2]["scan"]["result"]["bothSides"]["verdict"]
        self.assertIn(verdict, done.stdout)

    def test_reads_failures_as_grpc_gives_them(self):
        for verb, path, body, token, status, reason in (
                ("GET", "/v1/scans", None, "", 401, "UNAUTHENTICATED"),
                ("GET", "/v1/scans", None, "not-a-token-0123456789", 401, "UNAUTHENTICATED"),
                ("GET", "/v1/scans/none", None, ALICE, 404, "SCAN_NOT_FOUND"),
                ("GET", "/v1/scans/none:watch", None, ALICE, 404, "SCAN_NOT_FOUND"),
                ("POST", "/v1/scans/none:cancel", {}, ALICE, 404, "SCAN_NOT_FOUND"),
                ("POST", "/v1/scans", {"scanId": "../x", "videoUrl": "ftp://x"}, ALICE, 400, "INVALID_OPTION"),
                ("POST", "/v1/scans", {"videoUrl": "http://127.0.0.1/v.mp4"}, ALICE, 403, "URL_NOT_ALLOWED"),
                ("POST", "/v1/scans", {"videoUrl": "upload://none"}, ALICE, 404, "INPUT_NOT_FOUND"),
                ("POST", "/v1/scans", {"video": "x"}, ALICE, 400, "INVALID_OPTION"),
                ("GET", "/v1/scans?pageSize=many", None, ALICE, 400, "INVALID_OPTION"),
                ("GET", "/v1/scans?owner=bob", None, ALICE, 403, "NOT_PERMITTED"),
                ("GET", "/v1/workers", None, ALICE, 403, "NOT_PERMITTED")):
            answer = self.worker.call(verb, path, body, token)
            self.assertEqual((answer[0], reasons(answer[2])), (status, [reason]), (verb, path, answer[2]))
        fields = self.worker.call("POST", "/v1/scans", {"scanId": "../x", "videoUrl": "ftp://x"})[2]["details"]
        self.assertEqual([wrong["field"] for wrong in fields[1]["fieldViolations"]], ["scan_id", "video_url"])

    def test_is_told_what_http_itself_refuses(self):
        for verb, path, body, headers, status in (
                ("GET", "/nowhere", None, {}, 404), ("DELETE", "/v1/scans", None, {}, 405),
                ("POST", "/v1/scans", "{}", {"Content_Type": "text/plain"}, 415),
                ("POST", "/v1/scans", b"\x1f\x8b0000", {"Content_Type": "application/json",
                                                       "Content_Encoding": "gzip"}, 415),
                ("POST", "/v1/scans", b" " * 100_000, {"Content_Type": "application/json"}, 413),
                ("GET", "/v1/scans?pageToken=%zz", None, {}, 400),
                ("PUT", "/v1/uploads/x", iter([b"piece"]), {"Transfer_Encoding": "chunked"}, 411)):
            answer = self.worker.call(verb, path, body, **headers)
            self.assertEqual(answer[0], status, (verb, path, answer[2]))
            self.assertTrue(answer[2]["message"], (verb, path))

    def test_resumes_a_stream_and_its_trace_is_in_the_log(self):
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        upload = self.begin(self.clip.stat().st_size)
        self.append(upload, 0, self.clip.read_bytes())
        self.worker.call("POST", "/v1/scans", {"scanId": "resumed", "videoUrl": f"upload://{upload}"},
                         traceparent=f"00-{trace}-00f067aa0ba902b7-01")
        self.worker.finished("resumed")
        events = self.worker.events("resumed")
        numbered = [int(seq) for _, seq, _ in events if seq]
        self.assertEqual(numbered, sorted(set(numbered)))
        rest = self.worker.events("resumed", after=numbered[1])
        self.assertEqual([int(seq) for _, seq, _ in rest if seq], numbered[2:])
        self.assertIn(f"(trace {trace})", self.worker.log.read_text())


class ATrace(unittest.TestCase):
    def test_is_in_the_scans_log_lines_and_goes_on_to_the_webhook(self):
        trace, told = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", []

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                told.append((body["scan_id"], body["final"], self.headers.get("traceparent")))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
        threading.Thread(target=hook.serve_forever, daemon=True).start()
        self.addCleanup(hook.server_close)
        self.addCleanup(hook.shutdown)
        with tempfile.TemporaryDirectory(prefix="glint-trace-") as name:
            folder = pathlib.Path(name)
            clip = make_clip(GLINT, folder)
            worker = Worker(GLINT, folder, "--webhook-url", f"http://127.0.0.1:{hook.server_port}/", tokens="",
                            environment={"GLINT_WEBHOOK_SECRET": "0123456789abcdef-hush"})
            self.addCleanup(worker.stop)
            for scan, headers in (("traced", {"traceparent": trace}), ("untraced", {"traceparent": "00-zz"})):
                worker.call("PUT", f"/v1/uploads/{scan}", clip.read_bytes(), token="")
                worker.call("POST", "/v1/scans", {"scanId": scan, "videoUrl": f"upload://{scan}"}, token="", **headers)
                worker.finished(scan, token="")
            deadline = time.time() + patience(60)
            while {scan for scan, final, _ in told if final} != {"traced", "untraced"}:
                self.assertLess(time.time(), deadline, told)
                time.sleep(0.1)
            self.assertEqual({passed for scan, _, passed in told if scan == "traced"}, {trace})
            self.assertEqual({passed for scan, _, passed in told if scan == "untraced"}, {None})
            log = worker.log.read_text()
            for words in ("scan started", "scan succeeded"):
                self.assertIn(f"[traced trace {trace[3:35]}] {words}", log)
                self.assertIn(f"[untraced] {words}", log)


class AHurry(Served):
    def test_an_upload_whose_body_comes_before_its_headers_are_read_is_taken(self):
        body = self.clip.read_bytes()[:60_000]
        for attempt in range(10):
            upload = self.begin(len(body))
            with socket.create_connection(("127.0.0.1", self.worker.port), timeout=patience(30)) as connection:
                time.sleep(0.1)  # until it is accepted
                self.worker.process.send_signal(signal.SIGSTOP)
                connection.sendall((f"PATCH /v1/uploads/{upload} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n"
                                    f"Content-Type: {PATCH}\r\nUpload-Offset: 0\r\nContent-Length: {len(body)}\r\n\r\n"
                                    ).encode() + body)
                self.worker.process.send_signal(signal.SIGCONT)
                self.assertIn(b" 204 ", connection.recv(4096)[:20], f"attempt {attempt}")
            self.worker.call("DELETE", f"/v1/uploads/{upload}")


class AnOwner(Served):
    def test_sees_nothing_of_another(self):
        upload = self.begin(self.clip.stat().st_size)
        self.assertEqual(self.append(upload, 0, self.clip.read_bytes())[0], 204)
        for verb in ("HEAD", "DELETE"):
            self.assertEqual(self.worker.call(verb, f"/v1/uploads/{upload}", token=BOB)[0], 404, verb)
        self.assertEqual(self.append(upload, 0, b"x", token=BOB)[0], 404)
        stolen = self.worker.call("POST", "/v1/scans", {"videoUrl": f"upload://{upload}"}, token=BOB)
        self.assertEqual((stolen[0], reasons(stolen[2])), (404, ["INPUT_NOT_FOUND"]))
        self.worker.call("POST", "/v1/scans", {"scanId": "hers", "videoUrl": f"upload://{upload}"})
        link = next(one["url"] for one in self.worker.finished("hers")["result"]["objects"]
                    if one["name"] == "report.json").removeprefix(self.worker.url)
        for path in ("hers", "hers:watch", "hers:download", "hers/files/report.json"):
            self.assertEqual(self.worker.call("GET", f"/v1/scans/{path}", token=BOB)[0], 404, path)
        self.assertEqual(self.worker.call("GET", link, token="")[0], 200)
        for forged in (link.replace("owner=alice", "owner=bob"), link.replace("/hers/", "/other/"),
                       link.replace("expires=1", "expires=2"), link[:-1] + ("0" if link[-1] != "0" else "1"),
                       link.replace("signature=", "unsigned=")):
            self.assertEqual(self.worker.call("GET", forged, token="")[0], 401, forged)

    def test_reaches_no_file_by_its_name(self):
        upload = self.begin(self.clip.stat().st_size)
        self.append(upload, 0, self.clip.read_bytes())
        self.worker.call("POST", "/v1/scans", {"scanId": "named", "videoUrl": f"upload://{upload}"})
        self.worker.finished("named")
        for name in ("../../tokens", "..%2f..%2ftokens", "%2e%2e/%2e%2e/tokens", "/etc/passwd", "receipt.json",
                     "report.json/", "./report.json", "report.json%00", "regions/../report.json"):
            status, _, body = self.worker.call("GET", f"/v1/scans/named/files/{name}")
            self.assertEqual(status, 404, (name, body))


class AnUpload(Served):
    flags = ("--upload-space-per-owner", "1M", "--limits-bytes", "900k")

    def test_goes_on_where_it_broke_off_also_after_the_worker_died(self):
        content = self.clip.read_bytes()
        half = len(content) // 2
        upload = self.begin(len(content))
        with socket.create_connection(("127.0.0.1", self.worker.port)) as cut:  # half-way, and gone
            cut.sendall((f"PATCH /v1/uploads/{upload} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n"
                         f"Content-Type: {PATCH}\r\nUpload-Offset: 0\r\nContent-Length: {len(content)}\r\n\r\n").encode()
                        + content[:half])
            deadline = time.time() + patience(10)
            while time.time() < deadline:
                if self.worker.call("HEAD", f"/v1/uploads/{upload}")[1]["Upload-Offset"] == str(half):
                    break
                time.sleep(0.05)
            self.assertEqual(self.append(upload, half, content[half:])[0], 423, "one writer at a time")
            self.worker.kill()  # in the middle of it
        self.worker.start()
        status, headers, _ = self.worker.call("HEAD", f"/v1/uploads/{upload}")
        self.assertEqual((status, headers["Upload-Offset"], headers["Upload-Length"]),
                         (200, str(half), str(len(content))))
        self.assertEqual(self.append(upload, 0, content)[0], 409, "bytes that are there")
        early = self.worker.call("POST", "/v1/scans", {"videoUrl": f"upload://{upload}"})
        self.assertIn("is not whole", early[2]["message"])
        status, headers, _ = self.append(upload, half, content[half:])
        self.assertEqual((status, headers["Upload-Offset"]), (204, str(len(content))))
        self.worker.call("POST", "/v1/scans", {"scanId": "went-on", "videoUrl": f"upload://{upload}"})
        self.assertEqual(self.worker.finished("went-on")["state"], "SCAN_STATE_SUCCEEDED")
        self.assertTrue(self.gone(upload), "a scan has used it")

    def test_is_for_its_owner_alone(self):
        upload = self.begin(1000)
        folder = self.folder / "state" / "uploads"
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual({file.stat().st_mode & 0o777 for file in folder.iterdir()}, {0o600})
        self.worker.call("DELETE", f"/v1/uploads/{upload}")

    def test_has_to_look_like_a_video_and_fit(self):
        text = self.begin(1000)
        status, _, body = self.append(text, 0, b"<html>" + b" " * 994)
        self.assertEqual((status, reasons(body)), (415, ["NOT_A_VIDEO"]))
        self.assertEqual(self.worker.call("HEAD", f"/v1/uploads/{text}")[0], 404)
        more = self.begin(100)
        self.assertEqual(self.append(more, 0, b"\0\0\0\x18ftyp" + b" " * 500)[0], 413)
        self.assertEqual(self.worker.call("DELETE", f"/v1/uploads/{more}")[0], 204)
        large = self.worker.call("POST", "/v1/uploads", Upload_Length="1000000")
        self.assertEqual((large[0], reasons(large[2])), (413, ["LIMIT_EXCEEDED"]))
        first = self.begin(800_000)
        second = self.worker.call("POST", "/v1/uploads", Upload_Length="800000")
        self.assertEqual((second[0], reasons(second[2])), (429, ["QUOTA_EXCEEDED"]))
        self.worker.call("DELETE", f"/v1/uploads/{first}")
        self.assertEqual(self.worker.call("POST", "/v1/uploads", Upload_Length="no")[0], 400)
        self.assertEqual(self.worker.call("POST", "/v1/uploads", Tus_Resumable="0.9", Upload_Length="9")[0], 412)
        self.assertEqual(self.worker.call("PUT", "/v1/uploads/..", b"x")[0], 400)


class AnOldUpload(Served):
    flags = ("--upload-age", "2s")

    def test_is_deleted(self):
        self.assertTrue(self.gone(self.begin(1000)), "it is too old")


class Stranger(Served):
    def connect(self):
        return socket.create_connection(("127.0.0.1", self.worker.port), 5, source_address=("127.0.0.2", 0))

    def answers(self):
        start = time.time()
        self.assertEqual(self.worker.call("GET", "/healthz", token="")[0], 200)
        self.assertEqual(self.worker.call("GET", "/v1/scans")[0], 200)
        self.assertLess(time.time() - start, 2)


class SilentStrangers(Stranger):
    flags = ("--request-time", "60s")

    def test_who_say_nothing_keep_nobody_waiting(self):
        silent = []
        for _ in range(1000):
            silent.append(self.connect())
        self.worker.call("GET", "/healthz", token="")  # answered when all before it are accepted
        self.answers()
        silent[-1].setblocking(False)
        with self.assertRaises(BlockingIOError):  # it is still there: nobody waited for its end
            silent[-1].recv(1)
        for connection in silent:
            connection.close()


class Strangers(Stranger):
    flags = ("--request-time", "2s")

    def closed_within(self, connection, seconds, dribble=b""):
        """Whether the worker ends the connection, to which a byte goes every now and then."""
        connection.settimeout(0.1)
        deadline = time.time() + seconds
        while time.time() < deadline:
            try:
                if dribble:
                    connection.sendall(dribble)
                if connection.recv(65536) == b"":
                    return True
            except socket.timeout:
                continue
            except OSError:
                return True
        return False

    def test_who_send_slowly_are_cut_off(self):
        for begin, dribble in ((b"", b""), (b"GET /healthz HTTP/1.1\r\n", b"a"),
                               (b"GET /healthz HTTP/1.1\r\nHost: x\r\n", b"X-A: b\r\n")):
            with self.connect() as slow:
                slow.sendall(begin)
                self.assertTrue(self.closed_within(slow, 6, dribble), (begin, dribble))
        with self.connect() as slow:  # a body, with a token
            slow.sendall(f"POST /v1/scans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n"
                         "Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n".encode())
            self.assertTrue(self.closed_within(slow, 6, b" "))
        self.answers()

    def test_headers_have_a_limit(self):
        for header in (b"X: " + b"a" * 100_000, b"".join(b"X%d: a\r\n" % n for n in range(20_000))):
            with self.connect() as large:
                try:
                    large.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + header + b"\r\n\r\n")
                    answer = large.recv(4096)
                except OSError:
                    answer = b""
                self.assertNotIn(b" 200 ", answer)
        self.answers()

    def test_bodies_are_not_read_before_the_token(self):
        with self.connect() as unknown:
            unknown.sendall(b"PUT /v1/uploads/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
            self.assertIn(b" 401 ", unknown.recv(4096))
        self.assertEqual(list((self.folder / "state" / "uploads").iterdir()), [])

    def test_endless_bodies_end(self):
        with self.connect() as endless:
            endless.sendall(f"POST /v1/scans HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ALICE}\r\n"
                            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            sent = 0
            try:
                while sent < 64 << 20:
                    endless.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                    sent += 65536
            except OSError:
                pass
            self.assertLess(sent, 64 << 20)
        self.answers()

    def test_floods_without_a_token_cost_their_connections(self):
        def flood():
            until = time.time() + 2
            while time.time() < until:
                try:
                    with self.connect() as connection:
                        connection.sendall(b"GET /v1/scans HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
                        connection.recv(4096)
                except OSError:
                    time.sleep(0.01)
        floods = [threading.Thread(target=flood) for _ in range(4)]
        for thread in floods:
            thread.start()
        for _ in range(5):
            self.answers()
        for thread in floods:
            thread.join()


class WithoutTokens(Served):
    tokens = False

    def test_pages_of_others_cannot_make_a_browser_call(self):
        port = self.worker.port
        for headers, status in (({}, 200), ({"Host": f"localhost:{port}"}, 200),
                                ({"Origin": f"http://127.0.0.1:{port}"}, 200),
                                ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
                                ({"Host": "evil.example"}, 403), ({"Host": f"evil.example:{port}"}, 403)):
            answer = self.worker.call("GET", "/v1/scans", token="", **headers)
            self.assertEqual(answer[0], status, headers)

    def test_the_page_has_a_strict_policy(self):
        _, headers, body = self.worker.call("GET", "/", token="")
        self.assertIn("script-src 'self'", headers["Content-Security-Policy"])
        self.assertNotIn("unsafe", headers["Content-Security-Policy"])
        for inline in (b"<style", b" style=", b" onclick=", b"<script>"):
            self.assertNotIn(inline, body)
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
