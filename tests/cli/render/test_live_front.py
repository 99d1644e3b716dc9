"""A run as a person at a terminal sees it."""

from __future__ import annotations

import dataclasses
import re

import pytest
from rich.console import Console

from askance.cli.exits import Output, OutputLost
from askance.cli.live import (
    AnswerMarkdown,
    LiveRenderer,
    PlainConsole,
    StreamedMarkdown,
    end_of_finished,
)
from askance.cli.views import Narration
from askance.domain.conversation import CHAT, SEARCH
from askance.domain.events import (
    Cancelled,
    CitationsChecked,
    ClarifyAsked,
    DraftRetracted,
    Failed,
    PageRequested,
    Queued,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TimeExpected,
    TokenArrived,
)
from askance.domain.messages import Message
from askance.presentation.answers import fragment_url
from askance.presentation.progress import RunProgress, Status
from cli.fake_shell import FakeStream
from cli.render.glass import Glass
from cli.runs import ANSWERED, CITATIONS, GAZETTE, RUN, SOURCES, WARNED

ANSWER = """\
The lamp was first lit in 1887 [1].

 • It is white [2]≈.
 • It may turn [2]✗."""
FOOTER = """\

[1] The lamp's year  ferry.skarn.example · 1 May 2024
[2] Paint  gazette.skarn.example · snippet only
Not cited: [3] mirror.skarn.example
≈ supported by its source only in part   ✗ not supported by its source
! Two rounds were not enough.
Searched twice, read 7 pages · 12 s"""


class Stage:
    """A live front on a terminal of 90 by 24, with a clock in the test's hands."""

    def __init__(self, *, verbose: bool = False, command: str = SEARCH, **environment: str) -> None:
        self.paper = FakeStream(terminal=True)
        self.now = 0.0
        size = {"TERM": "xterm-256color", "COLUMNS": "90", "LINES": "24"}
        screen = PlainConsole(Output(self.paper), size | environment)
        self.front = LiveRenderer(screen, verbose=verbose, command=command, clock=lambda: self.now)

    def play(self, *events: RunEvent) -> Glass:
        for event in events:
            self.front.show(event)
            self.front.tick()
        return self.glass

    @property
    def glass(self) -> Glass:
        return Glass(self.paper.getvalue())


def said(status: Status) -> str:
    return " · ".join(filter(None, (status.text, status.detail)))


def status_after(*events: RunEvent) -> Status:
    """What both front ends say after these events."""
    progress = RunProgress(SEARCH)
    for event in events:
        progress.apply(event)
    return progress.status


@pytest.mark.parametrize("n", range(1, 18))
def test_the_line_says_what_the_window_says(n: int) -> None:
    stage = Stage(COLUMNS="200")
    assert stage.play(*RUN[:n]).text == f"⠋ {said(status_after(*RUN[:n]))}  0 s"
    stage.front.close()


def test_after_a_silence_it_says_what_is_waited_for() -> None:
    stage = Stage()
    stage.play(*RUN[:10])
    for now, n in ((10.0, 10), (20.0, 14)):
        stage.play(*RUN[10:n])
        stage.now = now
        stage.front.tick()
        status = status_after(*RUN[:n])
        assert status.waits
        assert stage.glass.text == f"⠋ {status.text} · {status.waits}  {now:.0f} s"
    stage.front.close()


def test_who_is_before_a_run_is_said_for_as_long_as_it_takes() -> None:
    stage = Stage()
    stage.play(Queued(3))
    stage.now = 30.0
    stage.front.tick()
    assert stage.glass.text == f"⠋ {said(status_after(Queued(3)))}  30 s"
    stage.front.close()


def test_the_seconds_stay_in_sight_beside_the_longest_detail() -> None:
    stage = Stage(COLUMNS="40")
    shown = stage.play(SearchStarted(("where was the lamp lit for the first time",), 1)).text
    assert shown.startswith("⠋ Searching · “where was")
    assert shown.endswith("…  0 s")
    stage.front.close()


def test_the_status_line_says_what_happens_and_for_how_long() -> None:
    stage = Stage()
    assert (
        stage.play(PageRequested("https://a.example/x", 1)).text
        == "⠋ Reading 1 page · a.example  0 s"
    )
    stage.now = 8.3
    stage.front.tick()
    assert stage.glass.text == "⠸ Reading 1 page · a.example  8 s"
    stage.front.close()


def test_the_status_line_says_what_to_expect_where_past_runs_tell() -> None:
    stage = Stage()
    stage.play(TimeExpected(40), PageRequested("https://skarn.example/lamp", 1))
    stage.now = 3.0
    stage.front.tick()
    assert stage.glass.text.endswith("skarn.example · about 40 s here  3 s")


def test_the_draft_is_shown_while_it_is_written_and_hides_markers_without_a_source() -> None:
    stage = Stage()
    shown = stage.play(*RUN[:20])
    assert shown.text == (
        "The lamp was first lit in 1887 [1].\n\n"
        " • It is white [2].\n • It may turn.\n⠋ Writing · from 3 sources  0 s"
    )
    assert shown.cursor_hidden
    stage.front.close()


def test_a_talk_says_that_it_is_being_written_once_it_is() -> None:
    stage = Stage(command=CHAT)
    stage.front.tick()
    assert stage.glass.text == "⠋ Starting  0 s"
    stage.now = 8.0
    assert stage.play(TokenArrived("Because it")).text == "Because it\n⠋ Writing  8 s"
    stage.front.close()


def test_in_the_end_the_checked_answer_stands_there_once_with_its_footer() -> None:
    shown = Stage().play(*RUN)
    assert shown.text == f"{ANSWER}\n{FOOTER}"
    assert not shown.cursor_hidden


def test_markers_and_sources_are_hyperlinks_to_the_page_at_its_quote() -> None:
    links = Stage().play(ANSWERED).links
    assert fragment_url(SOURCES[0].url, "lit in 1887") in links
    assert fragment_url(GAZETTE, "painted white") in links
    assert GAZETTE in links


def test_where_hyperlinks_are_not_known_the_addresses_are_written_out() -> None:
    shown = Stage(TERM="linux").play(ANSWERED)
    assert shown.links == []
    assert f"[2] Paint  gazette.skarn.example · snippet only  {GAZETTE}" in shown.text


def test_no_color_takes_the_colours_and_leaves_the_signs() -> None:
    stage = Stage(NO_COLOR="1")
    assert "[2]≈" in stage.play(*RUN).text
    colours = [n for n in re.findall(r"\x1b\[([\d;]*)m", stage.paper.getvalue()) if "3" in n]
    assert colours == []


def test_verbose_lets_every_step_scroll_by_above_the_answer() -> None:
    shown = Stage(verbose=True).play(*RUN).text
    narration = Narration()
    steps = [line for event in RUN for line in narration.lines(event, 0.0)]
    answered = shown.index(ANSWER)
    assert steps
    assert all(shown.index(step) < answered for step in steps)


def test_of_a_draft_taller_than_the_terminal_the_end_is_shown() -> None:
    stage = Stage()
    long = "\n\n".join(f"Paragraph {i}." for i in range(40))
    shown = stage.play(SourcesReady(SOURCES), TokenArrived(long)).text
    assert "Paragraph 39." in shown
    assert "Paragraph 12." not in shown
    assert len(shown.splitlines()) <= 24
    stage.front.close()
    assert stage.glass.text == ""


@pytest.mark.parametrize("end", [Failed(Message("No.")), Cancelled()])
def test_a_run_without_an_answer_leaves_a_clean_terminal(end: RunEvent) -> None:
    shown = Stage().play(*RUN[:18], end)
    assert shown.text == ""
    assert not shown.cursor_hidden


def test_a_clarifying_question_stays_on_the_screen() -> None:
    assert Stage().play(ClarifyAsked("Which of the two lamps?")).text == "Which of the two lamps?"


HOSTILE = "\x1b[2J\x1b]0;owned\x07\x9b1A[link=http://evil.example]x[/link]\r"


def test_a_hostile_page_cannot_move_the_cursor_through_title_token_or_answer() -> None:
    sources = tuple(
        dataclasses.replace(s, title=f"T{HOSTILE}", host=f"h{HOSTILE}") for s in SOURCES
    )
    end = dataclasses.replace(
        ANSWERED, answer=f"So {HOSTILE} it is.", citations=(), sources=sources
    )
    glass = Stage(verbose=True).play(
        SourcesReady(sources),
        TokenArrived(HOSTILE),
        CitationsChecked(HOSTILE, CITATIONS, 0, 0),
        dataclasses.replace(WARNED, message=HOSTILE),
        dataclasses.replace(end, warnings=(HOSTILE,)),
    )
    assert "[link=http://evil.example]x[/link]" in glass.text
    assert not [link for link in glass.links if "evil" in link]


def test_links_images_and_tags_of_the_model_lose_their_targets() -> None:
    answer = "See [the page](http://evil.example/a) ![pixel](http://evil.example/b) <b>x</b> [1]."
    glass = Stage().play(dataclasses.replace(ANSWERED, answer=answer, citations=()))
    assert "See the page pixel <b>x</b> [1]." in glass.text
    assert not [link for link in glass.links if "evil" in link]


def test_a_number_in_brackets_inside_code_is_not_a_marker() -> None:
    answer = "Use `row[1]` here.\n\n```\nrow[1] = 2\n```\n"
    glass = Stage().play(dataclasses.replace(ANSWERED, answer=answer, citations=()))
    assert "Use row[1] here." in glass.text
    assert "row[1] = 2" in glass.text


def test_the_front_ends_when_its_terminal_is_gone() -> None:
    class Gone(FakeStream):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    with pytest.raises(OutputLost, match="Input/output error"):
        LiveRenderer(PlainConsole(Output(Gone(terminal=True)), {"TERM": "xterm"}))


def test_reasoning_that_was_shown_as_the_answer_is_taken_back() -> None:
    stage = Stage()
    stage.play(SourcesReady(SOURCES), TokenArrived("Okay, the user asks."))
    stage.play(DraftRetracted())
    assert "Okay" not in stage.play(TokenArrived("It is 47 m.")).text
    assert "It is 47 m." in stage.glass.text


# Where a block of Markdown is finished, and that finished blocks are drawn once.


@pytest.mark.parametrize(
    ("text", "finished"),
    [
        ("", ""),
        ("One line", ""),
        ("One line\n", ""),
        ("One.\n\n", "One.\n\n"),
        ("One.\n\nTwo.\n\nThr", "One.\n\nTwo.\n\n"),
        ("\n\nOne", ""),
        ("```\ncode\n\nmore", ""),
        ("Say:\n\n```\ncode\n\nmore", "Say:\n\n"),
        ("```\ncode\n\n```\n\nOut", "```\ncode\n\n```\n\n"),
        ("~~~\n```\n\n~~~\n\nOut", "~~~\n```\n\n~~~\n\n"),
    ],
)
def test_a_block_is_finished_by_a_blank_line_outside_of_code(text: str, finished: str) -> None:
    assert text[: end_of_finished(text)] == finished


class Counted(AnswerMarkdown):
    """Notes what it was asked to draw."""

    def __init__(self) -> None:
        super().__init__(SOURCES, links=False)
        self.drawn: list[str] = []

    def draft(self, text: str):
        self.drawn.append(text)
        return super().draft(text)


def screen(width: int = 40) -> Console:
    return PlainConsole(
        Output(FakeStream(terminal=True)), {"TERM": "xterm", "LINES": "24"}, width=width
    )


def words(draft: StreamedMarkdown, console: Console) -> list[str]:
    lines = draft.lines(console, console.options)
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def test_a_finished_block_is_drawn_once_and_the_tail_each_time() -> None:
    text, console = Counted(), screen()
    draft = StreamedMarkdown(text)
    for piece in ("One.", "\n\nTw", "o is", " here."):
        draft.add(piece)
        words(draft, console)
    assert text.drawn == ["One.", "One.\n\n", "Tw", "Two is", "Two is here."]
    assert words(draft, console) == ["One.", "", "Two is here."]


def test_a_terminal_made_narrower_gets_all_of_it_anew() -> None:
    draft = StreamedMarkdown(Counted())
    draft.add("One two three four five.\n\nTail")
    assert words(draft, screen(40)) == ["One two three four five.", "", "Tail"]
    assert words(draft, screen(10)) == ["One two", "three four", "five.", "", "Tail"]


def test_an_unknown_marker_of_a_draft_disappears_with_the_space_before_it() -> None:
    draft = StreamedMarkdown(Counted())
    draft.add("Row `a[7]` **holds** it [7], and so [1] it is.")
    assert words(draft, screen(60)) == ["Row a[7] holds it, and so [1] it is."]
