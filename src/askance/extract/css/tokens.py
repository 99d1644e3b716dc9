"""Component values of CSS: parsed with tinycss2, cut at commas, and lengths in every unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import NamedTuple, TypeVar

import tinycss2
from tinycss2.ast import Node as Token

Tokens = Sequence[Token]
Variables = Mapping[str, Tokens]
_Value = TypeVar("_Value")

# A variable may hold others, twice each: bounded in depth and in what comes out.
DEEPEST_VARIABLE = 8
LONGEST_VALUE = 200
# Python refuses to convert a number of thousands of digits; no screen has that many pixels.
_ENDLESS_NUMBER = re.compile(r"(?<![0-9])[0-9]{300,}+")

# The screen that a page is judged on: CSS pixels of an ordinary laptop's browser window.
SCREEN_WIDTH = 1280.0
SCREEN_HEIGHT = 800.0
FONT_PX = 16.0
# Sums and products may be nested; deeper ones are no value.
DEEPEST_SUM = 8
# Beyond any screen, and far from where numbers lose their digits.
_FARTHEST = 1e7
_PX = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "vw": SCREEN_WIDTH / 100, "vh": SCREEN_HEIGHT / 100, "vi": SCREEN_WIDTH / 100,
    "vb": SCREEN_HEIGHT / 100, "vmin": SCREEN_HEIGHT / 100, "vmax": SCREEN_WIDTH / 100,
    "cqw": SCREEN_WIDTH / 100, "cqh": SCREEN_HEIGHT / 100, "cqi": SCREEN_WIDTH / 100,
    "cqb": SCREEN_HEIGHT / 100, "cqmin": SCREEN_HEIGHT / 100, "cqmax": SCREEN_WIDTH / 100,
}  # fmt: skip
_EM = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
_REM = {"rem": 1.0, "rex": 0.5, "rch": 0.5, "rcap": 0.7, "ric": 1.0, "rlh": 1.2}


def rules_of(sheet: str | Iterable[Token]) -> list[Token]:
    """Parse a style sheet, or the block of an at-rule, into its rules."""
    text = _shortened(sheet) if isinstance(sheet, str) else sheet
    return tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)


def declarations_of(block: str | Iterable[Token]) -> list[Token]:
    """Parse a block, or the text of a `style` attribute, into declarations and nested rules."""
    text = _shortened(block) if isinstance(block, str) else block
    return tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)


def values_of(text: str) -> list[Token]:
    """Parse the value of a property, or a media query that stands in an attribute."""
    return tinycss2.parse_component_value_list(_shortened(text), skip_comments=True)


def significant(tokens: Iterable[Token]) -> list[Token]:
    """Return the tokens without white space and comments."""
    return [token for token in tokens if token.type not in {"whitespace", "comment"}]


def keyword(tokens: Tokens) -> str | None:
    """Return the one keyword that a value consists of, or None if it is anything else."""
    only = significant(tokens)
    return only[0].lower_value if len(only) == 1 and only[0].type == "ident" else None


def split_commas(tokens: Iterable[Token]) -> list[list[Token]]:
    """Cut a list of tokens at its commas."""
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def four_sides(values: Sequence[_Value]) -> list[_Value]:
    """Return one to four values as those of top, right, bottom and left, in the way of `margin`."""
    match values:
        case [every]:
            return [every] * 4
        case [vertical, horizontal]:
            return [vertical, horizontal] * 2
        case [top, horizontal, bottom]:
            return [top, horizontal, bottom, horizontal]
        case _:
            return list(values[:4])


def holds_variable(tokens: Iterable[Token]) -> bool:
    """Whether `var()` stands anywhere in a value."""
    waiting = list(tokens)
    # A pile: functions within functions may be as deep as a page likes.
    while waiting:
        token = waiting.pop()
        if token.type == "function":
            if token.lower_name == "var":
                return True
            waiting += token.arguments
        elif token.type == "() block":
            waiting += token.content or ()
    return False


def substituted(
    tokens: Tokens, variables: Variables, depth: int = DEEPEST_VARIABLE
) -> list[Token] | None:
    """Put the values of variables into a value; None if one is missing or they grow too long."""
    out: list[Token] = []
    for token in tokens:
        if token.type != "function":
            out.append(token)
        elif token.lower_name == "var":
            value = _variable(token, variables, depth)
            if value is None:
                return None
            out += value
        else:
            arguments = substituted(token.arguments, variables, depth - 1) if depth else None
            if arguments is None:
                return None
            out.append(_with_arguments(token, arguments))
        if len(out) > LONGEST_VALUE:
            return None
    return out


class Length(NamedTuple):
    """A sum of pixels, font sizes and percentages. A plain number counts as pixels, as in old pages."""

    px: float = 0.0
    em: float = 0.0
    rem: float = 0.0
    percent: float = 0.0

    def pixels(self, font: float, root: float, whole: float) -> float:
        """Return it in pixels; `font` and `root` are font sizes, `whole` what 100 % are."""
        value = self.px + self.em * font + self.rem * root + self.percent * whole / 100
        return max(-_FARTHEST, min(_FARTHEST, value))

    def roughly(self) -> float:
        """Return it in pixels on an ordinary page, to compare two lengths."""
        return self.pixels(FONT_PX, FONT_PX, SCREEN_WIDTH)

    def times(self, factor: float) -> Length:
        """Return it so many times."""
        return Length(*(_bounded(part * factor) for part in self))

    def plus(self, other: Length) -> Length:
        """Return the sum."""
        return Length(*(_bounded(a + b) for a, b in zip(self, other, strict=True)))


def parse_length(token: Token, depth: int = DEEPEST_SUM) -> Length | None:
    """Return the length that a token stands for, or None if it is none."""
    match token.type:
        case "number":
            return Length(px=_number(token))
        case "percentage":
            return Length(percent=_number(token))
        case "dimension":
            return _of_unit(_number(token), token.lower_unit)
        case "() block" if depth:
            return _sum(significant(token.content or ()), depth - 1)
        case "function" if depth:
            return _function(token, depth - 1)
        case _:
            return None


def parse_fraction(token: Token) -> float | None:
    """Return a number or a percentage as a fraction of one (opacity, scale)."""
    length = parse_length(token)
    if length is None or length.em or length.rem:
        return None
    return length.px + length.percent / 100


def _variable(token: Token, variables: Variables, depth: int) -> list[Token] | None:
    name, *fallback = split_commas(token.arguments)
    names = significant(name)
    if not depth or len(names) != 1 or names[0].type != "ident":
        return None
    if names[0].value in variables:
        return substituted(variables[names[0].value], variables, depth - 1)
    if not fallback:
        return None
    # Commas after the first one belong to the fallback; colours and lengths have none there.
    return substituted(fallback[0], variables, depth - 1)


def _with_arguments(token: Token, arguments: list[Token]) -> Token:
    # Without the constructor, which asks for the place in the sheet as well.
    copied = object.__new__(type(token))
    copied.name, copied.lower_name, copied.arguments = token.name, token.lower_name, arguments
    return copied


def _shortened(text: str) -> str:
    return _ENDLESS_NUMBER.sub("9" * 9, text)


def _of_unit(number: float, unit: str) -> Length | None:
    # The small, large and dynamic viewports are the same on a desktop.
    name = unit[1:] if unit[:1] in {"s", "l", "d"} and unit[1:2] == "v" else unit
    if name in _PX:
        return Length(px=number * _PX[name])
    if name in _EM:
        return Length(em=number * _EM[name])
    if name in _REM:
        return Length(rem=number * _REM[name])
    return None


def _function(token: Token, depth: int) -> Length | None:
    parts = [_sum(significant(part), depth) for part in split_commas(token.arguments)]
    lengths = [part for part in parts if part is not None]
    if not lengths or len(lengths) < len(parts):
        return None
    match token.lower_name:
        case "calc" | "-webkit-calc" | "-moz-calc" | "abs" | "anchor-size":
            return lengths[0]
        case "min":
            # Lengths in several units have no exact order: they are compared as on an ordinary page.
            return min(lengths, key=Length.roughly)
        case "max":
            return max(lengths, key=Length.roughly)
        case "clamp" if len(lengths) == 3:
            low, wanted, high = lengths
            return max(low, min(wanted, high, key=Length.roughly), key=Length.roughly)
        case _:
            return None


def _sum(tokens: Tokens, depth: int) -> Length | None:
    """Add terms; `+` and `-` are tokens of their own there, since white space must surround them."""
    total, sign, term = Length(), 1.0, list[Token]()
    for token in tokens:
        if token.type == "literal" and token.value in {"+", "-"}:
            product = _product(term, depth)
            if product is None:
                return None
            total = total.plus(product.times(sign))
            sign, term = (1.0 if token.value == "+" else -1.0), []
        else:
            term.append(token)
    product = _product(term, depth)
    return None if product is None else total.plus(product.times(sign))


def _product(tokens: Tokens, depth: int) -> Length | None:
    value = parse_length(tokens[0], depth) if tokens else None
    # Operands and operators take turns, so that their number is odd.
    if value is None or len(tokens) % 2 == 0:
        return None
    for operator, operand in zip(tokens[1::2], tokens[2::2], strict=True):
        other = parse_length(operand, depth)
        if other is None or operator.type != "literal":
            return None
        if operator.value == "*":
            value = value.times(other.px) if _is_plain(other) else other.times(value.px)
        elif operator.value == "/" and _is_plain(other) and other.px:
            value = value.times(1 / other.px)
        else:
            return None
    return value


def _is_plain(length: Length) -> bool:
    return not (length.em or length.rem or length.percent)


def _number(token: Token) -> float:
    return _bounded(float(token.value))


def _bounded(number: float) -> float:
    # Not a number where infinities met; nothing is as far from anywhere as that.
    return max(-_FARTHEST, min(_FARTHEST, number)) if not isnan(number) else 0.0
