# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""Who calls a server that is attacked: attackers, a caller of small calls, and
streams at rest.
"""

import collections
import contextlib
import select
import time
from collections.abc import Callable

import http2
from cases import (CHECK, COMPUTE, STREAM, Case, chunk, compute, doubled,
                   floats, number, text)
from http2 import Address, Call, Connection, Stream, with_prefix

TICK_SECONDS = 0.05
# What a caller gives a call, and streams at rest have for their ends.
PATIENCE_SECONDS = 10
REOPENED_AT_A_TIME = 16


class Attacker:
    """So many connections of a case."""

    def __init__(self, attack: Case, address: Address, num_connections: int):
        self._attack, self._address = attack, address
        self._num_connections = num_connections
        self._poll = select.epoll()
        self._open: dict[int, Connection] = {}
        self._waits: dict[int, int] = {}  # for what, in epoll's words
        self._seen: collections.Counter[str] = collections.Counter()

    def run(self, begin: float, end: float) -> dict[str, int]:
        time.sleep(max(0, begin - time.monotonic()))
        next_tick = 0.0
        while (now := time.monotonic()) < end:
            if now >= next_tick:
                next_tick = now + TICK_SECONDS
                self._tick()
            for fd, events in self._poll.poll(TICK_SECONDS):
                self._guarded(fd, lambda c: self._serve(c, events))
        for connection in self._open.values():
            self._seen["bytes"] += connection.sent_bytes
        return self._seen

    def _tick(self) -> None:
        missing = self._num_connections - len(self._open)
        at_a_time = REOPENED_AT_A_TIME if self._seen["opened"] else missing
        for _ in range(min(missing, at_a_time)):
            if not self._begin():
                break
        if not self._attack.reads and not self._attack.flood:
            for fd in list(self._open):
                self._guarded(fd, self._again)

    def _begin(self) -> bool:
        try:
            connection = Connection(self._address, self._attack.reads)
        except OSError:
            self._seen["not opened"] += 1
            return False
        self._seen["opened"] += 1
        fd = connection.socket.fileno()
        self._open[fd] = connection
        self._waits[fd] = 0
        self._poll.register(fd, 0)
        for call, count in self._attack.calls:
            self._start(connection, call, count)
        self._seen["begun"] += self._attack.flood is not None
        self._guarded(fd, self._advance)
        return True

    def _start(self, connection: Connection, call: Call, count: int) -> None:
        for _ in range(count):
            connection.start(call)
        self._seen["begun"] += count

    def _guarded(self, fd: int, act: Callable[[Connection], None]) -> None:
        connection = self._open[fd]
        try:
            act(connection)
        except OSError:
            self._seen["lost"] += 1
            self._seen["bytes"] += connection.sent_bytes
            self._poll.unregister(fd)
            del self._open[fd]
            connection.close()

    def _again(self, connection: Connection) -> None:
        # Tells of a connection that its peer has closed; else without effect.
        if not connection.out:
            connection.out += http2.frame(http2.UNKNOWN, 0, 0)
            if self._attack.again:
                self._start(connection, *self._attack.again)
        self._advance(connection)

    def _serve(self, connection: Connection, events: int) -> None:
        if events & (select.EPOLLERR | select.EPOLLHUP):
            raise ConnectionError("closed")
        if events & select.EPOLLIN:
            for stream in connection.receive():
                self._seen[f"ended {stream.status}"] += 1
                self._start(connection, stream.call, 1)
        self._advance(connection)

    def _advance(self, connection: Connection) -> None:
        has_more = connection.fill()
        if self._attack.flood:
            has_more = True
            while len(connection.out) < http2.OUT_BYTES:
                piece = self._attack.flood(connection.num_floods)
                connection.out += piece
                connection.num_floods += 1
                connection.sent_bytes += len(piece)
        has_room = connection.send()
        waits = select.EPOLLIN if self._attack.reads else 0
        if has_more or not has_room:
            waits |= select.EPOLLOUT
        fd = connection.socket.fileno()
        if waits != self._waits[fd]:
            self._waits[fd] = waits
            self._poll.modify(fd, waits)


def probe(address: Address, end: float) -> dict[str, list]:
    """Calls in turns, one at a time."""
    numbers = [float(i) for i in range(256)]
    request = compute(doubled(256), floats(*numbers))
    wanted = floats(*(2 * x for x in numbers))
    timeout = f"{PATIENCE_SECONDS}S"
    calls = (
        (Call(CHECK, with_prefix(b""), ends=True, timeout=timeout),
         with_prefix(number(1, 1))),
        (Call(COMPUTE, with_prefix(request), ends=True, timeout=timeout,
              stated_bytes=len(request)), wanted))
    milliseconds: list[float] = []
    failures: list[str] = []
    connection = None
    turn = 0
    while time.monotonic() < end:
        call, reply = calls[turn % len(calls)]
        turn += 1
        begin = time.monotonic()
        try:
            while True:
                if connection is None or connection.is_leaving:
                    connection = Connection(address, blocks=True,
                                            patience=2 * PATIENCE_SECONDS)
                stream = connection.call(call)
                if stream.status != http2.REFUSED:
                    break
            if stream.status != 0:
                failures.append(f"{call.path}: status {stream.status}")
            elif not stream.reply.endswith(reply):
                failures.append(f"{call.path}: a wrong reply")
        except OSError as error:
            failures.append(f"{call.path}: {error}")
            connection = None
            time.sleep(TICK_SECONDS)
        milliseconds.append(1000 * (time.monotonic() - begin))
    return {"milliseconds": milliseconds, "failures": failures}


class AtRest:
    """Streams x + x of two numbers, of which one is sent."""

    def __init__(self, address: Address, count: int):
        self._connection = Connection(address, blocks=True,
                                      patience=PATIENCE_SECONDS)
        head = with_prefix(text(1, doubled(2))) + with_prefix(
            chunk(0, floats(3.5)))
        call = Call(STREAM, head, timeout="600S")
        self._streams = [self._connection.start(call) for _ in range(count)]
        self._exchange(lambda: all(s.reply for s in self._streams))

    def _exchange(self, is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not is_done() and time.monotonic() < end:
            self._connection.fill()
            self._connection.send()
            if not is_done():
                self._connection.receive()

    def look(self) -> None:
        """Answers what the server asks."""
        with contextlib.suppress(OSError):
            if select.select([self._connection.socket], [], [], 0)[0]:
                self._connection.receive()
                self._connection.send()

    def finish(self) -> collections.Counter[str]:
        """How those ended that did not end well."""
        last = with_prefix(chunk(4, floats(-8)))
        with contextlib.suppress(OSError):
            for stream in self._streams:
                self._connection.send_data(stream, last, ends=True)
            self._exchange(lambda: not self._connection.streams)
        self._connection.close()
        return collections.Counter(
            self._ending(s) for s in self._streams if self._ending(s) != "well")

    def _ending(self, stream: Stream) -> str:
        if stream.status is None:
            return "lost"
        if stream.status != 0:
            return f"status {stream.status}"
        is_right = floats(7, -16) in stream.reply or (
            floats(7) in stream.reply and floats(-16) in stream.reply)
        return "well" if is_right else "a wrong reply"
