"""The style that an element ends up with, and whether its box is drawn where a person can see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from askance.extract.css.blocks import resolved
from askance.extract.css.colours import (
    BLACK,
    CURRENT,
    UNKNOWN,
    WHITE,
    Colour,
    Unknown,
    blended,
    is_lost,
)
from askance.extract.css.properties import Values, Wide
from askance.extract.css.shapes import FAINTEST, SMALLEST_SCALE, THINNEST_PX, Move
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
_DARK_CANVAS = Colour(0.07, 0.07, 0.07)
_INHERITED = frozenset({
    "color", "-webkit-text-fill-color", "font-size", "line-height", "letter-spacing",
    "text-indent", "text-shadow", "visibility",
})  # fmt: skip
_INITIAL: Values = {
    "color": BLACK, "-webkit-text-fill-color": CURRENT, "font-size": Length(px=FONT_PX),
    "line-height": None, "letter-spacing": None, "text-indent": Length(), "text-shadow": (),
    "visibility": "visible",
}  # fmt: skip
_ERASERS = ("clip", "clip-path", "filter", "mask-image", "scale", "rotate")

Papers = tuple[Colour, ...] | Unknown


@dataclass(frozen=True, slots=True, eq=False)
class Computed:
    """Sizes are CSS pixels. `papers` are the colours that may lie behind the text."""

    font: float = FONT_PX
    root_font: float = FONT_PX
    ink: Colour | Unknown = BLACK
    fill: Colour | Unknown | None = None
    shadows: tuple[Colour | Unknown, ...] = ()
    papers: Papers = (WHITE,)
    opacity: float = 1.0
    spacing: float = 0.0
    indent: float = 0.0
    is_visible: bool = True
    is_lineless: bool = False
    cuts_off: bool = False
    display: str = ""
    variables: Mapping[str, Tokens] = field(default_factory=dict[str, Tokens])
    is_gone: bool = False
    """Nothing of it and of what is in it is seen."""
    is_unseen: bool = False
    """Its own text is not seen; elements in it may be."""


ROOT = Computed()


def compute(
    declared: Values, parent: Computed, *, by_picture: bool = False, is_root: bool = False
) -> Computed:
    """Return an element's style. `by_picture`: its parent holds a picture that it may lie over."""
    variables = _variables(declared, parent)
    values = _unwidened(resolved(declared, variables))
    if is_root and values.get("color-scheme") == "dark":
        parent = replace(parent, ink=WHITE, papers=(_DARK_CANVAS,))
    font = _font(values, parent)
    root_font = font if is_root else parent.root_font
    sizes = Sizes(values, font, root_font)
    ink = _ink(values.get("color"), parent.ink, parent.ink)
    is_lifted_off = values.get("position") in {"absolute", "fixed"}
    behind: Papers = UNKNOWN if by_picture and is_lifted_off else parent.papers
    papers, clipped_ink = _papers(values, behind, ink)
    opacity = parent.opacity * _opacity(values)
    style = Computed(
        font=font,
        root_font=root_font,
        ink=ink if clipped_ink is None else UNKNOWN,
        fill=_fill(values, parent) if clipped_ink is None else UNKNOWN,
        shadows=_shadows(values, parent, ink),
        papers=papers,
        opacity=opacity,
        spacing=_inherited(sizes, values, "letter-spacing", parent.spacing, font),
        indent=_inherited(sizes, values, "text-indent", parent.indent, SCREEN_WIDTH),
        is_visible=values.get("visibility", parent.is_visible and "visible") == "visible",
        is_lineless=_is_lineless(values, sizes, parent),
        cuts_off=cuts_off(values),
        display=str(values.get("display", "")),
        variables=variables,
        is_gone=opacity < FAINTEST
        or is_gone(values, sizes, parent_is_flex="flex" in parent.display),
    )
    return replace(style, is_unseen=_is_unseen(style, parent))


def shown(style: Computed) -> Computed:
    """Return the style of an element that hides the whole page: what it hides is to be seen."""
    papers = UNKNOWN if style.is_unseen else style.papers
    return replace(
        style,
        is_gone=False, is_unseen=False, is_visible=True, opacity=1.0, papers=papers,
        font=max(style.font, SMALLEST_FONT_PX), indent=0.0, spacing=0.0, is_lineless=False,
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


def is_gone(values: Values, sizes: Sizes, *, parent_is_flex: bool) -> bool:
    """Whether nothing of an element and of what is in it can be seen."""
    return (
        values.get("display") == "none"
        or values.get("content-visibility") == "hidden"
        or any(values.get(name) is True for name in _ERASERS)
        or _is_flat(values)
        or _is_away(values, sizes)
        or _is_cut_off(values, sizes, parent_is_flex=parent_is_flex)
    )


def cuts_off(values: Values) -> bool:
    """Whether an element shows nothing of what does not fit into it."""
    return any(
        values.get(name) in {"hidden", "clip", "scroll", "auto", "overlay"}
        for name in ("overflow-x", "overflow-y")
    )


def _is_unseen(style: Computed, parent: Computed) -> bool:
    return (
        not style.is_visible
        or style.font < SMALLEST_FONT_PX
        or abs(style.indent) >= FARTHEST_INDENT_PX
        or style.spacing <= TIGHTEST_SPACING * style.font
        or (style.is_lineless and (style.cuts_off or parent.cuts_off))
        or _is_colourless(style)
    )


def _is_colourless(style: Computed) -> bool:
    inks = (style.ink if style.fill is None else style.fill, *style.shadows)
    if isinstance(style.papers, Unknown):
        # On whatever lies behind it, what has no colour is not seen.
        return all(isinstance(ink, Colour) and ink.alpha < FAINTEST for ink in inks)
    return all(
        isinstance(ink, Colour) and is_lost(ink, paper) for ink in inks for paper in style.papers
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


def _papers(
    values: Values, behind: Papers, ink: Colour | Unknown
) -> tuple[Papers, Colour | Unknown | None]:
    """Return what lies behind the text, and its ink where the background is drawn in the letters."""
    if values.get("background-clip") == "text":
        return behind, UNKNOWN
    colour = _ink(values.get("background-color"), ink, Colour(0, 0, 0, 0))
    papers = _painted((colour,), behind)
    pictures = values.get("background-image", ())
    if isinstance(pictures, Unknown):
        return UNKNOWN, None
    stops = tuple(stop for stop in _parts(pictures) if isinstance(stop, Colour))
    return (_painted(stops, papers) if stops else papers), None


def _parts(value: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def _painted(tops: tuple[Colour | Unknown, ...], behind: Papers) -> Papers:
    colours = tuple(top for top in tops if isinstance(top, Colour))
    if len(colours) < len(tops):
        return UNKNOWN
    if not isinstance(behind, Unknown):
        return blended(colours, behind)
    return colours if all(colour.alpha == 1 for colour in colours) else UNKNOWN


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
    if not cuts_off(values):
        return False
    grow = values.get("flex-grow")
    if parent_is_flex and isinstance(grow, float) and grow > 0:
        return False
    if _is_thin(sizes, "width"):
        return True
    # A height of nothing with a padding in per cent keeps the shape of a picture.
    padding = (sizes.get(name, SCREEN_WIDTH) or 0 for name in ("padding-top", "padding-bottom"))
    return _is_thin(sizes, "height") and max(padding) <= THINNEST_PX


def _is_thin(sizes: Sizes, side: str) -> bool:
    least = sizes.get(f"min-{side}", SCREEN_WIDTH) or 0
    bounds = (sizes.get(name, SCREEN_WIDTH) for name in (side, f"max-{side}"))
    return least <= THINNEST_PX and any(b is not None and abs(b) <= THINNEST_PX for b in bounds)
