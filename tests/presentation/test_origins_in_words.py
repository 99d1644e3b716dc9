"""How copies, independent sources and the day of an answer are said, by every front end."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askance.citations.markdown.answer_markers import numbered_from_one
from askance.cli.live import footer_texts
from askance.cli.views import footer_of, plain_lines
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.domain.history import from_record, to_record
from askance.domain.messages import Message
from askance.presentation.answers import as_of_text, origins_of_claim, source_rows
from askance.presentation.i18n import translated
from askance.presentation.transcripts import as_html, as_markdown
from askance.server.openai_text import footer
from transcripts.past import only

TEXT = "It was lit in 1863 [1][2]. It is white [3]. It has a lift [4]."


def source(n: int, copy_of: int = 0, copies: int = 0, host: str = "") -> Source:
    host = host or f"site{n}.example"
    return Source(
        n,
        f"https://{host}/{n}",
        f"Page {n}",
        host,
        "2023-04-04",
        False,
        copy_of=copy_of,
        copies=copies,
    )


def citation(n: int, words: str, *beside: int) -> Citation:
    start = TEXT.index(words)
    return Citation(n, words, start, start + len(words), Support.SUPPORTED, words, beside=beside)


SOURCES = (source(1), source(2), source(3, copies=3), source(4), source(5, copy_of=3))
CITATIONS = (
    citation(1, "It was lit in 1863 [1][2].", 2),
    citation(2, "It was lit in 1863 [1][2].", 1),
    citation(3, "It is white [3]."),
    citation(4, "It has a lift [4]."),
)
END = Answered(TEXT, SOURCES, CITATIONS, Outcome.WEB, 1, Usage(), (), 1_000, as_of="2023-04-04")


@pytest.mark.parametrize(
    ("cited", "known", "said"),
    [
        ([1], [source(1)], ""),
        ([1], [source(1, copies=1)], "1 origin, 1 copy"),
        ([1], [source(1, copies=2), source(2, copy_of=1)], "1 origin, 3 copies"),
        ([2], [source(1, copies=2), source(2, copy_of=1)], "1 origin, 3 copies"),
        ([1, 2], [source(1, copies=3), source(2, copy_of=1)], "1 origin, 4 copies"),
        ([1, 2], [source(1, copies=3), source(2)], "2 independent sources"),
        ([1, 2, 3], [source(1), source(2, copy_of=1), source(3)], "2 independent sources"),
        ([1, 2], [source(1, host="a.example"), source(2, host="a.example")], ""),
    ],
)
def test_a_claim_says_how_many_origins_or_copies_it_has(
    cited: list[int], known: list[Source], said: str
) -> None:
    first, *others = cited
    assert origins_of_claim(citation(first, "It is white [3].", *others), known) == said


def test_a_source_says_of_what_it_is_a_copy_and_only_what_tells_something_is_said() -> None:
    assert [row.origins for row in source_rows(SOURCES, CITATIONS)] == [
        "2 independent sources",
        "2 independent sources",
        "1 origin, 4 copies",
        "",
        "copy of source 3",
    ]


def test_copies_keep_their_origin_when_sources_get_the_numbers_of_the_answer() -> None:
    text = TEXT.replace("[1]", "[5]").replace("[3]", "[1]").replace("[5]", "[3]")
    numbered = numbered_from_one(text, SOURCES, [replace(CITATIONS[0], n=3, beside=(2,))])
    by_title = {s.title: s for s in numbered.sources}
    origin, copied = by_title["Page 3"], by_title["Page 5"]
    assert (origin.n, origin.copy_of, copied.copy_of) == (1, 0, 1)
    assert numbered.citations[0].beside == (by_title["Page 2"].n,)
    # Where the copy is cited and its origin is not, the copy is the one that counts.
    alone = numbered_from_one("It is white [5].", SOURCES, ())
    by_title = {s.title: s for s in alone.sources}
    assert (by_title["Page 5"].n, by_title["Page 5"].copy_of) == (1, 0)
    assert by_title["Page 3"].copy_of == 1


def test_the_terminal_names_the_day_and_the_origins() -> None:
    lines = [*plain_lines(footer_of(END))]
    drawn = [text.plain for text in footer_texts(footer_of(END), links=False)]
    for shown in (lines, drawn):
        assert "As of 4 April 2023, the newest source" in shown
        (first,) = (line for line in shown if line.startswith("[1] Page 1"))
        assert "site1.example · 4 April 2023 · 2 independent sources" in first
        assert any("1 origin, 4 copies" in line for line in shown)
    without = replace(END, as_of="", sources=SOURCES[3:4], citations=CITATIONS[3:])
    assert not any("newest" in line or "origin" in line for line in plain_lines(footer_of(without)))


def test_documents_name_the_day_and_the_origins() -> None:
    assert "*As of 2023-04-04, the newest source.*" in as_markdown(only(END))
    assert "(site1.example, 2023-04-04, 2 independent sources)" in as_markdown(only(END))
    page = as_html(only(END))
    assert "As of 2023-04-04, the newest source." in page
    assert "copy of source 3" in page
    assert "newest" not in as_markdown(only(replace(END, as_of="")))


def test_clients_of_openai_read_the_day_and_the_origins_below_the_answer() -> None:
    assert "*As of 4 April 2023, the newest source*" in footer(END)
    assert "2 independent sources" in footer(END)


def test_a_stored_answer_has_all_of_it_and_one_from_before_has_none() -> None:
    record = to_record(END, 1.0)
    assert from_record(record) == END
    for old in record["sources"]:
        del old["copy_of"], old["copies"]
    for old in record["citations"]:
        del old["beside"]
    del record["as_of"]
    end = from_record(record)
    assert isinstance(end, Answered)
    assert as_of_text(end) == ""
    assert {row.origins for row in source_rows(end.sources, end.citations)} == {""}


def test_a_day_in_a_warning_is_written_as_days_are() -> None:
    message = Message("The newest source says otherwise: [{n}] of {day}.", n=2, day="2024-10-01")
    assert translated(message) == "The newest source says otherwise: [2] of 1 October 2024."
