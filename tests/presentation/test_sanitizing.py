"""Whatever a page or a model writes, a terminal obeys none of it."""

from __future__ import annotations

import dataclasses
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.characters import clean, clean_event, one_line
from askance.domain.events import Answered, CitationsChecked, PageRead
from askance.domain.evidence import Citation, Support
from askance.domain.messages import NOTHING
from askance.domain.web_pages import PageReason, PageStatus
from cli.runs import ANSWERED, RUN


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[2J\x1b[Hgone", "[2J[Hgone"),
        ("\x1b]0;owned\x07title", "]0;ownedtitle"),
        (
            "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
            "]8;;http://evil.example\\click]8;;\\",
        ),
        ("\x9b31mred", "31mred"),
        ("over\rwritten\b\b", "overwritten"),
        ("abc\u202egpj.exe", "abcgpj.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("tag\U000e0041", "tag"),
        ("lone\ud800surrogate", "lonesurrogate"),
        ("mark\ue0000\ue001", "mark0"),
    ],
)
def test_what_a_terminal_obeys_is_taken_out(hostile: str, harmless: str) -> None:
    assert clean(hostile) == harmless


@pytest.mark.parametrize(
    "text", ["naïve café", "東京タワー", "line\nbreak\ttab", "می‌خواهم", "👩‍🚀"]
)
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == text


@given(st.text())
def test_nothing_obeyed_is_ever_left(text: str) -> None:
    left = set(clean(text)) - {"\n", "\t", "\u200c", "\u200d"}
    assert not {c for c in left if unicodedata.category(c) in {"Cc", "Cs", "Co"}}


@given(st.text(), st.integers(0, 50))
def test_the_cleaned_prefix_is_the_prefix_of_the_cleaned_text(text: str, cut: int) -> None:
    assert clean(text).startswith(clean(text[:cut]))


def test_a_title_never_takes_more_than_its_line() -> None:
    assert one_line("two\n\nlines\tand \x1b[1A more") == "two lines and [1A more"


def test_every_text_of_an_event_is_cleaned_and_its_codes_stay() -> None:
    event = PageRead("u", PageStatus.OK, PageReason.NONE, NOTHING, "\x1b[31mTitle", 3, 4)
    assert clean_event(event) == dataclasses.replace(event, title="[31mTitle")


def test_a_harmless_event_is_the_same_afterwards() -> None:
    assert [clean_event(event) for event in RUN] == list(RUN)


@pytest.mark.parametrize("kind", [Answered, CitationsChecked])
def test_citations_keep_to_their_sentences_when_the_text_shrinks(kind: type) -> None:
    text = "\x1b\x1bA \u200bfirst. A second\x07 one."
    start = text.index("A second")
    citation = Citation(1, text[start:], start, len(text), Support.WEAK, "q\x1bq")
    event = (
        dataclasses.replace(ANSWERED, answer=text, citations=(citation,))
        if kind is Answered
        else CitationsChecked(text, (citation,), 0, 0)
    )
    cleaned = clean_event(event)
    match cleaned:
        case Answered(answer=shown, citations=(moved,)):
            pass
        case CitationsChecked(text=shown, citations=(moved,)):
            pass
        case _:
            raise AssertionError(cleaned)
    assert shown[moved.start : moved.end] == "A second one." == moved.sentence
    assert moved.quote == "qq"
