"""The trace in rows, as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Dequeued,
    Failed,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    Planned,
    RequestSent,
    ResultsFound,
    RunEvent,
    SearchStarted,
    Sending,
    SettingsFitted,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.steps import Outbound, Tone, Trace, TraceRow
from cli.runs import FERRY, RUN

GOLDEN = [
    "Settings: as measured by the evaluation of this model · first portion 600 tokens · time limit 120 s"
    " · !verdicts by the program alone · verification on · asked in few words",
    "Plan: “skarn lamp” (0.8 s)",
    "Library: 2 passages (4 ms)",
    "Search: 7 results · 2 kept · 1 near-copy aside · !owl did not answer (2.0 s)",
    "  “when was the lamp lit” · !SearXNG was slow.",
    "  “skarn lamp” · 9 found, 7 new",
    "Snippets: Partial (0.3 s)",
    "  !overruled: no 1887",
    "  missing: “year”",
    "Choice: 1 of 2 results chosen (0.2 s)",
    "  0.90 · ferry.skarn.example",
    "Read: +1,234 words · ferry.skarn.example (1.5 s)",
    "  !empty · gazette.skarn.example: shows only a consent or sign-in form",
    "  !failed · mirror.skarn.example: it answered 404",
    "Passages: 4 passages kept of 1 page · 1 near-copy dropped · 812 tokens"
    " · 2 left out for want of room",
    "Verdict: Enough (0.3 s)",
    "Round 2: “lamp colour” (0.5 s)",
    "Answer: from 3 sources (1.5 s)",
    "Check: +1 supported · !1 in part · -1 not supported · 1 added · 1 removed"
    " · the model verified 1 of 2, 220 tokens (0.3 s)",
    "Notes: !Two rounds were not enough.",
    "Sent: 1 query",
    "  its engines · through SearXNG at http://127.0.0.1:25017",
]
SIGNS = {Tone.AMBER: "!", Tone.GOOD: "+", Tone.BAD: "-"}


def rows_of(events: Sequence[RunEvent], pace_s: float = 0.5) -> tuple[TraceRow, ...]:
    trace = Trace()
    for n, event in enumerate(events):
        trace.apply(event, n * pace_s)
    return trace.rows


def texts_of(rows: Sequence[TraceRow]) -> list[str]:
    lines: list[str] = []
    for row in rows:
        cells = [" · ".join(SIGNS.get(c.tone, "") + c.text for c in line) for line in row.lines]
        took = f" ({row.elapsed})" if row.elapsed else ""
        lines += [f"{row.label}: {cells[0]}{took}", *(f"  {cell}" for cell in cells[1:])]
    return lines


def test_a_whole_run_reads_in_the_order_of_its_picture():
    run = [GapFound(e.queries, 2) if isinstance(e, GapFound) else e for e in RUN]
    assert texts_of(rows_of(run)) == GOLDEN


def test_the_pages_of_a_round_stand_in_columns_and_open_by_a_click():
    (row,) = rows_of([PageRequested(FERRY, 1)])
    assert row.is_tabular
    assert row.round == 1
    assert [cell.url for cell in row.lines[0]] == ["", FERRY]


def test_an_address_that_is_not_of_the_web_opens_nothing():
    (row,) = rows_of([PageRead("file:///x", PageStatus.FAILED, PageReason.NONE, NOTHING, "", 0, 1)])
    assert [cell.url for cell in row.lines[0]] == ["", ""]
    assert row.lines[0][1].text.endswith("no reason given")


def test_a_late_page_is_told_in_the_round_that_asked_for_it():
    late = PageRead(FERRY, PageStatus.OK, PageReason.NONE, NOTHING, "T", 7, 900)
    rows = rows_of([PageRequested(FERRY, 1), GapFound(("q",), 2), SearchStarted(("q",), 2), late])
    assert [(row.label, row.round) for row in rows] == [("Read", 1), ("Round 2", 2), ("Search", 2)]
    assert rows[0].lines[0][0].text == "7 words"
    assert rows[0].elapsed == "1.5 s"


def test_a_page_says_how_it_was_read_where_its_text_is_not_what_it_shows():
    how = Message(
        "The page keeps its text for browsers without scripts, or for its own; it is read from there."
    )
    (row,) = rows_of([PageRead(FERRY, PageStatus.OK, PageReason.NONE, how, "T", 7, 900)])
    assert str(how) in [cell.text for cell in row.lines[0]]


def test_each_round_has_its_own_searches():
    events: list[RunEvent] = [
        SearchStarted(("a",), 1),
        ResultsFound("a", 3, 3, (), NOTHING, 10),
        GapFound(("b",), 2),
        SearchStarted(("b",), 2),
        ResultsFound("b", 5, 0, (), NOTHING, 10),
        Judged(Judging.PASSAGES, Sufficiency.INSUFFICIENT, (), NOTHING, 2, 10),
    ]
    assert texts_of(rows_of(events)) == [
        "Search: 3 results (0.5 s)",
        "  “a” · 3 found, 3 new",
        "Round 2: “b” (1.5 s)",
        "Search: 0 new results (0.5 s)",
        "  “b” · 5 found, 0 new",
        "Verdict: Not enough (10 ms)",
    ]


def test_a_query_under_way_is_told():
    assert texts_of(rows_of([SearchStarted(("a",), 1)])) == ["Search: “a” · asked"]


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (
            Planned(Action.PROCEED, Sufficiency.PARTIAL, (), True, 12),
            "Plan: !none usable; the question is searched as it is (12 ms)",
        ),
        (
            Planned(Action.CLARIFY, Sufficiency.PARTIAL, (), False, 1),
            "Plan: the question is not clear yet (1 ms)",
        ),
        (
            Planned(Action.PROCEED, Sufficiency.SUFFICIENT, (), False, 1),
            "Plan: the conversation holds the answer (1 ms)",
        ),
        (
            Planned(Action.PROCEED, Sufficiency.PARTIAL, (), False, 1),
            "Plan: search the question as it is (1 ms)",
        ),
    ],
)
def test_every_kind_of_plan_has_its_words(plan: Planned, line: str):
    assert texts_of(rows_of([plan])) == [line]


@pytest.mark.parametrize(
    ("doubt", "lines"),
    [
        (NOTHING, ["Verdict: Enough (1 ms)", "  the model was not asked"]),
        (
            Message("there is no evidence"),
            ["Verdict: Partial (1 ms)", "  the model was not asked", "  !there is no evidence"],
        ),
    ],
)
def test_a_verdict_without_the_model_says_so(doubt: Message, lines: list[str]):
    found = Sufficiency.PARTIAL if doubt else Sufficiency.SUFFICIENT
    verdict = Judged(Judging.PASSAGES, found, (), doubt, 1, 1, by_code=True)
    assert texts_of(rows_of([verdict])) == lines


def test_what_fits_the_model_as_it_is_set_is_one_word():
    (row,) = rows_of([SettingsFitted(None, None, True, False, False)])
    assert [cell.text for cell in row.lines[0]][1:] == ["verification off"]


@pytest.mark.parametrize(
    ("end", "line"),
    [
        (Failed(Message("No model.")), "End: -No model."),
        (Cancelled(), "End: Stopped"),
        (ClarifyAsked("Which?"), "End: Clarification needed"),
    ],
)
def test_an_end_without_an_answer_is_the_last_step(end: RunEvent, line: str):
    assert texts_of(rows_of([end])) == [line]


def test_what_a_page_or_a_model_says_stays_on_one_line():
    verdict = Judged(Judging.PASSAGES, Sufficiency.PARTIAL, ("q\nr",), NOTHING, 1, 1)
    assert texts_of(rows_of([verdict])) == ["Verdict: Partial (1 ms)", "  missing: “q r”"]


def test_the_wait_for_others_is_the_first_row() -> None:
    trace = Trace()
    trace.apply(Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, ("lamp",), False, 5), 3.0)
    trace.apply(Dequeued(2500), 2.5)
    first = trace.rows[0]
    assert (first.label, first.lines[0][0].text) == ("Queue", "Waited for other questions")
    assert first.elapsed == "2.5 s"


# What left the machine is counted once, whoever tells of it twice.

SEARXNG = "SearXNG at http://127.0.0.1:25017"


def sent_texts(*requests: RequestSent) -> list[str]:
    outbound = Outbound()
    for request in requests:
        outbound.add(request)
    return [" · ".join(cell.text for cell in line) for line in outbound.lines]


def query(to: str, words: str, through: str = SEARXNG) -> RequestSent:
    return RequestSent(Sending.QUERY, to, Message.verbatim(through), words)


def test_a_query_whose_engines_are_named_later_is_one_query() -> None:
    assert sent_texts(
        query("its engines", "lamp"),
        query("its engines", "keeper"),
        query("curlew, tern", "lamp"),
        query("curlew, tern", "keeper"),
    ) == ["2 queries", f"curlew, tern · through {SEARXNG}"]


def test_a_query_that_nobody_answered_still_went_out() -> None:
    assert sent_texts(query("its engines", "lamp"), query("curlew", "keeper")) == [
        "2 queries",
        f"its engines · through {SEARXNG}",
        f"curlew · through {SEARXNG}",
    ]


def test_the_same_words_through_another_carrier_are_another_query() -> None:
    assert sent_texts(query("its engines", "lamp"), query("curlew", "lamp", "this program"))[0] == (
        "2 queries"
    )


def test_pages_are_counted_as_often_as_they_are_asked_for() -> None:
    page = RequestSent(Sending.PAGE, "a.example", Message("this program"), "http://a.example/")
    assert sent_texts(page, page)[0] == "2 pages asked for at 1 host"
