"""Colours, as far as they decide whether letters are drawn: whether an ink is transparent, or the same as a paper."""

from __future__ import annotations

from typing import NamedTuple

from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

from askance.extract.css.tokens import Token

_FUNCTIONS = frozenset({
    "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix",
    "light-dark", "device-cmyk", "contrast-color",
})  # fmt: skip
_SYSTEM = frozenset({
    "canvas", "canvastext", "field", "fieldtext", "window", "windowtext", "buttonface", "buttontext",
    "linktext", "visitedtext", "activetext", "graytext", "highlight", "highlighttext",
})  # fmt: skip
# Channels, from 0 to 1, that are nearer than this are the same to an eye.
_SAME = 0.05
# Below this a text is a shadow.
FAINTEST = 0.1
_PICTURES = frozenset({"url", "image-set", "image", "cross-fade", "element", "paint"})


class Colour(NamedTuple):
    """A colour by the coordinates of its space, and its alpha, from 0 to 1."""

    space: str
    parts: tuple[float, ...]
    alpha: float = 1.0

    def is_like(self, other: Colour) -> bool:
        """Whether two colours are both opaque, and the same."""
        if self.space != other.space or min(self.alpha, other.alpha) < 1:
            return False
        return all(abs(a - b) < _SAME for a, b in zip(self.parts, other.parts, strict=True))


class Unknown:
    """A colour that is there and cannot be told: a picture, a mixture, a system colour."""


BLACK = Colour("srgb", (0.0, 0.0, 0.0))
CLEAR = Colour("srgb", (0.0, 0.0, 0.0), 0.0)
UNKNOWN = Unknown()
# Said of a text whose colour is the one of its parent or of its element.
CURRENT = "currentcolor"
Ink = Colour | Unknown | str


def parse_ink(token: Token) -> Ink | None:
    """Return the colour that a token names; `CURRENT`, `UNKNOWN`, or None if it names none."""
    if token.type == "ident" and token.lower_value in _SYSTEM:
        return UNKNOWN
    try:
        found = parse_color(token)
    except (ValueError, TypeError, ArithmeticError, AttributeError, IndexError):
        found = None  # a function with nothing in it
    if isinstance(found, Color):
        return _colour_of(found)
    if found is not None:
        return CURRENT
    is_colour = token.type == "function" and token.lower_name in _FUNCTIONS
    return UNKNOWN if is_colour else None


def is_picture(token: Token) -> bool:
    """Whether a token names a picture: an address, a gradient, another function that makes one."""
    if token.type == "function":
        return token.lower_name in _PICTURES or "gradient" in token.lower_name
    return token.type == "url"


def is_clear_gradient(token: Token) -> bool:
    """Whether a token is a gradient of nothing but transparent colours."""
    if token.type != "function" or "gradient" not in token.lower_name:
        return False
    inks = [ink for part in token.arguments if (ink := parse_ink(part)) is not None]
    return bool(inks) and all(map(is_clear, inks))


def is_clear(ink: object) -> bool:
    """Whether a colour is so transparent that nothing is seen of it."""
    return isinstance(ink, Colour) and ink.alpha < FAINTEST


def _colour_of(color: Color) -> Ink:
    found = color.to("srgb") if color.space in {"hsl", "hwb"} else color
    parts = tuple(float(part or 0) for part in found.coordinates)
    return Colour(str(found.space), parts, float(color.alpha))
