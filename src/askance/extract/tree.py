"""A page's element tree, the parser that builds it, and what is kept open in its source as browsers do."""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any, NamedTuple, Protocol, cast, overload

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

# The parser itself stops at 256 levels; a pile that is deeper here is forgotten.
MOST_OPEN = 512
# Start tags that are written once more, as browsers open a bold text again that a block has ended.
MOST_REPEATED_CHARACTERS = 50_000
MOST_REPEATED = 3  # at one place; browsers count alike ("Noah's Ark")

_TAG = re.compile(
    r"<(?:"
    r"!--(?:-?>|(?:(?!--!?>).)*+(?:--!?>)?+)"
    r"|[!?][^>]*+"
    r"|(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?P<rest>(?:[^=>/]++|/(?!>)|=\s*+(?:\"[^\"]*+\"?+|'[^']*+'?+|[^\s>\"'][^\s>]*+)?+)*+)"
    r"(?P<slash>/?+)>?+"
    r")",
    re.DOTALL,
)
# What no text of a tree may have; the signs of a line's end stay.
_CONTROLS = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_CONTROL_BYTES = bytes([*range(9), 0x0B, *range(0x0E, 0x20), 0x7F])
_NO_CHARACTER_SIGNS = ("\ufffe", "\uffff")
_CONTROL_REFERENCE = re.compile(
    r"&#(?:[xX]0{0,9}(?P<hex>[01]?[0-9a-fA-F]|7[fF]|[89][0-9a-fA-F]|[fF]{3}[eEfF])"
    r"|0{0,9}(?P<decimal>[12]?\d|3[01]|12[789]|1[345]\d|6553[45]))(?![0-9a-fA-F]);?"
)
_WHITE_SPACE = frozenset(b"\t\n\f")
_C1 = range(0x80, 0xA0)
_NO_CHARACTERS = frozenset({0x7F, 0xFFFE, 0xFFFF})
_NOSCRIPT_END = re.compile(r"</noscript(?=[\s/>])[^>]*+>?", re.IGNORECASE)
_RAW_END = re.compile(
    r"</(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>])", re.IGNORECASE
)

_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_SCRIPTS = frozenset({"script", "style"})
_VOID = frozenset({
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
    "keygen", "link", "meta", "param", "source", "track", "wbr",
})  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# What browsers open again in the next block if it was left open in the last one.
_FORMATTING = frozenset({
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
})  # fmt: skip
# What the end tag of a formatting element, or of a span, does not end.
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "center", "dd", "details", "dir", "dl", "dt",
    "fieldset", "figure", "footer", "form", "header", "li", "listing", "main", "menu", "nav", "ol",
    "p", "pre", "section", "summary", "ul", *_HEADINGS,
})  # fmt: skip
# Those whose end tags end a box that was left open in them.
_ENDING = _BLOCKS - {"p", "form"}
_TABLE_PARTS = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot", "caption", "table"})
_FOREIGN = ("svg", "math")
_ONLY_ONE = frozenset({"html", "head", "body"})
_NOT_TRACKED = _ONLY_ONE | _RAW

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
    content of a `noscript` is its text, as in a browser with scripts. The parser stops at 256 levels of
    nesting, so that no page can overflow a stack. Control characters, and attributes whose names no API
    takes, are left out.

    Raises:
        MemoryError: the page is too large for the memory of this process.
        TreeError: the text cannot be parsed at all.
    """
    # The elements of `lxml.html` have more methods, and take several times as long to make.
    parser = _etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, collect_ids=False
    )
    source = mark_wrappers(
        _CONTROL_REFERENCE.sub(_referred, _without_controls(text.replace("\f", " ")))
    )
    try:
        tree = cast("Node | None", _etree.fromstring(source.text.encode("utf-8", "ignore"), parser))
    except _etree.XMLSyntaxError as exc:
        if exc.code == _NO_MEMORY:
            raise MemoryError from exc
        raise
    if tree is None:
        return None
    for element in list(tree.iter(*source.renamed)) if source.renamed else ():
        element.tag = str(element.tag).removeprefix(source.prefix)
    for element in _braced(tree) if source.has_braces else ():
        _drop_braced(element)
    return tree


def _without_controls(text: str) -> str:
    # Most pages have none, which is seen sooner in their bytes.
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return _CONTROLS.sub("", text)
    if len(data.translate(None, _CONTROL_BYTES)) == len(data) and not any(
        map(text.__contains__, _NO_CHARACTER_SIGNS)
    ):
        return text
    return _CONTROLS.sub("", text)


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
    if _C1.start <= number < _C1.stop:
        return bytes([number]).decode("cp1252", "ignore")
    return "" if number < ord(" ") or number in _NO_CHARACTERS else match[0]


def finder(condition: str) -> Callable[[Node], list[Node]]:
    """Return what finds the elements below and with one that satisfy a condition of XPath, in document order."""
    return cast("Callable[[Node], list[Node]]", _etree.XPath(f"descendant-or-self::*[{condition}]"))


def with_attributes(tree: Node, *names: str) -> list[Node]:
    """Return the elements that have one of some attributes, in document order."""
    return _having(names)(tree)


@cache
def _having(names: tuple[str, ...]) -> Callable[[Node], list[Node]]:
    return finder(" or ".join(f"@{name}" for name in names))


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


def own_texts(node: Node) -> Iterator[str]:
    """Yield the texts that stand in an element itself, and are more than space."""
    if (text := node.text) and not text.isspace():
        yield text
    for child in node:
        if (text := child.tail) and not text.isspace():
            yield text


def text_of(node: Node) -> str:
    """Return all text below an element."""
    return "".join(node.itertext())


def _pairs(*lines: str) -> Mapping[str, frozenset[str]]:
    """Read lines of names that end others: "outer, outer: inner inner"."""
    found: dict[str, frozenset[str]] = {}
    for line in lines:
        outer, _, inner = line.partition(":")
        for name in outer.split():
            found[name] = found.get(name, frozenset()) | frozenset(inner.split())
    return found


# What the parser ends (before the colon) at a start tag (behind it), and browsers do not.
_LEFT_OPEN = _pairs(
    "a: fieldset table",
    "b i u s tt small big strike: p",
    "b i font: center",
    "h1 h2 h3 h4 h5 h6: fieldset form li p table",
    "ul: address form menu pre",
    "ol dl form: form",
    "dl: li",
    "dt: dl",
    "address dir menu pre listing: dd dl dt form ul",
    "address pre listing: li",
    "pre listing: fieldset table",
    "legend: fieldset",
    "p: frameset head body title",
)
# The same where it is not within a table. In one, browsers end it as well.
_LEFT_OPEN_OUTSIDE_TABLES = _pairs("a b i font span u ul: td", "p: caption tr td tbody")
# What both end.
_ENDED = _pairs(
    "a: a",
    "dd: dt",
    "dt: dd",
    "li: li",
    "option: option optgroup",
    "a b i font span u ul: td",
    "p: caption tr td tbody address blockquote center dd dir div dl dt fieldset form h1 h2 h3 h4"
    " h5 h6 li listing menu ol p pre table ul hr",
    "caption: tr tbody",
)
_RULED = _LEFT_OPEN.keys() | _LEFT_OPEN_OUTSIDE_TABLES.keys() | _ENDED.keys()
# An end tag ends nothing beyond an open element of a higher rank.
_RANKS = {"div": 150, "td": 160, "th": 160, "tr": 170, "thead": 180, "tbody": 180, "tfoot": 180,
          "table": 190}  # fmt: skip
_RANK = 100
_NONE: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Open:
    """An open element: its name, and its start tag."""

    name: str
    tag: re.Match[str]
    is_left_open: bool = False


class MarkedSource(NamedTuple):
    """A page's source with elements renamed, the prefix and the names that they have now, and whether a tag has a brace."""

    text: str
    prefix: str
    renamed: frozenset[str]
    has_braces: bool


@dataclass
class _Source:
    """The changes to a page's source, and what is open at the place that was read last."""

    prefix: str
    changes: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    stack: list[_Open] = field(default_factory=list[_Open])
    # Where in the stack the elements of a name are.
    places: defaultdict[str, list[int]] = field(
        default_factory=lambda: defaultdict[str, list[int]](list)
    )
    repeatable: int = MOST_REPEATED_CHARACTERS
    renamed: set[str] = field(default_factory=set[str])

    def start(self, name: str, match: re.Match[str]) -> None:
        if self.stack and self.stack[-1].name in _RULED:
            self.make_room(name, match.start())
        if match["slash"]:
            if name in _FOREIGN or any(map(self.places.get, _FOREIGN)):
                return
            # Browsers do not know elements that end themselves.
            self.changes.append((match.start("slash"), match.end("slash"), " "))
        if name not in _NOT_TRACKED:
            stack = self.stack
            if len(stack) >= MOST_OPEN:
                self._forget()
            self.places[name].append(len(stack))
            stack.append(_Open(name, match))

    def make_room(self, name: str, place: int) -> None:
        """Keep open or end what the parser would end at a start tag."""
        while self.stack:
            top = self.stack[-1]
            if top.name not in _RULED:
                return
            if name in _LEFT_OPEN.get(top.name, _NONE) or (
                name in _LEFT_OPEN_OUTSIDE_TABLES.get(top.name, _NONE)
                and not self.places.get("table")
            ):
                self._leave_open(top)
                return
            if name not in _ENDED.get(top.name, _NONE):
                return
            self._pop()
            if top.is_left_open:
                self.changes.append((place, place, f"</{self.prefix}{top.name}>"))

    def end(self, name: str, match: re.Match[str]) -> None:
        stack = self.stack
        if stack and stack[-1].name == name and name not in _TABLE_PARTS:
            self.places[name].pop()
            element = stack.pop()
            if element.is_left_open:
                self._end_element(element, match)
            return
        if name in _ONLY_ONE:  # what follows stands in what is open, all the same
            if name != "head":
                self.changes.append((match.start(), match.end(), ""))
            return
        if name in _TABLE_PARTS and not self.places.get("table"):  # nor does a cell without a table
            self.changes.append((match.start(), match.end(), ""))
            return
        found = self._find(name)
        if found < 0:
            found = self._end_boxes(name, match.start())
        if found < 0:
            return
        above = [self._pop() for _ in range(len(self.stack) - found)]
        self._end_element(above.pop(), match)
        if name not in _TABLE_PARTS:
            lasting = _FORMATTING if name in _BLOCKS or name == "div" else _FORMATTING | _BLOCKS
            self._repeat([e for e in above[::-1] if e.name in lasting], match.end())

    def _end_element(self, element: _Open, match: re.Match[str]) -> None:
        if element.is_left_open:
            own = f"{self.prefix}{element.name}"
            self.changes.append((match.start("name"), match.end("name"), own))

    def _push(self, element: _Open) -> None:
        if len(self.stack) >= MOST_OPEN:
            self._forget()
        self.places[element.name].append(len(self.stack))
        self.stack.append(element)

    def _forget(self) -> None:
        self.stack.clear()
        self.places.clear()

    def _pop(self) -> _Open:
        element = self.stack.pop()
        self.places[element.name].pop()
        return element

    def _leave_open(self, element: _Open) -> None:
        if not element.is_left_open:
            element.is_left_open = True
            at = element.tag.start("name")
            self.changes.append((at, at, self.prefix))
            self.renamed.add(f"{self.prefix}{element.name}")

    def _find(self, name: str) -> int:
        """Return where the element is that an end tag ends, or -1."""
        if self.stack and self.stack[-1].name == name:
            return len(self.stack) - 1
        found = self._last(name)
        if name in _HEADINGS:
            for place in map(self._last, _HEADINGS):
                if place > found and self.stack[place].is_left_open:
                    found = place
        rank = _RANKS.get(name, _RANK)
        barrier = max(
            (self._last(other) for other, its in _RANKS.items() if its > rank), default=-1
        )
        return found if found > barrier else -1

    def _end_boxes(self, name: str, place: int) -> int:
        """End the boxes that were left open in an element of text, as its end does; return where it is, or -1."""
        found = self._last(name)
        if found < 0 or name not in _ENDING or self._last("div") < found:
            return -1
        bounds = (*_TABLE_PARTS, "ul", "ol") if name == "li" else _TABLE_PARTS
        if max(map(self._last, bounds)) > found:
            return -1
        for element in reversed(self.stack[found + 1 :]):
            own = f"{self.prefix}{element.name}" if element.is_left_open else element.name
            self.changes.append((place, place, f"</{own}>"))
        return found

    def _last(self, name: str) -> int:
        places = self.places.get(name)
        return places[-1] if places else -1

    def _repeat(self, elements: list[_Open], place: int) -> None:
        """Open again what was ended with the element around it."""
        for element in elements[-MOST_REPEATED:]:
            inner = element.tag[0][1:].rstrip(">/")
            if len(inner) > self.repeatable:
                continue
            self.repeatable -= len(inner)
            self.changes.append((place, place, f"<{self.prefix}{inner} >"))
            self.renamed.add(f"{self.prefix}{element.name}")
            self._push(_Open(element.name, element.tag, is_left_open=True))


def mark_wrappers(text: str) -> MarkedSource:
    """Return a page's source with the wrappers renamed that browsers keep open.

    libxml2 ends elements by rules of 1999: a paragraph ends a bold text around it, and what a style
    hides with the bold text would be seen. The tree is right if such an element has a name that the
    parser does not know while it parses, and gets its own again in the tree. (HTML standard,
    13.2.6.4.7.)

    The prefix stands before the names of those elements; no page can know it. Takes time and room
    in proportion to the text.
    """
    source = _Source(f"kept{secrets.token_hex(8)}-")
    place = 0
    is_ended, has_braces = True, False
    while match := _TAG.search(text, place):
        place = match.end()
        end_sign, name, rest = match.group("end", "name", "rest")
        has_braces = has_braces or "{" in (match[0] if rest is None else rest)
        if name is None:
            continue
        name = name.lower()
        if end_sign:
            source.end(name, match)
        elif name in _VOID:
            source.make_room(name, match.start())
        elif name == "noscript":
            end = _NOSCRIPT_END.search(text, place) if is_ended else None
            is_ended = end is not None
            if end is None:
                source.changes.append((match.start(), place, ""))
            else:
                source.changes.append(
                    (place, end.start(), escape(text[place : end.start()], quote=False))
                )
                place = end.end()
        else:
            source.start(name, match)
            if name in _RAW:
                begun, place = place, _end_of_raw(text, place, name)
                # The parser reads tags in some of them.
                has_braces = has_braces or (name not in _SCRIPTS and "{" in text[begun:place])
    changed = _changed(text, source.changes) if source.changes else text
    return MarkedSource(changed, source.prefix, frozenset(source.renamed), has_braces)


def _end_of_raw(text: str, place: int, name: str) -> int:
    for match in _RAW_END.finditer(text, place):
        if match[1].lower() == name:
            return match.end()
    return len(text)


def _changed(text: str, changes: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    place = 0
    for start, end, new in sorted(changes, key=lambda change: change[:2]):
        parts += (text[place:start], new)
        place = end
    return "".join((*parts, text[place:]))
