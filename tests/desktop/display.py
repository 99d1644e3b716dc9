"""A desktop without a screen: an X server, a window manager, a compositor, and a person's hands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QColor, QImage
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from system.x_server import XVFB, serve_x
from waiting import PATIENCE_S

OPENBOX, I3, PICOM, XRANDR = (shutil.which(name) for name in ("openbox", "i3", "picom", "xrandr"))
IS_THERE = bool(XVFB and OPENBOX and PICOM)
HAS_I3 = bool(XVFB and I3 and PICOM)
HAS_MONITORS = IS_THERE and bool(XRANDR)
MONITORS = {"left": "screen", "right": "none"}
"""The halves of a screen, and which output of the server each takes."""
# The keys with which openbox goes to its desktops.
_I3_CONFIG = "bindsym Mod1+F4 kill\n" + "".join(
    f"bindsym Mod4+F{n} workspace {n}\n" for n in (1, 2)
)
# Openbox, which puts new windows on the monitor of the pointer.
_BY_POINTER = """<openbox_config xmlns="http://openbox.org/3.4/rc">
<placement><monitor>Mouse</monitor></placement>
<keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
<mouse><context name="Client"><mousebind button="Left" action="Press">
<action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
</openbox_config>"""
_MISSING = "Shift_L"
# Each row of a place that is looked for by its colour has so many pixels of it side by side.
_RUN = 24


@dataclass
class Hands:
    """A pointer and a keyboard, pressed as a person's are: the server sends the events."""

    display: Display

    def move(self, to: QPoint) -> None:
        """Move the pointer there, and the last bit of the way as a hand does."""
        for at in (to - QPoint(3, 2), to):
            xtest.fake_input(self.display, X.MotionNotify, x=at.x(), y=at.y(), time=10)
        self.display.sync()

    def click(self, at: QPoint, button: int = 1) -> None:
        """Click there: 60 ms, as a quick finger."""
        self.move(at)
        xtest.fake_input(self.display, X.ButtonPress, button)
        xtest.fake_input(self.display, X.ButtonRelease, button, time=60)
        self.display.sync()

    def drag(self, start: QPoint, to: QPoint) -> None:
        """Drag what is at a place to another one, with a rest above it."""
        self.move(start)
        xtest.fake_input(self.display, X.ButtonPress, 1)
        for step in range(1, 11):
            at = start + (to - start) * step / 10
            xtest.fake_input(self.display, X.MotionNotify, x=at.x(), y=at.y(), time=40)
        xtest.fake_input(self.display, X.ButtonRelease, 1, time=400)
        self.display.sync()

    def double_click(self, at: QPoint) -> None:
        """Click there twice, 150 ms from press to press."""
        self.move(at)
        for pause in (0, 90):
            xtest.fake_input(self.display, X.ButtonPress, 1, time=pause)
            xtest.fake_input(self.display, X.ButtonRelease, 1, time=60)
        self.display.sync()

    def press(self, *names: str) -> None:
        """Press keys together, by the names of their keysyms."""
        codes = [self.display.keysym_to_keycode(XK.string_to_keysym(name)) for name in names]
        self._press(*codes)

    def type(self, text: str) -> None:
        """Type a text of Latin letters."""
        shift = self.display.keysym_to_keycode(XK.string_to_keysym(_MISSING))
        for char in text:
            code = self.display.keysym_to_keycode(ord(char))
            is_plain = self.display.keycode_to_keysym(code, 0) == ord(char)
            self._press(*([] if is_plain else [shift]), code)

    def _press(self, *codes: int) -> None:
        assert all(codes)
        for code in codes:
            xtest.fake_input(self.display, X.KeyPress, code, time=4)
        for code in reversed(codes):
            xtest.fake_input(self.display, X.KeyRelease, code, time=4)
        self.display.sync()


@dataclass
class Screen:
    """What is to be seen, and the hands before it."""

    display: Display
    hands: Hands
    environment: dict[str, str]
    """With which a program finds it."""
    area: QRect
    """The monitor on which all windows come up: that of the pointer."""

    @property
    def corner(self) -> QPoint:
        """Where only windows are that fill the monitor."""
        return self.area.bottomLeft() + QPoint(20, -20)

    def picture(self) -> QImage:
        """Return what the whole screen shows."""
        return self._part(whole(self.display))

    def colour(self, at: QPoint) -> QColor:
        return self._part(QRect(at, QSize(1, 1))).pixelColor(0, 0)

    def _part(self, rect: QRect) -> QImage:
        place = (rect.x(), rect.y(), rect.width(), rect.height())
        raw = self.display.screen().root.get_image(*place, X.ZPixmap, 0xFFFFFFFF)
        picture = QImage(raw.data, rect.width(), rect.height(), QImage.Format.Format_RGB32)
        return picture.copy()


def middle(place: list[int]) -> QPoint:
    """Return the middle of a place that was told as x, y, width and height."""
    return QRect(*place).center()


@contextmanager
def desktop(
    home: Path, manager: Sequence[str | None] = (OPENBOX,), size: str = ""
) -> Iterator[Screen]:
    """Run a screen with a window manager and a compositor. A `size` is written as 1366x768."""
    with ExitStack() as leaving:
        options = ("-screen", "0", f"{size}x24") if size else ()
        server = leaving.enter_context(serve_x(*options))
        around = {"DISPLAY": server.name, "HOME": str(home), "PATH": "/usr/bin:/bin"}
        for command in (manager, [PICOM, "--backend", "xrender", "--config", "/dev/null"]):
            process = subprocess.Popen(  # noqa: S603
                [part for part in command if part],
                env=around,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            leaving.callback(process.wait, PATIENCE_S)
            leaving.callback(process.terminate)
        display = Display(server.name)
        leaving.callback(display.close)
        around = {"DISPLAY": server.name, "QT_QPA_PLATFORM": "xcb"}
        yield Screen(display, Hands(display), around, whole(display))


def whole(display: Display) -> QRect:
    """Return the place of all monitors of a display."""
    size = display.screen().root.get_geometry()
    return QRect(0, 0, size.width, size.height)


@contextmanager
def tiling_desktop(home: Path, size: str = "") -> Iterator[Screen]:
    """Run a screen with a window manager that tiles windows."""
    config = home / "i3.config"
    config.write_text(_I3_CONFIG, "utf-8")
    with desktop(home, (I3, "-c", str(config)), size) as screen:
        yield screen


@contextmanager
def two_monitors(home: Path, size: str = "") -> Iterator[Screen]:
    """Run a screen whose left and right halves are monitors. The pointer is on the right one."""
    config = home / "monitors.xml"
    config.write_text(_BY_POINTER, "utf-8")
    with desktop(home, (OPENBOX, "--config-file", str(config)), size) as screen:
        half = whole(screen.display)
        half.setWidth(half.width() // 2)
        for name in MONITORS:
            set_monitor(screen, name, half)
        screen.area = half.translated(half.width(), 0)
        screen.hands.move(screen.area.center())
        yield screen


def set_monitor(screen: Screen, name: str, half: QRect) -> None:
    """Let the left or the right half be a monitor."""
    left = half.width() if name == "right" else 0
    place = f"{half.width()}/340x{half.height()}/270+{left}+0"
    set_monitors(screen.environment, "--setmonitor", name, place, MONITORS[name])


def set_monitors(environment: Mapping[str, str], *arguments: str) -> None:
    """Let xrandr change what monitors there are."""
    assert XRANDR
    around = os.environ | dict(environment)
    subprocess.run([XRANDR, *arguments], env=around, check=True, timeout=PATIENCE_S)  # noqa: S603


def place_of_colour(picture: QImage, colour: QColor) -> QRect:
    """Return the smallest place that holds all longer runs of a colour; an empty one if there is none."""
    pixel = colour.rgb().to_bytes(4, sys.byteorder)
    run, stride = pixel * _RUN, picture.bytesPerLine()
    data = bytes(picture.constBits())
    place = QRect()
    for y in range(picture.height()):
        row = data[y * stride : y * stride + 4 * picture.width()]
        first, last = _aligned(row, run, from_end=False), _aligned(row, run, from_end=True)
        if first >= 0:
            place |= QRect(first // 4, y, (last - first) // 4 + _RUN, 1)
    return place


def _aligned(row: bytes, run: bytes, *, from_end: bool) -> int:
    """Return where a run of pixels begins, -1 for nowhere: a match between two pixels is none."""
    at = row.rfind(run) if from_end else row.find(run)
    while at >= 0 and at % 4:
        at = row.rfind(run, 0, at + len(run) - 1) if from_end else row.find(run, at + 1)
    return at
