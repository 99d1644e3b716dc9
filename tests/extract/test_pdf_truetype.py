"""Letters that a TrueType font in a PDF file names in its own tables."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from askance.extract.page import extract_page
from askance.extract.pdf.letter_names import glyphs_by_code, letters_by_glyph
from servers.pdf_files import PLAIN_FONT, STREAM, Page, pdf_file, with_stream

Codes = dict[int, int]
WORD = "Größe Ω"
GLYPHS = {ord(letter): n for n, letter in enumerate(WORD, 3)}


def format_0(codes: Codes) -> bytes:
    return struct.pack(">3H256B", 0, 262, 0, *(codes.get(code, 0) for code in range(256)))


def format_4(codes: Codes) -> bytes:
    ends = [*sorted(codes), 0xFFFF]
    deltas = [(codes.get(code, 0) - code) % 0x10000 for code in ends]
    count = len(ends)
    head = struct.pack(">7H", 4, 16 + 8 * count, 0, 2 * count, 0, 0, 0)
    columns = (ends, [0], ends, deltas, [0] * count)
    return head + b"".join(struct.pack(f">{len(column)}H", *column) for column in columns)


def format_4_with_an_array(codes: Codes) -> bytes:
    first, end = min(codes), max(codes)
    glyphs = [codes.get(code, 0) for code in range(first, end + 1)]
    head = struct.pack(">7H", 4, 32 + 2 * len(glyphs), 0, 4, 0, 0, 0)
    segments = struct.pack(">9H", end, 0xFFFF, 0, first, 0xFFFF, 0, 1, 4, 0)
    return head + segments + struct.pack(f">{len(glyphs)}H", *glyphs)


def format_6(codes: Codes) -> bytes:
    first, end = min(codes), max(codes)
    glyphs = [codes.get(code, 0) for code in range(first, end + 1)]
    return struct.pack(f">5H{len(glyphs)}H", 6, 0, 0, first, len(glyphs), *glyphs)


def format_12(codes: Codes) -> bytes:
    groups = (struct.pack(">3I", code, code, glyph) for code, glyph in sorted(codes.items()))
    return struct.pack(">2H3I", 12, 0, 0, 0, len(codes)) + b"".join(groups)


def font(*tables: tuple[int, int, bytes]) -> bytes:
    at, rows, bodies = 4 + 8 * len(tables), b"", b""
    for platform, encoding, body in tables:
        rows += struct.pack(">2HI", platform, encoding, at + len(bodies))
        bodies += body
    cmap = struct.pack(">2H", 0, len(tables)) + rows + bodies
    head = struct.pack(">I4H", 0x10000, 1, 0, 0, 0)
    return head + struct.pack(">4s3I", b"cmap", 0, 28, len(cmap)) + cmap


@pytest.mark.parametrize("written", [format_4, format_4_with_an_array, format_6, format_12])
def test_glyphs_are_named_in_tables_of_each_form(written: Callable[[Codes], bytes]) -> None:
    made = font((3, 1, written(GLYPHS)))
    assert letters_by_glyph(made) == {glyph: chr(code) for code, glyph in GLYPHS.items()}


def test_letters_beyond_the_first_plane_are_named() -> None:
    assert letters_by_glyph(font((3, 10, format_12({0x20BB7: 7})))) == {7: "𠮷"}


def test_codes_of_one_byte_lead_to_glyphs() -> None:
    assert glyphs_by_code(font((1, 0, format_0({65: 9})))) == {65: 9}
    assert glyphs_by_code(font((1, 0, format_6({0xE4: 9})))) == {0xE4: 9}
    symbolic = (3, 0, format_4({0xF041: 9}))
    assert glyphs_by_code(font((1, 0, format_0({65: 9})), symbolic)) == {}


def test_a_font_that_broke_off_names_what_is_there() -> None:
    made = font((3, 1, format_4(GLYPHS)), (1, 0, format_0({65: 9})))
    for size in range(len(made)):
        assert set(letters_by_glyph(made[:size])) <= set(GLYPHS.values())
        assert set(glyphs_by_code(made[:size])) <= {65}


@pytest.mark.parametrize(
    "table",
    [
        struct.pack(">2H4I", 12, 0, 0, 0, 0xFFFFFFFF, 0) + b"\0\0\0\0\xff\xff\xff\xff\0\0\0\0" * 9,
        struct.pack(">7H", 4, 0, 0, 0xFFFE, 0, 0, 0) + b"\0\xff" * 0x40000,
    ],
)
def test_a_table_of_too_many_codes_ends(table: bytes) -> None:
    assert len(letters_by_glyph(font((3, 1, table)))) <= 100_000


def test_a_font_whose_codes_are_glyphs_is_read_by_its_file() -> None:
    codes = "".join(f"{GLYPHS[ord(letter)]:04X}" for letter in WORD)
    given = (
        "<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Odd/Encoding/Identity-H/DescendantFonts[<</Type/Font"
        "/Subtype/CIDFontType2/BaseFont/ABCDEF+Odd/DW 600/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        f"/Supplement 0>>/FontDescriptor<</Type/FontDescriptor/FontName/ABCDEF+Odd/Flags 4/FontFile2 {STREAM}>>>>]>>"
    )
    data = pdf_file(Page(f"BT /F 12 Tf 60 700 Td <{codes}> Tj ET", font=given))
    made = font((3, 1, format_4(GLYPHS)))
    assert extract_page(with_stream(data, made), "", "application/pdf").markdown == WORD


def test_a_font_without_an_encoding_is_read_by_its_file() -> None:
    given = PLAIN_FONT.replace("/Type1", "/TrueType").replace(
        "/Encoding/WinAnsiEncoding",
        f"/FontDescriptor<</Type/FontDescriptor/FontName/Helvetica/Flags 4/FontFile2 {STREAM}>>",
    )
    codes = {code: n for n, code in enumerate("Käfer im Allgäu".encode("cp1252"), 3)}
    made = font((1, 0, format_0(codes)), (3, 1, format_4(codes)))
    data = pdf_file(Page("BT /F 12 Tf 60 700 Td (K\\344fer im Allg\\344u) Tj ET", font=given))
    assert extract_page(with_stream(data, made), "", "application/pdf").markdown == (
        "Käfer im Allgäu"
    )
