"""Text out of spreadsheets and presentations of OpenDocument."""

from __future__ import annotations

from collections.abc import Iterator

from askance.domain.messages import NOTHING, Message
from askance.domain.web import PageReason
from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted, empty
from askance.extract.open_packaging import attribute, child_of, local_name

MOST_CELLS = 200_000
_MOST_REPEATED = 50
_SPACES = frozenset({"s", "tab", "line-break"})
# What a cell holds, where no program has written what it shows.
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")


def read_opendocument_tables(archive: Archive) -> Extracted:
    """Return the text of a spreadsheet or a presentation; of a hidden sheet or slide it is said that it is one."""
    if b"encryption-data" in archive.read("META-INF/manifest.xml"):
        return empty(PageReason.NO_TEXT, Message("The file is encrypted."))
    left = [MOST_CELLS]
    blocks = list(_blocks(archive.xml("content.xml"), left))
    meta = {local_name(field): field.text or "" for field in archive.part("meta.xml").iter()}
    detail = (
        NOTHING if left[0] >= 0 else Message("Only the first {n} cells are read.", n=MOST_CELLS)
    )
    return outcome(iter(blocks), meta.get("title"), meta.get("date"), detail)


def _blocks(root: Element, left: list[int]) -> Iterator[str]:
    hidden = set(_hidden_styles(root))
    for part in root.iter():
        name = local_name(part)
        if name not in {"table", "page"}:
            continue
        remark = " (hidden)" if attribute(part, "style-name") in hidden else ""
        yield markdown_heading(attribute(part, "name") + remark, 2)
        if name == "table":
            yield "\n".join(_rows(part, left))
        else:
            yield "\n".join(_paragraphs(part, outside_of="table"))


def _hidden_styles(root: Element) -> Iterator[str]:
    """Yield the names of the styles of sheets and slides that are not shown."""
    styles = child_of(root, "automatic-styles")
    for style in styles if styles is not None else ():
        for properties in style:
            is_sheet = attribute(properties, "display") == "false"
            if is_sheet or attribute(properties, "visibility") == "hidden":
                yield attribute(style, "name")


def _rows(table: Element, left: list[int]) -> Iterator[str]:
    for row in table.iter():
        if local_name(row) != "table-row" or left[0] < 0:
            continue
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in {"table-cell", "covered-table-cell"}:
                continue
            repeated = attribute(cell, "number-columns-repeated", "1")
            held = (value for name in _VALUES if (value := attribute(cell, name)))
            text = " ".join(_paragraphs(cell)) or next(held, "")
            times = min(int(repeated) if repeated.isdigit() else 1, _MOST_REPEATED)
            cells += [text] * times
        while cells and not cells[-1]:
            cells.pop()
        left[0] -= len(cells)
        if cells:
            yield markdown_row(iter(cells))


def _paragraphs(parent: Element, outside_of: str = "") -> Iterator[str]:
    for part in parent:
        if local_name(part) in {"p", "h"}:
            yield " ".join("".join(_letters(part)).split())
        elif local_name(part) != outside_of:
            yield from _paragraphs(part, outside_of)


def _letters(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        yield " " if local_name(child) in _SPACES else "".join(_letters(child))
        yield child.tail or ""
