"""What an X server is asked that Qt does not ask: whether it has a compositor, where a window takes
the pointer, and whether what is selected would be handed over."""

from __future__ import annotations

import atexit
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from Xlib import X, Xatom, error
from Xlib.display import Display
from Xlib.ext import shape

_GONE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)
_T = TypeVar("_T")
_UNSORTED = 0
Box = tuple[int, int, int, int]
# A program that runs answers within a few milliseconds, a busy one within some tens.
LIMIT_S = 0.25


class XConnection:
    """Asks an X server what Qt does not tell. Opened with the first question, and kept: to open one
    takes longer than to ask.

    Without a name it is the display of the environment. For one thread. It is closed at the end of
    the program, if not before.
    """

    def __init__(self, display_name: str | None = None) -> None:
        self._name = display_name
        self._display: Display | None = None

    def ask(self, question: Callable[[Display], _T], otherwise: _T) -> _T:
        """Return the answer to a question, or `otherwise` where the server cannot be asked."""
        try:
            if self._display is None:
                self._display = Display(self._name)
                atexit.register(self.close)
            return question(self._display)
        except _GONE:
            self.close()
            return otherwise

    def close(self) -> None:
        """Close it, if it is open. The next question opens it anew."""
        # Set to None first, so that a connection whose closing fails is not used again.
        display, self._display = self._display, None
        if display is not None:
            atexit.unregister(self.close)
            with suppress(*_GONE):
                display.close()


shared = XConnection()
"""That of this program's own display."""


def has_compositor(connection: XConnection = shared) -> bool:
    """Ask the server who owns the selection of its screen's compositor (EWMH, `_NET_WM_CM_Sn`).

    A server that cannot be asked is taken to have one, as most do.
    """
    return connection.ask(_is_owned, otherwise=True)


def shape_input(window: int, box: Box) -> None:
    """Let a window, by its number, have the pointer only in a box of it: x, y, width and height.

    An empty box is nowhere. All are in the server's pixels. A server without the extension for it leaves all as it is.
    """
    shared.ask(lambda display: _shape(display, window, box), otherwise=None)


def owner_answers(connection: XConnection = shared, limit_s: float = LIMIT_S) -> bool:
    """Ask the owner of the primary selection in what forms it has it; False if nothing comes.

    Blocks for `limit_s` at the most, where Qt would wait many seconds for each answer of a program
    that hangs. Must not be called where the selection is this program's own.
    """
    return connection.ask(lambda display: _answers(display, limit_s), otherwise=False)


def _is_owned(display: Display) -> bool:
    name = f"_NET_WM_CM_S{display.get_default_screen()}"
    return display.get_selection_owner(display.intern_atom(name)) != X.NONE


def _shape(display: Display, window: int, box: Box) -> None:
    if not display.has_extension(shape.extname):
        return
    x, y, width, height = box
    shape.Rectangles(
        display=display.display,
        opcode=display.display.get_extension_major(shape.extname),
        # The window may be gone by now.
        onerror=error.CatchError(error.BadWindow),
        operation=shape.SO.Set,
        destination_kind=shape.SK.Input,
        ordering=_UNSORTED,
        destination_window=window,
        x_offset=0,
        y_offset=0,
        rectangles=[{"x": x, "y": y, "width": width, "height": height}],
    )
    display.flush()


def _answers(display: Display, limit_s: float) -> bool:
    # A window that is never shown: selections are delivered to a window.
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    targets = display.intern_atom("TARGETS")
    window.convert_selection(Xatom.PRIMARY, targets, targets, X.CurrentTime)
    display.flush()
    try:
        return _has_selection(display, window.id, time.monotonic() + limit_s)
    finally:
        window.destroy()
        display.flush()


def _has_selection(display: Display, window: int, ends_at: float) -> bool:
    while True:
        while display.pending_events():
            event = display.next_event()
            # One that was asked before may answer only now.
            if event.type == X.SelectionNotify and event.requestor.id == window:
                return event.property != X.NONE
        rest = ends_at - time.monotonic()
        if rest <= 0 or not select.select([display.fileno()], [], [], rest)[0]:
            return False
