"""Whether a media query holds on the screen of a person who reads: a laptop, a mouse, a light theme."""

from __future__ import annotations

from operator import eq, ge, gt, le, lt

from askance.extract.css.tokens import (
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    Token,
    Tokens,
    parse_fraction,
    parse_length,
    significant,
    split_commas,
)

_TYPES = frozenset({"all", "screen"})
_WORDS = {
    "orientation": {"landscape"}, "prefers-color-scheme": {"light"}, "scripting": {"enabled"},
    "prefers-reduced-motion": {"no-preference"}, "prefers-contrast": {"no-preference"},
    "prefers-reduced-transparency": {"no-preference"}, "prefers-reduced-data": {"no-preference"},
    "hover": {"hover"}, "any-hover": {"hover"}, "pointer": {"fine"}, "any-pointer": {"fine"},
    "update": {"fast"}, "display-mode": {"browser"}, "forced-colors": {"none"},
    "inverted-colors": {"none"}, "color-gamut": {"srgb"}, "overflow-block": {"scroll"},
    "overflow-inline": {"scroll"}, "dynamic-range": {"standard"}, "scan": {"progressive"},
}  # fmt: skip
_NUMBERS = {
    "width": SCREEN_WIDTH, "height": SCREEN_HEIGHT, "device-width": SCREEN_WIDTH,
    "device-height": SCREEN_HEIGHT, "aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT,
    "device-aspect-ratio": SCREEN_WIDTH / SCREEN_HEIGHT, "resolution": 1.0, "color": 8.0,
    "color-index": 0.0, "monochrome": 0.0, "grid": 0.0, "device-pixel-ratio": 1.0,
}  # fmt: skip
_RESOLUTION = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge}
_DEEPEST = 8


def holds_on_screen(query: Tokens) -> bool:
    """Whether one of a list of media queries holds. What is unknown does not, as in a browser."""
    parts = [significant(part) for part in split_commas(query)]
    return not parts[0] or any(_holds(part, _DEEPEST) for part in parts if part)


def is_likely(condition: Tokens) -> bool:
    """Whether `@supports` or `@container` is taken to hold: unless it begins with `not`."""
    parts = significant(condition)
    return not parts or not _is_word(parts[0], "not")


def _holds(parts: Tokens, depth: int) -> bool:
    if not depth or not parts:
        return False
    if _is_word(parts[0], "not"):
        return not _holds(parts[1:], depth - 1)
    if _is_word(parts[0], "only"):
        parts = parts[1:]
    terms = [part for part in parts if not _is_word(part, "and", "or")]
    held = [_term(term, depth - 1) for term in terms]
    has_or = any(_is_word(part, "or") for part in parts)
    return any(held) if has_or else bool(held) and all(held)


def _term(token: Token, depth: int) -> bool:
    if token.type == "ident":
        return token.lower_value in _TYPES
    if token.type != "() block":
        return False
    inner = significant(token.content or ())
    if inner and (inner[0].type == "() block" or _is_word(inner[0], "not")):
        return _holds(inner, depth)
    return _feature(inner)


def _feature(parts: Tokens) -> bool:
    if len(parts) == 1 and parts[0].type == "ident":
        name = parts[0].lower_value
        return name in _WORDS or bool(_NUMBERS.get(name))
    if len(parts) >= 3 and parts[0].type == "ident" and _is_literal(parts[1], ":"):
        return _compare_named(parts[0].lower_value, parts[2:])
    return _compare_range(parts)


def _compare_named(name: str, value: Tokens) -> bool:
    name = name.removeprefix("-webkit-").removeprefix("-moz-")
    if name in _WORDS:
        return value[0].type == "ident" and value[0].lower_value in _WORDS[name]
    name = name.replace("min--moz-", "min-").replace("max--moz-", "max-")
    number = _number(value)
    for prefix in ("min-", "max-", ""):
        own = _NUMBERS.get(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if own is not None and number is not None:
            return {"min-": own >= number, "max-": own <= number, "": own == number}[prefix]
    return False


def _compare_range(parts: Tokens) -> bool:
    """Compare as in `400px <= width < 900px`."""
    sides: list[list[Token]] = [[]]
    operators: list[str] = []
    for part in parts:
        if part.type == "literal" and part.value in {"<", ">", "<=", ">=", "="}:
            if sides[-1] or not operators:
                operators.append(part.value)
                sides.append([])
            else:
                operators[-1] += part.value  # `>` and `=` may come as two tokens
        else:
            sides[-1].append(part)
    values = [_side(side) for side in sides]
    known = [value for value in values if value is not None]
    if not operators or len(known) < len(values):
        return False
    return all(
        _COMPARE.get(sign, eq)(left, right)
        for left, sign, right in zip(known, operators, known[1:], strict=False)
    )


def _side(tokens: Tokens) -> float | None:
    if len(tokens) == 1 and tokens[0].type == "ident":
        return _NUMBERS.get(tokens[0].lower_value)
    return _number(tokens)


def _number(tokens: Tokens) -> float | None:
    if not tokens:
        return None
    if len(tokens) == 3 and _is_literal(tokens[1], "/"):
        over, under = parse_fraction(tokens[0]), parse_fraction(tokens[2])
        return over / under if over is not None and under else None
    if tokens[0].type == "dimension" and tokens[0].lower_unit in _RESOLUTION:
        return float(tokens[0].value) * _RESOLUTION[tokens[0].lower_unit]
    length = parse_length(tokens[0])
    return None if length is None else length.roughly()


def _is_word(token: Token, *words: str) -> bool:
    return token.type == "ident" and token.lower_value in words


def _is_literal(token: Token, value: str) -> bool:
    return token.type == "literal" and token.value == value
