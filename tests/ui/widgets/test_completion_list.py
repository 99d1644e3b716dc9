"""The list of commands: as high as its rows, one of them selected, and readable without eyes."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QImage
from PySide6.QtTest import QSignalSpy, QTest
from pytestqt.qtbot import QtBot

from askance.app.commands import COMMANDS, Command, Completion, Wants, completions
from askance.ui.design.theme import DARK, LIGHT, Look, load_fonts
from askance.ui.overlay.bar.completion_list import CompletionList


@pytest.fixture
def listed(qtbot: QtBot) -> CompletionList:
    load_fonts()
    made = CompletionList(Look(LIGHT))
    qtbot.addWidget(made)
    made.setFixedWidth(720)
    return made


def offered(text: str) -> tuple[Completion, ...]:
    return completions(text)


def centre_of(listed: CompletionList, row: int) -> QPoint:
    return listed.visualRect(listed.model().index(row, 0)).center()


def colour_in(listed: CompletionList, row: int) -> str:
    """The colour near the right end of a row, where no words are."""
    rect = listed.visualRect(listed.model().index(row, 0))
    image = listed.viewport().grab().toImage()
    return image.pixelColor(rect.right() - 20, rect.center().y()).name().upper()


def test_it_is_closed_until_there_is_something_to_choose(listed: CompletionList) -> None:
    assert not listed.is_open
    assert listed.current is None

    listed.offer(offered("/s"))
    assert listed.is_open
    assert listed.current == offered("/s")[0]

    listed.offer(())
    assert not listed.is_open
    assert listed.current is None


def test_it_is_as_high_as_its_rows_up_to_the_eighth(listed: CompletionList) -> None:
    listed.offer(offered("/")[:1])
    one = listed.height()
    listed.offer(offered("/")[:3])
    three = listed.height()
    listed.offer(offered("/"))

    assert three - one == 2 * 35
    assert listed.height() - one == 7 * 35


def test_the_selected_row_is_scrolled_to(listed: CompletionList, qtbot: QtBot) -> None:
    listed.offer(offered("/"))
    with qtbot.waitExposed(listed):
        listed.show()

    listed.step(-1)

    last = listed.visualRect(listed.currentIndex())
    assert listed.viewport().rect().contains(last)


def test_only_the_selected_row_lies_on_the_soft_accent(listed: CompletionList) -> None:
    listed.offer(offered("/s"))
    listed.step(1)

    assert colour_in(listed, 1) == LIGHT.accent_soft
    assert colour_in(listed, 0) != LIGHT.accent_soft

    listed.set_look(Look(DARK))
    assert colour_in(listed, 1) == DARK.accent_soft


def test_the_same_completions_again_keep_what_is_selected(listed: CompletionList) -> None:
    listed.offer(offered("/s"))
    listed.step(1)
    listed.offer(offered("/s"))

    assert listed.current == offered("/s")[1]


def test_a_moving_pointer_selects_and_a_click_chooses(listed: CompletionList, qtbot: QtBot) -> None:
    chosen = QSignalSpy(listed.chosen)
    listed.offer(offered("/"))
    with qtbot.waitExposed(listed):
        listed.show()

    QTest.mouseMove(listed.viewport(), centre_of(listed, 2))
    qtbot.waitUntil(lambda: listed.current == offered("/")[2])
    assert chosen.count() == 0

    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=centre_of(listed, 1))
    assert [chosen.at(n) for n in range(chosen.count())] == [[offered("/")[1]]]


def test_a_list_that_opens_under_a_resting_pointer_keeps_the_first_row(
    listed: CompletionList, qtbot: QtBot
) -> None:
    with qtbot.waitExposed(listed):
        listed.show()
    QTest.mouseMove(listed, QPoint(200, 100))

    listed.offer(offered("/"))
    listed.repaint()

    assert listed.currentIndex().row() == 0


def test_a_screen_reader_hears_the_command_and_what_it_does(listed: CompletionList) -> None:
    listed.offer(offered("/search"))

    received = QAccessible.queryAccessibleInterface(listed)
    assert received.text(QAccessible.Text.Name) == "Commands"
    row = received.child(0)
    assert row.text(QAccessible.Text.Name) == f"/search: {COMMANDS[0].about}"


def test_words_never_lie_on_a_name_that_is_longer_than_its_column(listed: CompletionList) -> None:
    name = "a-very-long-name-of-a-command"

    def picture(about: str) -> QImage:
        listed.offer((Completion(Command(name, about, Wants.NOTHING), "/a"),))
        return listed.grab().toImage()

    bare, whole = picture(" "), picture("Does nothing " * 30)
    differing = [
        x
        for x in range(whole.width())
        if any(whole.pixel(x, y) != bare.pixel(x, y) for y in range(whole.height()))
    ]

    name_width = QFontMetrics(Look(LIGHT).font(14, QFont.Weight.Medium)).horizontalAdvance(name)
    assert differing[0] > 18 + name_width + 12
    assert differing[-1] < 720 - 12
