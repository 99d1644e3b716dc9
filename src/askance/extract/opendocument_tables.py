"""Text out of spreadsheets and presentations of OpenDocument."""

from __future__ import annotations

from collections.abc import Iterator

from askance.domain.messages import NOTHING, Message
from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted
from askance.extract.slides import local

MOST_CELLS = 200_000
_MOST_REPEATED = 50
_REPEATED = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}number-columns-repeated"
_TABLE_NAME = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}name"
_PAGE_NAME = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}name"


def read_opendocument_tables(archive: Archive) -> Extracted:
    """Return the text of a spreadsheet or a presentation: its sheets or slides in their order."""
    left = [MOST_CELLS]
    blocks = list(_blocks(archive.xml("content.xml"), left))
    meta = {local(field): field.text or "" for field in archive.xml("meta.xml").iter()}
    detail = (
        NOTHING if left[0] >= 0 else Message("Only the first {n} cells are read.", n=MOST_CELLS)
    )
    return outcome(iter(blocks), meta.get("title"), meta.get("date"), detail)


def _blocks(root: Element, left: list[int]) -> Iterator[str]:
    for part in root.iter():
        match local(part):
            case "table":
                yield markdown_heading(part.get(_TABLE_NAME, ""), 2)
                yield "\n".join(_rows(part, left))
            case "page":
                yield markdown_heading(part.get(_PAGE_NAME, ""), 2)
                yield "\n".join(_paragraphs(part, outside_of="table"))
            case _:
                pass


def _rows(table: Element, left: list[int]) -> Iterator[str]:
    for row in table.iter():
        if local(row) != "table-row" or left[0] < 0:
            continue
        cells: list[str] = []
        for cell in row:
            if local(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            repeated = cell.get(_REPEATED, "1")
            text = " ".join(_paragraphs(cell))
            times = min(int(repeated) if repeated.isdigit() else 1, _MOST_REPEATED) if text else 1
            cells += [text] * times
        left[0] -= len(cells)
        if any(cells):
            yield markdown_row(iter(cells))


def _paragraphs(parent: Element, outside_of: str = "") -> Iterator[str]:
    for part in parent:
        if local(part) in {"p", "h"}:
            yield " ".join("".join(part.itertext()).split())
        elif local(part) != outside_of:
            yield from _paragraphs(part, outside_of)
