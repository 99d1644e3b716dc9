"""A page's elements as style sheets see them, and the pseudo-classes that a page without a pointer can
be asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tinycss2.nth import parse_nth

from askance.extract.html.css.values import Tokens
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
    # Most elements have the same few tags and classes.
    names: dict[tuple[str, str | None, str | None], frozenset[str]] = {}
    childless: list[Element] = []
    for node in tree.iter():
        tag = node.tag
        if not isinstance(tag, str):
            continue
        items = node.items()
        if items:
            attributes = dict(items)
            key = (tag, attributes.get("id"), attributes.get("class"))
        else:
            attributes, key = _NOTHING, (tag, None, None)
        own = names.get(key)
        if own is None:
            own = names[key] = _names_of(*key, quirks=quirks)
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
