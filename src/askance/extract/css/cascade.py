"""Which declarations an element has, the weightiest last: the cascade of CSS."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from askance.extract.css.blocks import DeclarationBlock, read_block
from askance.extract.css.elements import Element
from askance.extract.css.properties import Values
from askance.extract.css.selectors import Matcher, OutOfStepsError, Selector, Specificity
from askance.extract.css.sheets import Sheets, StyleRule

# A real page takes some thousand steps; a million take about a second.
MOST_STEPS = 1_000_000

Weight = tuple[int, Specificity, int]
Matching = tuple[tuple[Weight, int], ...]
_NONE: frozenset[str] = frozenset()


class _Candidate(NamedTuple):
    """A selector, what it asks of an element beside its names, and the rule that has it."""

    names: frozenset[str]
    above: frozenset[str]
    attributes: frozenset[str]
    is_sure: bool  # all that it asks of an element are these, if its ancestors' names are known
    selector: Selector
    weight: Weight
    number: int

    @classmethod
    def of(cls, selector: Selector, rule: StyleRule, number: int) -> _Candidate:
        compound = selector.compounds[0]
        return cls(
            compound.names,
            selector.above,
            compound.attributes,
            _is_of_names(selector),
            selector,
            (rule.layer, selector.specificity, rule.order),
            number,
        )


@dataclass(slots=True, eq=False)
class _Candidates:
    """The selectors that elements with some names may satisfy, and what these ask for beside the names."""

    all: tuple[_Candidate, ...]
    above: frozenset[str]
    attributes: frozenset[str]
    # By what elements have of these two: the rules that apply to all such elements, and those that may.
    known: dict[
        tuple[frozenset[str] | None, frozenset[str]], tuple[Matching, tuple[_Candidate, ...]]
    ] = field(
        default_factory=dict[
            "tuple[frozenset[str] | None, frozenset[str]]",
            "tuple[Matching, tuple[_Candidate, ...]]",
        ]
    )

    @classmethod
    def of(cls, candidates: tuple[_Candidate, ...]) -> _Candidates:
        return cls(
            candidates,
            _NONE.union(*(candidate.above for candidate in candidates)),
            _NONE.union(*(candidate.attributes for candidate in candidates)),
        )


Key = tuple[_Candidates, frozenset[str] | None, frozenset[str]]


class Cascade:
    """The rules of a page, ready to be asked about its elements.

    A page that needs too many steps to match gets no more answers from its style sheets; inline
    styles go on to count.
    """

    def __init__(self, sheets: Sheets, steps: int = MOST_STEPS) -> None:
        self._rules = sheets.rules
        self._keyframes = sheets.keyframes
        self._matcher = Matcher(steps)
        # Once the steps are used up: a sheet that is half applied would hide at random.
        self._ended = False
        self._buckets: defaultdict[str, list[_Candidate]] = defaultdict(list)
        # Of selectors that ask for no other rare thing: by an attribute, and its value.
        self._by_values: defaultdict[str, dict[str, list[_Candidate]]] = defaultdict(dict)
        self._inline: dict[str, DeclarationBlock] = {}
        self._results: dict[Matching, Matching] = {}
        self._nothing = _Candidates.of(())
        self._by_names: dict[object, _Candidates] = {}
        self._by_candidates: dict[tuple[int, ...], _Candidates] = {}
        for number, rule in enumerate(sheets.rules):
            for selector in rule.selectors:
                self._bucket_of(selector).append(_Candidate.of(selector, rule, number))

    def matching(self, element: Element, key: Key | None = None) -> Matching:
        """Return the rules for an element, each with its weight, the lightest first.

        For elements with the same rules it is the same object. `key` is what `key_of` returns, if that is known.
        """
        key = key or self.key_of(element)
        candidates, above, attributes = key
        if self._ended or not candidates.all:
            return ()
        try:
            known = candidates.known.get((above, attributes))
            if known is None:
                known = candidates.known[above, attributes] = self._narrowed(*key)
            sure, open_ = known
            more = [c for c in open_ if self._matcher.matches(element, c.selector)]
        except OutOfStepsError:
            self._ended = True
            return ()
        if not more:
            return sure
        return self._same(_heaviest(more, {number: weight for weight, number in sure}))

    def key_of(self, element: Element) -> Key:
        """Return what of an element its rules depend on, but for what their selectors test beyond names."""
        values = self._values_of(element) if self._by_values else ()
        names = (element.names, values) if values else element.names
        candidates = self._by_names.get(names)
        if candidates is None:
            candidates = self._by_names[names] = self._candidates_of(element.names, values)
        above, attributes = element.above, _NONE
        if not candidates.above:
            above = _NONE
        elif above is not None:
            above = candidates.above & above
        if candidates.attributes:
            attributes = candidates.attributes.intersection(element.attributes)
        return candidates, above, attributes

    def is_sure(self, key: Key) -> bool:
        """Whether `matching` holds for all elements with the same key."""
        if self._ended:
            return False
        candidates, above, attributes = key
        if not candidates.all:
            return True
        known = candidates.known.get((above, attributes))
        return known is not None and not known[1]

    def _narrowed(
        self, candidates: _Candidates, above: frozenset[str] | None, attributes: frozenset[str]
    ) -> tuple[Matching, tuple[_Candidate, ...]]:
        """Return the rules for all elements with the same names, and so above, and those that may be."""
        self._matcher.take_steps(len(candidates.all))
        sure: list[_Candidate] = []
        may_be: list[_Candidate] = []
        for candidate in candidates.all:
            # Where the names above are too many to be known, the matcher has to climb.
            if (above is None or candidate.above <= above) and candidate.attributes <= attributes:
                is_sure = candidate.is_sure and (above is not None or not candidate.above)
                (sure if is_sure else may_be).append(candidate)
        return self._same(_heaviest(sure, {})), tuple(may_be)

    def _same(self, matching: Matching) -> Matching:
        return self._results.setdefault(matching, matching)

    def declared(self, matching: Matching, inline: str, attributes: Values) -> Values:
        """Return what counts for an element: its attributes, the rules, and its inline style."""
        values = dict(attributes)
        blocks = [self._rules[number].block for _, number in matching]
        own = self._inline_block(inline) if inline else DeclarationBlock({}, {})
        for block in (*blocks, own):
            values.update(block.normal)
        # Animations outweigh what is normal, not what is important (CSS Cascade 5, 6.1).
        values.update(self._last_frame(values))
        # Among important declarations the earlier layer wins.
        by_layer = sorted(matching, key=lambda match: (-match[0][0], match[0][1:]))
        for _, number in by_layer:
            values.update(self._rules[number].block.important)
        values.update(own.important)
        return values

    def inline_names(self, inline: str) -> frozenset[str]:
        """Return the properties that an inline style declares."""
        block = self._inline_block(inline)
        return frozenset((*block.normal, *block.important))

    def _values_of(self, element: Element) -> tuple[tuple[str, str], ...]:
        """Return the attributes of an element with values that selectors ask for."""
        return tuple(
            (name, value)
            for name, value in element.attributes.items()
            if value in self._by_values.get(name, ())
        )

    def _candidates_of(
        self, names: frozenset[str], values: Iterable[tuple[str, str]]
    ) -> _Candidates:
        """Return the rules whose last compound asks for no other names: one object for the same rules."""
        if self._ended or not self._rules:
            return self._nothing
        buckets = [self._buckets.get(name, []) for name in (*names, "")]
        buckets += (self._by_values[name][value] for name, value in values)
        found: list[_Candidate] = []
        try:
            for bucket in filter(None, buckets):
                self._matcher.take_steps(len(bucket))
                found += (candidate for candidate in bucket if candidate.names <= names)
        except OutOfStepsError:
            self._ended = True
            return self._nothing
        its = tuple(map(id, found))
        known = self._by_candidates.get(its)
        if known is None:
            known = self._by_candidates[its] = _Candidates.of(tuple(found))
        return known

    def _bucket_of(self, selector: Selector) -> list[_Candidate]:
        """Return where a selector is stored: by the rarest thing that it asks of an element."""
        compound = selector.compounds[0]
        name = min(compound.names, key=_commonness, default="")
        # An exact value is rarer than a tag; an id or a class is looked up as cheaply.
        if compound.values and name[:1] not in {"#", "."}:
            attribute, value = compound.values[0]
            return self._by_values[attribute].setdefault(value, [])
        return self._buckets[name]

    def _inline_block(self, style: str) -> DeclarationBlock:
        if style not in self._inline:
            self._inline[style], _ = read_block(style)
        return self._inline[style]

    def _last_frame(self, values: Values) -> Values:
        """Return what an animation leaves behind, or what always holds in one without an end."""
        names = values.get("animation-name")
        if not isinstance(names, tuple):
            return {}
        known = cast("tuple[str, ...]", names)
        if values.get("animation-iteration-count") == "infinite":
            found = [its for name in known if (its := self._keyframes.throughout(name)) is not None]
        elif values.get("animation-fill-mode") == "forwards":
            found = [its for name in known if (its := self._keyframes.last(name)) is not None]
        else:
            return {}
        return found[-1] if found else {}


def _heaviest(candidates: Iterable[_Candidate], found: dict[int, Weight]) -> Matching:
    """Return rules with their weights, the lightest first, each once with its heaviest selector."""
    for candidate in candidates:
        weight, number = candidate.weight, candidate.number
        if number not in found or weight > found[number]:
            found[number] = weight
    if len(found) < 2:
        return tuple((weight, number) for number, weight in found.items())
    return tuple(sorted((weight, number) for number, weight in found.items()))


def _is_of_names(selector: Selector) -> bool:
    """Whether the names of an element and of its ancestors together say that it is selected."""
    if any(compound.tests for compound in selector.compounds):
        return False
    outer = selector.compounds[1:]
    return not outer or (
        len(outer) == 1 and selector.combinators == (" ",) and len(outer[0].names) == 1
    )


def _commonness(name: str) -> tuple[int, str]:
    # Ids before classes before tags: an id is on one element, a tag on hundreds.
    return "#.".find(name[0]) % 3, name
