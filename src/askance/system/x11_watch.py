"""What an X server tells without being asked: that a compositor came or went, and that somebody clicked or typed in
whatever window. Which key it was, and where, is neither stored nor handed on."""

from __future__ import annotations

import atexit
from contextlib import suppress
from enum import Enum, auto
from typing import Any

from Xlib.display import Display
from Xlib.ext import ge, xfixes, xinput

from askance.system.x11 import GONE

_SELECTION = (
    xfixes.XFixesSetSelectionOwnerNotifyMask
    | xfixes.XFixesSelectionWindowDestroyNotifyMask
    | xfixes.XFixesSelectionClientCloseNotifyMask
)
_USES = (
    xinput.RawKeyPressMask
    | xinput.RawKeyReleaseMask
    | xinput.RawButtonPressMask
    | xinput.RawButtonReleaseMask
)
# Of a raw event (XI2): the key's code or the button's number, behind the device and the time.
_DETAIL = slice(6, 10)
_BUTTONS = (1, 2, 3)
# Control, Meta, Alt and Super. With one of these a key is a shortcut, as of the desktop: for another workspace, or ours.
_HOLDS = {0xFFE3, 0xFFE4, *range(0xFFE7, 0xFFED)}
# A pointer that moved further between press and release dragged something: a file, perhaps to us, or a window.
_CLICK = 10
_BACKSPACE, _TAB, _RETURN, _HOME, _END, _DELETE = 0xFF08, 0xFF09, 0xFF0D, 0xFF50, 0xFF57, 0xFFFF
_FUNCTIONS = 0xFE00
_UNICODE = range(0x0100_0000, 0x0111_0000)


class News(Enum):
    """What has happened."""

    COMPOSITOR = auto()
    USE = auto()


class XWatch:
    """A connection of its own, which is read when its socket has something. For one thread."""

    def __init__(self, display: Display) -> None:
        self._display, self._root = display, display.screen().root
        self._has_uses = display.has_extension(xinput.extname)
        self._pressed: tuple[int, int] | None = None
        self._held: set[int] = set()
        self._is_switching = False
        if display.has_extension(xfixes.extname):
            display.xfixes_query_version()
            name = display.get_atom(f"_NET_WM_CM_S{display.get_default_screen()}")
            display.xfixes_select_selection_input(self._root, name, _SELECTION)
        if self._has_uses:
            # Not python-xlib's own call, which asks for 2.0: that tells nothing while a window manager grabs a click.
            xinput.XIQueryVersion(
                display=display.display,
                opcode=display.display.get_extension_major(xinput.extname),
                major_version=2,
                minor_version=2,
            )
        display.sync()

    def fileno(self) -> int:
        """Return the socket."""
        return self._display.fileno()

    def close(self) -> None:
        """Close the connection."""
        atexit.unregister(self.close)
        with suppress(*GONE):
            self._display.close()

    def listen(self, wanted: bool) -> bool:
        """Listen for clicks and keys, or no more; return whether the server reports them."""
        self._pressed, self._is_switching = None, False
        self._held.clear()
        if self._has_uses:
            try:
                mask = _USES if wanted else 0
                self._root.xinput_select_events([(xinput.AllMasterDevices, mask)])
                self._display.flush()
            except GONE:
                return False
        return self._has_uses

    def read(self) -> set[News] | None:
        """Return what has happened since; None once the server is gone."""
        news: set[News] = set()
        try:
            while self._display.pending_events():
                found = self._display.next_event()
                if found.type == ge.GenericEventCode:
                    if self._is_use(found):
                        news.add(News.USE)
                elif isinstance(found, xfixes.SelectionNotify):
                    news.add(News.COMPOSITOR)
        except GONE:
            return None
        return news

    def _is_use(self, event: Any) -> bool:
        detail = int.from_bytes(event.data[_DETAIL], "little")
        if event.evtype == xinput.RawKeyPress:
            return self._is_key(detail)
        if event.evtype == xinput.RawKeyRelease:
            self._held.discard(detail)
            # With the end of Alt+Tab the desktop gives another window the keyboard.
            is_end = self._is_switching and not self._held
            self._is_switching = self._is_switching and not is_end
            return is_end
        if detail not in _BUTTONS:
            return False
        pointer = self._root.query_pointer()
        at = (pointer.root_x, pointer.root_y)
        if event.evtype == xinput.RawButtonPress:
            self._pressed = at
            return False
        start, self._pressed = self._pressed, None
        return start is not None and abs(at[0] - start[0]) + abs(at[1] - start[1]) <= _CLICK

    def _is_key(self, code: int) -> bool:
        """Whether a key writes, deletes or moves, as none does that only changes others or is the desktop's."""
        key = self._display.keycode_to_keysym(code, 0)
        if key in _HOLDS:
            self._held.add(code)
        elif key == _TAB and self._held:
            self._is_switching = True
        return not self._held and (
            0 < key < _FUNCTIONS
            or _BACKSPACE <= key <= _RETURN
            or _HOME <= key <= _END
            or key == _DELETE
            or key in _UNICODE
        )


def open_watch(display_name: str | None = None) -> XWatch | None:
    """Return a watch on a display, that of the environment without a name; None where it cannot be reached."""
    try:
        watch = XWatch(Display(display_name))
    except GONE:
        return None
    # Its socket would end with the program, which Python complains of.
    atexit.register(watch.close)
    return watch
