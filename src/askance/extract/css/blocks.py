"""Blocks of declarations, and the attributes that say the same in old pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, cast

from tinycss2 import ast

from askance.extract.css.colours import BLACK
from askance.extract.css.elements import Element
from askance.extract.css.properties import Values, Wide, longhands_of, parse_property
from askance.extract.css.tokens import (
    Length,
    Token,
    Tokens,
    declarations_of,
    holds_variable,
    substituted,
)

_SPACE = " \t\n\r\f"
_STRING = r"\"[^\"\\\n\r\f]*+\"|'[^'\\\n\r\f]*+'"
_FLAT = r"[^;\"'(){}\[\]\\/]++|/(?!\*)"
_CALL = rf"\((?:{_FLAT}|)*+\)"
# Two levels of functions: `linear-gradient(rgb(…), …)`.
_VALUE = rf"(?:[^;\"'(){{}}\[\]\\/@]++|/(?!\*)|{_STRING}|\((?:{_FLAT}|{_STRING}|{_CALL}|)*+\))"
_DECLARATION = re.compile(f"{_VALUE}(?:{_VALUE}|)*+")
_PLAIN = re.compile(f"(?:{_VALUE}|;|)*+")
# More of them in one block are not read.
MOST_DECLARATIONS = 500


class PendingValue(NamedTuple):
    """A value that is known only where its variables are."""

    name: str
    tokens: Tokens


class DeclarationBlock(NamedTuple):
    """What a block declares, apart what is marked `!important`. Variables keep their `--`."""

    normal: Values
    important: Values

    def __bool__(self) -> bool:
        return bool(self.normal or self.important)


def read_block(content: str | Iterable[Token]) -> tuple[DeclarationBlock, list[Token]]:
    """Return what a block declares, and the rules that are nested in it."""
    plain = plain_block(content)
    if plain is not None:
        return plain.read(), []
    block, nested = DeclarationBlock({}, {}), list[Token]()
    for node in declarations_of(content)[:MOST_DECLARATIONS]:
        if node.type == "declaration":
            values = block.important if node.important else block.normal
            _declare(values, _values_of(node), block)
        elif node.type in {"qualified-rule", "at-rule"}:
            nested.append(node)
    return block, nested


class PlainBlock(NamedTuple):
    """The declarations of a block that count here, as they are written."""

    declarations: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.declarations)

    def read(self) -> DeclarationBlock:
        """Return what the block declares."""
        block = DeclarationBlock({}, {})
        for declaration in self.declarations:
            for values, is_important in _declared(declaration):
                _declare(block.important if is_important else block.normal, values, block)
        return block


def plain_block(content: str | Iterable[Token] | None) -> PlainBlock | None:
    """Return the declarations of a block in which each semicolon ends one; None for another block."""
    # A brace, an at-sign or a stroke backwards would make a semicolon mean something else.
    if not isinstance(content, str) or not _PLAIN.fullmatch(content):
        return None
    parts = [part for part in _DECLARATION.findall(content) if not part.isspace()]
    return PlainBlock(tuple(filter(_counts, parts[:MOST_DECLARATIONS])))


def _counts(declaration: str) -> bool:
    """Whether a declaration is of a variable, or of a property that can hide a text."""
    # Most declarations of a sheet cannot hide a text, and are not even parsed.
    name = declaration.partition(":")[0].strip(_SPACE).lower()
    return name.startswith("--") or bool(longhands_of(name))


@lru_cache(maxsize=20_000)
def _declared(declaration: str) -> tuple[tuple[Values, bool], ...]:
    plain = plain_declaration(declaration)
    nodes = declarations_of(declaration) if plain is None else [plain]
    return tuple((_values_of(node), node.important) for node in nodes if node.type == "declaration")


def resolved(values: Values, variables: Mapping[str, Tokens]) -> Values:
    """Return the values with variables put in; what cannot be resolved is unset."""
    if not any(isinstance(value, PendingValue) for value in values.values()):
        return values
    out: Values = {}
    for name, value in values.items():
        if isinstance(value, PendingValue):
            tokens = substituted(value.tokens, variables)
            found = None if tokens is None else parse_property(value.name, tokens)
            # CSS Custom Properties, "invalid at computed-value time": the declaration before is
            # gone, unlike that before an invalid one without variables.
            out[name] = Wide.UNSET if found is None else found.get(name, Wide.UNSET)
        else:
            out[name] = value
    return out


def attribute_values(element: Element) -> Values:
    """Return what browsers declare for an element of its tag."""
    if element.tag == "a" and "href" not in element.attributes:
        return _NOTHING
    return _BY_TAG.get(element.tag, _NOTHING)


def has_own_style(tag: str) -> bool:
    """Whether browsers give elements with a tag a style that counts here."""
    return tag in _BY_TAG or tag == "html"


def _values_of(node: Token) -> Values:
    tokens = cast("Tokens", cast("object", node.value))  # a declaration's value is a list
    if node.name.startswith("--"):
        return {node.name: tuple(tokens)}
    if holds_variable(tokens):
        return dict.fromkeys(longhands_of(node.lower_name), PendingValue(node.lower_name, tokens))
    return parse_property(node.lower_name, tokens) or {}


def _declare(values: Values, new: Values, block: DeclarationBlock) -> None:
    for name, value in new.items():
        # What is important stays so, whatever the block declares behind it.
        if values is block.normal and name in block.important:
            continue
        values.pop(name, None)
        values[name] = value
        if values is block.important:
            block.normal.pop(name, None)


# From the style sheets that browsers have of their own (the HTML standard's "Rendering"). None of them is changed.
_NOTHING: Values = {}
_INKED: Values = {"color": BLACK}
_BY_TAG: dict[str, Values] = {
    "a": _INKED,
    "mark": _INKED,
    "button": {"color": BLACK, "font-size": Length(px=13.3)},
}


# Declarations of plain words, numbers and lengths, read without the parser: most are no more than that.
#
# The tokens are the same as tinycss2's, but for the places that they stand at, which nobody asks for.

_NAME = r"(?:--|-?[A-Za-z_])[A-Za-z0-9_-]{0,80}+"
_PLAIN_DECLARATION = re.compile(
    rf"[{_SPACE}]*+(?P<name>{_NAME})[{_SPACE}]*+:(?P<value>[^!]*+)"
    rf"(?P<important>![{_SPACE}]*+[iI][mM][pP][oO][rR][tT][aA][nN][tT][{_SPACE}]*+)?"
)
_PIECE = re.compile(
    rf"(?P<space>[{_SPACE}]++)"
    rf"|(?:(?P<number>[+-]?(?:\d{{1,9}}(?:\.\d{{1,9}})?|\.\d{{1,9}}))(?P<unit>%|[A-Za-z]{{1,9}})?"
    rf"|(?P<word>{_NAME})|\#(?P<hash>[0-9A-Za-z]{{1,64}}+))(?=[{_SPACE},/]|\Z)"
    r"|(?P<sign>,|/(?!\*))",
    re.ASCII,
)


def plain_declaration(text: str) -> Token | None:
    """Return what a declaration says; None for one that is not plain."""
    parts = _PLAIN_DECLARATION.fullmatch(text)
    # The value of a variable is any text, whose tokens count where it is put in.
    if parts is None or parts["name"].startswith("--"):
        return None
    tokens: list[Token] = []
    value, place = parts["value"], 0
    while place < len(value):
        piece = _PIECE.match(value, place)
        if piece is None:
            return None
        place = piece.end()
        tokens.append(_token(piece))
    name, is_important = parts["name"], parts["important"] is not None
    return ast.Declaration(1, 1, name, name.lower(), tokens, is_important)


def _token(piece: re.Match[str]) -> Token:
    match piece.lastgroup:
        case "space":
            return ast.WhitespaceToken(1, 1, piece["space"])
        case "word":
            return ast.IdentToken(1, 1, piece["word"])
        case "hash":
            return ast.HashToken(1, 1, piece["hash"], piece["hash"][0].isalpha())
        case "sign":
            return ast.LiteralToken(1, 1, piece["sign"])
        case _:
            return _number(piece["number"], piece["unit"])


def _number(number: str, unit: str | None) -> Token:
    # As tinycss2 has it: the whole number is None for one with a point.
    value, whole = float(number), None if "." in number else int(number)
    if unit is None:
        return ast.NumberToken(1, 1, value, whole, number)
    if unit == "%":
        return ast.PercentageToken(1, 1, value, whole, number)
    return ast.DimensionToken(1, 1, value, whole, number, unit)
