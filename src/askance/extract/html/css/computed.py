"""The properties that decide whether a text is seen, and the style that an element ends up with.

A value that a browser would refuse is refused here, too: the declaration before it counts then. A value
that is computed (`var()`, `calc()`) is taken for the one that a property has where nothing is declared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, cast

from askance.extract.html.css.values import (
    BLACK,
    CLEAR,
    CURRENT,
    FAINTEST,
    FONT_PX,
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    UNKNOWN,
    Colour,
    Length,
    Token,
    Tokens,
    declarations_of,
    four_sides,
    is_picture,
    keyword,
    parse_fraction,
    parse_ink,
    parse_length,
    significant,
    split_commas,
)

# Below these a text is a dot or a line.
SMALLEST_SCALE = 0.1
THINNEST_PX = 1.0
Values = dict[str, object]
Parser = Callable[[Tokens], object]
Shorthand = Callable[[Tokens], Values | None]
# Stands for every keyword in the place of a value: `auto`, `normal`, `inherit`, `fit-content` …
AUTO = "auto"
_WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
# Those that are inherited: what `initial` says.
_INITIAL: Values = {
    "color": BLACK, "font-size": Length(px=FONT_PX), "text-indent": Length(), "visibility": "visible",
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
    "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
_POSITIONS = frozenset({"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"})
_OVERFLOWS = frozenset({"visible", "hidden", "clip", "scroll", "auto", "overlay"})
_LENGTHS = (
    "left", "right", "top", "bottom", "margin-left", "margin-top", "padding-top", "padding-bottom",
    "width", "height", "max-width", "max-height", "min-width", "min-height",
)  # fmt: skip
_SIDES = ("top", "right", "bottom", "left")
_PREFIXES = ("-webkit-", "-moz-", "-ms-", "-o-")
# The longer name stands for what it changes.
_ALIASES = {"text-fill-color": "color", "animation-name": "animation"}


class Move(NamedTuple):
    """What a transform does: how far it moves its box, and whether it leaves it without a surface."""

    x: Length = Length()
    y: Length = Length()
    is_flat: bool = False


def parse_property(name: str, tokens: Tokens) -> Values | None:
    """Return the longhands that a declaration sets; None if nothing here needs it, or it is invalid."""
    plain, longhands = _plain_name(name), longhands_of(name)
    if not longhands:
        return None
    word = keyword(tokens)
    if word in _WIDE:
        return _initial(longhands) if word == "initial" else dict.fromkeys(longhands, AUTO)
    if plain in _SHORTHANDS:
        values = _SHORTHANDS[plain][1](tokens)
    else:
        value = _LONGHANDS[plain](tokens)
        values = None if value is None else {plain: value}
    return _initial(longhands) if values is None and any(map(_is_computed, tokens)) else values


@lru_cache(maxsize=2000)
def longhands_of(name: str) -> tuple[str, ...]:
    """Return what a property stands for; nothing if it cannot hide a text."""
    plain = _plain_name(name)
    if plain in _SHORTHANDS:
        return _SHORTHANDS[plain][0]
    return (plain,) if plain in _LONGHANDS else ()


def _plain_name(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return _ALIASES.get(name, name)


def _initial(longhands: tuple[str, ...]) -> Values:
    return {name: _INITIAL.get(name, AUTO) for name in longhands}


def _is_computed(token: Token) -> bool:
    """Whether a value is computed, or in a unit that is not known here."""
    is_unknown = token.type == "dimension" and parse_length(token) is None
    return is_unknown or token.type == "function"


def _word(*allowed: str) -> Parser:
    def parse(tokens: Tokens) -> str | None:
        return word if (word := keyword(tokens)) in allowed else None

    return parse


def _one(parse: Callable[[Token], object]) -> Parser:
    def parse_one(tokens: Tokens) -> object:
        parts = significant(tokens)
        return parse(parts[0]) if len(parts) == 1 else None

    return parse_one


def _idents(tokens: Tokens) -> list[str]:
    return [token.lower_value for token in significant(tokens) if token.type == "ident"]


def _display(tokens: Tokens) -> str | None:
    words = _idents(tokens)
    return " ".join(words) if words and _DISPLAYS.issuperset(words) else None


def _length(token: Token) -> Length | str | None:
    return AUTO if token.type == "ident" else parse_length(token)


def _indent(tokens: Tokens) -> Length | None:
    """Take the length; `hanging` and `each-line` may stand beside it."""
    lengths = [length for token in significant(tokens) if (length := parse_length(token))]
    return lengths[0] if len(lengths) == 1 else None


def _font_size(token: Token) -> Length | None:
    if token.type != "ident":
        return parse_length(token)
    if token.lower_value in {"smaller", "larger"}:
        return Length(em=1.2 if token.lower_value == "larger" else 0.83)
    size = _FONT_SIZES.get(token.lower_value)
    return Length(px=size) if size else None


def _read_font(tokens: Tokens) -> Values | None:
    for token in significant(tokens):
        # A number other than 0 is the weight.
        is_weight = token.type == "number" and float(token.value)
        if not is_weight and (size := _font_size(token)) is not None:
            return {"font-size": size}
    return _initial(("font-size",)) if keyword(tokens) else None


def _overflow(tokens: Tokens) -> Values | None:
    words = _idents(tokens)
    if not words or not _OVERFLOWS.issuperset(words):
        return None
    return {"overflow-x": words[0], "overflow-y": words[-1]}


def _background(tokens: Tokens) -> Values | None:
    layers = [significant(layer) for layer in split_commas(tokens)]
    # Only the last layer of a background may have a colour.
    inks = [ink for token in layers[-1] if (ink := parse_ink(token)) is not None]
    return {
        "background-color": UNKNOWN if _picture(tokens) else inks[0] if inks else CLEAR,
        "background-clip": "text" if "text" in _idents(tokens) else AUTO,
    }


def _picture(tokens: Tokens) -> bool:
    return any(map(is_picture, significant(tokens)))


def _is_some(tokens: Tokens) -> bool:
    return keyword(tokens) != "none"


def _sides(prefix: str, *wanted: str) -> Shorthand:
    def parse(tokens: Tokens) -> Values | None:
        lengths = [_length(token) for token in significant(tokens)]
        if not 1 <= len(lengths) <= 4 or None in lengths:
            return None
        sides = zip(_SIDES, four_sides(lengths), strict=True)
        return {f"{prefix}{side}": value for side, value in sides if side in wanted}

    return parse


def _flex(tokens: Tokens) -> Values | None:
    if (word := keyword(tokens)) is not None:
        return {"flex-grow": 1.0 if word == "auto" else 0.0}
    parts = significant(tokens)
    grow = parse_fraction(parts[0]) if parts and parts[0].type == "number" else None
    return {"flex-grow": 1.0 if grow is None else grow} if parts else None


def _transform(tokens: Tokens) -> Move | None:
    """Add up what is moved and scaled by plain values; what else a transform does leaves a text in its place."""
    move = Move()
    for token in significant(tokens):
        if token.type != "function":
            continue
        name, arguments = token.lower_name, significant(token.arguments)
        arguments = [part for part in arguments if part.type != "literal"]
        if name.startswith("translate"):
            lengths = [parse_length(argument) for argument in arguments]
            if None in lengths:
                return None
            x, y = [*(length or Length() for length in lengths), Length(), Length()][:2]
            x, y = {"translatey": (Length(), x), "translatez": (Length(), Length())}.get(
                name, (x, y)
            )
            move = Move(move.x.plus(x), move.y.plus(y), move.is_flat)
        elif name in {"scale", "scalex", "scaley", "scale3d"}:
            move = move._replace(is_flat=move.is_flat or _is_flat(arguments[:2]))
    return move


def _is_flat(factors: Tokens) -> bool:
    scales = [parse_fraction(factor) for factor in factors]
    return any(scale is not None and abs(scale) < SMALLEST_SCALE for scale in scales)


def _clip(tokens: Tokens) -> bool | None:
    """Whether `clip` or `clip-path` cuts everything away; None if it is invalid."""
    parts = significant(tokens)
    return any(map(_cuts_all, parts)) if parts else None


def _cuts_all(token: Token) -> bool:
    if token.type != "function" or token.lower_name not in {"rect", "inset"}:
        return False
    arguments = [part for part in significant(token.arguments) if part.type != "literal"]
    edges = four_sides([parse_length(argument) or Length() for argument in arguments])
    if len(edges) < 4 or any(argument.type == "ident" for argument in arguments[:4]):
        return False
    top, right, bottom, left = edges
    if token.lower_name == "rect":
        return bottom.px - top.px <= THINNEST_PX or right.px - left.px <= THINNEST_PX
    # Of lengths it is not known how large the box is that they cut from.
    return top.percent + bottom.percent >= 100 or left.percent + right.percent >= 100


_LONGHANDS: dict[str, Parser] = {
    "display": _display,
    "visibility": _word("visible", "hidden", "collapse"),
    "content-visibility": _word("visible", "hidden", "auto"),
    "opacity": _one(parse_fraction),
    "position": _word(*_POSITIONS),
    "font-size": _one(_font_size),
    "text-indent": _indent,
    "text-shadow": _is_some,
    "color": _one(parse_ink),
    "background-color": _one(parse_ink),
    "background-image": _picture,
    "background-clip": lambda tokens: "text" if "text" in _idents(tokens) else AUTO,
    "overflow-x": _word(*_OVERFLOWS),
    "overflow-y": _word(*_OVERFLOWS),
    "clip": _clip,
    "clip-path": _clip,
    "transform": _transform,
    "flex-grow": _one(parse_fraction),
    "animation": _is_some,
    **dict.fromkeys(_LENGTHS, _one(_length)),
}
_SHORTHANDS: dict[str, tuple[tuple[str, ...], Shorthand]] = {
    "font": (("font-size",), _read_font),
    "background": (("background-color", "background-clip"), _background),
    "overflow": (("overflow-x", "overflow-y"), _overflow),
    "inset": (_SIDES, _sides("", *_SIDES)),
    "margin": (("margin-top", "margin-left"), _sides("margin-", "top", "left")),
    "padding": (("padding-top", "padding-bottom"), _sides("padding-", "top", "bottom")),
    "flex": (("flex-grow",), _flex),
}


_STRING = r"\"[^\"\\\n\r\f]*+\"|'[^'\\\n\r\f]*+'"
_FLAT = r"[^;\"'(){}\[\]\\/]++|/(?!\*)"
_VALUE = rf"(?:[^;\"'(){{}}\[\]\\/@]++|/(?!\*)|{_STRING}|\((?:{_FLAT}|{_STRING}|)*+\))"
_DECLARATION = re.compile(f"{_VALUE}(?:{_VALUE}|)*+")
_PLAIN = re.compile(f"(?:{_VALUE}|;|)*+")
# More of them in one block are not read.
MOST_DECLARATIONS = 500


class DeclarationBlock(NamedTuple):
    """What a block declares, apart what is marked `!important`."""

    normal: Values
    important: Values


def parts_of(content: str) -> tuple[str, ...]:
    """Cut a block into the declarations that count here; one that is not plain stays in one piece."""
    # A brace, an at-sign or a stroke backwards would make a semicolon mean something else.
    if not _PLAIN.fullmatch(content):
        return (content,)
    return tuple(filter(_counts, _DECLARATION.findall(content)[:MOST_DECLARATIONS]))


def read_block(parts: Iterable[str]) -> DeclarationBlock:
    """Return what the declarations of a block say."""
    block = DeclarationBlock({}, {})
    for part in parts:
        for values, is_important in _declared(part):
            _declare(block.important if is_important else block.normal, values, block)
    return block


def _counts(declaration: str) -> bool:
    # Most declarations of a sheet cannot hide a text, and are not even parsed.
    return bool(longhands_of(declaration.partition(":")[0].strip().lower()))


@lru_cache(maxsize=20_000)
def _declared(text: str) -> tuple[tuple[Values, bool], ...]:
    return tuple(
        # A declaration's value is a list.
        (
            parse_property(node.lower_name, cast("Tokens", cast("object", node.value))) or {},
            bool(node.important),
        )
        for node in declarations_of(text)[:MOST_DECLARATIONS]
    )


def _declare(values: Values, new: Values, block: DeclarationBlock) -> None:
    for name, value in new.items():
        # What is important stays so, whatever the block declares behind it.
        if values is block.normal and name in block.important:
            continue
        values[name] = value
        if values is block.important:
            block.normal.pop(name, None)


# Below this a letter is a dot.
SMALLEST_FONT_PX = 2.0
FARTHEST_INDENT_PX = 500.0
# Text whose edge lies so far outside its parent stands on no screen. To the right and below a
# page can be scrolled: wide tables and tiled layouts stand there, but not so far to the right.
FARTHEST_LEFT_PX = -500.0
FARTHEST_UP_PX = -500.0
FARTHEST_RIGHT_PX = 2000.0
FARTHEST_FIXED_PX = 1500.0
# What a transform's percentages are of is the box's own size: a column is as wide as this, and
# heights are small.
_OWN_WIDTH_PX = 500.0
_OWN_HEIGHT_PX = 100.0
_COLOURS = frozenset({
    "color", "background-color", "background-image", "background-clip", "text-shadow",
})  # fmt: skip
# What an animation begins with says nothing of what it ends with.
_ANIMATED = frozenset({"opacity", "visibility", "transform"})


@dataclass(slots=True, eq=False)
class Computed:
    """Sizes are CSS pixels. Many elements share one: it is not changed once it is made."""

    font: float = FONT_PX
    root_font: float = FONT_PX
    ink: Colour = BLACK
    opacity: float = 1.0
    indent: float = 0.0
    is_visible: bool = True
    display: str = ""
    is_inkless: bool = False
    """An element's own style gives its letters the colour of their background."""
    is_gone: bool = False
    """Nothing of it and of what is in it is seen."""
    is_folded: bool = False
    """It takes no room."""
    is_lost: bool = False
    """It is gone by what no script undoes that folds text in or fades it in."""
    is_unseen: bool = False
    """Its own text is not seen; elements in it may be."""
    is_unreadable: bool = False
    """It would not be seen were it not `visibility: hidden`, either."""


ROOT = Computed()


def compute(
    declared: Values,
    parent: Computed,
    *,
    is_root: bool,
    inline: frozenset[str],
) -> Computed:
    """Return an element's style.

    Args:
        declared: What its rules, its attributes and its own style declare.
        parent: The style of its parent.
        is_root: It is the root of the page.
        inline: The properties that its own style declares.
    """
    values = declared
    if declared.get("animation") is True:
        values = {name: value for name, value in declared.items() if name not in _ANIMATED}
    font = _font(values, parent)
    root_font = font if is_root else parent.root_font
    sizes = Sizes(values, font, root_font)
    is_flexible = "flex" in parent.display
    is_lost = _is_lost(values, sizes, parent_is_flex=is_flexible)
    is_folded = _is_folded(values, sizes, parent_is_flex=is_flexible)
    # It is not inherited, but a box fades with all that is in it.
    opacity = parent.opacity * _opacity(values)
    indent = sizes.get("text-indent", SCREEN_WIDTH)
    visibility = values.get("visibility", "auto")
    style = Computed(
        font=font,
        root_font=root_font,
        ink=_ink(values, parent),
        opacity=opacity,
        indent=parent.indent if indent is None else indent,
        is_visible=parent.is_visible if visibility == "auto" else visibility == "visible",
        display=str(values.get("display", "")),
        is_gone=opacity < FAINTEST or is_lost or is_folded,
        is_folded=is_folded,
        is_lost=is_lost,
    )
    style.is_inkless = (
        parent.is_inkless if _COLOURS.isdisjoint(values) else _is_inkless(style, values, inline)
    )
    return _judged(style)


def shown(style: Computed) -> Computed:
    """Return the style of an element that hides the whole page: what it hides is to be seen."""
    return replace(
        style,
        is_gone=False, is_unseen=False, is_visible=True, opacity=1.0, ink=BLACK, is_inkless=False,
        font=max(style.font, SMALLEST_FONT_PX), indent=0.0,
    )  # fmt: skip


def unfolded(style: Computed) -> Computed:
    """Return the style of an element once a script has unfolded it, or faded it in."""
    return replace(
        style,
        is_gone=style.is_lost, is_visible=True, opacity=1.0, is_unseen=style.is_unreadable,
    )  # fmt: skip


class Sizes:
    """Lengths of one element's style in pixels."""

    def __init__(self, values: Values, font: float, root: float) -> None:
        self._values, self._font, self._root = values, font, root

    def get(self, name: str, whole: float) -> float | None:
        """Return a property in pixels; None if it is not set, or not to a length."""
        value = self._values.get(name)
        return value.pixels(self._font, self._root, whole) if isinstance(value, Length) else None

    def margin(self, name: str, whole: float) -> float:
        """Return a margin; a mere percentage moves columns beside each other, and is left out."""
        value = self._values.get(name)
        if isinstance(value, Length) and not (value.px or value.em or value.rem):
            return 0.0
        return self.get(name, whole) or 0.0

    def moved(self) -> tuple[float, float]:
        """Return how far a transform moves the box."""
        move = self._values.get("transform")
        if not isinstance(move, Move):
            return 0.0, 0.0
        x = move.x.pixels(self._font, self._root, _OWN_WIDTH_PX)
        return x, move.y.pixels(self._font, self._root, _OWN_HEIGHT_PX)


def _is_lost(values: Values, sizes: Sizes, *, parent_is_flex: bool) -> bool:
    """Whether nothing of an element can be seen, and nothing of it is meant to be."""
    transform = values.get("transform")
    return (
        any(values.get(name) is True for name in ("clip", "clip-path"))
        or (isinstance(transform, Move) and transform.is_flat)
        or _is_away(values, sizes)
        or (
            cuts_off(values)
            and not _grows(values, parent_is_flex=parent_is_flex)
            and _is_thin(sizes, "width")
        )
    )


def _is_folded(values: Values, sizes: Sizes, *, parent_is_flex: bool) -> bool:
    """Whether an element takes no room, or none in its height."""
    return (
        values.get("display") == "none"
        or values.get("content-visibility") == "hidden"
        or _is_cut_off(values, sizes, parent_is_flex=parent_is_flex)
    )


def cuts_off(values: Values) -> bool:
    """Whether an element shows nothing of what does not fit into it."""
    return any(
        values.get(name) in {"hidden", "clip", "scroll", "auto", "overlay"}
        for name in ("overflow-x", "overflow-y")
    )


def _judged(style: Computed) -> Computed:
    style.is_unreadable = (
        style.is_inkless
        or style.ink.is_clear()
        or style.font < SMALLEST_FONT_PX
        or abs(style.indent) >= FARTHEST_INDENT_PX
    )
    style.is_unseen = style.is_unreadable or not style.is_visible
    return style


def _is_inkless(style: Computed, values: Values, inline: frozenset[str]) -> bool:
    """Whether an element's own style gives its letters and their background one colour."""
    paper = values.get("background-color")
    return (
        {"color", "background-color"} <= inline
        and not values.get("background-image")
        and isinstance(paper, Colour)
        and style.ink.is_like(style.ink if paper == CURRENT else paper)
    )


def _font(values: Values, parent: Computed) -> float:
    size = values.get("font-size")
    if not isinstance(size, Length):
        return parent.font
    return abs(size.pixels(parent.font, parent.root_font, parent.font))


def _ink(values: Values, parent: Computed) -> Colour:
    # The background, or a shadow, is drawn in the letters' place.
    if values.get("background-clip") == "text" or values.get("text-shadow") is True:
        return UNKNOWN
    ink = values.get("color")
    return ink if isinstance(ink, Colour) and ink != CURRENT else parent.ink


def _opacity(values: Values) -> float:
    value = values.get("opacity")
    return max(0.0, min(1.0, value)) if isinstance(value, float) else 1.0


def _is_away(values: Values, sizes: Sizes) -> bool:
    # There is no layout: all is measured from the edges of the parent.
    left, right = sizes.get("left", SCREEN_WIDTH), sizes.get("right", SCREEN_WIDTH)
    top, bottom = sizes.get("top", SCREEN_HEIGHT), sizes.get("bottom", SCREEN_HEIGHT)
    move = sizes.moved()
    x = (left or 0) + sizes.margin("margin-left", SCREEN_WIDTH) + move[0]
    y = (top or 0) + sizes.margin("margin-top", SCREEN_WIDTH) + move[1]
    if left is None and right is not None and not FARTHEST_LEFT_PX < right < FARTHEST_RIGHT_PX:
        return True
    is_below = top is None and bottom is not None and bottom <= FARTHEST_UP_PX
    # A page scrolls down to anything but what is fixed to the screen.
    is_below |= values.get("position") == "fixed" and y >= FARTHEST_FIXED_PX
    return is_below or y <= FARTHEST_UP_PX or not FARTHEST_LEFT_PX < x < FARTHEST_RIGHT_PX


def _is_cut_off(values: Values, sizes: Sizes, *, parent_is_flex: bool) -> bool:
    if not cuts_off(values) or _grows(values, parent_is_flex=parent_is_flex):
        return False
    # A height of nothing with a padding in per cent keeps the shape of a picture.
    padding = (sizes.get(name, SCREEN_WIDTH) or 0 for name in ("padding-top", "padding-bottom"))
    return _is_thin(sizes, "height") and max(padding) <= THINNEST_PX


def _grows(values: Values, *, parent_is_flex: bool) -> bool:
    # Such a box is as wide as its row leaves it, whatever width it asks for.
    grow = values.get("flex-grow")
    return parent_is_flex and isinstance(grow, float) and grow > 0


def _is_thin(sizes: Sizes, side: str) -> bool:
    least = sizes.get(f"min-{side}", SCREEN_WIDTH) or 0
    bounds = (sizes.get(name, SCREEN_WIDTH) for name in (side, f"max-{side}"))
    return least <= THINNEST_PX and any(b is not None and abs(b) <= THINNEST_PX for b in bounds)
