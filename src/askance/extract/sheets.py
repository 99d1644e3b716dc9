"""Text out of workbooks of Excel: each sheet as a table under its name, with the values of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from askance.domain.messages import NOTHING, Message
from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted
from askance.extract.slides import local, related, relation_of

MOST_CELLS = 200_000
_DATE_FORMATS = frozenset({*range(14, 23), *range(45, 48)})
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]{0,100}"|\[[^\]]{0,100}\]|\\.')
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a workbook knows no time zone
_LAST_DAY = 2_958_466.0


class _Full(Exception):
    """There are more cells than are read."""


def read_xlsx(archive: Archive) -> Extracted:
    """Return the text of a workbook; of a hidden sheet it is said that it is one."""
    book = archive.xml("xl/workbook.xml")
    parts = related(archive, "xl/workbook.xml")
    strings = ["".join(_texts(one)) for one in archive.xml("xl/sharedStrings.xml")]
    reader = _Reader(strings, _date_styles(archive.xml("xl/styles.xml")))
    blocks: list[str] = []
    detail = NOTHING
    try:
        for sheet in (one for one in book.iter() if local(one) == "sheet"):
            hidden = "" if sheet.get("state", "visible") == "visible" else " (hidden)"
            if not (name := parts.get(relation_of(sheet), "")):
                continue
            blocks.append(markdown_heading(sheet.get("name", "") + hidden, 2))
            lines: list[str] = []
            try:
                for line in reader.rows(archive.xml(name)):
                    lines.append(line)  # noqa: PERF402 - those before an error count
            finally:
                blocks.append("\n".join(lines))
            blocks.extend(_comments(archive, name))
    except _Full:
        detail = Message("Only the first {n} cells are read.", n=MOST_CELLS)
    core = {local(field): field.text or "" for field in archive.xml("docProps/core.xml")}
    return outcome(iter(blocks), core.get("title"), core.get("modified"), detail)


def _comments(archive: Archive, sheet: str) -> Iterator[str]:
    for part in related(archive, sheet).values():
        if "comments" in part.lower():
            comments = (one for one in archive.xml(part).iter() if local(one) == "comment")
            yield "\n".join("".join(_texts(one)) for one in comments)


class _Reader:
    def __init__(self, strings: list[str], date_styles: frozenset[int]) -> None:
        self._strings, self._date_styles = strings, date_styles
        self._left = MOST_CELLS

    def rows(self, sheet: Element) -> Iterator[str]:
        for row in sheet.iter():
            if local(row) != "row":
                continue
            cells = [self._value(cell) for cell in row if local(cell) == "c"]
            self._left -= len(cells)
            if self._left < 0:
                raise _Full
            if any(cells):
                yield markdown_row(iter(cells))

    def _value(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return "".join(_texts(cell))
        raw = next((part.text or "" for part in cell if local(part) == "v"), "")
        match kind:
            case "s":
                place = int(raw) if raw.isdigit() else len(self._strings)
                return self._strings[place] if place < len(self._strings) else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
            case "n" if (
                cell.get("s", "").isdigit() and int(cell.get("s", "0")) in self._date_styles
            ):
                return _date(raw)
            case _:
                return raw


def _date(raw: str) -> str:
    """Return a day as Excel counts them, with the time where it has one."""
    try:
        days = float(raw)
    except ValueError:
        return raw
    if not 0 < days < _LAST_DAY:
        return raw
    moment = _EPOCH + timedelta(seconds=round(days * 86_400))
    return moment.strftime("%Y-%m-%d" if not days % 1 else "%Y-%m-%d %H:%M")


def _date_styles(styles: Element) -> frozenset[int]:
    own = {
        one.get("numFmtId", ""): _LITERAL.sub("", one.get("formatCode", "")[:200])
        for one in styles.iter() if local(one) == "numFmt"
    }  # fmt: skip
    formats = next((one for one in styles if local(one) == "cellXfs"), None)
    found: set[int] = set()
    for n, one in enumerate(formats if formats is not None else ()):
        number = one.get("numFmtId", "")
        if _DATE_SIGNS.search(own.get(number, "")) or (
            number.isdigit() and int(number) in _DATE_FORMATS
        ):
            found.add(n)
    return frozenset(found)


def _texts(parent: Element) -> Iterator[str]:
    """Yield the texts of a string; how it is spoken in Japanese is none."""
    for part in parent:
        if local(part) == "t":
            yield part.text or ""
        elif local(part) != "rPh":
            yield from _texts(part)
