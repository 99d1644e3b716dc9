"""A page's source changed so that the parser builds the tree that browsers build of it."""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

# Browsers put what is nested more deeply beside what it stands in. The parser loses all that follows 2,048 levels.
DEEPEST = 510
# Start tags that are written once more, as browsers open a bold text again that a block has ended.
MOST_REPEATED_CHARACTERS = 50_000
MOST_REPEATED = 3  # at one place; browsers count alike ("Noah's Ark")

# A comment as browsers end it, an instruction, or a tag: `<a href="x>y">` ends behind the quote.
# All repeats are possessive, since a page may be one open quote of two megabytes.
_TAG = re.compile(
    r"<(?:"
    r"!--(?:-?>|(?>.*?(?:--!?>|\Z)))"
    r"|[!?][^>]*+"
    r"|(?P<end>/?)(?P<name>[A-Za-z][^\s/>]*+)"
    r"(?P<rest>(?:[^=>/]++|/(?!>)|=\s*+(?>\"[^\"]*+\"?+|'[^']*+'?+|[^\s>\"'][^\s>]*+|)|)*+)"
    r"(?P<slash>/?+)>?+"
    r")",
    re.DOTALL,
)
# By their numbers they are found sooner.
_END_SIGN, _NAME, _REST, _SLASH = (_TAG.groupindex[its] for its in ("end", "name", "rest", "slash"))
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
_CELLS = ("td", "th")
# What ends a cell that is open in the same table.
_ENDING_CELLS = frozenset({"td", "th", "tr", "tbody", "thead", "tfoot"})
_FOREIGN = ("svg", "math")
_ONLY_ONE = frozenset({"html", "head", "body"})
_NOT_TRACKED = _ONLY_ONE | _RAW


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
    "td th: td th tr tbody tfoot",
    "tr: tr tbody tfoot",
    "thead tbody: tbody tfoot",
    "tfoot: tbody",
    "caption: tr tbody thead tfoot colgroup",
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
    # Open elements beyond the deepest level, ended in the changed source where the next one begins, and what they stand in.
    beyond: list[str] = field(default_factory=list[str])
    places_beyond: defaultdict[str, list[int]] = field(
        default_factory=lambda: defaultdict[str, list[int]](list)
    )
    around_beyond: _Open | None = None

    def start(self, name: str, match: re.Match[str]) -> None:
        # Old pages leave fonts open in each cell: nested, the rows of a long table went too deep.
        if name in _ENDING_CELLS and self.stack and self.stack[-1].name not in _TABLE_PARTS:
            self._end_in_cell(match.start())
        if self.stack and self.stack[-1].name in _RULED:
            self.make_room(name, match.start())
        # In SVG and MathML a stroke ends an element, as in XML.
        if match[_SLASH]:
            if name in _FOREIGN or any(map(self.places.get, _FOREIGN)):
                return
            # Browsers do not know elements that end themselves.
            self.changes.append((match.start("slash"), match.end("slash"), " "))
        if name not in _NOT_TRACKED:
            stack = self.stack
            if len(stack) > DEEPEST:
                self._flatten(match.start())
            self.places[name].append(len(stack))
            stack.append(_Open(name, match))

    def _end_in_cell(self, place: int) -> None:
        """End what was left open in a cell: the parser would put the next cell into it."""
        cell = max(map(self._last, _CELLS))
        if cell <= self._last("table") or self.beyond:
            return
        while len(self.stack) > cell + 1:
            element = self._pop()
            self.changes.append((place, place, f"</{self._name_of(element)}>"))

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
            if name in _HEADINGS and top.name in _HEADINGS:  # browsers alone end it
                self._pop()
                self.changes.append((place, place, f"</{self._name_of(top)}>"))
                return
            if name not in _ENDED.get(top.name, _NONE):
                return
            self._pop()
            if top.is_left_open:
                self.changes.append((place, place, f"</{self.prefix}{top.name}>"))

    def end(self, name: str, match: re.Match[str]) -> None:
        if self.beyond and self._end_beyond(name, match):
            return
        stack = self.stack
        # Nearly all end tags are of the last element, so that this case comes first.
        if stack and stack[-1].name == name and name not in _TABLE_PARTS:
            self.places[name].pop()
            element = stack.pop()
            if element.is_left_open:
                self._end_element(element, match)
            return
        if name in _ONLY_ONE:  # what follows stands in what is open, all the same
            # At `</body>` the parser ends what hides the text behind it; browsers keep that open.
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
            # HTML standard: what formats is opened again behind a block (13.2.4.3), and a block
            # stays open behind the end of what formats (13.2.6.4.7).
            lasting = _FORMATTING if name in _BLOCKS or name == "div" else _FORMATTING | _BLOCKS
            self._repeat([e for e in above[::-1] if e.name in lasting], match.end())

    def _end_element(self, element: _Open, match: re.Match[str]) -> None:
        if element.is_left_open:
            own = f"{self.prefix}{element.name}"
            self.changes.append((match.start("name"), match.end("name"), own))

    def _flatten(self, place: int) -> None:
        """End the deepest element where another begins in it."""
        # Another box at the deepest level: what was ended within the last one is out of reach.
        around = self.stack[DEEPEST - 1]
        if around is not self.around_beyond:
            self._forget_beyond()
            self.around_beyond = around
        element = self._pop()
        self.changes.append((place, place, f"</{self._name_of(element)}>"))
        self.places_beyond[element.name].append(len(self.beyond))
        self.beyond.append(element.name)

    def _forget_beyond(self) -> None:
        self.beyond.clear()
        self.places_beyond.clear()

    def _end_beyond(self, name: str, match: re.Match[str]) -> bool:
        """Take the end tag of an element that has been ended; False for that of another."""
        stack = self.stack
        if len(stack) < DEEPEST or stack[DEEPEST - 1] is not self.around_beyond:
            self._forget_beyond()
            return False
        if len(stack) > DEEPEST and stack[-1].name == name:
            return False
        # Otherwise such a tag would end an element further out, and what hides its text.
        found, barrier = _last(name, self.places_beyond), _barrier(name, self.places_beyond)
        if found < 0 and barrier < 0:
            return False
        end = ""
        if found > barrier:
            while len(self.beyond) > found:
                self.places_beyond[self.beyond.pop()].pop()
            if len(stack) > DEEPEST:
                end = f"</{self._name_of(self._pop())}>"
        self.changes.append((match.start(), match.end(), end))
        return True

    def _name_of(self, element: _Open) -> str:
        return f"{self.prefix}{element.name}" if element.is_left_open else element.name

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
        return found if found > _barrier(name, self.places) else -1

    def _end_boxes(self, name: str, place: int) -> int:
        """End the boxes that were left open in an element of text, as its end does; return where it is, or -1."""
        found = self._last(name)
        if found < 0 or name not in _ENDING or self._last("div") < found:
            return -1
        # List item scope (13.2.4.2): an inner list does not end an item of the outer one.
        bounds = (*_TABLE_PARTS, "ul", "ol") if name == "li" else _TABLE_PARTS
        if max(map(self._last, bounds)) > found:
            return -1
        for element in reversed(self.stack[found + 1 :]):
            self.changes.append((place, place, f"</{self._name_of(element)}>"))
        return found

    def _last(self, name: str) -> int:
        return _last(name, self.places)

    def _repeat(self, elements: list[_Open], place: int) -> None:
        """Open again what was ended with the element around it."""
        for element in elements[-MOST_REPEATED:]:
            inner = element.tag[0][1:].rstrip(">/")
            # Each end tag may repeat long start tags: without a bound a page grows with its square.
            if len(inner) > self.repeatable or len(self.stack) > DEEPEST:
                continue
            self.repeatable -= len(inner)
            self.changes.append((place, place, f"<{self.prefix}{inner} >"))
            self.renamed.add(f"{self.prefix}{element.name}")
            self.places[element.name].append(len(self.stack))
            self.stack.append(_Open(element.name, element.tag, is_left_open=True))


def _last(name: str, places: Mapping[str, list[int]]) -> int:
    """Return where the last element of a name is, or -1."""
    its = places.get(name)
    return its[-1] if its else -1


def _barrier(name: str, places: Mapping[str, list[int]]) -> int:
    """Return where the last element is that an end tag does not reach beyond, or -1."""
    rank = _RANKS.get(name, _RANK)
    return max((_last(other, places) for other, its in _RANKS.items() if its > rank), default=-1)


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
        end_sign, name, rest = match.group(_END_SIGN, _NAME, _REST)
        # Only a page that has one is searched for attributes whose names begin with a brace.
        has_braces = has_braces or "{" in (match[0] if rest is None else rest)
        if name is None:
            continue
        name = name.lower()
        if end_sign:
            source.end(name, match)
        elif name in _VOID:
            source.make_room(name, match.start())
        elif name == "noscript":
            # Looked for no more once there is none: each `<noscript>` would read to the end.
            end = _NOSCRIPT_END.search(text, place) if is_ended else None
            is_ended = end is not None
            if end is None:
                # One that does not end would hide the rest of the page.
                source.changes.append((match.start(), place, ""))
            else:
                source.changes.append(
                    (place, end.start(), escape(text[place : end.start()], quote=False))
                )
                place = end.end()
        else:
            source.start(name, match)
            if name == "plaintext":  # all that follows is text, for browsers and the parser
                break
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
