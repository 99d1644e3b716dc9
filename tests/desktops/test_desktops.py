"""The program on each desktop that can be started here, with a pointer and a keyboard: `make test-desktops`.

`ASKANCE_TEST_PICTURES` names a folder in which the picture of each step is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor

from desktop.browser_window import COLOUR
from desktop.test_walk import FOLLOW_UP, from_sources_or_memory
from desktops.compositors import DESKTOPS, Compositor, missing
from desktops.walker import PICTURES, room
from servers.world import QUESTION, knowing_model

pytestmark = pytest.mark.desktops

on_each = pytest.mark.parametrize(
    "compositor",
    [
        pytest.param(
            found,
            id=found.name,
            marks=pytest.mark.skipif(bool(missing(found)), reason=missing(found)),
        )
        for found in DESKTOPS
    ],
)


@pytest.fixture
def pictures(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    compositor = request.getfixturevalue("compositor")
    walk = request.node.originalname.removeprefix("test_")[:40]
    return Path(PICTURES or tmp_path / "pictures").absolute() / compositor.name / walk


def test_a_desktop_can_be_started_here() -> None:
    problems = [missing(compositor) for compositor in DESKTOPS]
    assert not all(problems), "\n".join(problems)


@on_each
def test_from_a_key_to_an_answer_and_its_source(compositor: Compositor, pictures: Path) -> None:
    script = knowing_model(answer=[from_sources_or_memory])
    with room(compositor, pictures, script=script) as found, found.program() as walker:
        hands, session = walker.hands, found.session
        walker.until(lambda seen: seen["active"] == "Askance")
        paper = walker.paper()
        walker.keep("started")
        assert found.screen.layout.size.width() // 2 in range(paper.left(), paper.right())

        # Its shadow is there, and darkens what is behind it.
        beside = QPoint(paper.left() - 6, paper.center().y())
        assert found.screen.colour(beside).blue() < QColor("#335577").blue()

        seen = walker.ask(QUESTION)
        assert seen["states"][-1] == "ANSWERED"
        assert seen["markers"], "Enter did not search"
        walker.until_still()
        walker.keep("answered")

        walker.click_button("^Copy")
        walker.until(lambda seen: "Clara Whitlow" in seen["clipboard"])
        assert "Clara Whitlow" in session.run(["wl-paste", "--no-newline"])

        seen = walker.look()
        marker = walker.at(seen["markers"][0])
        hands.move(marker)
        walker.until(lambda seen: seen["popup"])
        walker.keep("hovered")
        hands.click(marker)
        browser = QColor(COLOUR)
        # Not where the pointer is, which is in the picture.
        beside = paper.topLeft() + QPoint(40, 40)
        walker.until_shown(lambda: found.screen.colour(beside) == browser)
        walker.until(lambda seen: not seen["paper"])
        walker.keep("source-in-front")

        hands.press("F9")
        walker.until(lambda seen: seen["active"] == "Askance")
        seen = walker.ask(FOLLOW_UP)
        assert seen["states"] == ["ANSWERED", "ANSWERED"]
        walker.keep("back-and-followed-up")
        hands.press("F9")
        walker.until(lambda seen: not seen["paper"])
