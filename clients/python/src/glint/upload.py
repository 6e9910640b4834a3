# SPDX-License-Identifier: Apache-2.0
"""Brings videos to a worker by its HTTP port: the tus protocol 1.0.0, over Python's own HTTP client."""
from __future__ import annotations

import collections.abc
import http.client
import json
import random
import ssl
import time
import typing
import urllib.parse

from glint import errors

_PIECE_BYTES = 8 << 20  # what may have to be sent again when a connection breaks
_FIRST_PIECE_BYTES = 64 << 10  # after a failure: the next one may fail, too
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0
_BEING_WRITTEN = 423
_OTHER_OFFSET = 409
_LATER = (429, 502, 503, 504)

Answer = typing.TypeVar("Answer")


def _failure(status: int, body: bytes) -> errors.GlintError:
    """What an answer that is a failure says of itself."""
    try:
        said = json.loads(body)
        reasons = [detail["reason"] for detail in said.get("details", []) if "reason" in detail]
        message = str(said["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        reasons, message = [], f"the worker's HTTP port answered {status}"
    return errors.GlintError(reasons[0] if reasons else "WORKER_UNREACHABLE", message, status in _LATER)


class Upload:
    """One upload. Its calls raise GlintError; `retryable` says whether another try may help."""

    def __init__(self, base: str, token: str, timeout: float, context: ssl.SSLContext | None) -> None:
        url = urllib.parse.urlsplit(base)
        if url.scheme not in ("http", "https") or url.hostname is None:
            raise errors.GlintError("INVALID_OPTION", f"'{base}' is no http(s) URL")
        self._root = url.path.rstrip("/")
        self._path = ""
        self._headers = {"Tus-Resumable": "1.0.0", **({"Authorization": f"Bearer {token}"} if token else {})}
        self._connection = (
            http.client.HTTPSConnection(url.hostname, url.port, timeout=timeout, context=context)
            if url.scheme == "https" else http.client.HTTPConnection(url.hostname, url.port, timeout=timeout))

    def close(self) -> None:
        self._connection.close()

    def begin(self, length: int) -> str:
        """@return what a scan names the video by"""
        _, body = self._call("POST", f"{self._root}/v1/uploads", {"Upload-Length": str(length)}, expected=201)
        said = json.loads(body)
        self._path = f"{self._root}/v1/uploads/{said['uploadId']}"
        return str(said["videoUrl"])

    def send(self, offset: int, piece: bytes) -> int:
        """@return how much has come then"""
        headers = {"Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
        return self._offset(self._call("PATCH", self._path, headers, piece, expected=204)[0])

    def offset(self) -> int:
        """How much has come."""
        return self._offset(self._call("HEAD", self._path, {}, expected=200)[0])

    @staticmethod
    def _offset(headers: http.client.HTTPMessage) -> int:
        try:
            return int(headers["Upload-Offset"])
        except (TypeError, ValueError):
            raise errors.GlintError("WORKER_UNREACHABLE", "what answers is no tus server") from None

    def _call(self, verb: str, path: str, headers: dict[str, str], body: bytes | None = None, *,
              expected: int) -> tuple[http.client.HTTPMessage, bytes]:
        try:
            self._connection.request(verb, path, body, {**self._headers, **headers})
            answer = self._connection.getresponse()
            content = answer.read()
        except ssl.SSLCertVerificationError as wrong:
            self._connection.close()
            raise errors.GlintError("WORKER_UNREACHABLE", str(wrong)) from None
        except (OSError, http.client.HTTPException) as lost:
            self._connection.close()  # the next call connects again
            raise errors.GlintError("WORKER_UNREACHABLE", str(lost) or type(lost).__name__, True) from None
        if answer.status != expected:
            failure = _failure(answer.status, content)
            failure.retryable |= answer.status in (_OTHER_OFFSET, _BEING_WRITTEN)
            raise failure
        return answer.headers, content


def send_all(upload: Upload, video: typing.BinaryIO, length: int, patience_s: float,
             on_progress: collections.abc.Callable[[float], None]) -> str:
    """Sends a whole video, and goes on where it broke off.

    patience_s: how long it is tried without anything arriving
    returns what a scan names the video by
    """
    state = _Patience(patience_s)
    address = state.keep_trying(lambda: upload.begin(length))
    offset, most = 0, _PIECE_BYTES
    while offset < length:
        on_progress(offset / length)
        video.seek(offset)
        piece = video.read(min(most, length - offset))
        if not piece:
            raise errors.GlintError("INPUT_UNREADABLE", "the video became shorter while it was uploaded")
        try:
            offset = upload.send(offset, piece)
            state.went_well()
            most = min(2 * most, _PIECE_BYTES)
        except errors.GlintError as failure:
            state.wait_after(failure)
            most = _FIRST_PIECE_BYTES
            before, offset = offset, state.keep_trying(upload.offset)
            if offset > before:
                state.went_well()
    on_progress(1.0)
    return address


class _Patience:
    """Decides how long to go on after failures."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self.went_well()

    def went_well(self) -> None:
        self._failing_since: float | None = None
        self._pause_s = _FIRST_PAUSE_S

    def wait_after(self, failure: errors.GlintError) -> None:
        """Waits a little; raises what failed where there is no more use in that."""
        now = time.monotonic()
        self._failing_since = now if self._failing_since is None else self._failing_since
        if not failure.retryable or now - self._failing_since > self._limit_s:
            raise failure
        time.sleep(self._pause_s * random.uniform(0.5, 1.0))
        self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    def keep_trying(self, call: collections.abc.Callable[[], Answer]) -> Answer:
        while True:
            try:
                return call()
            except errors.GlintError as failure:
                self.wait_after(failure)
