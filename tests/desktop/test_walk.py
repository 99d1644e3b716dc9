"""The program as somebody uses it who has just got it: with a mouse, a keyboard, and a desktop around it.

`ASKANCE_TEST_PICTURES` names a folder in which the picture of each step is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor

from desktop.browser_window import COLOUR
from desktop.display import IS_THERE, desktop, middle
from desktop.sway import IS_THERE as HAS_SWAY
from desktop.sway import sway
from desktop.walking import Serve, walking
from servers.world import (
    LIGHTHOUSE,
    QUESTION,
    TITLES,
    WHITLOW,
    knowing_model,
    some_answer,
    the_answer,
)
from ui.whole.neighbours import neighbours, welcomed

PICTURES = os.environ.get("ASKANCE_TEST_PICTURES", "")
FOLLOW_UP = "And who is she?"

needs_x = pytest.mark.skipif(
    not IS_THERE, reason="no desktop: install the packages xvfb, openbox and picom"
)
needs_sway = pytest.mark.skipif(
    not HAS_SWAY, reason="no desktop on Wayland: install the packages xvfb and sway"
)
on_both = pytest.mark.parametrize(
    "served",
    [
        pytest.param(desktop, id="openbox", marks=needs_x),
        pytest.param(sway, id="sway", marks=needs_sway),
    ],
)


def from_sources_or_memory(prompt: str) -> str:
    """A model that is asked for an answer without sources tells what it likes."""
    if f"] {TITLES[WHITLOW]}" in prompt:
        return the_answer(prompt)
    if f"] {TITLES[LIGHTHOUSE]}" in prompt:
        return some_answer(prompt)
    return "She was born in Lindmouth."


def pictures(tmp_path: Path, walk: str) -> Path:
    return Path(PICTURES or tmp_path / "pictures").absolute() / walk


@pytest.mark.exhaustive
@needs_x
def test_from_nothing_to_an_answer_of_the_sample_web(tmp_path: Path) -> None:
    alone = {
        "ASKANCE_HOME": str(tmp_path / "home"),
        "ASKANCE_LLM__URL": "http://127.0.0.1:9",
        "ASKANCE_SEARCH__URL": "http://127.0.0.1:9",
        "ASKANCE_WINDOW__HOTKEY": "",
    }
    with walking(tmp_path, alone, pictures(tmp_path, "from-nothing")) as walker:
        walker.until(lambda seen: any(text == "Try a demo" for text, _ in seen["buttons"]))
        walker.keep("first-run")
        walker.click_button("Try a demo")
        walker.until(lambda seen: seen["states"] and seen["field"])
        walker.keep("asked")
        seen = walker.until(lambda seen: seen["states"][-1:] == ["ANSWERED"])
        walker.keep("answered")
        assert seen["markers"], seen["words"]


@pytest.mark.exhaustive
@on_both
def test_four_answers_stay_on_the_screen_and_a_click_below_is_for_the_window_behind(
    tmp_path: Path, request: pytest.FixtureRequest, served: Serve
) -> None:
    home = welcomed(tmp_path / "home")
    script = knowing_model(answer=[from_sources_or_memory])
    with (
        neighbours(script) as around,
        walking(
            tmp_path,
            around.environment(home),
            pictures(tmp_path, f"four-answers-{request.node.callspec.id}"),
            served,
        ) as walker,
    ):
        hands, screen = walker.screen.hands, walker.screen
        browser = QColor(COLOUR)
        seen = walker.until(lambda seen: seen["paper"] and seen["active"])
        walker.keep("summoned")
        for count in range(4):
            seen = walker.ask(QUESTION if not count else FOLLOW_UP)
        walker.keep("answered")
        seen = walker.look()
        whole = screen.picture().rect()
        paper = QRect(*seen["paper"])
        assert whole.contains(paper)
        assert paper.height() > whole.height() // 2
        copies = [at for text, at in seen["buttons"] if text.startswith("Copy")]
        assert paper.contains(QRect(*copies[-1]))

        # Clicked on within the delay after which its quote would open.
        marker = middle(seen["markers"][0])
        hands.click(marker)
        walker.until_shown(lambda: screen.colour(marker) == browser)
        walker.keep("source-in-front")
        seen = walker.until(lambda seen: not seen["paper"])
        assert not seen["popup"]

        walker.toggle()
        walker.until(lambda seen: seen["active"] == "Askance")
        hands.type("/new")
        hands.press("Return")
        seen = walker.until(lambda seen: seen["paper"] and not seen["states"])
        walker.keep("anew")
        below = QRect(*walker.until_still()["paper"])
        beside = [
            QPoint(below.center().x(), below.bottom() + 200),
            QPoint(below.left() - 15, below.center().y()),
        ]
        for at in beside:
            assert screen.colour(at).blue() > screen.colour(at).red()
        # sway 1.7 gives a click within the box of a floating window to that window, whatever region
        # of it takes input.
        for at in beside if served is desktop else []:
            hands.click(at)
            # The window behind has the click and the keyboard now, and this one makes way.
            walker.until(lambda seen: not seen["paper"])
            walker.toggle()
            walker.until(lambda seen: seen["active"] == "Askance")
        hands.type("still here")
        walker.until(lambda seen: seen["typed"] == "still here")
        walker.keep("typed")


@pytest.mark.exhaustive
@on_both
def test_another_window_comes_up_in_front_of_the_overlay_with_the_keyboard(
    tmp_path: Path, request: pytest.FixtureRequest, served: Serve
) -> None:
    alone = {
        "ASKANCE_HOME": str(tmp_path / "home"),
        "ASKANCE_LLM__URL": "http://127.0.0.1:9",
        "ASKANCE_SEARCH__URL": "http://127.0.0.1:9",
        "ASKANCE_WINDOW__HOTKEY": "",
    }
    folder = pictures(tmp_path, f"first-page-{request.node.callspec.id}")
    with walking(tmp_path, alone, folder, served) as walker:
        hands = walker.screen.hands
        # The page has all of its rows: it grows no more.
        offered = {"Download", "Download 1.1 GB", "Use built-in search"}
        walker.until(lambda seen: offered <= {text for text, _ in seen["buttons"]})
        walker.keep("first-run")
        # Where Ollama is to be had; the button above it loads a model.
        walker.click_button("^Download$")
        walker.until(lambda seen: not seen["buttons"])
        walker.keep("browser-in-front")
        walker.toggle()
        walker.ask("/search When?")
        walker.keep("failed")
        walker.click_button("Troubleshoot|Set up search")
        walker.until(lambda seen: seen["active"] == "Welcome" and not seen["paper"])
        walker.keep("first-run-again")
        hands.press("Escape")
        walker.until(lambda seen: seen["active"] == "Askance")
        hands.type("/settings")
        hands.press("Return")
        walker.until(lambda seen: seen["active"] == "Settings" and not seen["paper"])
        walker.keep("settings")
        hands.press("Escape")
        walker.until(lambda seen: seen["active"] == "Askance")
        walker.keep("back")
