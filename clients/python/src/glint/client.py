# SPDX-License-Identifier: Apache-2.0
"""Calls of a worker."""
from __future__ import annotations

import collections.abc
import os
import pathlib
import random
import time
import types
import typing
import uuid

import grpc

from glint import errors
from glint.v1 import scan_pb2, scan_service_pb2, scan_service_pb2_grpc

_ENDS = (scan_pb2.SCAN_STATE_SUCCEEDED, scan_pb2.SCAN_STATE_FAILED, scan_pb2.SCAN_STATE_CANCELLED)
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0

Answer = typing.TypeVar("Answer")


class Client:
    """A worker. Safe to use from several threads; close it, or use it in a `with`.

    server: host:port; without it GLINT_SERVER, else 127.0.0.1:50051
    token: without it GLINT_TOKEN; none is sent where that is empty
    tls: encrypt the connection; a `ca` (PEM) says so, too
    timeout: seconds of one call; streams have none
    reconnect_for: seconds for which a lost stream is tried again without any answer
    """

    def __init__(self, server: str | None = None, token: str | None = None, *, tls: bool = False,
                 ca: str | os.PathLike[str] | None = None, timeout: float = 30.0,
                 reconnect_for: float = 60.0) -> None:
        server = server or os.environ.get("GLINT_SERVER") or "127.0.0.1:50051"
        token = os.environ.get("GLINT_TOKEN", "") if token is None else token
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self._timeout = timeout
        self._reconnect_for = reconnect_for
        if tls or ca is not None:
            roots = pathlib.Path(ca).read_bytes() if ca is not None else None
            self._channel = grpc.secure_channel(server, grpc.ssl_channel_credentials(roots))
        else:
            self._channel = grpc.insecure_channel(server)
        self._stub: typing.Any = scan_service_pb2_grpc.ScanServiceStub(self._channel)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: types.TracebackType | None) -> None:
        self.close()

    def submit(self, video_url: str, scan_id: str | None = None, *, item_type: str = "", profile: str = "",
               object_size: str = "", up: str = "", tier: str = "", batch: str = "") -> scan_pb2.Scan:
        """Puts a scan into the worker's queue and returns at once. The same id with the same request is the same
        scan; without an id it gets one of its own."""
        options = scan_pb2.ScanOptions(item_type=item_type, profile=profile, object_size=object_size, up=up)
        request = scan_service_pb2.SubmitScanRequest(scan_id=scan_id or f"scan-{uuid.uuid4().hex}",
                                                     video_url=video_url, options=options, tier=tier, batch=batch)
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
             object_size: str = "", up: str = "", tier: str = "", batch: str = "",
             on_change: collections.abc.Callable[[scan_pb2.Scan], None] | None = None) -> scan_pb2.Scan:
        """Submits a scan and waits for its end. A video in which nothing can be judged is a result, too: see
        `result.summary.outcome` and `advice`.

        on_change: is told the scan whenever it gets on
        raises ScanFailed where it fails or is cancelled
        """
        scan = self.submit(video_url, scan_id, item_type=item_type, profile=profile, object_size=object_size, up=up,
                           tier=tier, batch=batch)
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
