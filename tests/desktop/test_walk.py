"""The program as somebody uses it who has just got it: with a mouse, a keyboard, and a desktop around it.

`ASKANCE_TEST_PICTURES` names a folder in which the picture of each step is kept.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from desktop.browser_window import COLOUR
from desktop.display import IS_THERE, middle
from desktop.walking import walking
from servers.world import (
    LIGHTHOUSE,
    QUESTION,
    TITLES,
    WHITLOW,
    knowing_model,
    some_answer,
    the_answer,
)
from ui.whole.neighbours import neighbours

PICTURES = os.environ.get("ASKANCE_TEST_PICTURES", "")
FOLLOW_UP = "And who is she?"

pytestmark = pytest.mark.skipif(
    not IS_THERE, reason="no desktop: install the packages xvfb, openbox and picom"
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


def test_from_nothing_to_an_answer_of_the_sample_web(tmp_path: Path) -> None:
    alone = {
        "ASKANCE_HOME": str(tmp_path / "home"),
        "ASKANCE_LLM__URL": "http://127.0.0.1:9",
        "ASKANCE_SEARCH__URL": "http://127.0.0.1:9",
        "ASKANCE_WINDOW__HOTKEY": "",
    }
    with walking(tmp_path, alone, pictures(tmp_path, "from-nothing")) as walker:
        walker.until(lambda seen: any("sample web" in text for text, _ in seen["buttons"]))
        walker.keep("first-run")
        walker.click_button("sample web")
        walker.until(lambda seen: seen["states"] and seen["field"])
        walker.keep("asked")
        seen = walker.until(lambda seen: seen["states"][-1:] == ["ANSWERED"])
        walker.keep("answered")
        assert seen["markers"], seen["words"]


def test_from_a_question_in_plain_words_to_its_source_and_on(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "data").mkdir(parents=True)
    (home / "data" / "welcomed").touch()
    script = knowing_model(answer=[from_sources_or_memory])
    with (
        neighbours(script) as around,
        walking(
            tmp_path,
            around.environment(home, ASKANCE_WINDOW__HOTKEY="Ctrl+Alt+A"),
            pictures(tmp_path, "question"),
        ) as walker,
    ):
        hands, screen = walker.screen.hands, walker.screen
        field = walker.until(lambda seen: seen["field"])["field"]
        walker.until_shown(lambda: screen.colour(middle(field)) != screen.colour(QPoint(2, 2)))
        walker.keep("summoned")
        seen = walker.ask(QUESTION)
        walker.keep("answered")
        assert seen["states"][-1] == "ANSWERED"
        assert seen["markers"], "Enter did not search"

        marker = middle(seen["markers"][0])
        hands.move(marker)
        walker.until(lambda seen: seen["popup"])
        walker.keep("hovered")
        # It stays while the pointer does: a compositor's shadow below the pointer takes it away.
        for _ in range(10):
            assert walker.look()["popup"]

        hands.click(marker)
        browser = QColor(COLOUR)
        away = QPoint(marker.x(), marker.y())
        walker.until_shown(lambda: screen.colour(away) == browser)
        walker.keep("source-in-front")

        hands.press("Alt_L", "F4")
        walker.until_shown(lambda: screen.colour(away) != browser)
        if walker.look()["field"] is None:  # it made way for the browser
            hands.press("Control_L", "Alt_L", "a")
        seen = walker.ask(FOLLOW_UP)
        walker.keep("followed-up")
        assert seen["states"] == ["ANSWERED", "ANSWERED"]
        assert seen["markers"], "the follow-up was not searched"

        walker.click_button("^Copy")
        seen = walker.until(lambda seen: "Clara Whitlow" in seen["clipboard"])
        walker.keep("copied")
        assert "\\[" not in seen["clipboard"]
