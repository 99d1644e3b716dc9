"""Text out of workbooks of Excel (XLSX, XLS, XLSB) and presentations of PowerPoint (PPTX)."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from enum import Enum, auto
from functools import cache
from math import inf, isfinite

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason
from askance.extract.extracted import Extracted, empty, markdown_heading, outcome
from askance.extract.office.archives import (
    HIDDEN,
    MOST_UNPACKED_BYTES,
    SIGN_FONTS,
    Archive,
    ArchiveTooLarge,
    Element,
    Relation,
    attribute,
    child_of,
    drawn_texts,
    drop_fallbacks,
    is_on,
    is_white,
    letters_of_signs,
    local_name,
    markdown_row,
    parts_of,
    relations_of,
    target_of,
    title_and_day,
    unread_parts,
    value_of,
)
from askance.extract.text.markdown_text import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    picture_label,
    with_marks,
)

MOST_CELLS = 200_000
# Cells that are empty are as a rule not in the file; so many of them are put between others.
_MOST_EMPTY = 50
# A format of so many ends of sections, and nothing else, shows neither numbers nor texts.
_EMPTY_SECTIONS = 3
_COLUMN = re.compile(r"([A-Z]{1,3})\d")
# Formats that are not written down in a file (ECMA-376, part 1, 18.8.30).
# Those from 27 on are of Chinese, Japanese and Korean programs.
_FORMATS = {
    "9": "0%", "10": "0.00%", "22": "d h:mm", "45": "mm:ss", "46": "[h]:mm:ss", "47": "mm:ss",
    **{str(n): "h:mm" for n in range(18, 22)},
    **{str(n): "d" for n in (*range(14, 18), *range(27, 37), *range(50, 59))},
}  # fmt: skip
_DATE_SIGNS = re.compile(r"[ymdhs]", re.IGNORECASE)
# What a format shows as it is, leaves as much room for as a letter takes, and fills a cell with.
_LITERAL = re.compile(r'"[^"]{0,100}"|\[[^\]]{0,100}\]|[\\_*].')
_ELAPSED = re.compile(r"\[([hms])+\]", re.IGNORECASE)
# Words of a format: quoted, behind a stroke, a currency; what is not shown; a run of digits; another sign.
_PIECE = re.compile(
    r'"([^"]{0,100})"|\\(.)|\[\$([^\]-]{0,20}+)[^\]]{0,40}+\]|(?:\[[^\]]{0,100}+\]|[_*].)|(General|[0#?.,]+)|(.)'
)
_PLAIN_SIGNS = " -+():$€£¥"
# `HYPERLINK("https://…","what it is called")`, with two quotes for one.
_HYPERLINK = re.compile(
    r'\s{0,9}HYPERLINK\(\s{0,9}"((?:[^"]|""|)*+)"\s{0,9}(?:[,;]\s{0,9}"((?:[^"]|""|)*+)"\s{0,9})?\)\s{0,9}\Z',
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_SCRIPTS = {"superscript": RAISED, "subscript": LOWERED}
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a workbook knows no time zone
# The year 1900 has a February 29 in workbooks; those of the Macintosh began with the year 1904.
_FALSE_LEAP_DAY, _EPOCH_1904_DAYS, _LAST_DAY = 60, 1_462, 2_958_466.0
_LONGEST_PLACE = 20
# So many digits of a number are shown; more of them are due to how computers hold it.
SHOWN_DIGITS = 15


class _Full(Exception):
    """There are more cells than are read."""


def read_xlsx(archive: Archive) -> Extracted:
    """Return the text of a workbook; of a hidden sheet it is said that it is one."""
    main = target_of(relations_of(archive, ""), "officeDocument", "xl/workbook.xml")
    book, parts = archive.xml(main), relations_of(archive, main)
    listed = target_of(parts, "sharedStrings", "xl/sharedStrings.xml")
    strings = archive.elements(listed, "si", "sstItem")  # as a beta of Excel called them
    styles = archive.part(target_of(parts, "styles", "xl/styles.xml"))
    is_1904 = attribute(child_of(book, "workbookPr"), "date1904") in {"1", "true"}
    reader = _CellReader([_text(one) for one in strings], styles, is_1904=is_1904)
    blocks: list[str] = []
    details: list[Message] = []
    try:
        sheets = (one for one in book.iter() if local_name(one) == "sheet")
        for n, sheet in enumerate(sheets, start=1):
            hidden = "" if sheet.get("state", "visible") == "visible" else HIDDEN
            relation = parts.get(attribute(sheet, "id"))
            # Some programs write no relations.
            part = relation.target if relation else f"xl/worksheets/sheet{n}.xml"
            blocks.append(markdown_heading(sheet.get("name", "") + hidden, 2))
            lines: list[str] = []
            reader.hidden_columns.clear()
            try:
                for line in reader.rows(archive.elements(part, "col", "row")):
                    lines.append(line)  # noqa: PERF402 - those before the bound count
            finally:
                blocks.append("\n".join(lines))
            blocks.extend(_beside_cells(archive, part))
    except _Full:
        details.append(Message("Only the first {n} cells are read.", n=MOST_CELLS))
    if reader.uncalculated:
        details.append(
            Message("The values of {n} formulas are not in the file.", n=reader.uncalculated)
        )
    facts = title_and_day(archive.part("docProps/core.xml"), "modified")
    details.append(unread_parts(archive.unread))
    return outcome(blocks, *facts, Message.joined(*details))


def _beside_cells(archive: Archive, sheet: str) -> Iterator[str]:
    """Yield the comments on a sheet, and what is drawn upon it: text boxes, pictures, diagrams and charts."""
    for part in (relation.target for relation in relations_of(archive, sheet).values()):
        if "threadedcomment" in part.lower():
            texts = (one for one in archive.part(part).iter() if local_name(one) == "text")
            yield "\n".join(one.text or "" for one in texts)
        elif "comments" in part.lower():
            yield "\n".join(_comments(archive.part(part)))
        # `vmlDrawing1.vml` beside it draws the boxes of comments, which are read as such.
        elif "/drawings/" in part and part.endswith(".xml"):
            drawing = drop_fallbacks(archive.part(part))
            yield "\n".join(filter(None, (attribute(one, "descr") for one in drawing.iter())))
            yield "\n".join(filter(None, drawn_texts(drawing)))
            for relation in relations_of(archive, part).values():
                if "/charts/chart" in relation.target or "/diagrams/data" in relation.target:
                    yield "\n".join(filter(None, drawn_texts(archive.part(relation.target))))


def _comments(part: Element) -> Iterator[str]:
    """Yield the comments of a part, but for those that tell old programs of a thread, which has a part of its own."""
    authors = [one.text or "" for one in part.iter() if local_name(one) == "author"]
    threads = {str(n) for n, name in enumerate(authors) if name.startswith("tc={")}
    for one in part.iter():
        if local_name(one) == "comment" and one.get("authorId") not in threads:
            yield _text(one)


class _CellReader:
    """Reads the cells of sheets; `uncalculated` counts formulas whose values no program has written."""

    def __init__(self, strings: list[str], styles: Element, *, is_1904: bool) -> None:
        self.uncalculated = 0
        self._strings, self._is_1904 = strings, is_1904
        self._formats = _formats_of(styles)
        self._white = _white_styles(styles)
        self.hidden_columns: list[range] = []
        self._left, self._characters_left = MOST_CELLS, MOST_UNPACKED_BYTES

    def rows(self, rows: Iterator[Element]) -> Iterator[str]:
        for row in rows:
            if local_name(row) == "col":
                if _takes_no_room(row, "width") and len(self.hidden_columns) < _MOST_EMPTY:
                    first, last = _whole(row, "min"), _whole(row, "max")
                    self.hidden_columns.append(range(first - 1, last))
                continue
            cells: list[str] = []
            for cell in (one for one in row if local_name(one) == "c"):
                empty = _column(cell, len(cells)) - len(cells)
                cells += [""] * min(max(empty, 0), _MOST_EMPTY)
                cells.append(self._value(cell))
                if cells[-1] and self._is_hidden(cell, len(cells) - 1):
                    cells[-1] += HIDDEN
                # Cells that have a colour and no value are in the file, too.
                self._left -= bool(cells[-1])
                self._characters_left -= len(cells[-1])
            if self._left < 0:
                raise _Full
            if self._characters_left < 0:  # a string of a megabyte, named by every cell
                raise ArchiveTooLarge
            if any(cells):
                yield markdown_row(iter(cells)) + HIDDEN * _takes_no_room(row, "ht")

    def _is_hidden(self, cell: Element, column: int) -> bool:
        style = cell.get("s", "0")
        sections = _LITERAL.sub("", self._formats.get(style, "")).strip()
        # Three sections for numbers, and one for texts, that show nothing.
        return (
            style in self._white
            or (len(sections) >= _EMPTY_SECTIONS and not sections.strip(";"))
            or any(column in columns for columns in self.hidden_columns)
        )

    def _value(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            return _text(cell)
        value, formula = child_of(cell, "v"), child_of(cell, "f")
        raw = (value.text or "") if value is not None else ""
        # Programs that write workbooks without Excel leave the values out; the result of a formula may be an empty text.
        if formula is not None and (value is None or (not raw.strip() and kind != "str")):
            self.uncalculated += 1
            link = _HYPERLINK.match(formula.text or "")
            shown = f"{link[2] or ''} ({link[1]})" if link else f"={formula.text}"
            return shown.replace('""', '"').strip() if formula.text else ""
        match kind:
            case "s":
                is_place = raw.strip().isdecimal() and len(raw) < _LONGEST_PLACE
                place = int(raw) if is_place else len(self._strings)
                return self._strings[place] if place < len(self._strings) else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(raw, raw)
            case "n":
                return self._number(raw, cell.get("s", "0"))
            case _:
                return _unescaped(raw)

    def _number(self, raw: str, style: str) -> str:
        try:
            number = float(raw)
        except ValueError:
            number = inf
        if not isfinite(number):  # as no program shows it
            return raw
        code = self._formats.get(style, "")
        match _kind_of(code):
            case _Kind.DURATION:
                return _duration(number, code)
            case _Kind.TIME if 0 <= number < 1:
                return _time_of_day(number)
            case _Kind.DATE | _Kind.TIME:
                return _date(raw, number + _EPOCH_1904_DAYS * self._is_1904)
            case _Kind.PERCENT:
                return f"{number * 100:.{SHOWN_DIGITS}g}%"
            case _Kind.NUMBER:
                shown = (
                    f"{number:.{SHOWN_DIGITS}g}" if len(raw) > SHOWN_DIGITS and "." in raw else raw
                )
                return _with_literals(shown, code)


def _takes_no_room(element: Element, side: str) -> bool:
    """Whether a row or a column is hidden, or of no height or width."""
    return element.get("hidden") in {"1", "true"} or not element.get(side, "1").strip("0.")


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
    if 0 < days < 1:
        return _time_of_day(days)
    # Rounded to seconds: a time of day is a fraction that computers hold inexactly.
    moment = _EPOCH + timedelta(seconds=round((days + (days < _FALSE_LEAP_DAY)) * 86_400))
    return moment.strftime("%Y-%m-%d" if not days % 1 else "%Y-%m-%d %H:%M")


def _time_of_day(days: float) -> str:
    minutes, seconds = divmod(round(days * 86_400), 60)
    time = f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{time}:{seconds:02}" if seconds else time


def _duration(days: float, code: str) -> str:
    """Return a time that goes on counting beyond a day, or beyond an hour, as its format says."""
    sign, seconds = "-" if days < 0 else "", round(abs(days) * 86_400)
    unit = _ELAPSED.findall(code)[0].lower()
    if unit == "s":
        return f"{sign}{seconds}"
    if unit == "m":
        return f"{sign}{seconds // 60}:{seconds % 60:02}"
    time = f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}"
    return f"{time}:{seconds % 60:02}" if "s" in _LITERAL.sub("", code).lower() else time


class _Kind(Enum):
    """What a format makes of a number."""

    NUMBER = auto()
    PERCENT = auto()
    DATE = auto()
    TIME = auto()
    DURATION = auto()


@cache
def _kind_of(code: str) -> _Kind:
    if _ELAPSED.search(code):
        return _Kind.DURATION
    signs = _LITERAL.sub("", code).lower()
    if _DATE_SIGNS.search(signs):
        has_day = "y" in signs or "d" in signs or not ("h" in signs or "s" in signs)
        return _Kind.DATE if has_day else _Kind.TIME
    return _Kind.PERCENT if "%" in signs else _Kind.NUMBER


def _with_literals(shown: str, code: str) -> str:
    """Return a number with what its format writes around it: "5 kg", "ID-0042", "030-1234"."""
    parts = _literals_of(code)
    digits = shown.removeprefix("-")
    if not parts or (None in parts and not digits.isdecimal()):
        return shown
    out: list[str] = []
    # Each zero of a format stands for a digit, the first one for all that are left.
    places = parts.count(None)
    digits = digits.zfill(places)
    for part in parts:
        if part is None:
            end = len(digits) - places + 1
            out.append(digits[:end])
            digits, places = digits[end:], places - 1
        else:
            out.append(part or digits)
    return f"{'-' * shown.startswith('-')}{''.join(out)}".strip()


@cache
def _literals_of(code: str) -> tuple[str | None, ...]:
    """Return what a format for positive numbers consists of: words, "" for the number, or None for each digit of it.

    Nothing for a format that changes the number, or shows it in several parts.
    """
    pieces = _PIECE.findall(code.partition(";")[0])
    runs = [run for *_, run, _ in pieces if run]
    is_padded = len("".join(runs)) > 1 and not "".join(runs).strip("0")
    # A comma at the end of a number takes it for thousands.
    if not is_padded and (len(runs) != 1 or runs[0].endswith(",")):
        return ()
    if not all(sign in _PLAIN_SIGNS for *_, sign in pieces):
        return ()
    parts: list[str | None] = []
    for quoted, escaped, currency, run, sign in pieces:
        if run:
            parts += [None] * len(run) if is_padded else [""]
        elif text := quoted or escaped or currency or sign:
            parts.append(text)
    return tuple(parts)


def _formats_of(styles: Element) -> dict[str, str]:
    """Return the formats of numbers by the numbers of the styles that have them."""
    own = {
        one.get("numFmtId", ""): one.get("formatCode", "")[:200]
        for one in styles.iter() if local_name(one) == "numFmt"
    }  # fmt: skip
    numbers = (one.get("numFmtId", "") for one in parts_of(styles, "cellXfs"))
    return {str(n): own.get(of) or _FORMATS.get(of, "") for n, of in enumerate(numbers)}


def _white_styles(styles: Element) -> set[str]:
    """Return the numbers of the styles whose letters are white and whose cells have no colour."""
    colours = (attribute(child_of(font, "color"), "rgb") for font in parts_of(styles, "fonts"))
    white = {str(n) for n, colour in enumerate(colours) if is_white(colour)}
    xfs = enumerate(parts_of(styles, "cellXfs"))
    # Of the fills the first two are no colour and dots, in every workbook.
    return {
        str(n) for n, xf in xfs if xf.get("fontId", "0") in white and xf.get("fillId", "0") == "0"
    }


def _text(string: Element) -> str:
    """Return the text of a string; how it is spoken in Japanese is none of it."""
    return marks_as_text("".join(_texts(string)))


def _texts(parent: Element) -> Iterator[str]:
    marks = ""
    if (style := child_of(parent, "rPr")) is not None:
        marks = _SCRIPTS.get(value_of(style, "vertAlign"), "")
        marks += STRUCK_THROUGH if is_on(child_of(style, "strike")) else ""
    for part in parent:
        if local_name(part) == "t":
            yield with_marks(_unescaped(part.text or ""), marks)
        elif local_name(part) != "rPh":
            yield from _texts(part)


def _unescaped(text: str) -> str:
    """Return a text with the characters that XML has no room for, which are written as `_x000D_` (ECMA-376, 22.9.2.19)."""
    if "_x" not in text:
        return text
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


# Text out of presentations of PowerPoint: the slides in their order, with titles, tables and notes.

MOST_SLIDES = 2_000
_TITLES = frozenset({"title", "ctrTitle"})
_PLAIN = "noStrike"
# What stands on every slide of a presentation, and no part of its text.
_PAINTED = frozenset({"bgPr", "pic", "gradFill", "blipFill", "pattFill", "tbl", "style"})
_LEAST_SIZE, _FAINTEST = 100, 10_000
_FURNITURE = frozenset({"sldNum", "sldImg"})


def read_pptx(archive: Archive) -> Extracted:
    """Return the text of a presentation; what is said of a hidden slide is that it is one."""
    main = target_of(relations_of(archive, ""), "officeDocument", "ppt/presentation.xml")
    parts = relations_of(archive, main)
    presentation = archive.xml(main)
    listed = [part for part in presentation.iter() if local_name(part) == "sldId"]
    sides = child_of(presentation, "sldSz")
    size = _whole(sides, "cx"), _whole(sides, "cy")
    # The number of a slide has a name without a namespace, the one of its part has the same in one.
    numbers = [next((v for k, v in part.items() if k.endswith("}id")), "") for part in listed]
    slides = [parts[number].target for number in numbers if number in parts]
    facts = title_and_day(archive.part("docProps/core.xml"), "modified")
    blocks = [block for name in slides[:MOST_SLIDES] for block in _slide(archive, name, size)]
    left = Message("Only the first {n} slides are read.", n=MOST_SLIDES)
    details = Message.joined(
        unread_parts(archive.unread), left if len(slides) > MOST_SLIDES else NOTHING
    )
    return outcome(blocks, *facts, details)


def _slide(archive: Archive, name: str, size: tuple[int, int]) -> Iterator[str]:
    root = archive.part(name)
    relations = relations_of(archive, name)
    _drop_unseen(root, size)
    has_paper = _has_paper(archive, root, relations)
    is_hidden = attribute(root, "show") in {"0", "false"}
    # A title that was deleted and made anew is drawn last, but stands above the others.
    shapes = [shape for shape in _slide_blocks(root, has_paper=has_paper) if shape[1].strip()]
    shapes.sort(key=lambda shape: not shape[0])
    for number, (is_title, text) in enumerate(shapes):
        hidden = HIDDEN if is_hidden and not number else ""
        yield markdown_heading(text, 2) + hidden if is_title else text + hidden
    for relation in relations.values():
        part = relation.target
        if "notesSlides/" in part:
            yield from (text for _, text in _slide_blocks(archive.part(part)))
        elif "/comments/" in part:
            yield "\n".join(_slide_comments(archive.part(part)))
        elif "/diagrams/data" in part or "/charts/chart" in part:
            yield "\n".join(filter(None, drawn_texts(archive.part(part))))


def _drop_unseen(root: Element, size: tuple[int, int]) -> None:
    """Take hidden shapes out of a slide, and those that lie outside of it."""
    tree = child_of(root, "cSld", "spTree")
    for parent in list(root.iter()):
        for shape in list(parent):
            names = [child_of(part, "cNvPr") for part in shape if local_name(part).startswith("nv")]
            hidden = any(one is not None and one.get("hidden") in {"1", "true"} for one in names)
            # What is in a group is measured from there.
            if hidden or (parent is tree and _is_off(shape, size)):
                parent.remove(shape)


def _is_off(shape: Element, size: tuple[int, int]) -> bool:
    place = child_of(shape, "spPr", "xfrm")
    place = child_of(shape, "xfrm") if place is None else place
    off, ext = child_of(place, "off"), child_of(place, "ext")
    if off is None or ext is None:
        return False
    x, y = _whole(off, "x"), _whole(off, "y")
    is_before = x + _whole(ext, "cx") < 0 or y + _whole(ext, "cy") < 0
    return is_before or (min(size) > 0 and (x > size[0] or y > size[1]))


def _whole(element: Element | None, name: str) -> int:
    value = attribute(element, name)[:12]
    return int(value) if value.removeprefix("-").isdecimal() else 0


def _has_paper(archive: Archive, slide: Element, relations: Mapping[str, Relation]) -> bool:
    """Whether nothing is known that may lie behind the texts of a slide but white paper."""
    parts, layout = [slide], target_of(relations, "slideLayout")
    if layout:
        master = target_of(relations_of(archive, layout), "slideMaster")
        parts += [archive.part(layout), archive.part(master)] if master else [archive.part(layout)]
    return not any(local_name(part) in _PAINTED for root in parts for part in root.iter())


def _slide_comments(part: Element) -> Iterator[str]:
    """Yield the comments on a slide, each before the replies to it."""
    for one in part.iter():
        match local_name(one):
            case "text":
                yield one.text or ""
            case "cm" | "reply":  # since 2021, with the replies before the text
                yield from (
                    text
                    for body in one
                    if local_name(body) == "txBody"
                    for text in _paragraphs(body)
                )
            case _:
                pass


def _slide_blocks(root: Element, *, has_paper: bool = False) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a slide, and whether each is its title."""
    # Shapes in groups, too; the order of the file is that in which they are drawn.
    for shape in drop_fallbacks(root).iter():
        match local_name(shape):
            case "sp":
                kinds = {part.get("type", "") for part in shape.iter() if local_name(part) == "ph"}
                is_bare = has_paper and child_of(shape, "spPr", "solidFill") is None
                text = "\n".join(_paragraphs(shape, has_paper=is_bare))
                if text.strip() and kinds.isdisjoint(_FURNITURE):
                    yield not kinds.isdisjoint(_TITLES), text
            case "tbl":
                rows = [[c for c in row if local_name(c) == "tc"] for row in shape
                        if local_name(row) == "tr"]  # fmt: skip
                texts = [markdown_row(" ".join(_paragraphs(cell)) for cell in row) for row in rows]
                yield False, "\n".join(texts)
            case "cNvPr":  # what a picture or a chart says to those who do not see it
                yield False, picture_label(attribute(shape, "descr"))
            case _:
                pass


def _script_of(baseline: str) -> str:
    """Return the mark for a baseline, which is in thousandths of a percent of the size of the letters."""
    if not baseline.strip("0%"):
        return ""
    return LOWERED if baseline.startswith("-") else RAISED


def _is_unseen(properties: Element, *, has_paper: bool) -> bool:
    """Whether letters with these properties are of a point at the most, transparent, or white on white paper."""
    size = properties.get("sz", "")
    if size.isdecimal() and int(size[:9]) <= _LEAST_SIZE:
        return True
    for colour in parts_of(properties, "solidFill"):
        opacity = value_of(colour, "alpha")
        if opacity.isdecimal() and int(opacity[:9]) < _FAINTEST:
            return True
        if has_paper and is_white(colour.get("val", "")):
            return True
    return False


def _paragraphs(parent: Element, *, has_paper: bool = False) -> Iterator[str]:
    for paragraph in parent.iter():
        if local_name(paragraph) != "p":
            continue
        parts: list[str] = []
        marks = font = ""
        is_unseen = False
        for piece in paragraph.iter():
            if (name := local_name(piece)) == "t":
                text = piece.text or ""
                shown = letters_of_signs(font, text) if font in SIGN_FONTS else text
                parts.append("" if is_unseen else with_marks(shown, marks))
            elif name in {"br", "tab"}:
                parts.append(" ")
            elif name in {"r", "fld"}:
                marks, font, is_unseen = "", "", False
            elif name == "rPr":
                is_unseen = _is_unseen(piece, has_paper=has_paper)
                marks = _script_of(attribute(piece, "baseline"))
                marks += STRUCK_THROUGH if attribute(piece, "strike", _PLAIN) != _PLAIN else ""
            elif name == "sym":
                font = attribute(piece, "typeface")
        if text := marks_as_text("".join(parts)).strip():
            yield text


# Workbooks that are no XML: those of Excel before 2007 (.xls), and binary ones (.xlsb), by calamine.


def read_old_workbook(data: bytes) -> Extracted:
    """Return the text of a workbook; of a hidden sheet it is said that it is one.

    Raises:
        ImportError: calamine is not installed.
        ValueError: it is damaged.
        ArchiveTooLarge: it unpacks to more than it may.
    """
    import python_calamine as calamine  # noqa: PLC0415 - few files need it

    stream = io.BytesIO(data)
    if zipfile.is_zipfile(stream):
        # Calamine bounds nothing; a size that is invented ends at the memory that a process may have.
        with zipfile.ZipFile(stream) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise ArchiveTooLarge
    stream.seek(0)
    blocks: list[str] = []
    unread: list[str] = []
    left = MOST_CELLS
    try:
        book = calamine.CalamineWorkbook.from_filelike(stream)
    except calamine.PasswordError:
        return empty(PageReason.ENCRYPTED, Message("The file is encrypted."))
    except BaseException as exc:
        raise _damage(exc) from exc
    for sheet in book.sheets_metadata:
        is_hidden = sheet.visible is not calamine.SheetVisibleEnum.Visible
        blocks.append(markdown_heading(sheet.name + " (hidden)" * is_hidden, 2))
        lines: list[str] = []
        try:
            for row in book.get_sheet_by_name(sheet.name).iter_rows():
                cells = [_shown_value(cell) for cell in row]
                left -= sum(map(bool, cells))
                if left < 0:
                    break
                lines += [markdown_row(iter(cells))] if any(cells) else []
        except BaseException as exc:
            if not isinstance(_damage(exc), ValueError):
                raise
            unread.append(sheet.name)
        blocks.append("\n".join(lines))
    cut = Message("Only the first {n} cells are read.", n=MOST_CELLS) if left < 0 else NOTHING
    return outcome(blocks, "", None, Message.joined(cut, unread_parts(unread)))


def _damage(error: BaseException) -> BaseException:
    """Return what calamine raised as damage, if it is: a panic of Rust is no `Exception`."""
    is_panic = type(error).__name__ == "PanicException"
    is_damage = is_panic or (isinstance(error, Exception) and not isinstance(error, MemoryError))
    return ValueError(str(error)) if is_damage else error


def _shown_value(cell: object) -> str:
    """Return a value as a cell shows it; how a cell formats a number is not known."""
    match cell:
        case bool():
            return str(cell).upper()
        case float():
            return f"{cell:.{SHOWN_DIGITS}g}"
        case datetime():
            return f"{cell:%Y-%m-%d %H:%M}" if cell.time() != time() else f"{cell:%Y-%m-%d}"
        case _:
            return str(cell)
