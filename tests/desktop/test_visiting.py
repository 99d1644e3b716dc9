"""The window as a visitor: it goes when another window is used, has one shadow, and follows screens and compositors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from Xlib import X

from askance.ui.design.theme import LIGHT
from desktop.browser_window import COLOUR
from desktop.display import (
    HAS_MONITORS,
    IS_THERE,
    OPENBOX,
    Screen,
    desktop,
    set_monitor,
    set_monitors,
    two_monitors,
)
from desktop.walking import BROWSER, Walker, walking
from ui.whole.neighbours import welcomed
from waiting import PATIENCE_S

pytestmark = pytest.mark.skipif(
    not IS_THERE, reason="no desktop: install the packages xvfb, openbox and picom"
)
HOTKEY = ("Control_L", "Alt_L", "a")
# Openbox, with the keyboard where the pointer is.
_SLOPPY = """<openbox_config xmlns="http://openbox.org/3.4/rc">
<focus><followMouse>yes</followMouse><focusDelay>0</focusDelay><focusNew>yes</focusNew></focus>
<mouse><context name="Client"><mousebind button="Left" action="Press"><action name="Focus"/></mousebind></context></mouse>
</openbox_config>"""
ELSEWHERE = QPoint(1200, 900)


@contextmanager
def sloppy_desktop(home: Path) -> Iterator[Screen]:
    config = home / "rc.xml"
    config.write_text(_SLOPPY, "utf-8")
    with desktop(home, (OPENBOX, "--config-file", str(config))) as screen:
        yield screen


@contextmanager
def visiting(folder: Path, served: Any = desktop, **more: str) -> Iterator[Walker]:
    environment = {
        "ASKANCE_HOME": str(welcomed(folder / "home")),
        "ASKANCE_LLM__URL": "http://127.0.0.1:9",
        "ASKANCE_SEARCH__URL": "http://127.0.0.1:9",
        "ASKANCE_WINDOW__HOTKEY": "Ctrl+Alt+A",
        "ASKANCE_WINDOW__OFFER_QUOTES": "false",
    }
    with walking(folder, {**environment, **more}, folder / "pictures", served) as walker:
        walker.until(lambda seen: seen["active"] == "Askance")
        yield walker


@contextmanager
def another_window(walker: Walker) -> Iterator[None]:
    command = [sys.executable, str(BROWSER), "another"]
    process = subprocess.Popen(command, env=walker.environment)  # noqa: S603 - this Python
    try:
        walker.until_shown(lambda: walker.screen.colour(ELSEWHERE) == QColor(COLOUR))
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def here(walker: Walker) -> dict[str, Any]:
    """Have the window with the keyboard."""
    # What has just lost the keyboard goes a moment later; one that has just gone is active for a moment more.
    seen = walker.until_still()
    if seen["active"] != "Askance" or not seen["paper"]:
        walker.screen.hands.press(*HOTKEY)
    return walker.until(lambda seen: seen["active"] == "Askance" and seen["paper"])


def gone(walker: Walker) -> None:
    walker.until(lambda seen: not seen["paper"])


def test_it_goes_when_another_window_is_clicked_and_one_press_brings_it_back(
    tmp_path: Path,
) -> None:
    with visiting(tmp_path) as walker, another_window(walker):
        hands = walker.screen.hands
        here(walker)
        # It grows by the row that says what is missing.
        before = walker.until_still()["paper"]
        hands.click(ELSEWHERE)
        gone(walker)
        here(walker)
        assert walker.until_still()["paper"] == before
        # A window of its own is none.
        hands.press("Control_L", "comma")
        walker.until(lambda seen: seen["active"] == "Settings")
        hands.press("Escape")
        here(walker)
        hands.press("Control_L", "Shift_L", "p")
        walker.until_still()
        hands.click(ELSEWHERE)
        walker.until(lambda seen: not seen["active"])
        hands.type("more")
        assert walker.until_still()["paper"]


def test_a_dialog_gives_the_keyboard_back_and_does_not_count_as_another_window(
    tmp_path: Path,
) -> None:
    with visiting(tmp_path) as walker:
        for keys in (("Control_L", "u"), ("Control_L", "h"), ("F1",)):
            walker.screen.hands.press(*keys)
            walker.until(lambda seen: seen["paper"] and not seen["field_focused"])
            assert walker.until_still()["active"]
            walker.screen.hands.press("Escape")
            walker.until(lambda seen: seen["active"] == "Askance" and seen["field_focused"])


def test_where_the_keyboard_follows_the_pointer_it_stays_until_a_key_is_pressed(
    tmp_path: Path,
) -> None:
    with visiting(tmp_path, sloppy_desktop) as walker, another_window(walker):
        hands = walker.screen.hands
        here(walker)
        hands.move(QPoint(640, 260))
        hands.move(ELSEWHERE)
        walker.until(lambda seen: not seen["active"])
        hands.press("Control_L", "c")
        assert walker.until_still()["paper"]
        hands.type("a")
        gone(walker)


def property_of(walker: Walker, name: str) -> list[int]:
    """A property of the overlay, as the server has it."""
    display = walker.screen.display
    root, asked = display.screen().root, display.intern_atom(name)
    windows = [root]
    while windows:
        window = windows.pop()
        windows += window.query_tree().children
        if window.get_wm_name() == "Askance" and (
            found := window.get_full_property(asked, X.AnyPropertyType)
        ):
            return list(found.value)
    return []


def test_the_frame_follows_the_compositor_and_says_what_is_shadow(tmp_path: Path) -> None:
    with visiting(tmp_path) as walker:
        here(walker)
        # It grows by the row that says what is missing.
        x, y, width, height = walker.until_still()["paper"]
        assert property_of(walker, "_GTK_FRAME_EXTENTS") == [36, 36, 26, 46]
        edge = QPoint(x + width // 2, y + height)
        owner = walker.screen.display.get_selection_owner(
            walker.screen.display.intern_atom("_NET_WM_CM_S0")
        )
        owner.kill_client()  # type: ignore[attr-defined]
        walker.screen.display.sync()
        walker.until_shown(lambda: walker.screen.colour(edge) == QColor(LIGHT.line_2))
        assert walker.until_still()["paper"] == [x, y, width, height]
        assert property_of(walker, "_GTK_FRAME_EXTENTS") == [0, 0, 0, 0]


@pytest.mark.skipif(not HAS_MONITORS, reason="no xrandr: install the package x11-xserver-utils")
def test_a_screen_that_is_taken_away_brings_it_to_the_one_that_is_left(tmp_path: Path) -> None:
    with visiting(tmp_path, two_monitors) as walker:
        seen = here(walker)
        assert seen["screen"] == "right"
        assert seen["paper"][0] >= 640
        set_monitors(walker.environment, "--delmonitor", "right")
        seen = walker.until(lambda seen: seen["paper"][0] + seen["paper"][2] <= 640)
        assert seen["active"] == "Askance"
        # One that comes while the program runs is used at once, which a launcher's report says of its own:
        # albertlauncher/albert#380.
        walker.screen.hands.press(*HOTKEY)
        gone(walker)
        area = walker.screen.area
        set_monitor(walker.screen, "right", area.translated(-area.width(), 0))
        walker.screen.hands.move(area.center())
        walker.screen.hands.press(*HOTKEY)
        seen = walker.until(lambda seen: seen["screen"] == "right" and seen["paper"])
        assert seen["paper"][0] >= 640
