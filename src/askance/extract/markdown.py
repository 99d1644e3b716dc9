"""Plain Markdown from the tree that the extractor leaves: blocks apart, no links, no images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from askance.extract.text import strip_invisible

if TYPE_CHECKING:
    from askance.extract.tree import Node  # the library reads notes without a parser of pages

_BLOCKS = frozenset({
    "p", "head", "list", "item", "table", "row", "quote", "div", "body", "main", "section",
    "article", "fw", "ab", "figure", "figcaption",
})  # fmt: skip
_SPACES = re.compile(r"[^\S\n]+")
_LINE_EDGES = re.compile(r" ?\n ?")
_BLANK_LINES = re.compile(r"\n{3,}")
_IMAGE = re.compile(r"!\[([^\[\]\n]*)\]\([^()\n]*\)")
# Printable, or the extractor takes it out; in no alphabet, so that no page has it by itself.
PARAGRAPH_MARK = "\u204b\u204b\u204b"
_MARKED = re.compile(rf"(?:(?<!\s)\s++)?+{PARAGRAPH_MARK}\s*+")
_DEEPEST_HEADING = 6
_INDENT = "  "
_FENCE = re.compile(r"([ \t>]{0,8})(`{3,}+|~{3,}+)([^`\n]*)$")
FENCES = ("```", "~~~")
"""With which a block of code begins that stands between fences."""
_TICKS = re.compile("`{3,}+")
_CODE_INDENTS = ("    ", "\t")
_ITEM = re.compile(r"[ \t>]{0,8}(?:[-+*]|\d{1,9}[.)])[ \t]")


def markdown_of(body: Node) -> str:
    """Return the text of an extractor's tree as Markdown.

    Blocks stand apart by blank lines, headings begin with `#`, list items and table rows have
    their own lines, preformatted code stands between fences.
    """
    return "\n\n".join(block for block in _blocks(body) if block.strip())


def tidy_text(text: str) -> str:
    """Return a text with its white space in order, and without invisible characters or images."""
    spaced = _SPACES.sub(" ", strip_invisible(_IMAGE.sub(r"\1", text)))
    parted = _MARKED.sub("\n\n", _LINE_EDGES.sub("\n", spaced))
    return _BLANK_LINES.sub("\n\n", parted).strip()


def fenced(code: str, syntax: str = "") -> str:
    """Return code between fences that it does not hold itself, with its language if that is known."""
    longest = max((len(mark) for mark in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{syntax}\n{code}\n{fence}"


def code_apart(text: str) -> Iterator[tuple[bool, str]]:
    """Yield a Markdown text in parts: blocks of code to the letter, and what is between them.

    Code stands between fences, or is indented outside of a list. What is between fences that stand further
    in, as in a list, loses as much of its indentation.
    """
    lines: list[str] = []
    fence = indent = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[2].startswith(fence) and not mark[3].strip():
                yield True, "\n".join([*lines, line.strip(" \t>")])
                lines, fence = [], ""
            else:
                lines.append(_outdented(line, indent).rstrip())
        elif mark:
            yield from _indented_apart(lines)
            lines, fence, indent = [line.strip(" \t>")], mark[2], mark[1]
        else:
            lines.append(line)
    if fence:
        yield True, "\n".join(lines).rstrip()
    else:
        yield from _indented_apart(lines)


def _outdented(line: str, indent: str) -> str:
    """Return a line of code without what stands before its fence, too, or so much of that as it has."""
    same = next(
        (i for i, (a, b) in enumerate(zip(line, indent, strict=False)) if a != b), len(indent)
    )
    return line[same:]


def _indented_apart(lines: list[str]) -> Iterator[tuple[bool, str]]:
    gathered: list[str] = []
    is_code = in_list = False
    for line in lines:
        if line.strip():
            begins = not in_list and not (gathered and gathered[-1].strip())
            now = line.startswith(_CODE_INDENTS) and (is_code or begins)
            if now is not is_code:
                yield is_code, "\n".join(gathered).rstrip()
                gathered, is_code = [], now
            in_list = bool(_ITEM.match(line)) or (in_list and line[0] in " \t")
        gathered.append(line.rstrip() if is_code else line)
    yield is_code, "\n".join(gathered).rstrip()


def _blocks(element: Node) -> Iterator[str]:
    """Yield the blocks of a container; the inline content between blocks is a block of its own."""
    inline: list[str] = [_flat(element.text)]
    for child in element:
        if _is_block(child):
            yield _close(inline)
            yield from _block(child)
        else:
            inline.append(_inline(child))
        inline.append(_flat(child.tail))
    yield _close(inline)


def _block(element: Node) -> Iterator[str]:
    match element.tag:
        case "head":
            if text := _one_line(element):
                yield f"{'#' * _heading_level(element)} {text}"
        case "list":
            yield "\n".join(_items(element, 0))
        case "table":
            yield from _table(element)
        case "row":
            yield _row(element)
        case "code":
            if text := strip_invisible("".join(element.itertext())).strip("\n"):
                yield fenced(text)
        case _:
            yield from _blocks(element)


def _is_block(element: Node) -> bool:
    if element.tag == "code":
        return any("\n" in text for text in element.itertext())
    return element.tag in _BLOCKS


def _inline(element: Node) -> str:
    if element.tag == "lb":
        return "\n"
    if element.tag == "graphic" or not isinstance(element.tag, str):
        return ""
    parts = [_flat(element.text)]
    for child in element:
        gap = " " if _is_block(child) else ""
        parts += [gap, _inline(child), gap, _flat(child.tail)]
    return "".join(parts)


def _items(element: Node, depth: int) -> Iterator[str]:
    if text := _joined([_flat(element.text)]):
        yield f"{_INDENT * depth}- {text}"
    for item in element:
        if item.tag == "list":
            yield from _items(item, depth + 1)
            continue
        parts, nested = [_flat(item.text)], list[str]()
        for child in item:
            if child.tag == "list":
                nested += _items(child, depth + 1)
            else:
                parts += [" ", _inline(child), " "] if _is_block(child) else [_inline(child)]
            parts.append(_flat(child.tail))
        if text := _joined(parts):
            yield f"{_INDENT * depth}- {text}"
        yield from nested
        if text := _joined([_flat(item.tail)]):
            yield f"{_INDENT * depth}- {text}"


def _table(element: Node) -> Iterator[str]:
    """Yield the blocks of a table. Pages have paragraphs between its rows, too, or nothing else."""
    rows: list[str] = []
    inline: list[str] = [_flat(element.text)]
    for child in element:
        if child.tag == "row" and not "".join(inline).strip():
            rows.append(_row(child))
        else:
            yield "\n".join(filter(None, rows))
            rows.clear()
            if _is_block(child):
                yield _close(inline)
                yield from _block(child)
            else:
                inline.append(_inline(child))
        inline.append(_flat(child.tail))
    yield "\n".join(filter(None, rows))
    yield _close(inline)


def _row(element: Node) -> str:
    parts = [element.text or ""]
    for child in element:
        parts += [_one_line(child), child.tail or ""]
    cells = [_joined([part]).replace("|", "/") for part in parts]
    # Between two cells there is nothing, as a rule; a cell may be empty.
    shown = [cell for i, cell in enumerate(cells) if cell or i % 2]
    return f"| {' | '.join(shown)} |" if any(shown) else ""


def _heading_level(element: Node) -> int:
    digits = re.sub(r"\D", "", element.attrib.get("rend", ""))
    return min(max(int(digits or 2), 1), _DEEPEST_HEADING)


def _flat(text: str | None) -> str:
    """Line breaks in the source are spaces; only `lb` breaks a line."""
    return " ".join(text.split("\n")) if text else ""


def _close(inline: list[str]) -> str:
    text = tidy_text("".join(inline))
    inline.clear()
    return text


def _joined(parts: list[str]) -> str:
    return " ".join(tidy_text("".join(parts)).split())


def _one_line(element: Node) -> str:
    return _joined([_inline(element)])
