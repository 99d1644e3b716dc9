"""The window under window managers that float windows and that tile them, pressed as a person presses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from desktop.browser_window import COLOUR
from desktop.display import HAS_I3, IS_THERE, desktop, tiling_desktop
from desktop.walking import BROWSER, Serve, Walker, walking
from waiting import PATIENCE_S

HOTKEY = ("Control_L", "Alt_L", "a")
CLOSED = {"ASKANCE_LLM__URL": "http://127.0.0.1:9", "ASKANCE_SEARCH__URL": "http://127.0.0.1:9"}

under_each = pytest.mark.parametrize(
    "served",
    [
        pytest.param(
            desktop,
            id="openbox",
            marks=pytest.mark.skipif(
                not IS_THERE, reason="no desktop: install the packages xvfb, openbox and picom"
            ),
        ),
        pytest.param(
            tiling_desktop,
            id="i3",
            marks=pytest.mark.skipif(
                not HAS_I3,
                reason="no desktop that tiles: install the packages xvfb, i3-wm and picom",
            ),
        ),
    ],
)


@contextmanager
def overlay_on(tmp_path: Path, served: Serve) -> Iterator[Walker]:
    """Start the program, whose overlay is there and has the keyboard."""
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    (home / "data" / "welcomed").touch()
    environment = {
        **CLOSED,
        "ASKANCE_HOME": str(home),
        "ASKANCE_WINDOW__HOTKEY": "Ctrl+Alt+A",
        "ASKANCE_WINDOW__OFFER_QUOTES": "false",
    }
    with walking(tmp_path, environment, tmp_path / "pictures", served) as walker:
        walker.until(lambda seen: seen["active"] == "Askance")
        yield walker


def is_seen(walker: Walker) -> bool:
    """Whether the screen shows the paper where the program says that it is."""
    seen = walker.look()
    if not seen["paper"]:
        return False
    x, y, width, _ = seen["paper"]
    at = QPoint(x + width // 2, y + 3)
    return walker.screen.colour(at) == QColor(seen["paper_colour"])


@contextmanager
def another_window(walker: Walker) -> Iterator[None]:
    """Open a window of another program, which has the keyboard, on the desktop that is seen."""
    command = [sys.executable, str(BROWSER), "another"]
    process = subprocess.Popen(command, env=walker.environment)  # noqa: S603 - this Python
    corner = QPoint(40, walker.screen.picture().height() - 40)
    try:
        walker.until_shown(lambda: walker.screen.colour(corner) == QColor(COLOUR))
        walker.screen.hands.click(corner)
        walker.until(lambda seen: not seen["active"])
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


@under_each
@pytest.mark.parametrize("is_empty", [True, False], ids=["empty", "with-another-window"])
def test_one_press_brings_the_window_to_the_desktop_where_its_user_is(
    tmp_path: Path, served: Serve, is_empty: bool
) -> None:
    with overlay_on(tmp_path, served) as walker:
        hands = walker.screen.hands
        walker.until_shown(lambda: is_seen(walker))
        hands.press("Super_L", "F2")
        walker.until_shown(lambda: not is_seen(walker))
        with (nothing if is_empty else another_window)(walker):
            hands.press(*HOTKEY)
            walker.until_shown(lambda: is_seen(walker))
            walker.until(lambda seen: seen["active"] == "Askance")
            walker.keep("brought")
            hands.type("here")
            walker.until(lambda seen: seen["typed"] == "here")
            # Where it is now, the next press hides it, and the one after that shows it again.
            hands.press(*HOTKEY)
            walker.until(lambda seen: not seen["paper"])
            hands.press(*HOTKEY)
            walker.until(lambda seen: seen["active"] == "Askance")
            walker.until_shown(lambda: is_seen(walker))
        hands.press("Super_L", "F1")
        walker.until_shown(lambda: not is_seen(walker))
        hands.press(*HOTKEY)
        walker.until_shown(lambda: is_seen(walker))


@under_each
def test_a_press_gives_a_window_that_is_seen_the_keyboard_and_the_next_one_hides_it(
    tmp_path: Path, served: Serve
) -> None:
    with overlay_on(tmp_path, served) as walker, another_window(walker):
        hands = walker.screen.hands
        assert is_seen(walker)
        # Later than all that our window has seen: what is typed elsewhere moves that window's time on.
        hands.type("elsewhere")
        before = walker.look()["paper"]
        hands.press(*HOTKEY)
        seen = walker.until(lambda seen: seen["active"] == "Askance")
        assert seen["paper"] == before
        assert seen["typed"] == ""
        hands.press(*HOTKEY)
        walker.until(lambda seen: not seen["paper"])


@under_each
def test_the_settings_come_to_the_desktop_where_they_are_wanted(
    tmp_path: Path, served: Serve
) -> None:
    with overlay_on(tmp_path, served) as walker:
        hands = walker.screen.hands
        hands.press("Control_L", "comma")
        walker.until(lambda seen: seen["active"] == "Settings")
        hands.press("Super_L", "F2")
        walker.until(lambda seen: not seen["active"])
        hands.press(*HOTKEY)
        walker.until(lambda seen: seen["active"] == "Askance")
        hands.press("Control_L", "comma")
        walker.until(lambda seen: seen["active"] == "Settings" and not seen["paper"])
        walker.keep("settings")
        hands.press("Escape")
        walker.until(lambda seen: seen["active"] == "Askance")


@contextmanager
def nothing(_walker: Walker) -> Iterator[None]:
    yield
