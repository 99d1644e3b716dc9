"""Letters of PDF pages that stand for several glyphs, and lines from right to left, as browsers and offices write them."""

from __future__ import annotations

import pytest

from askance.extract.page import extract_page
from servers.pdf_files import PLAIN_FONT, STREAM, Page, pdf_file, with_stream


def read(page: Page, stream: bytes = b"") -> str:
    data = pdf_file(page)
    return extract_page(
        with_stream(data, stream) if stream else data, "", "application/pdf"
    ).markdown


def drawn(*glyphs: tuple[str, float] | tuple[str, tuple[tuple[str, float], ...]]) -> Page:
    """A page of glyphs that are each placed alone, as Chromium prints them: `(letter, x)`, or `(text, glyphs)` for a span."""
    program = ""
    for text, what in glyphs:
        if isinstance(what, tuple):
            named = text.encode("utf-16-be").hex()
            program += f"/Span<</ActualText<FEFF{named}>>>BDC "
            program += "".join(f"1 0 0 1 {x} 700 Tm ({glyph}) Tj " for glyph, x in what)
            program += "EMC "
        else:
            program += f"1 0 0 1 {what} 700 Tm ({text}) Tj "
    return Page(f"BT /F 12 Tf {program}ET")


# Of Helvetica at 12 points: n is 6.7 points wide, i 2.7, a space 3.3.
@pytest.mark.parametrize(
    ("page", "text"),
    [
        (drawn(("कि", (("n", 60), ("n", 66.7))), ("क", (("n", 73.4),)), ("n", 80.1)), "किकn"),
        (drawn(("कि", (("n", 60), ("n", 66.7))), (" ", 73.4), ("क", (("n", 76.7),))), "कि क"),
        (drawn(("คำ", (("n", 60), ("i", 67))), ("n", 70)), "คำn"),
        # Another glyph lies between those of a span.
        (drawn(("เพื่", (("n", 60), ("i", 70))), ("n", 66.7)), "เพื่n"),
        (drawn(("n", 60), ("\U0001f1e9\U0001f1ea", (("n", 66.7),)), ("n", 73.4)), "n\U0001f1e9\U0001f1ean"),
    ],
)  # fmt: skip
def test_a_text_that_stands_for_glyphs_is_read_once_and_without_gaps(page: Page, text: str) -> None:
    assert read(page) == text


def test_a_word_that_begins_with_spans_is_read_from_the_right() -> None:
    letters = tuple((letter, (("n", 60 + 6.7 * n),)) for n, letter in enumerate("يبرع"))
    assert read(drawn(*letters)) == "عربي"


@pytest.mark.parametrize(
    ("seen", "text"),
    [
        ("םולש abc def םלוע", "עולם abc def שלום"),
        ("םולש 2.0 FDP םלוע", "עולם FDP 2.0 שלום"),
        ("%50 12,5 םולש", "שלום 12,5 50%"),
        ("the word םולש is Hebrew", "the word שלום is Hebrew"),
        ("«סוף» םלוע", "עולם «ףוס»"),
    ],
)
def test_a_line_from_right_to_left_is_in_the_order_in_which_it_is_read(
    seen: str, text: str
) -> None:
    assert read(Page.of_lines(seen)) == text


def test_a_letter_beyond_the_first_plane_costs_no_other_its_place() -> None:
    named = (
        b"1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <40> <D83CDF89> endbfchar"
    )
    font = PLAIN_FONT.replace(">>", f"/ToUnicode {STREAM}>>")
    page = Page(
        "BT /F 12 Tf 60 700 Td (@ 10) Tj /F 7 Tf 4 Ts (5) Tj 0 Ts /F 12 Tf ( bits) Tj ET", font
    )
    assert read(page, named) == "\U0001f389 10^5 bits"


@pytest.mark.parametrize("ligature", ["\u0644\u0627", "\u0644\u0623"])
def test_a_ligature_of_lam_and_alef_is_read_in_its_order(ligature: str) -> None:
    # As the glyphs stand from left to right: meem, the ligature, seen.
    named = "".join(
        f"<{code:02X}> <{letters.encode('utf-16-be').hex()}> "
        for code, letters in ((0x41, "\u0645"), (0x42, ligature), (0x43, "\u0633"))
    )
    maps = f"1 begincodespacerange <00> <FF> endcodespacerange 3 beginbfchar {named} endbfchar"
    font = PLAIN_FONT.replace(">>", f"/ToUnicode {STREAM}>>")
    page = Page("BT /F 12 Tf 60 700 Td (ABC) Tj ET", font)
    assert read(page, maps.encode()) == f"\u0633{ligature}\u0645"


@pytest.mark.parametrize(("way", "text"), [(200, "कूट"), (500, "कू ट")])
def test_a_mark_that_is_drawn_back_over_its_letter_parts_no_word(way: int, text: str) -> None:
    names = "".join(f"/uni{ord(letter):04X}" for letter in "कूट")
    font = PLAIN_FONT.replace(
        "/WinAnsiEncoding",
        f"<</Type/Encoding/Differences[65{names}]>>/FirstChar 65/LastChar 67/Widths[600 300 600]",
    )
    shown = f"[(A) 500 (B) {-way} (C)] TJ"
    assert read(Page(f"BT /F 12 Tf 60 700 Td {shown} ET", font)) == text


def test_a_space_in_the_file_beside_a_text_that_stands_for_glyphs_stays() -> None:
    span = "/Span<</ActualText<FEFF0915093F>>>BDC (n) Tj EMC"
    assert read(Page(f"BT /F 12 Tf 60 700 Td {span} ( n ) Tj {span} ET")) == "कि n कि"
