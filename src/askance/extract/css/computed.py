"""The style that an element ends up with, and whether its box is drawn where a person can see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from askance.extract.css.blocks import resolved
from askance.extract.css.colours import (
    BLACK,
    CURRENT,
    FAINTEST,
    UNKNOWN,
    Colour,
    Unknown,
    is_clear,
)
from askance.extract.css.properties import Values, Wide
from askance.extract.css.shapes import SMALLEST_SCALE, THINNEST_PX, Move
from askance.extract.css.tokens import FONT_PX, SCREEN_HEIGHT, SCREEN_WIDTH, Length, Tokens

# Below this a letter is a dot.
SMALLEST_FONT_PX = 2.0
# Letters that are drawn so much closer, in font sizes, lie on each other.
TIGHTEST_SPACING = -0.5
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
_INHERITED = frozenset({
    "color", "-webkit-text-fill-color", "font-size", "line-height", "letter-spacing",
    "text-indent", "text-shadow", "visibility",
})  # fmt: skip
_INITIAL: Values = {
    "color": BLACK, "-webkit-text-fill-color": CURRENT, "font-size": Length(px=FONT_PX),
    "line-height": None, "letter-spacing": None, "text-indent": Length(), "text-shadow": (),
    "visibility": "visible",
}  # fmt: skip
_INKS = frozenset({"color", "-webkit-text-fill-color"})
_COLOURS = _INKS | {"background-color", "background-image", "background-clip"}
_ERASERS = ("clip", "clip-path", "filter", "mask-image", "scale", "rotate")

# Without one of these a box lies where it is drawn, and as large as what is in it.
_PLACING = frozenset({
    "display", "content-visibility", "transform", "translate", "zoom", "position", "left", "right", "top",
    "bottom", "margin-left", "margin-top", "overflow-x", "overflow-y", *_ERASERS,
})  # fmt: skip

_MOVING = frozenset({
    "transform", "translate", "left", "right", "top", "bottom", "margin-left", "margin-top",
})  # fmt: skip


@dataclass(slots=True, eq=False)
class Computed:
    """Sizes are CSS pixels. Many elements share one: it is not changed once it is made."""

    font: float = FONT_PX
    root_font: float = FONT_PX
    ink: Colour | Unknown = BLACK
    fill: Colour | Unknown | None = None
    shadows: tuple[Colour | Unknown, ...] = ()
    opacity: float = 1.0
    spacing: float = 0.0
    indent: float = 0.0
    is_visible: bool = True
    is_lineless: bool = False
    cuts_off: bool = False
    display: str = ""
    variables: Mapping[str, Tokens] = field(default_factory=dict[str, Tokens])
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
    variables = _variables(declared, parent)
    values = _unwidened(resolved(declared, variables))
    font = _font(values, parent)
    root_font = font if is_root else parent.root_font
    sizes = Sizes(values, font, root_font)
    ink = _ink(values["color"], parent.ink, parent.ink) if "color" in values else parent.ink
    # The background is drawn in the letters.
    is_filled = values.get("background-clip") == "text"
    is_lost = is_folded = has_edges = False
    if not _PLACING.isdisjoint(values):
        is_flexible = "flex" in parent.display
        has_edges = cuts_off(values)
        is_lost = _is_lost(values, sizes, parent_is_flex=is_flexible)
        is_folded = _is_folded(values, sizes, parent_is_flex=is_flexible)
    # It is not inherited, but a box fades with all that is in it.
    opacity = parent.opacity * _opacity(values)
    style = Computed(
        font=font,
        root_font=root_font,
        ink=UNKNOWN if is_filled else ink,
        fill=UNKNOWN if is_filled else _fill(values, parent),
        shadows=_shadows(values, parent, ink),
        opacity=opacity,
        spacing=_inherited(sizes, values, "letter-spacing", parent.spacing, font),
        indent=_inherited(sizes, values, "text-indent", parent.indent, SCREEN_WIDTH),
        is_visible=values.get("visibility", parent.is_visible and "visible") == "visible",
        is_lineless=_is_lineless(values, sizes, parent),
        cuts_off=has_edges,
        display=str(values.get("display", "")),
        variables=variables,
        is_gone=opacity < FAINTEST or is_lost or is_folded,
        is_folded=is_folded,
        is_lost=is_lost,
    )
    style.is_inkless = (
        parent.is_inkless if _COLOURS.isdisjoint(values) else _is_inkless(style, values, inline)
    )
    style.is_unreadable = _is_unreadable(style, parent)
    style.is_unseen = style.is_unreadable or not style.is_visible
    return style


def inherited(parent: Computed) -> Computed:
    """Return the style of an element for which nothing is declared, as `compute` does."""
    opacity = parent.opacity
    style = Computed(
        parent.font, parent.root_font, parent.ink, parent.fill, parent.shadows, opacity,
        parent.spacing, parent.indent, parent.is_visible, parent.is_lineless, variables=parent.variables,
        is_inkless=parent.is_inkless, is_gone=opacity < FAINTEST,
    )  # fmt: skip
    style.is_unreadable = _is_unreadable(style, parent)
    style.is_unseen = style.is_unreadable or not style.is_visible
    return style


def shown(style: Computed) -> Computed:
    """Return the style of an element that hides the whole page: what it hides is to be seen."""
    return replace(
        style,
        is_gone=False, is_unseen=False, is_visible=True, opacity=1.0, ink=BLACK, fill=None, is_inkless=False,
        font=max(style.font, SMALLEST_FONT_PX), indent=0.0, spacing=0.0, is_lineless=False,
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

    def moved(self, name: str) -> tuple[float, float]:
        """Return how far a transform moves the box."""
        move = self._values.get(name)
        if not isinstance(move, Move):
            return 0.0, 0.0
        x = move.x.pixels(self._font, self._root, _OWN_WIDTH_PX)
        return x, move.y.pixels(self._font, self._root, _OWN_HEIGHT_PX)


def _is_lost(values: Values, sizes: Sizes, *, parent_is_flex: bool) -> bool:
    """Whether nothing of an element can be seen, and nothing of it is meant to be."""
    return (
        any(values.get(name) is True for name in _ERASERS)
        or _is_flat(values)
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


def _is_unreadable(style: Computed, parent: Computed) -> bool:
    inks = (style.ink if style.fill is None else style.fill, *style.shadows)
    return (
        style.is_inkless
        or all(map(is_clear, inks))
        or style.font < SMALLEST_FONT_PX
        or abs(style.indent) >= FARTHEST_INDENT_PX
        or style.spacing <= TIGHTEST_SPACING * style.font
        or (style.is_lineless and (style.cuts_off or parent.cuts_off))
    )


def _is_inkless(style: Computed, values: Values, inline: frozenset[str]) -> bool:
    """Whether an element's own style gives its letters and their background one colour."""
    ink = style.ink if style.fill is None else style.fill
    paper = _ink(values.get("background-color"), ink, UNKNOWN)
    return (
        not _INKS.isdisjoint(inline)
        and "background-color" in inline
        and not values.get("background-image")
        and isinstance(ink, Colour)
        and isinstance(paper, Colour)
        and not style.shadows
        and ink.is_like(paper)
    )


def _variables(declared: Values, parent: Computed) -> Mapping[str, Tokens]:
    own: dict[str, Tokens] = {
        name: value
        for name, value in declared.items()
        if name.startswith("--") and isinstance(value, tuple)
    }
    return {**parent.variables, **own} if own else parent.variables


def _unwidened(values: Values) -> Values:
    """Put initial values in; what is inherited is left out."""
    if not any(isinstance(value, Wide) for value in values.values()):
        return values
    out: Values = {}
    for name, value in values.items():
        if not isinstance(value, Wide):
            out[name] = value
        elif name in _INHERITED and value is Wide.INITIAL:
            out[name] = _INITIAL[name]
    return out


def _font(values: Values, parent: Computed) -> float:
    size = values.get("font-size")
    if not isinstance(size, Length):
        return parent.font
    return abs(size.pixels(parent.font, parent.root_font, parent.font))


def _ink(value: object, current: Colour | Unknown, otherwise: Colour | Unknown) -> Colour | Unknown:
    if value == CURRENT:
        return current
    return value if isinstance(value, Colour | Unknown) else otherwise


def _fill(values: Values, parent: Computed) -> Colour | Unknown | None:
    value = values.get("-webkit-text-fill-color", parent.fill)
    return value if isinstance(value, Colour | Unknown) else None


def _shadows(
    values: Values, parent: Computed, ink: Colour | Unknown
) -> tuple[Colour | Unknown, ...]:
    if "text-shadow" not in values:
        return parent.shadows
    return tuple(_ink(part, ink, ink) for part in _parts(values["text-shadow"]))


def _parts(value: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _opacity(values: Values) -> float:
    value = values.get("opacity")
    return max(0.0, min(1.0, value)) if isinstance(value, float) else 1.0


def _inherited(sizes: Sizes, values: Values, name: str, otherwise: float, whole: float) -> float:
    if name not in values:
        return otherwise
    return sizes.get(name, whole) or 0.0


def _is_lineless(values: Values, sizes: Sizes, parent: Computed) -> bool:
    if "line-height" not in values:
        return parent.is_lineless
    return sizes.get("line-height", FONT_PX) == 0.0


def _is_flat(values: Values) -> bool:
    transform, zoom = values.get("transform"), values.get("zoom")
    if isinstance(transform, Move) and transform.is_flat:
        return True
    return isinstance(zoom, float) and 0 < zoom < SMALLEST_SCALE


def _is_away(values: Values, sizes: Sizes) -> bool:
    if _MOVING.isdisjoint(values):
        return False
    # There is no layout: all is measured from the edges of the parent.
    left, right = sizes.get("left", SCREEN_WIDTH), sizes.get("right", SCREEN_WIDTH)
    top, bottom = sizes.get("top", SCREEN_HEIGHT), sizes.get("bottom", SCREEN_HEIGHT)
    moves = [sizes.moved("transform"), sizes.moved("translate")]
    x = (left or 0) + sizes.margin("margin-left", SCREEN_WIDTH) + sum(move[0] for move in moves)
    y = (top or 0) + sizes.margin("margin-top", SCREEN_WIDTH) + sum(move[1] for move in moves)
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
