"""Which letters of a Word file nobody sees: hidden ones, those of a point at the most, and white ones on white paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set

from askance.extract.office.archives import (
    Element,
    attribute,
    child_of,
    is_on,
    is_white,
    local_name,
    parts_of,
)

Face = Mapping[str, str]
"""What properties of letters say of whether these are seen, by the names of the properties."""

_TOGGLES = frozenset({"vanish", "webHidden"})
_VALUES = {"sz": "val", "w": "val", "color": "val", "highlight": "val", "shd": "fill"}
# Sizes are half points, and widths percent of the usual one.
_DOT, _NARROWEST = 2, 5
# Twentieths of a point to the left of a page, or above it.
_FARTHEST = -7_200
_LONGEST_NUMBER = 6
_NUMBER = re.compile("-?[0-9]{1,9}")
_FLOATING = frozenset({"background", "anchor", "pict"})


def face_of(properties: Iterable[Element]) -> Face:
    """Return what properties of letters themselves say."""
    found: dict[str, str] = {}
    for one in properties:
        if (name := local_name(one)) in _TOGGLES:
            found[name] = "1" if is_on(one) else ""
        elif name in _VALUES:
            found[name] = attribute(one, _VALUES[name]).lower()
    return found


def face_of_run(run: Element) -> Face:
    """Return what the properties of a run say. Numbers of pages are seen where there are pages."""
    face = dict(face_of(parts_of(run, "rPr")))
    if face.get("webHidden") and len("".join(run.itertext()).strip()) <= _LONGEST_NUMBER:
        face["webHidden"] = ""
    return face


def is_unseen(face: Face, *, has_paper: bool) -> bool:
    """Whether letters are not seen. `has_paper` says that there is nothing but white paper behind them."""
    ink, fill = face.get("color", "auto"), face.get("shd", "auto")
    if face.get("vanish") or face.get("webHidden") or ink == fill != "auto":
        return True
    if 0 < _number(face.get("sz", "")) <= _DOT or 0 < _number(face.get("w", "")) <= _NARROWEST:
        return True
    return has_paper and face.keys().isdisjoint({"shd", "highlight"}) and is_white(ink)


def is_off_page(frame: Element | None) -> bool:
    """Whether a frame stands far to the left of a page, or above it."""
    return any(_number(attribute(frame, name)) < _FARTHEST for name in "xy")


def is_hidden_drawing(drawing: Element) -> bool:
    """Whether a drawing, or a picture, is not shown."""
    return any(attribute(part, "hidden") in {"1", "true"} for part in (drawing, *drawing))


def _number(value: str) -> int:
    return int(value) if _NUMBER.fullmatch(value) else 0


class Paper:
    """What is known of what lies behind the paragraphs of a document; of styles, those that shade are given."""

    def __init__(self, shaded: Set[str]) -> None:
        self._shaded = shaded
        self._has_floats = True
        self._bare = set[Element]()

    def look_at(self, *parts: Element) -> None:
        """Look for what floats in the body, the headers and the footers: it may lie behind any letter."""
        names = (local_name(element) for part in parts for element in part.iter())
        self._has_floats = not _FLOATING.isdisjoint(names)

    def is_behind(self, element: Element) -> bool:
        """Whether nothing but white paper lies behind a paragraph, or behind a table and in its cells."""
        if self._has_floats:
            return False
        if element in self._bare:
            return True
        parts = list(element.iter())
        if any(map(self._paints, parts)):
            return False
        # Each part is looked at once, however deep its tables are nested.
        self._bare.update(part for part in parts if local_name(part) in {"p", "tbl"})
        return True

    def _paints(self, part: Element) -> bool:
        name = local_name(part)
        is_shaded = name in {"pStyle", "tblStyle"} and attribute(part, "val") in self._shaded
        # The shading of letters is a matter of their own.
        return (
            is_shaded
            or name == "txbxContent"
            or (name in {"pPr", "tcPr", "tblPr"} and child_of(part, "shd") is not None)
        )
