"""Letters of TrueType fonts, by the tables in which they name the glyphs of codes (`cmap`)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

_MOST_CODES = 100_000
_MOST_TABLES = 64
_UNICODE, _MACINTOSH, _WINDOWS = 0, 1, 3
# What of the Unicode ones is most of all first: (platform, encoding).
_BEST = ((_WINDOWS, 10), (_UNICODE, 4), (_WINDOWS, 1), (_UNICODE, 3), (_UNICODE, 1), (_UNICODE, 0))
_PRIVATE = range(0xE000, 0xF900)


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
    columns = (start + 14 + n * size + 2 * (n > 0) for n in range(4))
    ends, firsts, deltas, offsets = (struct.unpack_from(f">{count}H", font, at) for at in columns)
    left = _MOST_CODES
    for n, (first, end, delta, offset) in enumerate(
        zip(firsts, ends, deltas, offsets, strict=True)
    ):
        left -= max(end - first + 1, 0)
        if left < 0:
            return
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
