"""The style sheets in a page's own `<style>` elements, as rules in the order in which they count.

Sheets that a page only points at (`<link>`, `@import`) are not fetched, so they are not known, unless
the address itself holds the sheet (`data:text/css,...`).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from urllib.parse import unquote_to_bytes

from askance.extract.css.blocks import DeclarationBlock, PlainBlock, plain_block, read_block
from askance.extract.css.elements import Element
from askance.extract.css.properties import Values
from askance.extract.css.selectors import Selector, parse_selectors, selectors_in
from askance.extract.css.statements import (
    LISTS,
    PLAIN_RULE,
    Brackets,
    StyleStatement,
    cut,
    holds_on_screen,
    is_likely,
    is_odd,
    next_piece,
    parsed,
    statements_from,
    statements_of,
    tokens_in,
)
from askance.extract.css.tokens import Token, Tokens, rules_of, significant, split_commas, values_of

# A million characters take a second to parse. What remains of real sheets after the rules for
# elements that the page lacks are left out is below 150,000 on 93 pages; the rest is not read.
MOST_CHARACTERS = 250_000
MOST_RULES = 10_000
# At-rules and nested rules within each other.
DEEPEST_RULE = 12
# Above every layer: rules in none win over all layers (CSS Cascade 5, 6.4).
UNLAYERED = 1_000_000

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/)|)*+(?:\*/)?")
_NAME = re.compile(r"[.#][^\s.#:>+~,&*]++")
# What stands in parentheses and brackets may be a choice or a contrary; the names beside it are
# needed all the same. Where more than that remains, nothing can be said.
_ASIDE = re.compile(r"\([^()\[\]]*+\)|\[[^()\[\]]*+\]")
_INTRICATE = re.compile(r"[\\\"'()\[\]@%|]")
# Parts of elements, and states that a page at rest is not in.
_NEVER = re.compile(
    r"::|:(?:before|after|hover|focus|active|visited|target|first-l)", re.IGNORECASE
)
_NO_ELEMENTS = re.compile(r"\s*@(?:font-face|page|counter-style|property)\b", re.IGNORECASE)


class Keyframes:
    """The `@keyframes` of a page by their names; a few of them are used, and are read then."""

    def __init__(self) -> None:
        self._rules: defaultdict[str, list[StyleStatement]] = defaultdict(list)
        self._read: dict[str, tuple[Values | None, Values]] = {}

    def add(self, rule: StyleStatement) -> None:
        """Add a rule."""
        names = [token.value for token in significant(tokens_in(rule.prelude))]
        if names:
            self._rules[str(names[0])].append(rule)

    def last(self, name: str) -> Values | None:
        """Return what an animation leaves behind; None if it is not known."""
        return self._frames(name)[0] if name in self._rules else None

    def throughout(self, name: str) -> Values | None:
        """Return what holds all the while in an animation; None if it is not known."""
        return self._frames(name)[1] if name in self._rules else None

    def _frames(self, name: str) -> tuple[Values | None, Values]:
        found = self._read.get(name)
        if found is None:
            last: Values | None = None
            throughout: Values = {}
            for rule in self._rules[name]:
                its_last, throughout = _read(rule)
                last = its_last if its_last is not None else last
            found = self._read[name] = last, throughout
        return found


def _read(rule: StyleStatement) -> tuple[Values | None, Values]:
    first: Values = {}
    last: Values | None = None
    blocks: list[Values] = []
    for frame in statements_of(rule.content or ()):
        if frame.name:
            continue
        prelude = tokens_in(frame.prelude)
        block, _ = read_block(frame.content or ())
        blocks.append(block.normal)
        if _is_frame(prelude, "to", 100):
            last = block.normal
        if _is_frame(prelude, "from", 0):
            first = block.normal
    # What begins so, ends so and is so in between, such as `visibility:hidden` all the while.
    throughout = {
        name: value
        for name, value in first.items()
        if last is not None and all(name in block and block[name] == value for block in blocks)
    }
    return last, throughout


def _is_frame(prelude: Tokens, word: str, share: float) -> bool:
    for part in split_commas(prelude):
        only = significant(part)
        if len(only) != 1:
            continue
        if only[0].type == "ident" and only[0].lower_value == word:
            return True
        if only[0].type == "percentage" and float(only[0].value) == share:
            return True
    return False


@dataclass(frozen=True)
class StyleRule:
    """Selectors with one block. Later layers win over earlier ones, and what is in none over all."""

    selectors: tuple[Selector, ...]
    source: DeclarationBlock | PlainBlock
    layer: int
    order: int

    @cached_property
    def block(self) -> DeclarationBlock:
        """What the rule declares; read once an element of the page is selected."""
        return self.source if isinstance(self.source, DeclarationBlock) else self.source.read()


@dataclass(frozen=True, slots=True)
class Sheets:
    """All rules of a page, and its animations."""

    rules: Sequence[StyleRule] = ()
    keyframes: Keyframes = field(default_factory=Keyframes)


def read_sheets(sheets: Iterable[str], names: frozenset[str], *, quirks: bool) -> Sheets:
    """Read style sheets for a page that has these classes and ids."""
    reader = _Reader(names, quirks)
    for sheet in sheets:
        reader.read_sheet(sheet)
    return Sheets(reader.rules, reader.keyframes)


def sheet_in(address: str) -> str:
    """Return the sheet that a `data:` address holds, or an empty text. Nothing is fetched."""
    scheme, _, rest = address.strip().partition(":")
    kind, comma, data = rest.partition(",")
    if scheme.lower() != "data" or not comma:
        return ""
    name, *parameters = (part.strip().lower() for part in kind.split(";"))
    if name != "text/css":
        return ""
    content = unquote_to_bytes(data.partition("#")[0])
    if "base64" in parameters[-1:]:
        try:
            # The signs that fill up the end may be left out; too many of them do no harm.
            content = base64.b64decode(b"".join(content.split()) + b"==")
        except binascii.Error:
            return ""
    return content.decode("utf-8", "replace")


def worth_parsing(sheet: str, names: frozenset[str], *, quirks: bool) -> str:
    """Return a sheet without the blocks whose selectors ask for classes and ids that are not there.

    Frameworks put thousands of rules into a page that has elements for a tenth of them, and parsing
    is the slow part. One pass over the text finds the innermost blocks. Where the text is in any way
    odd, so that a browser might cut it otherwise, the sheet comes back as it is.
    """
    filtered = _StyleFilter(sheet, names, quirks)
    brackets = Brackets()
    depth = 0
    # The end of the last statement, where the last block was opened, and what stands before that.
    start = place = filtered.take_plain(0)
    before = opened = 0
    is_innermost = False
    while match := next_piece(sheet, place):
        piece, place = match[1], match.end()
        if len(piece) > 1:
            if is_odd(piece):
                return sheet
        elif piece in "()[]":
            brackets.take(piece)
        elif brackets.ends or (piece == "}" and not depth):
            return sheet
        elif piece == "{":
            before, opened = start, place
            start = filtered.take_plain(place)
            is_innermost, place = start == place, start
            depth += 1
        else:
            if piece == "}":
                depth -= 1
                if is_innermost:
                    filtered.decide(sheet[before : opened - 1], before, place)
                is_innermost = False
            start = filtered.take_plain(place)
            is_innermost, place = is_innermost and start == place, start
    return sheet if brackets.ends else filtered.text()


@dataclass(slots=True)
class _StyleFilter:
    """What is stored of a sheet, up to `done`."""

    sheet: str
    names: frozenset[str]
    quirks: bool
    parts: list[str] = field(default_factory=list[str])
    done: int = 0

    def decide(self, prelude: str, start: int, end: int, *, is_plain: bool = False) -> None:
        """Leave a rule out if it cannot apply."""
        if not _may_apply(prelude, self.names, quirks=self.quirks, is_plain=is_plain):
            self.parts.append(self.sheet[self.done : start])
            self.done = end

    def take_plain(self, start: int) -> int:
        """Decide on the plain rules that begin at a place; return the end of the last one."""
        while rule := PLAIN_RULE.match(self.sheet, start):
            self.decide(rule[1], start, rule.end(), is_plain=True)
            start = rule.end()
        return start

    def text(self) -> str:
        return "".join([*self.parts, self.sheet[self.done :]])


@dataclass(frozen=True, slots=True)
class _Place:
    """What stands around a rule."""

    layer: str = ""
    parents: tuple[Selector, ...] = ()
    is_nested: bool = False
    depth: int = 0


@dataclass
class _Reader:
    """Reads the rules of sheets that may apply to elements with some names."""

    names: frozenset[str]
    quirks: bool
    left: int = MOST_CHARACTERS
    rules: list[StyleRule] = field(default_factory=list[StyleRule])
    keyframes: Keyframes = field(default_factory=Keyframes)
    layers: dict[str, int] = field(default_factory=dict[str, int])

    def may_apply(self, prelude: str, *, is_plain: bool = False) -> bool:
        """Whether a rule with these selectors may apply."""
        return _may_apply(prelude, self.names, quirks=self.quirks, is_plain=is_plain)

    def within(self, content: str) -> str:
        """Return a block without the rules in it that cannot apply."""
        return worth_parsing(content, self.names, quirks=self.quirks)

    def read_sheet(self, sheet: str) -> None:
        """Read a sheet of the page."""
        if self.left <= 0:
            return
        statements = cut(sheet, self)
        if statements is None:
            remaining = self.within(sheet)[: self.left]
            self.left -= len(remaining)
            self.read(statements_from(rules_of(remaining)), _Place())
        else:
            self.read(statements, _Place())

    def read(self, statements: Iterable[StyleStatement], place: _Place) -> None:
        if place.depth > DEEPEST_RULE:
            return
        for statement in statements:
            self.left -= _length(statement)
            if len(self.rules) >= MOST_RULES or self.left < 0:
                return
            if statement.name:
                self._read_at_rule(statement, place)
            else:
                self._read_rule(statement, place)

    def _read_rule(self, rule: StyleStatement, place: _Place) -> None:
        block: DeclarationBlock | PlainBlock | None = plain_block(rule.content)
        nested: Tokens = ()
        if block is None:
            block, nested = read_block(rule.content or ())
        if not block and not nested:
            return
        selectors = self._selectors(rule.prelude, place)
        if selectors:
            if nested:
                place = replace(place, parents=selectors, is_nested=True, depth=place.depth + 1)
            self._add(selectors, block, nested, place)

    def _selectors(self, prelude: str | Tokens, place: _Place) -> tuple[Selector, ...]:
        if isinstance(prelude, str) and not place.parents and not place.is_nested:
            return selectors_in(prelude, quirks=self.quirks)
        return tuple(
            parse_selectors(
                tokens_in(prelude),
                quirks=self.quirks,
                parents=place.parents,
                is_nested=place.is_nested,
            )
        )

    def _add(
        self,
        selectors: tuple[Selector, ...],
        block: DeclarationBlock | PlainBlock,
        nested: Tokens,
        place: _Place,
    ) -> None:
        if block:
            self.rules.append(StyleRule(selectors, block, self._rank(place.layer), len(self.rules)))
        if nested:
            self.read(statements_from(nested), place)

    def _read_at_rule(self, rule: StyleStatement, place: _Place) -> None:
        name, content = rule.name, rule.content
        if name == "keyframes":
            self.keyframes.add(rule)
        elif name == "import" and content is None:
            self._read_import(tokens_in(rule.prelude), place)
        elif name == "layer" and content is None:
            for part in split_commas(tokens_in(rule.prelude)):
                self._rank(_layer_name(place.layer, part))
        elif name in LISTS and content is not None:
            if not _applies(name, rule.prelude):
                return
            inside = self._inside(
                name, tokens_in(rule.prelude), replace(place, depth=place.depth + 1)
            )
            if rule.rules is not None:
                self.read(rule.rules, inside)
            elif inside.is_nested and name != "scope":
                block, nested = read_block(content)
                self._add(inside.parents, block, nested, inside)
            else:
                self.read(statements_of(content), inside)

    def _read_import(self, prelude: Tokens, place: _Place) -> None:
        """Read a sheet that stands in the address itself; layers and features are left out."""
        parts = significant(prelude)
        address = _address(parts[0]) if parts else ""
        # Only at the top of the page's own sheets: one in an address may import further ones.
        if place.depth == 0 and holds_on_screen(parts[1:]) and (sheet := sheet_in(address)):
            self.read(statements_of(sheet[:MOST_CHARACTERS]), replace(place, depth=1))

    def _inside(self, name: str, prelude: Tokens, place: _Place) -> _Place:
        if name == "layer":
            # Each layer without a name is a layer of its own.
            anonymous = f"{place.layer}.{len(self.layers)}"
            layer = _layer_name(place.layer, prelude) if significant(prelude) else anonymous
            self._rank(layer)
            return replace(place, layer=layer)
        if name == "scope":
            root = next((part for part in prelude if part.type == "() block"), None)
            if root is not None:
                parents = parse_selectors(root.content or (), quirks=self.quirks)
                return replace(place, parents=tuple(parents), is_nested=bool(parents))
        return place

    def _rank(self, layer: str) -> int:
        return self.layers.setdefault(layer, len(self.layers)) if layer else UNLAYERED


def _length(statement: StyleStatement) -> int:
    """Return how many characters of a rule are still to be parsed."""
    return sum(len(its) for its in (statement.prelude, statement.content) if isinstance(its, str))


def _address(token: Token) -> str:
    """Return what `url(...)` or a string says."""
    if token.type == "function" and token.lower_name in {"url", "src"}:
        token = next(iter(significant(token.arguments)), token)
    return str(token.value) if token.type in {"url", "string"} else ""


def _applies(name: str, prelude: str | Tokens) -> bool:
    return (
        _prelude_matters(name, prelude)
        if isinstance(prelude, str)
        else _query_matters(name, prelude)
    )


@lru_cache(maxsize=5000)
def _prelude_matters(name: str, prelude: str) -> bool:
    return _query_matters(name, parsed(prelude))


def _query_matters(name: str, prelude: Tokens) -> bool:
    if name == "media":
        return holds_on_screen(prelude)
    return is_likely(prelude) if name in {"supports", "container"} else True


def _layer_name(around: str, tokens: Tokens) -> str:
    return f"{around}." + "".join(str(token.value) for token in significant(tokens))


def _may_apply(prelude: str, names: frozenset[str], *, quirks: bool, is_plain: bool) -> bool:
    plain = _COMMENT.sub(" ", prelude) if "/" in prelude else prelude
    if is_plain and "(" not in plain and "[" not in plain:
        # Of what is intricate, only these can stand in one.
        is_intricate = "%" in plain or "|" in plain
    else:
        if _NO_ELEMENTS.match(plain):
            return False
        plain = _ASIDE.sub("", plain)
        is_intricate = _INTRICATE.search(plain) is not None
    if is_intricate:
        return True
    if quirks:
        plain = plain.lower()
    for part in plain.split(","):
        if names.issuperset(_NAME.findall(part)) and not (":" in part and _NEVER.search(part)):
            return True
    return False


# The style sheets that a page has of its own, and for which of its elements each counts.

# What a style sheet in them says holds for no element of the page that a person sees.
_OTHER_PAGES = ("noscript", "template", "noframes", "noembed", "iframe")
_HOST = re.compile(r":host(?:-context)?(?:\([^()]*\))?|::slotted\([^()]*\)", re.IGNORECASE)


def scopes_of(elements: Sequence[Element], shadows: set[Element]) -> dict[Element, Element]:
    """Return the shadow tree that an element stands in or is, if any: its sheets count there alone."""
    if not shadows:
        return {}
    scopes: dict[Element, Element] = {}
    for element in elements:
        if element in shadows:
            scopes[element] = element
        elif element.parent is not None and (scope := scopes.get(element.parent)):
            scopes[element] = scope
    return scopes


def sheets_in(
    elements: Iterable[Element], shadows: set[Element], scopes: dict[Element, Element]
) -> dict[Element | None, list[str]]:
    """Return the page's own style sheets for a screen, those of each shadow tree apart."""
    sheets: dict[Element | None, list[str]] = {}
    others: set[Element] = set()
    for element in elements:
        is_other = element.tag in _OTHER_PAGES and element not in shadows
        if is_other or element.parent in others:
            others.add(element)
        elif sheet := _sheet_of(element):
            kind = element.attributes.get("type", "text/css").strip().lower()
            media = element.attributes.get("media", "")
            if kind in {"", "text/css"} and holds_on_screen(values_of(media)):
                scope = scopes.get(element)
                # The template stands for what holds the tree, and a slot for what fills it.
                own = _HOST.sub(_in_place_of, sheet) if scope else sheet
                sheets.setdefault(scope, []).append(own)
    return sheets


def _in_place_of(selector: re.Match[str]) -> str:
    return "slot" if selector[0].startswith("::") else "template"


def _sheet_of(element: Element) -> str:
    if element.tag == "style":
        return element.node.text or ""
    if element.tag != "link" or "disabled" in element.attributes:
        return ""
    relations = element.attributes.get("rel", "").lower().split()
    is_sheet = "stylesheet" in relations and "alternate" not in relations
    return sheet_in(element.attributes.get("href", "")) if is_sheet else ""
