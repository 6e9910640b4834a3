# SPDX-License-Identifier: Apache-2.0
"""Failures as the worker explains them."""
from __future__ import annotations

import typing

import grpc
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

from glint.v1 import scan_pb2

_DETAILS = "grpc-status-details-bin"
_LATER = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED)


class GlintError(Exception):
    """A call that failed.

    reason: a line of the table in docs/api.md, such as "QUEUE_FULL"; of calls that did not arrive
        "WORKER_UNREACHABLE"
    retryable: whether the same call may succeed later
    """

    def __init__(self, reason: str, message: str, retryable: bool = False) -> None:
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.retryable = retryable


class ScanFailed(GlintError):
    """A scan that ended without a result; `scan` is how it ended."""

    def __init__(self, scan: scan_pb2.Scan) -> None:
        super().__init__(scan.error.reason, scan.error.message, scan.error.retryable)
        self.scan = scan


def _messages() -> tuple[typing.Any, typing.Any]:
    """google.rpc.Status and ErrorInfo, as far as they are read, in a pool of their own: other packages may bring
    their own google.rpc."""
    file = descriptor_pb2.FileDescriptorProto(name="glint/status.proto", package="google.rpc", syntax="proto3")
    file.dependency.append("google/protobuf/any.proto")
    status = file.message_type.add(name="Status")
    field = descriptor_pb2.FieldDescriptorProto
    status.field.add(name="message", number=2, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    status.field.add(name="details", number=3, type=field.TYPE_MESSAGE, label=field.LABEL_REPEATED,
                     type_name=".google.protobuf.Any")
    info = file.message_type.add(name="ErrorInfo")
    info.field.add(name="reason", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    any_file = descriptor_pb2.FileDescriptorProto()
    any_pb2.DESCRIPTOR.CopyToProto(any_file)
    pool.Add(any_file)
    pool.Add(file)
    names = ("google.rpc.Status", "google.rpc.ErrorInfo")
    if hasattr(message_factory, "GetMessageClass"):
        make = message_factory.GetMessageClass
    else:  # protobuf 4.21
        make = message_factory.MessageFactory(pool).GetPrototype
    first, second = (make(pool.FindMessageTypeByName(name)) for name in names)
    return first, second


_Status, _ErrorInfo = _messages()


def from_call(error: grpc.RpcError) -> GlintError:
    """What a failed call says of itself."""
    code = error.code()
    for key, value in error.trailing_metadata() or ():
        if key != _DETAILS:
            continue
        for detail in _Status.FromString(value).details:
            if detail.type_url.endswith("google.rpc.ErrorInfo"):
                info = _ErrorInfo.FromString(detail.value)
                return GlintError(info.reason, error.details() or "", code in _LATER)
    # A worker that ends while it is called cancels what it has not answered; nobody here does.
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED):
        return GlintError("WORKER_UNREACHABLE", error.details() or "", True)
    return GlintError(code.name, error.details() or "", code in _LATER)
