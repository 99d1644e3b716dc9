"""The chips of quoted texts: shown once, and taken away by mouse and by keyboard."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from askance.domain.conversation import QuoteOrigin
from askance.ui.design.labels import ElidedLabel
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.bar.ask_field import INSET
from askance.ui.overlay.bar.quotes import ChipRow
from askance.ui.overlay.conversation.field import Chip

ONE, TWO = Chip(QuoteOrigin.PASTED, "one word more"), Chip(QuoteOrigin.SELECTED, "two")
Key = Qt.Key


@pytest.fixture
def row(qtbot: QtBot) -> ChipRow:
    load_fonts()
    made = ChipRow(Look(LIGHT))
    qtbot.addWidget(made)
    made.setFixedWidth(590)
    return made


def crosses(row: ChipRow) -> list[QPushButton]:
    return [cross for cross in row.findChildren(QPushButton) if not cross.parent().isHidden()]  # type: ignore[union-attr]


def test_it_is_hidden_while_there_is_no_chip(row: ChipRow) -> None:
    assert row.isHidden()
    row.add(ONE)
    assert not row.isHidden()
    row.clear()
    assert row.isHidden()


def test_chips_stand_in_the_order_in_which_they_came(row: ChipRow) -> None:
    row.add(ONE)
    row.add(TWO)

    assert row.chips == (ONE, TWO)
    labels = [label.text() for label in row.findChildren(ElidedLabel)]
    assert labels == ["Pasted text, 3 words", "Selected text, 1 word"]


def test_the_same_text_stands_there_once(row: ChipRow) -> None:
    changed = QSignalSpy(row.changed)
    row.add(ONE)
    row.add(Chip(QuoteOrigin.SELECTED, ONE.text))

    assert row.chips == (ONE,)
    assert changed.count() == 1


def test_a_click_on_the_cross_takes_that_chip(row: ChipRow, qtbot: QtBot) -> None:
    row.add(ONE)
    row.add(TWO)

    qtbot.mouseClick(crosses(row)[0], Qt.MouseButton.LeftButton)

    assert row.chips == (TWO,)


@pytest.mark.parametrize("key", [Key.Key_Delete, Key.Key_Backspace, Key.Key_Return, Key.Key_Space])
def test_keys_take_the_chip_that_has_the_focus_and_give_the_focus_back(
    row: ChipRow, qtbot: QtBot, key: Qt.Key
) -> None:
    left = QSignalSpy(row.left)
    row.add(ONE)
    row.add(TWO)
    with qtbot.waitExposed(row):
        row.show()
    row.activateWindow()
    cross = crosses(row)[1]
    cross.setFocus()
    qtbot.waitUntil(cross.hasFocus)

    qtbot.keyClick(cross, key)

    assert row.chips == (ONE,)
    assert left.count() == 1


def test_the_last_one_goes_first_and_an_empty_row_has_none_to_go(row: ChipRow) -> None:
    row.add(ONE)
    row.add(TWO)

    row.remove_last()
    assert row.chips == (ONE,)
    row.remove_last()
    row.remove_last()
    assert row.chips == ()


def test_the_cross_says_what_it_takes_away(row: ChipRow) -> None:
    row.add(ONE)

    assert crosses(row)[0].accessibleName() == "Remove: Pasted text, 3 words"
    assert crosses(row)[0].accessibleDescription() == "one word more"


def test_many_chips_give_way_instead_of_widening_the_row(row: ChipRow, qtbot: QtBot) -> None:
    for n in range(6):
        row.add(Chip(QuoteOrigin.PASTED, f"text {n}"))
    with qtbot.waitExposed(row):
        row.show()

    labels = row.findChildren(ElidedLabel)
    assert row.minimumSizeHint().width() <= 588 + INSET
    assert all(label.is_cut for label in labels)
    edges = [cross.mapTo(row, cross.rect().topRight()).x() for cross in crosses(row)]
    assert len(edges) == 6
    assert max(edges) < 588 + INSET
