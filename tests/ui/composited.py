"""A desktop on a real X server: a window manager, a compositor, and a hand on the pointer."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from Xlib import X
from Xlib.display import Display
from Xlib.ext import xtest

from desktop.display import desktop

_CHILD = Path(__file__).with_name("composited_child.py")
_WAIT_S = 60.0
_HOVERS = 6


def middle(box: list[int]) -> tuple[int, int]:
    """The middle of a rectangle on the screen."""
    x, y, width, height = box
    return x + width // 2, y + height // 2


class Desk:
    """The server with somebody before it, and our window on it."""

    def __init__(self, display: Display, child: subprocess.Popen[str]) -> None:
        self._display = display
        assert child.stdin is not None
        assert child.stdout is not None
        self._asked, self._told = child.stdin, child.stdout
        self._lines: Queue[dict[str, Any]] = Queue()
        self._reading = Thread(target=self._read)
        self._reading.start()

    def until(self, kind: str) -> Any:
        """Wait until the window tells something of a kind, and return it."""
        while True:
            text = self._next(_WAIT_S)
            if kind in text:
                return text[kind]

    def hover(self) -> tuple[int, int]:
        """Move the pointer onto the number until its quote is there, and return where that is.

        On a busy machine the window may still be on its way when it is asked where its number is.
        """
        for _ in range(_HOVERS):
            x, y = middle(self.ask("marker"))
            self.point(x, y - 60)
            self.point(x, y)
            with suppress(Empty):
                while not self._next(_WAIT_S / _HOVERS).get("quote"):
                    pass
                return x, y
        raise AssertionError("no quote comes")

    def _next(self, within_s: float) -> dict[str, Any]:
        text = self._lines.get(timeout=within_s)
        assert "end" not in text, "the window ended"
        return text

    def ask(self, what: str) -> Any:
        """Ask the window for something, once it has had time to hear of all before."""
        self._asked.write(f"{what}\n")
        self._asked.flush()
        return self.until(what)

    def point(self, x: int, y: int) -> None:
        """Move the pointer."""
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def press(self) -> None:
        """Press the left button."""
        xtest.fake_input(self._display, X.ButtonPress, 1)
        self._display.sync()

    def release(self) -> None:
        """Let go of it."""
        xtest.fake_input(self._display, X.ButtonRelease, 1)
        self._display.sync()

    def click(self, x: int, y: int) -> None:
        """Click somewhere, faster than any hand."""
        self.point(x, y)
        xtest.fake_input(self._display, X.ButtonPress, 1)
        xtest.fake_input(self._display, X.ButtonRelease, 1)
        self._display.sync()

    def close(self) -> None:
        """Let the window end."""
        self._asked.close()
        self._reading.join(_WAIT_S)
        self._told.close()

    def _read(self) -> None:
        for line in self._told:
            self._lines.put(json.loads(line))
        self._lines.put({"end": True})


@contextmanager
def serve_desk(home: Path) -> Iterator[Desk]:
    """Run a desktop with our window on it, which shows an answer."""
    with ExitStack() as stack:
        screen = stack.enter_context(desktop(home))
        display = screen.display
        root = display.screen().root
        root.change_attributes(event_mask=X.PropertyChangeMask | X.SubstructureNotifyMask)
        managed = display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        _wait(display, lambda: root.get_full_property(managed, X.AnyPropertyType) is not None)
        composited = display.intern_atom("_NET_WM_CM_S0")
        _wait(display, lambda: display.get_selection_owner(composited) != X.NONE)
        child = subprocess.Popen(  # noqa: S603 - this program
            [sys.executable, str(_CHILD)],
            env=os.environ
            | screen.environment
            | {"HOME": str(home), "PYTHONPATH": str(_CHILD.parents[1])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(child.wait, _WAIT_S)
        desk = Desk(display, child)
        stack.callback(desk.close)
        yield desk


def _wait(display: Display, until: Callable[[], bool]) -> None:
    """Wait until something is so on a server that tells of what changes."""
    end = time.monotonic() + _WAIT_S
    while not until():
        assert time.monotonic() < end, "the desktop did not come up"
        select.select([display.fileno()], [], [], 0.1)
        while display.pending_events():
            display.next_event()
