# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The attacks, a row each, and the messages that they and others send."""

import dataclasses
import struct
import sys
from collections.abc import Callable

import http2
from http2 import Call, with_prefix

MB = 1000 * 1000

COMPUTE = "/stridecast.v1.TensorCompute/Compute"
STREAM = "/stridecast.v1.TensorCompute/ComputeStream"
CHECK = "/grpc.health.v1.Health/Check"
WATCH = "/grpc.health.v1.Health/Watch"
ABSENT = "/stridecast.v1.TensorCompute/Absent"
INFO_PATH = "/stridecast.v1.TensorCompute/GetServerInfo"


# The messages, field by field.


def varint(value: int) -> bytes:
    more = b""
    while value > 127:
        more += bytes([value & 127 | 128])
        value >>= 7
    return more + bytes([value])


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def text(field: int, value: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(value)) + value


def doubled(count: int) -> bytes:
    """ComputeSpec of x + x, of `count` f32."""
    operand = number(1, 11) + text(2, varint(count))
    return (text(1, operand) + text(2, number(1, 1) + text(2, b"\0\0")) +
            text(3, b""))


def iota(count: int) -> bytes:
    """ComputeSpec of 0, 1, 2, ...: a result of any size without operands."""
    shape = text(1, varint(count))
    return (text(2, number(1, 207) + text(21, number(1, 11) + text(2, shape))) +
            text(3, b""))


def floats(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def compute(spec: bytes, *payloads: bytes) -> bytes:
    return text(1, spec) + b"".join(text(15, text(1, p)) for p in payloads)


def chunk(offset: int, data: bytes) -> bytes:
    return text(2, (number(2, offset) if offset else b"") + text(15, data))


# What attackers send.


def message(path: str, size: int, **more) -> Call:
    """All of a message of `size` bytes but the last."""
    return Call(path, with_prefix(b"", size), size - 1, **more)


def stated(path: str, size: int, **more) -> Call:
    return message(path, size, stated_bytes=100, timeout="60S", **more)


def followed(path: str, request: bytes, size: int = sys.maxsize,
             **more) -> Call:
    """A whole request, and then more."""
    return Call(path, with_prefix(request), size, **more)


def asking(size: int) -> Call:
    """For a result of `size` bytes."""
    return Call(COMPUTE, with_prefix(compute(iota(size // 4))), ends=True)


EMPTY_CHUNK = with_prefix(text(2, b""))
CHUNKS = Call(STREAM, with_prefix(text(1, doubled(1 << 20))), sys.maxsize,
              EMPTY_CHUNK, http2.FRAME_BYTES // len(EMPTY_CHUNK))
SMALL_CHECK = Call(CHECK, with_prefix(b""), ends=True)
SMALL_COMPUTE = compute(doubled(2), floats(1, 2))
NOT_THERE = Call(ABSENT, ends=True)
INFO = Call(INFO_PATH, with_prefix(b""), ends=True)


# Frames without end that are no calls, piece by piece.


def endless_headers(number: int) -> bytes:
    if number == 0:
        return http2.frame(http2.HEADERS, 0, 1, NOT_THERE.fields)
    fields = http2.header("x-attack", "y" * 120) * 120
    return http2.frame(http2.CONTINUATION, 0, 1, fields)


def resets(number: int) -> bytes:
    """Calls that are taken back at once (CVE-2023-44487)."""
    first = number * 100 + 1
    return b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS, stream,
                    SMALL_CHECK.fields) +
        http2.frame(http2.RST_STREAM, 0, stream, http2.CANCEL)
        for stream in range(first, first + 100, 2))


def acknowledged(kind: int, payload: bytes) -> Callable[[int], bytes]:
    """What has to be answered, each time."""
    frames = http2.frame(kind, 0, 0, payload) * 500
    return lambda number: frames


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    what: str
    limit_mib: int
    num_connections: int
    calls: tuple[tuple[Call, int], ...]  # of each, and how many at a time
    on: str = "tcp"  # or "tls", "unix": where the attackers come from,
    beside: str = ""  # and the others; "": as they
    num_at_rest: int = 100
    reads: bool = True
    flags: tuple[str, ...] = ()  # of the server
    # Of who does not read, and so cannot know of ends: again at each tick.
    again: tuple[Call, int] | None = None
    flood: Callable[[int], bytes] | None = None


def case(name: str, what: str, limit_mib: int, num_connections: int,
         *calls: tuple[Call, int], **more) -> Case:
    return Case(name, what, limit_mib, num_connections, calls, **more)


BYTEWISE = {"units_of_frame": 1}
# More than have room with all their calls.
MANY_CONNECTIONS = ("--max-connections=1000",)
WATCH_MORE = followed(WATCH, b"", 1500, **BYTEWISE)
CASES = (
    case("message-stated", "4 x 32 of 10 MB, stating 100 bytes", 512, 4,
         (stated(COMPUTE, 10 * MB), 32)),
    case("message-unstated", "4 x 32 of 10 MB, stating nothing", 512, 4,
         (message(COMPUTE, 10 * MB), 32)),
    case("message-compute", "16 x 128 of 30 MB, stating 100 bytes", 512, 16,
         (stated(COMPUTE, 30 * MB), 128)),
    case("message-stream", "16 x 128 of 30 MB to ComputeStream", 512, 16,
         (stated(STREAM, 30 * MB), 128)),
    case("message-check-50", "50 x 16 of 10 MB to Check", 512, 50,
         (message(CHECK, 10 * MB), 16)),
    case("message-check-16", "16 x 32 of 10 MB to Check", 512, 16,
         (message(CHECK, 10 * MB), 32)),
    case("message-1024", "16 x 128 of 60 MB", 1024, 16,
         (stated(COMPUTE, 60 * MB), 128)),
    case("message-256", "8 x 64 of 10 MB", 256, 8,
         (stated(COMPUTE, 10 * MB), 64)),
    case("message-128", "8 x 64 of 10 MB", 128, 8,
         (stated(COMPUTE, 10 * MB), 64)),
    case("message-32x128", "32 x 128 of 30 MB", 128, 32,
         (stated(COMPUTE, 30 * MB), 128)),
    case("message-bytes", "4 x 1 of 60 MB in frames of one byte", 512, 4,
         (stated(COMPUTE, 60 * MB, **BYTEWISE), 1)),
    case("message-tls", "4 x 32 of 10 MB over TLS", 256, 4,
         (stated(COMPUTE, 10 * MB), 32), on="tls"),
    case("message-unix", "4 x 32 of 10 MB over a Unix socket", 256, 4,
         (stated(COMPUTE, 10 * MB), 32), on="unix"),
    case("message-beside-unix", "4 x 32 of 10 MB over TCP, others over a Unix "
         "socket", 256, 4, (stated(COMPUTE, 10 * MB), 32), beside="unix"),
    case("more-watch-bytes", "4 x 60 watches that send more, in frames of one "
         "byte", 512, 4, (followed(WATCH, b"", **BYTEWISE), 60)),
    case("more-watch", "16 x 125 watches that send more", 128, 16,
         (followed(WATCH, b""), 125)),
    case("more-watch-900", "900 x 1 watch, 1.5 KB more in frames of one byte",
         128, 900, (WATCH_MORE, 1), flags=MANY_CONNECTIONS),
    case("more-watch-900-tls", "900 x 1 watch, 1.5 KB more in frames of one "
         "byte, over TLS", 256, 900, (WATCH_MORE, 1), on="tls",
         flags=MANY_CONNECTIONS),
    case("more-compute", "3 x 128 calls that send more", 512, 3,
         (followed(COMPUTE, SMALL_COMPUTE), 128)),
    case("more-watch-unix", "2 x 128 watches that send more, over a Unix "
         "socket", 512, 2, (followed(WATCH, b""), 128), on="unix"),
    case("unread-300", "300 x 1 of 3.5 MB that do not read, and call what is "
         "not there", 512, 300, (asking(3500 * 1000), 1), reads=False,
         again=(NOT_THERE, 4)),
    case("unread-60", "60 x 1 of 3.5 MB that do not read, and call what is not "
         "there", 128, 60, (asking(3500 * 1000), 1), reads=False,
         again=(NOT_THERE, 20)),
    case("unread-64k", "32 x 128 of 64 KiB that do not read, and ask for more",
         128, 32, (asking(1 << 16), 128), reads=False,
         again=(asking(1 << 16), 8)),
    case("unread-absent", "60 that call what is not there and do not read", 128,
         60, (NOT_THERE, 1), reads=False, again=(NOT_THERE, 100)),
    case("chunks", "2 x empty chunks beside 8 of 10 MB", 256, 2, (CHUNKS, 1),
         (stated(COMPUTE, 10 * MB), 8)),
    case("hide", "2 x small Checks beside 16 of 10 MB", 128, 2,
         (SMALL_CHECK, 16), (stated(COMPUTE, 10 * MB), 16)),
    case("ghost", "900 x 12 of 6 KB in frames of one byte", 256, 900,
         (stated(COMPUTE, 6000, **BYTEWISE), 12), flags=MANY_CONNECTIONS),
    case("headers-1", "1 x headers without end", 256, 1, flood=endless_headers,
         reads=False),
    case("headers-8", "8 x headers without end", 512, 8, flood=endless_headers,
         reads=False),
    case("reset-1", "1 x calls that are reset at once", 512, 1, flood=resets),
    case("reset-8", "8 x calls that are reset at once", 512, 8, flood=resets),
    case("ping", "8 x pings without end", 256, 8,
         flood=acknowledged(http2.PING, b"12345678")),
    case("settings", "8 x settings without end", 256, 8,
         flood=acknowledged(http2.SETTINGS, b"\0\4\0\0\xff\xff")),
    case("unread-info", "16 x 128 calls of GetServerInfo that do not read, and "
         "call again", 512, 16, (INFO, 128), reads=False, again=(INFO, 400)),
)
