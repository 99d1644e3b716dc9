"""The blocks of a page's text: paragraphs, headings, list items, tables, code, each with all of its words.

A walk over the tree, from which hidden text has been dropped, writes each block as Markdown. Whoever chooses among the
blocks chooses whole ones, so that no sentence loses a part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from askance.extract.html.code_blocks import code_in
from askance.extract.html.tree import Node, tables_around, text_of
from askance.extract.text.characters import BULLET, HAN_AND_KANA, written_number
from askance.extract.text.markdown_text import lowered, raised, struck, tidy_line, tidy_text


class BlockKind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    CAPTION = "caption"

    # That of an enum is computed in Python, each time that one is looked up.
    __hash__ = str.__hash__


@dataclass(slots=True)
class Block:
    """A block of text.

    `level` is that of a heading from 1, or the depth of a list item from 0. `element` is the innermost element
    with lines of its own that the block begins in; several blocks may begin in one. `text` has no signs of a
    heading or an item. `linked` is how many of its characters stand in links. `item` is the list item that the
    block stands in, of which only the first block is an `ITEM`, and `group` the outermost list. `sign` is what
    stands before an item: a stroke, or the number that a browser draws.
    """

    kind: BlockKind
    level: int
    element: Node
    text: str
    linked: int = 0
    item: Node | None = None
    group: Node | None = None
    sign: str = BULLET


_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6, "summary": 2}
_LISTS = frozenset({"ul", "ol", "menu", "dir", "dl"})
_ITEMS = frozenset({"li", "dt", "dd"})
_CAPTIONS = frozenset({"figcaption", "caption", "legend"})
_LINES = frozenset({
    "address", "article", "aside", "blockquote", "body", "center", "col", "colgroup", "details", "dialog", "div",
    "fieldset", "figure", "footer", "form", "frameset", "header", "hgroup", "hr", "html", "listing", "main", "nav",
    "noframes", "noscript", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "slot", "table",
    "tbody", "td", "template", "tfoot", "th", "thead", "tr", "xmp",
    *_HEADINGS, *_LISTS, *_ITEMS, *_CAPTIONS,
})  # fmt: skip
_UNREAD = frozenset({"script", "style", "template", "title"})
STRUCK = frozenset({"del", "s", "strike"})
"""Elements whose text is struck through."""
_PREFORMATTED = frozenset({"pre", "listing", "plaintext", "xmp"})
_CELLS = frozenset({"td", "th"})
_ROW_GROUPS = frozenset({"thead", "tbody", "tfoot"})
# Boxes within a line: their words stand apart from words beside them.
_BOXES = frozenset({"button", "img", "input", "picture", "svg", "video", "audio", "canvas", "iframe", "object"})  # fmt: skip
_BUTTONS = frozenset({"button", "submit", "reset"})  # kinds of `<input>` that show their value
# All others stand within a line, and nothing but their text is read.
_KNOWN = _LINES | _UNREAD | _BOXES | STRUCK | {"a", "br", "q", "rt", "sub", "sup"}

_INDENT = "  "
# Two texts of one list item stand on one line unless one of them is a paragraph by its length.
LONG_CHARACTERS = 160
_DEEPEST_ITEM = 20

# Signs of the writer's own that no parsed page has, since the parser's text has none of these controls.
_SOURCE_LINE = "\r"  # a line break of the source, which is white space
_GAP = "\x1e"  # a space, if there are words on both sides
_GAPS = re.compile(f"(?<=[^\\W_])(?<![{HAN_AND_KANA}]){_GAP}++(?=[^\\W_])(?![{HAN_AND_KANA}])")
_WITHIN_CJK = re.compile(
    f"(?<=[{HAN_AND_KANA}\u3000-\u303f\uff00-\uffef])[ \t]*+\r[ \t\r]*+(?=[{HAN_AND_KANA}\u3000-\u303f\uff00-\uffef])"
)
_STRIKE, _STRUCK_UP_TO = "\x1c", "\x1d"
_STRUCK_TEXT = re.compile(f"{_STRIKE}([^{_STRIKE}{_STRUCK_UP_TO}]*+){_STRUCK_UP_TO}")
_ITEM_IN_CELL = "\x1f"
_CONTROLS = re.compile("[\x1c-\x1f\r]")
_NEAR = 40  # characters
_INTEGER = re.compile(r"\s*[-+]?[0-9]{1,9}\s*")
_UNNUMBERED = re.compile(
    r"list-style(?:-type)?\s*:\s*[^;]{0,40}\bnone|unstyled|no-?(?:bullet|number|style|marker)|list-none|breadcrumb",
    re.IGNORECASE,
)
_OWN_NUMBER = re.compile(
    r"\W{0,3}\d{1,4}(?:[.):\]]|\s*[-\u2013\u2014])(?!\d)|[(\[]?[a-zA-Z]\)|[ivxIVX]{1,5}[.)]\s|\W{0,3}#\d"
)
_ENDS_CLAUSE = (":", ";", ",", ".", "!", "?", "\u3002", "\uff1a")


def blocks_of(tree: Node) -> list[Block]:
    """Return all blocks that a page shows, in their order. Takes time in proportion to the page."""
    return _Writer(tree).write(tree)


def markdown_of(blocks: Sequence[Block]) -> str:
    """Return blocks as Markdown: blank lines between them, but none between the items of a list."""
    parts: list[str] = []
    before: Block | None = None
    for block in blocks:
        if before is not None:
            parts.append(_joint(before, block))
        parts.append(_written(block))
        before = block
    return "".join(parts)


def _written(block: Block) -> str:
    match block.kind:
        case BlockKind.HEADING:
            return f"{'#' * block.level} {block.text}"
        case BlockKind.ITEM:
            # Where a site writes the numbers itself, it has switched off those of the browser.
            sign = BULLET if _OWN_NUMBER.match(block.text) else block.sign
            return f"{_INDENT * min(block.level, _DEEPEST_ITEM)}{sign} {block.text}"
        case _:
            return block.text


def _joint(before: Block, block: Block) -> str:
    if (
        block.kind is BlockKind.ITEM
        and before.group is block.group
        and before.kind is not BlockKind.CODE
    ):
        return "\n"
    if (
        block.item is not None
        and before.item is block.item
        and {before.kind, block.kind} <= {BlockKind.ITEM, BlockKind.PARAGRAPH}
    ):
        return " " if max(len(before.text), len(block.text)) < LONG_CHARACTERS else "\n\n"
    return "\n\n"


class _Context(NamedTuple):
    """What holds for the text of an element."""

    block: Node
    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    depth: int = -1  # of lists
    item: Node | None = None
    group: Node | None = None
    link: Node | None = None
    in_table: bool = False
    in_cell: bool = False
    is_preformatted: bool = False
    is_linked: bool = False
    is_struck: bool = False


# What has to be done at the end of an element, and what held around it; for one within a line, its place in the parts
# of the block, as many blocks ended before, or -1. A plain tuple: a page has hundreds of thousands.
_Return = tuple[Node, _Context, int, int]


class _Writer:
    """Writes the blocks of one page."""

    def __init__(self, tree: Node) -> None:
        self._context: _Context = _Context(tree)
        self._code = code_in(tree)
        self._tables = data_tables(tree)
        self._blocks: list[Block] = []
        self._parts: list[str] = []
        self._linked = 0
        self._ended = 0
        self._rows = TableRows()
        self._begun: set[Node] = set()  # list items whose sign has been written
        # Of an ordered list: the number of the next item, the step to the one after it, and how it is written.
        self._numbers: dict[Node, tuple[int, int, str | None]] = {}
        self._signs: dict[Node, str] = {}  # of list items that have a number

    def write(self, tree: Node) -> list[Block]:
        # Elements, what is to be done at their ends, and the texts behind them.
        # A pile in place of recursion: what is nested 500 deep would come near Python's own limit.
        pile: list[Node | _Return | str] = [tree]
        while pile:
            at = pile.pop()
            if isinstance(at, str):
                self._text(at)
                continue
            if isinstance(at, tuple):
                self._leave(at)
                continue
            if tail := at.tail:
                pile.append(tail)
            if not isinstance(tag := at.tag, str):
                continue
            # Most elements have no lines of their own, and nothing is to be done at their ends.
            if tag in _KNOWN or at in self._code:
                back = self._enter(at, tag)
                if back is None:
                    continue
                pile.append(back)
            if text := at.text:
                self._text(text)
            if len(at):
                pile += at[::-1]
        self._end()
        return self._blocks

    def _text(self, text: str) -> None:
        if not text.isprintable():
            if not self._parts and text.isspace():
                return
            # The writer's own signs are controls; a page's would be taken for them.
            text = _CONTROLS.sub(" ", text)
            if not self._context.is_preformatted:
                text = text.replace("\n", _SOURCE_LINE)
        self._parts.append(text)
        if self._context.is_linked:
            self._linked += len(text.strip())

    def _enter(self, node: Node, tag: str) -> _Return | None:
        """Begin an element; None for one in which nothing is read."""
        context = self._context
        if (code := self._code.get(node)) is not None:
            self._add_code(node, code)
            return None
        if tag in _UNREAD:
            return None
        if tag == "br":
            self._parts.append("\n")
            return None
        if tag not in _LINES:
            return self._enter_inline(node, tag)
        back = node, context, -1, -1
        if context.in_cell or context.kind is BlockKind.HEADING:
            self._parts.append(_ITEM_IN_CELL if tag in _ITEMS and context.in_cell else " ")
            return back
        if context.in_table and tag not in _CAPTIONS:
            if tag in _CELLS:
                if self._parts:
                    self._end_cell()
                self._context = context._replace(in_cell=True)
            return back
        if self._parts:
            self._end()
        self._context = self._within(node, tag)
        return back

    def _within(self, node: Node, tag: str) -> _Context:
        # All at once: to replace one field of a tuple after another takes several times as long.
        _, kind, level, depth, item, group, link, _, *others = self._context
        in_table = False
        if tag in _LISTS:
            group = group if group is not None else node
            depth += 1
        elif tag in _ITEMS:
            kind, level, item = BlockKind.PARAGRAPH, max(depth, 0) + (tag == "dd"), node
            above = node.getparent()
            if tag == "li" and above is not None and above.tag == "ol":
                self._number(node, above)
        elif tag == "blockquote":
            kind = BlockKind.QUOTE
        elif tag in _CAPTIONS:
            kind = BlockKind.CAPTION
        elif tag in _PREFORMATTED:
            return self._context._replace(block=node, in_table=False, is_preformatted=True)
        elif node in self._tables:
            in_table = True
        elif own_level := _HEADINGS.get(tag):
            kind, level = BlockKind.HEADING, own_level
        return _Context(node, kind, level, depth, item, group, link, in_table, *others)

    def _number(self, item: Node, ordered: Node) -> None:
        """Count an item of an ordered list, as HTML does (section 4.4.5 and 4.4.8 of its standard)."""
        if (known := self._numbers.get(ordered)) is None:
            step = -1 if ordered.get("reversed") is not None else 1
            first = _integer(ordered.get("start"))
            # A reversed list counts down from the number of its items.
            if first is None:
                first = sum(child.tag == "li" for child in ordered) if step < 0 else 1
            look = f"{ordered.get('class', '')} {ordered.get('style', '')}"
            known = first, step, None if _UNNUMBERED.search(look) else ordered.get("type", "")
        number, step, kind = known
        if (own := _integer(item.get("value"))) is not None:
            number = own
        self._numbers[ordered] = number + step, step, kind
        if kind is not None:
            kind = item.get("type") or kind
            self._signs[item] = f"{(kind and written_number(kind, number)) or number}."

    def _enter_inline(self, node: Node, tag: str) -> _Return | None:
        context = self._context
        back = node, context, len(self._parts), self._ended
        if tag in _BOXES:
            self._parts.append(_GAP)
            if tag == "input" and node.get("type", "").strip().lower() in _BUTTONS:
                self._parts.append(_CONTROLS.sub(" ", node.get("value", "")))
        elif tag == "a":
            is_linked = node.get("href") is not None
            self._context = context._replace(link=node, is_linked=is_linked)
        elif tag in STRUCK and not context.is_struck:
            self._parts.append(_STRIKE)
            self._context = context._replace(is_struck=True)
        elif tag == "q":
            self._parts.append('"')
        elif tag == "rt" and text_of(node).strip():
            self._parts.append("(")
        return back

    def _leave(self, back: _Return) -> None:
        node, outer, place, ended = back
        if place < 0:
            self._leave_line(node, outer)
        else:
            self._leave_inline(node, outer, place, ended)
        self._context = outer

    def _leave_inline(self, node: Node, outer: _Context, place: int, ended: int) -> None:
        tag = node.tag
        if tag in _BOXES:
            self._parts.append(_GAP)
        elif tag in STRUCK and not outer.is_struck:
            self._parts.append(_STRUCK_UP_TO)
        elif tag == "q":
            self._parts.append('"')
        elif tag == "rt" and text_of(node).strip():
            self._parts.append(")")
        # Where a block has ended within, its parts are gone, and there is nothing to write anew.
        elif tag in {"sup", "sub"} and self._ended == ended:
            text = " ".join("".join(self._parts[place:]).split())
            del self._parts[place:]
            before, after = _last_of(self._parts), (node.tail or "")[:_NEAR]
            if tag == "sub":
                self._parts.append(lowered(before, text, after))
            else:
                links = [outer.link, *node.iter("a")]
                # `href="#"` alone is a button.
                is_note = any(
                    link is not None and "#" in link.get("href", "")[:-1] for link in links
                )
                self._parts.append(
                    raised(before, text, after, is_note=is_note, index=_index_before(node))
                )

    def _leave_line(self, node: Node, outer: _Context) -> None:
        if outer.in_cell or outer.kind is BlockKind.HEADING:
            self._parts.append(_ITEM_IN_CELL if node.tag in _LISTS and outer.in_cell else " ")
        elif outer.in_table and node.tag not in _CAPTIONS:
            self._end_cell(node if node.tag in _CELLS else None)
            if node.tag == "tr":
                self._rows.end_row()
            elif node.tag in _ROW_GROUPS:
                self._rows.end_group()
        elif node in self._tables:
            self._end_cell()
            self._end_rows(node)
        elif self._parts:
            self._end()

    def _add_code(self, node: Node, code: str) -> None:
        context = self._context
        if context.in_cell or context.in_table:
            self._end_cell()
            self._end_rows(context.block)
        else:
            self._end()
        if context.item is not None:
            self._begun.add(context.item)
        self._blocks.append(Block(BlockKind.CODE, 0, node, code, 0, context.item, context.group))

    def _end_cell(self, cell: Node | None = None) -> None:
        """End a cell, or what stands in a table beside its cells."""
        if not self._parts:
            if cell is not None:
                self._rows.add("", cell)
            return
        text = self._take()
        if _ITEM_IN_CELL in text:
            parts = filter(None, map(tidy_line, text.split(_ITEM_IN_CELL)))
            text = next(parts, "")
            for part in parts:
                # A list in a cell is one line with the row, so that its items are parted by signs.
                text += f"{' ' if text.endswith(_ENDS_CLAUSE) else '; '}{part}"
        else:
            text = tidy_line(text)
        if text or cell is not None:
            self._rows.add(text, cell)

    def _end_rows(self, table: Node) -> None:
        self._rows.end_row()
        if text := self._rows.take():
            context = self._context
            self._blocks.append(
                Block(BlockKind.TABLE, 0, table, text, self._linked, context.item, context.group)
            )
        self._linked = 0

    def _end(self) -> None:
        """End a block: what has been read since the last one is one, or several parted by empty lines."""
        if not self._parts:
            return
        self._ended += 1
        context = self._context
        whole = tidy_text(self._take())
        linked, self._linked = self._linked, 0
        if not whole:
            return
        kind, level, item = context.kind, context.level, context.item
        sign = BULLET if item is None else self._signs.get(item, BULLET)
        for text in [whole] if kind is BlockKind.HEADING else whole.split("\n\n"):
            if item is not None:
                if context.kind is BlockKind.PARAGRAPH or context.kind is BlockKind.QUOTE:
                    kind = BlockKind.PARAGRAPH if item in self._begun else BlockKind.ITEM
                self._begun.add(item)
            is_line = item is not None or kind is BlockKind.HEADING
            line = " ".join(text.split()) if is_line and "\n" in text else text
            # How much of each part is linked is not known, only of the whole.
            share = linked and linked * len(text) // len(whole)
            self._blocks.append(
                Block(kind, level, context.block, line, share, item, context.group, sign)
            )

    def _take(self) -> str:
        text = "".join(self._parts)
        self._parts.clear()
        if self._context.is_struck:  # its end is in a later block
            text = f"{text}{_STRUCK_UP_TO}"
            self._parts.append(_STRIKE)
        if not text or text.isspace():
            return ""
        if _STRIKE in text:
            text = _STRUCK_TEXT.sub(struck, text)
        if _GAP in text:
            text = _GAPS.sub(" ", text).replace(_GAP, "")
        # Chinese and Japanese have no spaces, and editors break their lines anywhere.
        if _SOURCE_LINE in text:
            text = _WITHIN_CJK.sub("", text).replace(_SOURCE_LINE, " ")
        return text


def _integer(attribute: str | None) -> int | None:
    return int(attribute) if attribute and _INTEGER.fullmatch(attribute) else None


def _index_before(node: Node) -> str:
    """Return the lowered text that ends right before an element; empty where there is none."""
    before = node.getprevious()
    is_index = before is not None and before.tag == "sub" and not (before.tail or "").strip()
    return text_of(before).strip() if before is not None and is_index else ""


def _last_of(parts: list[str]) -> str:
    """Return the last characters of what has been read."""
    found = ""
    for part in reversed(parts):
        found = f"{part[-_NEAR:]}{found}"
        if len(found) >= _NEAR:
            break
    return found.replace(_GAP, "")


# Which tables of a page hold data, and which only lay it out; and the rows of those that hold some.

# A table with one of these in a cell lays out a page, or a part of it.
_LAYOUT = ("h1", "h2", "h3", "h4", "h5", "h6", "article", "section", "main", "nav", "form", "table")
_LAYOUT_ROLES = frozenset({"presentation", "none"})
# A cell that spans rows is repeated in each of them up to this length; of a longer one the place is left empty.
_LONGEST_LABEL = 80
# A page may say that each of its cells spans all rows.
_MOST_COLUMNS = 60
_MOST_REPEATED = 5_000
_SPAN = re.compile(r"\s*\+?[0-9]{1,5}")


def data_tables(tree: Node) -> set[Node]:
    """Return the tables whose rows are read as rows. None of them stands in another table."""
    tables = list(tree.iter("table"))
    around = tables_around(tables)
    return {table for table in tables if table not in around and _is_data(table)}


def _is_data(table: Node) -> bool:
    if table.get("role", "").strip().lower() in _LAYOUT_ROLES:
        return False
    if any(element is not table for element in table.iter(*_LAYOUT)):
        return False
    return any(sum(cell.tag in _CELLS for cell in row) > 1 for row in table.iter("tr"))


class TableRows:
    """Writes the rows of one table after another, each on a line, with each cell below the head of its column."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._cells: list[str] = []
        self._has_text = False  # of its own
        self._covered = 0  # columns behind the last cell that it covers, too
        # By column: in how many rows a cell of an earlier row still stands, from this one and from the next one on.
        self._from_here: dict[int, tuple[int, str]] = {}
        self._from_next: dict[int, tuple[int, str]] = {}
        self._repeated = 0

    def add(self, text: str, cell: Node | None = None) -> None:
        """Add what stands in a cell of the row, or beside its cells."""
        self._cells += [""] * self._covered
        self._repeat()
        columns, rows = (
            (_span(cell, "colspan"), _span(cell, "rowspan")) if cell is not None else (1, 1)
        )
        self._covered = min(columns, _MOST_COLUMNS) - 1
        column = len(self._cells)
        if rows > 1 and column + columns <= _MOST_COLUMNS:
            label = text if len(text) <= _LONGEST_LABEL else ""
            self._from_next[column] = rows - 1, label
            self._from_next |= {column + i: (rows - 1, "") for i in range(1, columns)}
        self._cells.append(text)
        self._has_text = self._has_text or bool(text)

    def end_row(self) -> None:
        """End a row; it is one if any cell of its own has text."""
        if self._from_here:
            self._cells += [""] * self._covered
            self._repeat()
            self._from_next |= {
                column: (rows - 1, text)
                for column, (rows, text) in self._from_here.items()
                if rows > 1
            }
        if self._has_text:
            self._lines.append(f"| {' | '.join(self._cells)} |")
        self._from_here, self._from_next = self._from_next, {}
        self._cells.clear()
        self._covered, self._has_text = 0, False

    def end_group(self) -> None:
        """End a head, a body or a foot, which no cell reaches beyond."""
        self._from_here.clear()

    def take(self) -> str:
        """Return the rows since the last time."""
        text = "\n".join(self._lines)
        self._lines.clear()
        self._from_here.clear()
        return text

    def _repeat(self) -> None:
        while (above := self._from_here.pop(len(self._cells), None)) is not None:
            rows, text = above
            self._repeated += 1
            # A table of cells that all span everything would fill the memory with their repeats.
            if self._repeated > _MOST_REPEATED:
                self._from_here.clear()
                return
            if rows > 1:
                self._from_next[len(self._cells)] = rows - 1, text
            self._cells.append(text)


def _span(cell: Node, name: str) -> int:
    value = cell.get(name)
    found = _SPAN.match(value) if value else None
    # In HTML `rowspan="0"` means all rows of the group; here it is one.
    return max(int(found[0]), 1) if found else 1
