"""The style that an element ends up with, and whether its box is drawn where a person can see it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askance.extract.html.css.properties import THINNEST_PX, Move, Values
from askance.extract.html.css.values import (
    BLACK,
    CURRENT,
    FAINTEST,
    FONT_PX,
    SCREEN_HEIGHT,
    SCREEN_WIDTH,
    UNKNOWN,
    Colour,
    Length,
)

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
