"""What an X server is asked that Qt does not ask: whether it has a compositor, where a window takes
the pointer, whether what is selected would be handed over, and the window manager for the desktop and the keyboard.
And how the program ends when the server does."""

from __future__ import annotations

import atexit
import ctypes
import os
import select
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from Xlib import X, Xatom, error
from Xlib.display import Display
from Xlib.ext import shape
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

_GONE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)
_T = TypeVar("_T")
_UNSORTED = 0
_ALL_DESKTOPS = 0xFFFFFFFF
# Who asks the window manager (EWMH, source indication): 1 is a program of its own accord, 2 the user.
_FROM_USER = 2
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


@contextmanager
def safe_exit(clean_up: Callable[[], None]) -> Generator[None]:
    """Clean up and exit with status 1 where a call of Xlib, by Qt or GTK, finds that the server is gone.

    Xlib's own handler calls C's `exit`, which frees what other threads still use: while one of them was in
    OpenSSL, one such exit in three crashed. Xlib allows no handler to return.
    """

    def leave(_display: int) -> int:
        clean_up()
        os._exit(1)

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    handler = kind(leave)
    # Of the library that Qt has loaded.
    set_handler = ctypes.CFUNCTYPE(kind, kind)(("XSetIOErrorHandler", ctypes.CDLL("libX11.so.6")))
    before = set_handler(handler)
    try:
        yield
    finally:
        set_handler(before)


def has_compositor(connection: XConnection = shared) -> bool:
    """Ask the server who owns the selection of its screen's compositor (EWMH, `_NET_WM_CM_Sn`).

    A server that cannot be asked is taken to have one, as most do.
    """
    return connection.ask(_is_owned, otherwise=True)


def is_on_current_desktop(window: int, *, otherwise: bool) -> bool:
    """Ask the window manager whether a window, by its number, is on the desktop that is shown, or on all (EWMH).

    Return `otherwise` where it does not say.
    """
    return shared.ask(lambda display: _is_on_current_desktop(display, window, otherwise), otherwise)


def activate(window: int) -> bool:
    """Have the window manager raise a window of ours, by its number, and give it the keyboard (EWMH), as the user asked.

    Return whether it can. Qt asks as a program does, with the time of the last event that came to a window of ours:
    a window manager takes that for older than what the user did elsewhere meanwhile.
    """
    return shared.ask(lambda display: _activate(display, window), otherwise=False)


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


def _is_on_current_desktop(display: Display, window: int, otherwise: bool) -> bool:
    root = display.screen().root
    its = _number_at(display, display.create_resource_object("window", window), "_NET_WM_DESKTOP")
    current = _number_at(display, root, "_NET_CURRENT_DESKTOP")
    if its is None or current is None:
        return otherwise
    return its in {current, _ALL_DESKTOPS}


def _number_at(display: Display, window: Window, name: str) -> int | None:
    try:
        found = window.get_full_property(display.intern_atom(name), Xatom.CARDINAL)
    except error.BadWindow:  # it is gone by now
        return None
    return found.value[0] if found is not None and len(found.value) else None


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


def _activate(display: Display, window: int) -> bool:
    root, name = display.screen().root, display.intern_atom("_NET_ACTIVE_WINDOW")
    supported = root.get_full_property(display.intern_atom("_NET_SUPPORTED"), Xatom.ATOM)
    if supported is None or name not in supported.value:
        return False
    wanted = (_FROM_USER, _server_time(display), X.NONE, 0, 0)
    message = event.ClientMessage(window=window, client_type=name, data=(32, wanted))
    root.send_event(message, X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    display.flush()
    return True


def _server_time(display: Display) -> int:
    """Return the server's clock in milliseconds, which only events tell."""
    with _hidden_window(display, X.PropertyChangeMask) as window:
        window.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"")
        changed = _event_of(
            display, lambda found: found.type == X.PropertyNotify and found.window.id == window.id
        )
        return X.CurrentTime if changed is None else changed.time


def _answers(display: Display, limit_s: float) -> bool:
    # Selections are delivered to a window.
    with _hidden_window(display) as window:
        targets = display.intern_atom("TARGETS")
        window.convert_selection(Xatom.PRIMARY, targets, targets, X.CurrentTime)
        # One that was asked before may answer only now, to a window that is gone.
        answer = _event_of(
            display,
            lambda found: found.type == X.SelectionNotify and found.requestor.id == window.id,
            limit_s,
        )
        return answer is not None and answer.property != X.NONE


@contextmanager
def _hidden_window(display: Display, event_mask: int = 0) -> Generator[Window]:
    root = display.screen().root
    window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=event_mask)
    try:
        yield window
    finally:
        window.destroy()
        display.flush()


def _event_of(
    display: Display, is_it: Callable[[Any], bool], limit_s: float = LIMIT_S
) -> Any | None:
    """Wait for an event, for `limit_s` at the most."""
    display.flush()
    ends_at = time.monotonic() + limit_s
    while True:
        while display.pending_events():
            found = display.next_event()
            if is_it(found):
                return found
        rest = ends_at - time.monotonic()
        if rest <= 0 or not select.select([display.fileno()], [], [], rest)[0]:
            return None
