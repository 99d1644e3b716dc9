"""What the styles of a Word file say of its paragraphs and letters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from askance.extract.archives import Element
from askance.extract.open_packaging import attribute, child_of, is_on, local_name

BODY_LEVEL = 10
"""The outline level, counted from one, that is none."""
# Its name is the same in every language of Word; the identity is not.
_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_LONGEST_CHAIN = 20


def number_in(element: Element | None, default: int = 0) -> int:
    """Return the number that is the value of a property."""
    value = attribute(element, "val") if element is not None else ""
    return (
        int(value) if value.isascii() and value.isdecimal() and len(value) < BODY_LEVEL else default
    )


@dataclass(frozen=True, slots=True)
class _Style:
    """A style as it is written: what it is based on, and what it says itself."""

    base: str
    level: int
    list: Element | None
    is_hidden: bool | None


class Styles:
    """The styles of a file by their identities: levels of headings, lists, hidden letters."""

    def __init__(self, styles: dict[str, _Style]) -> None:
        chains = {name: _chain(styles, name) for name in styles}
        self._levels = {n: next((s.level for s in c if s.level), 0) for n, c in chains.items()}
        self._lists = {
            n: next((s.list for s in c if s.list is not None), None) for n, c in chains.items()
        }
        self.hidden = {n for n, c in chains.items() if _first(s.is_hidden for s in c)}

    def level(self, name: str) -> int:
        """Return the level of a heading from 1, 0 for what is none."""
        if name in self._levels:
            return self._levels[name]
        named = _HEADING.fullmatch(name)
        return int(named[1]) if named else 0

    def list_of(self, name: str) -> Element | None:
        """Return the properties of the list that a style puts its paragraphs into."""
        return self._lists.get(name)

    def is_hidden(self, properties: Element | None, *, default: bool) -> bool:
        """Whether letters with these properties are not shown."""
        if properties is None:
            return default
        if (vanish := child_of(properties, "vanish")) is not None:
            return is_on(vanish)
        style = child_of(properties, "rStyle")
        return default or (style is not None and attribute(style, "val") in self.hidden)


def _chain(styles: dict[str, _Style], name: str) -> list[_Style]:
    """Return a style, and those that it is based on."""
    chain: list[_Style] = []
    while name in styles and len(chain) < _LONGEST_CHAIN:
        chain.append(styles[name])
        name = styles[name].base
    return chain


def _first(values: Iterable[bool | None]) -> bool:
    return next((answer for answer in values if answer is not None), False)


def read_styles(part: Iterable[Element]) -> Styles:
    """Return the styles of a part."""
    found: dict[str, _Style] = {}
    for style in part:
        if local_name(style) != "style":
            continue
        name, base = child_of(style, "name"), child_of(style, "basedOn")
        heading = _HEADING.fullmatch(attribute(name, "val")) if name is not None else None
        outline = child_of(style, "pPr", "outlineLvl")
        level = number_in(outline) + 1 if outline is not None else 0
        listed, vanish = child_of(style, "pPr", "numPr"), child_of(style, "rPr", "vanish")
        found[attribute(style, "styleId")] = _Style(
            base=attribute(base, "val") if base is not None else "",
            level=int(heading[1]) if heading else level,
            list=listed,
            is_hidden=is_on(vanish) if vanish is not None else None,
        )
    return Styles(found)
