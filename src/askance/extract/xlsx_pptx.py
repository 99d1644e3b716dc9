"""Text out of workbooks of Excel (XLSX) and presentations of PowerPoint (PPTX)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from askance.domain.messages import NOTHING, Message
from askance.extract.documents import (
    SIGN_FONTS,
    Archive,
    Element,
    attribute,
    child_of,
    drawn_texts,
    is_on,
    letters_of_signs,
    local_name,
    markdown_heading,
    markdown_row,
    outcome,
    relations_of,
    target_of,
    unread_parts,
)
from askance.extract.extracted import Extracted
from askance.extract.inline_formatting import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    with_marks,
)

MOST_CELLS = 200_000
# Cells that are empty are as a rule not in the file; so many of them are put between others.
_MOST_EMPTY = 50
_COLUMN = re.compile(r"([A-Z]{1,3})\d")
# Formats that are not written down in a file (ECMA-376, part 1, 18.8.30).
_DATE_FORMATS = frozenset({*range(14, 23), *range(45, 48)})
_PERCENT_FORMATS = frozenset({9, 10})
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
# What a format shows as it is, leaves as much room for as a letter takes, and fills a cell with.
_LITERAL = re.compile(r'"[^"]{0,100}"|\[[^\]]{0,100}\]|[\\_*].')
_SCRIPTS = {"superscript": RAISED, "subscript": LOWERED}
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a workbook knows no time zone
# The year 1900 has a February 29 in workbooks; those of the Macintosh began with the year 1904.
_FALSE_LEAP_DAY, _EPOCH_1904_DAYS, _LAST_DAY = 60, 1_462, 2_958_466.0
# So many digits of a number are shown; more of them are due to how computers hold it.
_DIGITS = 15


class _Full(Exception):
    """There are more cells than are read."""


def read_xlsx(archive: Archive) -> Extracted:
    """Return the text of a workbook; of a hidden sheet it is said that it is one."""
    main = target_of(relations_of(archive, ""), "officeDocument", "xl/workbook.xml")
    book, parts = archive.xml(main), relations_of(archive, main)
    strings = archive.xml(target_of(parts, "sharedStrings", "xl/sharedStrings.xml"))
    styles = archive.part(target_of(parts, "styles", "xl/styles.xml"))
    properties = child_of(book, "workbookPr")
    is_1904 = properties is not None and attribute(properties, "date1904") in {"1", "true"}
    reader = _CellReader([_text(one) for one in strings], styles, is_1904=is_1904)
    blocks: list[str] = []
    details: list[Message] = []
    try:
        for sheet in (one for one in book.iter() if local_name(one) == "sheet"):
            hidden = "" if sheet.get("state", "visible") == "visible" else " (hidden)"
            if (relation := parts.get(attribute(sheet, "id"))) is None:
                continue
            blocks.append(markdown_heading(sheet.get("name", "") + hidden, 2))
            lines: list[str] = []
            try:
                for line in reader.rows(archive.part(relation.target)):
                    lines.append(line)  # noqa: PERF402 - those before an error count
            # What was read before there were too many cells, or a part was damaged, counts.
            finally:
                blocks.append("\n".join(lines))
            blocks.extend(_beside_cells(archive, relation.target))
    except _Full:
        details.append(Message("Only the first {n} cells are read.", n=MOST_CELLS))
    if reader.uncalculated:
        details.append(
            Message("The values of {n} formulas are not in the file.", n=reader.uncalculated)
        )
    core = {local_name(field): field.text or "" for field in archive.part("docProps/core.xml")}
    details.append(unread_parts(archive.unread))
    return outcome(iter(blocks), core.get("title"), core.get("modified"), Message.joined(*details))


def _beside_cells(archive: Archive, sheet: str) -> Iterator[str]:
    """Yield the comments on a sheet, and what is drawn upon it: text boxes and charts."""
    for part in (relation.target for relation in relations_of(archive, sheet).values()):
        if "comments" in part.lower():
            comments = (one for one in archive.part(part).iter() if local_name(one) == "comment")
            yield "\n".join(_text(one) for one in comments)
        # `vmlDrawing1.vml` beside it draws the boxes of comments, which are read as such.
        elif "/drawings/" in part and part.endswith(".xml"):
            drawn = [
                part,
                *(
                    r.target
                    for r in relations_of(archive, part).values()
                    if "/charts/chart" in r.target
                ),
            ]
            for name in drawn:
                yield "\n".join(filter(None, drawn_texts(archive.part(name))))


class _CellReader:
    """Reads the cells of sheets; `uncalculated` counts formulas whose values no program has written."""

    def __init__(self, strings: list[str], styles: Element, *, is_1904: bool) -> None:
        self.uncalculated = 0
        self._strings, self._is_1904 = strings, is_1904
        self._date_styles = _styles_of(styles, _DATE_FORMATS, _DATE_SIGNS)
        self._percent_styles = _styles_of(styles, _PERCENT_FORMATS, re.compile("%"))
        self._left = MOST_CELLS

    def rows(self, sheet: Element) -> Iterator[str]:
        for row in sheet.iter():
            if local_name(row) != "row":
                continue
            cells: list[str] = []
            for cell in (one for one in row if local_name(one) == "c"):
                empty = _column(cell, len(cells)) - len(cells)
                cells += [""] * min(max(empty, 0), _MOST_EMPTY)
                cells.append(self._value(cell))
                self._left -= 1
            if self._left < 0:
                raise _Full
            if any(cells):
                yield markdown_row(iter(cells))

    def _value(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _text(cell)
        value, formula = child_of(cell, "v"), child_of(cell, "f")
        # Programs that write workbooks without Excel leave the values out.
        if value is None and formula is not None:
            self.uncalculated += 1
            return f"={formula.text}" if formula.text else ""
        raw = (value.text or "") if value is not None else ""
        match kind:
            case "s":
                place = int(raw) if raw.isdigit() else len(self._strings)
                return self._strings[place] if place < len(self._strings) else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
            case "n":
                return self._number(raw, cell.get("s", "0"))
            case _:
                return raw

    def _number(self, raw: str, style: str) -> str:
        try:
            number = float(raw)
        except ValueError:
            return raw
        if style in self._date_styles:
            return _date(raw, number + _EPOCH_1904_DAYS * self._is_1904)
        if style in self._percent_styles:
            return f"{number * 100:.{_DIGITS}g}%"
        return f"{number:.{_DIGITS}g}" if len(raw) > _DIGITS and "." in raw else raw


def _column(cell: Element, usual: int) -> int:
    """Return in which column a cell stands, from 0; the one behind the last if it does not say that."""
    found = _COLUMN.match(cell.get("r", ""))
    if found is None:
        return usual
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _date(raw: str, days: float) -> str:
    """Return a day as Excel counts them, with the time where it has one; below a day, the time."""
    if not 0 <= days < _LAST_DAY:
        return raw
    # Rounded to seconds: a time of day is a fraction that computers hold inexactly.
    moment = _EPOCH + timedelta(seconds=round((days + (days < _FALSE_LEAP_DAY)) * 86_400))
    if 0 < days < 1:
        return moment.strftime("%H:%M:%S" if moment.second else "%H:%M")
    return moment.strftime("%Y-%m-%d" if not days % 1 else "%Y-%m-%d %H:%M")


def _styles_of(styles: Element, known: frozenset[int], signs: re.Pattern[str]) -> frozenset[str]:
    """Return the numbers of the styles whose format is a known one, or one of the workbook with some sign."""
    own = {
        one.get("numFmtId", ""): _LITERAL.sub("", one.get("formatCode", "")[:200])
        for one in styles.iter() if local_name(one) == "numFmt"
    }  # fmt: skip
    formats = child_of(styles, "cellXfs")
    numbers = [one.get("numFmtId", "") for one in (formats if formats is not None else ())]
    return frozenset(
        str(n)
        for n, number in enumerate(numbers)
        if (number in own and signs.search(own[number]))
        or (number not in own and number.isdigit() and int(number) in known)
    )


def _text(string: Element) -> str:
    """Return the text of a string; how it is spoken in Japanese is none of it."""
    return marks_as_text("".join(_texts(string)))


def _texts(parent: Element) -> Iterator[str]:
    position = child_of(parent, "rPr", "vertAlign")
    marks = _SCRIPTS.get(attribute(position, "val"), "") if position is not None else ""
    marks += STRUCK_THROUGH if is_on(child_of(parent, "rPr", "strike")) else ""
    for part in parent:
        if local_name(part) == "t":
            yield with_marks(part.text or "", marks)
        elif local_name(part) != "rPh":
            yield from _texts(part)


# Text out of presentations of PowerPoint: the slides in their order, with titles, tables and notes.

MOST_SLIDES = 2_000
_TITLES = frozenset({"title", "ctrTitle"})
_PLAIN = "noStrike"
# What stands on every slide of a presentation, and no part of its text.
_FURNITURE = frozenset({"sldNum", "sldImg"})


def read_pptx(archive: Archive) -> Extracted:
    """Return the text of a presentation; what is said of a hidden slide is that it is one."""
    main = target_of(relations_of(archive, ""), "officeDocument", "ppt/presentation.xml")
    parts = relations_of(archive, main)
    listed = [part for part in archive.xml(main).iter() if local_name(part) == "sldId"]
    # The number of a slide has a name without a namespace, the one of its part has the same in one.
    numbers = [next((v for k, v in part.items() if k.endswith("}id")), "") for part in listed]
    slides = [parts[number].target for number in numbers if number in parts]
    core = {local_name(field): field.text or "" for field in archive.part("docProps/core.xml")}
    blocks = [block for name in slides[:MOST_SLIDES] for block in _slide(archive, name)]
    left = Message("Only the first {n} slides are read.", n=MOST_SLIDES)
    details = Message.joined(
        unread_parts(archive.unread), left if len(slides) > MOST_SLIDES else NOTHING
    )
    return outcome(iter(blocks), core.get("title"), core.get("modified"), details)


def _slide(archive: Archive, name: str) -> Iterator[str]:
    root = archive.part(name)
    is_hidden = attribute(root, "show") in {"0", "false"}
    for number, (is_title, text) in enumerate(_slide_blocks(root)):
        hidden = " (hidden)" if is_hidden and not number else ""
        yield markdown_heading(text, 2) + hidden if is_title else text + hidden
    for relation in relations_of(archive, name).values():
        part = relation.target
        if "notesSlides/" in part:
            yield from (text for _, text in _slide_blocks(archive.part(part)))
        elif "/comments/" in part:
            texts = [
                t.text or "" for t in archive.part(part).iter() if local_name(t) in {"t", "text"}
            ]
            yield "\n".join(texts)
        elif "/diagrams/data" in part or "/charts/chart" in part:
            yield "\n".join(filter(None, drawn_texts(archive.part(part))))


def _slide_blocks(root: Element) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a slide, and whether each is its title."""
    for both in [part for part in root.iter() if local_name(part) == "AlternateContent"]:
        if len(both) > 1 and any(_paragraphs(both[0])):  # the others show the same
            both[1:] = []
    # Shapes in groups, too; the order of the file is that in which they are drawn.
    for shape in root.iter():
        match local_name(shape):
            case "sp":
                kinds = {part.get("type", "") for part in shape.iter() if local_name(part) == "ph"}
                text = "\n".join(_paragraphs(shape))
                if text.strip() and kinds.isdisjoint(_FURNITURE):
                    yield not kinds.isdisjoint(_TITLES), text
            case "tbl":
                rows = [[c for c in row if local_name(c) == "tc"] for row in shape
                        if local_name(row) == "tr"]  # fmt: skip
                texts = [markdown_row(" ".join(_paragraphs(cell)) for cell in row) for row in rows]
                yield False, "\n".join(texts)
            case "pic":  # what a picture says to those who do not see it
                yield from (
                    (False, text) for part in shape.iter() if (text := attribute(part, "descr"))
                )
            case _:
                pass


def _script_of(baseline: str) -> str:
    """Return the mark for a baseline, which is in thousandths of a percent of the size of the letters."""
    if not baseline.strip("0%"):
        return ""
    return LOWERED if baseline.startswith("-") else RAISED


def _paragraphs(parent: Element) -> Iterator[str]:
    for paragraph in parent.iter():
        if local_name(paragraph) != "p":
            continue
        parts: list[str] = []
        marks = font = ""
        for piece in paragraph.iter():
            if (name := local_name(piece)) == "t":
                text = piece.text or ""
                shown = letters_of_signs(font, text) if font in SIGN_FONTS else text
                parts.append(with_marks(shown, marks))
            elif name in {"br", "tab"}:
                parts.append(" ")
            elif name in {"r", "fld"}:
                marks = font = ""
            elif name == "rPr":
                marks = _script_of(attribute(piece, "baseline"))
                marks += STRUCK_THROUGH if attribute(piece, "strike", _PLAIN) != _PLAIN else ""
            elif name == "sym":
                font = attribute(piece, "typeface")
        if text := marks_as_text("".join(parts)).strip():
            yield text
