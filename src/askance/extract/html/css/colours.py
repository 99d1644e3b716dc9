"""Colours, as far as they decide whether letters are drawn: whether an ink is transparent, or the same as a paper."""

from __future__ import annotations

from typing import NamedTuple

from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

from askance.extract.html.css.values import Token

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
