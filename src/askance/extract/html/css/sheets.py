"""The style sheets in a page's own `<style>` elements, as rules in the order in which they count.

Sheets that a page only points at (`<link>`, `@import`) are not read here; the reader of a page that has them puts them
into its tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from askance.extract.html.css.declarations import DeclarationBlock, parts_of, read_block
from askance.extract.html.css.elements import Element
from askance.extract.html.css.selectors import Selector, selectors_in
from askance.extract.html.css.statements import (
    LISTS,
    StyleStatement,
    holds_on_screen,
    statements_of,
)

# What remains of real sheets after the rules for elements that the page lacks are left out is below
# 150,000 on 93 pages; the rest is not read.
MOST_CHARACTERS = 250_000
MOST_RULES = 10_000
# At-rules within each other.
DEEPEST_RULE = 12

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/)|)*+(?:\*/)?")
_NAME = re.compile(r"[.#][^\s.#:>+~,&*]++")
# What stands in parentheses and brackets may be a choice or a contrary; the names beside it are
# needed all the same. Where more than that remains, nothing can be said.
_ASIDE = re.compile(r"\([^()\[\]]*+\)|\[[^()\[\]]*+\]")
_INTRICATE = re.compile(r"[\\\"'()\[\]@%|]")
# Parts of elements, and states that a page at rest is not in.
_NEVER = re.compile(
    r"::|:(?:before|after|hover|focus|active|visited|target|first-l)", re.IGNORECASE
)


@dataclass(frozen=True)
class StyleRule:
    """Selectors with one block, `parts` of which count here."""

    selectors: tuple[Selector, ...]
    parts: tuple[str, ...]

    @cached_property
    def block(self) -> DeclarationBlock:
        """What the rule declares; read once an element of the page is selected."""
        return read_block(self.parts)


def read_sheets(sheets: Iterable[str], names: frozenset[str], *, quirks: bool) -> list[StyleRule]:
    """Read style sheets for a page that has these classes and ids."""
    reader = _Reader(names, quirks)
    for sheet in sheets:
        reader.read(sheet)
    return reader.rules


@dataclass
class _Reader:
    """Reads the rules of sheets that may apply to elements with some names."""

    names: frozenset[str]
    quirks: bool
    left: int = MOST_CHARACTERS
    rules: list[StyleRule] = field(default_factory=list[StyleRule])

    def read(self, sheet: str, depth: int = 0) -> None:
        for name, prelude, content in _statements(sheet) if depth == 0 else statements_of(sheet):
            if name in LISTS and depth < DEEPEST_RULE and _applies(name, prelude):
                self.read(content, depth + 1)
            elif not name and self._may_apply(prelude):
                self.left -= len(prelude) + len(content)
                self._add(prelude, content)
            if len(self.rules) >= MOST_RULES or self.left < 0:
                return

    def _add(self, prelude: str, content: str) -> None:
        if self.left >= 0 and (parts := parts_of(content)):
            selectors = selectors_in(prelude, quirks=self.quirks)
            if selectors:
                self.rules.append(StyleRule(selectors, parts))

    def _may_apply(self, prelude: str) -> bool:
        """Whether a rule may apply: frameworks put thousands into a page that has elements for a tenth of them."""
        plain = _COMMENT.sub(" ", prelude) if "/" in prelude else prelude
        plain = _ASIDE.sub("", plain)
        if _INTRICATE.search(plain):
            return True
        if self.quirks:
            plain = plain.lower()
        return any(
            self.names.issuperset(_NAME.findall(part)) and not (":" in part and _NEVER.search(part))
            for part in plain.split(",")
        )


@lru_cache(maxsize=4)
def _statements(sheet: str) -> tuple[StyleStatement, ...]:
    """Return the statements of a whole sheet, which the chapters of a book share."""
    return tuple(statements_of(sheet))


def _applies(name: str, prelude: str) -> bool:
    if name == "media":
        return holds_on_screen(prelude)
    # `@supports` and `@container` are taken to hold.
    return not prelude.lstrip().lower().startswith("not")


# The style sheets that a page has of its own, and for which of its elements each counts.

# What a style sheet in them says holds for no element of the page that a person sees.
_OTHER_PAGES = ("noscript", "template", "noframes", "noembed", "iframe")


def scopes_of(elements: Sequence[Element], shadows: set[Element]) -> dict[Element, Element]:
    """Return the shadow tree that an element stands in or is, if any: its sheets count there alone."""
    if not shadows:
        return {}
    scopes: dict[Element, Element] = {}
    for element in elements:
        if element in shadows:
            scopes[element] = element
        elif element.parent is not None and (scope := scopes.get(element.parent)):
            scopes[element] = scope
    return scopes


def sheets_in(
    elements: Iterable[Element], shadows: set[Element], scopes: dict[Element, Element]
) -> dict[Element | None, list[str]]:
    """Return the page's own style sheets for a screen, those of each shadow tree apart."""
    sheets: dict[Element | None, list[str]] = {}
    others: set[Element] = set()
    for element in elements:
        is_other = element.tag in _OTHER_PAGES and element not in shadows
        if is_other or element.parent in others:
            others.add(element)
        elif element.tag == "style" and (sheet := element.node.text):
            kind = element.attributes.get("type", "text/css").strip().lower()
            if kind in {"", "text/css"} and holds_on_screen(element.attributes.get("media", "")):
                sheets.setdefault(scopes.get(element), []).append(sheet)
    return sheets
