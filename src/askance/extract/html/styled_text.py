"""What the styles of a page raise, lower or strike through, put into the elements that do so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from askance.extract.html.css.selectors import Selector, selectors_in
from askance.extract.html.tree import Node, add_child

STRUCK = frozenset({"del", "s", "strike"})
"""Elements whose text is struck through."""
_RENAMED = frozenset({"span", "font", "b", "i", "em", "strong", "small", "u", "bdi", "big", "ins"})
_BOXES = frozenset({"p", "div", "li", "td", "th", "a", "label", "h1", "h2", "h3", "h4", "h5", "h6", "dd", "dt"})  # fmt: skip
_LONGEST_SELECTOR, _LONGEST_BODY = 500, 2000
STRIKES = re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,99}line-through", re.IGNORECASE)
RAISES = re.compile(r"vertical-align\s{0,9}:\s{0,9}super\b", re.IGNORECASE)
LOWERS = re.compile(r"vertical-align\s{0,9}:\s{0,9}sub\b", re.IGNORECASE)
MOST_SELECTORS = 50
_NOTHING: set[tuple[int, int]] = set()


def mark_styled(tree: Node, style: re.Pattern[str], tag: str) -> None:
    """Put what a style strikes through, raises or lowers into an element that does so."""
    selectors = _selectors(tree, style)
    selected = set(_selected(tree, selectors)) if selectors else set[Node]()
    for element in list(tree.iter()):
        if element.tag in STRUCK or not (
            style.search(element.get("style", "")) or element in selected
        ):
            continue
        if element.tag in _RENAMED:
            element.tag = tag
        elif element.tag in _BOXES:
            _wrap(element, tag)


def _selectors(tree: Node, style: re.Pattern[str]) -> list[Selector]:
    """Return the selectors of classes that the page's own sheets give a style in any state."""
    sheets = (text for part in tree.iter("style") if style.search(text := part.text or ""))
    rules = (head for text in sheets for head, body in _rules(text) if style.search(body))
    selectors = (its for rule in rules for its in selectors_in(rule.strip(), quirks=False))
    return list(islice(filter(_is_plain, selectors), MOST_SELECTORS))


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield what selects and what is declared; of rules within one another, the inner ones."""
    # Not by a pattern: one that looked for both braces took quadratic time on open ones.
    for text in sheet.split("}"):
        before, brace, body = text.rpartition("{")
        head = before.rpartition("{")[2]
        if brace and len(head) <= _LONGEST_SELECTOR and len(body) <= _LONGEST_BODY:
            yield head, body


def _is_plain(selector: Selector) -> bool:
    has_class = any(name.startswith(".") for name in selector.compounds[0].names)
    is_tested = any(compound.tests for compound in selector.compounds)
    return has_class and not is_tested and {*selector.combinators} <= {" ", ">"}


def _selected(tree: Node, selectors: Sequence[Selector]) -> Iterator[Node]:
    """Yield the elements that selectors select, in one walk from the root down.

    Each element passes on to its children which compounds may match next, in any descendant or in a child alone: looking
    upwards from every element took time in proportion to depth times selectors.
    """
    outermost = {(n, len(selector.compounds) - 1) for n, selector in enumerate(selectors)}
    passed_on: dict[Node | None, tuple[set[tuple[int, int]], set[tuple[int, int]]]] = {}
    for element in tree.iter():
        anywhere, in_child = passed_on.get(element.getparent(), (outermost, _NOTHING))
        names = {str(element.tag), *(f".{name}" for name in element.get("class", "").split())}
        if own_id := element.get("id"):
            names.add(f"#{own_id}")
        deeper, next_child = set[tuple[int, int]](), set[tuple[int, int]]()
        is_selected = False
        for n, place in anywhere | in_child if in_child else anywhere:
            if not selectors[n].compounds[place].names <= names:
                continue
            if place == 0:
                is_selected = True
            elif selectors[n].combinators[place - 1] == ">":
                next_child.add((n, place - 1))
            else:
                deeper.add((n, place - 1))
        if is_selected:
            yield element
        passed_on[element] = (anywhere if deeper <= anywhere else anywhere | deeper), next_child


def _wrap(element: Node, tag: str) -> None:
    # A box keeps its tag, so that it stays a block of its own kind.
    inner = add_child(element, tag)
    inner.text, element.text = element.text, None
    for child in list(element)[:-1]:
        inner.append(child)
