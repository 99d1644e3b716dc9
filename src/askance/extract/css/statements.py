"""A style sheet cut into its rules, whose preludes and blocks stay text until somebody needs them.

The parser makes an object of each character's worth of a sheet, and is the slow part of reading a page. A sheet in
good order is cut here instead, at its braces and semicolons; any other goes through the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import NamedTuple, Protocol

from askance.extract.css.tokens import (
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    Token,
    Tokens,
    parse_fraction,
    parse_length,
    rules_of,
    significant,
    split_commas,
    values_of,
)

# All that can hold a brace without meaning it, and the braces: the next one, behind all else.
_URL = r"(?<![\w\\-])[uU][rR][lL]\((?![\s\"'])"
_PIECE = re.compile(
    rf"(?:[^/\"'uU\\{{}};()\[\]]++|/(?!\*)|(?!{_URL})[uU]|)*+"
    r"(/\*(?:[^*]++|\*(?!/)|)*+(?:\*/)?"
    r'|"(?:[^"\\\n\r\f]++|\\.|)*+"?'
    r"|'(?:[^'\\\n\r\f]++|\\.|)*+'?"
    rf"|{_URL}(?:[^)\\\"'(\s]++|\\.|)*+\)?"
    r"|\\(?:.|\Z)"
    r"|[{};()\[\]]|\Z)",
    re.DOTALL,
)
# A rule whose block has no other in it, and nothing that could be cut in two ways: its prelude and what it holds.
_STRINGS = r"\"(?:[^\"\\\n\r\f]++|\\.|)*+\"|'(?:[^'\\\n\r\f]++|\\.|)*+'"
_FLAT = r"[^{}\"'()\[\]\\/;]++|/(?!\*)"
_PLAIN = r"[^{}\"'()\[\]\\/]++|/(?!\*)"
_NAMED = r"[^{}\"'()\[\]\\/;@]"
PLAIN_RULE = re.compile(
    rf"((?:\s++|/\*(?:[^*]|\*(?!/)|)*+\*/|)*+(?!\s){_NAMED}"
    rf"(?:{_NAMED}++|\((?:{_FLAT}|{_STRINGS}|)*+\)|\[(?:{_FLAT}|{_STRINGS}|)*+\]|)*+)\{{"
    rf"((?:{_PLAIN}|{_STRINGS}|(?<=[uU][rR][lL])\([^{{}}\"'()\[\]\\\s*]*+\)"
    rf"|\((?:{_FLAT}|{_STRINGS}|)*+\)|)*+)\}}",
    re.DOTALL,
)
_AROUND = re.compile(r"(?:[ \t\n\r\f]|/\*(?:[^*]|\*(?!/)|)*+\*/|<!--|-->|)*+")
_KEYWORD = re.compile(r"@(-?[A-Za-z_][A-Za-z0-9_-]*+)(?![^\x00-\x7f\\])")
# What has rules in its block, as a sheet.
LISTS = frozenset({"supports", "container", "scope", "layer", "media"})
# Those that say nothing if there are no rules in them.
_CONDITIONS = LISTS - {"layer", "scope"}
_OF_NO_ELEMENTS = frozenset({"font-face", "page", "counter-style", "property"})
_CLOSERS = {"(": ")", "[": "]"}
_PREFIXES = ("-webkit-", "-moz-")


def next_piece(sheet: str, place: int) -> re.Match[str] | None:
    """Return the next piece of a sheet from a place on, with all that stands before it; None where there is none."""
    found = _PIECE.match(sheet, place)
    return None if found is None or found[1] in {"", "\\"} else found


class StyleStatement(NamedTuple):
    """A rule: `name` is that of an at-rule, empty for others; `content` is None if it has no block.

    `rules` are those in its block where that is a list of them.
    """

    name: str
    prelude: str | Tokens
    content: str | Tokens | None
    rules: list[StyleStatement] | None = None


class RuleFilter(Protocol):
    """Says which rules of a sheet are left out."""

    def may_apply(self, prelude: str, *, is_plain: bool = False) -> bool:
        """Whether a rule with these selectors may apply to an element of the page."""
        ...

    def within(self, content: str) -> str:
        """Return a block without the rules in it that cannot apply."""
        ...


@dataclass(slots=True)
class Brackets:
    """The parentheses and brackets that are open; one that ends another than the last is no end of it."""

    ends: list[str] = field(default_factory=list[str])

    def take(self, piece: str) -> None:
        """Take one that opens or ends."""
        if piece in _CLOSERS:
            self.ends.append(_CLOSERS[piece])
        elif self.ends and self.ends[-1] == piece:
            self.ends.pop()


@dataclass(slots=True)
class _Open:
    name: str
    prelude: str
    start: int
    statements: list[StyleStatement] | None = field(default_factory=list[StyleStatement])


def statements_of(sheet: str | Iterable[Token]) -> Iterable[StyleStatement]:
    """Return the rules of a sheet, or of the block of an at-rule."""
    found = cut(sheet) if isinstance(sheet, str) else None
    return found if found is not None else statements_from(rules_of(sheet))


def tokens_in(prelude: str | Tokens) -> Tokens:
    """Return the tokens of a prelude."""
    return parsed(prelude) if isinstance(prelude, str) else prelude


@lru_cache(maxsize=5000)
def parsed(prelude: str) -> Tokens:
    """Return the tokens of a text."""
    return tuple(values_of(prelude))


def plain_name(name: str) -> str:
    """Return the name of an at-rule without a browser's prefix."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def statements_from(nodes: Iterable[Token]) -> Iterator[StyleStatement]:
    """Yield the rules among what the parser has found."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield StyleStatement("", node.prelude, node.content or ())
        elif node.type == "at-rule":
            yield StyleStatement(plain_name(node.lower_at_keyword), node.prelude, node.content)


def cut(sheet: str, wanted: RuleFilter | None = None) -> list[StyleStatement] | None:
    """Cut a sheet into the rules that are wanted, all by default; None for one that a browser might cut otherwise."""
    cutter = _Cutter(sheet, wanted)
    brackets = Brackets()
    place = cutter.take_plain(0)
    while match := next_piece(sheet, place):
        piece, place = match[1], match.end()
        if len(piece) > 1:
            if is_odd(piece):
                return None
        elif piece in "()[]":
            brackets.take(piece)
        # A brace within parentheses is part of a value, and only the parser knows where that ends.
        elif brackets.ends or not cutter.take(piece, match.start(1)):
            return None
        else:
            place = cutter.take_plain(place)
    return None if brackets.ends else cutter.finish()


class _Cutter:
    """Takes the braces and semicolons of a sheet, one after another."""

    def __init__(self, sheet: str, wanted: RuleFilter | None) -> None:
        self._sheet = sheet
        self._wanted = wanted
        self._pile = [_Open("", "", 0)]
        self._start = 0  # of the rule that is read
        self._is_prelude = (
            False  # before a semicolon stood what begins a rule that no browser takes
        )

    def take(self, piece: str, place: int) -> bool:
        """Take one of them; False where a browser might see something else."""
        if piece == ";" and (self._is_prelude or self._pile[-1].statements is None):
            return True
        text = self._sheet[self._start : place]
        if piece == "{":
            opened = _opened(text, place + 1, self._pile[-1])
            if opened is None:
                return False
            self._pile.append(opened)
        elif piece == "}":
            if len(self._pile) == 1:
                return False
            self._close(text, place)
        elif not _add_blockless(text, self._pile[-1]):
            self._is_prelude = True
            return True
        self._start, self._is_prelude = place + 1, False
        return True

    def take_plain(self, place: int) -> int:
        """Take the plain rules that begin at a place, if one may begin there; return where the last one ends."""
        statements, wanted = self._pile[-1].statements, self._wanted
        if statements is None or place != self._start:
            return place
        while rule := PLAIN_RULE.match(self._sheet, place):
            prelude, place = rule[1], rule.end()
            if wanted is None or wanted.may_apply(prelude, is_plain=True):
                begin = _AROUND.match(prelude)
                statements.append(
                    StyleStatement("", prelude[begin.end() :] if begin else prelude, rule[2])
                )
        self._start = place
        return place

    def finish(self) -> list[StyleStatement] | None:
        """Return the rules; what is open at the end of a sheet ends there."""
        end = len(self._sheet)
        # The end of a sheet closes all blocks that are open, as in CSS Syntax 3.
        while len(self._pile) > 1:
            self._close(self._sheet[self._start :], end)
            self._start = end
        _add_blockless(self._sheet[self._start :], self._pile[0])
        return self._pile[0].statements

    def _close(self, rest: str, end: int) -> None:
        top = self._pile.pop()
        _add_blockless(rest, top)
        around, wanted = self._pile[-1].statements, self._wanted
        if around is None:
            return
        if top.statements is not None:
            if wanted is None or top.statements or top.name not in _CONDITIONS:
                around.append(StyleStatement(top.name, top.prelude, "", top.statements))
            return
        content = self._sheet[top.start : end]
        if wanted is not None:
            if "{" in content:
                content = wanted.within(content)
            elif top.name in _OF_NO_ELEMENTS or not (top.name or wanted.may_apply(top.prelude)):
                return
        around.append(StyleStatement(top.name, top.prelude, content))


def _opened(text: str, place: int, around: _Open | None = None) -> _Open | None:
    """Return the rule whose block begins; None for one whose name is not plain."""
    begin = _AROUND.match(text)
    prelude = text[begin.end() :] if begin else text
    if not prelude.startswith("@"):
        return _Open("", prelude, place, None)
    keyword = _KEYWORD.match(prelude)
    if keyword is None:
        return None
    name = plain_name(keyword[1].lower())
    is_listed = around is not None and around.statements is not None and around.name != "scope"
    statements = list[StyleStatement]() if is_listed and name in LISTS else None
    return _Open(name, prelude[keyword.end() :], place, statements)


def _add_blockless(text: str, block: _Open) -> bool:
    """Add an at-rule without a block to a list of rules, if a text is one."""
    if block.statements is None or "@" not in text:
        return False
    opened = _opened(text, 0)
    if opened is None or not opened.name:
        return False
    block.statements.append(StyleStatement(opened.name, opened.prelude, None))
    return True


def is_odd(piece: str) -> bool:
    """Whether a comment, a string or an address does not end as it should."""
    if piece[0] in "\"'":
        return len(piece) < 2 or piece[-1] != piece[0]
    if piece[0] == "/":
        return not piece.endswith("*/") or len(piece) < 4
    return piece[0] in "uU" and piece[-1] != ")"


# Whether a media query holds on the screen of a person who reads: a laptop, a mouse, a light theme.

_TYPES = frozenset({"all", "screen"})
_WORDS = {
    "orientation": {"landscape"}, "prefers-color-scheme": {"light"}, "scripting": {"enabled"},
    "prefers-reduced-motion": {"no-preference"}, "prefers-contrast": {"no-preference"},
    "prefers-reduced-transparency": {"no-preference"}, "prefers-reduced-data": {"no-preference"},
    "hover": {"hover"}, "any-hover": {"hover"}, "pointer": {"fine"}, "any-pointer": {"fine"},
    "update": {"fast"}, "display-mode": {"browser"}, "forced-colors": {"none"},
    "inverted-colors": {"none"}, "color-gamut": {"srgb"}, "overflow-block": {"scroll"},
    "overflow-inline": {"scroll"}, "dynamic-range": {"standard"}, "scan": {"progressive"},
}  # fmt: skip
_NUMBERS = {
    "width": SCREEN_WIDTH, "height": SCREEN_HEIGHT, "device-width": SCREEN_WIDTH,
    "device-height": SCREEN_HEIGHT, "aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT,
    "device-aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT, "resolution": 1.0, "color": 8.0,
    "color-index": 0.0, "monochrome": 0.0, "grid": 0.0, "device-pixel-ratio": 1.0,
}  # fmt: skip
_RESOLUTION = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}
_DEEPEST = 8


def holds_on_screen(query: Tokens) -> bool:
    """Whether one of a list of media queries holds. What is unknown does not, as in a browser."""
    parts = [significant(part) for part in split_commas(query)]
    return not parts[0] or any(_holds(part, _DEEPEST) for part in parts if part)


def is_likely(condition: Tokens) -> bool:
    """Whether `@supports` or `@container` is taken to hold: unless it begins with `not`."""
    parts = significant(condition)
    return not parts or not _is_word(parts[0], "not")


def _holds(parts: Tokens, depth: int) -> bool:
    if not depth or not parts:
        return False
    if _is_word(parts[0], "not"):
        return not _holds(parts[1:], depth - 1)
    if _is_word(parts[0], "only"):
        parts = parts[1:]
    terms = [part for part in parts if not _is_word(part, "and", "or")]
    # `and` and `or` are never mixed on one level (Media Queries 4, 3).
    held = [_term(term, depth - 1) for term in terms]
    has_or = any(_is_word(part, "or") for part in parts)
    return any(held) if has_or else bool(held) and all(held)


def _term(token: Token, depth: int) -> bool:
    if token.type == "ident":
        return token.lower_value in _TYPES
    if token.type != "() block":
        return False
    inner = significant(token.content or ())
    if inner and (inner[0].type == "() block" or _is_word(inner[0], "not")):
        return _holds(inner, depth)
    return _feature(inner)


def _feature(parts: Tokens) -> bool:
    if len(parts) == 1 and parts[0].type == "ident":
        name = parts[0].lower_value
        return name in _WORDS or bool(_NUMBERS.get(name))
    if len(parts) >= 3 and parts[0].type == "ident" and _is_literal(parts[1], ":"):
        return _compare_named(parts[0].lower_value, parts[2:])
    return _compare_range(parts)


def _compare_named(name: str, value: Tokens) -> bool:
    name = name.removeprefix("-webkit-").removeprefix("-moz-")
    if name in _WORDS:
        return value[0].type == "ident" and value[0].lower_value in _WORDS[name]
    # Firefox had the prefix behind `min-`: `min--moz-device-pixel-ratio`.
    name = name.replace("min--moz-", "min-").replace("max--moz-", "max-")
    number = _number(value)
    for prefix in ("min-", "max-", ""):
        own = _NUMBERS.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if own is not None and number is not None:
            return {"min-": own >= number, "max-": own <= number, "": own == number}[prefix]
    return False


def _compare_range(parts: Tokens) -> bool:
    """Compare as in `400px <= width < 900px`."""
    sides: list[list[Token]] = [[]]
    operators: list[str] = []
    for part in parts:
        if part.type == "literal" and part.value in {"<", ">", "<=", ">=", "="}:
            if sides[-1] or not operators:
                operators.append(part.value)
                sides.append([])
            else:
                operators[-1] += part.value  # `>` and `=` may come as two tokens
        else:
            sides[-1].append(part)
    values = [_side(side) for side in sides]
    known = [value for value in values if value is not None]
    if not operators or len(known) < len(values):
        return False
    return all(
        _COMPARE.get(sign, eq)(left, right)
        for left, sign, right in zip(known, operators, known[1:], strict=False)
    )


def _side(tokens: Tokens) -> float | None:
    if len(tokens) == 1 and tokens[0].type == "ident":
        return _NUMBERS.get(tokens[0].lower_value)
    return _number(tokens)


def _number(tokens: Tokens) -> float | None:
    if not tokens:
        return None
    if len(tokens) == 3 and _is_literal(tokens[1], "/"):
        over, under = parse_fraction(tokens[0]), parse_fraction(tokens[2])
        return over / under if over is not None and under else None
    if tokens[0].type == "dimension" and tokens[0].lower_unit in _RESOLUTION:
        return float(tokens[0].value) * _RESOLUTION[tokens[0].lower_unit]
    length = parse_length(tokens[0])
    return None if length is None else length.roughly()


def _is_word(token: Token, *words: str) -> bool:
    return token.type == "ident" and token.lower_value in words


def _is_literal(token: Token, value: str) -> bool:
    return token.type == "literal" and token.value == value
