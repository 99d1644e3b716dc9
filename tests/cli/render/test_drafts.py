"""Where a block of Markdown is finished, and that finished blocks are drawn once."""

from __future__ import annotations

import pytest
from rich.console import Console

from askance.cli.exits import Output
from askance.cli.live import AnswerMarkdown, PlainConsole, StreamedMarkdown, end_of_finished
from cli.fake_shell import FakeStream
from cli.runs import SOURCES


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
