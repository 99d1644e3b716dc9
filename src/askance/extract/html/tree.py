"""Trees of pages, and of XML that is often not well-formed; and the parsers that build them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MutableMapping
from html import escape
from html.entities import html5
from typing import Any, Protocol, cast, overload

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from askance.extract.html.tag_soup import mark_wrappers

# What no text of a tree may have; the signs of a line's end stay.
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_CONTROL_REFERENCE = re.compile(
    r"&#(?:[xX]0{0,9}(?P<hex>[01]?[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F]|[fF]{3}[eEfF])"
    r"|0{0,9}(?P<decimal>[12]?\d|3[01]|12[789]|1[345]\d|6553[45]))(?![0-9a-fA-F]);?"
)
_WHITE_SPACE = frozenset(b"\t\n\f")
_C1 = range(0x80, 0xA0)
_NO_CHARACTERS = frozenset({0x7F, 0xFFFE, 0xFFFF})
_etree = cast("Any", etree)
_braced = _etree.XPath("//*[@*[starts-with(name(), '{')]]")
_NO_MEMORY = 2  # libxml2's number for it (XML_ERR_NO_MEMORY); its text says "unknown error"
TreeError = cast("type[Exception]", _etree.LxmlError)


class Node(Protocol):
    """An element; its tag is a string unless it is a comment.

    `tail` is the text between its end and the next element. lxml is written in Cython and has no
    types: this is all of it that is used here.
    """

    tag: object
    text: str | None
    tail: str | None
    attrib: MutableMapping[str, str]

    def __iter__(self) -> Iterator[Node]:
        """Iterate over the children."""
        ...

    def __len__(self) -> int:
        """Return how many children there are."""
        ...

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> list[Node]: ...
    def __getitem__(self, index: int | slice) -> Node | list[Node]:
        """Return a child, or some of them."""
        ...

    def iter(self, *tags: str) -> Iterator[Node]:
        """Iterate over the element and all below it, in document order."""
        ...

    def itertext(self) -> Iterator[str]:
        """Iterate over all text below, in document order."""
        ...

    @overload
    def get(self, name: str) -> str | None: ...
    @overload
    def get(self, name: str, default: str) -> str: ...
    def get(self, name: str, default: str | None = None) -> str | None:
        """Return an attribute: faster than `attrib.get`."""
        ...

    def items(self) -> list[tuple[str, str]]:
        """Return the attributes with their values, all at once."""
        ...

    def getparent(self) -> Node | None:
        """Return the parent, or None for the root."""
        ...

    def getnext(self) -> Node | None:
        """Return the next element of the same parent, or None."""
        ...

    def getprevious(self) -> Node | None:
        """Return the element before it of the same parent, or None."""
        ...

    def append(self, element: Node) -> None:
        """Put an element behind the last child, with its tail."""
        ...

    def remove(self, element: Node) -> None:
        """Take a child out, with its tail."""
        ...

    def addprevious(self, element: Node) -> None:
        """Put an element before this one, with its tail."""
        ...


def parse_tree(text: str) -> Node | None:
    """Parse a page; None if there is nothing in it.

    Comments and processing instructions are left out. Elements stay open as long as in browsers; the
    content of a `noscript` is its text, as in a browser with scripts. What is nested more deeply than `DEEPEST`
    stands beside what it is nested in, so that no page can overflow a stack. Control characters, and attributes whose names no API
    takes, are left out.

    Raises:
        MemoryError: the page is too large for the memory of this process.
        TreeError: the text cannot be parsed at all.
    """
    # The elements of `lxml.html` have more methods, and take several times as long to make.
    # `huge_tree` lifts the limit of 256 levels, behind which the rest of a page was lost.
    parser = _etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True
    )
    # libxml2 makes U+FFFD of a form feed, which is white space in HTML.
    source = mark_wrappers(
        _CONTROL_REFERENCE.sub(_referred, _CONTROLS.sub("", text.replace("\f", " ")))
    )
    try:
        tree = cast("Node | None", _etree.fromstring(source.text.encode("utf-8", "ignore"), parser))
    except _etree.XMLSyntaxError as exc:
        if exc.code == _NO_MEMORY:
            raise MemoryError from exc
        raise
    if tree is None:
        return None
    # Selectors of the page match by names, so each gets its own back.
    for element in list(tree.iter(*source.renamed)) if source.renamed else ():
        element.tag = str(element.tag).removeprefix(source.prefix)
    for element in _braced(tree) if source.has_braces else ():
        _drop_braced(element)
    return tree


def _drop_braced(element: Node) -> None:
    """Drop attributes whose names begin with a brace: they are taken for namespaces, and cannot be asked for."""
    sound = {
        name: element.attrib[name]
        for name in element.attrib.keys()  # noqa: SIM118 - the items cannot be asked for, either
        if not name.startswith("{")
    }
    element.attrib.clear()
    element.attrib.update(sound)


def _referred(match: re.Match[str]) -> str:
    """Return what a reference to a control character is in a browser."""
    number = int(match["hex"], 16) if match["hex"] else int(match["decimal"])
    if number in _WHITE_SPACE:
        return " " if number == ord("\f") else chr(number)
    # HTML standard, 13.2.5.80: `&#146;` is what Windows-1252 has at 146, an apostrophe.
    if _C1.start <= number < _C1.stop:
        return bytes([number]).decode("cp1252", "ignore")
    return "" if number < ord(" ") or number in _NO_CHARACTERS else match[0]


def add_child(node: Node, tag: str) -> Node:
    """Return a new last child of an element."""
    return cast("Node", _etree.SubElement(node, tag))


def drop_tree(node: Node) -> None:
    """Take an element and all below it out of its tree; its tail stays. The root cannot be taken out."""
    parent = node.getparent()
    if parent is None:
        raise ValueError("the root of a tree")
    if tail := node.tail:
        before = node.getprevious()
        if before is None:
            parent.text = f"{parent.text or ''}{tail}"
        else:
            before.tail = f"{before.tail or ''}{tail}"
    parent.remove(node)


def drop_trees(nodes: Iterable[Node]) -> None:
    """Take elements out as `drop_tree` does, many beside each other in time in proportion to what stands there."""
    # `drop_tree` adds each tail to the text before it: in a row, that takes quadratic time.
    dropped = set(nodes)
    for parent in dict.fromkeys(node.getparent() for node in dropped):
        if parent is not None:
            _drop_children(parent, dropped)


def _drop_children(parent: Node, dropped: set[Node]) -> None:
    before: Node | None = None
    texts = [parent.text or ""]
    for child in [*parent, None]:
        if child is not None and child in dropped:
            texts.append(child.tail or "")
            parent.remove(child)
            continue
        if len(texts) > 1:
            text = "".join(texts)
            if before is None:
                parent.text = text
            else:
                before.tail = text
        if child is not None:
            before, texts = child, [child.tail or ""]


def outermost(tree: Node, *tags: str) -> Iterator[Node]:
    """Yield the elements of these names that are in no other of them: what is in each is so looked at once."""
    within: set[Node] = set()
    for element in list(tree.iter(*tags)):
        if element not in within:
            within.update(element.iter(*tags))
            yield element


def own_texts(node: Node) -> Iterator[str]:
    """Yield the texts that stand in an element itself, and are more than space."""
    if (text := node.text) and not text.isspace():
        yield text
    for child in node:
        if (text := child.tail) and not text.isspace():
            yield text


def tables_around(tables: list[Node]) -> set[Node]:
    """Return all elements that tables stand in."""
    around: set[Node] = set()
    for table in tables:
        outer = table.getparent()
        while outer is not None and outer not in around:
            around.add(outer)
            outer = outer.getparent()
    return around


def text_of(node: Node) -> str:
    """Return all text below an element."""
    return "".join(node.itertext())


# XML of feeds and books, which is often not well-formed: it is read as the programs that people read them with do.

# The declaration of an encoding would be believed, although the text is UTF-8 from here on; entities that a document
# type defines would be files and addresses of the writer's choice, or entities within entities.
_HEAD = re.compile(r"\A\s*+<\?xml[^>]*+>|<!DOCTYPE[^\[<>]*+(?:\[[^\]]*+\]\s*+|)>", re.IGNORECASE)
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30};)")
# What is no markup although it begins like it: an ampersand of a name, a sign of comparison.
_STRAY = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-fA-F]+);)"
    r"|<(?![!?]|/?[A-Za-z_][\w:.-]*+(?:\s[^<>]*+)?/?>)"
)
_HEAD_CHARACTERS = 20_000
_NO_XML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def parse_loosely(text: str) -> Any:
    """Return the root of a document, None for what is no XML; without comments, and without entities of its own."""
    parser = _etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    head, body = text[:_HEAD_CHARACTERS], text[_HEAD_CHARACTERS:]
    text = _mended_xml(_HEAD.sub("", head) + body).lstrip()
    return _etree.fromstring(_NO_XML.sub("", text).encode(), parser) if text else None


def _mended_xml(text: str) -> str:
    """Return a text in which signs that should have been written as entities are: the parser would leave them out."""
    parts: list[str] = []
    for at, part in enumerate(text.split("<![CDATA[")):
        section, end, rest = part.partition("]]>") if at else ("", "", part)
        if at:
            parts += ["<![CDATA[", section, end]
        rest = _NAMED.sub(_named_letter, rest)
        parts.append(_STRAY.sub(lambda match: escape(match[0]), rest))
    return "".join(parts)


def _named_letter(name: re.Match[str]) -> str:
    """Return the letter that HTML calls so, or the name as a text."""
    return escape(html5.get(name[1], name[0]), quote=False)
