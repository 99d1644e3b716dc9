"""The Markdown that the sample pages are written in: headings, paragraphs, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import assert_never

_HEADING = re.compile(r"(#{1,3}) (.+)")
_ITEM = re.compile(r"(?:-|\d+\.) (.+)")
_RULE_CELL = re.compile(r":?-{3,}:?")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ITALIC = re.compile(r"\*(.+?)\*")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 3."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A numbered or a plain list."""

    ordered: bool
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `header` holds empty cells where the columns have no names."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Paragraph | Listing | Table


def parse_blocks(source: str) -> Iterator[Block]:
    """Split a text at its blank lines and say what each part is."""
    numbered = enumerate(source.splitlines())
    for blank, group in groupby(numbered, key=lambda row: not row[1].strip()):
        if not blank:
            yield _block([line.strip() for _, line in group])


def render_html(source: str) -> str:
    """Return a text as HTML, one block element a line."""
    return "\n".join(_element(block) for block in parse_blocks(source))


def plain_text(source: str) -> str:
    """Return a text without its marks: a line for each item and row, a blank line between blocks."""
    return "\n\n".join(_unmarked(block) for block in parse_blocks(source))


def _block(lines: list[str]) -> Block:
    if heading := _HEADING.fullmatch(lines[0]):
        return Heading(len(heading[1]), heading[2])
    if lines[0].startswith("|"):
        header, *rows = [_cells(line) for line in lines]
        return Table(header, tuple(row for row in rows if not all(map(_RULE_CELL.fullmatch, row))))
    items = [_ITEM.fullmatch(line) for line in lines]
    if all(items):
        return Listing(not lines[0].startswith("-"), tuple(item[1] for item in items if item))
    return Paragraph(" ".join(lines))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip("|").split("|"))


def _element(block: Block) -> str:
    match block:
        case Heading(level=level, text=text):
            return f"<h{level}>{_inline(text)}</h{level}>"
        case Paragraph(text=text):
            return f"<p>{_inline(text)}</p>"
        case Listing(ordered=ordered, items=items):
            tag = "ol" if ordered else "ul"
            return f"<{tag}>{''.join(f'<li>{_inline(item)}</li>' for item in items)}</{tag}>"
        case Table(header=header, rows=rows):
            head = f"<thead>{_row(header, 'th')}</thead>" if any(header) else ""
            body = "".join(_row(row, "td") for row in rows)
            return f"<table>{head}<tbody>{body}</tbody></table>"
        case _:
            assert_never(block)


def _row(cells: tuple[str, ...], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{_inline(cell)}</{tag}>' for cell in cells)}</tr>"


def _inline(text: str) -> str:
    return _marked(escape(text, quote=False), lambda tag, inner: f"<{tag}>{inner}</{tag}>")


def _unmarked(block: Block) -> str:
    match block:
        case Heading(text=text) | Paragraph(text=text):
            lines = [text]
        case Listing(items=items):
            lines = list(items)
        case Table(header=header, rows=rows):
            lines = [", ".join(filter(None, row)) for row in (header, *rows) if any(row)]
        case _:
            assert_never(block)
    return _marked("\n".join(lines), lambda _, inner: inner)


def _marked(text: str, wrap: Callable[[str, str], str]) -> str:
    text = _BOLD.sub(lambda found: wrap("strong", found[1]), text)
    return _ITALIC.sub(lambda found: wrap("em", found[1]), text)
