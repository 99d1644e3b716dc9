"""Text out of OpenDocument: texts with their notes, comments, headers and footers; spreadsheets; presentations."""

# ruff: noqa: RUF001 - some lists are numbered in letters of other alphabets

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import PageReason
from askance.extract.extracted import Extracted, empty, markdown_heading, outcome
from askance.extract.html.formulas import mathml_line
from askance.extract.office.archives import (
    DEEPEST,
    HIDDEN,
    Archive,
    BlockReader,
    DocumentLine,
    Element,
    attribute,
    child_of,
    comment_label,
    drop_repeated,
    inner_parts,
    is_white,
    local_name,
    markdown_row,
    number_in,
    parts_of,
    title_and_day,
    unread_parts,
)
from askance.extract.office.list_numbers import MOST_LEVELS, Counter, Level
from askance.extract.text.characters import BULLET
from askance.extract.text.markdown_text import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    picture_label,
    with_marks,
)

if TYPE_CHECKING:
    from askance.extract.html.tree import Node

# How a list of a language is numbered is told by its first numbers, here by the first, with the name that Word has for it.
_KINDS = {
    "一": "chineseCounting", "甲": "ideographTraditional", "子": "ideographZodiac", "①": "decimalEnclosedCircle",
    "ア": "aiueo", "イ": "iroha", "가": "ganada", "ㄱ": "chosung", "ก": "thaiLetters", "א": "hebrew1", "أ": "arabicAlpha",
    "ا": "arabicAbjad", "а": "russianLower", "А": "russianUpper",
}  # fmt: skip
_OUTLINE = "outline-style"
_PLACE = re.compile(r"%(\d{1,2})%")
_MOST_COLUMNS = 63
_DC = "{http://purl.org/dc/elements/1.1/}"
_MANIFEST = "META-INF/manifest.xml"
_UNSEEN = frozenset({
    "tracked-changes", "forms", "annotation-end", "hidden-text", "hidden-paragraph", "covered-table-cell",
    "event-listeners", "table-column", "table-columns", "annotation-xml", "glue-point", "note-citation",
    "title-footnote", "shapes", "number", "script",
})  # fmt: skip
_SPANS = frozenset({"span", "a", "ruby", "ruby-base", "meta", "meta-field"})
_SIGNS = {"s": " ", "tab": " ", "line-break": "\n", "soft-page-break": ""}
# Within a line: what has lines of its own.
_BLOCKS = frozenset({
    "frame", "text-box", "p", "h", "list", "table", "section", "custom-shape", "rect", "ellipse", "line", "g",
    "path", "polygon", "polyline", "circle", "connector", "caption", "regular-polygon",
})  # fmt: skip
_DRAWN = _BLOCKS - {"p", "h", "list", "table", "section"}
_COLLAPSED = frozenset({"collapse", "filter"})
_CELLS = frozenset({"table-cell", "covered-table-cell"})
_FLOATING = frozenset({"page", "paragraph", "char"})
Face = Mapping[str, str]
"""What styles say of whether letters are seen, by the names of the properties."""
_FACE = frozenset({"display", "color", "font-size", "background-color"})
_NO_LEVELS = {level: Level("") for level in range(MOST_LEVELS)}
_HEADERS = ("header", "header-left", "header-first")
_FOOTERS = ("footer", "footer-left", "footer-first")


def read_odt(archive: Archive) -> Extracted:
    """Return the text of an OpenDocument text."""
    if b"encryption-data" in archive.read(_MANIFEST):
        return empty(PageReason.ENCRYPTED, Message("The file is encrypted."))
    content = archive.xml("content.xml")
    reader = _Reader(archive)
    body = child_of(content, "body", "text")
    if body is not None:
        reader.read(content, body)
    facts = title_and_day(archive.part("meta.xml"), "date")
    return outcome(reader.out, *facts, unread_parts(archive.unread))


@dataclass(frozen=True, slots=True)
class _List:
    """A list that is being read, on a level from 0."""

    style: str
    counter: Counter
    level: int


class _Reader(BlockReader):
    """Reads the parts of one OpenDocument text."""

    def __init__(self, archive: Archive) -> None:
        super().__init__(archive)
        self._faces: dict[tuple[str, str], Face] = {}
        self._face: Face = {}
        self._marks: dict[str, str] = {}
        self._marks_of_paragraphs: dict[str, str] = {}
        self._lists_of_paragraphs: dict[str, str] = {}
        self._outline = Counter()
        self._has_paper = False
        self._objects: dict[str, Element] = {}
        self._read_objects = set[Element]()
        self._notes: list[Element] = []
        self._comments: list[Element] = []
        self._open_lists: list[_List] = []
        self._counters: dict[str, Counter] = {}
        self._list_levels: dict[str, dict[int, Level]] = {}

    def read(self, content: Element, body: Element) -> None:
        """Read all that a file shows."""
        styles = self._archive.part("styles.xml")
        named = list(_styles_in(styles, "styles"))
        # The styles that a part makes for itself have the same names as those of another part.
        styles_of_text = [*named, *_styles_in(content, "automatic-styles")]
        self._has_paper = not _is_painted(content, styles)
        self._use(styles_of_text)
        self._lists_of_paragraphs = _lists_of_paragraphs(styles_of_text)
        self._list_levels = {**dict(_list_levels(styles)), **dict(_list_levels(content))}
        self._children(body, 0)
        done = 0
        while done < len(self._notes):  # a note may hold others
            self._labelled(f"[^{done + 1}]:", parts_of(self._notes[done], "note-body"))
            done += 1
        for comment in self._comments:
            self._labelled(comment_label(comment.findtext(f"{_DC}creator") or ""), comment)
        styles_of_pages = [*named, *_styles_in(styles, "automatic-styles")]
        self._use(styles_of_pages)
        seen = {*self.out}
        pages = list(_used_pages(content, styles))
        for names in (_HEADERS, _FOOTERS):
            for page in pages:
                for part in page:
                    if local_name(part) in names and attribute(part, "display") != "false":
                        start = len(self.out)
                        self._children(part, 0)
                        drop_repeated(self.out, start, seen)

    def _use(self, styles: list[Element]) -> None:
        self._faces, self._marks = _faces(styles), _marks_of(styles)
        # A paragraph of which all is struck through may say so itself.
        marks = _marks_of(styles, "paragraph").items()
        self._marks_of_paragraphs = {
            name: STRUCK_THROUGH for name, m in marks if STRUCK_THROUGH in m
        }

    def _block(self, element: Element, depth: int) -> None:
        """Read what stands between paragraphs, whatever holds it."""
        name = local_name(element)
        if name in _UNSEEN or attribute(element, "display") == "none":
            return
        if depth > DEEPEST:
            self.out.append(" ".join(" ".join(element.itertext()).split()))
            return
        match name:
            case "p" | "h":
                self._paragraph(element, name, depth)
            case "list":
                self._list(element, depth)
            case "list-item":
                self._item(element, depth)
            case "table":
                self._put_table(map(_cells, _rows(element)), depth)
            case "object" | "object-ole":
                self._object(element, name, depth)
            # What a picture says to those who do not see it; the title of a chart has paragraphs.
            case "desc" | "title" if not len(element):
                self.out.append(picture_label(element.text or ""))
            case "creator" | "date" | "date-string" | "meta-creator-initials":  # of a comment
                pass
            case _:
                self._children(element, depth)

    def _list(self, element: Element, depth: int) -> None:
        outer = self._open_lists[-1] if self._open_lists else None
        style = attribute(element, "style-name") or (outer.style if outer is not None else "")
        if not style:
            first = next((part for item in element for part in item), element)
            style = self._lists_of_paragraphs.get(attribute(first, "style-name"), "")
        if outer is not None:
            opened = _List(style, outer.counter, outer.level + 1)
        else:
            goes_on = attribute(element, "continue-numbering") == "true"
            begun = attribute(element, "continue-list")
            counter = self._counters.get(begun or style) if begun or goes_on else None
            opened = _List(style, counter or Counter(), 0)
            self._counters |= {style: opened.counter, attribute(element, "id"): opened.counter}
        self._open_lists.append(opened)
        self._children(element, depth)
        self._open_lists.pop()

    def _item(self, item: Element, depth: int) -> None:
        opened = self._open_lists[-1] if self._open_lists else _List("", Counter(), 0)
        first = attribute(item, "start-value")
        if first.isdecimal():
            opened.counter.restart(opened.level, int(first[:9]))
        start = len(self.out)
        is_list = all(local_name(child) == "list" for child in item)
        levels = self._list_levels.get(opened.style, {})
        sign = "" if is_list else opened.counter.next(levels, opened.level)
        self._children(item, depth)
        if not sign or start == len(self.out) or self.out[start].startswith("| "):
            return
        head, _, text = self.out[start].partition(" ")
        if not head.strip("#") and text:
            self.out[start] = f"{head} {sign} {text}" if sign != BULLET else self.out[start]
        elif self.out[start].strip() or sign != BULLET:
            self.out[start] = f"{sign} {self.out[start]}"

    def _paragraph(self, element: Element, name: str, depth: int) -> None:
        line = DocumentLine()
        hidden = (part for part in element if local_name(part) == "hidden-paragraph")
        if any(attribute(part, "is-hidden") == "true" for part in hidden):
            return
        self._inline(element, line, depth)
        text = marks_as_text("".join(line.parts))
        if name == "h":
            level = _number(element, "outline-level")
            text = markdown_heading(f"{self._outline_sign(element, level - 1)} {text}", level)
        self.out.append(text)
        for block in line.blocks:
            self._block(block, depth + 1)

    def _outline_sign(self, heading: Element, level: int) -> str:
        """Return the number of a heading that is in no list."""
        style = attribute(heading, "style-name")
        is_out = attribute(heading, "is-list-header") == "true" or self._open_lists
        # A list without a name takes the headings of a style out of the outline.
        if is_out or not self._lists_of_paragraphs.get(style, _OUTLINE):
            return ""
        if first := attribute(heading, "start-value"):
            self._outline.restart(level, number_in(first, 1))
        return self._outline.next(_NO_LEVELS | self._list_levels.get(_OUTLINE, {}), level)

    def _inline(self, element: Element, line: DocumentLine, depth: int, *, marks: str = "") -> None:
        """Read what stands in a line.

        `marks` says that letters are raised, lowered or struck through, unless their own style says else.
        """
        if depth > DEEPEST:
            line.parts.append(f" {' '.join(element.itertext())} ")
            return
        family = "paragraph" if local_name(element) in {"p", "h"} else "text"
        style = attribute(element, "style-name")
        outer = self._face
        self._face = {**outer, **self._faces.get((family, style), {})}
        hides = _is_unseen(self._face, has_paper=self._has_paper)
        known = self._marks if family == "text" else self._marks_of_paragraphs
        marks = known.get(style, marks)
        line.parts.append("" if hides else with_marks(_spaced(element.text), marks))
        for child in element:
            if not hides:
                self._within(local_name(child), child, line, depth, marks)
                line.parts.append(with_marks(_spaced(child.tail), marks))
            elif local_name(child) in _SPANS:
                self._inline(child, line, depth + 1)
        self._face = outer

    def _within(
        self, name: str, child: Element, line: DocumentLine, depth: int, marks: str
    ) -> None:
        if name in _SIGNS:
            line.parts.append(_SIGNS[name])
        elif name == "note":
            self._notes.append(child)
            line.parts.append(f"[^{len(self._notes)}]")
        elif name == "annotation":
            self._comments.append(child)
        elif name == "frame" and (formula := self._formula(child)):
            line.parts.append(formula)
        elif name in _BLOCKS:
            line.blocks.append(child)
            # A frame that is anchored as a letter parts the words beside it; others float.
            line.parts.append("" if attribute(child, "anchor-type") in _FLOATING else " ")
        elif name == "fieldmark":
            line.parts.append(_form_value(child))
        elif name == "ruby-text":
            line.parts.append(" (")
            self._inline(child, line, depth + 1)
            line.parts.append(") ")
        elif name not in _UNSEEN:
            self._inline(child, line, depth + 1, marks=marks)

    def _formula(self, frame: Element) -> str:
        """Return the formula in a frame; empty for one with anything else."""
        element = child_of(frame, "object")
        inner = self._inner(element) if element is not None else None
        return mathml_line(cast("Node", inner)) if inner is not None and _is_formula(inner) else ""

    def _inner(self, element: Element) -> Element:
        """Return what an object shows; a part of its own is read once."""
        place = attribute(element, "href")
        if (known := self._objects.get(place)) is not None:
            return known
        inner = _inner_object(self._archive, element)
        if inner is not element:
            self._objects[place] = inner
        return inner

    def _object(self, element: Element, name: str, depth: int) -> None:
        """Read a chart or a table that has a part of its own."""
        if name == "object-ole":  # in a format of its own; shown is a picture of it
            self._archive.unread.append(attribute(element, "href").removeprefix("./"))
            return
        # The titles of a chart are paragraphs, its values a table. Each once, since one may be within itself.
        inner = self._inner(element)
        if inner not in self._read_objects:
            self._read_objects.add(inner)
            self._children(inner, depth)


def _form_value(field: Element) -> str:
    """Return what a tick box or a list of a form out of Word shows; empty for other fields."""
    given = [(attribute(part, "name"), attribute(part, "value")) for part in field]
    values = dict(given)
    match attribute(field, "type").rpartition(".")[2]:
        case "FORMCHECKBOX":
            return "☒" if values.get("Checkbox_Checked") == "true" else "☐"
        case "FORMDROPDOWN":
            entries = [value for name, value in given if name == "Dropdown_ListEntry"]
            chosen = number_in(values.get("Dropdown_Selected", "0"), -1)
            return dict(enumerate(entries)).get(chosen, "")
        case _:
            return ""


def _inner_object(archive: Archive, element: Element) -> Element:
    """Return the part of a formula, a chart or a table that stands in a document."""
    place = posixpath.normpath(unquote(attribute(element, "href")))
    return archive.part(f"{place}/content.xml") if place != "." else element


def _is_formula(inner: Element) -> bool:
    return local_name(inner) == "math" or child_of(inner, "math") is not None


def _rows(table: Element) -> Iterator[Element]:
    rows = inner_parts(table, {"table-row"}, _UNSEEN.__contains__)
    return (row for row in rows if attribute(row, "visibility") not in _COLLAPSED)


def _cells(row: Element) -> Iterator[Element | None]:
    """Yield the cells of a row, and None for a place that another one covers."""
    for cell in inner_parts(row, _CELLS, _UNSEEN.__contains__):
        yield cell if local_name(cell) == "table-cell" else None
        # What is repeated is seldom more than an empty cell.
        repeated = _number(cell, "number-columns-repeated")
        yield from [None] * (min(repeated, _MOST_COLUMNS) - 1)


def _styles_in(part: Element, group: str) -> Iterator[Element]:
    """Yield the styles of a group of a part that have names."""
    return (style for style in parts_of(part, group) if local_name(style) == "style")


def _list_levels(part: Element) -> Iterator[tuple[str, dict[int, Level]]]:
    """Yield the styles of lists by their names."""
    for group in part:
        for style in group:
            if local_name(style) not in {"list-style", _OUTLINE}:
                continue
            levels: dict[int, Level] = {}
            for level in style:
                # Levels count from 1 in the file, and from 0 here.
                number = _number(level, "level") - 1
                kind = attribute(level, "num-format")
                kind = _KINDS.get(kind[:1], kind) if "," in kind else kind
                if local_name(level) in {"list-level-style-bullet", "list-level-style-image"}:
                    kind = "bullet"
                shown = range(number - _number(level, "display-levels") + 2, number + 2)
                places = ".".join(f"%{place}" for place in shown if place > 0)
                before, after = attribute(level, "num-prefix"), attribute(level, "num-suffix")
                # LibreOffice writes both; what this one may say, the others cannot: "Section 1-2".
                form = _PLACE.sub(r"%\1", attribute(level, "num-list-format"))
                text = form or f"{before}{places}{after}"
                levels[number] = Level(kind, _number(level, "start-value"), text)
            is_outline = local_name(style) == _OUTLINE
            yield _OUTLINE if is_outline else attribute(style, "name"), levels


def _number(element: Element, name: str) -> int:
    return number_in(attribute(element, name), 1)


def _is_painted(content: Element, styles: Element) -> bool:
    """Whether anything may lie behind the letters of a text, beside white paper."""
    if not _DRAWN.isdisjoint(map(local_name, content.iter())):
        return True
    fills = (
        attribute(e, "background-color", "transparent") for r in (content, styles) for e in r.iter()
    )
    return any(fill != "transparent" and not is_white(fill) for fill in fills)


def _is_unseen(face: Face, *, has_paper: bool) -> bool:
    """Whether letters are hidden, of a point at the most, or white on white paper."""
    size = face.get("font-size", "")
    number = size.removesuffix("pt")
    is_size = number != size and number.replace(".", "", 1).isdecimal()
    if face.get("display") == "none" or (is_size and float(number) <= 1):
        return True
    return has_paper and is_white(face.get("color", "")) and "background-color" not in face


def _faces(styles: Iterable[Element]) -> dict[tuple[str, str], Face]:
    """Return for the families and names of styles what they, or their parents, say of whether letters are seen."""
    faces: dict[tuple[str, str], Face] = {}
    for style in styles:
        family = attribute(style, "family")
        own = {n: value for n, value in _text_properties(style).items() if n in _FACE}
        parent = faces.get((family, attribute(style, "parent-style-name")), {})
        if own or parent:
            faces[family, attribute(style, "name")] = {**parent, **own}
    return faces


def _text_properties(style: Element) -> dict[str, str]:
    """Return the properties of letters that a style itself has, by their names without namespaces."""
    properties = child_of(style, "text-properties")
    items = properties.items() if properties is not None else ()
    return {name.rpartition("}")[2]: value for name, value in items}


def _lists_of_paragraphs(styles: Iterable[Element]) -> dict[str, str]:
    """Return for the names of styles of paragraphs the list that they, or their parents, put these into."""
    found: dict[str, str] = {}
    for style in styles:
        own = attribute(style, "list-style-name", "none")
        parent = found.get(attribute(style, "parent-style-name"))
        if attribute(style, "family") == "paragraph" and (own != "none" or parent is not None):
            found[attribute(style, "name")] = own if own != "none" else str(parent)
    return found


def _spaced(text: str | None) -> str:
    """Return a text in which the ends of its lines in the file are spaces, as OpenDocument has it."""
    return text.replace("\n", " ") if text else ""


def _marks_of(styles: Iterable[Element], family: str = "text") -> dict[str, str]:
    """Return for the names of styles of a family the marks (`with_marks`) that they, or their parents, give letters."""
    found: dict[str, str] = {}
    for style in styles:
        if attribute(style, "family") != family:
            continue
        own = _text_properties(style)
        position = own.get("text-position", "")
        lines = {own.get(f"text-line-through-{kind}", "none") for kind in ("style", "type")}
        if position or any("text-line-through" in name for name in own):
            script = _script_of(position)
            found[attribute(style, "name")] = script + (STRUCK_THROUGH if lines != {"none"} else "")
        elif (parent := found.get(attribute(style, "parent-style-name"))) is not None:
            found[attribute(style, "name")] = parent
    return found


def _script_of(position: str) -> str:
    """Return the mark for a position such as "super 58%", or "-33% 58%": by how many percent of their size letters are moved."""
    match position.split(maxsplit=1)[:1]:
        case ["super"]:
            return RAISED
        case ["sub"]:
            return LOWERED
        case [number] if number.strip("-+0.%"):
            return LOWERED if number.startswith("-") else RAISED
        case _:
            return ""


def _used_pages(content: Element, styles: Element) -> Iterator[Element]:
    """Yield the layouts of pages that a text uses: the first one, those that paragraphs name, and their next."""
    masters = [p for p in parts_of(styles, "master-styles") if local_name(p) == "master-page"]
    parts = ((styles, "styles"), (styles, "automatic-styles"), (content, "automatic-styles"))
    every = [style for part, group in parts for style in _styles_in(part, group)]
    wanted = {attribute(style, "master-page-name") for style in every}
    usual = [page for page in masters if attribute(page, "name") == "Standard"] or masters[:1]
    # A text that names no layout has the standard one.
    wanted |= {attribute(page, "name") for page in usual}
    for page in masters:
        if attribute(page, "name") in wanted:
            wanted.add(attribute(page, "next-style-name"))
    return (page for page in masters if attribute(page, "name") in wanted)


MOST_CELLS = 200_000
# The empty end of a row is one cell that is repeated to the last column, 16,384 times.
_MOST_REPEATED = 50
_SPACES = frozenset({"s", "tab", "line-break"})
_BESIDE_CELLS = _DRAWN | {"annotation"}
# What a cell holds, where no program has written what it shows.
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value")


def read_opendocument_tables(archive: Archive) -> Extracted:
    """Return the text of a spreadsheet or a presentation; of a hidden sheet or slide it is said that it is one."""
    if b"encryption-data" in archive.read(_MANIFEST):
        return empty(PageReason.ENCRYPTED, Message("The file is encrypted."))
    # A list, since generators count it down for each other.
    left = [MOST_CELLS]
    blocks = list(_table_blocks(archive, archive.xml("content.xml"), left))
    facts = title_and_day(archive.part("meta.xml"), "date")
    full = NOTHING if left[0] >= 0 else Message("Only the first {n} cells are read.", n=MOST_CELLS)
    detail = Message.joined(full, unread_parts(archive.unread))
    return outcome(blocks, *facts, detail)


def _table_blocks(archive: Archive, root: Element, left: list[int]) -> Iterator[str]:
    hidden = set(_hidden_styles(root))
    marks_of = _marks_of(_styles_in(root, "automatic-styles"))
    names = {tag.rpartition("}")[2] for tag in {part.tag for part in root.iter()}}
    has_more = not names.isdisjoint(_BESIDE_CELLS)
    is_slides = False
    for part in root.iter():
        match local_name(part):
            case "table":
                yield markdown_heading(attribute(part, "name") + _remark(part, hidden), 2)
                yield "\n".join(_sheet_rows(part, left, marks_of))
                yield from _beside_cells(part, marks_of) if has_more else ()
            case "page":
                is_slides, name = True, attribute(part, "name")
                yield markdown_heading(name + _remark(part, hidden), 2)
                texts = list(_paragraphs(part, marks_of, outside_of={"table"}))
                if name in texts:  # some programs call a slide by its title
                    texts.remove(name)
                yield "\n".join(texts)
            case "object":
                inner = _inner_object(archive, part)
                yield mathml_line(cast("Node", inner)) if _is_formula(inner) else ""
                yield "\n".join(_paragraphs(inner, {}, outside_of={"table"}))
                # The values of a chart on a sheet are cells of it.
                tables = (one for one in inner.iter() if is_slides and local_name(one) == "table")
                yield from ("\n".join(_sheet_rows(table, left, {})) for table in tables)
            case _:
                pass


def _remark(part: Element, hidden: Container[str]) -> str:
    return HIDDEN if attribute(part, "style-name") in hidden else ""


def _beside_cells(table: Element, marks_of: Mapping[str, str]) -> Iterator[str]:
    """Yield the comments on a sheet, and the texts of what is drawn upon it."""
    for part in table.iter():
        if (name := local_name(part)) == "annotation":
            text = "\n".join(_paragraphs(part, marks_of))
            yield f"{comment_label(part.findtext(f'{_DC}creator') or '')} {text}"
        elif name in _DRAWN:  # what is drawn within it comes by itself
            yield "\n".join(_paragraphs(part, marks_of, outside_of=_DRAWN))


def _hidden_styles(root: Element) -> Iterator[str]:
    """Yield the names of the styles of sheets and slides that are not shown."""
    for style in parts_of(root, "automatic-styles"):
        for properties in style:
            is_sheet = attribute(properties, "display") == "false"
            if is_sheet or attribute(properties, "visibility") == "hidden":
                yield attribute(style, "name")


def _sheet_rows(table: Element, left: list[int], marks_of: Mapping[str, str]) -> Iterator[str]:
    columns = [attribute(c, "visibility") in _COLLAPSED for c in table.iter() if local_name(c) == "table-column"
               for _ in range(min(_number(c, "number-columns-repeated"), _MOST_COLUMNS))]  # fmt: skip
    for row in table.iter():
        if local_name(row) != "table-row" or left[0] < 0:
            continue
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in _CELLS:
                continue
            held = (value for name in _VALUES if (value := attribute(cell, name)))
            shown = _paragraphs(cell, marks_of, outside_of=_BESIDE_CELLS)
            text = " ".join(shown) or next(held, "")
            if text and any(columns[len(cells) : len(cells) + 1]):
                text += HIDDEN
            cells += [text] * min(_number(cell, "number-columns-repeated"), _MOST_REPEATED)
        while cells and not cells[-1]:
            cells.pop()
        left[0] -= len(cells)
        if cells:
            yield markdown_row(iter(cells)) + HIDDEN * (attribute(row, "visibility") in _COLLAPSED)


def _paragraphs(
    parent: Element, marks_of: Mapping[str, str], outside_of: Container[str] = ()
) -> Iterator[str]:
    for part in parent:
        if (name := local_name(part)) in {"p", "h"}:
            yield " ".join(marks_as_text("".join(_letters(part, marks_of))).split())
        elif name in {"desc", "title"} and (part.text or "").strip():
            yield picture_label(part.text or "")
        elif name not in outside_of:
            yield from _paragraphs(part, marks_of, outside_of)


def _letters(element: Element, marks_of: Mapping[str, str], marks: str = "") -> Iterator[str]:
    marks = marks_of.get(attribute(element, "style-name"), marks)
    yield with_marks(element.text or "", marks)
    for child in element:
        if (name := local_name(child)) in _SPACES:
            yield " "
        elif name != "page-number":  # of which the file has a sign in its place
            parted = " " if name in _BLOCKS else ""
            yield f"{parted}{''.join(_letters(child, marks_of, marks))}{parted}"
        yield with_marks(child.tail or "", marks)
