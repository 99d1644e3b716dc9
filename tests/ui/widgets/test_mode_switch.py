"""The switch beside the question: what is in front is asked with Enter, the other with Ctrl+Enter."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from askance.config.choices import AskMode
from askance.domain.conversation import QuoteOrigin
from askance.ui.overlay.conversation.field import Chip
from ui.widgets.typist import Typist

Key, Modifier = Qt.Key, Qt.KeyboardModifier


def told(typist: Typist, mode: AskMode) -> str:
    return typist.bar.switch.segments[mode].accessibleDescription()


@pytest.mark.parametrize("front", list(AskMode))
def test_enter_asks_what_is_in_front_and_ctrl_enter_the_other_one(
    typist: Typist, qtbot: QtBot, front: AskMode
) -> None:
    typist.bar.switch.set_mode(front)
    typist.type("one")
    typist.press(Key.Key_Return)
    typist.type("two")
    qtbot.keyClick(typist.bar.field, Key.Key_Return, Modifier.ControlModifier)
    commands = {AskMode.WEB: "search", AskMode.CHAT: "chat"}
    assert typist.sent == [[commands[front], "one", ""], [commands[front.other], "two", ""]]
    assert typist.bar.switch.mode is front


def test_a_click_puts_the_other_one_in_front_and_the_field_keeps_the_focus(
    typist: Typist, qtbot: QtBot
) -> None:
    chosen = QSignalSpy(typist.bar.switch.chosen)
    qtbot.mouseClick(typist.bar.switch.segments[AskMode.CHAT], Qt.MouseButton.LeftButton)
    assert typist.bar.switch.mode is AskMode.CHAT
    assert chosen.at(0) == [AskMode.CHAT]
    assert typist.bar.field.hasFocus()


def test_before_enter_it_says_that_a_long_text_is_asked_and_not_the_web(typist: Typist) -> None:
    segments = typist.bar.switch.segments
    typist.paste("a word " * 300)
    assert segments[AskMode.WEB].text() == segments[AskMode.WEB].accessibleName() == "Text"
    assert "without a search" in told(typist, AskMode.WEB)
    typist.type("What does the seventh clause say?")
    assert segments[AskMode.WEB].text() == "Text"

    typist.bar.field.set_text("/search What is a clause?")
    assert segments[AskMode.WEB].text() == "Web"
    typist.bar.field.set_text("What is a clause?")
    typist.press(Key.Key_Return)
    assert segments[AskMode.WEB].text() == "Web"


def test_a_question_that_is_searched_with_a_text_is_not_said_to_be_asked_of_it(
    typist: Typist,
) -> None:
    segments = typist.bar.switch.segments
    typist.paste("a word " * 100)
    assert segments[AskMode.WEB].text() == "Text"
    typist.type("What should she eat with diabetes?")
    assert segments[AskMode.WEB].text() == "Web"
    typist.bar.switch.set_mode(AskMode.CHAT)
    assert segments[AskMode.CHAT].text() == "Chat"


@pytest.mark.parametrize("front", list(AskMode))
def test_it_says_that_passages_of_the_library_are_asked(typist: Typist, front: AskMode) -> None:
    typist.bar.switch.set_mode(front)
    typist.bar.ask_about(Chip(QuoteOrigin.LIBRARY, "A passage. " * 200, documents=("d",)))
    typist.type("Why?")
    assert typist.bar.switch.segments[front].text() == "Files"


@pytest.mark.parametrize("key", [Key.Key_Right, Key.Key_Left, Key.Key_Space, Key.Key_Return])
def test_keys_put_the_other_one_in_front_and_the_focus_stays_on_it(
    typist: Typist, qtbot: QtBot, key: Qt.Key
) -> None:
    segments = typist.bar.switch.segments
    segments[AskMode.WEB].setFocus()
    qtbot.keyClick(segments[AskMode.WEB], key)
    assert typist.bar.switch.mode is AskMode.CHAT
    assert segments[AskMode.CHAT].hasFocus()
    assert not typist.submissions


def test_it_says_what_the_keys_ask_and_is_a_radio_button_to_screen_readers(typist: Typist) -> None:
    assert told(typist, AskMode.WEB).startswith("Enter ")
    assert told(typist, AskMode.CHAT).startswith("Ctrl+Enter ")
    web = QAccessible.queryAccessibleInterface(typist.bar.switch.segments[AskMode.WEB])
    assert web.role() is QAccessible.Role.RadioButton
    assert web.text(QAccessible.Text.Name) == "Web"
    assert web.state().checked


def test_without_a_search_the_model_is_in_front_and_a_click_on_the_web_sets_it_up(
    typist: Typist, qtbot: QtBot
) -> None:
    switch = typist.bar.switch
    wanted, chosen = (
        QSignalSpy(typist.bar.switch.setup_requested),
        QSignalSpy(typist.bar.switch.chosen),
    )
    switch.set_search_missing("Nothing answers at http://127.0.0.1:25017.")
    assert switch.mode is AskMode.CHAT
    assert "http://127.0.0.1:25017" in told(typist, AskMode.WEB)
    qtbot.mouseClick(switch.segments[AskMode.WEB], Qt.MouseButton.LeftButton)
    assert (wanted.count(), chosen.count()) == (1, 0)
    assert switch.mode is AskMode.CHAT
    assert switch.segments[AskMode.CHAT].isChecked()

    switch.set_search_missing("")
    assert switch.mode is AskMode.WEB
    assert told(typist, AskMode.WEB).startswith("Enter ")
