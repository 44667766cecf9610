# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""ComputeStream: tensors of any size, in pieces, computed while they arrive.

The server stops computing while nobody takes its results, so both directions run
at a time: gRPC draws pieces from `Upload.messages` on a thread of its own while
the caller's thread takes results. Which operand is next is the plan's to say:
  (S1) nothing is sent before the plan is there
  (S2) HELD operands first, whole
  (S3) then of each STREAMED one the same share of [stream_begin, stream_end), so
       that none runs more than stream_window_bytes ahead
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

import numpy as np

from . import tensors, wire
from .stubs import program_pb2, service_pb2

_CHUNK_BYTES = 1 << 20


class Upload:
    """What is sent; `start` or `stop` is called once, by another thread."""

    def __init__(self, spec: program_pb2.ComputeSpec, operands: Sequence[np.ndarray]):
        self._spec, self._operands = spec, operands
        self._sent = [0] * len(operands)
        self._plan: service_pb2.Plan | None = None
        self._is_settled = threading.Event()

    def start(self, plan: service_pb2.Plan) -> None:
        self._plan = plan
        self._is_settled.set()

    def stop(self) -> None:
        """The call has ended; without effect after `start`."""
        self._is_settled.set()

    def messages(self) -> Iterator[bytes]:
        yield wire.stream_begin(self._spec)
        self._is_settled.wait()
        if self._plan is None:
            return
        chunk = min(self._plan.max_chunk_bytes, _CHUNK_BYTES)
        while (index := self._next()) is not None:
            offset = self._sent[index]
            data = self._operands[index][offset:offset + chunk]
            self._sent[index] += data.nbytes
            yield wire.stream_operand(index, offset, data)

    def _next(self) -> int | None:
        waiting = [index for index, operand in enumerate(self._operands)
                   if self._sent[index] < operand.nbytes]
        return min(waiting, key=self._progress, default=None)

    def _progress(self, index: int) -> float:
        plan = self._plan.operands[index]
        if plan.streaming == service_pb2.TensorPlan.HELD:
            return -1
        if self._sent[index] >= plan.stream_end:
            return 1
        return (max(0, self._sent[index] - plan.stream_begin) /
                (plan.stream_end - plan.stream_begin))


def run(method, spec: program_pb2.ComputeSpec, operands: Sequence[np.ndarray],
        **options) -> list[np.ndarray]:
    """Calls `method`, a stream_stream multi-callable without serializers.
    Errors are gRPC's."""
    upload = Upload(spec, operands)
    call = method(upload.messages(), **options)
    call.add_callback(upload.stop)
    plan, buffers, received = None, [], []
    try:
        for message in call:
            event = wire.stream_event(message)
            if isinstance(event, service_pb2.Plan):
                plan = event
                buffers = [np.empty(result.size_bytes, np.uint8) for result in plan.results]
                received = [0] * len(buffers)
                upload.start(plan)
                continue
            index, offset, data = event
            if offset != received[index]:
                raise ValueError(f"result {index}: bytes {offset} after {received[index]}")
            received[index] += len(data)
            buffers[index][offset:received[index]] = data
    finally:
        call.cancel()  # without effect on a call that has ended
    if plan is None or any(r != b.nbytes for r, b in zip(received, buffers)):
        raise ValueError(f"a stream that ended with {received} bytes of its results")
    return [tensors.view(result.desc, buffer)
            for result, buffer in zip(plan.results, buffers)]
