"""The numbers of lists, which word processors count and do not write down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from askance.extract.archives import Element
from askance.extract.open_packaging import attribute, child_of, local_name
from askance.extract.text import BULLET, written_number

MOST_LEVELS = 10
_PLACE = re.compile(r"%([1-9])")
_UNNUMBERED = frozenset({"bullet", "none", ""})


@dataclass(frozen=True, slots=True)
class Level:
    """How a level of a list is numbered: the kind of numbers, the first one, and the text with `%1` to `%9`."""

    kind: str = "bullet"
    start: int = 1
    text: str = ""


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
        self._counts[level + 1 :] = [None] * (MOST_LEVELS - level - 1)
        if own.kind in _UNNUMBERED:
            return BULLET if own.kind == "bullet" else ""

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = levels.get(place, Level())
            count = self._counts[place]
            return written_number(other.kind, other.start if count is None else count)

        return _PLACE.sub(number, own.text) or BULLET

    def restart(self, level: int, start: int) -> None:
        """Let a level begin anew with a number."""
        self._counts[min(level, MOST_LEVELS - 1)] = start - 1


class WordLists:
    """The lists of a Word file, by the part that describes them."""

    def __init__(self, part: Iterable[Element]) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._lists: dict[str, tuple[str, dict[int, Level]]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counters: dict[str, Counter] = {}
        for element in part:
            name = local_name(element)
            if name == "abstractNum":
                self._abstract[attribute(element, "abstractNumId")] = dict(_levels_in(element))
            elif name == "num":
                self._add(element)

    def next(self, number: str, level: int) -> str:
        """Return the sign of the next item of a list: a number, or a stroke; empty for one without any."""
        if number not in self._lists:
            return BULLET
        abstract, levels = self._lists[number]
        counter = self._counters.setdefault(abstract, Counter())
        for other, start in self._restarts.pop(number, {}).items():
            counter.restart(other, start)
        return counter.next(levels, level)

    def _add(self, element: Element) -> None:
        number = attribute(element, "numId")
        named = child_of(element, "abstractNumId")
        abstract = attribute(named, "val") if named is not None else ""
        levels = dict(self._abstract.get(abstract, {}))
        for override in element:
            if local_name(override) != "lvlOverride":
                continue
            levels |= dict(_levels_in(override))
            start = child_of(override, "startOverride")
            if start is not None:
                level = int(attribute(override, "ilvl", "0"))
                self._restarts.setdefault(number, {})[level] = int(attribute(start, "val", "1"))
        self._lists[number] = abstract, levels


def _levels_in(element: Element) -> Iterable[tuple[int, Level]]:
    for level in element:
        if local_name(level) == "lvl":
            values = {
                name: attribute(found, "val")
                for name in ("numFmt", "start", "lvlText")
                if (found := child_of(level, name)) is not None
            }
            start = values.get("start", "1")
            yield (
                int(attribute(level, "ilvl", "0")),
                Level(
                    values.get("numFmt", "decimal"),
                    int(start) if start.isdecimal() else 1,
                    values.get("lvlText", ""),
                ),
            )
