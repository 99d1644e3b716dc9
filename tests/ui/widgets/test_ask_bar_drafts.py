"""The ask bar: recall, chips, drafts, and how it stands and speaks."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from askance.app.commands import CommandError
from askance.domain.conversation import QuoteOrigin
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay.conversation.field import Chip, Draft, QuestionRecall
from ui.widgets.typist import LONG, Key, Start, Typist


def test_arrows_recall_what_was_asked_and_the_draft_comes_back(start: Start) -> None:
    typist = start(QuestionRecall(["first", "/settings", "two\nlines"]))
    typist.type("a draft")

    typist.press(Key.Key_Up)
    assert typist.bar.field.text == "two\nlines"
    typist.press(Key.Key_Up)
    assert typist.bar.field.text == "/settings"
    assert typist.offered == []
    typist.press(Key.Key_Up, Key.Key_Up)
    assert typist.bar.field.text == "first"

    typist.press(Key.Key_Down, Key.Key_Down, Key.Key_Down)
    assert typist.bar.field.text == "a draft"
    typist.press(Key.Key_Down)
    assert typist.bar.field.text == "a draft"


def test_a_long_paste_becomes_a_chip_and_goes_along_as_the_quote(typist: Typist) -> None:
    typist.type("/tldr")
    typist.paste(LONG)
    assert typist.bar.field.text == "/tldr"
    assert [chip.origin for chip in typist.bar.chips.chips] == [QuoteOrigin.PASTED]

    typist.press(Key.Key_Return)

    assert typist.sent == [["tldr", "", LONG.strip()]]
    assert typist.bar.chips.chips == ()


def test_a_command_without_its_text_is_not_sent(typist: Typist) -> None:
    typist.type("/tldr ")
    typist.press(Key.Key_Return)

    assert typist.sent == []
    assert "/tldr" in typist.bar.inline_message.sentence


def test_a_chip_stays_where_the_command_has_no_use_for_it(typist: Typist) -> None:
    typist.paste(LONG)
    typist.type("/settings")
    typist.press(Key.Key_Return)

    assert typist.sent == [["settings", "", ""]]
    assert len(typist.bar.chips.chips) == 1


def test_a_chip_alone_can_be_sent(typist: Typist) -> None:
    typist.bar.chips.add(Chip(QuoteOrigin.SELECTED, "some words"))
    typist.press(Key.Key_Return)

    assert typist.sent == [["chat", "", "some words"]]


def test_backspace_at_the_start_takes_the_last_chip(typist: Typist) -> None:
    typist.bar.chips.add(Chip(QuoteOrigin.SELECTED, "one"))
    typist.bar.chips.add(Chip(QuoteOrigin.PASTED, "two"))
    typist.type("x")

    typist.press(Key.Key_Backspace)
    assert len(typist.bar.chips.chips) == 2
    typist.press(Key.Key_Backspace)
    assert [chip.text for chip in typist.bar.chips.chips] == ["one"]


def test_a_draft_is_kept_with_its_cursor_and_its_quotes(typist: Typist, start: Start) -> None:
    typist.type("half a question")
    typist.press(Key.Key_Left, Key.Key_Left)
    typist.bar.chips.add(Chip(QuoteOrigin.SELECTED, "quoted"))
    draft = typist.bar.draft
    assert draft == Draft("half a question", 13, (Chip(QuoteOrigin.SELECTED, "quoted"),))

    other = start()
    other.bar.chips.add(Chip(QuoteOrigin.SELECTED, "another"))
    other.bar.set_draft(draft)
    assert other.bar.draft == draft


def test_every_change_of_the_draft_is_told_once(typist: Typist) -> None:
    typist.type("/s")
    assert typist.edits.count() == 2

    typist.bar.chips.add(Chip(QuoteOrigin.SELECTED, "quoted"))
    assert typist.edits.count() == 3

    typist.bar.set_look(Look(DARK))
    typist.press(Key.Key_Left)
    assert typist.edits.count() == 3


def test_a_click_on_a_completion_takes_it_and_the_field_keeps_the_focus(
    typist: Typist, qtbot: QtBot
) -> None:
    typist.type("/")
    listed = typist.bar.completion
    QApplication.processEvents()

    row = listed.visualRect(listed.model().index(1, 0)).center()
    qtbot.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=row)

    assert typist.bar.field.text == "/chat "
    assert typist.bar.field.hasFocus()


def test_the_hairline_is_there_for_what_stands_below(typist: Typist) -> None:
    def ruled() -> bool:
        return typist.bar.line.grab().toImage().pixelColor(9, 0).name().upper() == LIGHT.line

    assert not ruled()
    typist.type("/")
    assert ruled()
    typist.press(Key.Key_Escape)
    assert not ruled()
    typist.bar.set_ruled(True)
    assert ruled()


def test_one_line_makes_the_bar_as_high_as_drawn(typist: Typist) -> None:
    bar = typist.bar

    assert bar.sizeHint().height() - bar.line.height() == 54 + 38
    one = bar.sizeHint().height()
    bar.field.set_text("one\ntwo")
    QApplication.processEvents()
    assert bar.sizeHint().height() == one + bar.field.line_height


def test_it_speaks_to_a_screen_reader_without_moving_the_focus(typist: Typist) -> None:
    QAccessible.setActive(True)
    try:
        typist.type("/se")
        typist.press(Key.Key_Down, Key.Key_Escape)
        typist.bar.complain(CommandError("There is no /se."))
    finally:
        QAccessible.setActive(False)

    assert typist.bar.field.hasFocus()


def test_a_draft_that_gives_way_to_an_empty_one_comes_back_with_undo_and_that_is_shown_once(
    typist: Typist, qtbot: QtBot
) -> None:
    bar = typist.bar
    typist.type("half a question")
    bar.set_draft(Draft())
    assert [hint.key for hint in bar.tools.hint_line.shown] == ["Ctrl+Z"]
    qtbot.keyClick(bar.field, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert bar.field.text == "half a question"
    bar.set_draft(Draft())
    assert bar.tools.hint_line.shown == ()


def test_a_right_click_offers_to_attach_something(typist: Typist) -> None:
    wanted = QSignalSpy(typist.bar.tools.attach_requested)
    at = typist.bar.field.rect().center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, at)
    QApplication.sendEvent(typist.bar.field.viewport(), event)
    (menu,) = [m for m in typist.bar.field.findChildren(QMenu) if m.isVisible()]
    menu.actions()[-1].trigger()
    menu.close()
    assert wanted.count() == 1
