"""A page's element tree, as this package sees it, and the parser that builds it."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any, Protocol, cast

# lxml is written in Cython and has no types; `Node` is all of it that is used here.
from lxml import etree, html  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from askance.extract.wrappers import keep_wrappers


class Node(Protocol):
    """An element; its tag is a string unless it is a comment. `tail` is the text between its end and the next element."""

    tag: object
    text: str | None
    tail: str | None
    attrib: MutableMapping[str, str]

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the children."""
        ...

    def iter(self, *tags: str) -> Iterator[Node]:
        """Iterate over the element and all below it, in document order."""
        ...

    def itertext(self) -> Iterator[str]:
        """Iterate over all text below, in document order."""
        ...

    def getparent(self) -> Node | None:
        """Return the parent, or None for the root."""
        ...

    def getnext(self) -> Node | None:
        """Return the next element of the same parent, or None."""
        ...

    def addprevious(self, element: Node) -> None:
        """Put an element before this one, with its tail."""
        ...

    def drop_tree(self) -> None:
        """Take the element and all below it out of its tree; its tail stays."""
        ...


_etree, _html = cast("Any", etree), cast("Any", html)
TreeError = cast("type[Exception]", _etree.LxmlError)
_EmptyDocument = cast("type[Exception]", _etree.ParserError)


def parse_tree(text: str) -> Node | None:
    """Parse a page; None if there is nothing in it.

    Comments and processing instructions are left out. Elements stay open as long as in browsers. The parser stops at 256 levels of nesting,
    so that no page can overflow a stack.

    Raises:
        TreeError: the text cannot be parsed at all.
    """
    parser = _html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    source, prefix = keep_wrappers(text.replace("\0", ""))
    try:
        tree = cast(
            "Node", _html.document_fromstring(source.encode("utf-8", "ignore"), parser=parser)
        )
    except _EmptyDocument:
        return None
    if prefix in source:
        for element in tree.iter():
            if isinstance(element.tag, str):
                element.tag = element.tag.removeprefix(prefix)
    return tree


def text_of(node: Node) -> str:
    """Return all text below an element."""
    return "".join(node.itertext())
