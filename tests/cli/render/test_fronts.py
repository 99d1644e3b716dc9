"""A run for a file, a pipe and another program."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from askance.cli.exits import Output, OutputLost, marked
from askance.cli.live import LiveRenderer
from askance.cli.views import JsonFront, Narration, footer_of
from askance.domain.conversation import CHAT, SEARCH, Outcome
from askance.domain.events import Cancelled, ClarifyAsked, Failed, TokenArrived
from askance.domain.history import from_record
from askance.domain.messages import Message
from askance.presentation.answers import found_text, origin_note
from askance.presentation.i18n import duration
from cli.fake_shell import FakeShell, FakeStream
from cli.runs import ANSWERED, GAZETTE, RUN, TEXT, WARNED

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
