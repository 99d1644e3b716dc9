"""Keys that the whole overlay hears, and where the focus goes when its place is gone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from askance.domain.conversation import QuoteOrigin
from askance.domain.events import Cancelled, Warned, WarningCode
from askance.domain.messages import Message
from askance.ui.design.focus import ALLOW_WORDS, HISTORY, reading_order
from askance.ui.overlay.conversation.exchange_notes import NotesView
from askance.ui.overlay.conversation.field import Chip
from ui.keyboard import (
    CTRL,
    FIELD,
    SEARCH,
    SOURCES,
    STATUS,
    TOOLS,
    Desk,
    Key,
    answered,
    called,
    label,
    scrolled,
)
from ui.widgets.lighthouse import SEARCHED, WHOLE


def test_the_conversation_scrolls_while_the_field_keeps_the_focus(desk: Desk) -> None:
    for number in range(3):
        desk.ask(f"/search Question {number}?", *WHOLE)
    bar = desk.conversation.verticalScrollBar()
    assert scrolled(desk) == bar.maximum() > bar.pageStep()
    desk.press(Key.Key_PageUp)
    assert scrolled(desk) == bar.maximum() - bar.pageStep()
    desk.press(Key.Key_Home)
    assert scrolled(desk) == 0
    desk.press(Key.Key_PageDown)
    assert scrolled(desk) == bar.pageStep()
    desk.press(Key.Key_End)
    assert scrolled(desk) == bar.maximum()
    assert desk.focus is desk.field


def test_the_same_keys_edit_where_there_is_text(desk: Desk) -> None:
    for number in range(2):
        desk.ask(f"/search Question {number}?", *WHOLE)
    at = scrolled(desk)
    desk.type("and then")
    desk.press(Key.Key_Home)
    assert (desk.field.cursor_at, scrolled(desk)) == (0, at)
    desk.press(Key.Key_PageUp)
    assert scrolled(desk) < at
    at = scrolled(desk)
    desk.field.set_text("\n".join("abcdefghij"))
    desk.press(Key.Key_PageUp)
    assert desk.field.cursor_at < len("a\nb\nc\nd\ne\nf\ng\nh\ni\nj")
    assert scrolled(desk) == at


def test_alt_and_the_arrows_go_from_exchange_to_exchange(desk: Desk) -> None:
    first, second, third = [desk.ask(f"/search Q{n}?", *WHOLE) for n in range(3)]
    for exchange in (third, second, first):
        # The last one may have no room to come to the top.
        if exchange.y() < scrolled(desk):
            desk.press(Key.Key_Up, held=Qt.KeyboardModifier.AltModifier)
            assert scrolled(desk) == exchange.y()
    assert scrolled(desk) == first.y() == 0
    desk.press(Key.Key_Up, held=Qt.KeyboardModifier.AltModifier)
    desk.press(Key.Key_Down, held=Qt.KeyboardModifier.AltModifier)
    assert scrolled(desk) == second.y()
    assert desk.focus is desk.field
    desk.tab_until(called(STATUS))
    desk.tab_until(called(STATUS))
    assert desk.focus is second.trace.disclosure
    desk.press(Key.Key_Down, held=Qt.KeyboardModifier.AltModifier)
    assert desk.focus is third.trace.disclosure
    desk.press(Key.Key_Up, held=Qt.KeyboardModifier.AltModifier)
    assert desk.focus is second.trace.disclosure
    assert scrolled(desk) == second.y()


def test_alt_and_the_arrows_aside_go_from_number_to_number(desk: Desk) -> None:
    first, second = [desk.ask(f"/search Q{n}?", *WHOLE) for n in range(2)]
    last = len(second.answer.answer.markers) - 1
    desk.press(Key.Key_Right, held=Qt.KeyboardModifier.AltModifier)
    assert (desk.focus, second.answer.lit_marker) == (second.answer, 0)
    assert second.answer.popup is not None
    for _ in range(last + 1):
        desk.press(Key.Key_Right, held=Qt.KeyboardModifier.AltModifier)
    assert second.answer.lit_marker == last
    for _ in range(last + 1):
        desk.press(Key.Key_Left, held=Qt.KeyboardModifier.AltModifier)
    assert (desk.focus, first.answer.lit_marker) == (first.answer, last)
    desk.press(Key.Key_Right, held=Qt.KeyboardModifier.AltModifier)
    assert (desk.focus, second.answer.lit_marker) == (second.answer, 0)


def test_a_copy_is_of_what_is_selected_or_else_of_the_answer(desk: Desk) -> None:
    clipboard = QGuiApplication.clipboard()
    first = desk.ask("/search First?", *WHOLE)
    desk.ask("/search Second?", *SEARCHED, answered("Another answer."))
    desk.press(Key.Key_C, held=CTRL)
    desk.bot.waitUntil(lambda: clipboard.text().startswith("Another answer."))
    desk.type("mine")
    desk.press(Key.Key_A, held=CTRL)
    desk.press(Key.Key_C, held=CTRL)
    assert clipboard.text() == "mine"
    desk.tab_until(lambda widget: widget is first.answer)
    desk.press(Key.Key_C, held=CTRL)
    desk.bot.waitUntil(lambda: clipboard.text().startswith("The lighthouse was moved"))
    words = first.answer.textCursor()
    words.setPosition(4)
    words.setPosition(14, QTextCursor.MoveMode.KeepAnchor)
    first.answer.setTextCursor(words)
    desk.press(Key.Key_C, held=CTRL)
    assert clipboard.text() == "lighthouse"


def test_there_is_nothing_to_copy_of_a_run_that_gave_no_answer(desk: Desk) -> None:
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    desk.press(Key.Key_C, held=CTRL)
    desk.ask(SEARCH, (0.1, Cancelled()))
    desk.press(Key.Key_C, held=CTRL)
    assert QThreadPool.globalInstance().waitForDone()
    QApplication.processEvents()
    assert clipboard.text() == "before"


@pytest.mark.parametrize(
    ("keys", "wanted"), [("Ctrl+,", "settings"), (HISTORY, "history"), ("F1", "help")]
)
@pytest.mark.parametrize("where", [FIELD, STATUS, TOOLS[4]])
def test_the_windows_keys_work_wherever_the_focus_is(
    desk: Desk, keys: str, wanted: str, where: str
) -> None:
    desk.ask(SEARCH, *WHOLE)
    if where != FIELD:
        desk.tab_until(called(where))
    desk.keys(keys)
    assert [desk.wanted.at(n)[0] for n in range(desk.wanted.count())] == [wanted]


@pytest.mark.parametrize("where", [FIELD, STATUS])
def test_each_tool_has_a_key(desk: Desk, where: str) -> None:
    tools = desk.bar.tools
    desk.ask(SEARCH, *WHOLE)
    if where != FIELD:
        desk.tab_until(called(where))
    spies = {
        "Ctrl+L": QSignalSpy(tools.library_requested),
        "Ctrl+Shift+P": QSignalSpy(tools.pin_toggled),
        "Ctrl+0": QSignalSpy(tools.text_size_requested),
    }
    for keys, spy in spies.items():
        desk.keys(keys)
        assert spy.count() == 1, keys


def test_a_key_searches_with_the_words_that_were_held_back(desk: Desk) -> None:
    held_back = Warned(WarningCode.WORDS_HELD_BACK, Message("Not searched: Lisbon."), ("Lisbon",))
    desk.ask(SEARCH, *WHOLE)
    desk.keys(ALLOW_WORDS)
    assert desk.bridge.runs == 1, "nothing was held back"
    exchange = desk.ask("/search And there?", (0.1, held_back), *WHOLE)
    notes = exchange.part(NotesView)
    assert isinstance(notes, NotesView)
    assert notes.button.isVisible()
    assert "Lisbon" in notes.button.accessibleDescription()
    desk.keys(ALLOW_WORDS)
    assert [view.asked.text for view in desk.session.views][1:] == ["And there?"] * 2
    assert desk.bridge.runs == 3
    assert desk.focus is desk.field


def test_help_leaves_what_was_being_typed(desk: Desk) -> None:
    desk.type("half a question")
    desk.keys("F1")
    assert desk.field.text == "half a question"


def test_control_w_hides_the_window(desk: Desk) -> None:
    desk.keys("Ctrl+W")
    assert not desk.overlay.isVisible()


def test_another_conversation_begins_in_the_field(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(SOURCES[2]))
    desk.keys("Ctrl+N")
    assert desk.session.views == []
    assert desk.focus is desk.field


def test_what_is_typed_elsewhere_stands_in_the_field(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(SOURCES[0]))
    desk.type("a")
    desk.type("nd?")
    assert desk.focus is desk.field
    assert desk.field.text == "and?"


def test_the_focus_goes_to_a_neighbour_when_its_place_is_folded_away(desk: Desk) -> None:
    exchange = desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(STATUS))
    desk.press(Key.Key_Right)
    desk.settle()
    desk.press(Key.Key_Tab)
    panel = exchange.trace.panel
    assert panel is not None
    assert panel.isAncestorOf(desk.focus)
    exchange.trace.disclosure.click()
    assert label(desk.focus).startswith("Source 1: ")


def test_the_focus_is_in_the_field_again_when_what_had_it_is_gone(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called("Search again"))
    desk.focus.clearFocus()
    desk.bot.waitUntil(lambda: QApplication.focusWidget() is desk.field)


def test_a_chip_is_reached_before_the_field_and_taken_away(desk: Desk) -> None:
    desk.bar.chips.add(Chip(QuoteOrigin.PASTED, "some words"))
    desk.settle()
    desk.press(Key.Key_Backtab, held=Qt.KeyboardModifier.ShiftModifier)
    assert label(desk.focus) == "Pasted text, 2 words"
    desk.press(Key.Key_Delete)
    assert desk.bar.chips.chips == ()
    assert desk.focus is desk.field


def test_every_stop_looks_different_with_the_focus(desk: Desk) -> None:
    desk.ask(SEARCH, *SEARCHED, answered("Run it. [1]\n\n```sh\nmake lamp\n```\n"))
    for stop in reading_order(desk.overlay):
        if stop is desk.field:
            continue
        desk.field.setFocus()
        where = stop.mapTo(desk.overlay, stop.rect().topLeft())
        around = stop.rect().translated(where).adjusted(-8, -4, 8, 4)
        stop.setFocus(Qt.FocusReason.TabFocusReason)
        desk.settle()
        desk.conversation.ensureWidgetVisible(stop)
        with_focus = desk.overlay.grab(around).toImage()
        desk.field.setFocus()
        desk.settle()
        assert desk.overlay.grab(around).toImage() != with_focus, label(stop)
