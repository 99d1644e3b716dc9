"""A page's elements as style sheets see them, in document order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from askance.extract.tree import Node

# A page of deeply nested elements with many classes each would need their square.
MOST_NAMES_ABOVE = 500
_NOTHING: Mapping[str, str] = {}


@dataclass(slots=True, eq=False)
class Element:
    """An element with what selectors ask for.

    `names` are its tag, `#` with its id, and `.` with each of its classes; `above` those of all its
    ancestors together, None where they are too many to be kept. `position` counts from 0 among the
    parent's children. `places` is made when it is asked for: see `place_of_tag`.
    """

    node: Node
    tag: str
    attributes: Mapping[str, str]
    names: frozenset[str]
    parent: Element | None
    above: frozenset[str] | None
    position: int = 0
    children: list[Element] = field(default_factory=list["Element"])
    places: dict[Element, tuple[int, int]] | None = None

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
    for node in tree.iter():
        tag = node.tag
        if not isinstance(tag, str):
            continue
        attributes = dict(node.attrib) or _NOTHING
        key = (tag, attributes.get("id"), attributes.get("class"))
        own = names.get(key)
        if own is None:
            own = names[key] = _names_of(*key, quirks=quirks)
        above = node.getparent()
        parent = known.get(above) if above is not None else None
        element = Element(node, tag, attributes, own, parent, _above(parent))
        if parent:
            element.position = len(parent.children)
            parent.children.append(element)
        known[node] = element
        found.append(element)
    return found


def names_in(elements: Iterable[Element]) -> frozenset[str]:
    """Return all names of a page's elements: a rule that asks for another one applies nowhere."""
    names: set[str] = set()
    for element in elements:
        names |= element.names
    return frozenset(names)


def _names_of(tag: str, own_id: str | None, classes: str | None, *, quirks: bool) -> frozenset[str]:
    names = [tag]
    if own_id:
        names.append(f"#{own_id.lower() if quirks else own_id}")
    if classes:
        names += [f".{name}" for name in (classes.lower() if quirks else classes).split()]
    return frozenset(names)


def _above(parent: Element | None) -> frozenset[str] | None:
    if parent is None:
        return frozenset()
    if parent.children:
        return parent.children[0].above
    if parent.above is None or len(parent.above) + len(parent.names) > MOST_NAMES_ABOVE:
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
