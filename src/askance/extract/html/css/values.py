"""Component values of CSS: parsed with tinycss2, cut at commas, plain lengths, and colours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import tinycss2
from tinycss2.ast import Node as Token
from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

Tokens = Sequence[Token]
_Value = TypeVar("_Value")

# Python refuses to convert a number of thousands of digits; no screen has that many pixels.
_ENDLESS_NUMBER = re.compile(r"(?<![0-9])[0-9]{300,}+")

# The screen that a page is judged on: CSS pixels of an ordinary laptop's browser window.
SCREEN_WIDTH = 1280.0
SCREEN_HEIGHT = 800.0
FONT_PX = 16.0
# Beyond any screen, and far from where numbers lose their digits.
_FARTHEST = 1e7
_PX = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78,
    "vw": SCREEN_WIDTH / 100, "vh": SCREEN_HEIGHT / 100,
}  # fmt: skip
_EM = {"em": 1.0, "ex": 0.5, "ch": 0.5}


def declarations_of(block: str) -> list[Token]:
    """Parse a block, or the text of a `style` attribute, into declarations; rules nested in it are left out."""
    nodes = tinycss2.parse_blocks_contents(
        _shortened(block), skip_comments=True, skip_whitespace=True
    )
    return [node for node in nodes if node.type == "declaration"]


def values_of(text: str) -> list[Token]:
    """Parse the value of a property, or a selector."""
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

    def plus(self, other: Length) -> Length:
        """Return the sum."""
        return Length(*(a + b for a, b in zip(self, other, strict=True)))


def parse_length(token: Token) -> Length | None:
    """Return the length that a token stands for; None if it is none, is computed, or has a rare unit."""
    if token.type not in {"number", "percentage", "dimension"}:
        return None
    number = max(-_FARTHEST, min(_FARTHEST, float(token.value)))
    if token.type == "number":
        return Length(px=number)
    if token.type == "percentage":
        return Length(percent=number)
    unit = token.lower_unit
    if unit in _PX:
        return Length(px=number * _PX[unit])
    if unit in _EM:
        return Length(em=number * _EM[unit])
    return Length(rem=number) if unit == "rem" else None


def parse_fraction(token: Token) -> float | None:
    """Return a number or a percentage as a fraction of one (opacity, scale)."""
    length = parse_length(token) if token.type != "dimension" else None
    return None if length is None else length.px + length.percent / 100


def _shortened(text: str) -> str:
    return _ENDLESS_NUMBER.sub("9" * 9, text)


# Colours, as far as they decide whether letters are drawn: whether an ink is transparent, or the same as a paper.

# Channels, from 0 to 1, that are nearer than this are the same to an eye.
_SAME = 0.05
# Below this a text is a shadow.
FAINTEST = 0.1


class Colour(NamedTuple):
    """A colour by the coordinates of its space, and its alpha, from 0 to 1."""

    space: str
    parts: tuple[float, ...] = ()
    alpha: float = 1.0

    def is_like(self, other: Colour) -> bool:
        """Whether two colours are both known and opaque, and the same."""
        if not self.parts or self.space != other.space or min(self.alpha, other.alpha) < 1:
            return False
        return all(abs(a - b) < _SAME for a, b in zip(self.parts, other.parts, strict=True))

    def is_clear(self) -> bool:
        """Whether it is so transparent that nothing is seen of it."""
        return self.alpha < FAINTEST


BLACK = Colour("srgb", (0.0, 0.0, 0.0))
CLEAR = Colour("srgb", (0.0, 0.0, 0.0), 0.0)
# A colour that is there and cannot be determined: a picture, a mixture, a system colour.
UNKNOWN = Colour("unknown")
# The colour of the parent or of the element's own text.
CURRENT = Colour("current")


def parse_ink(token: Token) -> Colour | None:
    """Return the colour that a token names; `CURRENT`, `UNKNOWN`, or None if it names none."""
    try:
        found = parse_color(token)
    except (ValueError, TypeError, ArithmeticError, AttributeError, IndexError):
        return None  # a function with nothing in it
    if isinstance(found, Color):
        color = found.to("srgb") if found.space in {"hsl", "hwb"} else found
        parts = tuple(float(part or 0) for part in color.coordinates)
        return Colour(str(color.space), parts, float(color.alpha))
    if found is None:
        return None
    return CURRENT if found == "currentcolor" else UNKNOWN


def is_picture(token: Token) -> bool:
    """Whether a token of a background names a picture: an address, a gradient, another function that makes one."""
    return token.type == "url" or (token.type == "function" and parse_ink(token) is None)
