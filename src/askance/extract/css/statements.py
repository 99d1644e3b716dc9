"""A style sheet cut into its rules, whose preludes and blocks stay text until somebody needs them.

The parser makes an object of each character's worth of a sheet, and is the slow part of reading a page. A sheet in
good order is cut here instead, at its braces and semicolons; any other goes through the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from askance.extract.css.tokens import Token, Tokens, rules_of

# All that can hold a brace without meaning it, and the braces.
PIECE = re.compile(
    r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    r'|"(?:[^"\\\n\r\f]|\\.)*+"?'
    r"|'(?:[^'\\\n\r\f]|\\.)*+'?"
    r"|(?<![\w\\-])url\((?![\s\"'])(?:[^)\\\"'(\s]|\\.)*+\)?"
    r"|\\."
    r"|[{};()\[\]]",
    re.DOTALL | re.IGNORECASE,
)
_AROUND = re.compile(r"(?:[ \t\n\r\f]|/\*(?:[^*]|\*(?!/))*+\*/|<!--|-->)*+")
_KEYWORD = re.compile(r"@(-?[A-Za-z_][A-Za-z0-9_-]*+)(?![^\x00-\x7f\\])")
# What has rules in its block, as a sheet.
LISTS = frozenset({"supports", "container", "scope", "layer", "media"})
_PREFIXES = ("-webkit-", "-moz-")


class Statement(NamedTuple):
    """A rule: `name` is that of an at-rule, empty for others; `content` is None if it has no block.

    `rules` are those in its block where that is a list of them.
    """

    name: str
    prelude: str | Tokens
    content: str | Tokens | None
    rules: list[Statement] | None = None


@dataclass(slots=True)
class _Open:
    name: str
    prelude: str
    start: int
    statements: list[Statement] | None = field(default_factory=list[Statement])


def statements_of(sheet: str | Iterable[Token]) -> Iterable[Statement]:
    """Return the rules of a sheet, or of the block of an at-rule."""
    found = _cut(sheet) if isinstance(sheet, str) else None
    return found if found is not None else statements_from(rules_of(sheet))


def plain_name(name: str) -> str:
    """Return the name of an at-rule without a browser's prefix."""
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def statements_from(nodes: Iterable[Token]) -> Iterator[Statement]:
    """Yield the rules among what the parser has found."""
    for node in nodes:
        if node.type == "qualified-rule":
            yield Statement("", node.prelude, node.content or ())
        elif node.type == "at-rule":
            yield Statement(plain_name(node.lower_at_keyword), node.prelude, node.content)


def _cut(sheet: str) -> list[Statement] | None:
    """Cut a sheet; None for one that a browser might cut otherwise."""
    pile = [_Open("", "", 0)]
    brackets = start = 0
    for match in PIECE.finditer(sheet):
        piece = match[0]
        if len(piece) > 1:
            if is_odd(piece):
                return None
            continue
        if piece in "()[]":
            brackets += 1 if piece in "([" else -1
            continue
        if brackets:
            return None
        top = pile[-1]
        if piece == "{":
            opened = _opened(sheet[start : match.start()], match.end(), is_listed=top.statements is not None and top.name != "scope")
            if opened is None:
                return None
            pile.append(opened)
        elif piece == "}":
            if len(pile) == 1:
                return None
            _close(pile, sheet, start, match.start())
        elif top.statements is not None and not _add_blockless(sheet[start : match.start()], top):
            continue  # before a semicolon stands what begins a rule that no browser takes
        start = match.end()
    if brackets:
        return None
    while len(pile) > 1:
        _close(pile, sheet, start, len(sheet))
        start = len(sheet)
    _add_blockless(sheet[start:], pile[0])
    return pile[0].statements


def _close(pile: list[_Open], sheet: str, start: int, end: int) -> None:
    top = pile.pop()
    _add_blockless(sheet[start:end], top)
    if (around := pile[-1].statements) is not None:
        content = "" if top.statements is not None else sheet[top.start : end]
        around.append(Statement(top.name, top.prelude, content, top.statements))


def _opened(text: str, place: int, *, is_listed: bool) -> _Open | None:
    """Return the rule whose block begins; None for one whose name is not plain."""
    begin = _AROUND.match(text)
    prelude = text[begin.end() :] if begin else text
    if not prelude.startswith("@"):
        return _Open("", prelude, place, None)
    keyword = _KEYWORD.match(prelude)
    if keyword is None:
        return None
    name = plain_name(keyword[1].lower())
    statements = list[Statement]() if is_listed and name in LISTS else None
    return _Open(name, prelude[keyword.end() :], place, statements)


def _add_blockless(text: str, block: _Open) -> bool:
    """Add an at-rule without a block to a list of rules, if a text is one."""
    if block.statements is None or "@" not in text:
        return False
    opened = _opened(text, 0, is_listed=False)
    if opened is None or not opened.name:
        return False
    block.statements.append(Statement(opened.name, opened.prelude, None))
    return True


def is_odd(piece: str) -> bool:
    """Whether a comment, a string or an address does not end as it should."""
    if piece[0] in "\"'":
        return len(piece) < 2 or piece[-1] != piece[0]
    if piece[0] == "/":
        return not piece.endswith("*/") or len(piece) < 4
    return piece[0] in "uU" and piece[-1] != ")"
