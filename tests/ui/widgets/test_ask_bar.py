"""The ask bar: what Enter, Tab, Escape and the arrows do, and that nothing typed is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from askance.app.commands import COMMANDS, CommandError, with_own
from askance.app.own_files import use_own_files
from askance.ui.overlay.bar.tool_row import SendState
from ui.widgets.typist import LONG, Key, Typist


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
    assert len(typist.offered) == len(with_own(COMMANDS))

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
    assert typist.selected == with_own(COMMANDS)[-1].name

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


def test_the_button_at_the_end_sends_stops_and_rests_at_one_place(
    typist: Typist, qtbot: QtBot
) -> None:
    bar, button = typist.bar, typist.bar.send_button
    assert button.state is SendState.OFF
    place = button.geometry()
    typist.type("Why?")
    assert button.state is SendState.ON
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert typist.sent == [["search", "Why?", ""]]

    bar.set_running(True)
    assert (button.state, button.accessibleName()) == (SendState.STOP, "Stop")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    bar.set_running(False)
    assert (typist.stops.count(), button.state) == (1, SendState.OFF)

    bar.set_running(True)
    bar.finish_run()
    typist.type("And?")
    assert button.state is SendState.DONE
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert typist.submitted.count() == 1
    qtbot.waitUntil(lambda: button.state is SendState.ON)
    assert button.geometry() == place
    assert bar.field.hasFocus()


def test_an_escape_meant_for_a_run_that_has_just_ended_hides_nothing(typist: Typist) -> None:
    typist.bar.set_running(True)
    typist.bar.finish_run()
    typist.press(Key.Key_Escape)
    assert (typist.stops.count(), typist.dismissals.count()) == (0, 0)
    typist.press(Key.Key_Escape)
    assert typist.dismissals.count() == 1


def test_the_prompt_says_what_is_on(typist: Typist) -> None:
    bar = typist.bar
    assert bar.field.placeholderText() == "Ask, or type / for commands"
    bar.set_running(True)
    assert bar.field.placeholderText() == "Ask a follow-up: it waits its turn"
    bar.set_running(False)
    bar.set_follow_up(True)
    assert bar.field.placeholderText() == "Ask a follow-up"


def test_a_suggested_question_is_taken_by_tab_and_never_sent_by_enter(typist: Typist) -> None:
    bar = typist.bar
    bar.set_suggestion("Who paid for it?")
    assert bar.field.accessibleDescription() == "Suggested: Who paid for it?, Tab takes it"
    typist.press(Key.Key_Return)
    assert (bar.field.text, typist.sent) == ("", [])
    typist.press(Key.Key_Tab)
    assert bar.field.text == "Who paid for it?"
    typist.press(Key.Key_Return)
    assert typist.sent == [["search", "Who paid for it?", ""]]
    assert bar.field.placeholderText() == "Ask, or type / for commands"


@pytest.mark.parametrize("how", ["typing", "escape", "a run"])
def test_a_suggested_question_goes_with_whatever_else_is_done(typist: Typist, how: str) -> None:
    typist.bar.set_suggestion("Who paid for it?")
    if how == "typing":
        typist.type("x")
        typist.press(Key.Key_Backspace)
    elif how == "escape":
        typist.press(Key.Key_Escape)
        assert typist.dismissals.count() == 0
    else:
        typist.bar.set_running(True)
        typist.bar.set_running(False)
    assert typist.bar.field.placeholderText() == "Ask, or type / for commands"
    typist.press(Key.Key_Tab)
    assert typist.bar.field.text == ""


def test_an_arrow_up_in_the_empty_field_edits_the_last_question_where_somebody_does_that(
    typist: Typist,
) -> None:
    typist.type("Why?")
    typist.press(Key.Key_Return, Key.Key_Up)
    assert typist.bar.field.text == "Why?"
    typist.bar.field.set_text("")
    edits = QSignalSpy(typist.bar.edit_last_requested)
    typist.press(Key.Key_Up)
    assert (edits.count(), typist.bar.field.text) == (1, "")


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


def test_an_at_sign_offers_lenses_and_the_question_goes_through_one(typist: Typist) -> None:
    typist.type("@")
    assert "@papers" in typist.offered
    typist.type("pap")
    assert typist.offered == ["@papers"]

    typist.press(Key.Key_Tab)
    assert typist.bar.field.text == "@papers "
    typist.type("why do bees sleep?")
    typist.press(Key.Key_Return)
    (asked,) = typist.submissions
    assert (asked.command, asked.lens, asked.question) == ("search", "papers", "why do bees sleep?")
    assert "arxiv.org" in asked.scope.domains


def test_a_shipped_command_works_on_what_is_quoted(typist: Typist) -> None:
    typist.paste(LONG)
    typist.type("/reply ")
    typist.press(Key.Key_Return)
    (asked,) = typist.submissions
    assert asked.own is not None
    assert (asked.own.name, asked.quote, asked.question) == ("reply", LONG.strip(), "")


def test_what_was_copied_goes_with_a_command_that_wants_it(
    typist: Typist, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands" / "sum.md").write_text("Sum up {clipboard}", encoding="utf-8")
    use_own_files(tmp_path)
    request.addfinalizer(lambda: use_own_files(tmp_path / "nowhere"))
    board = QGuiApplication.clipboard()
    board.setText("Copied before.")
    typist.type("/sum ")
    typist.press(Key.Key_Return)
    secret = QMimeData()
    secret.setText("hunter2")
    secret.setData("x-kde-passwordManagerHint", b"secret")
    board.setMimeData(secret)
    typist.type("/sum ")
    typist.press(Key.Key_Return)
    typist.type("/search why?")
    typist.press(Key.Key_Return)
    assert [asked.clipboard for asked in typist.submissions] == ["Copied before.", "", ""]


def test_the_hairline_below_the_rows_goes_with_the_message_that_it_parts_from_them(
    typist: Typist,
) -> None:
    bar = typist.bar
    assert not bar.line._is_ruled
    bar.show_message("This desktop takes no picture of an area.")
    assert bar.line._is_ruled
    bar.inline_message.hide()
    assert not bar.line._is_ruled
