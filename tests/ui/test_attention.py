"""The icon in the panel: it moves while a run goes on, and has a dot until its end was seen."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QSystemTrayIcon

from askance.domain.events import ClarifyAsked, Failed, TokenArrived
from askance.domain.messages import Message
from askance.ui.overlay.conversation.exchange import State
from askance.ui.shell.tray import Tray, TrayState, UnreadAnswers
from ui.overlay_room import STILL, Gate, Room, Step, answered

pytestmark = pytest.mark.usefixtures("summoned")


@pytest.fixture
def told() -> list[tuple[str, str]]:
    """What the desktop was told."""
    return []


@pytest.fixture
def attention(room: Room, told: list[tuple[str, str]]) -> UnreadAnswers:
    made = UnreadAnswers(room.session, room.overlay, Tray(STILL, room.overlay))
    made.unseen.connect(lambda title, text: told.append((title, text)))
    return made


@pytest.fixture
def tray(attention: UnreadAnswers) -> Tray:
    return attention.tray


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (answered("Because."), "Answer ready"),
        (Failed(Message("It broke.")), "A question could not be answered"),
        (ClarifyAsked("Which one?"), "One question first"),
    ],
)
def test_the_icon_and_the_desktop_say_what_has_come_behind_a_hidden_window(
    room: Room, tray: Tray, told: list[tuple[str, str]], end: Step, said: str
) -> None:
    gate = Gate()
    room.ask("Why?", TokenArrived("Half"), gate, end)
    room.leave()
    gate.open()
    room.bot.waitUntil(lambda: tray.state is TrayState.ATTENTION)
    (icon,) = tray.findChildren(QSystemTrayIcon)
    assert icon.toolTip() == said
    assert told == [(said, "Why?")]
    room.summon()
    assert tray.state is TrayState.IDLE


def test_nothing_is_told_of_what_was_seen_or_stopped(
    room: Room, tray: Tray, told: list[tuple[str, str]]
) -> None:
    room.answer("Why?", answered("Because."))
    room.ask("And?", TokenArrived("Half"), Gate())
    room.leave()
    room.session.stop()
    room.until(State.STOPPED)
    assert told == []
    assert tray.state is TrayState.IDLE


def test_an_end_that_was_seen_leaves_no_dot(room: Room, tray: Tray) -> None:
    gate = Gate()
    room.ask("Why?", TokenArrived("Half"), gate, answered("Because."))
    room.bot.waitUntil(lambda: tray.state is TrayState.WORKING)
    gate.open()
    room.until(State.ANSWERED)
    assert tray.state is TrayState.IDLE


def test_a_new_run_moves_the_icon_and_its_end_counts(room: Room, tray: Tray) -> None:
    gate = Gate()
    room.ask("one", gate, answered("1."))
    room.leave()
    gate.open()
    room.bot.waitUntil(lambda: tray.state is TrayState.ATTENTION)
    room.session.begin_anew()
    assert tray.state is TrayState.IDLE


def test_what_has_ended_in_a_conversation_that_was_left_is_known_with_it(
    room: Room, attention: UnreadAnswers, told: list[tuple[str, str]]
) -> None:
    gate = Gate()
    room.ask("Why?", TokenArrived("Half"), gate, answered("Because."))
    room.session.begin_anew()
    assert attention.tray.state is TrayState.WORKING
    room.leave()
    gate.open()
    room.bot.waitUntil(lambda: attention.tray.state is TrayState.ATTENTION)
    assert told == [("Answer ready", "Why?")]
    assert attention.left == room.history.conversations(1)[0].id
