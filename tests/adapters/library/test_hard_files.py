"""Files that are large, deep, encrypted, damaged, with macros, or made to burst: read, or refused in a sentence, confined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest

from adapters.library.room import Room, confined
from askance.domain.library import FileState
from askance.extract.office.archives import MOST_UNPACKED_BYTES
from servers.office import docx, epub, odt, packed
from servers.office_formats import notebook, opendocument, pptx, xlsx
from servers.pdf_files import Page, pdf_file

DEEP = 20_000
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4_000)
BURST = b" " * (MOST_UNPACKED_BYTES + 1)


def nested(begin: str, end: str, within: str = "") -> str:
    return begin * DEEP + within + end * DEEP


DEEP_FILES: dict[str, Callable[[], bytes]] = {
    "deep.docx": lambda: docx("A ferry.", body=nested("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>")),
    "deep-boxes.docx": lambda: docx("A ferry.", body=nested("<w:p><w:r>", "</w:r></w:p>")),
    "deep.odt": lambda: odt("A ferry.", body=nested("<text:list><text:list-item>", "</text:list-item></text:list>")),
    "deep.ods": lambda: opendocument(nested("<table:table><table:table-row><table:table-cell>", "</table:table-cell></table:table-row></table:table>")),
    "deep.odp": lambda: opendocument(nested("<draw:page><draw:frame>", "</draw:frame></draw:page>")),
    "deep.pptx": lambda: packed({"ppt/presentation.xml": nested("<a>", "</a>")}),
    "deep.xlsx": lambda: xlsx(nested("<row><c>", "</c></row>")),
    "deep.epub": lambda: epub(nested("<div>", "</div>")),
    "deep.fb2": f"<FictionBook><body>{nested('<section>', '</section>')}</body></FictionBook>".encode,
    "deep.rtf": f"{{\\rtf1 A ferry. {nested('{', '}')}}}".encode,
    "deep.ipynb": lambda: notebook({"cell_type": "markdown", "source": "[" * DEEP}),
    "deeper.ipynb": f'{{"cells": {"[" * DEEP}'.encode,
    "deep.pdf": lambda: pdf_file(Page("[" * DEEP + " BT /F 9 Tf (A ferry) Tj ET")),
    "deep.html": lambda: nested("<div>", "</div>", "A ferry").encode(),
    "deep.eml": lambda: b"".join(b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\n' % (n, n) for n in range(2_000)),
}  # fmt: skip


@cache
def burst(member: str) -> bytes:
    """Return an archive that holds too much. Packing it takes a quarter of a second."""
    return packed({member: BURST})


BURSTING: dict[str, Callable[[], bytes]] = {
    f"burst.{suffix}": partial(burst, name)
    for suffix, name in (
        ("docx", "word/document.xml"), ("docm", "word/document.xml"), ("odt", "content.xml"), ("ods", "content.xml"),
        ("odp", "content.xml"), ("pptx", "ppt/presentation.xml"), ("xlsx", "xl/workbook.xml"), ("epub", "META-INF/container.xml"),
    )
}  # fmt: skip
ENCRYPTED = {f"secret.{suffix}": OLE for suffix in ("docx", "docm", "xlsx", "xlsm", "pptx", "pptm")}
MACROS: dict[str, Callable[[], bytes]] = {
    "macros.docm": lambda: docx("The ferry is late."),
    "macros.dotm": lambda: docx("The ferry is late."),
    "macros.xlsm": lambda: xlsx('<row><c t="inlineStr"><is><t>ferry</t></is></c></row>'),
    "macros.pptm": lambda: pptx(("Ferry", "late", "")),
    "macros.ppsm": lambda: pptx(("Ferry", "late", "")),
}


@pytest.mark.exhaustive
async def test_hard_files_are_read_or_refused_in_a_sentence_within_the_limits(room: Room) -> None:
    room.put("a-large.xlsx", xlsx("<row><c><v>7</v></c><c><v>8</v></c></row>" * 100_000))
    room.put("b-large.pptx", pptx(*((f"Slide {n}", f"Text {n}", "") for n in range(500))))
    for name, made in (DEEP_FILES | BURSTING | MACROS).items():
        room.put(name, made())
    for name, data in ENCRYPTED.items():
        room.put(name, data)
    room.put("z-last.md", "The ferry leaves at nine.")
    room = replace(room, extractor=confined)
    await room.look()
    found = room.in_state(FileState.INDEXED)
    assert {"a-large.xlsx", "b-large.pptx", "z-last.md", *MACROS} <= found
    assert not found & {*BURSTING, *ENCRYPTED}
    for name, record in room.told.items():
        if record.state is FileState.FAILED:
            assert str(record.detail).endswith("."), name
            assert "recursion" not in str(record.detail), name
    texts = {str(room.told[name].detail) for name in ENCRYPTED}
    assert len(texts) == 2
    assert all("encrypted" in sentence for sentence in texts)
    assert not room.told["a-large.xlsx"].detail
    nested = {str(room.told[name].detail) for name in ("deep.ods", "deep.odp", "deep.fb2")}
    assert nested == {"The file is damaged: it is nested too deep."}
