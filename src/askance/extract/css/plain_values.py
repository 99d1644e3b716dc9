"""Declarations of plain words, numbers and lengths, read without the parser: most are no more than that.

The tokens are the same as tinycss2's, but for the places that they stand at, which nobody asks for.
"""

from __future__ import annotations

import re

from tinycss2 import ast

from askance.extract.css.tokens import Token

_SPACE = r" \t\n\r\f"
_NAME = r"(?:--|-?[A-Za-z_])[A-Za-z0-9_-]{0,80}+"
_DECLARATION = re.compile(
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
    parts = _DECLARATION.fullmatch(text)
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
    value, whole = float(number), None if "." in number else int(number)
    if unit is None:
        return ast.NumberToken(1, 1, value, whole, number)
    if unit == "%":
        return ast.PercentageToken(1, 1, value, whole, number)
    return ast.DimensionToken(1, 1, value, whole, number, unit)
