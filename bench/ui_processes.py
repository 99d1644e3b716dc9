"""The window's process from outside: starting it, calling it, what it holds and what it uses. Linux."""

from __future__ import annotations

import json
import os
import re
import selectors
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from askance.system import ipc
from bench.service_process import children_of

ROOT = Path(__file__).parents[1]
ASKANCE = (sys.executable, "-m", "askance")
_LIMIT_S = 60.0
_POLL_S = 0.002
_TICKS = os.sysconf("SC_CLK_TCK")
_NO_QUESTION = b"?\n"


@dataclass(frozen=True, slots=True)
class Memory:
    """What a process holds, in MiB: resident, its share of that, and what is its own alone.

    `readers` is the share of the children that take pages apart, all of them together.
    """

    resident: float
    share: float
    own: float
    readers: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process used in a time: milliseconds of processor, and how often a thread woke up."""

    seconds: float
    cpu_ms: float
    wakes: int


@dataclass(slots=True)
class Program:
    """A running window. `told` are the lines that probes in it have written."""

    process: subprocess.Popen[bytes]
    environment: Mapping[str, str]
    began_s: float
    told: list[tuple[str, float]] = field(default_factory=list[tuple[str, float]])
    _left: bytes = b""

    def cpu_ms(self) -> float:
        """Return the processor time that it has used so far, in whole ticks."""
        return 1000 * self._ticks() / _TICKS

    def answered_s(self) -> float:
        """Wait until its event loop turns, and return the seconds since its start."""
        self._until(self._answers)
        return monotonic() - self.began_s

    def next(self, *what: str, limit_s: float = _LIMIT_S) -> tuple[str, float]:
        """Wait for the next line of a probe that tells one of these.

        Raises:
            TimeoutError: none of them came within `limit_s`.
        """
        end = monotonic() + limit_s
        while monotonic() < end:
            for at, line in enumerate(self.told):
                if line[0] in what:
                    del self.told[: at + 1]
                    return line
            self._hear(end - monotonic())
        raise TimeoutError(f"The window has not told of {what}.")

    def toggle(self) -> float:
        """Call it as a key press would, and return when that command was started."""
        began_s = monotonic()
        subprocess.run([*ASKANCE, "toggle"], env=self.environment, check=True, cwd=ROOT)  # noqa: S603
        return began_s

    def memory(self) -> Memory:
        """Return what it holds now."""
        rollup = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text("ascii")
        kb = {name: int(n) for name, n in re.findall(r"(\w+):\s+(\d+) kB", rollup)}
        own = kb["Private_Clean"] + kb["Private_Dirty"]
        children = sum(map(share_mb, children_of_all(self.process.pid)))
        return Memory(kb["Rss"] / 1024, kb["Pss"] / 1024, own / 1024, children)

    def usage(self, seconds: float) -> Usage:
        """Let it be for so long, and return what it used meanwhile."""
        cpu, wakes, began_s = self._ticks(), self._wakes(), monotonic()
        sleep(seconds)
        took_s = monotonic() - began_s
        return Usage(took_s, 1000 * (self._ticks() - cpu) / _TICKS, self._wakes() - wakes)

    def _ticks(self) -> int:
        stat = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return int(stat[11]) + int(stat[12])

    def _wakes(self) -> int:
        total = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            found = re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text())
            total += int(found[1]) if found else 0
        return total

    def _answers(self) -> bool:
        """Ask what means nothing: the answer to it comes from the event loop, and shows nothing."""
        try:
            reply = ipc._exchange(ipc.address(self.environment), _NO_QUESTION, _LIMIT_S)  # noqa: SLF001
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return bool(reply)

    def _until(self, is_true: Any) -> None:
        end = monotonic() + _LIMIT_S
        while not is_true():
            if monotonic() > end or self.process.poll() is not None:
                raise TimeoutError("The window did not come up.")
            sleep(_POLL_S)

    def _hear(self, limit_s: float) -> None:
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            if not ready.select(limit_s):
                return
        text = os.read(self.process.stdout.fileno(), 65_536)
        if not text:
            raise EOFError("The window ended.")
        *lines, self._left = (self._left + text).split(b"\n")
        self.told += [tuple(json.loads(line)) for line in lines]


def share_mb(pid: int) -> float:
    """Return the memory of a process in MiB, what it shares with others counted in part; 0 if gone."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    found = re.search(r"\nPss:\s+(\d+) kB", rollup)
    return int(found[1]) / 1024 if found else 0.0


def children_of_all(pid: int) -> list[int]:
    """Return the processes that any thread of a process has started."""
    tasks = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    found: list[int] = []
    for task in tasks:
        text = Path(f"/proc/{pid}/task/{task}/children").read_text("ascii")
        found += [int(child) for child in text.split()]
    return found or children_of(pid)


@contextmanager
def running(command: Sequence[str], environment: Mapping[str, str]) -> Generator[Program]:
    """Run a window for as long as the context lasts; it is ended with SIGTERM if it still runs."""
    began_s = monotonic()
    process = subprocess.Popen(  # noqa: S603
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        yield Program(process, environment, began_s)
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=_LIMIT_S)


class NoScreen(Exception):
    """Xvfb is not installed. Qt's offscreen platform does not do: there no window is ever the active
    one again once it was hidden, so that nothing can be toggled, and there is no tray."""

    def __init__(self) -> None:
        super().__init__("The window is measured on a screen of its own: install Xvfb (`xvfb`).")


@contextmanager
def screen() -> Generator[str]:
    """Give a screen without a window manager, and yield its name (`DISPLAY`).

    Raises:
        NoScreen: Xvfb is not installed.
    """
    server = shutil.which("Xvfb")
    if server is None:
        raise NoScreen
    reported, report = os.pipe()
    size = ("-screen", "0", "1600x1000x24", "-nolisten", "tcp")
    command = [server, "-displayfd", str(report), *size]
    process = subprocess.Popen(command, pass_fds=(report,), stderr=subprocess.DEVNULL)  # noqa: S603
    os.close(report)
    try:
        with os.fdopen(reported) as numbers:
            yield f":{numbers.readline().strip()}"
    finally:
        process.terminate()
        process.wait()
