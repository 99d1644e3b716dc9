"""The overlay with an engine behind it: what is typed, and what comes of it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPushButton

from askance.domain.events import TokenArrived
from askance.ui.overlay.bar import status
from askance.ui.overlay.bar.tool_row import SendState
from askance.ui.overlay.conversation.exchange import State
from ui.overlay_room import Gate, Key, Modifier, Room, Step, answered
from ui.widgets.lighthouse import WHOLE

LONG = "A sentence that takes up some room in the window. " * 12
SEARCHED: tuple[Step, ...] = tuple(event for _, event in WHOLE)


pytestmark = pytest.mark.usefixtures("summoned")


# Typing


def test_what_is_typed_is_asked_and_answered_below_the_field(room: Room) -> None:
    exchange = room.answer("Why is the sea salty?", answered("Because of the **rivers**."))
    assert room.engine.asked == [("run", "Why is the sea salty?")]
    assert room.field.text == ""
    assert room.conversation.isVisible()
    assert exchange.view is not None
    assert exchange.view.text == "Because of the **rivers**."
    assert room.field.placeholderText() == "Ask a follow-up"


def test_the_window_grows_with_the_completion_and_shrinks_again(room: Room) -> None:
    room.settle()
    _, before = room.paper
    room.type("/")
    room.settle()
    assert room.paper[1] == before + room.bar.completion.height()
    room.press(Key.Key_Backspace)
    room.settle()
    assert room.paper[1] == before


def test_shift_and_enter_begin_a_line_and_the_window_grows_by_it(room: Room) -> None:
    room.settle()
    _, before = room.paper
    room.type("one")
    room.press(Key.Key_Return, held=Modifier.ShiftModifier)
    room.type("two")
    room.settle()
    assert room.paper[1] == before + room.field.line_height
    assert room.engine.asked == []
    room.ask("")
    assert room.engine.asked == [("run", "one\ntwo")]


def test_control_and_enter_ask_as_enter_does(room: Room) -> None:
    room.type("Why?")
    room.press(Key.Key_Return, held=Modifier.ControlModifier)
    room.bot.waitUntil(lambda: room.engine.asked == [("chat", "Why?")])


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧‍👦 🇫🇮 e\u0301", "מה השעה?", "كم الساعة؟", "何時ですか", "\u00a0x\u3000"]
)
def test_any_script_is_typed_recalled_and_asked_as_it_is(room: Room, text: str) -> None:
    room.field.insertPlainText(text)
    room.press(Key.Key_Return)
    room.until(State.ANSWERED)
    assert room.engine.asked == [("run", text.strip())]
    room.press(Key.Key_Up)
    assert room.field.text == text.strip()


def test_a_long_sentence_is_seen_whole(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/data/somebody/share/programs/askance/history.damaged-20261122T070137287066Z.sqlite3"
    room.settle()
    before = room.paper[1]
    room.overlay.complain(f"The history was damaged, and is begun anew; it is kept as {path}.")
    room.settle()
    line = room.field.line_height
    assert 1.5 * line < room.bar.inline_message.height() < 3 * line
    assert room.paper[1] == before + room.bar.inline_message.height()
    assert room.bar.inline_message.sentence.endswith(f"{path}.")
    monkeypatch.setattr(status, "READING_MS", 0)
    room.type("x")
    room.settle()
    assert room.paper[1] == before


def test_a_message_that_comes_while_somebody_types_stays_until_it_can_be_read(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.type("ti")
    room.overlay.complain("The history was damaged.")
    room.type("des")
    room.press(Key.Key_Return)
    assert room.bar.inline_message.sentence == "The history was damaged."
    monkeypatch.setattr(status, "READING_MS", 0)
    room.type("x")
    assert room.bar.inline_message.sentence == ""


def test_several_troubles_are_all_seen_and_each_once(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("One is down.", "Two is down.", "One is down."):
        room.overlay.complain(text)
    assert room.bar.inline_message.sentence == "One is down.\nTwo is down."
    room.overlay.complain("Three is down.")
    room.overlay.complain("Four is down.")
    assert room.bar.inline_message.sentence == "Two is down.\nThree is down.\nFour is down."
    monkeypatch.setattr(status, "READING_MS", 0)
    room.type("/serch x")
    assert room.bar.inline_message.sentence == ""
    room.press(Key.Key_Return)
    room.overlay.complain("One is down.")
    text = "There is no /serch. Did you mean /search?\nOne is down."
    assert room.bar.inline_message.sentence == text
    button = room.bar.inline_message.findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.isVisible()


def test_new_empties_the_window_and_stops_what_is_under_way(room: Room) -> None:
    room.settle()
    small = room.paper
    room.ask("Why?", TokenArrived("Half"), Gate())
    room.bot.waitUntil(lambda: room.session.views[0].draft is not None)
    room.type("/new")
    room.press(Key.Key_Return)
    assert room.session.views == []
    assert not room.conversation.isVisible()
    room.settle()
    assert room.paper == small
    assert room.bar.send_button.state is SendState.OFF


# A run


def test_an_answer_is_seen_while_it_is_written(room: Room) -> None:
    gate = Gate()
    exchange = room.ask("Why?", TokenArrived("Because of the ri"), gate, answered("Because."))
    room.bot.waitUntil(exchange.answer.isVisible)
    assert "Because of the ri" in exchange.answer.toPlainText()
    assert room.bar.send_button.state is SendState.STOP
    gate.open()
    room.until(State.ANSWERED)
    assert room.bar.send_button.state is SendState.DONE
    room.press(Key.Key_Escape)
    assert room.overlay.isVisible()
    room.bot.waitUntil(lambda: room.bar.send_button.state is SendState.OFF)


def test_a_follow_up_stands_below_and_is_seen_from_its_beginning(room: Room) -> None:
    room.answer("one", answered("\n\n".join([LONG] * 4)))
    room.answer("two", answered("\n\n".join([LONG] * 4)))
    room.settle()
    bar = room.conversation.verticalScrollBar()
    assert len(room.conversation.exchanges) == 2
    assert bar.value() == min(bar.maximum(), room.conversation.exchanges[-1].y()) > 0


def test_the_window_grows_up_to_its_share_of_the_screen(room: Room) -> None:
    screen = room.overlay.screen().availableGeometry()
    room.answer("one", answered("Short."))
    room.settle()
    small = room.paper[1]
    room.answer("two", answered("\n\n".join([LONG] * 12)))
    room.settle()
    assert small < room.paper[1] == int(0.7 * screen.height())
    assert room.overlay.y() + room.overlay.paper.bottom() <= screen.bottom()
