# SPDX-License-Identifier: Apache-2.0
"""Calls of a worker."""
from __future__ import annotations

import collections.abc
import os
import pathlib
import random
import ssl
import time
import types
import typing
import urllib.parse
import uuid

import grpc

from glint import errors
from glint import upload as uploads
from glint.v1 import scan_pb2, scan_service_pb2, scan_service_pb2_grpc, worker_service_pb2, worker_service_pb2_grpc

_ENDS = (scan_pb2.SCAN_STATE_SUCCEEDED, scan_pb2.SCAN_STATE_FAILED, scan_pb2.SCAN_STATE_CANCELLED)
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0

Answer = typing.TypeVar("Answer")


class Client:
    """A worker. Safe to use from several threads; close it, or use it in a `with`.

    server: host:port; without it GLINT_SERVER, else 127.0.0.1:50051
    token: without it GLINT_TOKEN; none is sent where that is empty
    tls: encrypt the connection; a `ca` (PEM) says so, too
    http_url: the worker's HTTP port, for uploads; without it what the worker says of itself (its --http-url)
    timeout: seconds of one call; streams have none
    reconnect_for: seconds for which a lost stream or upload is tried again without any answer
    """

    def __init__(self, server: str | None = None, token: str | None = None, *, tls: bool = False,
                 ca: str | os.PathLike[str] | None = None, http_url: str | None = None, timeout: float = 30.0,
                 reconnect_for: float = 60.0) -> None:
        server = server or os.environ.get("GLINT_SERVER") or "127.0.0.1:50051"
        token = os.environ.get("GLINT_TOKEN", "") if token is None else token
        self._token = token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._http_url = http_url
        self._ca = ca
        self._timeout = timeout
        self._reconnect_for = reconnect_for
        self._encrypted = tls or ca is not None
        if self._encrypted:
            roots = pathlib.Path(ca).read_bytes() if ca is not None else None
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(roots))
        else:
            self._channel = grpc.insecure_channel(server)
        self._stub: typing.Any = scan_service_pb2_grpc.ScanServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._worker: typing.Any = worker_service_pb2_grpc.WorkerServiceStub(self._channel)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()

    def upload(self, video: str | os.PathLike[str], *,
               on_progress: collections.abc.Callable[[float], None] | None = None) -> str:
        """Brings a video of this machine to the worker, which needs an HTTP port for that (`serve --http`), and goes on
        where it broke off when the connection is lost.

        on_progress: is told the part that has come, from 0 to 1
        returns the address that submit() and scan() take as `video_url`; the video is deleted when its scan is made, or
            after a day
        raises OSError where the file cannot be read
        """
        with open(video, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            base = self._http_base()
            context = None
            if base.startswith("https://"):
                context = ssl.create_default_context(cafile=os.fspath(self._ca) if self._ca is not None else None)
            upload = uploads.Upload(base, self._token, self._timeout, context)
            try:
                return uploads.send_all(upload, file, length, self._reconnect_for, on_progress or (lambda _: None))
            finally:
                upload.close()

    def _http_base(self) -> str:
        """Where the worker takes files."""
        base = self._http_url
        if base is None:
            request = worker_service_pb2.GetWorkerInfoRequest()
            answer: worker_service_pb2.GetWorkerInfoResponse = self._call(self._worker.GetWorkerInfo, request)
            base = answer.worker.http_url
        if not base:
            raise errors.GlintError("INVALID_OPTION", "the worker takes no files, for it serves no HTTP; start it with"
                                    " --http, or give the video's URL")
        host = urllib.parse.urlsplit(base).hostname or ""
        is_local = host in ("localhost", "::1") or host.startswith("127.")
        if self._encrypted and self._token and not base.startswith("https://") and not is_local:
            raise errors.GlintError("INVALID_OPTION", f"the token would cross the network in the clear to {base}; let the"
                                    " worker's --http-url name an https address")
        return base

    def submit(self, video_url: str, scan_id: str | None = None, *, item_type: str = "", profile: str = "",
               object_size: str = "", up: str = "", tier: str = "", batch: str = "",
               back_video_url: str = "") -> scan_pb2.Scan:
        """Puts a scan into the worker's queue and returns at once. The same id with the same request is the same
        scan; without an id it gets one of its own.

        back_video_url: the item's other side, likewise; both become one result"""
        options = scan_pb2.ScanOptions(item_type=item_type, profile=profile, object_size=object_size, up=up)
        request = scan_service_pb2.SubmitScanRequest(scan_id=scan_id or f"scan-{uuid.uuid4().hex}",
                                                     video_url=video_url, options=options, tier=tier, batch=batch,
                                                     back_video_url=back_video_url)
        answer: scan_service_pb2.SubmitScanResponse = self._call(self._stub.SubmitScan, request)
        return answer.scan

    def watch(self, scan_id: str, after_seq: int = 0) -> collections.abc.Iterator[scan_pb2.Scan]:
        """Yields the scan as it stands, and again whenever that changes, to its end; goes on across lost
        connections and restarts of the worker. Leaving it does not cancel the scan."""
        lost_since: float | None = None
        pause = _FIRST_PAUSE_S
        while True:
            request = scan_service_pb2.WatchScanRequest(scan_id=scan_id, after_seq=after_seq)
            try:
                for message in self._stub.WatchScan(request, metadata=self._metadata):
                    lost_since, pause = None, _FIRST_PAUSE_S
                    if not message.snapshot:
                        after_seq = message.event.seq
                    yield message.event.scan
                    if message.event.scan.state in _ENDS:
                        return
            except grpc.RpcError as lost:
                error = errors.from_call(lost)
                now = time.monotonic()
                lost_since = now if lost_since is None else lost_since
                if not error.retryable or now - lost_since > self._reconnect_for:
                    raise error from None
                time.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, _LONGEST_PAUSE_S)

    def scan(self, video_url: str, scan_id: str | None = None, *, item_type: str = "", profile: str = "",
             object_size: str = "", up: str = "", tier: str = "", batch: str = "", back_video_url: str = "",
             on_change: collections.abc.Callable[[scan_pb2.Scan], None] | None = None) -> scan_pb2.Scan:
        """Submits a scan and waits for its end. A video in which nothing can be judged is a result, too: see
        `result.summary.outcome` and `advice`.

        on_change: is told the scan whenever it gets on
        raises ScanFailed where it fails or is cancelled
        """
        scan = self.submit(video_url, scan_id, item_type=item_type, profile=profile, object_size=object_size, up=up,
                           tier=tier, batch=batch, back_video_url=back_video_url)
        for scan in self.watch(scan.scan_id):
            if on_change is not None:
                on_change(scan)
        if scan.state != scan_pb2.SCAN_STATE_SUCCEEDED:
            raise errors.ScanFailed(scan)
        return scan

    def get(self, scan_id: str) -> scan_pb2.Scan:
        """A scan as it stands."""
        request = scan_service_pb2.GetScanRequest(scan_id=scan_id)
        answer: scan_service_pb2.GetScanResponse = self._call(self._stub.GetScan, request)
        return answer.scan

    def list(self, *, batch: str = "") -> collections.abc.Iterator[scan_pb2.Scan]:
        """All scans that the worker remembers, the newest first, without their results."""
        token = ""
        while True:
            request = scan_service_pb2.ListScansRequest(page_token=token, batch=batch)
            page: scan_service_pb2.ListScansResponse = self._call(self._stub.ListScans, request)
            yield from page.scans
            token = page.next_page_token
            if not token:
                return

    def cancel(self, scan_id: str) -> scan_pb2.Scan:
        """Cancels a scan that waits or runs; one that has ended stays as it is."""
        request = scan_service_pb2.CancelScanRequest(scan_id=scan_id)
        answer: scan_service_pb2.CancelScanResponse = self._call(self._stub.CancelScan, request)
        return answer.scan

    def _call(self, method: collections.abc.Callable[..., Answer], request: object) -> Answer:
        try:
            return method(request, timeout=self._timeout, metadata=self._metadata)
        except grpc.RpcError as failed:
            raise errors.from_call(failed) from None
