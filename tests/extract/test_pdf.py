"""PDF files as people keep them: slides, scans, forms, damaged pages, and fonts that do not say their letters."""

from __future__ import annotations

import pytest

from askance.domain.web import PageReason, PageStatus
from askance.extract.page import extract_page
from servers.pdf_files import IMAGE, NONSENSE_FONT, PLAIN_FONT, Page, pdf_file

LINE = "BT /F 12 Tf 60 700 Td ({}) Tj ET"
BAD = "BT /F 12 Tf 60 700 Td [FOO BAR, N]N)Tj ET"


def shown(text: str) -> Page:
    return Page(LINE.format(text))


def read(*pages: Page, part: str = "") -> tuple[str, str]:
    found = extract_page(pdf_file(*pages), "", f"application/pdf{part}")
    return found.markdown, str(found.detail)


def test_few_words_are_a_text() -> None:
    assert read(shown("Why"), shown("Three risks")) == ("Why\n\nThree risks", "")


def test_a_page_that_cannot_be_read_is_named_and_costs_only_itself() -> None:
    text, detail = read(shown("The first page."), Page(BAD), shown("The third page."))
    assert text == "The first page.\n\nThe third page."
    assert detail == "Page 2 could not be read."


def test_pages_of_images_are_counted() -> None:
    text, detail = read(shown("A letter before four scans."), *(Page(IMAGE),) * 4)
    assert text == "A letter before four scans."
    assert detail == "4 of 5 pages are images."


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (IMAGE, "The PDF file holds images and no text."),
        ("BT ET", "The PDF file has no text: its pages are images or blank."),
        ("", "The PDF file has no text: its pages are images or blank."),
        (BAD, "The PDF file has no text that could be read. Page 1 could not be read."),
    ],
)
def test_a_file_without_text_says_why(program: str, why: str) -> None:
    found = extract_page(pdf_file(Page(program)), "", "application/pdf")
    assert (found.status, found.reason) == (PageStatus.EMPTY, PageReason.NO_TEXT)
    assert str(found.detail) == why


def test_a_blank_page_of_a_book_is_not_spoken_of() -> None:
    assert read(shown("One."), Page(""), shown("Three."))[1] == ""


def test_pages_are_parted_by_marks_where_a_file_is_read_in_parts() -> None:
    text, _ = read(Page(""), shown("Two."), Page(IMAGE), shown("Four."), part="; first=0")
    assert text == "\fTwo.\n\n\f\fFour."


def test_what_is_filled_into_a_form_is_read_once() -> None:
    form = Page(
        LINE.format("Name of the member:"),
        annotations=(
            "/Subtype/Widget/FT/Tx/T(name)/V(Ferdinand Dugong)",
            "/Subtype/Widget/FT/Tx/T(secret)/V(hunter2)/Ff 8192",
            "/Subtype/Widget/FT/Tx/T(gone)/V(nobody)/F 2",
            "/Subtype/Text/Contents(A remark on the deadline)",
            "/Subtype/Link/Contents(where it leads)",
        ),
    )
    text, _ = read(form)
    assert text.split() == "Name of the member: Ferdinand Dugong A remark on the deadline".split()  # noqa: SIM905


def test_letters_that_a_font_does_not_name_are_no_text() -> None:
    found = extract_page(pdf_file(Page(LINE.format(r"\3&3&10350/5\051&/%*1*&%*5"), font=NONSENSE_FONT)),
                         "", "application/pdf")  # fmt: skip
    assert found.status is PageStatus.EMPTY
    assert "do not say which letters" in found.detail


def test_of_pages_with_such_letters_the_others_are_kept() -> None:
    nonsense = Page(LINE.format(r"\3&3&10350/5\051&/%*1*&%*5"), font=NONSENSE_FONT)
    text, detail = read(shown("A page in plain letters."), nonsense)
    assert text == "A page in plain letters."
    assert "fonts do not say which letters they show: 2." in detail


def test_fake_bold_is_read_once() -> None:
    twice = "".join(f"1 0 0 1 {60 + shift} 700 Tm (Whimbrel terms) Tj " for shift in (0, 0.3))
    assert read(Page(f"BT /F 14 Tf {twice} ET"))[0] == "Whimbrel terms"


def test_words_are_parted_where_a_font_has_no_space() -> None:
    moved = "BT /F 9 Tf 40 700 Td [(Invoice) -400 (of) -400 (services)] TJ ET"
    assert read(Page(moved))[0] == "Invoice of services"


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        ("неожи-", "данный", "неожиданный"),
        ("příšer-", "ně žluťoučký", "příšerně žluťoučký"),
        ("żółć-", "mi", "żółćmi"),
        ("απροσδό-", "κητο", "απροσδόκητο"),
        ("yağ-", "murlu", "yağmurlu"),
        ("extra-", "ordinary", "extraordinary"),
        ("Vor-", "und Nachteile", "Vor- und Nachteile"),
        ("X-", "4711", "X-4711"),
        ("Nord-", "Amerika", "Nord-Amerika"),
    ],
)
def test_a_word_that_a_line_breaks_is_one(before: str, after: str, whole: str) -> None:
    assert read(Page.of_lines(before, after))[0] == whole


def test_a_long_file_is_read_in_parts_that_name_all_that_they_lack() -> None:
    long = "A word of many on a page. " * 40
    pages = [shown(long) if n % 2 else Page(IMAGE) for n in range(800)]
    data = pdf_file(*pages)
    first = extract_page(data, "", "application/pdf; first=0")
    assert 0 < first.detail.values["part_b"].values["pages"] < 800  # pyright: ignore[reportAttributeAccessIssue]
    assert str(first.detail).startswith("200 of 800 pages are images.")
    assert PLAIN_FONT.encode() in data
