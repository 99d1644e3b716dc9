"""The style that an element ends up with, as far as it decides whether its text is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from askance.extract.css.blocks import resolved
from askance.extract.css.boxes import Sizes, cuts_off, is_gone
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
from askance.extract.css.lengths import FONT_PX, SCREEN_WIDTH, Length
from askance.extract.css.properties import Values, Wide
from askance.extract.css.shapes import FAINTEST
from askance.extract.css.tokens import Tokens

# Below this a letter is a dot.
SMALLEST_FONT_PX = 2.0
# Letters that are drawn so much closer, in font sizes, lie on each other.
TIGHTEST_SPACING = -0.5
FARTHEST_INDENT_PX = 500.0
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
