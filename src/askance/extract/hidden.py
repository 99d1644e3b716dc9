"""Taking out of a page's tree what a person cannot see."""

from __future__ import annotations

import re
from collections.abc import Callable

from askance.extract.tree import Node, text_of
from askance.extract.walls import is_wall

_UNSEEN_TAGS = frozenset({
    "script", "style", "template", "noscript", "noembed", "noframes", "iframe", "object", "embed",
    "svg", "canvas", "audio", "video", "img", "picture", "map", "datalist", "textarea", "select",
    "rp", "annotation", "annotation-xml",
})  # fmt: skip
_UNSEEN_CLASSES = frozenset({
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader",
    "a11y-hidden", "u-hidden-visually",
})  # fmt: skip
# Pages hide their whole body until a script shows it; taken at its word, such a page has no text.
_KEPT_TAGS = frozenset({"html", "body"})

_BANNER = re.compile(
    r"cookie|consent|gdpr|ccpa|onetrust|didomi|usercentrics|sourcepoint|(?:^|[\s_-])(?:cmp|qc-cmp)",
    re.IGNORECASE,
)

# Text whose edge lies so far outside its parent stands on no screen.
OFF_SCREEN_PX = 500
# Below this a letter is a dot, and a text a shadow.
SMALLEST_FONT_PX = 2
FAINTEST = 0.1

_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_LENGTH = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))\s*(px|pt|em|rem|ex|ch|vw|vh|vmin|vmax|cm|mm|in|%)?")
_PX = {"pt": 1.33, "em": 16, "rem": 16, "ex": 8, "ch": 8, "vw": 12, "vh": 8, "vmin": 8,
       "vmax": 12, "cm": 38, "mm": 3.8, "in": 96, "%": 5}  # fmt: skip
_SHRUNK = re.compile(r"scale[xy3d]*\(\s*(?:0|0?\.0\d*)\s*[,)]")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)|inset\(\s*(?:100|[5-9]\d)%|circle\(\s*0|polygon\(\s*0")


def drop_hidden(tree: Node) -> None:
    """Remove comments, invisible elements and descriptive attributes from the tree, in place.

    What is judged is the element's own markup: tag, `hidden`, `aria-hidden`, classes for screen
    readers, and the inline style. Style sheets are not read.
    """
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or _is_hidden(element):
            if element.getparent() is not None:
                element.drop_tree()
            continue
        for name in ("alt", "title", "aria-label", "placeholder", "summary"):
            element.attrib.pop(name, None)


def drop_banners(tree: Node) -> bool:
    """Remove the consent dialogues that are marked as such, in place. Return whether one was there."""
    banners = [
        element
        for element in tree.iter("div", "section", "aside", "form", "dialog", "footer")
        if _BANNER.search(f"{element.attrib.get('id', '')} {element.attrib.get('class', '')}")
        and is_wall(text_of(element))
    ]
    for element in banners:
        element.drop_tree()
    return bool(banners)


def _is_hidden(element: Node) -> bool:
    if element.tag in _KEPT_TAGS:
        return False
    attributes = element.attrib
    return (
        element.tag in _UNSEEN_TAGS
        or "hidden" in attributes
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or (element.tag == "dialog" and "open" not in attributes)
        or not _UNSEEN_CLASSES.isdisjoint(attributes.get("class", "").lower().split())
        or ("style" in attributes and hides(attributes["style"]))
    )


def hides(style: str) -> bool:
    """Whether an inline style makes its element's text invisible."""
    declared = _declarations(style)
    if any(test(declared[name]) for name, test in _TESTS.items() if name in declared):
        return True
    if "hidden" in declared.get("overflow", "") or "clip" in declared.get("overflow", ""):
        sizes = (declared.get(name, "") for name in ("width", "height", "max-width", "max-height"))
        if any(size and abs(_pixels(size, 99)) <= 1 for size in sizes):
            return True
    ink, paper = declared.get("color"), declared.get("background-color", declared.get("background"))
    return ink is not None and (ink == paper or ink == "transparent")


def _declarations(style: str) -> dict[str, str]:
    plain = _ESCAPE.sub(_unescaped, _COMMENT.sub("", style)).lower()
    pairs = (part.partition(":") for part in plain.split(";"))
    return {
        name.strip(): value.replace("!important", "").replace("! important", "").strip()
        for name, _, value in pairs
    }


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[2]
    code = int(match[1], 16)
    return chr(code) if 0 < code < 0xD800 else ""


def _pixels(value: str, otherwise: float) -> float:
    found = _LENGTH.match(value)
    return float(found[1]) * _PX.get(found[2] or "", 1) if found else otherwise


def _fraction(value: str) -> float:
    number = _pixels(value.rstrip("%"), 1.0)
    return number / 100 if value.endswith("%") else number


def _far_away(value: str) -> bool:
    return _pixels(value, 0) <= -OFF_SCREEN_PX


def _far_either_way(value: str) -> bool:
    lengths = _LENGTH.findall(value)
    return any(abs(float(number)) * _PX.get(unit, 1) >= OFF_SCREEN_PX for number, unit in lengths)


def _tiny_font(value: str) -> bool:
    return _pixels(value, 99) < SMALLEST_FONT_PX


def _tiny_font_shorthand(value: str) -> bool:
    return any(_tiny_font(part) for part in value.split() if part[:1] in "0123456789." and
               not part.isdigit()) or value.startswith(("0 ", "0/"))  # fmt: skip


_TESTS: dict[str, Callable[[str], bool]] = {
    "display": lambda value: value.startswith("none"),
    "visibility": lambda value: value in {"hidden", "collapse"},
    "content-visibility": lambda value: value == "hidden",
    "opacity": lambda value: _fraction(value) < FAINTEST,
    "font-size": _tiny_font,
    "font": _tiny_font_shorthand,
    "left": _far_away,
    "right": _far_away,
    "top": _far_away,
    "bottom": _far_away,
    "margin-left": _far_away,
    "margin-top": _far_away,
    "text-indent": _far_either_way,
    "transform": lambda value: (
        bool(_SHRUNK.search(value)) or ("translate" in value and _far_either_way(value))
    ),
    "clip": lambda value: bool(_CLIPPED.search(value)),
    "clip-path": lambda value: bool(_CLIPPED.search(value)),
    "-webkit-text-fill-color": lambda value: value == "transparent",
}
