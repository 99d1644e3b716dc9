"""Which declarations an element has, the weightiest last: the cascade of CSS."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from askance.extract.html.css.declarations import DeclarationBlock, parts_of, read_block
from askance.extract.html.css.elements import Element
from askance.extract.html.css.properties import Values
from askance.extract.html.css.selectors import Matcher, OutOfStepsError, Selector, Specificity
from askance.extract.html.css.sheets import StyleRule

# A real page takes some thousand steps; a million take about a second.
MOST_STEPS = 1_000_000

# Rules by their numbers, each with the weight of its selector.
Matching = tuple[tuple[Specificity, int], ...]
_NONE: frozenset[str] = frozenset()


class _Candidates(NamedTuple):
    """The selectors that elements with some names may satisfy, and the names that these ask for above them."""

    selectors: tuple[tuple[Selector, int], ...]
    above: frozenset[str]


class Cascade:
    """The rules of a page, ready to be asked about its elements.

    A page that needs too many steps to match gets no more answers from its style sheets; inline
    styles go on to count.
    """

    def __init__(self, rules: Sequence[StyleRule], steps: int = MOST_STEPS) -> None:
        self._rules = rules
        self._matcher = Matcher(steps)
        # Once the steps are used up: a sheet that is half applied would hide at random.
        self._ended = False
        self._buckets: defaultdict[str, list[tuple[Selector, int]]] = defaultdict(list)
        self._inline: dict[str, DeclarationBlock] = {}
        self._results: dict[Matching, Matching] = {}
        self._by_names: dict[frozenset[str], _Candidates] = {}
        self._by_above: dict[object, tuple[tuple[Selector, int], ...]] = {}
        for number, rule in enumerate(rules):
            for selector in rule.selectors:
                name = min(selector.compounds[0].names, key=_commonness, default="")
                self._buckets[name].append((selector, number))

    def matching(self, element: Element) -> Matching:
        """Return the rules for an element, each with its weight, the lightest first.

        For elements with the same rules it is the same object.
        """
        if self._ended or not self._rules:
            return ()
        found: dict[int, Specificity] = {}
        try:
            for selector, number in self._candidates(element):
                if selector.specificity > found.get(number, ()) and self._matcher.matches(
                    element, selector
                ):
                    found[number] = selector.specificity
        except OutOfStepsError:
            self._ended = True
            return ()
        matching = tuple(sorted((weight, number) for number, weight in found.items()))
        return self._results.setdefault(matching, matching)

    def declared(self, matching: Matching, inline: str, attributes: Values) -> Values:
        """Return what counts for an element: its attributes, the rules, and its inline style."""
        values = dict(attributes)
        blocks = [self._rules[number].block for _, number in matching]
        if inline:
            blocks.append(self._inline_block(inline))
        for block in blocks:
            values.update(block.normal)
        for block in blocks:
            values.update(block.important)
        return values

    def inline_names(self, inline: str) -> frozenset[str]:
        """Return the properties that an inline style declares."""
        block = self._inline_block(inline)
        return frozenset((*block.normal, *block.important))

    def _candidates(self, element: Element) -> Iterable[tuple[Selector, int]]:
        """Return the rules for all elements with the same names, and those that they ask for above them."""
        by_names = self._by_names.get(element.names)
        if by_names is None:
            by_names = self._by_names[element.names] = self._of_names(element.names)
        if element.above is None or not by_names.above:
            return by_names.selectors
        above = element.above & by_names.above
        found = self._by_above.get((element.names, above))
        if found is None:
            self._matcher.take_steps(len(by_names.selectors))
            found = tuple(each for each in by_names.selectors if each[0].above <= above)
            self._by_above[element.names, above] = found
        return found

    def _of_names(self, names: frozenset[str]) -> _Candidates:
        found: list[tuple[Selector, int]] = []
        for bucket in (self._buckets.get(name, []) for name in (*names, "")):
            self._matcher.take_steps(len(bucket))
            found += (each for each in bucket if each[0].compounds[0].names <= names)
        return _Candidates(tuple(found), _NONE.union(*(each[0].above for each in found)))

    def _inline_block(self, style: str) -> DeclarationBlock:
        if style not in self._inline:
            self._inline[style] = read_block(parts_of(style))
        return self._inline[style]


def _commonness(name: str) -> tuple[int, str]:
    # Ids before classes before tags: an id is on one element, a tag on hundreds.
    return "#.".find(name[0]) % 3, name
