"""What was found in the library, and sources that are files, as rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from askance.domain.addresses import path_of
from askance.domain.evidence import Source
from askance.domain.library import DocumentKind, LibraryHit, Origin, Tally
from askance.presentation.answers import (
    coverage_text,
    found_row,
    is_local_file,
    link_of,
    page_at,
    place_of,
    share_text,
    source_rows,
    tally_text,
)


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


def test_a_share_is_never_rounded_to_all() -> None:
    assert [share_text(share) for share in (1.0, 0.9999, 0.5)] == ["100 %", "99.9 %", "50.0 %"]


def test_a_tally_names_what_there_is() -> None:
    assert tally_text(Tally(2, 1, 0, 1)) == "3 files found · 1 failed"
    assert tally_text(Tally(2, 1, 0, 0, 2)) == "3 files found · 2 of them in part"
    assert coverage_text(Tally(2, 1, 5, 1)) == "coverage 75.0 %"
    assert coverage_text(Tally(0, 0, 5, 0)) == ""
