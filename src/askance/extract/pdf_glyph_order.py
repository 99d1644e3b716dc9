"""Letters of Arial, Times New Roman and their like in PDF files that number their glyphs and say no more of them.

Those fonts have one order of glyphs: that of the Macintosh's, without its two empty ones, then WGL4's, and Cyrillic.
Who copies from such a file gets "7KLV" for "This". A font that lies in the file may have its glyphs numbered anew:
it is believed by the widths of its letters.
"""

from __future__ import annotations

from collections.abc import Mapping

_FIRST_GLYPH, _FIRST_CYRILLIC = 3, 570
_MACINTOSH = bytes({*range(0x20, 0x7F), *range(0x80, 0x100)} - {0xCA, 0xF0}).decode("mac_roman")
_WGL4 = (
    "ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ¯·"  # noqa: RUF001 - signs of the order
    "ĂăĄąĎďĐĘęĚěĹĺĽľĿŀŃńŇňŐőŔŕŘřŚśŢţŤťŮůŰűŹźŻż"
)
_CYRILLIC = "".join(map(chr, range(ord("А"), ord("я") + 1)))  # noqa: RUF001 - from the first to the last
LETTERS = {
    **dict(enumerate(_MACINTOSH + _WGL4, _FIRST_GLYPH)),
    **dict(enumerate(_CYRILLIC, _FIRST_CYRILLIC)),
}
"""The letters of glyphs."""
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


def letters_by_name(name: str) -> Mapping[int, str]:
    """Return the letters of the glyphs of a font, by its name; empty for one whose order is not known."""
    bare = name.lstrip("/").rpartition("+")[2].replace(" ", "").lower()
    if bare.startswith((*_OTHERS, "verdana")):
        return _IN_ASCII
    return LETTERS if bare.startswith(_NAMES) else {}


def has_known_widths(widths: Mapping[int, float]) -> bool:
    """Whether the glyphs of a font are as wide as letters are in the known order, and not all alike."""
    measured = [(n, g) for n, g in enumerate(map(_GLYPHS.__getitem__, _MEASURED)) if g in widths]
    if len({widths[glyph] for _, glyph in measured}) < _FEWEST_MEASURED:
        return False
    return any(all(abs(widths[g] - known[n]) <= _NEAR for n, g in measured) for known in _WIDTHS)


_GLYPHS = {letter: glyph for glyph, letter in LETTERS.items()}
