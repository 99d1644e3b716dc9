"""Whether a box is drawn where a person can see it, as far as its own style says."""

from __future__ import annotations

from askance.extract.css.lengths import SCREEN_HEIGHT, SCREEN_WIDTH, Length
from askance.extract.css.properties import Values
from askance.extract.css.shapes import SMALLEST_SCALE, THINNEST_PX, Move

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


_ERASERS = ("clip", "clip-path", "filter", "mask-image", "scale", "rotate")


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
