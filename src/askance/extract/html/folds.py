"""What a control of a page opens: tab panels, answers behind their questions, the next slides of a gallery.

A person reads such text with one click, so it is a part of the page, as a closed `<details>` is. A
control is an element that a person can use and sees; what claims to be folded text without one stays hidden.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from askance.extract.html.css.selectors import Element, nearest
from askance.extract.html.tree import text_of
from askance.extract.text.characters import count_words

_CONTROL_TAGS = frozenset({"button", "summary"})
_CONTROL_ROLES = frozenset(
    {"button", "tab", "switch", "link", "menuitem", "menuitemradio", "radio"}
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "legend"})
_TARGETS = ("aria-controls", "popovertarget", "commandfor", "data-target", "data-bs-target")
_CONTROLLING = frozenset({*_TARGETS, "href"})
_TOGGLES = frozenset({"data-toggle", "data-bs-toggle", "aria-expanded", "aria-selected"})
# Panels that hold no text of the page: its menus, forms, and what it asks of its visitor.
_APART = frozenset({"nav", "footer", "dialog"})
_NO_PANELS = frozenset({"nav", "header", "footer", "form", "dialog", "menu", "select", "input"})
_NO_PANEL_ROLES = frozenset({
    "dialog", "alertdialog", "menu", "menubar", "navigation", "search", "listbox", "tooltip", "tree",
})  # fmt: skip
_NO_PANEL_NAMES = re.compile(
    r"modal|dialog|popup|lightbox|off-?canvas|drawer|menu|cookie|consent|search|share|login|nav(?:bar|igation|$)",
    re.IGNORECASE,
)
_TAB_NAMES = re.compile(r"(?:^|[-_])tabs?(?:$|[-_])|accordion|toggle|collaps", re.IGNORECASE)
_MOVING_WORDS = re.compile(
    r"\b(?:next|prev|previous|more|show|load|slide)|[\u203a\xbb\u2192\u276f\u25b6]|\b(?:weiter|nächste|mehr|suivante?|plus|siguiente|más)\b",
    re.IGNORECASE,
)
_FEWEST_SLIDES = 2
_MOST_LINKED = 0.5  # of a panel's words; with more of them it is a menu
_MOST_TARGETS = 20
_LONGEST_LABEL = 6  # words
_NEAR = 2  # levels between a link and the list of tabs that it stands in


class Fold(NamedTuple):
    """A control, and what it opens."""

    control: Element
    panel: Element


class Panels:
    """The elements of a page that may be folded text: what controls open, and what is text at all."""

    def __init__(self, elements: Sequence[Element], wordless: frozenset[str]) -> None:
        """Look at a page's elements, of which those with a tag in `wordless` have no words."""
        self._elements = elements
        self._wordless = wordless
        self._counts: dict[Element, tuple[int, int]] = {}

    def words_of(self, element: Element) -> int:
        """Return how many words stand in an element and below it."""
        return self._counts_of(element)[0]

    def _counts_of(self, element: Element) -> tuple[int, int]:
        """Return the words in an element and below it, and how many of them stand in links."""
        counts = self._counts
        if element not in counts:
            uncounted = [element]
            # Each element once, from below: panels within panels would be counted again and again.
            for above in uncounted:  # grows as it goes down
                uncounted += (child for child in above.children if child not in counts)
            for inner in reversed(uncounted):
                below = [counts[child] for child in inner.children]
                words = 0
                if inner.tag not in self._wordless:
                    words = inner.words() + sum(count for count, _ in below)
                linked = words if inner.tag == "a" else 0
                counts[inner] = words, linked or sum(count for _, count in below)
        return counts[element]

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        found: dict[str, Element] = {}
        for element in self._elements:
            if name := element.attributes.get("id"):
                found.setdefault(name, element)
        return found

    def folds(self, closed: Sequence[Element]) -> list[Fold]:
        """Return what of some elements that are not seen the page's controls open."""
        if not closed:
            return []
        found = [
            *self._named(set(closed)),
            *self._tabs(closed),
            *self._neighbours(closed),
            *self._slides(closed),
        ]
        return [fold for fold in found if self.is_text(fold.panel)]

    def is_text(self, panel: Element) -> bool:
        """Whether an element has text of the page rather than its menu, a form or a dialogue."""
        if _is_named_apart(panel) or _stands_apart(panel):
            return False
        words, linked = self._counts_of(panel)
        return linked <= _MOST_LINKED * words

    def _named(self, closed: set[Element]) -> Iterator[Fold]:
        """Yield what controls name as theirs."""
        if not any("id" in element.attributes for element in closed):
            return
        for element in self._elements:
            attributes = element.attributes
            if not attributes or _CONTROLLING.isdisjoint(attributes):
                continue
            for name in _targets(element):
                panel = self._by_id.get(name)
                if panel in closed and self._is_control(element):
                    yield Fold(element, panel)

    def _tabs(self, closed: Sequence[Element]) -> Iterator[Fold]:
        """Yield the panels of lists of tabs: those that a tab labels, or that stand beside as many."""
        if not any(e.attributes.get("role") == "tabpanel" for e in closed):
            return
        panels = [e for e in self._elements if e.attributes.get("role") == "tabpanel"]
        for panel in panels:
            for name in panel.attributes.get("aria-labelledby", "").split():
                tab = self._by_id.get(name)
                if tab is not None and self._is_control(tab):
                    yield Fold(tab, panel)
        lists = nearest(self._elements, lambda e: e.attributes.get("role") == "tablist")
        holders = {tabs.parent for tabs in set(lists.values())}
        around = nearest(self._elements, holders.__contains__)
        tabs: defaultdict[Element | None, list[Element]] = defaultdict(list)
        for element in self._elements:
            if (
                element.attributes.get("role") == "tab"
                and element in lists
                and self._has_name(element)
            ):
                tabs[around.get(element)].append(element)
        within: defaultdict[Element | None, list[Element]] = defaultdict(list)
        for panel in panels:
            within[around.get(panel)].append(panel)
        for holder, its in within.items():
            if holder is not None and len(tabs[holder]) >= len(its):
                # By their order, as tabs without ids are meant: the first opens the first panel.
                yield from map(Fold, tabs[holder], its)

    def _neighbours(self, closed: Sequence[Element]) -> Iterator[Fold]:
        """Yield what stands directly behind a control, or behind the heading of a text to be found."""
        for element in closed:
            before = _before(element)
            if before is None:
                continue
            control = self._opener_in(before)
            # `hidden=until-found`: a browser shows it where its reader searches for its words.
            is_found = element.attributes.get("hidden", "").strip().lower() == "until-found"
            if control is None and is_found and before.tag in _HEADINGS and self._has_name(before):
                control = before
            if control is not None:
                yield Fold(control, element)

    def _opener_in(self, element: Element) -> Element | None:
        """Return the control that an element is, or that it holds as its only element."""
        for _ in range(_NEAR + 1):
            if self._is_opener(element):
                return element
            if len(element.children) != 1 or count_words(element.node.text or ""):
                return None
            element = element.children[0]
        return None

    def _is_opener(self, element: Element) -> bool:
        attributes = element.attributes
        if element.tag == "label":
            box = self._by_id.get(attributes.get("for", ""))
            kind = box.attributes.get("type", "").lower() if box is not None else ""
            return kind in {"checkbox", "radio"} and self._has_name(element)
        is_declared = "aria-expanded" in attributes or "onclick" in attributes
        return (element.tag in _CONTROL_TAGS or is_declared) and self._is_control(element)

    def _slides(self, closed: Sequence[Element]) -> Iterator[Fold]:
        """Yield elements alike that stand beside a button for the next one."""
        found: dict[Element, tuple[Element | None, Counter[tuple[str, str]]]] = {}
        for element in closed:
            holder = element.parent
            if holder is None or not element.attributes.get("class", "").strip():
                continue
            if holder not in found:
                mover = next(filter(self._is_mover, holder.children), None)
                alike = map(_likeness, holder.children) if mover else ()
                found[holder] = mover, Counter(alike)
            mover, counts = found[holder]
            if mover is not None and counts[_likeness(element)] >= _FEWEST_SLIDES:
                yield Fold(mover, element)

    def _is_mover(self, element: Element) -> bool:
        """Whether an element is a button for more of the same."""
        if element.tag != "button" and element.attributes.get("role") != "button":
            return False
        if self.words_of(element) > _LONGEST_LABEL or not self._is_control(element):
            return False
        label = f"{text_of(element.node)} {element.attributes.get('aria-label', '')}"
        return bool(_MOVING_WORDS.search(label))

    def _is_control(self, element: Element) -> bool:
        """Whether a person can use an element, and is told what for."""
        attributes = element.attributes
        kind = attributes.get("type", "").lower()
        return (
            element.tag in _CONTROL_TAGS
            or (element.tag == "a" and "href" in attributes)
            or (element.tag == "input" and kind in {"button", "checkbox", "radio"})
            or attributes.get("role", "").strip().lower() in _CONTROL_ROLES
            or "onclick" in attributes
        ) and ("disabled" not in attributes and self._has_name(element))

    def _has_name(self, element: Element) -> bool:
        attributes = element.attributes
        return bool(self.words_of(element)) or any(
            attributes.get(name, "").strip() for name in ("aria-label", "title", "value")
        )


def _stands_apart(panel: Element) -> bool:
    at: Element | None = panel
    while at is not None and at.tag not in _APART:
        at = at.parent
    return at is not None


def _targets(control: Element) -> Iterator[str]:
    attributes = control.attributes
    for name in _TARGETS:
        if name in attributes:
            yield from (part.lstrip("#") for part in attributes[name].split()[:_MOST_TARGETS])
    address = attributes.get("href", "")
    # Any link within the page leads to an id: only those that look like a tab or a toggle open it.
    if address.startswith("#") and (
        attributes.get("role") == "tab"
        or not _TOGGLES.isdisjoint(attributes)
        or any(map(_TAB_NAMES.search, _names_near(control)))
    ):
        yield address[1:]


def _names_near(element: Element) -> Iterator[str]:
    near: Element | None = element
    for _ in range(_NEAR + 1):
        if near is None:
            return
        yield from near.attributes.get("class", "").split()
        near = near.parent


def _before(element: Element) -> Element | None:
    if element.parent is None or not element.position:
        return None
    return element.parent.children[element.position - 1]


def _likeness(element: Element) -> tuple[str, str]:
    return element.tag, element.attributes.get("class", "").lower()


def _is_named_apart(panel: Element) -> bool:
    """Whether a panel is a menu, a form or a dialogue by its name."""
    attributes = panel.attributes
    names = f"{attributes.get('id', '')} {attributes.get('class', '')}"
    return (
        panel.tag in _NO_PANELS
        or attributes.get("role", "").strip().lower() in _NO_PANEL_ROLES
        or any(map(_NO_PANEL_NAMES.search, names.split()))
    )
