"""What was found in the library, and sources that are files, as rows."""

from __future__ import annotations

import dataclasses
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.domain.addresses import path_of
from askance.domain.characters import clean, clean_event, one_line
from askance.domain.events import Answered, CitationsChecked, PageRead
from askance.domain.evidence import Citation, Source, Support
from askance.domain.library import DocumentKind, LibraryHit, Origin, Tally
from askance.domain.messages import NOTHING
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.answers import (
    coverage_text,
    found_row,
    is_local_file,
    link_of,
    page_at,
    place_of,
    source_rows,
    tally_text,
)
from cli.runs import ANSWERED, RUN


def hit(url: str, snippet: str = "the tide mill ran", marks: tuple[tuple[int, int], ...] = ((4, 8),)) -> LibraryHit:  # fmt: skip
    return LibraryHit(
        "d", 0, url, "Mills", "Tide", 0, snippet, snippet, marks, 1.0, Origin.WEB, DocumentKind.PAGE, "",
        "en", "2024-05-03", "2026-01-01T00:00:00Z", ("mill",),
    )  # fmt: skip


def test_a_passage_of_a_page_has_its_host_its_heading_its_day_and_its_tags() -> None:
    row = found_row(hit("https://www.a.example/mills"))
    assert (row.title, row.place, row.date) == ("Mills", "a.example · Tide", "3 May 2024")
    assert row.tags == ("mill",)
    assert row.snippet[slice(*row.marks[0])] == "tide"


def test_what_hides_in_a_snippet_is_taken_out_and_the_marks_stay_on_their_words() -> None:
    row = found_row(hit("https://a.example/", "a\u202e\x1b tide mill", ((4, 8),)))
    assert row.snippet == "a tide mill"
    assert row.snippet[slice(*row.marks[0])] == "tide"


def test_a_page_opens_at_the_words_that_were_found() -> None:
    assert page_at(hit("https://a.example/m")) == "https://a.example/m#:~:text=tide%20mill%20ran"
    assert page_at(hit("file:///srv/m.md")) == ""
    assert page_at(hit("javascript:alert(1)")) == ""


def test_a_file_is_told_by_its_name_and_its_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert place_of((tmp_path / "notes" / "a b.md").as_uri()) == "a b.md · ~/notes"
    assert path_of("file:///srv/%C3%BC.md") == "/srv/ü.md"


@pytest.mark.parametrize(
    "url", ["file://server/share/x.md", "file:relative", "https://a.example/file:///x", "file:///a%00b"]
)  # fmt: skip
def test_no_other_address_is_a_file_of_this_machine(url: str) -> None:
    assert not is_local_file(url)


def test_a_source_that_is_a_file_opens_as_one_where_files_can_be_opened() -> None:
    source = Source(1, Path("/srv/mill.md").as_uri(), "", "", "")
    (row,) = source_rows((source,))
    assert (row.title, row.host, row.url) == ("mill.md", "/srv", source.url)
    assert link_of(source, "a quote") == ""
    (row,) = source_rows((replace(source, title="Mills"),))
    assert row.about == "mill.md · /srv"


def test_a_tally_names_what_there_is() -> None:
    assert tally_text(Tally(2, 1, 0, 1)) == "3 files found · 1 failed"
    assert tally_text(Tally(2, 1, 0, 0, 2)) == "3 files found · 2 of them in part"
    assert coverage_text(Tally(2, 1, 5, 1)) == "3 of 4 files indexed"
    assert coverage_text(Tally(0, 0, 5, 0)) == ""


# Whatever a page or a model writes, a terminal obeys none of it.


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
