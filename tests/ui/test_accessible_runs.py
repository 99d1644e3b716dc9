"""What a screen reader says by itself while a run goes on, and when it ends."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from askance.domain.conversation import CHAT, Outcome, ParsedCommand, Usage
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    PageRequested,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
)
from askance.ui.design.focus import announce
from askance.ui.overlay.conversation import run_announcer
from askance.ui.overlay.conversation.exchange import ExchangeModel
from askance.ui.overlay.conversation.run_announcer import RunAnnouncer, spoken_end
from ui.keyboard import DOWN, Desk, label
from ui.widgets.lighthouse import ENDED, READ, SEARCHED, SOURCES, WHOLE, view_of

# Longer than a busy machine takes for a test: a pause passes when the test says so.
PAUSE_S = 600


class Clock:
    """Seconds that pass when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Listener(QObject):
    """Somebody who hears what is announced, and when."""

    def __init__(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(desk.overlay)
        self.heard: list[str] = []
        self.clock = Clock()
        # The window's own announcer, with another voice and another clock.
        monkeypatch.setattr(run_announcer, "announce", self._hear)
        monkeypatch.setattr(run_announcer, "monotonic", self.clock)
        (self.announcer,) = desk.overlay.findChildren(RunAnnouncer)
        self.announcer._announced_s = -PAUSE_S

    def _hear(self, _window: QWidget, text: str | Callable[[], str]) -> None:
        self.heard.append(text if isinstance(text, str) else text())

    def pause(self) -> None:
        """Let the pause pass, without waiting for it."""
        self.clock.now += PAUSE_S
        self.announcer.pause.timeout.emit()


@pytest.fixture
def listener(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Listener:
    monkeypatch.setattr(run_announcer, "PAUSE_MS", 1000 * PAUSE_S)
    return Listener(desk, monkeypatch)


def test_stages_are_told_one_at_a_time_and_the_last_of_those_that_passed(
    desk: Desk, listener: Listener
) -> None:
    desk.ask("/search When?")
    desk.bot.waitUntil(lambda: listener.heard == ["Starting"])
    desk.tell((0.1, SearchStarted(("lamp",), 1)))
    desk.tell(*((0.2, PageRequested(f"https://{n}.example/", 1)) for n in range(5)))
    assert listener.heard == ["Starting"]
    listener.pause()
    assert listener.heard == ["Starting", "Reading 5 pages"]
    desk.tell(READ[0])
    listener.pause()
    assert listener.heard == ["Starting", "Reading 5 pages"]
    desk.tell((8.0, SourcesReady(SOURCES)), (8.1, TokenArrived("It ")))
    listener.pause()
    assert listener.heard == ["Starting", "Reading 5 pages", "Writing"]


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (WHOLE, "Answer: The lighthouse was moved 140 metres inland in 1931… 4 sources, 1 note"),
        (((0.1, DOWN),), "SearXNG is not running."),
        (((0.1, ClarifyAsked("Which lamp?")),), "Which lamp?"),
        (((0.1, Cancelled()),), "Stopped"),
    ],
)
def test_an_end_waits_for_no_pause_and_is_the_last_word(
    desk: Desk, listener: Listener, events: tuple[tuple[float, RunEvent], ...], said: str
) -> None:
    desk.ask("/search When?")
    desk.tell(*SEARCHED)
    desk.tell(*events)
    assert listener.heard[-1] == said
    listener.pause()
    assert listener.heard[-1] == said


def test_nothing_is_said_of_a_run_that_another_question_stopped(
    desk: Desk, listener: Listener
) -> None:
    desk.ask("/search When?", *SEARCHED)
    desk.ask("/search Who?")
    desk.settle()
    listener.pause()
    assert "Stopped" not in listener.heard


def test_a_conversation_that_was_left_is_silent(desk: Desk, listener: Listener) -> None:
    desk.ask("/search When?", *SEARCHED)
    received = list(listener.heard)
    desk.session.begin_anew()
    desk.settle()
    listener.pause()
    assert listener.heard == received


def test_a_hidden_window_says_nothing(desk: Desk, listener: Listener) -> None:
    desk.ask("/search When?")
    desk.bot.waitUntil(lambda: listener.heard == ["Starting"])
    desk.overlay.hide()
    desk.tell(*SEARCHED, *READ, *ENDED)
    assert desk.session.views[-1].ended
    listener.pause()
    assert listener.heard == ["Starting"]


def test_the_next_run_tells_its_first_stage_although_it_is_the_same(
    desk: Desk, listener: Listener
) -> None:
    for _ in range(2):
        desk.ask("/search When?")
        listener.pause()
        desk.tell((0.1, DOWN))
    assert [text for text in listener.heard if text == "Starting"] == ["Starting"] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It moved in 1931. [1][2]", "Answer: It moved in 1931. 4 sources"),
        ("**Yes**, says [the Trust](https://x.example/) [2]. More.", "Answer: Yes, says the Trust… 4 sources"),
        ("Yes", "Answer: Yes. 4 sources"),
        ("[1]", "Answer 4 sources"),
        ("", "Answer 4 sources"),
    ],
)  # fmt: skip
def test_the_start_of_an_answer_is_said_without_its_marks(text: str, said: str) -> None:
    end = Answered(text, SOURCES, (), Outcome.WEB, 1, Usage(), (), 5)
    assert spoken_end(view_of(((1.0, end),))) == said


def test_a_run_that_goes_on_has_no_end_to_tell() -> None:
    assert spoken_end(ExchangeModel(ParsedCommand(CHAT, "When?")).view) == ""


class Reader:
    """Stands for Qt's way to the screen readers."""

    def __init__(self) -> None:
        self.listens = False
        self.told: list[QAccessibleAnnouncementEvent] = []

    def isActive(self) -> bool:  # noqa: N802
        return self.listens

    def updateAccessibility(self, event: QAccessibleAnnouncementEvent) -> None:  # noqa: N802
        self.told.append(event)


def test_an_announcement_is_made_only_where_somebody_listens(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, widget = Reader(), QWidget()
    qtbot.addWidget(widget)
    monkeypatch.setattr("askance.ui.design.focus.QAccessible", reader)
    made: list[str] = []

    def answer() -> str:
        made.append("Answer")
        return made[-1]

    announce(widget, "Searching")
    announce(widget, answer)
    assert reader.told == made == []
    reader.listens = True
    announce(widget, "")
    announce(widget, "Searching")
    announce(widget, answer)
    announce(widget, lambda: "")
    assert [event.message() for event in reader.told] == ["Searching", "Answer"]
    assert reader.told[0].object() is widget


def test_a_number_that_gets_the_focus_is_told_with_its_quote(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader()
    monkeypatch.setattr("askance.ui.design.focus.QAccessible", reader)
    desk.ask("/search When?", *WHOLE)
    reader.listens = True
    desk.tab_until(lambda widget: label(widget).startswith("Answer [3]"))
    desk.bot.waitUntil(lambda: bool(reader.told))
    assert reader.told[-1].message().startswith("Source 3: The 1928 fund · island-history.example")
