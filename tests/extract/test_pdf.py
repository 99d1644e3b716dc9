"""PDF files as people keep them: slides, scans, forms, damaged pages, and fonts that do not say their letters."""

from __future__ import annotations

import io

import pytest
from pypdf import PdfReader, PdfWriter

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.page import extract_page
from askance.extract.pdf import pdf_file as pdf_file_reader
from askance.extract.pdf.pdfium import PdfFile
from servers.pdf_files import (
    IMAGE,
    NONSENSE_FONT,
    PLAIN_FONT,
    STREAM,
    GivenPassword,
    Page,
    pdf_file,
    with_stream,
)

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
    reason = PageReason.ONLY_IMAGES if program == IMAGE else PageReason.NO_TEXT
    assert (found.status, found.reason) == (PageStatus.EMPTY, reason)
    assert str(found.detail) == why


def test_a_blank_page_of_a_book_is_not_spoken_of() -> None:
    assert read(shown("One."), Page(""), shown("Three."))[1] == ""


def test_pages_are_parted_by_marks_where_a_file_is_read_in_parts() -> None:
    text, _ = read(Page(""), shown("Two."), Page(IMAGE), shown("Four."), part="; first=0")
    assert text == "\fTwo.\n\n\f\fFour."


def test_a_file_stays_open_between_its_parts_and_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[bytes] = []
    really = pdf_file_reader.PdfFile

    def open_it(data: bytes) -> PdfFile:
        opened.append(data)
        return really(data)

    monkeypatch.setattr(pdf_file_reader, "PdfFile", open_it)
    monkeypatch.setattr(pdf_file_reader, "PART_CHARACTERS", 10)
    monkeypatch.setattr(pdf_file_reader, "MOST_PAGES", 4)
    pages = [shown(f"This is page {n} of them.") for n in range(9)]
    data = pdf_file(*pages)
    kinds = [f"application/pdf; first={n}" for n in range(9)]
    parts = [extract_page(data, "", kind) for kind in kinds]
    # Four pages at a time, as PDFium remembers more with each; none is open behind the last one.
    assert opened == [data] * 3
    assert parts == [extract_page(bytes(bytearray(data)), "", kind) for kind in kinds]
    assert [part.markdown for part in parts] == [f"This is page {n} of them." for n in range(9)]
    # Whatever is read next closes it.
    del opened[:]
    extract_page(data, "", kinds[0])
    extract_page(b"words", "", "text/plain")
    assert extract_page(data, "", kinds[1]) == parts[1]
    assert opened == [data] * 2


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


def test_of_a_page_with_such_letters_what_other_fonts_say_is_kept() -> None:
    program = (
        "BT /F 12 Tf 60 700 Td "
        + "".join(rf"({n}\3&3&10350/5\051&/%*1*&%*5) Tj 0 -14 Td " for n in range(6))
        + "/H 12 Tf (The ferry leaves the harbour every morning) Tj ET"
    )
    found = extract_page(pdf_file(Page(program, font=NONSENSE_FONT)), "", "application/pdf")
    assert found.markdown == "The ferry leaves the harbour every morning"
    assert "do not say which letters" in str(found.detail)


def test_lines_that_nobody_can_speak_are_doubtful_in_fonts_without_names() -> None:
    shifted = "yrlu qrwlfh sdv uhpsolu ghpdqgh fkdqjhphqw gdqv vlwxdwlrq"
    numbered = "".join(f"\\{ord(letter) - 0x20:03o}" for letter in shifted)
    font = NONSENSE_FONT.replace("Differences[1", "Differences[0/g99").replace(
        "/FirstChar 1/", "/FirstChar 0/"
    )
    plain = "0 -14 Td /H 12 Tf (The ferry leaves the harbour every morning at nine,) Tj 0 -14 Td (and comes back at ten.) Tj"
    found = extract_page(
        pdf_file(Page(f"BT /F 12 Tf 60 700 Td ({numbered}) Tj {plain} ET", font=font)),
        "",
        "application/pdf",
    )
    assert "The ferry leaves" in found.markdown
    assert "may be wrong" in str(found.detail)


def test_fake_bold_is_read_once() -> None:
    twice = "".join(f"1 0 0 1 {60 + shift} 700 Tm (Whimbrel terms) Tj " for shift in (0, 0.3))
    assert read(Page(f"BT /F 14 Tf {twice} ET"))[0] == "Whimbrel terms"


def test_words_are_parted_where_a_font_has_no_space() -> None:
    moved = "BT /F 9 Tf 40 700 Td [(Invoice) -400 (of) -400 (services)] TJ ET"
    assert read(Page(moved))[0] == "Invoice of services"


def letters_at(*places: tuple[str, float, float], size: int = 12) -> Page:
    """A page of letters that are placed one by one."""
    shown = "".join(f"1 0 0 1 {x} {y} Tm ({letter}) Tj " for letter, x, y in places)
    return Page(f"BT /F {size} Tf {shown} ET")


# As wide as Helvetica has them in 12 points.
WIDTHS = {"T": 7.33, "A": 8, "B": 8, "L": 6.67, "E": 8, "O": 9.33, "F": 7.33}


@pytest.mark.parametrize(
    ("gap", "read_as"), [(0, "TABLEOF"), (0.5, "TABLEOF"), (1.9, "TABLE OF"), (3, "TABLE OF")]
)
def test_a_gap_that_is_wider_than_those_of_its_line_parts_words(gap: float, read_as: str) -> None:
    x, places = 60.0, list[tuple[str, float, float]]()
    for n, letter in enumerate("TABLEOF"):
        places.append((letter, x + gap * (n >= len("TABLE")), 700))
        x += WIDTHS[letter]
    assert read(letters_at(*places))[0] == read_as


def test_on_a_long_page_words_are_parted_where_names_stand_within_words() -> None:
    line = "(The harbour of the island was built anew after the winter storms of that year) Tj T* "
    glued = "[(the) -180 (Federal) -180 (Court) -180 (and) -180 (Samuel)] TJ T* "
    page = Page(f"BT /F 9 Tf 14 TL 40 800 Td {line * 12}-0.4 Tc {glued * 6} ET")
    text, _ = read(page)
    assert "theFederal" not in text
    assert text.count("the Federal Court and Samuel") == 6


def test_letters_that_are_set_wide_are_not_parted() -> None:
    places = [(letter, 60 + 9.5 * n, 700.0) for n, letter in enumerate("BABEABEA")]
    assert read(letters_at(*places))[0] == "BABEABEA"


def test_letters_below_each_other_are_lines() -> None:
    assert read(letters_at(*(("ABE"[n], 60, 700 - 60 * n) for n in range(3))))[0].split() == [
        *"ABE"
    ]


def test_letters_of_a_line_that_is_turned_are_one_word() -> None:
    turned = "BT /F 12 Tf 0 1 -1 0 60 400 Tm (Watermark) Tj ET"
    assert read(Page(turned))[0] == "Watermark"


def test_a_shadow_is_read_once() -> None:
    shadow = "".join(
        f"BT /F {size} Tf 1 0 0 1 {60 + 6.9 * n - back} {700 - back} Tm ({letter}) Tj ET "
        for n, letter in enumerate("guest")
        for size, back in ((12, 0), (16, 1.2))
    )
    assert read(Page(shadow))[0] == "guest"


def test_letters_that_are_set_wide_are_words() -> None:
    wide = "BT /F 9 Tf 40 700 Td [(T) -180 (h) -220 (e) -190 (y) -900 (h) -190 (a) -230 (v) -180 (e) -900 (a) -200 (l) -190 (l)] TJ ET"
    assert read(Page(wide))[0] == "They have all"


@pytest.mark.parametrize(
    ("back", "read_as"), [(500, "关于红军作战"), (300, "关于红军作战"), (-800, "关 于 红 军 作 战")]
)
def test_a_space_between_chinese_letters_is_one_if_it_is_seen(back: int, read_as: str) -> None:
    names = "".join(f"/uni{ord(letter):04X}" for letter in "关于红军作战")
    widths = f"/FirstChar 32/LastChar 70/Widths[500 {'0 ' * 32}{'1000 ' * 6}]"
    encoding = f"<</Type/Encoding/Differences[65{names}]>>"
    font = PLAIN_FONT.replace("/WinAnsiEncoding", f"{encoding}{widths}")
    shown = " ".join(f"({letter} ) {back}" for letter in "ABCDEF")
    assert read(Page(f"BT /F 12 Tf 60 700 Td [{shown}] TJ ET", font=font))[0] == read_as


def test_single_letters_that_stand_apart_stay_apart() -> None:
    row = "BT /F 9 Tf 40 700 Td [(Grades) -900 (A) -900 (B) -900 (C) -900 (D) -900 (E)] TJ ET"
    assert read(Page(row))[0] == "Grades A B C D E"


@pytest.mark.parametrize(
    ("names", "shown", "read_as"),
    [
        ("/f_f_i/f_i/T_h", "o\\001ce \\002ne \\003e", "office fine The"),
        ("/f_f.alt", "stu\\001", "stuff"),
    ],
)
def test_ligatures_are_read_by_the_names_of_their_parts(
    names: str, shown: str, read_as: str
) -> None:
    font = PLAIN_FONT.replace(
        "/WinAnsiEncoding",
        f"<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[1{names}]>>",
    )
    assert read(Page(LINE.format(shown), font=font))[0] == read_as


def encrypted(data: bytes, algorithm: str, *, user: str, owner: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(user, GivenPassword(owner), algorithm=algorithm)
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


ALGORITHMS = ["RC4-40", "RC4-128", "AES-128", "AES-256-R5", "AES-256"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("user", "owner"), [("", "hush"), ("hush", ""), ("", "")])
def test_a_file_that_an_empty_password_opens_is_read(algorithm: str, user: str, owner: str) -> None:
    data = encrypted(pdf_file(shown("The whole page.")), algorithm, user=user, owner=owner)
    assert extract_page(data, "", "application/pdf").markdown == "The whole page."


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_file_that_needs_a_password_says_so(algorithm: str) -> None:
    data = encrypted(pdf_file(shown("The whole page.")), algorithm, user="hush", owner="quiet")
    assert str(extract_page(data, "", "application/pdf").detail) == "The PDF file is encrypted."


def test_a_page_of_remarks_alone_is_no_image() -> None:
    remark = "/Subtype/Text/Contents(A remark on the deadline)"
    assert read(Page("", annotations=(remark,))) == ("A remark on the deadline", "")


MAP = "begincmap 1 begincodespacerange <00> <FF> endcodespacerange {} endcmap"


@pytest.mark.parametrize(("width", "read_as"), [(0.5, "Issue 6721"), (300, "Issue à6721")])
def test_a_letter_without_a_name_and_without_width_is_not_read(width: float, read_as: str) -> None:
    font = (
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 224/LastChar 224"
        f"/Widths[0]/Resources<<>>/CharProcs<</g224 {STREAM}>>/Encoding<</Type/Encoding/Differences[224/g224]>>>>"
    )
    program = "BT /H 12 Tf 60 700 Td (Issue ) Tj /F 12 Tf (\\340) Tj /H 12 Tf (6721) Tj ET"
    drawn = f"0 0 0 0 {width} 300 d1 0 0 {width} 300 re f"
    data = with_stream(pdf_file(Page(program, font=font)), drawn.encode())
    assert extract_page(data, "", "application/pdf").markdown == read_as


@pytest.mark.parametrize("first", [0x01ED, 0x02ED, 0x00FD])
def test_letters_of_a_range_of_codes_that_goes_beyond_a_byte_are_read(first: int) -> None:
    codes = "".join(f"{first + ord(letter) - ord('a'):04X}" for letter in "openxyz")
    letters = MAP.format(
        f"1 beginbfrange <{first:04X}><{first + 25:04X}><0061> endbfrange"
    ).replace("<00> <FF>", "<0000> <FFFF>")
    font = (
        f"<</Type/Font/Subtype/Type0/BaseFont/Odd/Encoding/Identity-H/ToUnicode {STREAM}"
        "/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Odd/DW 600"
        "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>"
    )
    page = Page(f"BT /F 12 Tf 60 700 Td <{codes}> Tj ET", font=font)
    body = with_stream(pdf_file(page), letters.encode())
    assert extract_page(body, "", "application/pdf").markdown == "openxyz"


def with_a_stream_for_a_table(data: bytes) -> bytes:
    """A file whose table of objects is a stream, as since PDF 1.5."""
    body, table = data[: data.rindex(b"xref\n0")], data[data.rindex(b"xref\n0") :]
    offsets = [int(line.split()[0]) for line in table.splitlines()[2:] if line.endswith(b" n ")]
    rows = b"\0" * 7 + b"".join(
        b"\1" + at.to_bytes(4, "big") + b"\0\0" for at in (*offsets, len(body))
    )
    size = len(offsets) + 2
    about = f"<</Type/XRef/W[1 4 2]/Size {size}/Root 1 0 R/Length {len(rows)}>>"
    stream = f"{size - 1} 0 obj\n{about}stream\n".encode() + rows + b"\nendstream\nendobj\n"
    return body + stream + f"startxref\n{len(body)}\n%%EOF".encode()


@pytest.mark.parametrize("how", ["table", "stream", "none", "junk"])
def test_letters_are_named_however_the_objects_of_a_file_are_listed(how: str) -> None:
    font = PLAIN_FONT.replace(
        "/WinAnsiEncoding", "<</Type/Encoding/BaseEncoding/WinAnsiEncoding/Differences[1/f_f]>>"
    )
    data = pdf_file(Page(LINE.format("stu\\001 and nonsense"), font=font))
    made = {
        "table": data,
        "stream": with_a_stream_for_a_table(data),
        "none": data[: data.rindex(b"xref\n0")],
        "junk": b"\r\n\r\n" + data,
    }
    found = extract_page(made[how], "", "application/pdf")
    assert found.markdown == "stuff and nonsense"


TYPE_3 = (
    "<</Type/Font/Subtype/Type3/FontBBox[0 0 500 500]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 1/LastChar 6"
    "/Widths[500 500 500 500 500 500]/Resources<<>>/CharProcs<<>>/Encoding<</Type/Encoding/Differences[1{}]>>>>"
)


def test_a_font_of_drawings_is_read_by_the_names_of_its_letters() -> None:
    named = TYPE_3.format("/W/h/y/space/n/t")
    assert read(Page(LINE.format("\\001\\002\\003\\004\\005"), font=named))[0] == "Why n"
    numbered = TYPE_3.format("/a1/a2/a3/a4/a5/a6")
    found = extract_page(
        pdf_file(Page(LINE.format("\\001\\002\\003"), font=numbered)), "", "application/pdf"
    )
    assert found.status is PageStatus.EMPTY


def test_a_soft_hyphen_beside_a_digit_is_one_that_is_seen() -> None:
    line = "SS\u00ad2541\u00ad03\u00adM, co\u00adoperate"
    assert read(Page.of_lines(line))[0] == "SS-2541-03-M, cooperate"


def test_codes_of_utf_8_are_no_korean_letters() -> None:
    text = "Перв. примен., Лист, формат"
    codes = "".join(chr(int.from_bytes(c.encode(), "big")) if c.isalpha() else c for c in text)
    assert read(Page.of_lines(codes))[0] == text
    korean = "톰소여의 모험은 킹크랩과 탐험"
    assert read(Page.of_lines(korean))[0] == korean


def test_all_lines_of_a_list_are_read() -> None:
    form = Page(
        LINE.format("Crew"), annotations=("/Subtype/Widget/FT/Ch/T(l)/Opt[(Ann)(Ben)(Cho)]/V(Ben)",)
    )
    assert read(form)[0].split() == ["Crew", "Ann", "Ben", "Cho"]


def test_pages_of_japanese_signs_are_no_nonsense() -> None:
    assert read(Page.of_lines("「スタート」、【削除】。"))[0] == "「スタート」、【削除】。"


def cjk_font(name: str, encoding: str, ordering: str) -> str:
    """A font that is named and not in the file; letters are written in UCS-2."""
    descriptor = (
        f"<</Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[0 -120 1000 880]/ItalicAngle 0"
        "/Ascent 880/Descent -120/CapHeight 700/StemV 90>>"
    )
    within = (
        f"<</Type/Font/Subtype/CIDFontType0/BaseFont/{name}/FontDescriptor{descriptor}"
        f"/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>>>"
    )
    return (
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}-{encoding}/Encoding/{encoding}"
        f"/DescendantFonts[{within}]>>"
    )


def in_columns(*columns: str, step: int) -> str:
    """A program that writes columns, from the right; each letter by itself where it says how far it is to the next."""
    program = ""
    for number, column in enumerate(columns):
        for place, piece in enumerate(column if step else [column]):
            written = piece.encode("utf-16-be").hex()
            program += f"BT /F 12 Tf {400 - 24 * number} {700 - step * place} Td <{written}> Tj ET "
    return program


@pytest.mark.parametrize("step", [0, 12])
@pytest.mark.parametrize(
    ("name", "encoding", "ordering", "text"),
    [
        ("Ryumin-Light", "UniJIS-UCS2-V", "Japan1", "歩行者は、進行することができる"),
        ("STSong-Light", "UniGB-UCS2-V", "GB1", "红军作战的方法、与其他不同的"),
        ("MSung-Light", "UniCNS-UCS2-V", "CNS1", "道路的旁邊有一個燈塔和橋"),
    ],
)
def test_vertical_text_is_read_where_its_font_is_not_in_the_file(
    name: str, encoding: str, ordering: str, text: str, step: int
) -> None:
    font = cjk_font(name, encoding, ordering)
    assert read(Page(in_columns(text, text, step=step), font=font))[0] == 2 * text


def test_single_letters_of_a_table_stay_apart() -> None:
    font = cjk_font("Ryumin-Light", "UniJIS-UCS2-V", "Japan1")
    cells = "有無有無有無有"
    assert read(Page(in_columns(cells, cells, step=24), font=font))[0].split() == [*2 * cells]


WRAPPED = (
    "燈台守の家は丘の上にあって、海が見",
    "える。家には三人が住み、一人は漁師",
    "の息子である。",
)


def test_a_word_that_a_line_ends_in_is_one_in_scripts_without_spaces() -> None:
    assert read(Page.of_lines(*WRAPPED))[0] == "".join(WRAPPED)


def apart(base: str, wide: float, rise: float, way: float = 0.4) -> Page:
    """A base and a small 2, each placed on its own, as by TeX: PDFium makes lines of them."""
    x = 98.7 + wide
    return Page(
        "BT /F 12 Tf 60 700 Td (cost O\\() Tj ET "
        f"BT /F 12 Tf 98.7 700 Td ({base}) Tj ET BT /F 6 Tf {x + way} {700 + rise} Td (2) Tj ET "
        f"BT /F 12 Tf {x + way + 3.4} 700 Td (\\); see) Tj ET"
    )


def raised(before: str, small: str, after: str, *, size: float = 7, rise: float = 5) -> Page:
    return Page(
        f"BT /F 12 Tf 60 700 Td ({before}) Tj /F {size} Tf {rise} Ts ({small}) Tj"
        f" /F 12 Tf 0 Ts ({after}) Tj ET"
    )


@pytest.mark.parametrize(
    ("page", "read_as"),
    [
        (raised("about 10", "5", " cells"), "about 10^5 cells"),
        (raised("about 10", "-3", " mol"), "about 10^-3 mol"),
        (raised("382,000 ft", "3", "/s over"), "382,000 ft^3/s over"),
        (raised("The total", "12", " of all"), "The total [12] of all"),
        (raised("in 2008.", "4", " Then"), "in 2008. [4] Then"),
        (raised("8,935,112", "3", " km"), "8,935,112 [3] km"),
        (raised("48", "1", "/2 cents"), "48 1/2 cents"),
        (raised("the 1", "st", " of May"), "the 1st of May"),
        (raised("[SPB", "+", "14] says"), "[SPB+14] says"),
        (raised("H", "2", "O", rise=-3), "H2O"),
        (
            raised("The total", "11,12,13,14,15,16,17,18,19", " of"),
            "The total [11,12,13,14,15,16,17,18,19] of",
        ),
        (raised("no. 10", "5", " here", size=12, rise=0), "no. 105 here"),
        (raised("no. 10", "5", " here", rise=0), "no. 105 here"),
        (raised("The total", "1", "costs"), "The total [1] costs"),
        (apart("n", 6.7, 3.6), "cost O(n^2); see"),
        (apart("total", 22.7, 3.6), "cost O(total [2]); see"),
        (apart("n", 6.7, 14), "cost O(n 2\n); see"),
        (apart("n", 6.7, 3.6, way=20), "cost O(n 2\n); see"),
    ],
)
def test_a_raised_number_is_a_power_or_a_note_and_no_part_of_a_number(
    page: Page, read_as: str
) -> None:
    assert read(page)[0] == read_as


def test_a_thai_mark_that_stands_in_a_line_of_its_own_is_one_of_its_word() -> None:
    assert read(Page.of_lines("และต", "ั้", "งฉากกับ"))[0] == "และตั้งฉากกับ"
    assert read(Page.of_lines("ขา", "กข"))[0].split() == ["ขา", "กข"]


def test_lines_of_a_list_are_not_one_word() -> None:
    lines = ("燈台守の家は丘の上", "漁師の家は浜にある一番小さな家で窓", "牧師の家", "水車番の家")
    assert read(Page.of_lines(*lines[:1], *lines[2:], lines[1]))[0].split() == [
        *lines[:1],
        *lines[2:],
        lines[1],
    ]


def damaged(data: bytes) -> dict[str, bytes]:
    """A file without its first line, one that broke off, and one whose table is another one's."""
    head, _, rest = data.partition(b"\n")
    return {
        "headless": b"%\xe2\xe3\n" + rest,
        "junk": b"\0\r\n" * 9 + data,
        "cut": data[: data.rindex(b"trailer")] + b"trailer\n<</Size 7/ID [<90",
        "no table": data[: data.rindex(b"xref\n0")] + b"xref\n\0\1\2",
        "shifted": head + b"\n% a line more\n" + rest,
    }


@pytest.mark.parametrize("how", ["headless", "junk", "cut", "no table", "shifted"])
def test_damage_at_the_ends_of_a_file_costs_nothing(how: str) -> None:
    found = extract_page(damaged(pdf_file(shown("The whole page.")))[how], "", "application/pdf")
    assert found.markdown == "The whole page."


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.4\n1 0 obj",
        b"1 0 obj\n<</Type/Catalog>>\nendobj",
        b"%PDF-1.7\n" + b"9 0 obj " * 30_000,
    ],
)
def test_what_has_no_pages_is_no_pdf_file(data: bytes) -> None:
    assert extract_page(data, "", "application/pdf").status is not PageStatus.OK


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


@pytest.mark.exhaustive
def test_a_long_file_is_read_in_parts_that_name_all_that_they_lack() -> None:
    long = "A word of many on a page. " * 40
    pages = [shown(long) if n % 2 else Page(IMAGE) for n in range(800)]
    data = pdf_file(*pages)
    first = extract_page(data, "", "application/pdf; first=0")
    assert 0 < first.detail.values["part_b"].values["pages"] < 800  # pyright: ignore[reportAttributeAccessIssue]
    assert str(first.detail).startswith("200 of 800 pages are images.")
    assert PLAIN_FONT.encode() in data
