"""The look: colours that can be read, icons that exist, windows with their own paper."""

from __future__ import annotations

from itertools import product

import pytest
from PySide6.QtCore import QMargins, QRect
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from askance.ui.design import drawing, theme
from askance.ui.design.frame import Frame, centred_in_upper_third
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.placement import FramePlacement
from askance.ui.design.theme import (
    DARK,
    LIGHT,
    Look,
    Palette,
    apply_look,
    style_sheet,
)

SCHEMES = [LIGHT, DARK]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colours", SCHEMES)
def test_every_text_can_be_read_on_every_ground(colours: Palette) -> None:
    inks = [colours.ink, colours.ink_2, colours.ink_3, colours.accent, colours.amber, colours.red]
    soft = (colours.accent_soft, colours.amber_soft)
    for ink, ground in product(inks, (colours.paper, colours.raised, *soft)):
        assert contrast(ink, ground) >= 4.5, (ink, ground)
    assert contrast(colours.paper, colours.accent) >= 4.5, "words of a primary button"


@pytest.mark.parametrize("colours", SCHEMES)
def test_every_control_is_seen_by_its_edge(colours: Palette) -> None:
    for mark, ground in product(
        (colours.edge, colours.accent), (colours.paper, colours.raised, colours.accent_soft)
    ):
        assert contrast(mark, ground) >= 3, (mark, ground)
    sheet = style_sheet(Look(colours))
    for control in ("QPushButton {", 'QPlainTextEdit[field="true"] {'):
        rule = sheet.partition(control)[2].partition("}")[0]
        assert f"1px solid {colours.edge}" in rule


def test_measures_grow_with_the_size_of_text() -> None:
    look = Look(LIGHT, scale=1.5)
    assert look.px(10) == 15
    assert look.font(theme.BODY_TEXT).pixelSize() == 22
    assert look.motion_ms == theme.MOTION_MS
    assert Look(LIGHT, moves=False).motion_ms == 0
    assert style_sheet(look) != style_sheet(Look(LIGHT))


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_icons_are_sharp_and_in_the_colour_asked_for(qtbot: QtBot, ratio: float) -> None:
    picture = drawing.pixmap("mark", "#ff0000", 24, ratio)
    assert picture.width() == 24 * ratio
    image = picture.toImage()
    colours = {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }
    assert colours == {"#ff0000"}


@pytest.mark.parametrize("colours", SCHEMES)
def test_a_frame_is_paper_with_a_shadow_around_it(qtbot: QtBot, colours: Palette) -> None:
    frame = Frame(Look(colours))
    qtbot.addWidget(frame)
    frame.contents.addWidget(QLabel("text"))
    frame.resize(400, 300)
    frame.show()
    image = frame.grab().toImage()
    paper = frame.paper
    assert image.pixelColor(paper.center().x(), paper.bottom() - 20) == QColor(colours.paper)
    below = image.pixelColor(paper.center().x(), paper.bottom() + 6)
    assert below != QColor(colours.paper)
    assert image.pixelColor(0, 0).alpha() < 30


def test_a_window_stands_in_the_upper_third_of_its_screen() -> None:
    place = centred_in_upper_third(QRect(0, 0, 720, 100), QRect(1920, 0, 1600, 1000))
    assert (place.x(), place.y()) == (1920 + 440, 220)
    high = centred_in_upper_third(QRect(0, 0, 720, 850), QRect(1920, 40, 1600, 900))
    assert high.y() == 90  # all of it is on the screen
    assert centred_in_upper_third(QRect(0, 0, 9, 999), QRect(0, 40, 900, 900)).y() == 40


def test_where_the_compositor_places_windows_only_the_paper_in_them_grows(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.ui.design.placement.can_place_windows", lambda: False)
    monkeypatch.setattr("askance.ui.design.frame.can_be_seen_through", lambda: True)
    frame = Frame(Look(LIGHT, moves=False))
    qtbot.addWidget(frame)
    frame.contents.addWidget(label := QLabel("text"))
    placing = FramePlacement(frame)
    placing.place()
    placing.grow_to(90)
    frame.show()
    highest = frame.height()
    assert frame.paper.height() == 90
    assert frame.paper.height() < placing.most_height < highest
    image = frame.grab().toImage()
    below = frame.paper.bottom() + 150
    assert image.pixelColor(frame.paper.center().x(), below).alpha() == 0
    for height in (300, placing.most_height):
        placing.grow_to(height)
        assert frame.height() == highest
        assert frame.paper.height() == height
        assert frame.paper.contains(label.geometry())


def test_a_pinned_window_that_gets_back_the_size_from_before_is_as_high_as_what_it_shows(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As sway does once another window has the keyboard.
    monkeypatch.setattr("askance.ui.design.placement.can_place_windows", lambda: False)
    monkeypatch.setattr("askance.ui.design.frame.can_be_seen_through", lambda: True)
    frame = Frame(Look(LIGHT, moves=False))
    qtbot.addWidget(frame)
    placing = FramePlacement(frame)
    placing.place()
    placing.grow_to(90)
    frame.show()
    before = frame.size()
    placing.set_pinned(True)
    placing.grow_to(90)
    assert frame.height() < before.height()
    frame.resize(before)
    placing.grow_to(90)
    assert (frame.size(), frame.paper.height()) == (before, 90)
    # Any other size is one that it was given.
    frame.resize(before.width(), 400)
    placing.grow_to(90)
    assert frame.paper.height() > 300


@pytest.mark.parametrize(("screen", "most"), [((1920, 1080), 756), ((960, 540), 459)])
def test_a_low_screen_gives_the_window_a_larger_share(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, screen: tuple[int, int], most: int
) -> None:
    monkeypatch.setattr(FramePlacement, "_area", property(lambda _: QRect(0, 0, *screen)))
    frame = Frame(Look(LIGHT))
    qtbot.addWidget(frame)
    assert FramePlacement(frame).most_height == most


def test_a_frame_declares_its_shadow_when_it_has_changed(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    declared: list[QMargins] = []
    monkeypatch.setattr(
        "askance.ui.design.frame.declare_margins", lambda _, margins: declared.append(margins)
    )
    frame = Frame(Look(LIGHT))
    qtbot.addWidget(frame)
    frame.resize(400, 300)
    frame.set_paper_height(100)
    assert not declared, "no window yet"
    frame.show()
    for height in (100, 100, 120, 120):
        frame.set_paper_height(height)
    assert [margins.bottom() for margins in declared] == [
        200 - declared[0].top(),
        180 - declared[0].top(),
    ]
    frame.hide()
    frame.show()
    assert declared[1:] == [declared[1]] * 2, "the server forgets it with the window"


def test_a_label_keeps_its_margins_at_every_size_of_text(qtbot: QtBot, qapp: QApplication) -> None:
    look = Look(LIGHT, 2.5)
    apply_look(qapp, look)
    label = StyledLabel(look, TextStyle.LEAD, "text")
    qtbot.addWidget(label)
    label.setContentsMargins(0, look.px(6), 0, look.px(14))
    label.ensurePolished()
    assert label.contentsMargins().top() + label.contentsMargins().bottom() == look.px(20)
    apply_look(qapp, Look(LIGHT))
