"""TrueType fonts: the letters of those in PDF files, and one of boxes for those that are not in them.

Letters go by the tables in which a font names the glyphs of codes (`cmap`), or by a known order of glyphs. Arial, Times
New Roman and their like have one order: that of the Macintosh's, without its two empty ones, then WGL4's, and Cyrillic.
Who copies from a file that numbers their glyphs and says no more of them gets "7KLV" for "This". A font that lies in the
file may have its glyphs numbered anew: it is believed by the widths of its letters.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from itertools import accumulate

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


# A font of boxes, which stands for fonts of Chinese, Japanese and Korean that a PDF file names and does not hold.
#
# PDFium leaves out vertical text whose letters have no extent, and they have none without a font. The fonts of the system
# cannot be opened by a confined process, and which there are should decide nothing. Every character has a box here: half
# an em up to `_LAST_NARROW`, an em beyond it. The tables are those that FreeType needs, as the OpenType specification has
# them (https://learn.microsoft.com/typography/opentype/spec/).

_EM, _ASCENT, _DESCENT = 1000, 880, -120
_LAST_NARROW, _LAST = 0x2E7F, 0x10FFFF
_NARROW, _WIDE = (
    1,
    2,
)  # numbers of glyphs; 0 is what FreeType shows for a character that a font lacks
_BOX_WIDTHS = (_EM, _EM // 2, _EM)
_ON_CURVE = 1


def box_font() -> bytes:
    """Return the font as a TrueType file."""
    glyphs = [_box(width) for width in _BOX_WIDTHS]
    places = [0, *accumulate(len(glyph) for glyph in glyphs)]
    tables = {
        b"cmap": _characters(),
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            # 0x5F0F3CF5 is the magic number of this table.
            *(0x10000, 0, 0, 0x5F0F3CF5, 0, _EM, 0, 0),
            *(0, _DESCENT, _EM, _ASCENT, 0, 0, 2, 0, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x10000, _ASCENT, _DESCENT, 0, _EM, 0, 0, _EM, 1, 0, 0, 0, 0, 0, 0, 0, len(glyphs)),
        ),
        b"hmtx": b"".join(struct.pack(">Hh", width, 0) for width in _BOX_WIDTHS),
        b"loca": b"".join(struct.pack(">H", place // 2) for place in places),
        b"maxp": struct.pack(">IHHH22x", 0x10000, len(glyphs), 4, 1),
    }
    head = struct.pack(">IHHHH", 0x10000, len(tables), 0, 0, 0)
    place = len(head) + 16 * len(tables)
    directory, content = b"", b""
    for name, table in tables.items():
        directory += struct.pack(">4sIII", name, 0, place + len(content), len(table))
        # Tables begin at multiples of four bytes.
        content += table + bytes(-len(table) % 4)
    return head + directory + content


def _box(width: int) -> bytes:
    """Return a glyph: one contour of four points, each given by its distance from the one before."""
    head = struct.pack(">hhhhhHH", 1, 0, _DESCENT, width, _ASCENT, 3, 0)
    across, up = (0, 0, width, 0), (_DESCENT, _ASCENT - _DESCENT, 0, _DESCENT - _ASCENT)
    return head + bytes([_ON_CURVE] * 4) + struct.pack(">8h", *across, *up)


def _characters() -> bytes:
    """Return the table from characters to glyphs, in the format of many characters to one glyph."""
    groups = struct.pack(">6I", 0x20, _LAST_NARROW, _NARROW, _LAST_NARROW + 1, _LAST, _WIDE)
    return struct.pack(">HHHHI", 0, 1, 0, 6, 12) + struct.pack(
        ">HHIII", 13, 0, 16 + len(groups), 0, len(groups) // 12
    ) + groups  # fmt: skip
