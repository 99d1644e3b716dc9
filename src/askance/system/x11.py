"""What an X server is asked that Qt does not ask: whether it has a compositor, where a window takes
the pointer, whether what is selected would be handed over, and the window manager for the desktop and the keyboard.
And how the program ends when the server does."""

from __future__ import annotations

import atexit
import ctypes
import math
import select
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TypeVar

from Xlib import X, Xatom, error, ext
from Xlib.display import Display
from Xlib.ext import shape
from Xlib.protocol import event
from Xlib.xobject.drawable import Window

# Those that are used here, of the fifteen that Xlib loads with each connection: a megabyte less.
_EXTENSIONS = {"ge", "shape", "xfixes", "xinput", "xtest"}
_loaded: list[tuple[str, str]] = vars(ext)["__extensions__"]
_loaded[:] = [(name, module) for name, module in _loaded if module in _EXTENSIONS]

GONE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)
"""What is raised where the server cannot be reached, or not any more."""
_T = TypeVar("_T")
_UNSORTED = 0
_ALL_DESKTOPS = 0xFFFFFFFF
# Who asks the window manager (EWMH, source indication): 1 is a program of its own accord, 2 the user.
_FROM_USER = 2
_FRAME, _STATE = "_GTK_FRAME_EXTENTS", "_NET_WM_STATE"
_LISTS = ("_NET_WM_STATE_SKIP_TASKBAR", "_NET_WM_STATE_SKIP_PAGER")
_ANY_BUTTON = X.Button1Mask | X.Button2Mask | X.Button3Mask
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
        except GONE:
            self.close()
            return otherwise

    def close(self) -> None:
        """Close it, if it is open. The next question opens it anew."""
        # Set to None first, so that a connection whose closing fails is not used again.
        display, self._display = self._display, None
        if display is not None:
            atexit.unregister(self.close)
            with suppress(*GONE):
                display.close()


shared = XConnection()
"""That of this program's own display."""


@contextmanager
def lost_server(leave: Callable[[], NoReturn]) -> Generator[None]:
    """Call `leave` where a call of Xlib, by Qt or GTK, finds that the server is gone: no handler may return.

    Xlib's own handler calls C's `exit`, which frees what other threads still use: while one of them was in
    OpenSSL, one such exit in three crashed.
    """

    def handle(_display: int) -> int:
        leave()

    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
    handler = kind(handle)
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


def declare_frame(window: int, sides: tuple[int, int, int, int]) -> None:
    """Say how much of a window is shadow of its own: left, right, top and bottom, in the server's pixels.

    GTK's windows say it so, and window managers and compositors have learnt to read it.
    """
    shared.ask(
        lambda display: _write(display, window, _FRAME, Xatom.CARDINAL, sides), otherwise=None
    )


def leave_lists(window: int, *, wanted: bool, is_shown: bool) -> None:
    """Keep a window out of the taskbar and the pager (EWMH), or let it be in them."""
    shared.ask(lambda display: _leave_lists(display, window, wanted, is_shown), otherwise=None)


def is_button_down() -> bool:
    """Ask whether a button of the pointer is held, in whatever window."""
    return shared.ask(
        lambda display: bool(display.screen().root.query_pointer().mask & _ANY_BUTTON),
        otherwise=False,
    )


def owner_answers(connection: XConnection = shared, limit_s: float = LIMIT_S) -> bool:
    """Ask the owner of the primary selection in what forms it has it; False if nothing comes.

    Blocks for `limit_s` at the most, where Qt would wait many seconds for each answer of a program
    that hangs. Must not be called where the selection is this program's own.
    """
    return connection.ask(lambda display: _answers(display, limit_s), otherwise=False)


def _is_owned(display: Display) -> bool:
    name = f"_NET_WM_CM_S{display.get_default_screen()}"
    return display.get_selection_owner(display.get_atom(name)) != X.NONE


def _is_on_current_desktop(display: Display, window: int, otherwise: bool) -> bool:
    root = display.screen().root
    its = _number_at(display, display.create_resource_object("window", window), "_NET_WM_DESKTOP")
    current = _number_at(display, root, "_NET_CURRENT_DESKTOP")
    if its is None or current is None:
        return otherwise
    return its in {current, _ALL_DESKTOPS}


def _number_at(display: Display, window: Window, name: str) -> int | None:
    try:
        found = window.get_full_property(display.get_atom(name), Xatom.CARDINAL)
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


def _write(display: Display, window: int, name: str, kind: int, values: Sequence[int]) -> None:
    changed = display.create_resource_object("window", window)
    # The window may be gone by now.
    ignored = error.CatchError(error.BadWindow)
    changed.change_property(display.get_atom(name), kind, 32, values, onerror=ignored)
    display.flush()


def _leave_lists(display: Display, window: int, wanted: bool, is_shown: bool) -> None:
    state, lists = display.get_atom(_STATE), [display.get_atom(name) for name in _LISTS]
    if is_shown:
        # What is shown belongs to the window manager.
        _tell_manager(display, window, state, (int(wanted), *lists, 1, 0))
        return
    try:
        found = display.create_resource_object("window", window).get_full_property(
            state, Xatom.ATOM
        )
    except error.BadWindow:
        return
    others = [atom for atom in (found.value if found else ()) if atom not in lists]
    _write(display, window, _STATE, Xatom.ATOM, [*others, *(lists if wanted else ())])


def _activate(display: Display, window: int) -> bool:
    name, asked = display.get_atom("_NET_ACTIVE_WINDOW"), display.get_atom("_NET_SUPPORTED")
    supported = display.screen().root.get_full_property(asked, Xatom.ATOM)
    if supported is None or name not in supported.value:
        return False
    _tell_manager(display, window, name, (_FROM_USER, _server_time(display), X.NONE, 0, 0))
    return True


def _tell_manager(display: Display, window: int, name: int, values: Sequence[int]) -> None:
    message = event.ClientMessage(window=window, client_type=name, data=(32, values))
    mask = X.SubstructureRedirectMask | X.SubstructureNotifyMask
    display.screen().root.send_event(message, mask)
    display.flush()


def _server_time(display: Display) -> int:
    """Return the server's clock in milliseconds, which only events tell."""
    with hidden_window(display, X.PropertyChangeMask) as window:
        window.change_property(Xatom.WM_NAME, Xatom.STRING, 8, b"")
        # A window that ends tells that its name is gone, and the next one has its number: that would be an old time,
        # for which metacity keeps the keyboard where it is.
        changed = event_of(
            display,
            lambda found: (
                found.type == X.PropertyNotify
                and found.window.id == window.id
                and found.state == X.PropertyNewValue
            ),
        )
        return X.CurrentTime if changed is None else changed.time


def _answers(display: Display, limit_s: float) -> bool:
    # Selections are delivered to a window.
    with hidden_window(display) as window:
        targets = display.get_atom("TARGETS")
        window.convert_selection(Xatom.PRIMARY, targets, targets, X.CurrentTime)
        # One that was asked before may answer only now, to a window that is gone.
        answer = event_of(
            display,
            lambda found: found.type == X.SelectionNotify and found.requestor.id == window.id,
            limit_s,
        )
        return answer is not None and answer.property != X.NONE


@contextmanager
def hidden_window(display: Display, event_mask: int = 0) -> Generator[Window]:
    """Give a window that is never shown: selections and the clock come to one."""
    root = display.screen().root
    window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=event_mask)
    try:
        yield window
    finally:
        window.destroy()
        display.flush()


def event_of(
    display: Display, is_it: Callable[[Any], bool], limit_s: float = LIMIT_S
) -> Any | None:
    """Wait for an event, for `limit_s` at the most, which may be infinite."""
    display.flush()
    ends_at = time.monotonic() + limit_s
    while True:
        while display.pending_events():
            found = display.next_event()
            if is_it(found):
                return found
        rest = ends_at - time.monotonic()
        wait_s = None if rest == math.inf else rest
        if rest <= 0 or not select.select([display.fileno()], [], [], wait_s)[0]:
            return None


def is_of(display: Display, window: int, other: int) -> bool:
    """Whether two windows, by their numbers, are of one program."""
    mask = ~display.display.info.resource_id_mask
    return window & mask == other & mask


def hand_keyboard_to(display: Display, window: int, limit_s: float) -> bool:
    """Have a window of another program raised, and wait until that program has the keyboard."""
    display.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
    ends_at = time.monotonic() + limit_s
    is_asked = _activate(display, window)
    while is_asked and (rest := ends_at - time.monotonic()) > 0:
        focus = display.get_input_focus().focus
        if is_of(display, getattr(focus, "id", focus), window):
            return True
        # The keyboard may follow the property, which window managers set first.
        event_of(display, lambda found: found.type == X.PropertyNotify, min(rest, LIMIT_S / 5))
    return False
