"""PDF files that PDFium does not open, since their first or last bytes are gone, with both written anew.

A download that broke off has lost the table of its objects; PDFium looks for the objects itself, but gives up where the
trailer is broken, too, or where the first line is another one.
"""

from __future__ import annotations

import re

_HEADER = b"%PDF-1.7\n"
_SNIFFED_BYTES = 1024
_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})[\s\0]{1,4}(\d{1,5})[\s\0]{1,4}obj(?![A-Za-z])")
_MARK = re.compile(
    rb"(?P<object>%b)|endobj|(?P<catalogue>/Type\s{0,9}/Catalog\b)" % _OBJECT.pattern
)
_MOST_OBJECTS = 1_000_000


def has_objects(data: bytes) -> bool:
    """Whether the first bytes of a file look like those of a PDF file behind its first line."""
    return _OBJECT.search(data, 0, _SNIFFED_BYTES) is not None


def repaired(data: bytes) -> bytes | None:
    """Return a PDF file with a first line and a table of its objects; None where no catalogue is found."""
    if b"%PDF-" not in data[:_SNIFFED_BYTES]:
        data = _HEADER + data
    places: dict[int, tuple[int, int]] = {}
    root = current = None
    for found in _MARK.finditer(data):
        if found["object"]:
            number, current = int(found[2]), (int(found[2]), int(found[3]))
            places[number] = found.start(), current[1]
        elif found["catalogue"]:
            root = current or root
        else:
            current = None
        if len(places) > _MOST_OBJECTS:
            return None
    if root is None:
        return None
    rows = b"".join(
        b"%d 1\n%010d %05d n \n" % (number, place, generation)
        for number, (place, generation) in sorted(places.items())
    )
    trailer = b"trailer\n<</Size %d/Root %d %d R>>\n" % (max(places) + 1, *root)
    start = len(data) + 1
    return b"%s\nxref\n0 1\n0000000000 65535 f \n%s%sstartxref\n%d\n%%%%EOF\n" % (
        data,
        rows,
        trailer,
        start,
    )
