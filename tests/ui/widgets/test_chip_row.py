"""The chips over the field: files with their state and quoted texts, by mouse and by keyboard."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from askance.domain.attached_files import (
    NO_ARCHIVES,
    ONLY_PICTURES,
    AttachedFile,
    Attachment,
    AttachmentState,
)
from askance.domain.conversation import Picture, QuoteOrigin
from askance.domain.messages import Message
from askance.ui.design.focus import install_roles
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.bar.chips import ChipAct, ChipButton, ChipRow
from askance.ui.overlay.conversation.field import Chip
from ui.accessible import Role, interface, name

ONE, TWO = Chip(QuoteOrigin.PASTED, "one word more"), Chip(QuoteOrigin.SELECTED, "two")
State, Key = AttachmentState, Qt.Key
DUES = Attachment(1, "Harbour dues.pdf", Path("/dues.pdf"), State.READY, pages=312)
SCAN = Attachment(2, "scan.pdf", Path("/scan.pdf"), State.QUESTION, problem=ONLY_PICTURES)


@pytest.fixture
def row(qtbot: QtBot) -> ChipRow:
    load_fonts()
    made = ChipRow(Look(LIGHT))
    qtbot.addWidget(made)
    made.setFixedWidth(672)
    return made


def end_of(chip: ChipButton) -> QPoint:
    """Where the button at the end of a chip is."""
    return QPoint(chip.width() - 16, chip.height() // 2)


def shown(row: ChipRow, qtbot: QtBot) -> ChipRow:
    with qtbot.waitExposed(row):
        row.show()
    row.activateWindow()
    qtbot.waitUntil(row.isActiveWindow)
    return row


def test_it_is_hidden_while_there_is_no_chip(row: ChipRow) -> None:
    assert row.isHidden()
    row.add(ONE)
    assert not row.isHidden()
    row.clear()
    assert row.isHidden()
    row.show_attachments([DUES], {})
    assert not row.isHidden()


def test_files_stand_before_quoted_texts_each_in_the_order_in_which_it_came(row: ChipRow) -> None:
    row.add(ONE)
    row.show_attachments([DUES, SCAN], {})
    row.add(TWO)
    assert row.chips == (ONE, TWO)
    assert [(chip.face.name, chip.face.fact) for chip in row.buttons] == [
        ("Harbour dues.pdf", "312 pages"),
        ("scan.pdf", "Only pictures inside. Read them?"),
        ("Pasted text", "3 words"),
        ("Selected text", "1 word"),
    ]


def test_the_same_text_stands_there_once(row: ChipRow) -> None:
    changed = QSignalSpy(row.changed)
    row.add(ONE)
    row.add(Chip(QuoteOrigin.SELECTED, ONE.text))
    assert row.chips == (ONE,)
    assert changed.count() == 1


STATES = {
    "waiting": (Attachment(1, "a"), "Waiting", "ink_3", ChipAct.REMOVE),
    "reading": (Attachment(1, "a", state=State.READING, page=14, pages=40),
                "Reading page 14 of 40", "ink_3", ChipAct.REMOVE),
    "by passage": (Attachment(1, "a", state=State.PASSAGES, pages=1204),
                   "1,204 pages, searched by passage", "ink_3", ChipAct.REMOVE),
    "a folder": (Attachment(1, "a", state=State.READY, is_folder=True,
                            files=(AttachedFile("b"), AttachedFile("c", Message("Empty.")))),
                 "2 files, 1 could not be read", "ink_3", ChipAct.LIST),
    "a question": (SCAN, "Only pictures inside. Read them?", "amber", ChipAct.ANSWER),
    "failed": (Attachment(1, "a", state=State.FAILED, problem=NO_ARCHIVES),
               "Archives cannot be read.", "red", ChipAct.REMOVE),
    "a picture": (Attachment(1, "a", state=State.READY,
                             picture=Picture(b"", "image/png", width=1920, height=1080)),
                  "1,920 \u00d7 1,080", "ink_3", ChipAct.REMOVE),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_each_state_has_one_line_and_one_button(row: ChipRow, state: str) -> None:
    one, fact, ink, act = STATES[state]
    row.show_attachments([one], {})
    (chip,) = row.buttons
    assert (chip.face.fact, chip.face.ink, chip.face.end[1]) == (fact, ink, act)
    assert chip.accessibleName() == f"{one.name}, {fact}"


def test_how_much_of_a_file_is_read_is_drawn_while_that_goes_on(row: ChipRow) -> None:
    reading = STATES["reading"][0]
    row.show_attachments([reading], {})
    assert row.buttons[0].face.fraction == pytest.approx(0.35)
    row.show_attachments([DUES], {})
    assert row.buttons[0].face.fraction == 0


def test_the_button_at_the_end_and_the_rest_of_a_chip_do_different_things(
    row: ChipRow, qtbot: QtBot
) -> None:
    wanted = QSignalSpy(row.attachment_wanted)
    row.show_attachments([DUES, SCAN], {})
    shown(row, qtbot)
    for chip in row.buttons:
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
        qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=end_of(chip))
    acts = [(wanted.at(n)[0], wanted.at(n)[1]) for n in range(wanted.count())]
    assert acts == [
        (1, ChipAct.OPEN), (1, ChipAct.REMOVE), (2, ChipAct.OPEN), (2, ChipAct.ANSWER)
    ]  # fmt: skip


def test_a_click_on_the_cross_takes_that_quoted_text(row: ChipRow, qtbot: QtBot) -> None:
    row.add(ONE)
    row.add(TWO)
    shown(row, qtbot)
    chip = row.buttons[0]
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert row.chips == (ONE, TWO)
    qtbot.mouseClick(chip, Qt.MouseButton.LeftButton, pos=end_of(chip))
    assert row.chips == (TWO,)


@pytest.mark.parametrize("key", [Key.Key_Delete, Key.Key_Backspace, Key.Key_Return, Key.Key_Space])
def test_keys_take_the_quoted_text_that_has_the_focus_and_the_last_gives_it_back(
    row: ChipRow, qtbot: QtBot, key: Qt.Key
) -> None:
    left = QSignalSpy(row.left)
    row.add(ONE)
    row.add(TWO)
    shown(row, qtbot)
    first, second = row.buttons
    second.setFocus()
    qtbot.waitUntil(second.hasFocus)
    qtbot.keyClick(second, key)
    assert row.chips == (ONE,)
    assert first.hasFocus()
    assert left.count() == 0
    qtbot.keyClick(first, key)
    assert row.chips == ()
    assert left.count() == 1


def test_arrows_walk_delete_removes_and_enter_opens_or_answers(row: ChipRow, qtbot: QtBot) -> None:
    wanted = QSignalSpy(row.attachment_wanted)
    row.show_attachments([DUES, SCAN], {})
    shown(row, qtbot)
    dues, scan = row.buttons
    # One stop for Tab, from which the arrows go on.
    assert dues.focusPolicy() == Qt.FocusPolicy.ClickFocus
    assert scan.focusPolicy() == Qt.FocusPolicy.TabFocus
    scan.setFocus()
    qtbot.waitUntil(scan.hasFocus)
    qtbot.keyClick(scan, Key.Key_Return)
    qtbot.keyClick(scan, Key.Key_Right)
    assert scan.hasFocus()
    qtbot.keyClick(scan, Key.Key_Left)
    assert dues.hasFocus()
    qtbot.keyClick(dues, Key.Key_Return)
    qtbot.keyClick(dues, Key.Key_Delete)
    acts = [(wanted.at(n)[0], wanted.at(n)[1]) for n in range(wanted.count())]
    assert acts == [(2, ChipAct.ANSWER), (1, ChipAct.OPEN), (1, ChipAct.REMOVE)]
    assert scan.hasFocus()


def test_the_last_one_goes_first_and_an_empty_row_has_none_to_go(row: ChipRow) -> None:
    row.add(ONE)
    row.add(TWO)
    row.remove_last()
    assert row.chips == (ONE,)
    row.remove_last()
    row.remove_last()
    assert row.chips == ()


def test_a_chip_says_what_it_is_and_how_it_goes(row: ChipRow) -> None:
    install_roles()
    row.add(ONE)
    row.show_attachments([DUES], {})
    dues, quote = row.buttons
    assert (quote.accessibleName(), quote.accessibleDescription()) == (
        "Pasted text, 3 words",
        "one word more",
    )
    assert dues.accessibleDescription() == "Delete removes it"
    assert (interface(row).role(), name(row)) == (Role.List, "Attached")
    assert {interface(chip).role() for chip in row.buttons} == {Role.ListItem}


def test_many_chips_take_more_lines_and_long_names_give_way(row: ChipRow, qtbot: QtBot) -> None:
    long = "A very long name of a file that somebody has thought of in a meeting.pdf"
    many = [Attachment(n, f"{n} {long}", Path(f"/{n}"), State.READY) for n in range(5)]
    row.show_attachments(many, {})
    shown(row, qtbot)
    right = [chip.geometry().right() for chip in row.buttons]
    assert max(right) <= row.width()
    assert all(chip.width() == 330 for chip in row.buttons)
    assert row.height() >= row.buttons[-1].geometry().bottom()
    assert row.buttons[-1].y() > row.buttons[0].y()


def test_what_can_be_done_stands_behind_the_chips_the_first_way_in_front(
    row: ChipRow, qtbot: QtBot
) -> None:
    used = list[str]()
    row.show_attachments([DUES], {})
    row.show_ways(("Use gemma3:4b", lambda: used.append("use")), ("Read only its text", used.clear))
    shown(row, qtbot)
    first, second = [b for b in row.findChildren(QPushButton) if b.isVisible()]
    assert (first.text(), first.property("primary")) == ("Use gemma3:4b", True)
    assert (second.text(), second.property("primary")) == ("Read only its text", False)
    qtbot.mouseClick(first, Qt.MouseButton.LeftButton)
    assert used == ["use"]
    row.show_ways()
    assert not [b for b in row.findChildren(QPushButton) if b.isVisible()]
