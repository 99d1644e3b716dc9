"""A run for a file, a pipe and another program."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from dataclasses import replace
from typing import get_args

import pytest

from askance.cli.exits import Output, OutputLost, marked
from askance.cli.live import LiveRenderer
from askance.cli.views import JsonFront, Narration, follow, footer_of, trace_lines
from askance.domain.conversation import CHAT, SEARCH, Outcome
from askance.domain.errors import ServiceDown
from askance.domain.events import (
    Answered,
    Cancelled,
    ClarifyAsked,
    Dequeued,
    DraftRetracted,
    Emit,
    Failed,
    PageRead,
    PageRequested,
    Planned,
    Queued,
    RunEnd,
    RunEvent,
    TimeExpected,
    TokenArrived,
)
from askance.domain.evidence import Citation, Support
from askance.domain.history import from_record
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.answers import (
    SIGNS,
    cost_text,
    found_text,
    fragment_url,
    legend,
    link_of,
    origin_note,
    support_word,
)
from askance.presentation.i18n import duration
from askance.presentation.steps import Trace
from askance.presentation.transcripts import markers_of, signed
from cli.fake_shell import FakeShell, FakeStream
from cli.runs import ANSWERED, CITATIONS, FERRY, GAZETTE, RUN, SOURCES, TEXT, WARNED

PLAIN = f"""\
The lamp was first lit in 1887 [1].

- It is **white** [2]≈.
- It may turn [2]✗.

Sources
[1] The lamp's year (ferry.skarn.example · 1 May 2024) https://ferry.skarn.example/times
[2] Paint (gazette.skarn.example · snippet only) {GAZETTE}
Not cited: [3] mirror.skarn.example
≈ supported by its source only in part   ✗ not supported by its source

Note: Two rounds were not enough.
Searched twice, read 7 pages · 12 s
"""


def test_a_pipe_gets_the_checked_answer_as_plain_text(fake_shell: FakeShell) -> None:
    front = fake_shell.shell.front()
    for event in RUN:
        front.show(event)
    assert fake_shell.printed == PLAIN
    assert "\x1b" not in fake_shell.printed


def test_a_pipe_gets_a_clarifying_question_and_nothing_of_a_failure(fake_shell: FakeShell) -> None:
    front = fake_shell.shell.front()
    for event in (ClarifyAsked("Which?"), Failed(Message("No.")), Cancelled()):
        front.show(event)
    assert fake_shell.printed == "Which?\n"


def test_verbose_keeps_the_trace_apart_from_the_answer(fake_shell: FakeShell) -> None:
    front = fake_shell.shell.front(verbose=True)
    for event in RUN:
        front.show(event)
    assert fake_shell.printed == PLAIN
    narration = Narration()
    wanted = [line[19:] for event in RUN for line in narration.lines(event, 0.0)]
    assert [line[19:] for line in fake_shell.errors.splitlines()] == wanted


def test_every_event_is_one_line_of_json_with_its_time() -> None:
    paper, clock = FakeStream(), iter(range(100))
    front = JsonFront(Output(paper), lambda: float(next(clock)))
    for event in RUN:
        front.show(event)
    records = [json.loads(line) for line in paper.getvalue().splitlines()]
    assert [from_record(record) for record in records] == list(RUN)
    assert [record["at_s"] for record in records] == [float(i) for i in range(1, len(RUN) + 1)]
    assert records[-1]["type"] == "answered"
    assert records[-1]["answer"] == TEXT
    assert records[-1]["sources"][0]["n"] == 1


def test_json_carries_hostile_text_unchanged_and_as_pure_ascii() -> None:
    paper = FakeStream()
    JsonFront(Output(paper)).show(TokenArrived("\x1b[2J\x9b東\ud800"))
    assert paper.getvalue().isascii()
    assert "\x1b" not in paper.getvalue()
    assert json.loads(paper.getvalue())["text"] == "\x1b[2J\x9b東\ud800"


def test_each_line_is_handed_on_at_once() -> None:
    class Counting(FakeStream):
        flushed = 0

        def flush(self) -> None:
            self.flushed = len(self.getvalue())

    paper = Counting()
    JsonFront(Output(paper)).show(WARNED)
    assert paper.flushed == len(paper.getvalue()) > 0


@pytest.mark.parametrize(
    ("terminal", "term", "as_json", "live"),
    [
        (True, "xterm", False, True),
        (True, "dumb", False, False),
        (False, "xterm", False, False),
        (True, "xterm", True, False),
    ],
)
def test_only_a_terminal_that_can_redraw_is_drawn_on(
    fake_shell: FakeShell, terminal: bool, term: str, as_json: bool, live: bool
) -> None:
    fake_shell.out.terminal = terminal
    fake_shell.environment["TERM"] = term
    front = fake_shell.shell.front(as_json=as_json)
    assert isinstance(front, LiveRenderer) is live
    front.close()


@pytest.mark.parametrize("cause", [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space")])
def test_an_output_that_cannot_be_written_says_so(cause: OSError) -> None:
    class Broken(FakeStream):
        def write(self, text: str) -> int:
            raise cause

    with pytest.raises(OutputLost) as caught:
        JsonFront(Output(Broken())).show(WARNED)
    assert caught.value.reader_gone is isinstance(cause, BrokenPipeError)
    assert caught.value.reason == cause.strerror


@pytest.mark.parametrize(
    ("command", "outcome", "notes", "found"),
    [
        (SEARCH, Outcome.WEB, 0, True),
        (SEARCH, Outcome.INSUFFICIENT, 1, True),
        (SEARCH, Outcome.PASSAGES_ONLY, 1, True),
        (CHAT, Outcome.MEMORY, 1, False),
        (CHAT, Outcome.GIVEN, 1, False),
        ("tldr", Outcome.HISTORY, 0, False),
    ],
)
def test_below_an_answer_stands_where_it_comes_from(
    command: str, outcome: Outcome, notes: int, found: bool
) -> None:
    end = replace(ANSWERED, outcome=outcome, warnings=())
    footer = footer_of(end, command)
    assert footer.notes == (origin_note(end, command),)[:notes]
    took = duration(end.elapsed_ms)
    assert footer.closing == (f"{found_text(end, command)} · {took}" if found else took)


def test_an_excerpt_keeps_the_spaces_beside_what_is_bold() -> None:
    marks = [(4, 9)]
    assert marked("The ferry\nleaves.", marks, bold=True) == "The \x1b[1mferry\x1b[22m leaves."
    assert marked("The ferry\nleaves.", marks, bold=False) == "The ferry leaves."


# One run from its first event to its end, whatever befalls it.


class Recorder:
    """A front that keeps what it was shown."""

    def __init__(self) -> None:
        self.events: list[RunEvent] = []
        self.ticked = asyncio.Event()
        self.closed = 0

    def show(self, event: RunEvent) -> None:
        self.events.append(event)

    def tick(self) -> None:
        self.ticked.set()

    def close(self) -> None:
        self.closed += 1


async def test_every_event_is_shown_and_the_end_returned() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        for event in RUN:
            emit(event)
        return ANSWERED

    assert await follow(front, run) is ANSWERED
    assert front.events == list(RUN)
    assert front.closed == 1


async def test_the_front_is_ticked_while_the_run_waits() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        await front.ticked.wait()
        front.ticked.clear()
        await front.ticked.wait()
        return ANSWERED

    assert await follow(front, run) is ANSWERED


async def test_a_service_that_fails_before_the_run_ends_it_as_failed() -> None:
    front = Recorder()

    async def run(emit: Emit) -> RunEnd:
        raise ServiceDown("SearXNG", "http://x", "It is down.", fix="Start it.")

    end = await follow(front, run)
    where = ("SearXNG", "http://x")
    assert end == Failed(Message("It is down."), Message("Start it."), *where, kind="ServiceDown")
    assert front.events == [end]


async def test_a_cancelled_run_is_shown_as_cancelled_once_and_passes_on() -> None:
    for emits_itself in (False, True):
        front, started = Recorder(), asyncio.Event()

        async def run(
            emit: Emit, started: asyncio.Event = started, itself: bool = emits_itself
        ) -> RunEnd:
            started.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                if itself:
                    emit(Cancelled())
                raise
            raise AssertionError

        async with asyncio.TaskGroup() as group:
            task = group.create_task(follow(front, run))
            await started.wait()
            task.cancel()
        assert task.cancelled()
        assert front.events == [Cancelled()]
        assert front.closed == 1


async def test_an_output_that_breaks_stops_the_run() -> None:
    class Full(FakeStream):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    stopped = False

    async def run(emit: Emit) -> RunEnd:
        nonlocal stopped
        emit(PageRequested("https://a.example/", 1))
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped = True
            raise
        raise AssertionError

    with pytest.raises(OutputLost, match="No space left"):
        await follow(JsonFront(Output(Full())), run)
    assert stopped


async def test_a_bug_keeps_its_stack_trace() -> None:
    async def run(emit: Emit) -> RunEnd:
        raise ZeroDivisionError

    with pytest.raises(ExceptionGroup) as caught:
        await follow(Recorder(), run)
    assert caught.group_contains(ZeroDivisionError)


# The trace of a run as lines: all of it, and each step as it comes.

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


# Markers: where each leads, and the sign of a doubt.


def answered(text: str, citations: tuple[Citation, ...] = CITATIONS) -> Answered:
    return dataclasses.replace(ANSWERED, answer=text, sources=SOURCES, citations=citations)


def test_each_marker_opens_its_page_at_its_own_quote() -> None:
    assert [marker.url for marker in markers_of(answered(TEXT))] == [
        fragment_url(SOURCES[0].url, "lit in 1887"),
        fragment_url(SOURCES[1].url, "painted white"),
        SOURCES[1].url,
    ]


def test_a_doubt_is_a_sign_behind_the_marker_and_not_only_a_colour() -> None:
    shown = signed(answered(TEXT))
    assert shown == TEXT.replace("white** [2]", "white** [2]≈").replace("turn [2]", "turn [2]✗")


def test_the_legend_explains_the_signs_that_were_used_and_no_others() -> None:
    assert legend([Support.SUPPORTED]) == ()
    (weak,) = legend([Support.SUPPORTED, Support.WEAK])
    assert weak == f"{SIGNS[Support.WEAK]} {support_word(Support.WEAK)}"
    assert [item[0] for item in legend(list(Support))] == ["≈", "✗"]


def test_a_marker_right_behind_its_sentence_still_belongs_to_it() -> None:
    citation = Citation(1, "Lit.", 0, 4, Support.WEAK)
    shown = signed(answered("Lit. [1] And more of it here [1].", (citation,)))
    assert shown == "Lit. [1]≈ And more of it here [1]."


def test_an_index_in_code_is_left_alone_and_so_is_what_names_no_source() -> None:
    text = "Row `a[1]` holds it [7]."
    assert signed(answered(text, ())) == text


def test_only_a_web_address_becomes_a_link() -> None:
    for url in ("javascript:alert(1)", "file:///etc/passwd", "https://a.example/ \\x"):
        assert link_of(dataclasses.replace(SOURCES[0], url=url), "quote") == ""
