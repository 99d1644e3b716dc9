"""The numbers of lists, which word processors count and do not write down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askance.extract.office.archives import (
    Element,
    attribute,
    child_of,
    is_on,
    local_name,
    number_in,
    value_of,
)
from askance.extract.text.characters import BULLET, written_number

MOST_LEVELS = 10
_PLACE = re.compile(r"%([1-9])")
_UNNUMBERED = frozenset({"bullet", "none", ""})


@dataclass(frozen=True, slots=True)
class Level:
    """How a level of a list is numbered: the kind of numbers, the first one, and the text with `%1` to `%9`.

    Its numbers begin anew behind an item of a level above `restart`. A legal one writes `1.1` below an `I`. The
    paragraphs of a style may be on it.
    """

    kind: str = "bullet"
    start: int = 1
    text: str = ""
    restart: int = MOST_LEVELS
    is_legal: bool = False
    style: str = ""


class Counter:
    """Counts the items of one list."""

    def __init__(self) -> None:
        self._counts: list[int | None] = [None] * MOST_LEVELS

    def next(self, levels: Mapping[int, Level], level: int) -> str:
        """Return the sign of a list's next item on a level."""
        level = min(max(level, 0), MOST_LEVELS - 1)
        own = levels.get(level, Level())
        before = self._counts[level]
        self._counts[level] = own.start if before is None else before + 1
        for outer in range(level):  # a level that has been passed over is counted
            if self._counts[outer] is None:
                self._counts[outer] = levels.get(outer, Level()).start
        for inner in range(level + 1, MOST_LEVELS):
            if level < levels.get(inner, own).restart:
                self._counts[inner] = None
        if own.kind in _UNNUMBERED:  # a bullet may be a space, for further paragraphs of an item
            return BULLET if own.kind == "bullet" and not own.text.isspace() else ""

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = levels.get(place, Level())
            count = self._counts[place]  # None on a level within this one
            is_plain = (
                own.is_legal and other.kind != "decimalZero"
            )  # "Section 1.01" below "Article I."
            kind = "decimal" if is_plain else other.kind
            return written_number(kind, other.start if count is None else count)

        return _PLACE.sub(number, own.text) or BULLET

    def restart(self, level: int, start: int) -> None:
        """Let a level begin anew with a number."""
        # The next item counts one up from here.
        self._counts[min(level, MOST_LEVELS - 1)] = start - 1


class WordLists:
    """The lists of a Word file, by the part that describes them."""

    def __init__(self, part: Iterable[Element]) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, Level]]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counters: dict[str, Counter] = {}
        elements = [(local_name(element), element) for element in part]
        # A style of lists is described once; the lists that have it name it alone.
        of_styles = {
            attribute(link, "val"): attribute(element, "abstractNumId")
            for name, element in elements
            if name == "abstractNum" and (link := child_of(element, "styleLink")) is not None
        }
        self._named: dict[str, str] = {}
        for name, element in elements:
            if name == "abstractNum":
                number = attribute(element, "abstractNumId")
                self._abstract[number] = dict(_levels_in(element))
                if (link := child_of(element, "numStyleLink")) is not None:
                    self._named[number] = of_styles.get(attribute(link, "val"), number)
        for name, element in elements:
            if name == "num":
                self._add(element)

    def level_of(self, number: str, style: str) -> int | None:
        """Return the level on which the paragraphs of a style are in a list, if the list says it."""
        levels = self._lists[number][1] if number in self._lists else {}
        return next((n for n, level in levels.items() if style and level.style == style), None)

    def next(self, number: str, level: int) -> str:
        """Return the sign of the next item of a list: a number, or a stroke; empty for one without any."""
        if number not in self._lists:
            return BULLET
        abstract, levels = self._lists[number]
        # Lists of one description go on counting where the other has ended, unless one restarts.
        counter = self._counters.setdefault(abstract, Counter())
        for other, start in self._restarts.pop(number, {}).items():
            counter.restart(other, start)
        return counter.next(levels, level)

    def _add(self, element: Element) -> None:
        number, abstract = attribute(element, "numId"), value_of(element, "abstractNumId")
        abstract = self._named.get(abstract, abstract)
        levels = dict(self._abstract.get(abstract, {}))
        for override in element:
            if local_name(override) != "lvlOverride":
                continue
            levels |= dict(_levels_in(override))
            start = child_of(override, "startOverride")
            if start is not None:
                level = number_in(attribute(override, "ilvl"), 0)
                self._restarts.setdefault(number, {})[level] = number_in(attribute(start, "val"), 1)
        self._lists[number] = abstract, levels


def _levels_in(element: Element) -> Iterable[tuple[int, Level]]:
    for level in element:
        if local_name(level) == "lvl":
            values = {
                name: attribute(found, "val")
                for name in ("numFmt", "start", "lvlText", "lvlRestart", "pStyle")
                if (found := child_of(level, name)) is not None
            }
            yield (
                number_in(attribute(level, "ilvl"), 0),
                Level(
                    values.get("numFmt", "decimal"),
                    number_in(values.get("start", "0"), 1),
                    values.get("lvlText", ""),
                    restart=number_in(values.get("lvlRestart", ""), MOST_LEVELS),
                    is_legal=is_on(child_of(level, "isLgl")),
                    style=values.get("pStyle", ""),
                ),
            )
