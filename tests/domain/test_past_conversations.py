from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askance.domain.conversation import Usage
from askance.domain.events import ClarifyAsked, Failed
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    TimedEvent,
    resumed,
    title_of,
)
from askance.domain.messages import Message
from cli.runs import ANSWERED, RUN


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("When was the lamp lit?", "When was the lamp lit?"),
        (" two\n lines ", "two lines"),
        ("", "Untitled"),
        ("word " * 16, "word " * 15 + "word"),
        ("word " * 20, "word " * 15 + "word…"),
        ("words " * 20, "words " * 12 + "words…"),
        ("x" * 79 + " y", "x" * 79 + "…"),
        ("x" * 200, "x" * 79 + "…"),
        ("a, " * 40, "a, " * 25 + "a…"),
    ],
)
def test_a_title_is_the_question_shortened_at_a_word(text: str, title: str) -> None:
    assert title_of(text) == title


def test_a_title_without_a_question_is_what_was_asked_about() -> None:
    assert title_of(" ", "a\nquote") == "a quote"
    assert title_of("text", "a quote") == "text"


@settings(deadline=None)
@given(st.text(), st.text())
def test_a_title_is_one_short_line(text: str, quote: str) -> None:
    title = title_of(text, quote)
    assert 1 <= len(title) <= 80
    assert title == " ".join(title.split())


def test_a_conversation_goes_on_from_what_was_answered() -> None:
    ends = (ANSWERED, Failed(Message("It was down.")), ClarifyAsked("Which?"), None, ANSWERED)
    exchanges = tuple(
        Exchange(i, "search", f"q{i}", "", "", (TimedEvent(1.0, end),) if end else ())
        for i, end in enumerate(ends)
    )
    record = ConversationRecord(ConversationSummary(1, "", "", "", 5), exchanges)
    turns = resumed(record).turns
    assert [turn.question for turn in turns] == ["q0", "q4"]
    assert {turn.answer for turn in turns} == {ANSWERED.answer}


def test_what_was_searched_and_what_the_web_said_is_no_secret_and_the_rest_is() -> None:
    ends = (ANSWERED, replace(ANSWERED, usage=Usage(), sources=(), citations=()))
    exchanges = tuple(
        Exchange(i, "search", f"q{i}", "a quote", "", (TimedEvent(1.0, end),))
        for i, end in enumerate(ends)
    )
    searched, talked = resumed(
        ConversationRecord(ConversationSummary(1, "", "", "", 2), exchanges)
    ).turns
    assert searched.published == (
        *("q0", "The lamp's year", "Paint", "A copy"),
        *("lit in 1887", "painted white"),
    )
    assert talked.published == ()


def test_a_run_whose_last_event_is_no_end_has_none() -> None:
    assert Exchange(1, "search", "", "", "", (TimedEvent(1.0, RUN[0]),)).end is None
