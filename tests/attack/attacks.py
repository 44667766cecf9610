#!/usr/bin/env python3
# Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
"""The server's memory and its other callers while somebody attacks it.

  tests/attack/attacks.py SERVER [--only TEXT,TEXT] [--seconds S] [--repeat N]
      [--json FILE] [--list] [--verbose] [--without-group]
      [-- FLAG_OF_SERVER ...]

Each case is a server of its own, in a control group with so much memory on one
CPU; attackers, a caller and streams at rest are on the others. One row of a
table a case. Exits with 1 where the server died or had as much as the limit,
where a stream at rest of others ended, or where nothing was measured. Needs
root, but for --without-group.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable

from callers import AtRest, Attacker, probe
from cases import CASES, Case
from http2 import Address
from limited_server import ControlGroup, NoGroup, Server, end_with_parent

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
NUM_ATTACKERS = 2  # processes
SAMPLE_SECONDS = 0.01
START_SECONDS = 0.3  # of calls before the attack


class Child:
    """A process that does one thing and says how it went."""

    def __init__(self, work: Callable[[], object]):
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            # Whatever happens, what the parent has to clean up is not its own.
            try:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                end_with_parent()
                os.close(self._read)
                with os.fdopen(write, "w") as pipe:
                    json.dump(work(), pipe)
            except Exception:
                traceback.print_exc()
            finally:
                os._exit(0)
        os.close(write)

    def result(self) -> dict:
        with os.fdopen(self._read) as pipe:
            answer = pipe.read()
        os.waitpid(self.pid, 0)
        self.pid = 0
        return json.loads(answer) if answer else sys.exit("a process failed")

    def kill(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


@dataclasses.dataclass
class Outcome:
    name: str
    limit_bytes: int
    peak_bytes: int = 0  # of the group
    peak_resident_bytes: int = 0  # with shared libraries, which others pay for
    exit_code: int | None = None  # of the server; None: it lives
    num_calls: int = 0
    failures: list[str] = dataclasses.field(default_factory=list)
    p50_ms: float = math.nan
    p99_ms: float = math.nan
    most_ms: float = math.nan
    num_at_rest: int = 0
    ended_at_rest: dict[str, int] = dataclasses.field(default_factory=dict)
    attackers: dict[str, int] = dataclasses.field(default_factory=dict)

    def faults(self) -> list[str]:
        faults = []
        if self.exit_code is not None:
            faults.append(f"the server died ({self.exit_code})")
        if self.peak_bytes >= self.limit_bytes:
            faults.append("as much memory as the limit")
        if self.ended_at_rest:
            faults.append("streams at rest ended")
        if len(self.failures) == self.num_calls:
            faults.append("no call beside it was answered")
        if not self.attackers.get("begun"):
            faults.append("no attack")
        return faults

    def row(self, what: str) -> str:
        peak, resident, limit = (round(n / MIB) for n in (
            self.peak_bytes, self.peak_resident_bytes, self.limit_bytes))
        calls = (f"{len(self.failures) or 'none'} of {self.num_calls}; "
                 f"{self.p50_ms:.1f}, {self.p99_ms:.0f}, {self.most_ms:.0f} ms")
        died = "" if self.exit_code is None else "**died**, "
        ended = sum(self.ended_at_rest.values())
        return (f"| {what} | {died}{peak} of {limit} MiB (resident {resident}) "
                f"| {calls} | {ended or 'none'} of {self.num_at_rest} |")

    def details(self) -> str:
        return "\n".join(
            f"{self.name}: {what} {dict(collections.Counter(counts))}"
            for what, counts in (("attackers", self.attackers),
                                 ("failures", self.failures),
                                 ("at rest", self.ended_at_rest)) if counts)


def quantile(ordered: list[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def run(case: Case, options: argparse.Namespace, cpu: int,
        folder: pathlib.Path) -> Outcome:
    unix = folder / "server.sock"
    flags = [f"--listen=127.0.0.1:0,unix:{unix}",
             "--metrics-listen=127.0.0.1:0"]
    authority = ""
    if case.on == "tls":
        authority = str(folder / "ca.pem")
        flags += [f"--tls-certificate={folder / 'server.pem'}",
                  f"--tls-private-key={folder / 'server.key'}"]
    if options.seconds > 40:  # else streams at rest would be late
        flags.append(f"--stream-idle-seconds={math.ceil(options.seconds) + 20}")
    outcome = Outcome(case.name, case.limit_mib * MIB)
    with contextlib.ExitStack() as last:
        group = (NoGroup if options.without_group else
                 ControlGroup)(outcome.limit_bytes)
        last.callback(group.remove)
        server = Server(options.server, [*flags, *case.flags, *options.flags],
                        group, cpu)
        last.callback(server.stop)
        if not server.tcp:
            sys.exit(b"".join(server.log).decode() + "the server did not start")

        def address(place: str) -> Address:
            return Address(f"unix:{unix}") if place == "unix" else Address(
                server.tcp, authority)

        beside = address(case.beside or case.on)
        at_rest = AtRest(beside, case.num_at_rest)
        begin = time.monotonic() + START_SECONDS
        end = begin + options.seconds
        works = [lambda: probe(beside, end)]
        for i in range(NUM_ATTACKERS):
            count = (case.num_connections + i) // NUM_ATTACKERS
            attacker = Attacker(case, address(case.on), count)
            works.append(lambda it=attacker: it.run(begin, end))
        children = []
        for work in works:
            children.append(Child(work))
            last.callback(children[-1].kill)
        server.read_log()
        while time.monotonic() < end and server.exit_code() is None:
            server.look()
            at_rest.look()
            time.sleep(SAMPLE_SECONDS)
        probed, *attacked = [child.result() for child in children]
        outcome.ended_at_rest = dict(at_rest.finish())
        server.look()
        measure(outcome, server, probed, attacked)
        outcome.num_at_rest = case.num_at_rest
        if outcome.exit_code is not None:
            print(b"".join(server.log).decode(errors="replace"), end="",
                  file=sys.stderr)
    return outcome


def measure(outcome: Outcome, server: Server, probed: dict,
            attacked: list[dict]) -> None:
    outcome.exit_code = server.exit_code()
    outcome.peak_bytes = server.peak_bytes
    outcome.peak_resident_bytes = server.peak_resident_bytes
    ordered = sorted(probed["milliseconds"])
    outcome.num_calls = len(ordered)
    outcome.failures = probed["failures"]
    outcome.p50_ms = quantile(ordered, 0.5)
    outcome.p99_ms = quantile(ordered, 0.99)
    outcome.most_ms = ordered[-1]
    for seen in attacked:
        for name, count in seen.items():
            outcome.attackers[name] = outcome.attackers.get(name, 0) + count


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Attacks a server whose memory is limited.",
        epilog="What follows -- are flags of the server.")
    parser.add_argument("server", help="the program")
    parser.add_argument("--only", default="", metavar="TEXT,TEXT",
                        help="cases whose name or description has one of them")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--without-group", action="store_true",
                        help="the limit is the server's alone")
    parser.add_argument("--verbose", action="store_true",
                        help="what attackers did, and failures")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:end])
    options.flags = words[end + 1:]
    return options


def main() -> int:
    options = parsed()
    cases = [c for c in CASES if any(
        text in f"{c.name}: {c.what}" for text in options.only.split(","))]
    if options.list:
        for case in cases:
            print(f"{case.name:20} {case.limit_mib:5} MiB  {case.what}")
        return 0
    if not cases:
        sys.exit(f"no case has {options.only!r}")
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        sys.exit("needs two CPUs")
    os.sched_setaffinity(0, cpus[1:])
    # Who ends this ends the server, and takes the group away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    outcomes: list[Outcome] = []
    print("load average before:", *os.getloadavg(), file=sys.stderr)
    print("| attack | peak of limit | calls beside it: failed; p50, p99, most "
          "| streams at rest of others that ended |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="stridecast-attack-") as name:
        folder = pathlib.Path(name)
        subprocess.run([REPOSITORY / "tests/support/make_certificates.sh",
                        folder], check=True)
        for case in cases:
            for _ in range(options.repeat):
                outcome = run(case, options, cpus[0], folder)
                outcomes.append(outcome)
                print(outcome.row(case.what), flush=True)
                for fault in outcome.faults():
                    print(f"{case.name}: {fault}", file=sys.stderr)
                if options.verbose:
                    print(outcome.details(), file=sys.stderr)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(
            [dataclasses.asdict(outcome) for outcome in outcomes], indent=1))
    return 1 if any(outcome.faults() for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
