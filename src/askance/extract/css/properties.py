"""The properties that decide whether a text is seen, each with the values that it may have.

A value that a browser would refuse is refused here, too: the declaration before it counts then.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import lru_cache

from askance.extract.css.colours import CLEAR, UNKNOWN, is_picture, parse_ink
from askance.extract.css.shapes import (
    parse_clip,
    parse_filter,
    parse_mask,
    parse_rotate,
    parse_scale,
    parse_transform,
    parse_translate,
)
from askance.extract.css.tokens import (
    Length,
    Token,
    Tokens,
    four_sides,
    keyword,
    parse_fraction,
    parse_length,
    significant,
    split_commas,
)

Values = dict[str, object]
Parser = Callable[[Tokens], object]


class Wide(Enum):
    """The keywords that every property takes."""

    INHERIT = "inherit"
    INITIAL = "initial"
    UNSET = "unset"


# Stands for every keyword in the place of a length: `auto`, `normal`, `none`, `fit-content` …
AUTO = "auto"

_WIDE = {
    "inherit": Wide.INHERIT, "initial": Wide.INITIAL, "unset": Wide.UNSET, "revert": Wide.UNSET,
    "revert-layer": Wide.UNSET,
}  # fmt: skip
_DISPLAYS = frozenset({
    "none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "inline-grid",
    "table", "inline-table", "table-row", "table-cell", "table-row-group", "table-header-group",
    "table-footer-group", "table-column", "table-column-group", "table-caption", "list-item",
    "contents", "flow-root", "flow", "run-in", "ruby", "ruby-text", "ruby-base", "math",
    "-webkit-box", "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex", "-ms-flexbox",
    "-ms-inline-flexbox", "-moz-box",
})  # fmt: skip
_FONT_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "math": 16.0,
}  # fmt: skip
_POSITIONS = frozenset({"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_OVERFLOWS = frozenset({"visible", "hidden", "clip", "scroll", "auto", "overlay"})
_VISIBILITIES = frozenset({"visible", "hidden", "collapse"})
_LENGTHS = (
    "left", "right", "top", "bottom", "margin-left", "margin-top", "padding-top", "padding-bottom",
    "width", "height", "max-width", "max-height", "min-width", "min-height",
)  # fmt: skip
_SIDES = ("top", "right", "bottom", "left")

_ALIASES = {
    "margin-inline-start": "margin-left", "margin-inline-end": "margin-right",
    "margin-block-start": "margin-top", "margin-block-end": "margin-bottom",
    "inset-inline-start": "left", "inset-inline-end": "right", "inset-block-start": "top",
    "inset-block-end": "bottom", "inline-size": "width", "block-size": "height",
    "max-inline-size": "max-width", "max-block-size": "max-height",
    "min-inline-size": "min-width", "min-block-size": "min-height",
    "padding-block-start": "padding-top", "padding-block-end": "padding-bottom",
    "overflow-inline": "overflow-x", "overflow-block": "overflow-y",
    "mask": "mask-image",
}  # fmt: skip
_PREFIXES = ("-webkit-", "-moz-", "-ms-", "-o-")


def parse_property(name: str, tokens: Tokens) -> Values | None:
    """Return the longhands that a declaration sets; None if nothing here needs it, or it is invalid."""
    plain = _plain_name(name)
    longhands = longhands_of(plain)
    if not longhands:
        return None
    if (word := keyword(tokens)) in _WIDE:
        return dict.fromkeys(longhands, _WIDE[word])
    if plain in _SHORTHANDS:
        return _SHORTHANDS[plain][1](tokens)
    value = _LONGHANDS[plain](tokens)
    return None if value is None else {plain: value}


@lru_cache(maxsize=2000)
def longhands_of(name: str) -> tuple[str, ...]:
    """Return what a property stands for; nothing if it cannot hide a text."""
    plain = _plain_name(name)
    if plain in _SHORTHANDS:
        return _SHORTHANDS[plain][0]
    return (plain,) if plain in _LONGHANDS else ()


def _plain_name(name: str) -> str:
    # The one property here that browsers know with a prefix alone.
    if name == "-webkit-text-fill-color":
        return name
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return _ALIASES.get(name, name)


def _word(allowed: frozenset[str]) -> Parser:
    def parse(tokens: Tokens) -> str | None:
        words = _idents(tokens)
        is_whole = len(words) == len(significant(tokens)) > 0
        return words[0] if is_whole and allowed.issuperset(words) else None

    return parse


def _idents(tokens: Tokens) -> list[str]:
    return [token.lower_value for token in significant(tokens) if token.type == "ident"]


def _display(tokens: Tokens) -> str | None:
    words = _idents(tokens)
    return " ".join(words) if words and _DISPLAYS.issuperset(words) else None


def _length(tokens: Tokens) -> Length | str | None:
    parts = significant(tokens)
    if len(parts) != 1:
        return None
    if parts[0].type == "ident":
        return AUTO
    length = parse_length(parts[0])
    # `fit-content(…)` and other functions leave room for a text.
    return AUTO if length is None and parts[0].type == "function" else length


def _indent(tokens: Tokens) -> Length | None:
    """Take the length; `hanging` and `each-line` may stand beside it."""
    lengths = [length for token in significant(tokens) if (length := parse_length(token))]
    return lengths[0] if len(lengths) == 1 else None


def _font_size(tokens: Tokens) -> Length | None:
    if (word := keyword(tokens)) is not None:
        if word in {"smaller", "larger"}:
            return Length(em=1.2 if word == "larger" else 0.83)
        return Length(px=_FONT_SIZES[word]) if word in _FONT_SIZES else None
    length = _length(tokens)
    return length if isinstance(length, Length) else None


def _font(tokens: Tokens) -> Values | None:
    parts = significant(tokens)
    for i, token in enumerate(parts):
        size = _size_in_font(token)
        if size is None:
            continue
        # The shorthand resets the height of lines to what is normal.
        values: Values = {"font-size": size, "line-height": AUTO}
        if len(parts) > i + 2 and parts[i + 1].type == "literal" and parts[i + 1].value == "/":
            values["line-height"] = parse_length(parts[i + 2]) or AUTO
        return values
    return {"font-size": Length(px=_FONT_SIZES["medium"])} if keyword(tokens) else None


def _size_in_font(token: Token) -> Length | None:
    if token.type == "ident":
        return Length(px=size) if (size := _FONT_SIZES.get(token.lower_value)) else None
    # A number other than 0 is the weight.
    return None if token.type == "number" and float(token.value) else parse_length(token)


def _ink(tokens: Tokens) -> object:
    parts = significant(tokens)
    return parse_ink(parts[0]) if len(parts) == 1 else None


def _opacity(tokens: Tokens) -> float | None:
    parts = significant(tokens)
    return parse_fraction(parts[0]) if len(parts) == 1 else None


def _overflow(tokens: Tokens) -> Values | None:
    words = _idents(tokens)
    if not words or not _OVERFLOWS.issuperset(words):
        return None
    return {"overflow-x": words[0], "overflow-y": words[-1]}


def _background(tokens: Tokens) -> Values | None:
    layers = [significant(layer) for layer in split_commas(tokens)]
    if not all(layers):
        return None
    # Only the last layer of a background may have a colour.
    inks = [ink for token in layers[-1] if (ink := parse_ink(token)) is not None]
    words = {token.lower_value for layer in layers for token in layer if token.type == "ident"}
    return {
        "background-color": UNKNOWN if _picture(tokens) else inks[0] if inks else CLEAR,
        "background-clip": "text" if "text" in words else AUTO,
    }


def _picture(tokens: Tokens) -> bool:
    return any(map(is_picture, significant(tokens)))


def _background_clip(tokens: Tokens) -> str | None:
    words = _idents(tokens)
    return ("text" if "text" in words else AUTO) if words else None


def _shadow(tokens: Tokens) -> tuple[object, ...]:
    """Return the colours of a text's shadows; one without a colour has the text's own."""
    if keyword(tokens) == "none":
        return ()
    return tuple(ink for token in significant(tokens) if (ink := parse_ink(token)) is not None)


def _sides(prefix: str, wanted: tuple[str, ...]) -> Callable[[Tokens], Values | None]:
    def parse(tokens: Tokens) -> Values | None:
        lengths = [_length([token]) for token in significant(tokens)]
        if not 1 <= len(lengths) <= 4 or None in lengths:
            return None
        sides = zip(_SIDES, four_sides(lengths), strict=True)
        return {f"{prefix}{side}": value for side, value in sides if side in wanted}

    return parse


def _pair(first: str, second: str) -> Callable[[Tokens], Values | None]:
    def parse(tokens: Tokens) -> Values | None:
        lengths = [_length([token]) for token in significant(tokens)]
        if not 1 <= len(lengths) <= 2 or None in lengths:
            return None
        values = {first: lengths[0], second: lengths[-1]}
        return {name: value for name, value in values.items() if name in _LONGHANDS}

    return parse


def _animation(tokens: Tokens) -> Values:
    """Take every word for a possible name; only one that has keyframes counts."""
    names = tuple(t.value for t in significant(tokens) if t.type in {"ident", "string"})
    return {
        "animation-name": names,
        "animation-fill-mode": "forwards" if {"forwards", "both"}.intersection(names) else "none",
        "animation-iteration-count": "infinite" if "infinite" in names else "1",
    }


def _flex(tokens: Tokens) -> Values | None:
    if (word := keyword(tokens)) is not None:
        return {"flex-grow": 1.0 if word == "auto" else 0.0}
    parts = significant(tokens)
    grow = parse_fraction(parts[0]) if parts and parts[0].type == "number" else None
    return {"flex-grow": 1.0 if grow is None else grow} if parts else None


_LONGHANDS: dict[str, Parser] = {
    "display": _display,
    "visibility": _word(_VISIBILITIES),
    "content-visibility": _word(frozenset({"visible", "hidden", "auto"})),
    "opacity": _opacity,
    "position": _word(_POSITIONS),
    "font-size": _font_size,
    "line-height": _length,
    "letter-spacing": _length,
    "text-indent": _indent,
    "text-shadow": _shadow,
    "color": _ink,
    "-webkit-text-fill-color": _ink,
    "background-color": _ink,
    "background-image": _picture,
    "background-clip": _background_clip,
    "overflow-x": _word(_OVERFLOWS),
    "overflow-y": _word(_OVERFLOWS),
    "clip": parse_clip,
    "clip-path": parse_clip,
    "filter": parse_filter,
    "mask-image": parse_mask,
    "transform": parse_transform,
    "translate": parse_translate,
    "scale": parse_scale,
    "rotate": parse_rotate,
    "zoom": _opacity,
    "flex-grow": _opacity,
    "animation-name": lambda tokens: _animation(tokens)["animation-name"],
    "animation-fill-mode": lambda tokens: _animation(tokens)["animation-fill-mode"],
    "animation-iteration-count": lambda tokens: _animation(tokens)["animation-iteration-count"],
    **dict.fromkeys(_LENGTHS, _length),
}
_SHORTHANDS: dict[str, tuple[tuple[str, ...], Callable[[Tokens], Values | None]]] = {
    "font": (("font-size", "line-height"), _font),
    "background": (("background-color", "background-clip"), _background),
    "overflow": (("overflow-x", "overflow-y"), _overflow),
    "inset": (_SIDES, _sides("", _SIDES)),
    "inset-inline": (("left", "right"), _pair("left", "right")),
    "inset-block": (("top", "bottom"), _pair("top", "bottom")),
    "margin": (("margin-top", "margin-left"), _sides("margin-", ("top", "left"))),
    "margin-inline": (("margin-left",), _pair("margin-left", "margin-right")),
    "margin-block": (("margin-top",), _pair("margin-top", "margin-bottom")),
    "padding": (("padding-top", "padding-bottom"), _sides("padding-", ("top", "bottom"))),
    "padding-block": (("padding-top", "padding-bottom"), _pair("padding-top", "padding-bottom")),
    "animation": (
        ("animation-name", "animation-fill-mode", "animation-iteration-count"),
        _animation,
    ),
    "flex": (("flex-grow",), _flex),
}
