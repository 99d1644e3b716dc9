"""The window under window managers that float windows and that tile them, pressed as a person presses it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor

from desktop.browser_window import COLOUR, PRESSED
from desktop.display import HAS_I3, IS_THERE, desktop, tiling_desktop
from desktop.walking import BROWSER, Serve, Walker, walking
from servers.faults import address_of_nobody
from servers.ollama import FakeOllama
from servers.world import QUESTION, knowing_model, the_answer
from ui.whole.neighbours import neighbours, welcomed
from waiting import PATIENCE_S

HOTKEY = ("Control_L", "Alt_L", "a")
_SECOND_DESKTOP, _FIRST_DESKTOP = ("Super_L", "F2"), ("Super_L", "F1")

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
                not HAS_I3, reason="no tiling desktop: install the packages xvfb, i3-wm and picom"
            ),
        ),
    ],
    scope="module",
)


@pytest.fixture(scope="module")
def walker(served: Serve, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    """One program for all tests that only look and press."""
    folder = tmp_path_factory.mktemp("walk")
    home = welcomed(folder / "home")
    with ExitStack() as leaving:
        # This is made before `no_settings_from_outside` takes them away from each test.
        without = leaving.enter_context(pytest.MonkeyPatch.context())
        for name in [name for name in os.environ if name.startswith("ASKANCE_")]:
            without.delenv(name)
        around = leaving.enter_context(neighbours(knowing_model(answer=[the_answer])))
        environment = around.environment(
            home,
            ASKANCE_WINDOW__HOTKEY="Ctrl+Alt+A",
            ASKANCE_WINDOW__OFFER_QUOTES="false",
            ASKANCE_WINDOW__HIDE_ON_BLUR="false",
        )
        made = leaving.enter_context(walking(folder, environment, folder / "pictures", served))
        made.until(lambda seen: seen["active"] == "Askance")
        yield made


def summoned(walker: Walker) -> None:
    """Have the empty overlay on the first desktop, with the keyboard."""
    walker.screen.hands.press(*_FIRST_DESKTOP)
    walker.toggle()
    if walker.until_still()["active"] != "Askance":
        walker.toggle()
    walker.until(lambda seen: seen["active"] == "Askance")
    for keys in (("Control_L", "n"), ("Control_L", "a"), ("BackSpace",)):
        walker.screen.hands.press(*keys)
    walker.until(lambda seen: not seen["states"] and not seen["typed"])
    walker.until_shown(lambda: is_seen(walker))


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


@contextmanager
def nothing(_walker: Walker) -> Iterator[None]:
    yield


@under_each
@pytest.mark.parametrize("beside", [nothing, another_window])
def test_one_press_brings_the_window_to_the_desktop_where_its_user_is(
    walker: Walker, beside: object
) -> None:
    summoned(walker)
    hands = walker.screen.hands
    hands.press(*_SECOND_DESKTOP)
    walker.until(lambda seen: not seen["active"])
    assert not is_seen(walker)
    with beside(walker):  # type: ignore[operator]
        hands.press(*HOTKEY)
        walker.until_shown(lambda: is_seen(walker))
        walker.until(lambda seen: seen["active"] == "Askance")
        hands.type("here")
        walker.until(lambda seen: seen["typed"] == "here")
        # Where it is now, the next press hides it, and the one after that shows it again.
        hands.press(*HOTKEY)
        walker.until(lambda seen: not seen["paper"] and seen["active"] != "Askance")
        hands.press(*HOTKEY)
        walker.until(lambda seen: seen["active"] == "Askance")
        walker.until_shown(lambda: is_seen(walker))


@under_each
def test_a_press_gives_a_window_that_is_seen_the_keyboard_and_the_next_one_hides_it(
    walker: Walker,
) -> None:
    summoned(walker)
    hands = walker.screen.hands
    with another_window(walker):
        # Later than all that our window has seen: what is typed elsewhere moves that window's time on.
        hands.type("elsewhere")
        before = walker.look()["paper"]
        hands.press(*HOTKEY)
        seen = walker.until(lambda seen: seen["active"] == "Askance")
        assert (seen["paper"], seen["typed"]) == (before, "")
        hands.press(*HOTKEY)
        walker.until(lambda seen: not seen["paper"])
        # As a public report of another program has it: Flow-Launcher/Flow.Launcher#4615.
        hands.press("F9")
        corner = QPoint(40, walker.screen.picture().height() - 40)
        walker.until_shown(lambda: walker.screen.colour(corner) == QColor(PRESSED))


@under_each
def test_the_settings_come_to_the_desktop_where_they_are_wanted(walker: Walker) -> None:
    summoned(walker)
    hands = walker.screen.hands
    hands.press("Control_L", "comma")
    walker.until(lambda seen: seen["active"] == "Settings")
    hands.press(*_SECOND_DESKTOP)
    walker.until(lambda seen: not seen["active"])
    hands.press(*HOTKEY)
    walker.until(lambda seen: seen["active"] == "Askance")
    hands.press("Control_L", "comma")
    walker.until(lambda seen: seen["active"] == "Settings" and not seen["paper"])
    hands.press("Escape")
    walker.until(lambda seen: seen["active"] == "Askance")


@under_each
def test_a_double_click_on_copy_copies_and_asks_nothing(walker: Walker) -> None:
    summoned(walker)
    seen = walker.ask(QUESTION)
    assert seen["states"] == ["ANSWERED"]
    walker.until_still()

    def places() -> dict[str, list[int]]:
        return dict(walker.look()["buttons"])

    before = places()
    copy = QRect(*before["Copy"])
    walker.screen.hands.double_click(QPoint(copy.right() - 5, copy.center().y()))
    walker.until(lambda seen: "Clara Whitlow" in seen["clipboard"])
    walker.keep("copied")
    assert places() == before
    assert walker.until_still()["states"] == ["ANSWERED"]


@pytest.mark.exhaustive
@under_each
def test_on_the_first_page_enter_and_the_hotkey_do_what_they_say(
    served: Serve, tmp_path: Path
) -> None:
    with (
        neighbours(handlers={"model": FakeOllama()}) as around,
        walking(
            tmp_path,
            around.environment(
                tmp_path / "home",
                ASKANCE_SEARCH__URL=address_of_nobody(),
                ASKANCE_WINDOW__HOTKEY="Ctrl+Space",
            ),
            tmp_path / "pictures",
            served,
        ) as walker,
    ):
        hands, settings = walker.screen.hands, tmp_path / "home" / "config" / "settings.toml"
        last = [walker.look()["buttons"]]

        def stands(seen: dict[str, Any]) -> bool:
            """Whether the page has grown and stands where it will."""
            last.append(seen["buttons"])
            return bool(last[-1]) and all(buttons == last[-1] for buttons in last[-8:])

        walker.until(stands)
        walker.click_button("^Use built-in search")
        walker.until(lambda seen: seen["focus"] == "Ask a question")
        walker.keep("allowed")
        hands.press("Return")
        walker.until(lambda seen: seen["active"] == "Askance" and not seen["states"])
        assert "hotkey" not in settings.read_text("utf-8")
        hands.press("Control_L", "space")
        # It is still told to be active, until the window manager has taken the keyboard away.
        walker.until(lambda seen: not seen["paper"] and not seen["active"])
        hands.press("Control_L", "space")
        walker.until(lambda seen: seen["paper"] and seen["active"] == "Askance")
        walker.until_shown(lambda: is_seen(walker))
        hands.type("when")
        walker.until(lambda seen: seen["typed"] == "when")
