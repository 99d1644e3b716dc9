"""Letters of PDF fonts that PDFium does not name, although the file does.

PDFium asks for the letters of a font the `ToUnicode` map of the font, and its encoding; it does not read the names
of glyphs in fonts of type 3, those of ligatures that are made of several names (`f_f_i`), a map whose sections hold
more lines than they announce or ranges that go beyond their last byte, the encoding of a TrueType font that calls itself
symbolic, what the file of a TrueType font says of its glyphs, and the known order of those of a few fonts. Here such
a font gets a map of what the file says.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator, Mapping, Sequence

from pypdf import PdfReader
from pypdf._codecs.adobe_glyphs import adobe_glyphs
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    PdfObject,
    StreamObject,
)

from askance.extract.pdf.pdfium import repaired

MOST_BYTES = 20_000_000
"""The fonts of larger files are left as they are: all objects of a file are listed for them."""
_START = re.compile(rb"startxref\s{1,9}(\d{1,12})")
_MOST_FONTS = 200
_MOST_FORMS, _DEEPEST_FORM = 100, 3
_LONGEST_MAP = 1_000_000
_FILES = frozenset({"/FontFile", "/FontFile2", "/FontFile3"})
_MOST_ALIKE = 1_000
_SYMBOLIC, _SAME = 4, "/Identity"
_BEGIN = re.compile(rb"(?<!\d)(\d{1,6})(?=\s{1,9}begin(bfchar|bfrange)\b)")
_END_OF_SECTION = b"endbf"
_CODE = re.compile(rb"<[0-9A-Fa-f\s]{1,200}>")
_RANGE = re.compile(rb"<([0-9A-Fa-f]{4,8})>\s{0,9}<([0-9A-Fa-f]{4,8})>\s{0,9}<([0-9A-Fa-f]{4})>")
_LONGEST_RANGE = 0xFFFF
_CODES_A_LINE = {b"bfchar": 2, b"bfrange": 3}
_MOST_LINES = 100
# Names that number glyphs; some of them are names of dingbats, too.
_NUMBERED = re.compile(r"/[A-Za-z]{1,2}\d{1,5}")
# TeX's encoding of Cork (T1): accents, quotes, dashes and ligatures below ASCII, letters above it.
_LAST_OF_ASCII = 0x7F
_CORK = {
    **{code: chr(code) for code in range(0x21, _LAST_OF_ASCII)},
    **dict(enumerate("`\u00b4\u02c6\u02dc\u00a8\u02dd\u02da\u02c7\u02d8\u00af\u02d9\u00b8\u02db\u201a\u2039\u203a\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014")),
    **dict(enumerate(("\u0131", "\u0237", "ff", "fi", "fl", "ffi", "ffl"), 0x19)),
    **dict(
        enumerate(
            "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
            "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß",
            0x80,
        )
    ),
    0x27: "\u2019", 0x60: "\u2018", _LAST_OF_ASCII: "-",
}  # fmt: skip
# The older encoding (OT1), which that of Czech and Polish fonts has below ASCII, has its ligatures elsewhere.
_LIGATURES, _OLD_LIGATURES = range(0x1B, 0x20), range(0x0B, 0x10)
_MOST_HIGH, _LAST_ROWS, _MOST_OF_LAST_ROWS = 40, 0xE0, 20
_HEAD = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
_END = "endcmap CMapName currentdict /CMap defineresource pop end end\n"


def with_named_letters(data: bytes, pages: Sequence[int]) -> bytes | None:
    """Return a PDF file with maps for the fonts of some pages; None where there is nothing to add."""
    if len(data) > MOST_BYTES:
        return None
    try:
        data, reader = _opened(data)
        if reader.is_encrypted:
            return None
        fonts = list(_fonts(reader, pages))
        is_cork = any(_is_cork(_numbered_codes(font)) for font in fonts)
        maps = [
            (font, made)
            for font in fonts
            if font.indirect_reference is not None and (made := _map_of(font, is_cork=is_cork))
        ]
        return _with_maps(data, reader, maps) if maps else None
    except Exception:  # noqa: BLE001 - a damaged file can break it at any point
        return None


def _with_maps(
    data: bytes, reader: PdfReader, maps: Sequence[tuple[DictionaryObject, bytes]]
) -> bytes:
    """Return a file with an update behind its end: fonts with maps take the place of those without."""
    root = reader.trailer.raw_get("/Root")
    # Updates stand one behind the other, and the last one counts (ISO 32000-1, 7.5.6).
    previous = int(_START.findall(data)[-1])
    made = bytearray(data + b"\n")
    size = 1 + max(n for rows in (*reader.xref.values(), reader.xref_objStm) for n in rows)
    places: dict[int, tuple[int, int]] = {}
    for font, letters in maps:
        places[size] = len(made), 0
        made += b"%d 0 obj\n<</Length %d>>stream\n%b\nendstream\nendobj\n" % (
            size,
            len(letters),
            letters,
        )
        changed = DictionaryObject(font)
        changed[NameObject("/ToUnicode")] = IndirectObject(size, 0, reader)
        written = io.BytesIO()
        changed.write_to_stream(written)
        reference = font.indirect_reference
        assert reference is not None
        places[reference.idnum] = len(made), reference.generation
        made += b"%d %d obj\n%b\nendobj\n" % (
            reference.idnum,
            reference.generation,
            written.getvalue(),
        )
        size += 1
    start = len(made)
    # An update is listed as the file is: in a table, or in a stream of cross-references (7.5.8).
    if data.startswith(b"xref", previous):
        # Each row has twenty bytes, the space before the end of its line included (7.5.4).
        rows = (b"%d 1\n%010d %05d n \n" % (n, *place) for n, place in sorted(places.items()))
        made += b"xref\n%btrailer\n" % b"".join(rows)
        made += b"<</Size %d/Root %d %d R/Prev %d>>" % (size, root.idnum, root.generation, previous)
    else:
        places[size] = start, 0
        rows = (
            b"\1%b%b" % (place.to_bytes(4), old.to_bytes(2))
            for _, (place, old) in sorted(places.items())
        )
        index = b" ".join(b"%d 1" % n for n in sorted(places))
        table = b"".join(rows)
        about = b"/Type/XRef/W[1 4 2]/Index[%b]/Size %d/Root %d %d R/Prev %d/Length %d" % (
            index, size + 1, root.idnum, root.generation, previous, len(table),
        )  # fmt: skip
        made += b"%d 0 obj\n<<%b>>stream\n%b\nendstream\nendobj" % (size, about, table)
    return bytes(made + b"\nstartxref\n%d\n%%%%EOF\n" % start)


def _opened(data: bytes) -> tuple[bytes, PdfReader]:
    try:
        return data, PdfReader(io.BytesIO(data), strict=False)
    except Exception:
        if (made := repaired(data)) is None:
            raise
        return made, PdfReader(io.BytesIO(made), strict=False)


def _fonts(file: PdfReader, pages: Sequence[int]) -> Iterator[DictionaryObject]:
    """Yield the fonts of pages and of the forms on them, each once."""
    seen: dict[int, DictionaryObject] = {}
    forms: dict[int, DictionaryObject] = {}
    for number in pages:
        for resources in _resources(file.pages[number], 0, forms):
            for font in _values(resources, "/Font"):
                if len(seen) < _MOST_FONTS and id(font) not in seen:
                    seen[id(font)] = font
                    yield font


def _resources(
    holder: DictionaryObject, depth: int, seen: dict[int, DictionaryObject]
) -> Iterator[DictionaryObject]:
    resources = _inherited(holder, "/Resources")
    if not isinstance(resources, DictionaryObject):
        return
    yield resources
    if depth == _DEEPEST_FORM:
        return
    for form in _values(resources, "/XObject"):
        is_new = form.get("/Subtype") == "/Form" and id(form) not in seen
        if is_new and len(seen) < _MOST_FORMS:
            seen[id(form)] = form
            yield from _resources(form, depth + 1, seen)


def _inherited(holder: DictionaryObject, name: str) -> PdfObject | None:
    above: PdfObject | None = holder
    # Pages inherit resources from the nodes above them (7.7.3.4), which may stand in a circle.
    for _ in range(_MOST_FORMS):
        if not isinstance(above, DictionaryObject):
            return None
        if name in above:
            return _value(above, name)
        above = _value(above, "/Parent")
    return None


def _value(holder: PdfObject | None, name: str) -> PdfObject | None:
    """Return what a dictionary has under a name, where it stands elsewhere in the file, too."""
    found = holder.get(name) if isinstance(holder, DictionaryObject) else None
    return found.get_object() if found is not None else None


def _values(resources: DictionaryObject, name: str) -> list[DictionaryObject]:
    found = _value(resources, name)
    if not isinstance(found, DictionaryObject):
        return []
    each = (one.get_object() for one in found.values())
    return [one for one in each if isinstance(one, DictionaryObject)]


def _map_of(font: DictionaryObject, *, is_cork: bool) -> bytes:
    """Return the map that a font lacks; empty where it lacks none, or the file says nothing.

    `is_cork`: fonts of TeX as bitmaps with codes above ASCII have the encoding of Cork.
    """
    there = _value(font, "/ToUnicode")
    if isinstance(there, StreamObject):
        return _recounted(there.get_data())
    if there is not None:
        return b""
    if font.get("/Subtype") == "/Type0":
        return _written(_by_glyphs(font), width=4)
    codes = _numbered_codes(font) if is_cork else frozenset[int]()
    if any(code > _LAST_OF_ASCII for code in codes):
        return _written({code: _CORK[code] for code in codes if code in _CORK})
    return _written(_letters_of(font))


def _numbered_codes(font: DictionaryObject) -> frozenset[int]:
    """Return the codes of a font of bitmaps as TeX's programs write them, which name each letter by its code alone."""
    names = _value(_value(font, "/Encoding"), "/Differences")
    if font.get("/Subtype") != "/Type3" or not isinstance(names, ArrayObject):
        return frozenset()
    named = {code: name for code, name in _names(names) if name != "/.notdef"}
    return frozenset(named if all(name == f"/a{code}" for code, name in named.items()) else ())


def _is_cork(codes: frozenset[int]) -> bool:
    """Whether a font of bitmaps is surely in the encoding of Cork (T1), by which of its codes a text uses.

    No other encoding but those of Cyrillic and Vietnamese has its ligatures, and these have letters at most codes above ASCII.
    """
    high = [code for code in codes if code > _LAST_OF_ASCII]
    return (
        any(code in _LIGATURES for code in codes)
        and not any(code in _OLD_LIGATURES for code in codes)
        and len(high) <= _MOST_HIGH
        and sum(code >= _LAST_ROWS for code in high) <= _MOST_OF_LAST_ROWS
    )


def _letters_of(font: DictionaryObject) -> dict[int, str]:
    """Return for codes of a simple font which letters they show, where PDFium does not find that out."""
    encoding = _value(font, "/Encoding")
    letters = _by_code_page(font, encoding)
    names = _value(encoding, "/Differences")
    if not isinstance(names, ArrayObject):
        return letters
    named = {code: _named(name) for code, name in _names(names)}
    if font.get("/Subtype") == "/Type3":
        # Else it is a font of signs or drawings, whose names say letters by chance.
        written = sum(letter.isalnum() for letter in named.values())
        return {
            code: letter for code, letter in named.items() if letter and 2 * written > len(named)
        }
    if letters:
        return {code: letter for code, letter in (letters | named).items() if letter}
    # PDFium knows the names of single letters.
    return {code: letter for code, letter in named.items() if len(letter) > 1}


def _by_code_page(font: DictionaryObject, encoding: PdfObject | None) -> dict[int, str]:
    """Return the upper half of an encoding by name, of a TrueType font that calls itself symbolic."""
    descriptor = _value(font, "/FontDescriptor")
    if font.get("/Subtype") != "/TrueType" or not isinstance(descriptor, DictionaryObject):
        return {}
    # One that is not in the file may be a Chinese one, of two bytes a letter.
    if "/FontFile2" not in descriptor or not int(descriptor.get("/Flags", 0)) & _SYMBOLIC:
        return {}
    if encoding is None:
        return _by_code(font)
    if isinstance(encoding, DictionaryObject):
        encoding = encoding.get("/BaseEncoding")
    if str(encoding) != "/WinAnsiEncoding":
        return {}
    letters = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0x100)}
    return {code: letter for code, letter in letters.items() if letter}


def _names(names: ArrayObject) -> Iterator[tuple[int, str]]:
    """Yield codes with the names of their glyphs."""
    code = 0
    for one in names:
        if isinstance(one, NumberObject):
            code = int(one)
        elif isinstance(one, NameObject):
            # Names that follow each other belong to codes that do, from the last number on.
            if 0 <= code <= 0xFF:
                yield code, one
            code += 1


def _named(name: str) -> str:
    """Return the letters that the name of a glyph says by Adobe's rules; empty where it only numbers it."""
    # Adobe's glyph list specification: what follows a stop is a variant, as in `a.alt`.
    whole = name.split(".")[0]
    parts = [f"/{part}" for part in whole.removeprefix("/").split("_")]
    letters = [adobe_glyphs.get(p, "") for p in parts if not _NUMBERED.fullmatch(p)]
    return "".join(letters) if all(letters) and len(letters) == len(parts) else ""


def _by_glyphs(font: DictionaryObject) -> dict[int, str]:
    """Return the letters of a font whose codes are the numbers of glyphs, where its file or its name says them."""
    parts = _value(font, "/DescendantFonts")
    # Only with this encoding, and without a map (`CIDToGIDMap`), is a code the number of a glyph.
    if font.get("/Encoding") != "/Identity-H" or not isinstance(parts, ArrayObject) or not parts:
        return {}
    part = parts[0].get_object()
    if not isinstance(part, DictionaryObject) or part.get("/CIDToGIDMap", _SAME) != _SAME:
        return {}
    if letters := letters_by_glyph(_font_file(part)):
        return letters
    descriptor = _value(part, "/FontDescriptor")
    is_held = isinstance(descriptor, DictionaryObject) and not _FILES.isdisjoint(descriptor)
    if is_held and not has_known_widths(_widths(part)):
        return {}
    return dict(letters_by_name(str(part.get("/BaseFont", ""))))


def _widths(part: DictionaryObject) -> dict[int, float]:
    """Return the widths of glyphs: `/W` has those from a number on, or one of all between two numbers."""
    rows = _value(part, "/W")
    given = [row.get_object() for row in rows] if isinstance(rows, ArrayObject) else []
    widths: dict[int, float] = {}
    place = 0
    while place + 1 < len(given):
        first, second = int(str(given[place])), given[place + 1]
        if isinstance(second, ArrayObject):
            widths |= {first + n: float(str(width)) for n, width in enumerate(second)}
            place += 2
        else:
            last = min(int(str(second)), first + _MOST_ALIKE)
            widths |= dict.fromkeys(range(first, last + 1), float(str(given[place + 2])))
            place += 3
    return widths


def _by_code(font: DictionaryObject) -> dict[int, str]:
    """Return the letters of a simple font without an encoding, by the glyphs that its file has for its codes."""
    file = _font_file(font)
    letters = letters_by_glyph(file)
    return {code: letters[g] for code, g in glyphs_by_code(file).items() if g in letters}


def _font_file(font: DictionaryObject) -> bytes:
    file = _value(_value(font, "/FontDescriptor"), "/FontFile2")
    return file.get_data() if isinstance(file, StreamObject) else b""


def _written(letters: Mapping[int, str], width: int = 2) -> bytes:
    """Return a map of codes of so many digits; empty where there are no letters."""
    if not letters:
        return b""
    lines = [
        f"<{code:0{width}X}> <{letter.encode('utf-16-be').hex()}>"
        for code, letter in letters.items()
    ]
    sections = (lines[n : n + _MOST_LINES] for n in range(0, len(lines), _MOST_LINES))
    body = "".join(
        f"{len(some)} beginbfchar\n{chr(10).join(some)}\nendbfchar\n" for some in sections
    )
    space = f"<{'0' * width}> <{'F' * width}>"
    return f"{_HEAD}1 begincodespacerange {space} endcodespacerange\n{body}{_END}".encode()


def _recounted(given: bytes) -> bytes:
    """Return a map whose sections announce as many lines as they hold; empty where they do so already."""
    if len(given) > _LONGEST_MAP:
        return b""
    whole = _END_OF_SECTION.join(map(_counted, given.split(_END_OF_SECTION)))
    return whole if whole != given else b""


def _parted(line: re.Match[bytes]) -> bytes:
    first, last, letter = (int(code, 16) for code in line.groups())
    if first >> 8 == last >> 8 or not 0 < last - first <= _LONGEST_RANGE:
        return line[0]
    starts = [first, *range((first | 0xFF) + 1, last + 1, 0x100)]
    ends = [*(start - 1 for start in starts[1:]), last]
    width = len(line[1])
    return b"\n".join(
        b"<%0*X> <%0*X> <%04X>" % (width, start, width, end, letter + start - first)
        for start, end in zip(starts, ends, strict=True)
    )


def _counted(section: bytes) -> bytes:
    begins = list(_BEGIN.finditer(section))
    body = section[begins[-1].end() :] if begins else b""
    # An array of letters has codes of its own, so that these do not tell the lines.
    if not begins or b"[" in body:
        return section
    begin = begins[-1]
    # PDFium drops all of a section with a range of codes that goes beyond their last byte.
    body = _RANGE.sub(_parted, body) if begin[2] == b"bfrange" else body
    held = max(len(_CODE.findall(body)) // _CODES_A_LINE[begin[2]], int(begin[1]))
    return b"%s%d%s" % (section[: begin.start()], held, body)


# Letters of TrueType fonts, by the tables in which a font names the glyphs of codes (`cmap`), or by a known order of glyphs.
#
# Arial, Times New Roman and their like have one order: that of the Macintosh's, without its two empty ones, then WGL4's, and
# Cyrillic. Who copies from a file that numbers their glyphs and says no more of them gets "7KLV" for "This". A font that lies in
# the file may have its glyphs numbered anew: it is believed by the widths of its letters.

_MOST_CODES = 100_000
_MOST_TABLES = 64
_UNICODE, _MACINTOSH, _WINDOWS = 0, 1, 3
# What of the Unicode ones is most of all first: (platform, encoding).
_BEST = ((_WINDOWS, 10), (_UNICODE, 4), (_WINDOWS, 1), (_UNICODE, 3), (_UNICODE, 1), (_UNICODE, 0))
_PRIVATE = range(0xE000, 0xF900)
_FIRST_GLYPH, _FIRST_CYRILLIC = 3, 570
_LETTERS_OF_MACINTOSH = bytes({*range(0x20, 0x7F), *range(0x80, 0x100)} - {0xCA, 0xF0}).decode(
    "mac_roman"
)
_WGL4 = (
    "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ¯·"  # noqa: RUF001 - signs of the order
    "ĂăĄąĎďĐĘęĚěĹĺĽľĿŀŃńŇňŐőŔŕŘřŚśŢţŤťŮůŰűŹźŻż"
)
_CYRILLIC = "".join(map(chr, range(ord("А"), ord("я") + 1)))  # noqa: RUF001 - from the first to the last
LETTERS = {
    **dict(enumerate(_LETTERS_OF_MACINTOSH + _WGL4, _FIRST_GLYPH)),
    **dict(enumerate(_CYRILLIC, _FIRST_CYRILLIC)),
}
"""The letters of glyphs."""
_GLYPHS = {letter: glyph for glyph, letter in LETTERS.items()}
_NAMES = ("arial", "timesnewroman", "couriernew")
# Their names begin alike, and their order is another one beyond ASCII.
_OTHERS = ("arialblack", "arialunicode")
_IN_ASCII = {glyph: letter for glyph, letter in LETTERS.items() if letter.isascii()}
_MEASURED = "aeilmnorstcpxаеоср"  # noqa: RUF001 - Latin ones, and Cyrillic ones that look like them
# Of Arial, Arial Bold, Times New Roman, and its bold, as their files have them, in thousandths of an em.
_WIDTHS = (
    (556, 556, 222, 222, 833, 556, 556, 333, 500, 278, 500, 556, 500, 556, 556, 556, 500, 556),
    (556, 556, 278, 278, 889, 611, 611, 389, 556, 333, 556, 611, 556, 556, 556, 611, 556, 611),
    (444, 444, 278, 278, 778, 500, 500, 333, 389, 278, 444, 500, 500, 444, 444, 500, 444, 500),
    (500, 444, 278, 278, 833, 556, 500, 444, 389, 333, 444, 556, 500, 500, 444, 500, 444, 556),
)
_FEWEST_MEASURED, _NEAR = 4, 2


def letters_by_glyph(font: bytes) -> dict[int, str]:
    """Return the letters of glyphs, by Unicode; empty where the font does not say, or is damaged.

    Of several letters with one glyph the first in Unicode stands for all: of a space and one that does not break, the space.
    """
    tables = _tables(font)
    for kind in _BEST:
        if kind in tables:
            letters: dict[int, str] = {}
            for code, glyph in _codes(font, tables[kind]):
                is_letter = glyph and code not in _PRIVATE and not 0xD800 <= code < 0xE000
                if is_letter and code >= ord(" ") and code <= 0x10FFFF:
                    letters.setdefault(glyph, chr(code))
            return letters
    return {}


def glyphs_by_code(font: bytes) -> dict[int, int]:
    """Return the glyphs of codes of one byte, as a font that calls itself symbolic is read by them."""
    tables = _tables(font)
    # A symbolic table is looked at first, and has other codes.
    if (_WINDOWS, 0) in tables or (_MACINTOSH, 0) not in tables:
        return {}
    return {code: glyph for code, glyph in _codes(font, tables[_MACINTOSH, 0]) if glyph}


def _tables(font: bytes) -> dict[tuple[int, int], int]:
    """Return where the tables of codes begin, by platform and encoding."""
    try:
        (count,) = struct.unpack_from(">H", font, 4)
        for n in range(min(count, _MOST_TABLES)):
            tag, _, start, _ = struct.unpack_from(">4s3I", font, 12 + 16 * n)
            if tag == b"cmap":
                (of_codes,) = struct.unpack_from(">H", font, start + 2)
                rows = [
                    struct.unpack_from(">2HI", font, start + 4 + 8 * row)
                    for row in range(min(of_codes, _MOST_TABLES))
                ]
                return {(platform, encoding): start + at for platform, encoding, at in rows}
    except struct.error:
        pass
    return {}


def _codes(font: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield the codes of a table with their glyphs, as far as it is whole."""
    try:
        (form,) = struct.unpack_from(">H", font, start)
        match form:
            case 0:
                yield from enumerate(struct.unpack_from(">256B", font, start + 6))
            case 4:
                yield from _segments(font, start)
            case 6:
                first, count = struct.unpack_from(">2H", font, start + 6)
                yield from enumerate(struct.unpack_from(f">{count}H", font, start + 10), first)
            case 12:
                yield from _groups(font, start)
            case _:
                pass
    except struct.error:
        pass


def _segments(font: bytes, start: int) -> Iterator[tuple[int, int]]:
    (size,) = struct.unpack_from(">H", font, start + 6)
    count = size // 2
    # Four columns beside each other, with a pad of two bytes behind the first (OpenType, `cmap`).
    columns = (start + 14 + n * size + 2 * (n > 0) for n in range(4))
    ends, firsts, deltas, offsets = (struct.unpack_from(f">{count}H", font, at) for at in columns)
    left = _MOST_CODES
    for n, (first, end, delta, offset) in enumerate(
        zip(firsts, ends, deltas, offsets, strict=True)
    ):
        left -= max(end - first + 1, 0)
        if left < 0:
            return
        # The last segment ends at 0xFFFF, which is no letter.
        for code in range(first, min(end + 1, 0xFFFF)):
            glyph = code
            if offset:
                at = start + 16 + 3 * size + 2 * n + offset + 2 * (code - first)
                (glyph,) = struct.unpack_from(">H", font, at)
            yield code, (glyph + delta) % 0x10000 if glyph or not offset else 0


def _groups(font: bytes, start: int) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from(">I", font, start + 12)
    left = _MOST_CODES
    for n in range(min(count, _MOST_CODES)):
        first, end, glyph = struct.unpack_from(">3I", font, start + 16 + 12 * n)
        left -= max(end - first + 1, 0)
        if left < 0:
            return
        yield from zip(range(first, end + 1), range(glyph, glyph + end - first + 1), strict=True)


def letters_by_name(name: str) -> Mapping[int, str]:
    """Return the letters of the glyphs of a font, by its name; empty for one whose order is not known."""
    bare = name.lstrip("/").rpartition("+")[2].replace(" ", "").lower()
    if bare.startswith((*_OTHERS, "verdana")):
        return _IN_ASCII
    return LETTERS if bare.startswith(_NAMES) else {}


def has_known_widths(widths: Mapping[int, float]) -> bool:
    """Whether the glyphs of a font are as wide as letters are in the known order, and not all alike."""
    measured = [(n, g) for n, g in enumerate(map(_GLYPHS.__getitem__, _MEASURED)) if g in widths]
    # In Courier, and in any other fixed font, all letters have one width.
    if len({widths[glyph] for _, glyph in measured}) < _FEWEST_MEASURED:
        return False
    return any(all(abs(widths[g] - known[n]) <= _NEAR for n, g in measured) for known in _WIDTHS)
