"""A window in a child process: asked at its keyboard, watched, and ended in every way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import IO

from waiting import PATIENCE_S

PROGRAM = Path(__file__).with_name("window_process.py")


class WindowChild:
    """The process, and the lines that it writes."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        assert process.stdin is not None
        self.process = process
        self._keys = process.stdin
        self._lines: Queue[str] = Queue()
        self.said: list[str] = []
        """All lines so far."""
        self._reading = Thread(target=self._read, args=(process.stdout,))
        self._reading.start()

    @property
    def pid(self) -> int:
        return self.process.pid

    def type(self, text: str) -> None:
        """Type a line, and send it."""
        self._keys.write(f"{text}\n")
        self._keys.flush()

    def until(self, line: str) -> None:
        """Wait for a line; "" is the end of them."""
        text = self._lines.get(timeout=PATIENCE_S)
        while text != line:
            assert text, (
                f"the window ended before it said {line!r}: {self.process.wait(PATIENCE_S)}"
            )
            text = self._lines.get(timeout=PATIENCE_S)

    def kill(self) -> None:
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait(PATIENCE_S)

    def terminate(self) -> float:
        """End it as a session that ends does. Return the seconds until it was gone."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_S)
        return time.monotonic() - began

    def close(self) -> None:
        """See that nothing of it is left."""
        if self.process.poll() is None:
            self.kill()
        self._keys.close()
        self._reading.join(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def _read(self, reported: IO[str]) -> None:
        for line in reported:
            self.said.append(line.rstrip("\n"))
            self._lines.put(self.said[-1])
        self._lines.put("")


@contextmanager
def window(environment: Mapping[str, str]) -> Iterator[WindowChild]:
    """Start the program and wait until its window is there."""
    process = subprocess.Popen(  # noqa: S603 - this Python
        [sys.executable, str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen", **environment},
    )
    child = WindowChild(process)
    try:
        child.until("ready")
        yield child
    finally:
        child.close()


def children_of(pid: int) -> set[int]:
    """The processes that a process has started, and theirs."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text("ascii").split()):
            found |= {child} | children_of(child)
    return found


def is_there(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
