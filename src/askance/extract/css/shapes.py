"""Transforms, clips, masks and filters: where they move a text, and whether they leave anything of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from askance.extract.css.colours import FAINTEST, is_clear_gradient, is_picture
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

# Below these a text is a dot or a line.
SMALLEST_SCALE = 0.1
THINNEST_PX = 1.0
WIDEST_BLUR_PX = 10.0

_TURN = {"deg": 1 / 360, "grad": 1 / 400, "rad": 1 / math.tau, "turn": 1.0}


class Move(NamedTuple):
    """What a transform does: how far it moves its box, and whether it leaves it without a surface."""

    x: Length = Length()
    y: Length = Length()
    is_flat: bool = False


def parse_transform(tokens: Tokens) -> Move | None:
    """Return what a list of transform functions does, or None if it is none."""
    move = Move()
    if keyword(tokens) == "none":
        return move
    for token in significant(tokens):
        step = _step(token) if token.type == "function" else None
        if step is None:
            return None
        move = Move(move.x.plus(step.x), move.y.plus(step.y), move.is_flat or step.is_flat)
    return move


def parse_translate(tokens: Tokens) -> Move | None:
    """Return the movement of the property `translate`."""
    lengths = [] if keyword(tokens) == "none" else _lengths(significant(tokens))
    return None if lengths is None else _moved_by(lengths)


def parse_scale(tokens: Tokens) -> bool | None:
    """Whether the property `scale` leaves nothing; None if it is invalid."""
    if keyword(tokens) == "none":
        return False
    factors = [parse_fraction(token) for token in significant(tokens)]
    return None if not factors or None in factors else _is_flat(factors[:2])


def parse_rotate(tokens: Tokens) -> bool | None:
    """Whether the property `rotate` turns the box's edge to the reader; None if it is invalid."""
    parts = significant(tokens)
    if keyword(tokens) == "none" or not parts:
        return None if not parts else False
    axes = {token.lower_value for token in parts if token.type == "ident"}
    # Around the axis through the page, the default, a box stays as large as it is.
    turns = [turn for token in parts if (turn := _turn(token)) is not None]
    return bool(axes & {"x", "y"}) and any(map(_is_edge_on, turns)) if turns else None


def parse_clip(tokens: Tokens) -> bool | None:
    """Whether `clip` or `clip-path` cuts everything away; None if it is invalid."""
    parts = significant(tokens)
    if not parts:
        return None
    return any(
        _SHAPES[token.lower_name](token.arguments)
        for token in parts
        if token.type == "function" and token.lower_name in _SHAPES
    )


def parse_filter(tokens: Tokens) -> bool | None:
    """Whether a filter leaves nothing that can be read; None if it is invalid."""
    parts = significant(tokens)
    return any(_blots_out(token) for token in parts if token.type == "function") if parts else None


def parse_mask(tokens: Tokens) -> bool | None:
    """Whether a mask lets nothing through; None if it is invalid."""
    parts = significant(tokens)
    if not parts:
        return None
    pictures = list(filter(is_picture, parts))
    return bool(pictures) and all(map(is_clear_gradient, pictures))


def _step(token: Token) -> Move | None:
    name = token.lower_name
    parts = [significant(part) for part in split_commas(token.arguments)]
    arguments = [part[0] for part in parts if len(part) == 1]
    if len(arguments) < len(parts):
        return None
    if name.startswith("translate"):
        return _translation(name, arguments)
    if name.startswith("scale"):
        factors = [parse_fraction(argument) for argument in arguments]
        seen = factors if name in {"scalex", "scaley"} else factors[:2]
        return None if None in factors else Move(is_flat=name != "scalez" and _is_flat(seen))
    if name.startswith("matrix"):
        return _matrix([parse_fraction(argument) for argument in arguments])
    if name in {"rotatex", "rotatey", "skewx", "skewy", "rotate3d"}:
        turn = _turn(arguments[-1])
        return None if turn is None else Move(is_flat=_is_edge_on(turn))
    return Move()


def _translation(name: str, arguments: Sequence[Token]) -> Move | None:
    lengths = _lengths(arguments)
    if not lengths:
        return None
    match name:
        case "translatey":
            return Move(y=lengths[0])
        case "translatez":
            return Move()
        case "translatex":
            return Move(x=lengths[0])
        case _:
            return _moved_by(lengths)


def _moved_by(lengths: Sequence[Length]) -> Move:
    x, y = [*lengths[:2], Length(), Length()][:2]
    return Move(x, y)


def _matrix(numbers: Sequence[float | None]) -> Move | None:
    m = [number for number in numbers if number is not None]
    if len(m) == len(numbers) == 6:
        a, b, c, d, x, y = m
    elif len(m) == len(numbers) == 16:
        a, b, c, d, x, y = m[0], m[1], m[4], m[5], m[12], m[13]
    else:
        return None
    # The determinant is the factor by which an area grows.
    return Move(Length(px=x), Length(px=y), is_flat=abs(a * d - b * c) < SMALLEST_SCALE**2)


def _lengths(tokens: Sequence[Token]) -> list[Length] | None:
    lengths = [parse_length(token) for token in tokens]
    known = [length for length in lengths if length is not None]
    return known if len(known) == len(lengths) else None


def _is_flat(factors: Sequence[float | None]) -> bool:
    return any(factor is not None and abs(factor) < SMALLEST_SCALE for factor in factors)


def _turn(token: Token) -> float | None:
    if token.type == "dimension" and token.lower_unit in _TURN:
        return float(token.value) * _TURN[token.lower_unit]
    return None


def _is_edge_on(turn: float) -> bool:
    return math.isfinite(turn) and abs(math.cos(turn * math.tau)) < SMALLEST_SCALE


def _blots_out(token: Token) -> bool:
    parts = significant(token.arguments)
    amount = parse_length(parts[0]) if len(parts) == 1 else None
    if amount is None:
        return False
    match token.lower_name:
        case "opacity" | "contrast":
            return amount.px + amount.percent / 100 < FAINTEST
        case "blur":
            return amount.roughly() >= WIDEST_BLUR_PX
        case _:
            return False


def _edges(arguments: Tokens) -> list[Length | None]:
    """Return up to four lengths in the order of `margin`, made four as there; `round` ends them."""
    lengths: list[Length | None] = []
    for token in significant(arguments):
        if token.type == "ident" and token.lower_value == "round":
            break
        if token.type != "literal":
            lengths.append(parse_length(token))
    return four_sides(lengths)


def _no_rectangle(arguments: Tokens) -> bool:
    edges = _edges(arguments)
    if len(edges) < 4:
        return False
    top, right, bottom, left = edges
    return _is_thin(top, bottom) or _is_thin(left, right)


def _is_thin(start: Length | None, end: Length | None) -> bool:
    # `auto`, or a percentage against a length: not to be told.
    if (
        start is None
        or end is None
        or (bool(start.percent) != bool(end.percent) and start.roughly())
    ):
        return False
    return end.plus(start.times(-1)).roughly() <= THINNEST_PX


def _no_inset(arguments: Tokens) -> bool:
    edges = [edge or Length() for edge in _edges(arguments)]
    if len(edges) < 4:
        return False
    # Of lengths it is not known how large the box is that they cut from.
    top, right, bottom, left = (edge.percent for edge in edges)
    return top + bottom >= 100 or left + right >= 100


def _no_radius(arguments: Tokens) -> bool:
    radii: list[Length] = []
    for token in significant(arguments):
        length = parse_length(token)
        if length is None:
            break  # a keyword, or `at` and the centre
        radii.append(length)
    return any(radius.roughly() <= THINNEST_PX for radius in radii)


def _no_polygon(arguments: Tokens) -> bool:
    corners = [
        lengths
        for part in split_commas(arguments)
        if len(lengths := _lengths(significant(part)) or []) == 2
    ]
    # Two corners enclose nothing; where none is understood nothing is said.
    if len(corners) < 3:
        return bool(corners)
    return any(
        max(values) - min(values) <= THINNEST_PX
        for axis in (0, 1)
        if (values := [corner[axis].roughly() for corner in corners])
    )


def _no_size(arguments: Tokens) -> bool:
    lengths = _lengths([token for token in significant(arguments) if token.type != "ident"]) or []
    return any(length.roughly() <= THINNEST_PX for length in lengths[2:4])


_SHAPES: dict[str, Callable[[Tokens], bool]] = {
    "rect": _no_rectangle,
    "inset": _no_inset,
    "circle": _no_radius,
    "ellipse": _no_radius,
    "polygon": _no_polygon,
    "xywh": _no_size,
}
