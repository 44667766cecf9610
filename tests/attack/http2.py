# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""HTTP/2 as gRPC uses it, for callers that no gRPC library would be: calls that
begin and do not end, and connections that are not read. Windows are obeyed, for
a server ends who does not.
"""

import collections
import contextlib
import dataclasses
import functools
import re
import socket
import ssl
import struct

# RFC 9113, sections 6 and 11.
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
WINDOW_UPDATE, CONTINUATION, UNKNOWN = 8, 9, 0xFF
CANCEL = struct.pack(">I", 8)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MAX_WINDOW = 2**31 - 1
FRAME_BYTES = 16384  # the most that every server takes
FRAME_HEADER_BYTES = 9
# What is made ready to be sent at a time, and of one call in its turn.
OUT_BYTES = 128 << 10
TURN_FRAMES = 1024

# In place of grpc-status; REFUSED: the server has not seen the call, and a
# stock client repeats it.
RESET, REFUSED = -1, -2


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">IBI", len(payload) << 8 | kind, flags,
                       stream) + payload


def header(name: str, value: str) -> bytes:
    """Literal and never indexed, without Huffman (RFC 7541, 6.2.3)."""
    return b"\x10" + _string(name.encode()) + _string(value.encode())


def _string(text: bytes) -> bytes:
    """RFC 7541, 5.2; its length is an integer of 5.1 with a prefix of 7 bits."""
    if len(text) < 127:
        return bytes([len(text)]) + text
    length, rest = b"\x7f", len(text) - 127
    while rest > 127:
        length += bytes([rest & 127 | 128])
        rest >>= 7
    return length + bytes([rest]) + text


def with_prefix(message: bytes, size: int | None = None) -> bytes:
    """As gRPC sends it, or the begin of a message of `size` bytes."""
    size = len(message) if size is None else size
    return struct.pack(">BI", 0, size) + message


def status_of(block: bytes) -> int | None:
    """Of headers that use no dynamic table."""
    found = re.search(rb"grpc-status[\x01\x02](\d{1,2})", block)
    return int(found[1]) if found else None


@dataclasses.dataclass(frozen=True)
class Call:
    """What is sent: `head`, then `unit` so many times. Unless it `ends` after
    the head it is never half-closed."""

    path: str
    head: bytes = b""
    num_units: int = 0
    unit: bytes = b"\0"
    units_of_frame: int = FRAME_BYTES
    ends: bool = False
    stated_bytes: int | None = None
    timeout: str = ""
    metadata: tuple[tuple[str, str], ...] = ()

    @functools.cached_property
    def fields(self) -> bytes:
        fields = [(":method", "POST"), (":scheme", "http"),
                  (":path", self.path), (":authority", "localhost"),
                  ("content-type", "application/grpc"), ("te", "trailers")]
        if self.timeout:
            fields.append(("grpc-timeout", self.timeout))
        if self.stated_bytes is not None:
            fields.append(("stridecast-request-bytes", str(self.stated_bytes)))
        fields += self.metadata
        return b"".join(header(*field) for field in fields)


class Stream:
    """One call on its way."""

    __slots__ = ("call", "id", "window", "head", "units_left", "is_queued",
                 "reply", "status")

    def __init__(self, call: Call, number: int, window: int):
        self.call, self.id, self.window = call, number, window
        self.head = call.head
        self.units_left = call.num_units
        self.is_queued = False
        self.reply = b""
        self.status: int | None = None  # grpc-status, RESET, REFUSED


@dataclasses.dataclass(frozen=True)
class Address:
    target: str  # host:port or unix:/path
    authority: str = ""  # file of who signed the server's certificate: TLS


class Connection:
    """One connection. Blocking: call(). Else receive(), fill() and send() as
    the socket is ready. OSError: it is lost."""

    def __init__(self, address: Address, reads: bool = True,
                 blocks: bool = False, patience: float = 2):
        self.reads = reads
        self._blocks = blocks
        self.sent_bytes = 0  # of DATA, and of what floods it
        self.is_leaving = False  # told to; calls that were seen go on
        self.num_floods = 0
        self.out = bytearray()
        self._in = bytearray()
        self.streams: dict[int, Stream] = {}
        self._ready: collections.deque[Stream] = collections.deque()
        self._next_id = 1
        self._window = self._initial_window = 65535
        self.socket = self._connect(address, patience)
        settings = struct.pack(">HIHI", HEADER_TABLE_SIZE, 0,
                               INITIAL_WINDOW_SIZE, MAX_WINDOW)
        # Nothing is ever given back: no reply reaches the end of this.
        self.out += (PREFACE + frame(SETTINGS, 0, 0, settings) + frame(
            WINDOW_UPDATE, 0, 0, struct.pack(">I", MAX_WINDOW - 65535)))

    def _connect(self, address: Address, patience: float) -> socket.socket:
        is_unix = address.target.startswith("unix:")
        result = socket.socket(socket.AF_UNIX if is_unix else socket.AF_INET)
        try:
            if not self.reads:
                result.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            result.settimeout(patience)
            if is_unix:
                result.connect(address.target.removeprefix("unix:"))
            else:
                host, port = address.target.rsplit(":", 1)
                result.connect((host, int(port)))
                result.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if not self._blocks:
                result.setblocking(False)
            if address.authority:
                context = ssl.create_default_context(cafile=address.authority)
                context.set_alpn_protocols(["h2"])
                result = context.wrap_socket(
                    result, server_hostname="127.0.0.1",
                    do_handshake_on_connect=self._blocks)
        except OSError:
            result.close()
            raise
        return result

    def start(self, call: Call) -> Stream:
        stream = Stream(call, self._next_id, self._initial_window)
        self._next_id += 2
        ends = call.ends and not call.head
        self.out += frame(HEADERS, END_HEADERS | (END_STREAM if ends else 0),
                          stream.id, call.fields)
        if self.reads or not ends:
            self.streams[stream.id] = stream
        self._queue(stream)
        return stream

    def _queue(self, stream: Stream) -> None:
        if not stream.is_queued and (stream.head or stream.units_left > 0):
            stream.is_queued = True
            self._ready.append(stream)

    def send_data(self, stream: Stream, data: bytes, ends: bool) -> None:
        """One frame, for which the windows have room."""
        self.out += frame(DATA, END_STREAM if ends else 0, stream.id, data)
        self._spend(stream, len(data))

    def _spend(self, stream: Stream, count: int) -> None:
        stream.window -= count
        self._window -= count
        self.sent_bytes += count

    def fill(self) -> bool:
        """Makes ready what the windows allow; whether there is yet more."""
        while self._ready and len(self.out) < OUT_BYTES:
            stream = self._ready[0]
            unit = stream.call.unit
            least = 1 if stream.head else len(unit)
            if self._window < least:
                return False
            self._ready.popleft()
            stream.is_queued = False
            if stream.window < least:
                continue
            room = min(self._window, stream.window)
            if stream.head:
                piece = stream.head[:min(room, FRAME_BYTES)]
                stream.head = stream.head[len(piece):]
                self.send_data(stream, piece,
                                stream.call.ends and not stream.head)
            elif stream.call.units_of_frame == 1:
                count = min(room // len(unit), stream.units_left, TURN_FRAMES)
                self.out += frame(DATA, 0, stream.id, unit) * count
                self._spend(stream, count * len(unit))
                stream.units_left -= count
            else:
                count = min(room // len(unit), stream.units_left,
                            stream.call.units_of_frame)
                self.send_data(stream, unit * count, ends=False)
                stream.units_left -= count
            self._queue(stream)
        return bool(self._ready)

    def send(self) -> bool:
        """Whether the socket has room for more."""
        try:
            while self.out:
                del self.out[:self.socket.send(self.out)]
        except (BlockingIOError, ssl.SSLWantWriteError):
            return False
        except ssl.SSLWantReadError:
            pass  # Its handshake: comes back with what is received.
        return True

    def receive(self) -> list[Stream]:
        """Takes what has come; those that have ended."""
        ended: list[Stream] = []
        try:
            while True:
                data = self.socket.recv(65536)
                if not data:
                    raise ConnectionError("closed")
                self._in += data
                ended += self._take_frames()
                if self._blocks:
                    return ended
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return ended

    def _take_frames(self) -> list[Stream]:
        ended = []
        at = 0
        while len(self._in) - at >= FRAME_HEADER_BYTES:
            word, flags, number = struct.unpack_from(">IBI", self._in, at)
            end = at + FRAME_HEADER_BYTES + (word >> 8)
            if len(self._in) < end:
                break
            payload = bytes(self._in[at + FRAME_HEADER_BYTES:end])
            at = end
            if self._take(word & 0xFF, flags, number & MAX_WINDOW, payload):
                ended.append(self.streams.pop(number & MAX_WINDOW))
        del self._in[:at]
        return ended

    def _take(self, kind: int, flags: int, number: int, payload: bytes) -> bool:
        """Whether it ends its stream."""
        stream = self.streams.get(number)
        if kind == SETTINGS and not flags & ACK:
            self._take_settings(payload)
            self.out += frame(SETTINGS, ACK, 0)
        elif kind == PING and not flags & ACK:
            self.out += frame(PING, ACK, 0, payload)
        elif kind == GOAWAY:
            self._leave(struct.unpack_from(">I", payload)[0])
        elif kind == WINDOW_UPDATE:
            count = struct.unpack(">I", payload)[0]
            if number == 0:
                self._window += count
            elif stream:
                stream.window += count
                self._queue(stream)
        elif stream and kind == RST_STREAM:
            stream.status = RESET
        elif stream and kind == HEADERS:
            stream.status = status_of(payload)
        elif stream and kind == DATA:
            stream.reply += payload
        if not stream or kind not in (DATA, HEADERS, RST_STREAM):
            return False
        if kind != RST_STREAM and not flags & END_STREAM:
            return False
        if stream.is_queued:
            self._ready.remove(stream)
        return True

    def _leave(self, last_id: int) -> None:
        if not self._blocks:
            raise ConnectionError("told to leave")
        self.is_leaving = True
        for number in [n for n in self.streams if n > last_id]:
            self.streams.pop(number).status = REFUSED

    def _take_settings(self, payload: bytes) -> None:
        for key, value in struct.iter_unpack(">HI", payload):
            if key != INITIAL_WINDOW_SIZE:
                continue
            for stream in self.streams.values():
                stream.window += value - self._initial_window
                self._queue(stream)
            self._initial_window = value

    def call(self, call: Call) -> Stream:
        """Blocking, alone on its connection: waits for the end."""
        stream = self.start(call)
        while stream.id in self.streams:
            with contextlib.suppress(OSError):  # what was said before is read
                self.fill()
                self.send()
            self.receive()
        return stream

    def close(self) -> None:
        self.socket.close()
