#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a caller of `glint serve` waits for GetScan while strangers attack it, and what the attacks cost.

The attackers are two processes of their own, of the least priority (GLINT_ATTACK_NICE gives them another), on
another address of this machine; the caller has one connection. usage: attacks_test.py GLINT [SECONDS [P99_MS]]
"""
import http.server
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from sanitized import SANITIZED  # noqa: E402

TOKEN = "attack-token-0123456789"
STRANGER = ("127.0.0.2", 0)
SCANS = "/glint.v1.ScanService/"
ATTACKERS = 2
NICE = int(os.environ.get("GLINT_ATTACK_NICE", "19"))


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def header(name, value):
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


def call_headers(path, stream, end=False, **more):
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "glint", "te": "trailers",
              "content-type": "application/grpc", **more}
    return frame(1, 4 | int(end), stream, b"".join(header(name, value) for name, value in fields.items()))


def text_field(number, value):
    return bytes([number << 3 | 2, len(value)]) + value.encode()


def message(body, packed=False):
    return bytes([packed]) + struct.pack(">I", len(body)) + body


def connect(port, address=STRANGER, mute=False):
    connection = socket.create_connection(("127.0.0.1", port), 5, source_address=address)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not mute:
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0))
    return connection


class Caller:
    """Calls unary methods, one after the other, on a connection of its own."""

    def __init__(self, port):
        self.socket = connect(port, ("127.0.0.1", 0))
        self.socket.settimeout(30)
        self.file = self.socket.makefile("rb")
        self.stream = -1
        self.received = 0

    def call(self, method, request):
        """@return the answer's message; nothing when the call failed"""
        self.stream += 2
        self.socket.sendall(call_headers(SCANS + method, self.stream, authorization="Bearer " + TOKEN)
                            + frame(0, 1, self.stream, message(request)))
        answer = b""
        while True:
            head = self.file.read(9)
            if len(head) < 9:
                raise ConnectionError("the worker has closed the caller's connection")
            payload = self.file.read(int.from_bytes(head[:3], "big"))
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            if kind == 4 and not flags & 1:
                self.socket.sendall(frame(4, 1, 0))
            if kind == 6 and not flags & 1:
                self.socket.sendall(frame(6, 1, 0, payload))
            if kind == 0 and stream == self.stream:
                answer += payload
                self.received += len(payload)
                if self.received > 16384:  # the connection's window is four times that
                    self.socket.sendall(frame(8, 0, 0, struct.pack(">I", self.received)))
                    self.received = 0
            if kind == 1 and flags & 1 and stream == self.stream:
                return answer[5:] if answer else None


# What strangers do, each for as long as it is let.


def packed_requests(port):
    bomb = zlib.compressobj(9, zlib.DEFLATED, 31)
    packed = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(256)) + bomb.flush()
    body = message(packed, True)
    while True:
        with connect(port) as connection:
            connection.sendall(call_headers(SCANS + "SubmitScan", 1, **{"grpc-encoding": "gzip"})
                               + b"".join(frame(0, 0, 1, body[at : at + 16384]) for at in range(0, len(body), 16384)))
            connection.recv(1 << 16)


def rapid_resets(port):
    streams = range(1, 200_001, 2)
    flood = b"".join(call_headers(SCANS + "SubmitScan", stream) + frame(3, 0, stream, b"\0\0\0\x08")
                     for stream in streams)
    while True:
        with connect(port) as connection:
            connection.sendall(flood)


def unfinished_calls(port):
    while True:
        with connect(port) as connection:
            for stream in range(1, 200, 2):
                connection.sendall(call_headers(SCANS + "SubmitScan", stream)
                                   + frame(0, 0, stream, b"\0\0\x10\0\0" + bytes(16000)))


def health_watches(port):
    kept = []
    while True:
        connection = connect(port)
        kept = [*kept[-100:], connection]
        connection.sendall(b"".join(call_headers("/grpc.health.v1.Health/Watch", stream) + frame(0, 1, stream, message(b""))
                                    for stream in range(1, 100, 2)))


def silent_connections(port):
    kept = []
    while True:
        kept = [*kept[-1000:], connect(port, mute=True)]


def calls_without_a_token(port):
    while True:
        with connect(port) as connection:
            for stream in range(1, 2000, 2):
                connection.sendall(call_headers(SCANS + "GetScan", stream) + frame(0, 1, stream, message(b"\n\1a")))


def long_lists(port):
    """A caller with a token that asks for lists without end, 64 at a time."""
    with connect(port) as connection:
        connection.sendall(frame(4, 0, 0, struct.pack(">HI", 4, (1 << 31) - 1)) + frame(8, 0, 0, b"\x7f\0\0\0"))
        file = connection.makefile("rb")
        for stream in range(1, 1 << 20, 2):
            connection.sendall(call_headers(SCANS + "ListScans", stream, authorization="Bearer " + TOKEN)
                               + frame(0, 1, stream, message(b"\x08\xe8\x07")))
            answered = stream < 128
            while not answered:
                head = file.read(9)
                if len(head) < 9:
                    return
                payload = file.read(int.from_bytes(head[:3], "big"))
                answered = head[3] == 1 and head[4] & 1
                if head[3] == 6 and not head[4] & 1:
                    connection.sendall(frame(6, 1, 0, payload))


ATTACKS = {"nothing": None, "packed requests": packed_requests, "rapid resets": rapid_resets,
           "unfinished calls": unfinished_calls, "health watches": health_watches,
           "2,000 silent connections": silent_connections, "calls without a token": calls_without_a_token,
           "lists of 1,000 scans": long_lists,
           "slow sources": None, "stderr that nobody reads": None}


def attack(name, port):
    os.nice(NICE)
    while True:
        try:
            ATTACKS[name](port)
        except OSError:
            time.sleep(0.005)


class SlowSource(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        try:
            while True:
                self.wfile.write(bytes(100))
                time.sleep(0.1)
        except OSError:
            pass


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mb(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def submit(caller, scan, url):
    return caller.call("SubmitScan", text_field(1, scan) + text_field(2, url))


class Worker:
    """Whose state folder is its own."""

    def __init__(self, glint, folder, source, read_stderr):
        (folder / "tokens").write_text(f"caller {TOKEN}\n")
        os.chmod(folder / "tokens", 0o600)
        self.process = subprocess.Popen(
            [glint, "serve", "--json", "--listen", "127.0.0.1:0", "--device", "cpu", "--metrics-listen", "",
             "--state", str(folder / "state"), "--store", str(folder / "results"), "--queue-capacity", "100000", "--drain-grace", "1s",
             "--token-file", str(folder / "tokens"), "--allow-source", source],
            stdout=subprocess.PIPE, stderr=open(folder / "log", "w") if read_stderr else subprocess.PIPE, text=True)
        self.port = json.loads(self.process.stdout.readline())["ports"][0]

    def stop(self):
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        return time.monotonic() - begin


def measure(worker, caller, seconds, stderr_test):
    """@return waits in ms, calls that failed, highest resident MB"""
    waits, failed, most = [], 0, 0.0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if stderr_test:
            for number in range(10):
                submit(caller, f"log-{len(waits)}-{number}", "http://192.0.2.1/v.mp4")
        begin = time.monotonic()
        failed += not caller.call("GetScan", text_field(1, "a"))
        waits.append((time.monotonic() - begin) * 1000)
        most = max(most, resident_mb(worker.process.pid))
        time.sleep(0.002)
    return sorted(waits), failed, most


def run(name, glint, source, seconds):
    """@return a row of the table"""
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(glint, pathlib.Path(folder), source, read_stderr=not name.startswith("stderr"))
        caller = Caller(worker.port)
        assert submit(caller, "a", f"http://{source}/a")
        if name == "slow sources":
            for number in range(200):
                submit(caller, f"slow-{number}", f"http://{source}/{number}")
        if name.startswith("lists"):
            for number in range(2000):
                submit(caller, f"queued-{number}", f"http://{source}/{number}")
        before = resident_mb(worker.process.pid)
        attackers = [subprocess.Popen([sys.executable, __file__, "--attack", name, str(worker.port)],
                                      stderr=subprocess.DEVNULL)
                     for _ in range(ATTACKERS if ATTACKS[name] else 0)]
        time.sleep(1 if attackers else 0)  # a flood has to be made first
        begin = time.monotonic()
        used = [cpu_seconds(process.pid) for process in [worker.process, *attackers]]
        waits, failed, most = measure(worker, caller, seconds, name.startswith("stderr"))
        used = [cpu_seconds(process.pid) - at for process, at in zip([worker.process, *attackers], used)]
        took = time.monotonic() - begin
        for attacker in attackers:
            attacker.kill()
            attacker.wait()
        return {"name": name, "calls": len(waits), "failed": failed, "p50": waits[len(waits) // 2],
                "p99": waits[len(waits) * 99 // 100], "most": waits[-1], "mb": most - before,
                "worker": used[0] / took, "attackers": sum(used[1:]) / took, "load": os.getloadavg()[0],
                "stop": worker.stop()}


def main(glint, seconds=3.0, p99_ms=1000.0):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowSource)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = f"127.0.0.1:{server.server_port}"
    wrong = []
    print("| attack | calls | p50 ms | p99 ms | most ms | MB more | cores: worker | attackers | load |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for name in ATTACKS:
        row = run(name, glint, source, seconds)
        print("| {name} | {calls} | {p50:.1f} | {p99:.1f} | {most:.0f} | {mb:.0f} | {worker:.2f} | {attackers:.2f} | "
              "{load:.1f} |".format(**row), flush=True)
        if row["failed"] > 0:
            wrong.append(f"{name}: {row['failed']} calls failed")
        if row["p99"] > p99_ms:
            wrong.append(f"{name}: p99 is {row['p99']:.0f} ms")
        if row["mb"] > 200 and not SANITIZED:
            wrong.append(f"{name}: {row['mb']:.0f} MB more")
        if row["stop"] > 45:
            wrong.append(f"{name}: ending took {row['stop']:.0f} s")
    for line in wrong:
        print("WRONG:", line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--attack":
        attack(sys.argv[2], int(sys.argv[3]))
    main(sys.argv[1], *map(float, sys.argv[2:]))
