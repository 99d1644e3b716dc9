"""Colours as a browser mixes them, and whether a text can be told from what lies behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from tinycss2.color4 import Color
from tinycss2.color5 import parse_color

from askance.extract.css.tokens import Token, Tokens, significant, values_of

# WCAG's contrast runs from 1 to 21. What is printed to be read has 1.5 and more even where it is
# faint: #ccc on white 1.6. #eee on white, 1.16, is a hairline's colour and not a letter's.
LEAST_CONTRAST = 1.2
# Red on green may have a contrast of 1, and is seen; all channels must be near, too.
NEAR_CHANNEL = 0.16
# Linear sRGB from CIE XYZ with white point D65 (CSS Color 4, sample code).
_FROM_XYZ = ((3.2410, -1.5374, -0.4986), (-0.9692, 1.8760, 0.0416), (0.0556, -0.2040, 1.0570))
# The quotients of the two white points, a simple adaptation from one to the other.
_D65_BY_D50 = (0.9857, 1.0, 1.3196)
_HEX_LENGTHS = {3, 6}
_GRADIENT = "gradient"
_FUNCTIONS = frozenset({
    "rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix",
    "light-dark", "device-cmyk", "contrast-color",
})  # fmt: skip


class Colour(NamedTuple):
    """Red, green, blue and alpha, from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, behind: Colour) -> Colour:
        """Return what is seen where this one lies over an opaque colour."""
        mixed = (
            a * self.alpha + b * (1 - self.alpha) for a, b in zip(self[:3], behind, strict=False)
        )
        return Colour(*mixed)

    @property
    def luminance(self) -> float:
        """The relative luminance (WCAG 2)."""
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in self[:3]
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class Unknown:
    """A colour that is there and cannot be told: a picture, a mixture, a system colour."""


BLACK = Colour(0, 0, 0)
WHITE = Colour(1, 1, 1)
CLEAR = Colour(0, 0, 0, 0)
UNKNOWN = Unknown()
# Said of a text whose colour is the one of its parent or of its element.
CURRENT = "currentcolor"
Ink = Colour | Unknown | str

_SYSTEM = {
    "canvas": WHITE, "canvastext": BLACK, "field": WHITE, "fieldtext": BLACK, "window": WHITE,
    "windowtext": BLACK, "buttontext": BLACK, "linktext": Colour(0, 0, 0.93),
}  # fmt: skip


@lru_cache(maxsize=10_000)
def is_lost(ink: Colour, paper: Colour) -> bool:
    """Whether letters of one colour cannot be seen on another."""
    seen = ink.over(paper)
    # WCAG 2's formula; its 0.05 stands for the light that falls on a screen.
    lighter, darker = sorted((seen.luminance, paper.luminance), reverse=True)
    if (lighter + 0.05) / (darker + 0.05) >= LEAST_CONTRAST:
        return False
    return max(abs(a - b) for a, b in zip(seen[:3], paper[:3], strict=True)) < NEAR_CHANNEL


def parse_ink(token: Token) -> Ink | None:
    """Return the colour that a token names; `CURRENT`, `UNKNOWN`, or None if it names none."""
    if token.type == "ident" and token.lower_value in _SYSTEM:
        return _SYSTEM[token.lower_value]
    try:
        found = parse_color(token)
    except (ValueError, TypeError, ArithmeticError, AttributeError, IndexError):
        found = None  # a function with nothing in it
    if isinstance(found, Color):
        return _srgb(found)
    if found is not None:
        return CURRENT
    if token.type == "function" and token.lower_name == "color-mix":
        return _mixture(token.arguments)
    is_colour = token.type == "function" and token.lower_name in _FUNCTIONS
    return UNKNOWN if is_colour else None


def _mixture(arguments: Tokens) -> Ink:
    """Return what two colours mix to: known where they are nearly one, in whichever space."""
    inks = [ink for token in arguments if (ink := parse_ink(token)) is not None]
    colours = [ink for ink in inks if isinstance(ink, Colour) and ink.alpha == 1]
    if len(inks) != 2 or len(colours) != 2 or not is_lost(*colours):
        return UNKNOWN
    return colours[0]


def parse_legacy(text: str) -> Ink | None:
    """Return the colour of an old attribute (`bgcolor`, `text`), which may lack its `#`."""
    plain = text.strip().lower().removeprefix("#")
    if len(plain) in _HEX_LENGTHS and all(letter in "0123456789abcdef" for letter in plain):
        step = len(plain) // 3
        parts = [plain[i : i + step] * (3 - step) for i in range(0, len(plain), step)]
        return Colour(*(int(part, 16) / 255 for part in parts))
    tokens = significant(values_of(text))
    return parse_ink(tokens[0]) if len(tokens) == 1 else None


def parse_picture(token: Token) -> tuple[Colour, ...] | Unknown | None:
    """Return the colours of a gradient, `UNKNOWN` for another picture, None for what is none."""
    if token.type == "url":
        return UNKNOWN
    if token.type != "function":
        return None
    name = token.lower_name
    if _GRADIENT in name:
        return _stops(token.arguments)
    return (
        UNKNOWN if name in {"url", "image-set", "image", "cross-fade", "element", "paint"} else None
    )


def blended(tops: Iterable[Colour], papers: Sequence[Colour]) -> tuple[Colour, ...]:
    """Return what may be seen where one of some colours lies over one of others."""
    # Bounded, since layers of gradients multiply.
    return tuple(dict.fromkeys(top.over(paper) for top in tops for paper in papers))[:8]


def _stops(arguments: Tokens) -> tuple[Colour, ...] | Unknown:
    inks = [ink for token in arguments if (ink := parse_ink(token)) is not None]
    colours = tuple(ink for ink in inks if isinstance(ink, Colour))
    return colours if colours and len(colours) == len(inks) else UNKNOWN


def _srgb(color: Color) -> Ink:
    alpha = float(color.alpha)
    match color.space:
        case "srgb":
            parts = color.coordinates
        case "hsl" | "hwb":
            parts = color.to("srgb").coordinates
        case "lab" | "lch":
            xyz = color.to("xyz-d50").coordinates
            parts = _from_xyz([(a or 0) * b for a, b in zip(xyz, _D65_BY_D50, strict=True)])
        case "oklab" | "oklch":
            parts = _from_xyz(color.to("xyz-d65").coordinates)
        case "display-p3" | "a98-rgb" | "prophoto-rgb" | "rec2020":
            # Wider spaces: grey and white are the same there, and the rest is close enough.
            parts = color.coordinates
        case _:
            return UNKNOWN
    red, green, blue = (max(0.0, min(1.0, float(part or 0))) for part in parts)
    return Colour(red, green, blue, alpha)


def _from_xyz(xyz: Sequence[float | None]) -> tuple[float, ...]:
    linear = (sum(row[i] * (xyz[i] or 0) for i in range(3)) for row in _FROM_XYZ)
    return tuple(
        12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear
    )
