"""Letters of PDF pages by how glyphs are numbered and where they stand: known fonts, TeX's bitmaps, curves, shadows."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from askance.extract.page import extract_page
from servers.pdf_files import PICTURE, PLAIN_FONT, STREAM, Page, pdf_file, with_stream

LINE = "BT /F 12 Tf 60 700 Td <{}> Tj ET"


def read(page: Page, stream: bytes = b"") -> str:
    data = pdf_file(page)
    return extract_page(
        with_stream(data, stream) if stream else data, "", "application/pdf"
    ).markdown


def numbered_font(name: str, more: str = "", file: str = "") -> str:
    return (
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[<</Type/Font"
        f"/Subtype/CIDFontType2/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>"
        f"/FontDescriptor<</Type/FontDescriptor/FontName/{name}/Flags 4{file}>>{more}>>]>>"
    )


def codes(*glyphs: int) -> str:
    return "".join(f"{glyph:04X}" for glyph in glyphs)


# The words, and how Arial numbers their letters: in ASCII 29 less than the letter.
ASCII = [ord(letter) - 29 for letter in "This is Volume 7"]


@pytest.mark.parametrize(
    ("name", "glyphs", "text"),
    [
        ("Arial", ASCII, "This is Volume 7"),
        ("TimesNewRomanPS-BoldMT", ASCII, "This is Volume 7"),
        ("ABCDEF+Times#20New#20Roman,Bold", ASCII, "This is Volume 7"),
        ("Verdana-Bold", ASCII, "This is Volume 7"),
        ("ArialMT", [42, 85, 124, 137, 72], "Größe"),
        ("Arial", [253, 268, 284, 86, 87, 120], "Čěřstñ"),
        ("Arial", [224, 121, 71, 296], "Łódź"),
        ("Arial", [589, 605, 613, 616, 604, 602, 633], "Угловая"),
    ],
)
def test_glyphs_of_a_known_font_that_is_not_in_the_file_are_letters(
    name: str, glyphs: list[int], text: str
) -> None:
    assert read(Page(LINE.format(codes(*glyphs)), numbered_font(name))) == text


def in_a_form(page: Page) -> bytes:
    """A file, without a table of its objects, of a page that shows its program as a form."""
    form = (
        "<</Type/XObject/Subtype/Form/BBox[0 0 595 842]/Resources<</Font<</H 4 0 R/F 5 0 R>>>>"
        f"/Length {len(page.program)}>>stream\n{page.program}\nendstream"
    )
    return pdf_file(Page("/I Do", page.font)).replace(PICTURE.encode(), form.encode())


LETTER_BY_LETTER = "/H 12 Tf 1 0 0 1 60 700 Tm (Toto je text s) Tj " + "".join(
    f"/F {size} Tf 1 0 0 1 {x} 700 Tm <{code:04X}> Tj "
    for code, size, x in [
        (0x20, 12, 133), (0x10D, 12, 140), (0x10F, 0, 147), (0x11B, 12, 147), (0x01, 12, 154),
    ]
)  # fmt: skip


@pytest.mark.parametrize("made", [pdf_file, in_a_form])
@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("/F 1.4 Tf 12 0 0 12 60 700 Tm <A911> Tj", "\u9664"),
        (LETTER_BY_LETTER, "Toto je text s \u010d\u011b"),
    ],
)
def test_a_letter_that_is_placed_alone_is_read_where_its_font_has_no_shape_for_it(
    program: str, text: str, made: Callable[[Page], bytes]
) -> None:
    named = {0x20: 0x20, 0x10D: 0x10D, 0x10F: 0x10F, 0x11B: 0x11B, 0x01: 0x01, 0xA911: 0x9664}
    lines = "".join(f"<{code:04X}> <{letter:04X}>\n" for code, letter in named.items())
    letters = (
        "begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange "
        f"{len(named)} beginbfchar {lines} endbfchar endcmap"
    )
    font = numbered_font("Odd", "/DW 550").replace("/Type0", f"/Type0/ToUnicode {STREAM}")
    data = with_stream(made(Page(f"BT {program} ET", font)), letters.encode())
    assert extract_page(data, "", "application/pdf").markdown == text


@pytest.mark.parametrize("name", ["Calibri", "ArialUnicodeMS", "ABCDEF+Odd"])
def test_glyphs_of_other_fonts_are_not(name: str) -> None:
    glyphs = [42, 85, 124, 137, 72]
    assert "Größe" not in read(Page(LINE.format(codes(*glyphs)), numbered_font(name)))


# Widths of "t", "h", "i", "s", "m", "e" in Times New Roman; and of a font whose glyphs are numbered as they come.
TIMES = "/W[72[444] 75[500 278] 80[778] 86[389 278]]"
ANEW = "/W[72[444] 75[722 278] 80[500] 86[722 611]]"


@pytest.mark.parametrize(("widths", "is_read"), [(TIMES, True), (ANEW, False), ("/DW 600", False)])
def test_a_font_in_the_file_is_believed_by_the_widths_of_its_letters(
    widths: str, *, is_read: bool
) -> None:
    font = numbered_font("ABCDEF+TimesNewRoman", widths, f"/FontFile2 {STREAM}")
    text = read(Page(LINE.format(codes(*ASCII)), font), b"no table of codes")
    assert (text == "This is Volume 7") is is_read


def bitmap_font(first: int, last: int) -> str:
    names = "".join(f"/a{n}" for n in range(first, last + 1))
    widths = "500 " * (last - first + 1)
    return (
        f"<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar {first}"
        f"/LastChar {last}/Widths[{widths}]/Resources<<>>/CharProcs<<>>/Encoding<</Type/Encoding"
        f"/Differences[{first}{names}]>>>>"
    )


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (
            b"the signi\x1cer should su\x1ece, the o\x1fine sta\x1b too",
            "the signifier should suffice, the offline staff too",
        ),
        (
            b"\x10Workers\x11 of the world unite in the \x1celd",
            "“Workers” of the world unite in the field",
        ),
        (
            b"the o\x0ece of the sta\x0bing, de\x0cned by the de\x0cant",
            "the office of the staffing, defined by the defiant",
        ),
    ],
)
def test_ligatures_of_tex_are_read_where_a_font_of_bitmaps_names_nothing(
    shown: bytes, text: str
) -> None:
    assert read(Page(LINE.format(shown.hex()), bitmap_font(11, 122))) == text


@pytest.mark.parametrize("degrees", [0, 30, 90, 270])
def test_letters_of_a_word_that_is_turned_letter_by_letter_are_one_word(degrees: int) -> None:
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = f"{cos:.4f} {sin:.4f} {-sin:.4f} {cos:.4f}"
    # As wide as Helvetica has them in 12 points.
    widths = {"4": 6.67, "0": 6.67, ",": 3.33, "c": 6, "m": 10}
    program, along = "", 0.0
    for letter in "40,0cm":
        program += f"{matrix} {300 + along * cos:.2f} {400 + along * sin:.2f} Tm ({letter}) Tj "
        along += widths[letter]
    assert read(Page(f"BT /F 12 Tf {program} ET")) == "40,0cm"


def test_letters_along_a_curve_are_one_word() -> None:
    rises = [0, 1.3, 2.7, 3.5, 2.7, 1.3, 0]
    program = "".join(
        f"1 0 0 1 {60 + 8 * n} {700 + rise} Tm ({letter}) Tj "
        for n, (letter, rise) in enumerate(zip("BABEABE", rises, strict=True))
    )
    assert read(Page(f"BT /F 12 Tf {program} ET")) == "BABEABE"


def test_a_small_number_above_a_word_is_no_part_of_it() -> None:
    program = "BT /F 12 Tf 60 700 Td (Statutes) Tj /F 7 Tf 48 5 Td (1) Tj ET"
    assert read(Page(program)).split()[0].startswith("Statutes")


@pytest.mark.parametrize("back", [0.4, 1.0])
def test_a_halo_around_letters_is_read_once(back: float) -> None:
    word = "Municipalities fill"
    shifted = "".join(f"1 0 0 1 {60 + shift} {700 - shift} Tm ({word}) Tj " for shift in (0, back))
    assert read(Page(f"BT /F 9 Tf {shifted} ET", PLAIN_FONT)) == word


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (("םולש )15( םלוע", "Plain (text) stays"), "(15)"),
        (("םולש (15) םלוע",), "(15)"),
        (("a (b) c (d) e",), "(b) c (d)"),
    ],
)
def test_brackets_of_lines_from_right_to_left_open_and_close(
    lines: tuple[str, ...], text: str
) -> None:
    found = read(Page.of_lines(*lines))
    assert text in found
    assert len(lines) == 1 or "Plain (text) stays" in found


ACCENTS = PLAIN_FONT.replace(
    "/WinAnsiEncoding",
    "<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[1/dotlessi/caron/ogonek/hungarumlaut/ring/breve]>>",
)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        # As TeX moves an accent over the letter behind it: by half of what both are wide.
        ("[(na\\250) 305.5 (\\001ve)] TJ", "na\u00efve"),
        ("[(\\264) 444.5 (el\\264) 444.5 (eve)] TJ", "\u00e9l\u00e9ve"),
        ("[(Erd\\004) 444.5 (os)] TJ", "Erd\u0151s"),
        # Behind its letter, and back.
        ("[(Age) 444.5 (\\210) -111.5 (ncia)] TJ", "Ag\u00eancia"),
        ("[(Avia) (c) 416.5 (\\270) -83.5 (o)] TJ", "Avia\u00e7o"),
        # Raised, at the end of the line.
        ("(Ubergang der Zeit) Tj 1 0 0 1 62.3 702.5 Tm (\\250) Tj", "\u00dcbergang der Zeit"),
        # Beside letters, over a letter that has no such accent, and in a line of their own.
        ("(a\\264b \\250 c) Tj", "a\u00b4b \u00a8 c"),
        ("[(\\250) 416.5 (xq\\270)] TJ", "\u1e8dq\u00b8"),
        ("[(\\250) 444.5 (b)] TJ", "\u00a8b"),
        ("(x ^ y ~ z `q` n~a^2) Tj", "x ^ y ~ z `q` n~a^2"),
        ("(Zeit) Tj 1 0 0 1 62.3 650 Tm (\\250) Tj", "Zeit\n\u00a8"),
    ],
)
def test_an_accent_that_is_drawn_over_a_letter_is_one_with_it(shown: str, text: str) -> None:
    assert read(Page(f"BT /F 12 Tf 60 700 Td {shown} ET", ACCENTS)) == text


@pytest.mark.parametrize(
    ("back", "text"), [(250, "an \u00e9, Pawe\u0142"), (0, "an \u00e9, Pawe l")]
)
def test_a_stroke_over_an_l_that_a_font_calls_a_space_is_a_part_of_it(back: int, text: str) -> None:
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 32/LastChar 32"
        f"/Widths[278]/Resources<<>>/CharProcs<</space {STREAM}>>/Encoding<</Type/Encoding/Differences[32/space]>>>>"
    )
    program = (
        "BT /H 12 Tf 60 700 Td [(an \\264) 444.5 (e, Pawe)] TJ "
        f"/F 12 Tf [( ) {back}] TJ /H 12 Tf (l) Tj ET"
    )
    assert read(Page(program, font), b"278 0 0 250 278 400 d1 0 250 278 150 re f") == text


@pytest.mark.parametrize(
    ("codes_of_font", "text"),
    [
        ("il a d\x13ecid\x13e d'une a\x0baire di\x0ecile, \x12a c\x19ur ouvert", "il a d\u00e9cid\u00e9 d'une affaire difficile, \u00e0 c\xdfur ouvert"),
        ("p\x7fur die Gr\x7fo\x19e, na\x7f\x10f", "p\u00fcr die Gr\u00f6\u00dfe, na\u00eff"),
        ("without an accent: b^ete, \x1auvre, espa~nol", "without an accent: b^ete, uvre, espa~nol"),
    ],
)  # fmt: skip
def test_bitmaps_of_tex_have_accents_and_letters_where_an_accent_is_drawn_over_a_letter(
    codes_of_font: str, text: str
) -> None:
    font = bitmap_font(11, 127).replace(
        "/CharProcs<<>>", f"/CharProcs<<{''.join(f'/a{n} {STREAM}' for n in range(11, 128))}>>"
    )
    accents = frozenset("\x12\x13\x7f")
    shown, back = "", 0
    for sign in codes_of_font:
        rise = 4 if sign in accents else 0
        shown += f"{rise} Ts [{back} <{ord(sign):02x}>] TJ "
        back = 500 if sign in accents else 0
    drawn = b"500 0 0 0 490 450 d1 0 0 490 450 re f"
    assert read(Page(f"BT /F 12 Tf 60 700 Td {shown} ET", font), drawn) == text


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (b"P\xb0\xedli\xb2 \xbalu\xb4ou\xa3k\xfd k\xb7\xac \xfap\xa5l \xa4\xe1belsk\xe9 \x1cg rem", "Příliš žluťoučký kůň úpěl ďábelské fig rem"),
        (b"Die Gr\xf6\xffe der Stra\xffe, \x12nur so \x1cnden\x10, wie es ist", "Die Größe der Straße, „nur so finden“, wie es ist"),
        (b"le c\xf7ur et la s\xf7ur d'o\xf9 viennent les \x1cls", "le cœur et la sœur d’où viennent les fils"),
        (b"\xbdC\xf3mo est\xe1s en el \x1cn? \xbeQu\xe9?", "\u00a1Cómo estás en el fin? \u00bfQué?"),
        (b"h\xb6v\xf6s \xaeszi \x1cl\xe9r", "hűvös őszi filér"),
        # No ligature, as where the codes are Windows'; Czech in ISO 8859-2, accents that both have, Cyrillic, and too few letters.
        (b"P\xf8\xedli\xb9 \xbelu\xbbou\xe8k\xfd k\xf9\xf2 \xfap\xecl \xef\xe1belsk\xe9 rem hg", "Pøíli¹ ¾lu»ouèký kùò úpìl ïábelské rem hg"),
        (b"les \xe9l\xe8ves o\xf9 l'on f\xeate No\xebl, d'ici-bas", "les élèves où l'on fête Noël, d'ici-bas"),
        (bytes((*range(0xE0, 0x100), 0x20, *range(0x61, 0x70))), bytes((*range(0xE0, 0x100), 0x20, *range(0x61, 0x70))).decode("latin-1")),
        (b"an area of 20 m\xb2 at 20 \xb0C, for the doctor", "an area of 20 m² at 20 °C, for the doctor"),
        (b"Gr\xf6\xffe", "Gröÿe"),
    ],
)  # fmt: skip
def test_bitmaps_of_tex_are_read_by_the_encoding_that_their_codes_prove(
    shown: bytes, text: str
) -> None:
    names = "".join(f" {code}/a{code}" for code in sorted({*shown} - {0x20}))
    font = bitmap_font(0, 255)
    font = f"{font[: font.index('/Differences')]}/Differences[{names}]>>>>"
    assert read(Page(LINE.format(shown.hex()), font)) == text


@pytest.mark.parametrize("matrix", ["1 0 0 1", "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"])
def test_lines_of_a_page_that_is_turned_are_in_their_order(matrix: str) -> None:
    lines = ("The first line of all", "the second one", "and the last line")
    shown = "T* ".join(f"({line}) Tj " for line in lines)
    page = Page(f"BT /F 12 Tf 14 TL {matrix} 300 400 Tm {shown}ET")
    assert read(page).split() == " ".join(lines).split()
