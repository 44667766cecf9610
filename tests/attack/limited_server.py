# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""A server on one CPU, with a limit of memory."""

import collections
import contextlib
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time


PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Also where that ends without ending this."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class ControlGroup:
    """With a limit of memory, of either version; gone at the end."""

    flags: list[str] = []  # of the server

    def __init__(self, limit_bytes: int):
        root = pathlib.Path("/sys/fs/cgroup")
        is_v2 = (root / "cgroup.controllers").exists()
        if not is_v2:
            root /= "memory"
        limits = (("memory.max", limit_bytes), ("memory.swap.max", 0)) if (
            is_v2) else (("memory.limit_in_bytes", limit_bytes),
                         ("memory.memsw.limit_in_bytes", limit_bytes))
        self._usage = "memory.current" if is_v2 else "memory.usage_in_bytes"
        self.path = root / f"stridecast-attack-{os.getpid()}"
        self.path.mkdir()
        for name, value in limits:
            if (self.path / name).exists():
                (self.path / name).write_text(str(value))

    def enter(self) -> None:
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def usage_bytes(self) -> int:
        return int((self.path / self._usage).read_text())

    def remove(self) -> None:
        for _ in range(100):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.05)
        print(f"{self.path} is left", file=sys.stderr)


class NoGroup:
    """Where there are none: the server is told the limit, and not held to it."""

    def __init__(self, limit_bytes: int):
        self.flags = [f"--max-memory-bytes={limit_bytes // 4 * 3}",
                      f"--max-inflight-bytes={limit_bytes // 8 * 3}"]

    def enter(self) -> None:
        pass

    def usage_bytes(self) -> int:
        return 0

    def remove(self) -> None:
        pass


class Server:
    """On one CPU. Its log is read and its end is kept."""

    def __init__(self, program: str, flags: list[str],
                 group: ControlGroup | NoGroup, cpu: int):
        def enter() -> None:
            end_with_parent()
            group.enter()
            os.sched_setaffinity(0, {cpu})

        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("STRIDECAST_")}
        self._process = subprocess.Popen(
            [program, *group.flags, *flags], stderr=subprocess.PIPE, env=environment,
            preexec_fn=enter)
        self._group = group
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self.log: collections.deque[bytes] = collections.deque(maxlen=20)
        self.peak_bytes = self.peak_resident_bytes = 0
        self.tcp = ""
        for line in self._process.stderr:
            self.log.append(line)
            if b" serves " in line:
                self.tcp = line.split(b" serves ")[1].split(b",")[0].split(
                    b";")[0].decode()
                break

    def read_log(self) -> None:
        """From now on; nothing may be forked any more."""
        self._reader.start()

    def _read_log(self) -> None:
        for line in self._process.stderr:
            self.log.append(line)

    def look(self) -> None:
        with contextlib.suppress(OSError, IndexError, ValueError):
            status = pathlib.Path(f"/proc/{self._process.pid}/status")
            words = status.read_text().split("VmHWM:")[1].split()
            self.peak_resident_bytes = max(self.peak_resident_bytes,
                                           int(words[0]) << 10)
        self.peak_bytes = max(self.peak_bytes, self._group.usage_bytes() or
                              self.peak_resident_bytes)

    def exit_code(self) -> int | None:
        return self._process.poll()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        if self._reader.ident:
            self._reader.join()
        self._process.stderr.close()
