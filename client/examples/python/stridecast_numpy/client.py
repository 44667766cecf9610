# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""A connection to a server, and what may go wrong on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import grpc
import numpy as np
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from . import stream, tensors, wire
from .program import Program
from .stubs import service_pb2

# Past it streams are faster (bench.py), and whatever the server takes in one
# message, 64 MiB by default, is far.
_UNARY_BYTES = 8 << 20

_CHANNEL_OPTIONS = [
    # 4 MiB by default, less than most results.
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]


class StridecastError(Exception):
    """A call that failed.
    code        grpc.StatusCode
    message     the server's text: field, rule, numbers
    field       of the request that breaks a rule, "spec.operands[1]"; or None
    retry_seconds  there was no room: repeat after so long; or None
    request_id  names the call in the server's log; or None"""

    def __init__(self, error: grpc.RpcError):
        self.code: grpc.StatusCode = error.code()
        self.message: str = error.details()
        self.field: str | None = None
        self.retry_seconds: float | None = None
        trailers = dict(error.trailing_metadata() or ())
        self.request_id: str | None = trailers.get("stridecast-request-id")
        status = rpc_status.from_call(error)
        bad_request = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        for detail in status.details if status else ():
            if detail.Unpack(bad_request) and bad_request.field_violations:
                self.field = bad_request.field_violations[0].field
            if detail.Unpack(retry):
                self.retry_seconds = retry.retry_delay.ToTimedelta().total_seconds()
        super().__init__(f"{self.code.name}: {self.message}")


def connect(target: str, token: str | None = None,
            root_certificates: bytes | None = None, tls: bool = False) -> Client:
    """A client of the server at "host:port" or "unix:/path". Never fails: the
    first call does, where there is no server.
    token              sent as a bearer token; needs TLS or a Unix socket, because
                       everybody on the way could read it: ValueError
    root_certificates  PEM; whom to trust. Implies tls
    tls                with the system's certificates"""
    if tls or root_certificates is not None:
        credentials = grpc.ssl_channel_credentials(root_certificates)
    elif token is None:
        return Client(grpc.insecure_channel(target, _CHANNEL_OPTIONS))
    elif target.startswith(("unix:", "unix-abstract:")):
        credentials = grpc.local_channel_credentials(grpc.LocalConnectionType.UDS)
    else:
        raise ValueError(f"a token for {target} needs TLS or a Unix socket")
    if token is not None:
        credentials = grpc.composite_channel_credentials(
            credentials, grpc.access_token_call_credentials(token))
    return Client(grpc.secure_channel(target, credentials, _CHANNEL_OPTIONS))


class Client:
    """Calls block, threads may share a client. Calls are pure: any may be
    repeated. Closed by close() or as a context manager."""

    def __init__(self, channel: grpc.Channel):
        service = "/stridecast.v1.TensorCompute/"
        self._channel = channel
        # No serializers: bytes, as wire.py makes and reads them.
        self._compute = channel.unary_unary(service + "Compute")
        self._stream = channel.stream_stream(service + "ComputeStream")
        self._info = channel.unary_unary(service + "GetServerInfo")

    def relayout(self, array: np.ndarray, order="C", *, dims: str | None = None,
                 dtype=None, overflow: str | None = None, **options) -> np.ndarray:
        """The same elements in another memory order and, if asked, another type
        (overflow: as Value.astype). Dimensions keep their numbers: in
            relayout(x, dims="NHWC", order="NCHW")
        dimension 3 still is C, its memory has whole planes. Who wants dimension 1
        to be C then says .transpose(0, 3, 1, 2), which moves nothing."""
        return self.compute(
            lambda x: x if dtype is None else x.astype(dtype, overflow), array,
            order=order, dims=dims, **options)

    def compute(self, function: Callable, *arrays: np.ndarray,
                order: str | Sequence[int] = "C", dims: str | None = None,
                stream: bool | None = None, timeout: float | None = None):
        """What `function`, as program.py has it, makes of the arrays: an array, or
        a tuple of those if the function returns one. Read-only views (N3).
        order    of the results in memory: "C", "F", the axes from the slowest to
                 the fastest, or the letters of `dims` in that order
        dims     a letter per dimension of the results
        stream   whether in pieces; by default if operands have more than 8 MiB
        timeout  in seconds; by default 60, of streams none"""
        arrays = [np.asarray(array) for array in arrays]
        described = [tensors.describe(array) for array in arrays]
        program = Program([desc for desc, _ in described], arrays)
        wanted = function(*program.inputs)
        is_tuple = isinstance(wanted, tuple)
        for item in wanted if is_tuple else (wanted,):
            value = program.value(item, np.dtype(float))
            result = program.spec.results.add(value=value.number)
            result.layout.minor_to_major.extend(
                tensors.minor_to_major(order, value.ndim, dims))
        operands = [data for _, data in described]
        results = self._run(program.spec, operands, stream, timeout)
        return tuple(results) if is_tuple else results[0]

    def info(self, timeout: float = 60) -> service_pb2.GetServerInfoResponse:
        """Version, limits and operations of the server."""
        try:
            return service_pb2.GetServerInfoResponse.FromString(
                self._info(b"", timeout=timeout))
        except grpc.RpcError as error:
            raise StridecastError(error) from None

    def close(self) -> None:
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _run(self, spec, operands, in_pieces, timeout) -> list[np.ndarray]:
        if in_pieces is None:
            in_pieces = sum(data.nbytes for data in operands) > _UNARY_BYTES
        try:
            if in_pieces:
                return stream.run(self._stream, spec, operands, timeout=timeout)
            request = wire.compute_request(spec, operands)
            # Where there is no room the server says so before they are sent.
            metadata = [("stridecast-request-bytes", str(len(request)))]
            reply = self._compute(request, timeout=60 if timeout is None else timeout,
                                  metadata=metadata)
        except grpc.RpcError as error:
            raise StridecastError(error) from None
        return [tensors.view(desc, data) for desc, data in wire.compute_response(reply)]
