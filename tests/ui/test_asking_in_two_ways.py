"""The web or the model alone: what is in front is remembered, followed up and told of."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from askance.config.choices import AskMode
from askance.domain.conversation import Outcome, QuoteOrigin
from askance.domain.events import TokenArrived
from askance.ui.overlay.conversation.exchange import ExchangeAction, State
from askance.ui.overlay.conversation.exchange_actions import ExchangeActions
from askance.ui.overlay.conversation.field import Chip
from ui.overlay_room import Gate, Room, answered

Key, Modifier = Qt.Key, Qt.KeyboardModifier


pytestmark = pytest.mark.usefixtures("summoned")


def actions_of(room: Room, index: int = -1) -> ExchangeActions:
    found = room.conversation.exchanges[index].part(ExchangeActions)
    assert isinstance(found, ExchangeActions)
    return found


def test_a_question_and_its_follow_up_search_until_the_switch_is_turned(room: Room) -> None:
    room.answer("Why?", answered("So."))
    room.answer("And then?", answered("So."))
    QTest.mouseClick(room.bar.switch.segments[AskMode.CHAT], Qt.MouseButton.LeftButton)
    room.answer("Really?", answered("Yes."))
    assert [how for how, _ in room.engine.asked] == ["run", "run", "chat"]


def test_a_kept_conversation_is_followed_up_as_it_was_asked_and_the_next_one_as_set(
    room: Room,
) -> None:
    room.type("Why?")
    room.press(Key.Key_Return, held=Modifier.ControlModifier)
    room.bot.waitUntil(lambda: bool(room.session.views))
    room.until(State.ANSWERED)
    assert room.bar.switch.mode is AskMode.WEB
    history = room.history
    room.bot.waitUntil(lambda: bool(history.conversations(limit=1)[0].exchanges))
    record = history.conversation(room.session.conversation or 0)
    assert record is not None
    room.session.begin_anew()
    room.session.resume(record)
    assert room.bar.switch.mode is AskMode.CHAT
    room.answer("And then?", answered("So."))
    assert [how for how, _ in room.engine.asked] == ["chat", "chat"]
    room.session.begin_anew()
    assert room.bar.switch.mode is AskMode.WEB


def test_what_came_from_memory_says_so_and_is_searched_at_a_click(room: Room) -> None:
    exchange = room.answer("/chat Why?", answered("So."))
    assert exchange.view is not None
    assert [tag.text for tag in exchange.view.tags] == ["From memory, not checked"]
    buttons = actions_of(room).buttons
    shown = [button.text() for button in buttons.values() if not button.isHidden()]
    assert shown == ["Ask again", "Other model", "Edit question"]
    exchange.trace.web.click()
    room.bot.waitUntil(lambda: len(room.engine.asked) == 2)
    assert room.engine.asked == [("chat", "Why?"), ("run", "Why?")]


def test_what_came_from_a_given_text_says_so_now_and_in_the_history(room: Room) -> None:
    text = "The seventh clause is void. " * 100
    room.bar.ask_about(Chip(QuoteOrigin.PASTED, text.strip()))
    end = replace(answered("So."), outcome=Outcome.GIVEN)
    exchange = room.answer("What does the seventh clause say?", end)
    assert room.engine.asked == [("chat", f"What does the seventh clause say?\n\n{text.strip()}")]
    assert exchange.view is not None
    assert [tag.text for tag in exchange.view.tags] == [
        "Pasted text, 500 words",
        "From the text you gave, not checked",
    ]

    history = room.history
    room.bot.waitUntil(lambda: bool(history.conversations(limit=1)[0].exchanges))
    record = history.conversation(room.session.conversation or 0)
    assert record is not None
    room.session.resume(record)
    assert room.session.views[-1].origin == exchange.view.origin


def test_what_waits_stands_in_sight_and_takes_the_place_at_a_key(room: Room) -> None:
    room.ask("one", TokenArrived("Half"), Gate())
    room.type("two")
    room.press(Key.Key_Return)
    assert room.session.views[1].state is State.WAITING
    buttons = actions_of(room).buttons
    assert [a for a, b in buttons.items() if not b.isHidden()] == [
        ExchangeAction.ASK_NOW,
        ExchangeAction.DROP,
    ]
    assert room.bar.line.fraction == room.session.views[0].progress
    buttons[ExchangeAction.ASK_NOW].setFocus()
    QTest.keyClick(buttons[ExchangeAction.ASK_NOW], Key.Key_Return)
    assert room.bar.field.hasFocus()
    room.until(State.ANSWERED)
    assert room.session.views[0].state is State.STOPPED
    assert room.engine.asked == [("run", "one"), ("run", "two")]


def test_escape_stops_what_is_under_way_and_the_next_one_begins(room: Room) -> None:
    room.ask("one", TokenArrived("Half"), Gate())
    room.type("two")
    room.press(Key.Key_Return, Key.Key_Escape)
    room.until(State.ANSWERED)
    assert [view.state for view in room.session.views] == [State.STOPPED, State.ANSWERED]
    assert room.overlay.isVisible()
