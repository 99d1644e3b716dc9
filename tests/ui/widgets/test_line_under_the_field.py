"""The line under the field: it follows what is done, eased where things may move."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from askance.ui.design.controls import ProgressLine
from askance.ui.design.theme import DARK, LIGHT, Look


@pytest.fixture
def still(qtbot: QtBot) -> ProgressLine:
    return made(qtbot, Look(LIGHT, moves=False))


@pytest.fixture
def moving(qtbot: QtBot) -> ProgressLine:
    return made(qtbot, Look(LIGHT))


def made(qtbot: QtBot, look: Look) -> ProgressLine:
    line = ProgressLine(look)
    qtbot.addWidget(line)
    line.setFixedWidth(100)
    with qtbot.waitExposed(line):
        line.show()
    return line


def colours(line: ProgressLine, y: int = 1) -> list[str]:
    image = line.grab().toImage()
    return [image.pixelColor(x, y).name().upper() for x in range(100)]


class Painted(QObject):
    """Counts how often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.times = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's interface
        self.times += event.type() is QEvent.Type.Paint
        return super().eventFilter(watched, event)


@pytest.mark.parametrize("fraction", [0.7, None])
def test_it_is_drawn_with_all_else_and_not_at_once(
    still: ProgressLine, qtbot: QtBot, fraction: float | None
) -> None:
    still.set_fraction(0.5)
    painted = Painted(still)

    still.set_fraction(fraction)
    assert not painted.times

    qtbot.waitUntil(lambda: painted.times == 1)


def test_it_is_two_pixels_high_and_shows_what_is_done(still: ProgressLine) -> None:
    still.set_fraction(0.58)

    assert still.height() == 2
    assert colours(still, 0) == colours(still, 1) == [LIGHT.accent] * 58 + [LIGHT.line] * 42


def test_without_a_known_fraction_nothing_is_drawn(still: ProgressLine) -> None:
    still.set_fraction(0.5)
    still.set_fraction(None)

    assert not {LIGHT.accent, LIGHT.line} & {*colours(still, 0), *colours(still, 1)}


def test_a_ruled_line_is_a_hairline_while_nothing_runs(still: ProgressLine) -> None:
    still.set_ruled(True)

    assert colours(still, 0) == [LIGHT.line] * 100
    assert LIGHT.line not in colours(still, 1)


def test_it_moves_on_a_little_at_a_time_and_arrives(moving: ProgressLine, qtbot: QtBot) -> None:
    moving.set_fraction(0.0)
    moving.set_fraction(0.8)
    assert moving.shown < 0.8

    qtbot.waitUntil(lambda: moving.shown == 0.8)


def test_a_run_that_ends_on_the_way_leaves_nothing_moving(moving: ProgressLine) -> None:
    moving.set_fraction(0.9)
    moving.set_fraction(None)
    moved = QSignalSpy(moving._easing.valueChanged)

    assert (moving.fraction, moving.shown) == (None, 0.0)
    assert moving._easing.state() is moving._easing.State.Stopped
    assert moved.count() == 0


def test_motion_that_is_switched_off_ends_at_its_aim(moving: ProgressLine) -> None:
    moving.set_fraction(0.9)

    moving.set_look(Look(DARK, moves=False))

    assert moving.shown == 0.9
    assert colours(moving)[:90] == [DARK.accent] * 90


def test_a_screen_reader_hears_how_much_is_done(still: ProgressLine) -> None:
    still.set_fraction(0.58)

    received = QAccessible.queryAccessibleInterface(still)
    assert received.role() is QAccessible.Role.ProgressBar
    assert received.text(QAccessible.Text.Name) == "Progress"
    assert received.valueInterface().currentValue() == 58
