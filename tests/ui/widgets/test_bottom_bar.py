"""The bar at the foot: lights that colour alone does not tell, hints that give way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from askance.presentation.steps import Tone
from askance.ui.design.labels import ElidedLabel
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.bar.status import BottomBar, StatusIndicator

LIGHTS = (
    StatusIndicator("gemma3:4b", Tone.GOOD),
    StatusIndicator("SearXNG"),
    StatusIndicator("reader"),
)
HINTS = ("↑ last question", "⇧↵ new line")
DOWN = StatusIndicator(
    "SearXNG is not running", Tone.BAD, "Searches fail until it runs.", "start-searxng"
)


@pytest.fixture
def bar(qtbot: QtBot) -> BottomBar:
    load_fonts()
    made = BottomBar(Look(LIGHT))
    qtbot.addWidget(made)
    made.resize(720, made.height())
    with qtbot.waitExposed(made):
        made.show()
    return made


def words(bar: BottomBar) -> list[str]:
    """What is seen, from left to right."""
    seen = [w for w in bar.findChildren(QLabel) if w.isVisible()]
    seen_buttons = [b for b in bar.findChildren(QPushButton) if b.isVisible()]
    ordered = sorted([*seen, *seen_buttons], key=lambda w: w.mapTo(bar, w.rect().topLeft()).x())
    return [w.text() for w in ordered]


def settle(bar: BottomBar) -> QImage:
    QApplication.processEvents()
    return bar.grab().toImage()


def dot_colours(bar: BottomBar) -> tuple[str, str]:
    """The colour at the middle of the first dot, and the most of its left edge."""
    image = settle(bar)
    x, y = 18, image.height() // 2
    return image.pixelColor(x + 3, y).name().upper(), image.pixelColor(x + 1, y).name().upper()


def test_it_is_as_high_as_drawn_with_a_hairline_above(bar: BottomBar) -> None:
    assert bar.height() == 34
    assert settle(bar).pixelColor(300, 0).name().upper() == LIGHT.line
    assert settle(bar).pixelColor(300, 1).name().upper() != LIGHT.line


def test_lights_stand_at_the_left_and_hints_at_the_right(bar: BottomBar) -> None:
    bar.set_lights(LIGHTS)
    bar.set_hints(HINTS)
    settle(bar)

    assert words(bar) == ["gemma3:4b", "SearXNG", "reader", *HINTS]


@pytest.mark.parametrize("scale", [1.0, 1.25, 1.5])
def test_buttons_and_texts_stand_on_one_line_and_look_alike(
    bar: BottomBar, qapp: QApplication, scale: float
) -> None:
    look = Look(LIGHT, scale)
    apply_look(qapp, look)
    bar.set_look(look)
    bar.resize(round(720 * scale), bar.height())
    bar.set_lights(
        (
            StatusIndicator("word", Tone.GOOD, action="a"),
            StatusIndicator("word", action="b"),
            StatusIndicator("word"),
        )
    )
    bar.set_hints(("word",))
    settle(bar)
    if (focused := bar.window().focusWidget()) is not None:
        focused.clearFocus()
    shown = [w for w in (*bar.findChildren(QPushButton), *bar.findChildren(QLabel)) if w.text()]
    assert len([w for w in shown if w.isVisible()]) == 4
    assert {ink_of(bar, w) for w in shown if w.isVisible()} == {ink_of(bar, shown[0])}


def ink_of(bar: BottomBar, part: QWidget) -> tuple[int, int, int]:
    """From which row of the bar to which a part draws, and how dark its darkest pixel is."""
    image, left = settle(bar), part.mapTo(bar, part.rect().topLeft()).x()
    rows = [
        (min(image.pixelColor(x, y).lightness() for x in range(left, left + part.width())), y)
        for y in range(3, image.height())
    ]
    drawn = [y for lightness, y in rows if lightness < 170]
    return drawn[0], drawn[-1], min(rows)[0] // 8


def test_the_same_places_take_other_words_without_being_built_anew(bar: BottomBar) -> None:
    bar.set_lights(LIGHTS[:2])
    bar.set_hints(("1,840 of 8,192 tokens",))
    before = bar.findChildren(QWidget)

    bar.set_lights((LIGHTS[0], StatusIndicator("round 2 of 3")))
    bar.set_hints(("1,841 of 8,192 tokens",))
    settle(bar)

    assert words(bar) == ["gemma3:4b", "round 2 of 3", "1,841 of 8,192 tokens"]
    assert bar.findChildren(QWidget) == before


def test_fewer_lights_and_hints_leave_nothing_behind(bar: BottomBar) -> None:
    bar.set_lights(LIGHTS)
    bar.set_hints(HINTS)
    bar.set_lights((DOWN,))
    bar.set_hints(())
    settle(bar)

    assert words(bar) == ["SearXNG is not running"]


def test_what_is_well_is_a_disc_and_what_is_not_is_a_ring(bar: BottomBar) -> None:
    paper = bar.palette().window().color().name().upper()
    bar.set_lights((StatusIndicator("well", Tone.GOOD),))
    assert dot_colours(bar) == (LIGHT.accent, LIGHT.accent)

    for tone, colour in ((Tone.AMBER, LIGHT.amber), (Tone.BAD, LIGHT.red)):
        bar.set_lights((StatusIndicator("not well", tone),))
        middle, edge = dot_colours(bar)
        assert middle == paper
        assert abs(QColor(edge).hue() - QColor(colour).hue()) < 15


def test_a_light_without_an_action_is_no_button(bar: BottomBar) -> None:
    bar.set_lights((DOWN,))
    bar.set_lights((StatusIndicator("SearXNG", Tone.GOOD, "It runs."),))
    settle(bar)

    assert words(bar) == ["SearXNG"]
    (label,) = [w for w in bar.findChildren(ElidedLabel) if w.isVisible()]
    assert label.accessibleName() == "SearXNG, It runs."


def test_where_it_is_narrow_hints_give_way_first_then_long_names(bar: BottomBar) -> None:
    long = StatusIndicator("a-model-with-a-very-long-name-of-many-parts:70b-instruct-q4", Tone.GOOD)
    bar.set_lights((long, LIGHTS[1]))
    bar.set_hints(HINTS)
    settle(bar)
    assert [w for w in words(bar) if w in HINTS] == list(HINTS)

    bar.resize(600, bar.height())
    settle(bar)
    assert [w for w in words(bar) if w in HINTS] == [HINTS[1]]

    bar.resize(300, bar.height())
    settle(bar)
    assert [w for w in words(bar) if w in HINTS] == []
    cut = [w for w in bar.findChildren(ElidedLabel) if w.isVisible() and w.is_cut]
    assert [w.text() for w in cut] == [long.text]
    assert max(w.mapTo(bar, w.rect().topRight()).x() for w in cut) < 300

    bar.resize(720, bar.height())
    settle(bar)
    assert [w for w in words(bar) if w in HINTS] == list(HINTS)


def test_words_are_never_taken_for_markup(bar: BottomBar) -> None:
    bar.set_hints(("<b>bold</b>",))

    (hint,) = [w for w in bar.findChildren(QLabel) if w.isVisible()]
    assert hint.textFormat() is Qt.TextFormat.PlainText
