"""The style sheets that a page has of its own, and for which of its elements each counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from askance.extract.css.elements import Element
from askance.extract.css.media import holds_on_screen
from askance.extract.css.sheets import sheet_in
from askance.extract.css.tokens import values_of

# What a style sheet in them says holds for no element of the page that a person sees.
_OTHER_PAGES = ("noscript", "template", "noframes", "noembed", "iframe")
_HOST = re.compile(r":host(?:-context)?(?:\([^()]*\))?|::slotted\([^()]*\)", re.IGNORECASE)
_FOREIGN_IMPORT = re.compile(r"@import\s+(?:url\(\s*)?[\"']?(?!data:)[^\s\"')]", re.IGNORECASE)


def scopes_of(elements: Sequence[Element], shadows: set[Element]) -> dict[Element, Element]:
    """Return the shadow tree that an element stands in or is, if any: its sheets count there alone."""
    if not shadows:
        return {}
    scopes: dict[Element, Element] = {}
    for element in elements:
        if element in shadows:
            scopes[element] = element
        elif element.parent is not None and (scope := scopes.get(element.parent)):
            scopes[element] = scope
    return scopes


def sheets_in(
    elements: Iterable[Element], shadows: set[Element], scopes: dict[Element, Element]
) -> dict[Element | None, list[str]]:
    """Return the page's own style sheets for a screen, those of each shadow tree apart."""
    sheets: dict[Element | None, list[str]] = {}
    others: set[Element] = set()
    for element in elements:
        is_other = element.tag in _OTHER_PAGES and element not in shadows
        if is_other or element.parent in others:
            others.add(element)
        elif sheet := _sheet_of(element):
            kind = element.attributes.get("type", "text/css").strip().lower()
            media = element.attributes.get("media", "")
            if kind in {"", "text/css"} and holds_on_screen(values_of(media)):
                scope = scopes.get(element)
                # The template stands for what holds the tree, and a slot for what fills it.
                own = _HOST.sub(_in_place_of, sheet) if scope else sheet
                sheets.setdefault(scope, []).append(own)
    return sheets


def _in_place_of(selector: re.Match[str]) -> str:
    return "slot" if selector[0].startswith("::") else "template"


def has_foreign_sheet(elements: Iterable[Element]) -> bool:
    """Whether a sheet of the page lies elsewhere, and may set colours that are not known here."""
    for element in elements:
        if element.tag == "link":
            attributes = element.attributes
            relations = attributes.get("rel", "").lower().split()
            is_sheet = "stylesheet" in relations or (
                "preload" in relations and attributes.get("as", "").lower() == "style"
            )
            address = attributes.get("href", "").strip()
            if is_sheet and address and not address.lower().startswith("data:"):
                return True
        elif element.tag == "style" and _FOREIGN_IMPORT.search(element.node.text or ""):
            return True
    return False


def _sheet_of(element: Element) -> str:
    if element.tag == "style":
        return element.node.text or ""
    if element.tag != "link" or "disabled" in element.attributes:
        return ""
    relations = element.attributes.get("rel", "").lower().split()
    is_sheet = "stylesheet" in relations and "alternate" not in relations
    return sheet_in(element.attributes.get("href", "")) if is_sheet else ""
