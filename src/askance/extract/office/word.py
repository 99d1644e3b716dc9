"""Text out of what Word writes: the body, then its notes and comments, then header and footer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from askance.extract.extracted import Extracted, markdown_heading, outcome
from askance.extract.office.archives import (
    DAMAGE,
    DEEPEST,
    SIGN_FONTS,
    Archive,
    BlockReader,
    DocumentLine,
    Element,
    OtherKind,
    Relation,
    attribute,
    child_of,
    comment_label,
    drawn_texts,
    drop_repeated,
    flat_text,
    inner_parts,
    is_on,
    letters_of_signs,
    local_name,
    number_in,
    parts_of,
    relations_of,
    target_of,
    title_and_day,
    unread_parts,
    unrelated_parts,
    value_of,
)
from askance.extract.office.list_numbers import WordLists
from askance.extract.office.word_faces import (
    Face,
    Paper,
    face_of,
    face_of_run,
    is_hidden_drawing,
    is_off_page,
    is_unseen,
)
from askance.extract.text.characters import BULLET
from askance.extract.text.decoding import DecodingKind
from askance.extract.text.markdown_text import (
    LOWERED,
    RAISED,
    STRUCK_THROUGH,
    marks_as_text,
    picture_label,
    with_marks,
)

_T = TypeVar("_T")
# The most that Word makes.
_MOST_COLUMNS = 63
# What was deleted, what is no text, and the code of fields. Properties are passed over by their names.
_UNSEEN = frozenset({
    "del", "moveFrom", "delText", "instrText", "delInstrText", "tblGrid", "fldData", "ffData", "binData", "sectPrChange",
})  # fmt: skip
_BLOCKS = frozenset({"p", "tbl", "txbxContent", "altChunk", "chart", "relIds", "OLEObject"})
# Pictures and boxes as letters in a line are; others float beside it.
_IN_LINE = frozenset({"inline", "pict", "object", "oMathPara"})
_SCRIPTS = {"superscript": RAISED, "subscript": LOWERED}
_SIGNS = {"tab": " ", "ptab": " ", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_SIGN_NUMBER = re.compile(r"[0-9A-Fa-f]{1,4}")
_USUAL = frozenset(
    {"footnotes", "endnotes", "comments", "styles", "settings", "header", "footer", "numbering"}
)
_REFERENCES = frozenset({"footnoteReference", "endnoteReference", "commentReference"})
# What a picture says to those who do not see it, and letters that are drawn, which are seen.
_ALTERNATIVE_TEXTS = {"docPr": "descr", "shape": "alt", "rect": "alt", "textpath": "string"}
# What stands before a part of a formula as it is typed, and parts that have brackets where they are long.
_BEFORE_PART = {"den": "/", "sup": "^", "sub": "_", "mr": " ", "lim": "_"}
_GROUPED_PARTS = frozenset({"num", "den", "deg", "lim", "sup", "sub"})
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_SHAPES = frozenset({"f", "sSup", "sSub", "sSubSup", "rad"})
_DRAWN = frozenset({"chart", "chartEx", "diagramData"})


def read_docx(
    archive: Archive, read_chunk: Callable[[str, bytes], str | None] | None = None
) -> Extracted:
    """Return the text of a Word file. `read_chunk` reads files of other kinds within it, by their names."""
    package = relations_of(archive, "")
    main = target_of(package, "officeDocument", "word/document.xml")
    document = archive.xml(main)
    if local_name(document) not in {"document", "nothing"}:
        raise OtherKind(DecodingKind.DOCX.upper())
    drop_codes(document)
    reader = _Reader(archive, main, read_chunk)
    reader.read(document)
    core = archive.part(target_of(package, "core-properties", "docProps/core.xml"))
    return outcome(reader.out, *title_and_day(core, "modified"), unread_parts(archive.unread))


@dataclass(slots=True)
class _Line(DocumentLine):
    """A paragraph of Word, with what is said of its pictures."""

    pictured: list[str] = field(default_factory=list[str])

    def size(self) -> tuple[int, int]:
        """Return how many parts there are of it, and how much hangs on it."""
        return len(self.parts), len(self.blocks) + len(self.pictured)

    def shows_more(self, size: tuple[int, int]) -> bool:
        """Whether something that is seen has been added since it was of a size."""
        return self.size()[1] > size[1] or any(part.strip() for part in self.parts[size[0] :])


class _Reader(BlockReader):
    """Reads the parts of one Word file."""

    def __init__(
        self, archive: Archive, main: str, read_chunk: Callable[[str, bytes], str | None] | None
    ) -> None:
        super().__init__(archive)
        self._main = main
        self._read_chunk = read_chunk
        self._relations = relations_of(archive, main)
        # Some programs write parts and no relation to them.
        self._unrelated = unrelated_parts(archive, main, self._relations, _USUAL)
        self._relations = {**self._unrelated, **self._relations}
        self._own_relations = self._relations
        self._styles: Styles = read_styles(self._archive.part(target_of(self._relations, "styles")))
        # Footnotes and endnotes are counted together, in the order in which they are called.
        self._notes: dict[tuple[str, str], int] = {}
        self._called: list[tuple[str, str]] = []
        self._known_notes = {
            kind: self._listed(f"{kind}s", kind) for kind in ("footnote", "endnote")
        }
        self._comments: dict[str, None] = {}
        self._chunks = set[str]()
        self._lists = WordLists(self._archive.part(target_of(self._relations, "numbering")))
        self._initial = ""
        self._paper = Paper(self._styles.shaded)
        self._has_paper: bool = False
        self._face: Face = {}

    def read(self, document: Element) -> None:
        """Read all that a file shows."""
        parts = (r.target for r in self._relations.values() if r.kind in {"header", "footer"})
        self._paper.look_at(document, *map(self._archive.part, parts))
        self._has_paper = True
        self._children(document, 0)
        self._has_paper = False
        self.out.append(self._initial)  # with nothing behind it
        called = {
            (local_name(e).removesuffix("Reference"), attribute(e, "id"))
            for e in document.iter()
            if local_name(e) in _REFERENCES
        }
        for kind, notes in self._known_notes.items():
            for name in notes:  # what nothing calls, not even deleted text, is read all the same
                if (kind, name) not in called:
                    self._number_of(kind, name)
        for number, (kind, name) in enumerate(self._called, 1):  # a note may call others
            self._labelled(f"[^{number}]:", self._known_notes[kind][name])
        comments = self._listed("comments", "comment")
        uncalled = [name for name in comments if ("comment", name) not in called]
        for name in (*self._comments, *uncalled):
            if (comment := comments.get(name)) is not None:
                self._labelled(comment_label(attribute(comment, "author")), comment)
        self._headers_and_footers(document)

    def _listed(self, kind: str, name: str) -> Mapping[str, Element]:
        """Return the notes or comments of a part by their numbers, without its separators."""
        part = target_of(self._relations, kind)
        found = self._text_part(part) if part else ()
        return {
            attribute(child, "id"): child
            for child in found
            # `separator` and `continuationSeparator` are the lines above notes, and no notes.
            if local_name(child) == name and not attribute(child, "type").endswith("eparator")
        }

    def _text_part(self, name: str) -> Element:
        part = self._archive.part(name)
        drop_codes(part)
        return part

    def _headers_and_footers(self, document: Element) -> None:
        settings = self._archive.part(target_of(self._relations, "settings"))
        has_even = is_on(child_of(settings, "evenAndOddHeaders"))
        sections = [element for element in document.iter() if local_name(element) == "sectPr"]
        seen: set[str] = {*self.out}
        for kind in ("header", "footer"):
            names = dict.fromkeys(
                relation.target
                for section in sections
                for reference in section
                if local_name(reference) == f"{kind}Reference"
                and _is_used(attribute(reference, "type"), section, has_even=has_even)
                and (relation := self._relations.get(attribute(reference, "id"))) is not None
            )
            unrelated = (r.target for r in self._unrelated.values() if r.kind == kind)
            for name in (*names, *unrelated):
                start = len(self.out)
                # Numbers of relations hold within their part: a header has charts of its own.
                self._own_relations = relations_of(self._archive, name)
                self._children(self._text_part(name), 0)
                drop_repeated(self.out, start, seen)
        self._own_relations = self._relations

    def _block(self, element: Element, depth: int) -> None:
        """Read what stands between paragraphs, whatever holds it."""
        name = local_name(element)
        if _is_no_text(name):
            return
        if depth > DEEPEST:
            self.out.append(flat_text(element))
            return
        has_paper = self._has_paper
        match name:
            case "p":
                self._has_paper = has_paper and self._paper.is_behind(element)
                self._paragraph(element, depth)
            case "tbl":
                self._has_paper = has_paper and self._paper.is_behind(element)
                rows = inner_parts(element, {"tr"}, _is_no_text)
                self._put_table((_cells(row) for row in rows if _is_row_shown(row)), depth)
            case "AlternateContent":
                start = len(self.out)
                for alternative in element:  # the first that shows something
                    if len(self.out) == start:
                        self._children(alternative, depth)
            case "altChunk" | "chart" | "relIds" | "OLEObject":
                self._linked(name, element)
            case "r" | "oMath" | "oMathPara" | "hyperlink":  # where only blocks should be
                line, self._face = _Line(), {}
                self._inline(element, line, depth, hides=False)
                self._put(marks_as_text("".join(line.parts)), line, depth)
            case _:
                self._children(element, depth)
        self._has_paper = has_paper

    def _paragraph(self, paragraph: Element, depth: int) -> None:
        properties = child_of(paragraph, "pPr")
        named = value_of(properties, "pStyle")
        if is_off_page(frame := child_of(properties, "framePr")):
            return
        line = _Line()
        self._face = self._styles.face(named)
        hides = is_unseen(self._face, has_paper=self._has_paper)
        self._inline(paragraph, line, depth, hides=hides)
        text = marks_as_text("".join(line.parts))
        level = _outline_level(properties) or self._styles.level(named)
        sign = self._sign(properties, named, text)
        if 0 < level < BODY_LEVEL:
            text = markdown_heading(f"{sign.removeprefix(BULLET)} {text}", level)
        elif sign:
            text = f"{sign} {text}"
        if attribute(frame, "dropCap") in {"drop", "margin"} and text:
            self._initial = text.strip()  # which the next paragraph begins with
            text = ""
        elif text:
            text, self._initial = f"{self._initial}{text}", ""
        self._put(text, line, depth)

    def _sign(self, properties: Element | None, style: str, text: str) -> str:
        """Return the number of a paragraph, or the stroke of one in a list; empty for any other."""
        own = child_of(properties, "numPr")
        number, level = _place_in_list(own)
        its_number, its_level = self._styles.list_of(style)
        if number is None and level is None:
            level = self._lists.level_of(its_number or "", style)
        number = its_number if number is None else number
        level = its_level if level is None else level
        is_listed = own is not None or number is not None
        # Number 0 takes a paragraph out of the list of its style (ECMA-376, part 1, 17.9.18).
        if not is_listed or (number is not None and not number.strip("0")):
            return ""
        is_empty = not text.strip()
        end = child_of(properties, "rPr")
        # A paragraph whose end is hidden or deleted has no number; one without letters has.
        face = {**self._styles.face(style), **face_of(parts_of(end))}
        is_hidden = is_unseen(face, has_paper=False)
        if is_empty and (is_hidden or child_of(end, "del") is not None):
            return ""
        sign = self._lists.next(number or "", level or 0)
        return "" if is_empty and sign == BULLET else sign

    def _put(self, text: str, line: _Line, depth: int) -> None:
        """Add a paragraph, and behind it what hangs on it."""
        self.out += [text, *line.pictured]
        for block in line.blocks:
            self._block(block, depth + 1)

    def _inline(self, parent: Element, line: _Line, depth: int, *, hides: bool) -> None:
        """Read what stands in a line. `hides` says that letters are hidden unless they say else."""
        if depth > DEEPEST:
            line.parts.append(f" {flat_text(parent)} ")
            return
        for child in parent:
            name = local_name(child)
            if name in _UNSEEN:
                continue
            if name == "r":
                self._run(child, line, depth, hides=hides)
            elif name == "AlternateContent":
                size = line.size()
                for alternative in child:
                    if not line.shows_more(size):
                        self._inline(alternative, line, depth + 1, hides=hides)
            elif not hides:
                self._shown(name, child, line, depth)
            elif not name.endswith("Pr"):
                self._inline(child, line, depth + 1, hides=True)

    def _run(self, run: Element, line: _Line, depth: int, *, hides: bool) -> None:
        """Read letters with properties of their own."""
        properties = child_of(run, "rPr")
        start, outer = len(line.parts), self._face
        if properties is not None:
            named = self._styles.face(value_of(properties, "rStyle"))
            self._face = {**outer, **named, **face_of_run(run)}
            hides = is_unseen(self._face, has_paper=self._has_paper)
        self._inline(run, line, depth + 1, hides=hides)
        self._face = outer
        if (font := attribute(child_of(run, "rPr", "rFonts"), "ascii")) in SIGN_FONTS:
            line.parts[start:] = [letters_of_signs(font, "".join(line.parts[start:]))]
        marks = self._styles.marks(properties)
        if marks and all(local_name(child) not in _REFERENCES for child in run):
            line.parts[start:] = [with_marks("".join(line.parts[start:]), marks)]

    def _shown(self, name: str, child: Element, line: _Line, depth: int) -> None:
        if name in {"anchor", "inline"} and is_hidden_drawing(child):
            return
        if (letters := _letters(name, child)) is not None:
            line.parts.append(letters)
        elif name in _BLOCKS:
            line.blocks.append(child)
        elif name in _IN_LINE:
            line.parts.append(" ")
            self._inline(child, line, depth + 1, hides=False)
        elif name in _REFERENCES:
            self._refer(name, child, line)
        elif name == "ruby":
            # What is written above stands behind the letters that it explains, in brackets.
            for part in sorted(child, key=lambda part: local_name(part) == "rt"):
                is_above = local_name(part) == "rt"
                line.parts.append(" (" if is_above else "")
                self._shown("", part, line, depth + 1)
                line.parts.append(") " if is_above else "")
        else:
            if text := attribute(child, _ALTERNATIVE_TEXTS.get(name, "")):
                line.pictured.append(text if name == "textpath" else picture_label(text))
            if not name.endswith("Pr"):
                self._inline(child, line, depth + 1, hides=False)

    def _refer(self, name: str, reference: Element, line: _Line) -> None:
        """Write the mark of a note, and remember a comment."""
        kind, number = name.removesuffix("Reference"), attribute(reference, "id")
        if kind == "comment":
            self._comments[number] = None
        elif number in self._known_notes[kind]:
            line.parts.append(f"[^{self._number_of(kind, number)}]")

    def _number_of(self, kind: str, name: str) -> int:
        if (kind, name) not in self._notes:
            self._called.append((kind, name))
            self._notes[kind, name] = len(self._called)
        return self._notes[kind, name]

    def _linked(self, name: str, element: Element) -> None:
        """Read what has a part of its own: a file of another kind, a chart, a diagram."""
        number = attribute(element, "dm") or attribute(element, "id")
        relation = self._own_relations.get(number)
        if relation is not None and name in {"altChunk", "OLEObject"}:
            self._chunk(relation)
        elif relation is not None and relation.kind in _DRAWN:
            self.out += drawn_texts(self._archive.part(relation.target))

    def _chunk(self, relation: Relation) -> None:
        """Read a file of another kind that Word shows in its place, as itself or as a picture; each once."""
        if relation.target in self._chunks:
            return
        self._chunks.add(relation.target)
        try:
            data = self._archive.read(relation.target)
        except DAMAGE:
            data = b""
        try:
            text = self._read_chunk(relation.target, data) if self._read_chunk and data else None
        except (*DAMAGE, OtherKind):
            text = None
        if text is None:
            self._archive.unread.append(relation.target)
        else:
            self.out.append(text)


def _letters(name: str, element: Element) -> str | None:
    """Return what an element writes into a line; None for one that is no letter."""
    match name:
        case "t":
            return element.text or ""
        case "sym":
            number = attribute(element, "char")
            code = int(number, 16) if _SIGN_NUMBER.fullmatch(number) else 0
            # A control, or half of a sign, is no letter.
            letter = "" if code < ord(" ") or 0xD800 <= code < 0xE000 else chr(code)
            return letters_of_signs(attribute(element, "font"), letter)
        case "oMath":
            return _formula(element)
        case "fldChar":
            return _form_value(element)
        case _:
            return _SIGNS.get(name)


def drop_codes(part: Element) -> None:
    """Let what stands in the code of a field be no text: the result of a field within it, as in `{ IF { SEX } = "f" "Mrs" "Mr" }`."""
    texts: list[Element] = []
    codes: list[tuple[int, int]] = []
    begun: list[list[int]] = []
    for element in part.iter():
        name = local_name(element)
        if name == "t":
            texts.append(element)
        elif name == "fldChar":
            kind = attribute(element, "fldCharType")
            if kind == "begin":
                begun.append([len(texts)])
            elif begun and kind == "separate":
                begun[-1].append(len(texts))
            elif begun and kind == "end":
                # A field that has no result, or none of these marks, hides nothing.
                places = begun.pop()
                codes += [(places[0], places[1])] if len(places) > 1 else []
    done = 0
    for start, end in sorted(codes):
        for text in texts[max(start, done) : end]:
            text.text = ""
        done = max(done, end)


def _form_value(field: Element) -> str:
    """Return what a tick box or a list of a form shows, which is no text of the file; empty for other fields."""
    box = child_of(field, "ffData", "checkBox")
    if box is not None:
        checked = child_of(box, "checked")
        return "☒" if is_on(checked if checked is not None else child_of(box, "default")) else "☐"
    choices = child_of(field, "ffData", "ddList")
    if choices is None:
        return ""
    result = child_of(choices, "result")
    chosen = number_in(
        attribute(result if result is not None else child_of(choices, "default"), "val")
    )
    entries = [entry for entry in choices if local_name(entry) == "listEntry"]
    return attribute(entries[chosen], "val") if chosen < len(entries) else ""


def _formula(formula: Element, depth: int = 0) -> str:
    """Return a formula with its fractions, powers and indices as they are typed."""
    if depth > DEEPEST:
        return f" {flat_text(formula)} "
    parts: list[str] = []
    before = ""
    for child in formula:
        name = local_name(child)
        if _is_no_text(name):
            continue
        if name in {"t", "br"}:
            parts.append((child.text or "") if name == "t" else "\n")
            continue
        child_text = _structure(name, child, depth)
        # 1/(2x) is not 1/2x; an index is read as one all the same.
        is_single = child_text.isalnum() and (
            name == "sub" or child_text.isalpha() or child_text.isdigit()
        )
        if name in _GROUPED_PARTS and len(child_text) > 1 and not is_single:
            child_text = f"({child_text})"
        if not child_text.strip():
            parts.append(child_text)
            continue
        # What a sum or a function is of stands behind its limits or its name.
        is_of = local_name(formula) == "nary" or (before == "fName" and child_text[0].isalnum())
        if name == "e" and parts and (is_of or local_name(formula) in {"mr", "eqArr"}):
            child_text = f" {child_text}"
        # What follows a power or a fraction is not of it: x^2 y.
        is_apart = before in _SHAPES and parts[-1][-1:].isalnum() and child_text[:1].isalnum()
        sign = (
            " "
            if name == "den" and _mark(formula, "type") == "noBar"
            else _BEFORE_PART.get(name, "")
        )
        parts.append(f"{' ' if is_apart else ''}{sign}{child_text}")
        before = name
    return "".join(parts)


def _structure(name: str, element: Element, depth: int) -> str:
    """Return a part of a formula with the signs that only its properties have: sums, brackets, roots, accents."""
    match name:
        case "d":
            inner = [_formula(part, depth + 1) for part in element if local_name(part) == "e"]
            inside = _mark(element, "sepChr", "|").join(inner)
            return f"{_mark(element, 'begChr', '(')}{inside}{_mark(element, 'endChr', ')')}"
        case "rad":
            power, of = (
                "" if (part := child_of(element, name)) is None else _formula(part, depth + 1)
                for name in ("deg", "e")
            )
            return f"{_ROOTS[power]}({of})" if power in _ROOTS else f"({of})^(1/{power})"
        case "nary":
            return _mark(element, "chr", "∫") + _formula(element, depth + 1)
        case "acc":
            return _formula(element, depth + 1) + _mark(element, "chr", "\u0302")
        case "bar":
            line = "\u0305" if _mark(element, "pos") == "top" else "\u0332"
            return _formula(element, depth + 1) + line
        case _:
            return _formula(element, depth + 1)


def _mark(element: Element, name: str, usual: str = "") -> str:
    """Return a value among the properties of a part of a formula; one that is there without a value is none."""
    found = child_of(element, f"{local_name(element)}Pr", name)
    return attribute(found, "val") if found is not None else usual


def _is_used(kind: str, section: Element, *, has_even: bool) -> bool:
    """Whether a header of a kind is shown: that of the first page and of even ones only where they differ."""
    if kind == "first":
        return is_on(child_of(section, "titlePg"))
    return kind != "even" or has_even


def _cells(row: Element) -> Iterator[Element | None]:
    """Yield the cells of a row, and None for each further column that one spans, or that the row leaves out before them."""
    before = number_in(value_of(row, "trPr", "gridBefore"))
    yield from [None] * min(before, _MOST_COLUMNS)
    for cell in inner_parts(row, {"tc"}, _is_no_text):
        if child_of(cell, "tcPr", "cellDel") is None:
            yield cell
            span = number_in(value_of(cell, "tcPr", "gridSpan"))
            yield from [None] * (min(span, _MOST_COLUMNS) - 1)


def _is_row_shown(row: Element) -> bool:
    deleted, hidden = (child_of(row, "trPr", name) for name in ("del", "hidden"))
    return deleted is None and not is_on(hidden)


def _is_no_text(name: str) -> bool:
    # `pPr`, `rPr`, `tblPr` and their like are properties, and hold no text.
    return name in _UNSEEN or name.endswith("Pr")


BODY_LEVEL = 10
"""The outline level, counted from one, that is none."""
# Its name is the same in every language of Word; the identity is not.
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_LONGEST_CHAIN = 20


def _place_in_list(properties: Element | None) -> tuple[str | None, int | None]:
    """Return the number of a list and the level in it that the properties of a list say."""
    number, level = child_of(properties, "numId"), child_of(properties, "ilvl")
    return (
        attribute(number, "val") if number is not None else None,
        number_in(attribute(level, "val")) if level is not None else None,
    )


def _outline_level(properties: Element | None) -> int:
    """Return the level that properties of a paragraph say, from 1; 0 where they say none."""
    level = child_of(properties, "outlineLvl")
    return number_in(attribute(level, "val")) + 1 if level is not None else 0


@dataclass(frozen=True, slots=True)
class _Style:
    """A style as it is written: what it is based on, and what it says itself."""

    base: str
    level: int
    number: str | None
    list_level: int | None
    face: Face
    is_shaded: bool
    script: str | None
    is_struck: bool | None


class Styles:
    """The styles of a file by their identities: levels of headings, lists, letters that are not seen."""

    def __init__(self, styles: dict[str, _Style]) -> None:
        self._chains = {name: _chain(styles, name) for name in styles}
        self.shaded = {n for n, c in self._chains.items() if any(s.is_shaded for s in c)}

    def level(self, name: str) -> int:
        """Return the level of a heading from 1, 0 for what is none."""
        if name in self._chains:
            return next((style.level for style in self._chains[name] if style.level), 0)
        # A file without a part of styles names them all the same.
        named = _HEADING.fullmatch(name)
        return int(named[1]) if named else 0

    def list_of(self, name: str) -> tuple[str | None, int | None]:
        """Return the number of the list that a style puts its paragraphs into, and the level."""
        chain = self._chains.get(name, [])
        return _first(style.number for style in chain), _first(style.list_level for style in chain)

    def face(self, name: str) -> Face:
        """Return what a style says of whether its letters are seen."""
        chain = self._chains.get(name, [])
        return {key: value for style in reversed(chain) for key, value in style.face.items()}

    def marks(self, properties: Element | None) -> str:
        """Return whether letters with these properties are raised, lowered, struck through, as marks for `with_marks`."""
        chain = self._chains.get(value_of(properties, "rStyle"), [])
        script = _first([_script_of(properties), *(style.script for style in chain)])
        is_struck = _first([_is_struck(properties), *(style.is_struck for style in chain)])
        return (script or "") + (STRUCK_THROUGH if is_struck else "")


def _is_struck(properties: Element | None) -> bool | None:
    """Whether letters with these properties are struck through; None where they do not say it."""
    said = [line for n in ("strike", "dstrike") if (line := child_of(properties, n)) is not None]
    return any(map(is_on, said)) if said else None


def _script_of(properties: Element | None) -> str | None:
    position = child_of(properties, "vertAlign")
    return _SCRIPTS.get(attribute(position, "val"), "") if position is not None else None


def _first(values: Iterable[_T | None]) -> _T | None:
    return next((value for value in values if value is not None), None)


def _chain(styles: dict[str, _Style], name: str) -> list[_Style]:
    """Return a style, and those that it is based on."""
    chain: list[_Style] = []
    # Styles of a damaged file may be based on each other in a circle.
    while name in styles and len(chain) < _LONGEST_CHAIN:
        chain.append(styles[name])
        name = styles[name].base
    return chain


def read_styles(part: Iterable[Element]) -> Styles:
    """Return the styles of a part."""
    found: dict[str, _Style] = {}
    for style in part:
        # One without an identity is nobody's, and no base of others.
        if local_name(style) != "style" or not attribute(style, "styleId"):
            continue
        heading = _HEADING.fullmatch(value_of(style, "name"))
        level = _outline_level(child_of(style, "pPr"))
        number, list_level = _place_in_list(child_of(style, "pPr", "numPr"))
        found[attribute(style, "styleId")] = _Style(
            base=value_of(style, "basedOn"),
            level=int(heading[1]) if heading else level,
            number=number,
            list_level=list_level,
            face=face_of(parts_of(style, "rPr")),
            is_shaded=any(local_name(part) == "shd" for part in style.iter()),
            script=_script_of(child_of(style, "rPr")),
            is_struck=_is_struck(child_of(style, "rPr")),
        )
    return Styles(found)
