"""The ask bar: what Enter, Tab, Escape and the arrows do, and that nothing typed is lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from askance.app.commands import COMMANDS, CommandError
from ui.widgets.typist import Key, Typist


def test_plain_text_is_sent_as_it_was_typed_and_the_field_is_empty_then(typist: Typist) -> None:
    typist.type("  why is the sea salty?")
    typist.press(Key.Key_Return)

    assert typist.sent == [["search", "why is the sea salty?", ""]]
    assert typist.bar.field.text == ""


def test_an_empty_field_sends_nothing_and_complains_of_nothing(typist: Typist) -> None:
    typist.type("   ")
    typist.press(Key.Key_Return)

    assert typist.sent == []
    assert typist.bar.inline_message.sentence == ""


def test_a_slash_offers_all_commands_and_more_letters_fewer(typist: Typist) -> None:
    typist.type("/")
    assert len(typist.offered) == len(COMMANDS)

    typist.type("se")
    assert typist.offered[0] == "/search"
    assert "/settings" in typist.offered
    assert "/tldr" not in typist.offered

    typist.type("arch ")
    assert typist.offered == []


def test_a_path_is_offered_nothing(typist: Typist) -> None:
    typist.type("/etc/hosts")

    assert typist.offered == []


@pytest.mark.parametrize("key", [Key.Key_Tab, Key.Key_Return])
def test_tab_and_enter_complete_a_command_that_wants_a_text(typist: Typist, key: Qt.Key) -> None:
    typist.type("/sea")
    typist.press(key)

    assert typist.bar.field.text == "/search "
    assert typist.bar.field.hasFocus()
    assert typist.offered == []
    assert typist.sent == []

    typist.type("tides")
    typist.press(Key.Key_Return)
    assert typist.sent == [["search", "tides", ""]]


def test_enter_does_at_once_what_wants_no_text_but_tab_only_completes_it(typist: Typist) -> None:
    typist.type("/ne")
    typist.press(Key.Key_Tab)
    assert (typist.bar.field.text, typist.sent) == ("/new", [])
    typist.bar.field.set_text("")

    typist.type("/sett")
    typist.press(Key.Key_Return)
    assert (typist.bar.field.text, typist.sent) == ("", [["settings", "", ""]])


def test_a_command_typed_in_full_is_sent_if_it_may_stand_alone(typist: Typist) -> None:
    typist.type("/history")
    assert typist.selected == "history"

    typist.press(Key.Key_Return)

    assert typist.sent == [["history", "", ""]]


def test_a_command_typed_in_full_that_lacks_its_text_is_completed(typist: Typist) -> None:
    typist.type("/search")
    typist.press(Key.Key_Return)

    assert typist.bar.field.text == "/search "
    assert typist.bar.inline_message.sentence == ""


def test_arrows_choose_among_the_completions_round_the_ends(typist: Typist) -> None:
    typist.type("/")
    typist.press(Key.Key_Down, Key.Key_Down)
    assert typist.selected == COMMANDS[2].name

    typist.press(Key.Key_Up, Key.Key_Up, Key.Key_Up)
    assert typist.selected == COMMANDS[-1].name

    typist.press(Key.Key_Down, Key.Key_Tab)
    assert typist.bar.field.text == "/search "


def test_escape_closes_the_completion_then_stops_the_run_then_dismisses(typist: Typist) -> None:
    typist.bar.set_running(True)
    typist.type("/se")

    typist.press(Key.Key_Escape)
    assert (typist.offered, typist.stops.count(), typist.dismissals.count()) == ([], 0, 0)
    assert typist.bar.field.text == "/se"

    typist.press(Key.Key_Escape)
    assert (typist.stops.count(), typist.dismissals.count()) == (1, 0)

    typist.bar.set_running(False)
    typist.press(Key.Key_Escape)
    assert (typist.stops.count(), typist.dismissals.count()) == (1, 1)
    assert typist.bar.field.text == "/se"


def test_a_closed_completion_opens_again_with_the_next_letter(typist: Typist) -> None:
    typist.type("/s")
    typist.press(Key.Key_Escape)
    typist.type("e")
    assert "/search" in typist.offered

    typist.press(Key.Key_Backspace)
    assert typist.bar.field.text == "/s"
    assert "/search" in typist.offered


def test_a_click_on_the_key_cap_does_what_escape_does(typist: Typist, qtbot: QtBot) -> None:
    typist.bar.set_running(True)
    qtbot.mouseClick(typist.bar.key_cap, Qt.MouseButton.LeftButton)
    typist.bar.set_running(False)
    qtbot.mouseClick(typist.bar.key_cap, Qt.MouseButton.LeftButton)

    assert (typist.stops.count(), typist.dismissals.count()) == (1, 1)


def test_the_cap_and_the_placeholder_say_what_is_on(typist: Typist) -> None:
    bar = typist.bar
    assert (bar.key_cap.text(), bar.key_cap.accessibleName()) == ("Esc", "Close")
    first = bar.field.placeholderText()
    assert " / " in first

    bar.set_running(True)
    assert (bar.key_cap.text(), bar.key_cap.accessibleName()) == ("Esc stops", "Stop")
    later = bar.field.placeholderText()
    assert later != first

    bar.set_running(False)
    assert bar.field.placeholderText() == first
    bar.set_follow_up(True)
    assert bar.field.placeholderText() == later


def test_what_is_not_understood_stays_and_says_why(typist: Typist) -> None:
    typist.type("/serch tides")
    typist.press(Key.Key_Return)

    assert typist.sent == []
    assert typist.bar.field.text == "/serch tides"
    assert "/serch" in typist.bar.inline_message.sentence

    typist.type("!")
    assert typist.bar.inline_message.sentence == ""


def test_what_was_meant_can_be_taken_with_the_keyboard(typist: Typist) -> None:
    typist.type("/serch tides")
    typist.press(Key.Key_Return)
    button = typist.bar.inline_message.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.text() == "Use /search"

    button.setFocus()
    typist.press(Key.Key_Space, on=button)
    assert typist.bar.field.hasFocus()
    typist.press(Key.Key_Return)

    assert typist.sent == [["search", "tides", ""]]


def test_what_is_no_command_can_be_asked_as_it_stands(typist: Typist) -> None:
    typist.type("/shrug in a chat means what?")
    typist.press(Key.Key_Return)
    assert typist.sent == []
    (insist,) = (
        button
        for button in typist.bar.inline_message.findChildren(QPushButton)
        if "/shrug in" in button.accessibleDescription() and button.text() == "Ask it anyway"
    )

    insist.setFocus()
    typist.press(Key.Key_Space, on=insist)
    assert typist.sent == [["search", "/shrug in a chat means what?", ""]]


@pytest.mark.parametrize("slash", ["/", "\uff0f", "//"])
def test_escape_takes_along_the_slash_that_opened_the_commands(typist: Typist, slash: str) -> None:
    typist.bar.field.set_text(slash)
    assert typist.offered
    typist.press(Key.Key_Escape)
    assert typist.bar.field.text == ""
    assert typist.offered == []

    typist.type("/history")
    typist.press(Key.Key_Return)
    assert typist.sent == [["history", "", ""]]


def test_a_command_behind_the_slash_of_f1_is_offered_and_sent(typist: Typist) -> None:
    typist.type("//hist")
    assert typist.offered == ["/history"]

    typist.type("ory")
    typist.press(Key.Key_Return)
    assert typist.sent == [["history", "", ""]]


def test_a_complaint_without_a_better_text_has_no_button(typist: Typist) -> None:
    typist.bar.complain(CommandError("Something is wrong."))

    assert typist.bar.inline_message.sentence == "Something is wrong."
    assert not any(b.isVisible() for b in typist.bar.inline_message.findChildren(QPushButton))
