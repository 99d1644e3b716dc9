"""A font of boxes, which stands for fonts of Chinese, Japanese and Korean that a PDF file names and does not hold.

PDFium leaves out vertical text whose letters have no extent, and they have none without a font. The fonts of the system
cannot be opened by a confined process, and which there are should decide nothing. Every character has a box here: half
an em up to `_LAST_NARROW`, an em beyond it. The tables are those that FreeType needs, as the OpenType specification has
them (https://learn.microsoft.com/typography/opentype/spec/).
"""

from __future__ import annotations

import struct
from itertools import accumulate

_EM, _ASCENT, _DESCENT = 1000, 880, -120
_LAST_NARROW, _LAST = 0x2E7F, 0x10FFFF
_NARROW, _WIDE = (
    1,
    2,
)  # numbers of glyphs; 0 is what FreeType shows for a character that a font lacks
_WIDTHS = (_EM, _EM // 2, _EM)
_ON_CURVE = 1


def box_font() -> bytes:
    """Return the font as a TrueType file."""
    glyphs = [_box(width) for width in _WIDTHS]
    places = [0, *accumulate(len(glyph) for glyph in glyphs)]
    tables = {
        b"cmap": _characters(),
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            *(0x10000, 0, 0, 0x5F0F3CF5, 0, _EM, 0, 0),
            *(0, _DESCENT, _EM, _ASCENT, 0, 0, 2, 0, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x10000, _ASCENT, _DESCENT, 0, _EM, 0, 0, _EM, 1, 0, 0, 0, 0, 0, 0, 0, len(glyphs)),
        ),
        b"hmtx": b"".join(struct.pack(">Hh", width, 0) for width in _WIDTHS),
        b"loca": b"".join(struct.pack(">H", place // 2) for place in places),
        b"maxp": struct.pack(">IHHH22x", 0x10000, len(glyphs), 4, 1),
    }
    head = struct.pack(">IHHHH", 0x10000, len(tables), 0, 0, 0)
    place = len(head) + 16 * len(tables)
    directory, content = b"", b""
    for name, table in tables.items():
        directory += struct.pack(">4sIII", name, 0, place + len(content), len(table))
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
