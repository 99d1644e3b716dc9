"""What a page strikes through by a style: put into an element that does so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from askance.extract.css.selectors import Selector, selectors_in
from askance.extract.tree import Node, add_child

STRUCK = frozenset({"del", "s", "strike"})
"""Elements whose text is struck through."""
_RENAMED = frozenset({"span", "font", "b", "i", "em", "strong", "small", "u", "bdi", "big", "ins"})
_BOXES = frozenset({"p", "div", "li", "td", "th", "a", "label", "h1", "h2", "h3", "h4", "h5", "h6", "dd", "dt"})  # fmt: skip
_STYLE = "line-through"
_LONGEST_SELECTOR, _LONGEST_BODY = 500, 2000
_STRIKES = re.compile(r"text-decoration(?:-line)?\s{0,9}:[^;]{0,99}line-through", re.IGNORECASE)
MOST_SELECTORS = 50


def mark_struck(tree: Node) -> None:
    """Put what a style strikes through into an element that does so."""
    selectors = _selectors(tree)
    for element in list(tree.iter()):
        if element.tag in STRUCK or not (
            _STYLE in element.get("style", "").lower()
            or (selectors and _is_struck(element, selectors))
        ):
            continue
        if element.tag in _RENAMED:
            element.tag = "s"
        elif element.tag in _BOXES:
            _wrap(element)


def _selectors(tree: Node) -> dict[str, list[Selector]]:
    """Return the selectors of classes that the page's own sheets strike through in any state, by one of the classes."""
    found: dict[str, list[Selector]] = {}
    sheets = (text for style in tree.iter("style") if _STYLE in (text := style.text or "").lower())
    rules = (head for text in sheets for head, body in _rules(text) if _STRIKES.search(body))
    selectors = (its for rule in rules for its in selectors_in(rule.strip(), quirks=False))
    for selector in islice(filter(_is_plain, selectors), MOST_SELECTORS):
        name = next((name for name in selector.compounds[0].names if name.startswith(".")), "")
        found.setdefault(name[1:], []).append(selector)
    return found


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Yield what selects and what is declared; of rules within one another, the inner ones."""
    for text in sheet.split("}"):
        before, brace, body = text.rpartition("{")
        head = before.rpartition("{")[2]
        if brace and len(head) <= _LONGEST_SELECTOR and len(body) <= _LONGEST_BODY:
            yield head, body


def _is_plain(selector: Selector) -> bool:
    has_class = any(name.startswith(".") for name in selector.compounds[0].names)
    is_tested = any(compound.tests for compound in selector.compounds)
    return has_class and not is_tested and {*selector.combinators} <= {" ", ">"}


def _is_struck(element: Node, selectors: dict[str, list[Selector]]) -> bool:
    return any(
        _is_selected(element, selector)
        for name in element.get("class", "").split()
        for selector in selectors.get(name, ())
    )


def _is_selected(element: Node, selector: Selector) -> bool:
    own, *outer = selector.compounds
    if not own.names <= _names(element):
        return False
    at = element.getparent()
    for compound, combinator in zip(outer, selector.combinators, strict=True):
        while combinator == " " and at is not None and not compound.names <= _names(at):
            at = at.getparent()
        if at is None or not compound.names <= _names(at):
            return False
        at = at.getparent()
    return True


def _names(element: Node) -> set[str]:
    names = {str(element.tag), *(f".{name}" for name in element.get("class", "").split())}
    if own_id := element.get("id"):
        names.add(f"#{own_id}")
    return names


def _wrap(element: Node) -> None:
    inner = add_child(element, "s")
    inner.text, element.text = element.text, None
    for child in list(element)[:-1]:
        inner.append(child)
