"""Lines, events, thoughts and refusals, without a server."""

from __future__ import annotations

from itertools import pairwise
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askance.adapters.llm.reasoning import ThoughtFilter
from askance.adapters.llm.server_replies import (
    EventSplitter,
    LineSplitter,
    message_of,
    overflow_of,
)
from askance.domain.ports.model import Retracted, Text


def cut(text: str, at: list[int]) -> list[str]:
    ends = sorted({min(i, len(text)) for i in at} | {0, len(text)})
    return [text[a:b] for a, b in pairwise(ends)]


def sorted_out(pieces: list[str]) -> tuple[str, str]:
    """All text and all thought of a reply."""
    thoughts = ThoughtFilter()
    parts = [part for piece in pieces for part in thoughts.feed(piece)] + thoughts.end()
    assert all(part.text for part in parts if not isinstance(part, Retracted))
    text = thought = ""
    for part in parts:
        if isinstance(part, Retracted):
            text, thought = "", thought + text
        elif isinstance(part, Text):
            text += part.text
        else:
            thought += part.text
    return text, thought


@given(st.binary(max_size=200), st.lists(st.integers(0, 200)))
def test_lines_do_not_depend_on_how_the_bytes_were_cut(data: bytes, at: list[int]) -> None:
    splitter = LineSplitter()
    pieces = [piece.encode("latin-1") for piece in cut(data.decode("latin-1"), at)]
    lines = [line for piece in pieces for line in splitter.feed(piece)]
    expected = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    lines += splitter.end() or [b""]

    assert lines == expected


@example(tokens=["</think>", "<", "<think>", " ", "</think>"], at=[17])
@given(
    st.lists(st.sampled_from(["<think>", "</think>", "`", " ", "\n", "<", "a", "thi"]), max_size=12),
    st.lists(st.integers(0, 60)),
)  # fmt: skip
def test_thoughts_do_not_depend_on_how_the_reply_was_cut(tokens: list[str], at: list[int]) -> None:
    reply = "".join(tokens)

    (text, thought), (whole_text, whole_thought) = sorted_out(cut(reply, at)), sorted_out([reply])

    assert (text, sorted(thought)) == (whole_text, sorted(whole_thought))


def test_what_cannot_be_a_tag_is_passed_on_at_once() -> None:
    thoughts = ThoughtFilter()

    assert thoughts.feed("Lisbon <") == [Text("Lisbon ")]
    assert thoughts.feed("b> lies") == [Text("<b> lies")]


@given(
    st.lists(st.text("ab: {", min_size=1), min_size=1, max_size=3).filter(
        lambda x: "".join(x).strip()
    )
)
def test_an_events_lines_are_joined(lines: list[str]) -> None:
    events = EventSplitter()
    for line in lines:
        assert events.feed(b"data: " + line.encode()) is None

    assert events.feed(b"") == "\n".join(lines)
    assert events.end() is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('{"error": "no"}', "no"),
        ('{"error": {"message": "no", "code": 1}}', "no"),
        ('{"error": "{\\"error\\": {\\"message\\": \\"no\\"}}"}', "no"),
        ('{"detail": "no"}', "no"),
        ('{"detail": [1]}', '{"detail": [1]}'),
        ("[1]", "[1]"),
        ("", ""),
        ("<html>\n  no", "no"),
        ("x" * 999, "x" * 300),
    ],
)
def test_the_message_is_found_in_every_wrapping(body: str, message: str) -> None:
    assert message_of(body) == message


def test_a_line_that_comes_byte_by_byte_is_not_looked_through_again_and_again():
    splitter = LineSplitter()
    began = process_time()
    for _ in range(300_000):
        assert splitter.feed(b"x") == []
    assert splitter.feed(b"\n") == [b"x" * 300_000]
    # Copying all that has come for each byte moves 45 GB.
    assert process_time() - began < 3


def test_an_event_that_does_not_end_is_refused():
    def endless(line: bytes) -> None:
        events = EventSplitter()
        for _ in range(20_000):
            assert events.feed(line) is None

    for line in (b"data: " + b"x" * 100_000, b"data:"):
        with pytest.raises(ValueError, match="does not end"):
            endless(line)


@pytest.mark.parametrize(
    "body",
    ["[" * 100_000, '{"error":' * 100_000, '{"error": {"message": ' * 400 + '"x"' + "}" * 800],
)
def test_an_error_that_is_nested_without_end_is_a_short_text(body: str):
    assert len(message_of(body)) <= 300
    assert overflow_of(body, "wren", 8192) is None
