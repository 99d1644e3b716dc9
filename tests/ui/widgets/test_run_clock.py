"""What is said while a run goes on: for how long, and after a silence what is waited for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtTest import QSignalSpy
from pytestqt.qtbot import QtBot

from askance.domain.conversation import ParsedCommand
from askance.presentation.progress import Status
from askance.ui.design.theme import LIGHT, Look
from askance.ui.overlay.conversation import exchange_view as run_clock
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget, RunClock

STATUS = Status("Looking at the best 5 results", waits="Waiting for the model", beside="of 9")
RUNNING = ExchangeView(ParsedCommand("search", "Why?"), status=STATUS)


class Time:
    """A clock in the test's hands."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    clock = Time()
    monkeypatch.setattr(run_clock, "now", clock)
    return clock


@pytest.fixture
def exchange(qtbot: QtBot, time: Time) -> ExchangeWidget:
    made = ExchangeWidget(Look(LIGHT, moves=False))
    qtbot.addWidget(made)
    made.show_view(RUNNING)
    return made


def tick(exchange: ExchangeWidget, time: Time, seconds: float) -> None:
    time.now += seconds
    (clock,) = exchange.findChildren(RunClock)
    clock.ticked.emit()


def said(exchange: ExchangeWidget) -> str:
    return exchange.trace.disclosure.accessibleName()


def test_after_ten_seconds_of_silence_it_says_what_is_waited_for(
    exchange: ExchangeWidget, time: Time
) -> None:
    tick(exchange, time, 9.0)
    assert said(exchange) == "Looking at the best 5 results of 9"
    assert exchange.trace.disclosure.time == "9 s"
    tick(exchange, time, 1.0)
    assert said(exchange) == "Looking at the best 5 results Waiting for the model"
    exchange.show_view(RUNNING)
    assert said(exchange) == "Looking at the best 5 results of 9"
    tick(exchange, time, 5.0)
    assert said(exchange) == "Looking at the best 5 results of 9"
    assert exchange.trace.disclosure.time == "15 s"


def test_the_seconds_stand_beside_those_that_are_to_be_expected(
    exchange: ExchangeWidget, time: Time
) -> None:
    exchange.show_view(replace(RUNNING, expected_s=14))
    tick(exchange, time, 7.0)
    assert exchange.trace.disclosure.time == "7 s of about 14 s"
    # What takes longer is not held to what was expected.
    tick(exchange, time, 8.0)
    assert exchange.trace.disclosure.time == "15 s"
    exchange.show_view(replace(RUNNING, state=State.ANSWERED, took="16 s"))
    assert exchange.trace.disclosure.time == "16 s"


def test_what_waits_and_what_has_ended_has_no_seconds(exchange: ExchangeWidget, time: Time) -> None:
    tick(exchange, time, 3.0)
    exchange.show_view(
        ExchangeView(ParsedCommand("search", "Why?"), state=State.STOPPED, status=Status("Stopped"))
    )
    assert exchange.trace.disclosure.time == ""
    waiting = ExchangeWidget(Look(LIGHT), exchange)
    waiting.show_view(
        ExchangeView(ParsedCommand("search", "Why?"), state=State.WAITING, status=Status("Next"))
    )
    assert waiting.trace.disclosure.time == ""


def test_it_ticks_by_itself(qtbot: QtBot) -> None:
    parent = QObject()
    clock = RunClock(parent)
    ticked = QSignalSpy(clock.ticked)
    clock.note_event()
    qtbot.waitUntil(lambda: ticked.count() > 0)
    clock.stop()
    assert clock.seconds is None
