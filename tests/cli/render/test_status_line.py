"""The quiet line, event by event."""

from __future__ import annotations

from typing import get_args

import pytest

from askance.cli.render.status import status_text
from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Dequeued,
    Failed,
    PageRead,
    Planned,
    Queued,
    ResultsFound,
    RunEvent,
    TimeExpected,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.verdict import Action, Sufficiency
from askance.domain.web import PageReason, PageStatus
from cli.runs import RUN

GOLDEN = [
    "Found 2 passages in the library",
    "Searching for “when was the lamp lit”, “skarn lamp”",
    None,
    "Planned to search for “skarn lamp”",
    "Found 9 results for “skarn lamp”",
    "The search for “when was the lamp lit” failed",
    "Looking at the best 2 results",
    "Judged the snippets: they are not enough yet",
    "Reading ferry.skarn.example",
    "Read ferry.skarn.example (1,234 words)",
    "Nothing on gazette.skarn.example: shows only a consent or login wall",
    "No page from mirror.skarn.example: it answered 404",
    "Judging 4 passages of 1 page",
    "Judged the passages: they are enough",
    "Something is missing: “lamp colour”",
    "Writing from 3 sources",
    None,
    None,
    "Checked 3 citations",
    None,
    None,
]


def test_a_whole_run_reads_as_what_happens_now() -> None:
    assert [status_text(event) for event in RUN] == GOLDEN


def test_one_of_a_thing_is_not_called_many() -> None:
    assert status_text(ResultsFound("q", 1, 1, (), NOTHING, 5)) == "Found 1 result for “q”"


def test_whoever_waits_for_others_is_told_and_begins_after_that() -> None:
    assert status_text(Queued(1)) == "Waiting for another question"
    assert status_text(Queued(3)) == "Waiting for 3 other questions"
    assert status_text(Dequeued(2000)) == "Starting"


@pytest.mark.parametrize(
    "event",
    [
        Planned(Action.CLARIFY, Sufficiency.INSUFFICIENT, (), False, 1),
        ClarifyAsked("Which?"),
        Failed(Message("No.")),
        Cancelled(),
        TimeExpected(40),
    ],
)
def test_an_end_leaves_the_line_as_it_is(event: RunEvent) -> None:
    assert status_text(event) is None


@pytest.mark.parametrize("reason", [reason for reason in PageReason if reason])
def test_every_reason_for_an_unread_page_has_its_words(reason: PageReason) -> None:
    text = status_text(
        PageRead("https://a.example/x", PageStatus.FAILED, reason, NOTHING, "", 0, 1)
    )
    assert text is not None
    assert text.startswith("No page from a.example: ")
    assert "no reason given" not in text


def test_the_golden_run_and_the_ends_cover_every_kind_of_event() -> None:
    ends = {ClarifyAsked, Failed, Cancelled}
    seen = {type(event) for event in RUN} | ends | {Queued, Dequeued, TimeExpected}
    assert seen == set(get_args(RunEvent))
