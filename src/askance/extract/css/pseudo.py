"""Pseudo-classes that a page without a pointer and without time can be asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tinycss2.nth import parse_nth

from askance.extract.css.elements import Element
from askance.extract.css.tokens import Tokens

_INPUTS = frozenset({"input", "button", "select", "textarea", "option", "fieldset"})
# A page at rest, seen for the first time, in a window of its own, is in none of these states.
_AT_REST = (
    "hover", "focus", "focus-within", "focus-visible", "active", "visited", "target",
    "target-within", "fullscreen", "popover-open", "modal", "playing", "indeterminate", "autofill",
    "user-invalid", "user-valid", "picture-in-picture",
)  # fmt: skip
_LARGEST_STEP = 1_000_000


@dataclass(frozen=True, slots=True)
class Position:
    """An element's place among its siblings: every `step`th from `offset` on."""

    step: int
    offset: int
    from_end: bool
    same_tag: bool

    @classmethod
    def parse(cls, name: str, arguments: Tokens) -> Position | None:
        """Read `:nth-child(…)` and its kin; None for another function, or with `of`."""
        if name not in {"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"}:
            return None
        found = parse_nth(arguments)
        if found is None or max(map(abs, found)) > _LARGEST_STEP:
            return None
        return cls(found[0], found[1], "last" in name, name.endswith("type"))

    def holds(self, element: Element) -> bool:
        """Whether an element stands there."""
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
    position = Position(0, 1, from_end="last" in name, same_tag="type" in name)
    return position.holds


def _only(name: str) -> Callable[[Element], bool]:
    first, last = _at(f"first-{name}"), _at(f"last-{name}")
    return lambda element: first(element) and last(element)


def _is_link(element: Element) -> bool:
    return element.tag in {"a", "area"} and "href" in element.attributes


def _is_checked(element: Element) -> bool:
    return bool({"checked", "selected"}.intersection(element.attributes))


def _is_disabled(element: Element) -> bool:
    return element.tag in _INPUTS and "disabled" in element.attributes


def _is_enabled(element: Element) -> bool:
    return element.tag in _INPUTS and "disabled" not in element.attributes


def _is_empty(element: Element) -> bool:
    return not element.children and not element.node.text


def _is_open(element: Element) -> bool:
    return element.tag in {"details", "dialog"} and "open" in element.attributes


PLAIN_TESTS: dict[str, Callable[[Element], bool]] = {
    "root": lambda element: element.parent is None,
    "defined": lambda element: "-" not in element.tag,
    "first-child": _at("first-child"),
    "last-child": _at("last-child"),
    "only-child": _only("child"),
    "first-of-type": _at("first-of-type"),
    "last-of-type": _at("last-of-type"),
    "only-of-type": _only("of-type"),
    "empty": _is_empty,
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "checked": _is_checked,
    "disabled": _is_disabled,
    "enabled": _is_enabled,
    "open": _is_open,
    **dict.fromkeys(_AT_REST, lambda _: False),
}
