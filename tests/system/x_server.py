"""A real X server without a screen, and somebody who types on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from Xlib import XK, X, error
from Xlib.display import Display
from Xlib.ext import xtest

XVFB = shutil.which("Xvfb")
needs_x = pytest.mark.skipif(XVFB is None, reason="Xvfb is not installed: install the package xvfb")


@dataclass
class XServer:
    """A running server: its name for `DISPLAY`, and its process."""

    name: str
    process: subprocess.Popen[bytes]

    def stop(self) -> None:
        """End it, as a crash does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve_x(*options: str) -> Iterator[XServer]:
    """Run a server on a display that is free."""
    assert XVFB is not None
    reported, report = os.pipe()
    process = subprocess.Popen(  # noqa: S603
        [XVFB, "-displayfd", str(report), "-nolisten", "tcp", "-noreset", *options],
        pass_fds=[report],
        stderr=subprocess.DEVNULL,
    )
    os.close(report)
    with os.fdopen(reported) as reader:
        server = XServer(f":{reader.readline().strip()}", process)
    try:
        yield server
    finally:
        server.stop()


class Typist:
    """Another client of the server, which presses keys."""

    def __init__(self, server: XServer) -> None:
        self.display = Display(server.name)

    def press(self, *names: str) -> None:
        """Press keys together, by the names of their keysyms, and let go of them."""
        for name in names:
            self._touch(X.KeyPress, name)
        for name in reversed(names):
            self._touch(X.KeyRelease, name)

    def hold(self, *names: str) -> None:
        """Press keys, and do not let go."""
        for name in names:
            self._touch(X.KeyPress, name)

    def grab(self, keysym: str, mask: int) -> bool:
        """Take a combination, as another program does. False where it is somebody else's."""
        refused = error.CatchError(error.BadAccess)
        keycode = self.display.keysym_to_keycode(XK.string_to_keysym(keysym))
        self.display.screen().root.grab_key(
            keycode, mask, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused
        )
        self.display.sync()
        return refused.get_error() is None

    def is_grabbed(self, keysym: str, mask: int) -> bool:
        """Whether a combination is somebody's. Nobody else can miss it meanwhile, since the server waits."""
        self.display.grab_server()
        try:
            if free := self.grab(keysym, mask):
                keycode = self.display.keysym_to_keycode(XK.string_to_keysym(keysym))
                self.display.screen().root.ungrab_key(keycode, mask)
            return not free
        finally:
            self.display.ungrab_server()
            self.display.sync()

    def move_key(self, keysym: str, *, to: str) -> None:
        """Change the keyboard: what one key meant, another means now, and the other way round."""
        symbols = [XK.string_to_keysym(name) for name in (keysym, to)]
        codes = [self.display.keysym_to_keycode(symbol) for symbol in symbols]
        width = len(self.display.get_keyboard_mapping(codes[0], 1)[0])
        for code, symbol in zip(codes, reversed(symbols), strict=True):
            self.display.change_keyboard_mapping(code, [[symbol] * width])
        self.display.sync()
        while self.display.pending_events():
            text = self.display.next_event()
            if text.type == X.MappingNotify:
                self.display.refresh_keyboard_mapping(text)

    def close(self) -> None:
        self.display.close()

    def _touch(self, kind: int, name: str) -> None:
        keycode = self.display.keysym_to_keycode(XK.string_to_keysym(name))
        assert keycode, name
        # Milliseconds between two keys: the server's clock tells presses from repetitions.
        xtest.fake_input(self.display, kind, keycode, time=3)
        self.display.sync()
