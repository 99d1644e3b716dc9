"""The lines of a page as they are seen, with the elements that each is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from askance.extract.markdown import tidy_line
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
    parts: list[str] = []
    elements: list[Node] = []
    # Elements, in a tuple the blocks that end there, and the texts behind elements.
    pile: list[Node | tuple[Node] | str] = [tree]
    while pile:
        at = pile.pop()
        if isinstance(at, str):
            if parts or not at.isspace():
                parts.append(at)
            continue
        if isinstance(at, tuple):
            yield from _line(parts, elements)
            around = at[0].getparent()
            parts, elements = [], [] if around is None else [around]
            continue
        if tail := at.tail:
            pile.append(tail)
        if not isinstance(tag := at.tag, str) or tag in _UNREAD:
            continue
        if tag in _BLOCKS:
            yield from _line(parts, elements)
            parts, elements = [], []
            pile.append((at,))
        elements.append(at)
        if (text := at.text) and (parts or not text.isspace()):
            parts.append(text)
        if len(at):
            pile += at[::-1]
    yield from _line(parts, elements)


def _line(parts: Sequence[str], elements: Sequence[Node]) -> Iterator[PageLine]:
    """Yield a line, if it says something."""
    text = " ".join("".join(parts).split()) if parts else ""
    if text or any(element.get("datetime") is not None for element in elements):
        yield PageLine(text, tuple(elements))


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
    return tidy_line(text or "")[:TITLE_CHARACTERS]


def words_in(text: str) -> str:
    """Return the words of a text between single spaces, without regard to case."""
    return f" {' '.join(WORD.findall(text.casefold()))} "
