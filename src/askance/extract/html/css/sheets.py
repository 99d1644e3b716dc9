"""The style sheets in a page's own `<style>` elements: their rules, and which of those an element has.

Sheets that a page only points at (`<link>`, `@import`) are not read here; the reader of a page that has them puts them
into its tree. The parser makes an object of each character's worth of a sheet, and is the slow part of reading a page. A
sheet is cut at its braces and semicolons instead, and the parser is given the few rules that may apply.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from askance.extract.html.css.computed import DeclarationBlock, Values, parts_of, read_block
from askance.extract.html.css.selectors import (
    Element,
    Matcher,
    OutOfStepsError,
    Selector,
    Specificity,
    nearest,
    selectors_in,
)
from askance.extract.html.css.values import BLACK, FONT_PX, SCREEN_HEIGHT, SCREEN_WIDTH, Length

# All that can hold a brace without meaning it, and the braces: the next one, behind all else.
_URL = r"(?<![\w\\-])[uU][rR][lL]\((?![\s\"'])"
_PIECE = re.compile(
    rf"(?:[^/\"'uU\\{{}};()\[\]]++|/(?!\*)|(?!{_URL})[uU]|)*+"
    r"(/\*(?:[^*]++|\*(?!/)|)*+(?:\*/)?"
    r'|"(?:[^"\\\n\r\f]++|\\.|)*+"?'
    r"|'(?:[^'\\\n\r\f]++|\\.|)*+'?"
    rf"|{_URL}(?:[^)\\]++|\\.|)*+\)?"
    r"|\\(?:.|\Z)"
    r"|[{};()\[\]]|\Z)",
    re.DOTALL,
)
_AROUND = re.compile(r"(?:[ \t\n\r\f]|/\*(?:[^*]|\*(?!/)|)*+\*/|<!--|-->|)*+")
_KEYWORD = re.compile(r"@(-?[A-Za-z_][A-Za-z0-9_-]*+)")
# What has rules in its block, as a sheet.
LISTS = frozenset({"supports", "container", "layer", "media"})


class StyleStatement(NamedTuple):
    """A rule with a block: `name` is that of an at-rule, empty for others."""

    name: str
    prelude: str
    content: str


def statements_of(sheet: str) -> Iterator[StyleStatement]:
    """Yield the rules with blocks of a sheet, or of the block of an at-rule, cut where the standard cuts them."""
    start = _begin(sheet, 0)
    depth = brackets = opened = 0
    for match in _PIECE.finditer(sheet):
        piece = match[1]
        if piece and piece in "([":
            brackets += 1
        elif piece and piece in ")]":
            brackets = max(0, brackets - 1)
        # A brace within parentheses is part of a value.
        elif brackets or piece not in {"{", "}", ";"}:
            continue
        elif piece == "{":
            opened = opened if depth else match.end()
            depth += 1
        elif depth:
            depth -= piece == "}"
            if not depth:
                yield _statement(sheet[start : opened - 1], sheet[opened : match.start(1)])
                start = _begin(sheet, match.end())
        elif piece == ";" and sheet.startswith("@", start):
            start = _begin(sheet, match.end())
    # The end of a sheet closes all blocks that are open, as in CSS Syntax 3.
    if depth:
        yield _statement(sheet[start : opened - 1], sheet[opened:])


def _begin(sheet: str, place: int) -> int:
    around = _AROUND.match(sheet, place)
    return around.end() if around else place


def _statement(prelude: str, content: str) -> StyleStatement:
    keyword = _KEYWORD.match(prelude)
    if keyword is None:
        return StyleStatement("@" if prelude.startswith("@") else "", prelude, content)
    return StyleStatement(keyword[1].lower(), prelude[keyword.end() :], content)


# Whether a media query holds on the screen of a person who reads: a laptop, a mouse, a light theme.
_FEATURE = re.compile(r"\(([^()]{0,100}+)\)")
_SIZE = re.compile(
    r"(?:(min|max)-)?(?:device-)?(width|height)(?::|([<>])=?)(\d{1,6}(?:\.\d{1,6})?)(px|r?em|)"
)
_RANGE = re.compile(r"([^<>=]{1,40})([<>]=?)(width|height)(.*)")
_HOLDING = frozenset({
    "orientation:landscape", "hover:hover", "pointer:fine", "any-hover:hover", "any-pointer:fine", "scripting:enabled",
    "prefers-color-scheme:light", "prefers-reduced-motion:no-preference", "color", "min-resolution:1dppx",
})  # fmt: skip


_FLIPPED = str.maketrans("<>", "><")


@lru_cache(maxsize=5000)
def holds_on_screen(query: str) -> bool:
    """Whether one of a list of media queries holds. What is unknown does not, as in a browser."""
    plain = _FEATURE.sub(lambda found: f" {_holds(found[1])} ", query.lower())
    return not query.strip() or any(map(_part_holds, re.split(r",|\bor\b", plain)))


def _part_holds(part: str) -> bool:
    words = [word for word in part.split() if word not in {"and", "only"}]
    is_negated = words[:1] == ["not"]
    return bool(words) and is_negated is not all(
        word in {"all", "screen", "true"} for word in words[is_negated:]
    )


def _holds(feature: str) -> str:
    text = "".join(feature.split())
    # As in `400px <= width < 900px`.
    if found := _RANGE.fullmatch(text):
        sides = (f"{found[3]}{found[2].translate(_FLIPPED)}{found[1]}", f"{found[3]}{found[4]}")
        return str(all(_holds(side) == "true" for side in sides if side != found[3])).lower()
    size = _SIZE.fullmatch(text)
    if size is None or not (size[1] or size[3]):
        return str(text in _HOLDING).lower()
    screen = SCREEN_WIDTH if size[2] == "width" else SCREEN_HEIGHT
    wanted = float(size[4]) * (FONT_PX if size[5].endswith("em") else 1)
    is_least = size[1] == "min" or size[3] == ">"
    return str(screen >= wanted if is_least else screen <= wanted).lower()


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
    return nearest(elements, shadows.__contains__) if shadows else {}


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
            blocks.append(_inline_block(inline))
        for block in blocks:
            values.update(block.normal)
        for block in blocks:
            values.update(block.important)
        return values

    def inline_names(self, inline: str) -> frozenset[str]:
        """Return the properties that an inline style declares."""
        block = _inline_block(inline)
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


@lru_cache(maxsize=4096)
def _inline_block(style: str) -> DeclarationBlock:
    return read_block(parts_of(style))


def _commonness(name: str) -> tuple[int, str]:
    # Ids before classes before tags: an id is on one element, a tag on hundreds.
    return "#.".find(name[0]) % 3, name


# From the style sheets that browsers have of their own (the HTML standard's "Rendering"). None of them is changed.
_NOTHING: Values = {}
_INKED: Values = {"color": BLACK}
_BY_TAG: dict[str, Values] = {
    "a": _INKED,
    "mark": _INKED,
    "button": {"color": BLACK, "font-size": Length(px=13.3)},
}


def attribute_values(element: Element) -> Values:
    """Return what browsers declare for an element of its tag."""
    if element.tag == "a" and "href" not in element.attributes:
        return _NOTHING
    return _BY_TAG.get(element.tag, _NOTHING)
