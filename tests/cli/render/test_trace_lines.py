"""The trace of a run as lines: all of it, and each step as it comes."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from askance.cli.views import Narration, trace_lines
from askance.domain.events import (
    Cancelled,
    ClarifyAsked,
    Dequeued,
    DraftRetracted,
    Failed,
    PageRead,
    PageRequested,
    Planned,
    Queued,
    RunEvent,
    TimeExpected,
    TokenArrived,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.answers import cost_text
from askance.presentation.steps import Trace
from cli.runs import ANSWERED, FERRY, RUN

_HEAD = len(next(trace_lines([(0.0, Cancelled())]))) - len("Stopped")
TIMED = [(i / 2, event) for i, event in enumerate(RUN)]
ENDS = (
    ClarifyAsked("Which lamp?"),
    Failed(Message("It is down."), Message("Start it.")),
    Cancelled(),
)


def narrated(*events: RunEvent) -> list[str]:
    narration = Narration()
    return [line for i, event in enumerate(events) for line in narration.lines(event, i / 2)]


def test_a_whole_run_is_told_by_the_rows_of_its_trace_each_with_how_long_it_took() -> None:
    trace = Trace()
    for at_s, event in TIMED:
        trace.apply(event, at_s)
    lines = list(trace_lines(TIMED))
    rows = sum(len(row.lines) for row in trace.rows)
    heads = [line[:_HEAD].split() for line in lines[:rows]]
    carried = lines[rows:-1]
    assert len(carried) == len(ANSWERED.sources) + len(ANSWERED.citations)
    assert all(any(s.url in line for line in carried) for s in ANSWERED.sources)
    assert all(any(c.quote in line for line in carried) for c in ANSWERED.citations)
    assert list(filter(None, heads)) == [f"{r.label} {r.elapsed}".split() for r in trace.rows]
    for row in trace.rows:
        for cell in (cell for line in row.lines for cell in line):
            assert any(cell.text in line and cell.url in line for line in lines)
    assert lines[-1] == cost_text(ANSWERED.usage, ANSWERED.elapsed_ms)


def test_a_quote_in_another_language_than_its_sentence_says_which() -> None:
    text, quote = (
        "The lamp was first lit in 1887.",
        "Die Lampe wurde 1887 zum ersten Mal angezündet.",
    )
    citation = replace(ANSWERED.citations[0], sentence=text, quote=quote)
    end = replace(ANSWERED, answer=text, citations=(citation,))
    reports = [line for line in trace_lines([(0.0, end)]) if quote in line]
    assert reports == [f"[1] “{text}” is supported by its source: “{quote}” (German)"]


def test_a_run_without_an_answer_is_told_with_what_mends_it() -> None:
    asked, failed, stopped = (list(trace_lines([(0.0, end)])) for end in ENDS)
    assert asked[-1] == "Which lamp?"
    assert failed[0].endswith("It is down.")
    assert failed[1:] == ["Start it."]
    assert len(stopped) == 1
    assert list(trace_lines([])) == []


def test_each_step_is_told_once_at_the_second_at_which_it_came() -> None:
    lines = narrated(*RUN)
    assert len(lines) == len(set(lines))
    (plan,) = [line for line in lines if line.startswith("Plan")]
    assert plan[:_HEAD].split() == ["Plan", "2.0", "s"]
    (read,) = [line for line in lines if "1,234 words" in line]
    assert read[:_HEAD].split() == ["Read", "5.5", "s"]
    assert f"<{FERRY}>" in read
    (failed,) = [line for line in lines if "SearXNG was slow." in line]
    assert failed[:_HEAD].split() == ["Search", "3.0", "s"]


def test_what_changes_in_a_step_is_told_anew_and_what_stays_is_not() -> None:
    page = PageRead(FERRY, PageStatus.OK, PageReason.NONE, NOTHING, "", 5, 9)
    first, second = narrated(PageRequested(FERRY, 1), page)
    assert (first[:_HEAD].split()[-2], second[:_HEAD].split()[-2]) == ("0.0", "0.5")
    assert narrated(page, page) == narrated(page)
    assert narrated(TokenArrived("So"), TimeExpected(40), Queued(2)) == []


def test_a_text_can_neither_break_its_line_nor_move_the_cursor() -> None:
    hostile = Failed(Message("evil\n\x1b[2Jtitle"), Message("do\nit\x9b"))
    lines = [*narrated(hostile), *trace_lines([(0.0, hostile)])]
    assert all(line.isprintable() for line in lines)


def test_the_run_and_the_ends_cover_every_kind_of_event() -> None:
    seen = {type(event) for event in (*RUN, *ENDS)} | {
        Queued,
        Dequeued,
        DraftRetracted,
        TimeExpected,
    }
    assert seen == set(get_args(RunEvent))
    assert {Planned, PageRead} < seen
