"""Selectors, and a page's elements as they see them.

Selectors are parsed from tinycss2's tokens and matched from right to left, as browsers do. What depends on a pointer, a
focus or an address (`:hover`, `:target`) never matches, nor does a pseudo-element. A selector with a pseudo-class that is
not known here is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from tinycss2.nth import parse_nth

from askance.extract.html.css.values import Token, Tokens, significant, split_commas, values_of
from askance.extract.html.tree import Node, own_texts
from askance.extract.text.characters import count_words

# A page of deeply nested elements with many classes each would need their square.
MOST_NAMES_ABOVE = 500
_NOTHING: Mapping[str, str] = {}
# A page at rest, seen for the first time, in a window of its own, is in none of these states.
AT_REST = ("hover", "focus", "focus-within", "focus-visible", "active", "visited", "target")
"""States that no element is in."""
_LARGEST_STEP = 1_000_000


@dataclass(slots=True, eq=False)
class Element:
    """An element with what selectors ask for.

    `names` are its tag, `#` with its id, and `.` with each of its classes; `above` those of all its
    ancestors together, None where they are too many to be stored. `position` counts from 0 among the
    parent's children. `children` is one list for all that have none, which nothing is added to. `places` is
    made when it is asked for: see `place_of_tag`.
    """

    node: Node
    tag: str
    attributes: Mapping[str, str]
    names: frozenset[str]
    parent: Element | None
    above: frozenset[str] | None
    position: int
    children: list[Element]
    places: dict[Element, tuple[int, int]] | None = None
    own_words: int = -1

    def words(self) -> int:
        """Return how many words stand in the element itself."""
        if self.own_words < 0:
            self.own_words = sum(map(count_words, own_texts(self.node)))
        return self.own_words

    def place_of_tag(self) -> tuple[int, int]:
        """Return the place among the siblings with the same tag, from 0, and how many there are."""
        if self.parent is None:
            return 0, 1
        if self.parent.places is None:
            self.parent.places = _places_of_tags(self.parent.children)
        return self.parent.places[self]


def elements_of(tree: Node, *, quirks: bool) -> list[Element]:
    """Return all elements below and with the root. In quirks mode classes and ids ignore case."""
    found: list[Element] = []
    known: dict[Node, Element] = {}
    childless: list[Element] = []
    for node in tree.iter():
        tag = node.tag
        if not isinstance(tag, str):
            continue
        items = node.items()
        attributes = dict(items) if items else _NOTHING
        own = _names_of(tag, attributes.get("id"), attributes.get("class"), quirks=quirks)
        above = node.getparent()
        parent = known.get(above) if above is not None else None
        if parent is None:
            element = Element(node, tag, attributes, own, None, frozenset(), 0, childless)
        elif beside := parent.children:
            element = Element(
                node, tag, attributes, own, parent, beside[0].above, len(beside), childless
            )
            beside.append(element)
        else:
            element = Element(node, tag, attributes, own, parent, _above(parent), 0, childless)
            # Only now a list of its own: most elements have no children.
            parent.children = [element]
        known[node] = element
        found.append(element)
    return found


def names_in(elements: Iterable[Element]) -> frozenset[str]:
    """Return all names of a page's elements: a rule that asks for another one applies nowhere."""
    names: set[str] = set()
    for element in elements:
        names |= element.names
    return frozenset(names)


def nearest(
    elements: Sequence[Element], is_one: Callable[[Element], bool]
) -> dict[Element, Element]:
    """Return for each element the nearest of some kind that it is or stands in."""
    found: dict[Element, Element] = {}
    for element in elements:
        if is_one(element):
            found[element] = element
        elif element.parent is not None and (above := found.get(element.parent)):
            found[element] = above
    return found


@dataclass(frozen=True, slots=True)
class SiblingPosition:
    """An element's place among its siblings: every `step`th from `offset` on."""

    step: int
    offset: int
    from_end: bool
    same_tag: bool

    @classmethod
    def parse(cls, name: str, arguments: Tokens) -> SiblingPosition | None:
        """Read `:nth-child(…)` and its kin; None for another function, or with `of`."""
        if name not in {"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"}:
            return None
        found = parse_nth(arguments)
        if found is None or max(map(abs, found)) > _LARGEST_STEP:
            return None
        return cls(found[0], found[1], "last" in name, name.endswith("type"))

    def holds(self, element: Element) -> bool:
        """Whether an element stands there."""
        # `An+B` is A times n plus B for any n from 0: the quotient must not be negative.
        place = self._place(element) - self.offset
        return place == 0 if self.step == 0 else place % self.step == 0 and place // self.step >= 0

    def _place(self, element: Element) -> int:
        if self.same_tag:
            place, count = element.place_of_tag()
        else:
            place = element.position
            count = len(element.parent.children) if element.parent else 1
        return count - place if self.from_end else place + 1


def _at(name: str) -> Callable[[Element], bool]:
    position = SiblingPosition(0, 1, from_end="last" in name, same_tag="type" in name)
    return position.holds


def _only(name: str) -> Callable[[Element], bool]:
    first, last = _at(f"first-{name}"), _at(f"last-{name}")
    return lambda element: first(element) and last(element)


PLAIN_TESTS: dict[str, Callable[[Element], bool]] = {
    "root": lambda element: element.parent is None,
    "first-child": _at("first-child"),
    "last-child": _at("last-child"),
    "only-child": _only("child"),
    "first-of-type": _at("first-of-type"),
    "last-of-type": _at("last-of-type"),
    "only-of-type": _only("of-type"),
    "empty": lambda element: not element.children and not element.node.text,
    **dict.fromkeys(AT_REST, lambda _: False),
}


# Most elements have the same few tags and classes.
@lru_cache(maxsize=4096)
def _names_of(tag: str, own_id: str | None, classes: str | None, *, quirks: bool) -> frozenset[str]:
    names = [tag]
    if own_id:
        names.append(f"#{own_id.lower() if quirks else own_id}")
    if classes:
        names += [f".{name}" for name in (classes.lower() if quirks else classes).split()]
    return frozenset(names)


def _above(parent: Element) -> frozenset[str] | None:
    if parent.above is None or parent.names <= parent.above:
        return parent.above  # the same set for many: what holds for it is looked up once
    if len(parent.above) + len(parent.names) > MOST_NAMES_ABOVE:
        return None
    return parent.above | parent.names


def _places_of_tags(siblings: Sequence[Element]) -> dict[Element, tuple[int, int]]:
    counts = Counter(sibling.tag for sibling in siblings)
    met: Counter[str] = Counter()
    places: dict[Element, tuple[int, int]] = {}
    for sibling in siblings:
        places[sibling] = met[sibling.tag], counts[sibling.tag]
        met[sibling.tag] += 1
    return places


# Longer and deeper ones are not written by people; matching would recurse as deeply.
MOST_COMPOUNDS = 32
MOST_ALTERNATIVES = 100
DEEPEST_NESTING = 4

Specificity = tuple[int, int, int]
Test = Callable[[Element, "Matcher"], bool]
_COMBINATORS = frozenset({">", "+", "~"})
_LISTS = frozenset({"is", "where", "not", "-webkit-any", "-moz-any"})


class OutOfStepsError(Exception):
    """A page's selectors need more steps than a page may have."""


@dataclass(frozen=True, slots=True)
class Compound:
    """What one element must be: the names and attributes that it must have (see `Element`), and further tests."""

    names: frozenset[str]
    tests: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from right to left, and what stands between each and the next.

    `above` are the names that must be found among an element's ancestors.
    """

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]
    specificity: Specificity
    above: frozenset[str]


class Matcher:
    """Matches selectors, and counts the steps that this takes.

    Raises `OutOfStepsError` from every method once they are used up.
    """

    def __init__(self, steps: int) -> None:
        self._left = steps

    def take_steps(self, count: int = 1) -> None:
        """Count steps."""
        self._left -= count
        if self._left < 0:
            raise OutOfStepsError

    def matches(self, element: Element, selector: Selector) -> bool:
        """Whether an element is selected."""
        self.take_steps()
        # Names before tests: most candidates end here, at the cost of one comparison of sets.
        if not selector.compounds[0].names <= element.names:
            return False
        if element.above is not None and not selector.above <= element.above:
            return False
        return self._matches(element, selector, 0)

    def _matches(self, element: Element, selector: Selector, at: int) -> bool:
        compound = selector.compounds[at]
        if not compound.names <= element.names:
            return False
        for test in compound.tests:
            if not test(element, self):
                return False
        if at == len(selector.combinators):
            return True
        wanted = selector.compounds[at + 1].names
        for candidate in _beside(element, selector.combinators[at]):
            # Not by `take_steps`: this runs for each ancestor and sibling.
            self._left -= 1
            if wanted <= candidate.names and self._matches(candidate, selector, at + 1):
                return True
            if self._left < 0:
                raise OutOfStepsError
        return False


@lru_cache(maxsize=20_000)
def selectors_in(text: str, *, quirks: bool) -> tuple[Selector, ...]:
    """Parse the selectors of a rule; those that cannot be matched here are left out."""
    return tuple(_Parser(quirks=quirks).selectors(values_of(text), DEEPEST_NESTING))


def _wanted_above(compounds: Sequence[Compound], signs: Sequence[str]) -> frozenset[str]:
    """Return the names that must be found among the ancestors."""
    return frozenset[str]().union(
        *(c.names for c, sign in zip(compounds[1:], signs, strict=True) if sign in " >")
    )


def _beside(element: Element, combinator: str) -> Iterable[Element]:
    match combinator:
        case ">":
            return (element.parent,) if element.parent else ()
        case "+":
            return islice(_before(element), 1)
        case "~":
            return _before(element)
        case _:
            return _ancestors(element)


def _ancestors(element: Element) -> Iterable[Element]:
    above = element.parent
    while above:
        yield above
        above = above.parent


def _before(element: Element) -> Iterable[Element]:
    if element.parent:
        for position in range(element.position - 1, -1, -1):
            yield element.parent.children[position]


@dataclass
class _Draft:
    """A compound that is being read."""

    names: tuple[str, ...] = ()
    tests: tuple[Test, ...] = ()
    weights: tuple[Specificity, ...] = ()
    is_empty: bool = True


class _Unmatchable(Exception):
    """A selector that matches nothing, or is not understood."""


@dataclass(frozen=True)
class _Parser:
    quirks: bool

    def selectors(self, tokens: Iterable[Token], depth: int) -> list[Selector]:
        found: list[Selector] = []
        for part in split_commas(tokens)[:MOST_ALTERNATIVES]:
            try:
                found.append(self._selector(part, depth))
            except _Unmatchable:
                continue
        return found

    def _selector(self, tokens: Sequence[Token], depth: int) -> Selector:
        drafts, combinators = self._compounds(tokens, depth)
        if any(draft.is_empty for draft in drafts) or len(drafts) > MOST_COMPOUNDS:
            raise _Unmatchable
        weights = [weight for draft in drafts for weight in draft.weights]
        compounds = tuple(Compound(frozenset(d.names), d.tests) for d in reversed(drafts))
        combinators.reverse()
        return Selector(
            compounds, tuple(combinators), _sum(weights), _wanted_above(compounds, combinators)
        )

    def _compounds(self, tokens: Sequence[Token], depth: int) -> tuple[list[_Draft], list[str]]:
        drafts, combinators = [_Draft()], list[str]()
        waiting = ""
        rest = list(reversed(tokens))
        while rest:
            token = rest.pop()
            if token.type in {"whitespace", "comment"}:
                waiting = waiting or " "
            elif token.type == "literal" and token.value in _COMBINATORS:
                waiting = token.value
            else:
                if waiting and (not drafts[-1].is_empty or waiting != " "):
                    drafts.append(_Draft())
                    combinators.append(waiting)
                waiting = ""
                self._read(token, rest, drafts[-1], depth)
        if waiting in _COMBINATORS:
            raise _Unmatchable
        return drafts, combinators

    def _read(self, token: Token, rest: list[Token], draft: _Draft, depth: int) -> None:
        draft.is_empty = False
        match token.type:
            case "ident":
                draft.names += (token.lower_value,)
                draft.weights += ((0, 0, 1),)
            case "hash":
                draft.names += (f"#{self._cased(token.value)}",)
                draft.weights += ((1, 0, 0),)
            case "[] block":
                draft.tests += (_attribute_test(significant(token.content or ())),)
                draft.weights += ((0, 1, 0),)
            case "literal":
                self._read_literal(token.value, rest, draft, depth)
            case _:
                raise _Unmatchable

    def _read_literal(self, sign: str, rest: list[Token], draft: _Draft, depth: int) -> None:
        if sign == "*":
            return
        if sign == "." and rest and rest[-1].type == "ident":
            draft.names += (f".{self._cased(rest.pop().value)}",)
            draft.weights += ((0, 1, 0),)
        elif sign == ":" and rest and rest[-1].type in {"ident", "function"}:
            self._read_pseudo(rest.pop(), draft, depth)
        else:
            raise _Unmatchable

    def _read_pseudo(self, token: Token, draft: _Draft, depth: int) -> None:
        if token.type != "ident":
            self._read_function(token, draft, depth)
            return
        test = PLAIN_TESTS.get(token.lower_value)
        if test is None:
            raise _Unmatchable
        if token.lower_value == "root":  # a name is looked up, a test made for each element
            draft.names += ("html",)
        else:
            draft.tests += (_plain_test(test),)
        draft.weights += ((0, 1, 0),)

    def _read_function(self, token: Token, draft: _Draft, depth: int) -> None:
        name = token.lower_name
        if not depth:
            raise _Unmatchable
        if name in _LISTS:
            self._add_list(name, token.arguments, draft, depth - 1)
            return
        position = SiblingPosition.parse(name, token.arguments)
        if position is None:
            raise _Unmatchable
        draft.tests += (_plain_test(position.holds),)
        draft.weights += ((0, 1, 0),)

    def _add_list(self, name: str, arguments: Tokens, draft: _Draft, depth: int) -> None:
        inner = self.selectors(arguments, depth)
        wanted = name != "not"
        if not wanted and len(inner) < len(split_commas(arguments)):
            raise _Unmatchable  # what one of them says is not known, nor is its contrary
        draft.tests += (_any_test(inner, wanted=wanted),)
        if name != "where" and inner:
            draft.weights += (max(selector.specificity for selector in inner),)

    def _cased(self, name: str) -> str:
        return name.lower() if self.quirks else name


def _any_test(selectors: Sequence[Selector], *, wanted: bool) -> Test:
    def test(element: Element, matcher: Matcher) -> bool:
        return any(matcher.matches(element, selector) for selector in selectors) is wanted

    return test


def _plain_test(holds: Callable[[Element], bool]) -> Test:
    return lambda element, _: holds(element)


def _attribute_test(tokens: Sequence[Token]) -> Test:
    if not tokens or tokens[0].type != "ident":
        raise _Unmatchable
    name = tokens[0].lower_value
    if len(tokens) == 1:
        return lambda element, _: name in element.attributes
    operator, wanted, ignores_case = _attribute_value(tokens[1:])

    def test(element: Element, matcher: Matcher) -> bool:
        value = element.attributes.get(name)
        if value is None:
            return False
        matcher.take_steps()
        return _compare(value.lower() if ignores_case else value, operator, wanted)

    return test


def _attribute_value(tokens: Sequence[Token]) -> tuple[str, str, bool]:
    signs = [token.value for token in tokens if token.type == "literal"]
    values = [token for token in tokens if token.type in {"ident", "string"}]
    if not signs or not values or len(values) > 2:
        raise _Unmatchable
    ignores_case = len(values) == 2 and values[1].value.lower() == "i"
    wanted = values[0].value
    return "".join(signs), wanted.lower() if ignores_case else wanted, ignores_case


def _compare(value: str, operator: str, wanted: str) -> bool:
    match operator:
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "|=":
            return value == wanted or value.startswith(f"{wanted}-")
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
        case "*=":
            return bool(wanted) and wanted in value
        case _:
            return False


def _sum(weights: Iterable[Specificity]) -> Specificity:
    ids = classes = tags = 0
    for weight in weights:
        ids, classes, tags = ids + weight[0], classes + weight[1], tags + weight[2]
    return ids, classes, tags
