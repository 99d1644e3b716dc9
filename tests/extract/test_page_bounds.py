"""No page hands more on than a person would read, and one that is cut says so."""

from __future__ import annotations

import pytest

from askance.domain.messages import Message
from askance.domain.web_pages import LONGEST_PAGE_CHARACTERS, MOST_PAGE_BLOCKS, PageStatus
from askance.extract.extracted import Extracted, bounded
from askance.extract.html import html_page
from askance.extract.html.html_page import MOST_CHOSEN_AMONG, MOST_ELEMENTS, extract_html
from askance.extract.page import extract_page
from askance.text.ranking.passages import split_paragraphs


def text_page(text: str) -> Extracted:
    return extract_page(text.encode(), "http://long.example/", "text/plain; charset=utf-8")


def test_a_long_page_is_cut_between_two_paragraphs_and_says_so() -> None:
    paragraph = "The lighthouse was built in 1871. " * 20
    page = text_page(f"{paragraph}\n\n" * 1_000)
    assert page.status is PageStatus.OK
    assert LONGEST_PAGE_CHARACTERS - 10_000 < len(page.markdown) <= LONGEST_PAGE_CHARACTERS
    assert page.markdown.endswith("1871.")
    assert page.words == 6 * page.markdown.count("1871")
    assert page.detail.startswith("Only the first ")


def test_a_page_of_one_line_is_cut_in_mid_word() -> None:
    assert len(text_page("a" * (LONGEST_PAGE_CHARACTERS + 1)).markdown) == LONGEST_PAGE_CHARACTERS


def test_a_page_of_tiny_paragraphs_is_cut_by_their_number() -> None:
    page = text_page("A lighthouse.\n\n" * (MOST_PAGE_BLOCKS + 10))
    assert page.markdown.count("A lighthouse.") == MOST_PAGE_BLOCKS
    assert page.detail.startswith("Only the first ")
    assert len(split_paragraphs(page.markdown)) == MOST_PAGE_BLOCKS


@pytest.mark.parametrize("text", ["A page.", "A page.\n\n" * MOST_PAGE_BLOCKS])
def test_a_page_that_fits_is_left_alone(text: str) -> None:
    page = text_page(text)
    assert page.markdown == text.strip()
    assert page.detail == ""


def test_what_stands_beside_the_text_is_bounded_too() -> None:
    long = "x" * 100_000
    page = bounded(
        Extracted(
            PageStatus.OK,
            detail=Message.verbatim(long),
            title=long,
            published=long,
            updated=long,
            byline=long,
        )
    )
    for text in (page.detail, page.title, page.published, page.updated, page.byline):
        assert text is not None
        assert len(text) <= 500


def test_ranking_bounds_what_no_child_has_bounded() -> None:
    paragraphs = split_paragraphs("a" * 2_000_000)
    assert sum(len(p.text) for p in paragraphs) == LONGEST_PAGE_CHARACTERS
    assert max(len(p.text) for p in paragraphs) <= 6_000
    assert len(split_paragraphs("A\n\n" * 40_000)) == MOST_PAGE_BLOCKS


@pytest.mark.parametrize(
    ("piece", "count"), [("<p>Slate.</p>", MOST_CHOSEN_AMONG + 1), ("<br>", MOST_ELEMENTS)]
)
def test_a_page_of_more_than_any_article_has_is_read_whole_and_says_so(
    piece: str, count: int
) -> None:
    menu = "<nav><a href=/>Home</a></nav>"
    page = extract_html(
        f"{menu}{piece * count}<p>The end.</p>".encode(), "http://long.example/", "text/html"
    )
    assert page.status is PageStatus.OK
    assert page.markdown.startswith("Home")
    assert page.markdown.endswith("The end.")
    assert page.markdown.count("Slate.") == piece.count("Slate.") * count
    assert page.detail.endswith("all is read.")


def test_of_a_page_with_more_tags_than_are_read_the_beginning_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(html_page, "MOST_TAGS", 40)
    lines = "".join(f"<p>Keeper {n} lit the lamp at dusk and wrote it down.</p>" for n in range(30))
    page = f"<title>Lamps</title>{lines}"
    found = extract_html(page.encode(), "https://light.example/", "text/html")
    assert "Keeper 10 lit" in found.markdown
    assert "Keeper 25 lit" not in found.markdown
    assert found.detail.startswith("Only the first ")
    assert f" of the {len(page):,} characters of the page are used." in found.detail
