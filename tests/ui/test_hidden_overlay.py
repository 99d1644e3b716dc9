"""What comes into the overlay while it is hidden is there, whole, in the first frame of it that is seen again."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Failed,
    RunEvent,
    SourcesReady,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.messages import Message
from askance.ui.design.theme import LIGHT, Look
from ui.keyboard import LOOK, Desk
from ui.widgets.lighthouse import ENDED, NOTE, READ, SEARCHED, SOURCES, WHOLE, view_of

Events = tuple[tuple[float, RunEvent], ...]
ANSWERED: Events = (*READ, *ENDED)
LONG = Message("Sources disagree on what stands in this sentence, which takes several lines. " * 3)


def stands(desk: Desk) -> tuple[QRect, int, list[QRect]]:
    """The window, how far its text is scrolled, and where all that is seen of that lies."""
    inside = desk.conversation.findChildren(QWidget)
    places = [part.geometry() for part in inside if part.isVisible()]
    return desk.overlay.geometry(), desk.conversation.verticalScrollBar().value(), places


def cut_off(desk: Desk) -> list[QWidget]:
    """What has less room than it takes."""
    exchanges = desk.conversation.exchanges
    inside = [part for exchange in exchanges for part in exchange.findChildren(QWidget)]
    return [
        part
        for part in (*exchanges, *inside)
        if part.isVisible()
        and part.hasHeightForWidth()
        and part.height() < part.heightForWidth(part.width())
    ]


def comes_back_whole(desk: Desk) -> None:
    """Summon the window, and look at once and again when everything has had its turn."""
    desk.overlay.summon()
    at_once = stands(desk)
    assert cut_off(desk) == []
    desk.settle()
    assert stands(desk) == at_once


def test_an_answer_of_one_turn_of_the_event_loop(desk: Desk) -> None:
    desk.ask("/search When?")
    desk.overlay.hide()
    desk.tell(*SEARCHED, *ANSWERED)
    comes_back_whole(desk)


@pytest.mark.parametrize("unfolded", [False, True])
@pytest.mark.parametrize(
    "events",
    [
        ANSWERED,
        ((1.0, Failed(Message("It broke."), Message("`askance up` starts it."), "SearXNG", "x")),),
        ((1.0, ClarifyAsked("Which lamp?")),),
        ((1.0, NOTE), (1.1, Warned(WarningCode.WEAK_SOURCES, LONG))),
        ((1.0, Cancelled()),),
    ],
)
def test_a_run_of_many_turns(desk: Desk, events: Events, unfolded: bool) -> None:
    desk.ask("/search When?", *SEARCHED)
    if unfolded:
        desk.newest.trace.disclosure.click()
        desk.settle()
    desk.overlay.hide()
    for event in events:
        desk.tell(event)
    comes_back_whole(desk)


def test_a_run_that_began_while_it_was_hidden(desk: Desk) -> None:
    desk.overlay.hide()
    desk.session.submit("/search When?")
    for event in (*SEARCHED, *ANSWERED):
        desk.tell(event)
    comes_back_whole(desk)


@pytest.mark.parametrize("words", range(14, 21))
def test_an_answer_whose_last_word_takes_a_line_of_its_own(desk: Desk, words: int) -> None:
    desk.ask("/search When?", (0.1, SourcesReady(SOURCES)))
    desk.overlay.hide()
    for text in ("lamp " * words, "lamp"):
        desk.tell((1.0, TokenArrived(text)))
    comes_back_whole(desk)


def test_several_exchanges_with_another_size_of_text(desk: Desk) -> None:
    for _ in range(2):
        desk.ask("/search When?", *WHOLE)
    desk.overlay.hide()
    desk.overlay.set_look(Look(LIGHT, 1.4 * LOOK.scale, moves=False))
    desk.settle()
    comes_back_whole(desk)


@pytest.mark.parametrize("at", [0, 300, 10_000])
def test_the_reader_is_where_the_reader_was(desk: Desk, at: int) -> None:
    for _ in range(3):
        desk.ask("/search When?", *WHOLE)
    desk.ask("/search When?", *SEARCHED)
    bar = desk.conversation.verticalScrollBar()
    bar.setValue(at)
    desk.overlay.hide()
    for event in ANSWERED:
        desk.tell(event)
    comes_back_whole(desk)
    assert bar.value() == min(at, bar.maximum())


def test_an_exchange_that_was_given_before_the_window_was_ever_that_wide(desk: Desk) -> None:
    desk.overlay.hide()
    desk.session.began.emit(0, view_of(WHOLE))
    desk.settle()
    comes_back_whole(desk)
