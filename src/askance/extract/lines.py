"""The lines of a page as they are seen, with the elements that each is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from askance.extract.markdown import tidy_text
from askance.extract.tree import Node

# A title is a line; longer ones are texts that someone put there.
TITLE_CHARACTERS = 300
WORD = re.compile(r"\w+")
_NEAR_LEVELS = 5
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main",
    "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_UNREAD = frozenset({"script", "style", "title", "template", "noscript"})
# Data of the thing that the page is about, and what leads to other pages.
_TOPICS = re.compile(
    r"infobox|vcard|vevent|bday|dtstart|factbox|(?:^|[\s_-])(?:sidebar|related|widget|comments?|calendar)(?:$|[\s_-])",
    re.IGNORECASE,
)


class PageLine(NamedTuple):
    """A line as it is seen, and the elements that it is made of."""

    text: str
    elements: tuple[Node, ...]


def lines_of(tree: Node) -> Iterator[PageLine]:
    """Yield the lines that a page shows, with the inline elements of each, and the block around it first."""
    writer = _Writer()
    pile: list[Node | None] = [tree]
    opened: list[Node] = []  # those whose ends are the empty places of the pile
    while pile:
        node = pile.pop()
        if node is None:
            node = opened.pop()
            if node.tag in _BLOCKS and (line := writer.end(node.getparent())):
                yield line
        elif not isinstance(node.tag, str):
            continue
        elif node.tag not in _UNREAD:
            if node.tag in _BLOCKS:
                if line := writer.end(node):
                    yield line
            else:
                writer.add(node)
            writer.write(node.text)
            opened.append(node)
            pile.append(None)
            if len(node):
                pile += node[::-1]
            continue
        writer.write(node.tail)
    if line := writer.end(None):
        yield line


class _Writer:
    def __init__(self) -> None:
        self._parts: list[str] = []
        self._elements: list[Node] = []

    def add(self, node: Node) -> None:
        """Take an element for a part of the line."""
        self._elements.append(node)

    def write(self, text: str | None) -> None:
        if text and (self._parts or not text.isspace()):
            self._parts.append(text)

    def end(self, block: Node | None) -> PageLine | None:
        """End a line and return it, if it says something; the next one begins in a block."""
        text, line = "", None
        if self._parts:
            text = " ".join("".join(self._parts).split())
            self._parts.clear()
        if text or any(element.get("datetime") is not None for element in self._elements):
            line = PageLine(text, tuple(self._elements))
        self._elements = [block] if block is not None else []
        return line


def names_of(element: Node) -> str:
    """Return the classes, the id and the item property of an element."""
    get = element.get
    return f"{get('class', '')} {get('id', '')} {get('itemprop', '')}"


def is_of_topic(element: Node) -> bool:
    """Whether an element stands in a table of facts, or in what leads to other pages."""
    inner: Node | None = element
    for _ in range(_NEAR_LEVELS):
        if inner is None or inner.tag in {"body", "main", "article"}:
            return False
        if _TOPICS.search(names_of(inner)) or inner.tag == "nav":
            return True
        inner = inner.getparent()
    return False


def line_in(text: str | None) -> str:
    """Return a text as one line, of a title's length at most."""
    return " ".join(tidy_text(text or "").split())[:TITLE_CHARACTERS]


def words_in(text: str) -> str:
    """Return the words of a text between single spaces, without regard to case."""
    return f" {' '.join(WORD.findall(text.casefold()))} "
