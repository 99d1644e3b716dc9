"""Taking out of a page's tree what a person cannot see, and finding what a control of the page opens.

Decided is by tags, by attributes, and by the style that the page's own `<style>` elements and inline
styles come to; of a book or a message, by the sheets in it that it links to, too. Other sheets are not known; what they
hide is taken for visible.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from askance.extract.html.assembly import shadow_trees
from askance.extract.html.css.computed import (
    ROOT,
    Computed,
    Values,
    compute,
    shown,
    unfolded,
)
from askance.extract.html.css.selectors import Element, elements_of, names_in, nearest
from askance.extract.html.css.sheets import (
    MOST_STEPS,
    Cascade,
    attribute_values,
    read_sheets,
    scopes_of,
    sheets_in,
)
from askance.extract.html.tree import Node, drop_trees, text_of
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


_UNSEEN_TAGS = frozenset({
    "script", "style", "template", "noscript", "noembed", "noframes", "iframe", "object", "embed",
    "svg", "canvas", "audio", "video", "img", "picture", "map", "datalist", "textarea", "select",
    "rp", "annotation", "annotation-xml", "progress", "meter", "applet", "param",
})  # fmt: skip
_UNSEEN_CLASSES = frozenset({
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader",
    "a11y-hidden", "u-hidden-visually",
})  # fmt: skip
_UNSEEN_ATTRIBUTES = frozenset({"hidden", "popover"})
# Of what a script uncovers: `x-cloak`, `v-cloak`, `ng-cloak`, `no-fouc`.
_CLOAK = re.compile(r"(?:^|[-_])(?:un)?(?:cloak|fouc)(?:ed)?(?:$|[-_])", re.IGNORECASE)
_DATA_SCRIPT = re.compile(r"json|template|x-|text/plain", re.IGNORECASE)
# Pages hide all that they have until a script shows it; taken at its word, such a page has no
# text. One that shows no more than this, "Loading, please wait", is believed to mean that.
LOADING_BLOCK_WORDS = 10
# What is hidden as a whole is the page if it has this many words, and nearly all there are.
PAGE_WORDS = 200
PAGE_SHARE = 0.95
# What fades in, or lies under a cloak, is the page's text where it is as much as what is seen. It takes twice as much
# where no script could show it.
SCRIPTLESS = 2
# `aria-hidden` hides nothing from eyes. Its short texts are icons, ornaments and copies, though.
SPOKEN_WORDS = 50
# Folded text in folded text, and what fades in within what fades in.
MOST_LAYERS = 3


def drop_hidden(tree: Node, *, quirks: bool = False) -> bool:
    """Remove what a person does not see, in place.

    `quirks` says that the page has no document type, as old pages: browsers ignore the case of
    classes and ids then. What a control opens stays. Return whether text stays that a script of the
    page has to show first, since there would be little else.
    """
    elements = elements_of(tree, quirks=quirks)
    judged, is_uncovered = _Page(elements, quirks=quirks).judge()
    # An element that shows nothing may hold one that does, so that only its own words go.
    for element, style in judged:
        if style is not None and style.is_unseen:
            _clear_text(element.node)
    drop_trees(element.node for element, style in judged if style is None and element.parent)
    for element in elements:  # no cycles are left, which a collector would have to look for
        if element.children:
            element.children.clear()
            element.places = None
    return is_uncovered


Judged = list[tuple[Element, Computed | None]]


@dataclass
class _Judgement:
    """Each element with its style, None for the outermost that are not seen; what stands in those is left out.

    `veils` are those that are seen once a script has faded them in or uncovered them.
    """

    styles: Judged = field(default_factory=list[tuple[Element, Computed | None]])
    veils: list[Element] = field(default_factory=list[Element])

    def seen(self) -> set[Element]:
        return {element for element, style in self.styles if style and not style.is_unseen}

    def closed(self) -> Iterator[Element]:
        """Yield the outermost elements that are not seen, and may be text."""
        for element, style in self.styles:
            if (style is None or style.is_unseen) and element.tag not in _UNSEEN_TAGS:
                yield element

    def seen_words(self, *, enough: int | None = None) -> int:
        """Count the words that are seen; only up to `enough`, if that is given."""
        words = 0
        for element, style in self.styles:
            if style and not style.is_unseen and element.tag not in {"title", "head"}:
                words += element.words()
                if enough is not None and words > enough:
                    break
        return words


class _Page:
    """Judges what of a page is seen: as it lies there, unfolded, and uncovered."""

    def __init__(self, elements: Sequence[Element], *, quirks: bool) -> None:
        self._elements = elements
        self._panels = Panels(elements, _UNSEEN_TAGS)
        self._styles = _Styles(elements, self._panels, quirks=quirks)

    def judge(self) -> tuple[Judged, bool]:
        """Return the styles, and whether what a script shows first is among what is seen."""
        styles = self._styles
        opened, judged = self._unfolded()
        is_uncovered = False
        wrappers = frozenset[Element]()
        if judged.seen_words(enough=LOADING_BLOCK_WORDS) <= LOADING_BLOCK_WORDS:
            wrappers = _wrappers(self._elements, self._panels.words_of)
            judged = styles.judge(opened, wrappers)
        for _ in range(MOST_LAYERS):
            more = self._uncovered(judged)
            if not more:
                break
            opened |= more
            judged = styles.judge(opened, wrappers)
            is_uncovered = True
        return judged.styles, is_uncovered

    def _uncovered(self, judged: _Judgement) -> set[Element]:
        """Return what fades in or lies under a cloak, if it is so much beside what is seen."""
        if not judged.veils:
            return set()
        seen = judged.seen_words() * (1 if self._has_script() else SCRIPTLESS)
        veiled = sum(map(self._panels.words_of, judged.veils))
        return set(judged.veils) if veiled and veiled >= seen else set()

    def _unfolded(self) -> tuple[set[Element], _Judgement]:
        opened: set[Element] = set()
        judged = self._styles.judge(opened)
        for _ in range(MOST_LAYERS):
            # A control within folded text opens more, once that is open itself.
            folds = self._panels.folds([e for e in judged.closed() if e not in opened])
            seen = judged.seen() if folds else ()
            more = {fold.panel for fold in folds if fold.control in seen}
            if not more:
                break
            opened |= more
            judged = self._styles.judge(opened)
        return opened, judged

    def _has_script(self) -> bool:
        return any(
            element.tag == "script" and not _DATA_SCRIPT.search(element.attributes.get("type", ""))
            for element in self._elements
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Declarations:
    """What the rules, the attributes and the inline style of an element declare; `inline` stands at itself."""

    values: Values
    inline: frozenset[str]
    is_root: bool


_NOTHING = _Declarations({}, frozenset(), is_root=False)


class _Own(NamedTuple):
    """What of an element counts wherever it stands: what is declared for it, and what its tag and attributes say."""

    declared: _Declarations
    is_no_text: bool
    is_marked: bool
    is_unspoken: bool
    may_be_hidden: bool  # by anything but what is declared


class _Styles:
    """The styles of a page's elements. Equal ones are computed once."""

    def __init__(
        self,
        elements: Sequence[Element],
        panels: Panels,
        *,
        quirks: bool,
    ) -> None:
        self._elements = elements
        self._panels = panels
        shadows = set(shadow_trees(elements[0].node)) if elements else set[Node]()
        self._shadows = {e for e in elements if e.tag == "template" and e.node in shadows}
        self._scopes = scopes_of(elements, self._shadows)
        sheets = sheets_in(elements, self._shadows, self._scopes)
        names = names_in(elements) if sheets else frozenset[str]()
        # All shadow trees together may take as many steps as one page.
        steps = MOST_STEPS // (len(sheets) or 1)
        self._cascades = {
            scope: Cascade(read_sheets(its, names, quirks=quirks), steps)
            for scope, its in sheets.items()
        }
        self._none = Cascade(read_sheets((), names, quirks=quirks))
        self._whole = self._cascades.get(None, self._none)
        self._own: dict[Element, _Own] = {}
        self._declared: dict[tuple[object, ...], _Declarations] = {}
        self._known: dict[tuple[Computed, _Declarations], Computed] = {}

    def judge(
        self, opened: Container[Element] = (), lifted: frozenset[Element] = frozenset()
    ) -> _Judgement:
        """Judge all elements. One in `opened` is unfolded; one in `lifted` hides nothing."""
        styles: dict[Element, Computed] = {}
        judged = _Judgement()
        for element in self._elements:
            above = styles.get(element.parent) if element.parent else ROOT
            if above is None:
                continue
            own = self._own.get(element) or self._look_at(element)
            style = self._known.get((above, own.declared)) or self._compute(own.declared, above)
            if element in lifted:
                style = shown(style)
            elif element in opened:
                style = unfolded(style)
                if style.is_gone or own.is_no_text:
                    judged.styles.append((element, None))
                    continue
            elif style.is_gone or (own.may_be_hidden and self._is_hidden(element, own, style)):
                judged.styles.append((element, None))
                if self._is_veil(element, own, style):
                    judged.veils.append(element)
                continue
            elif above.is_visible and not style.is_visible and self._is_veil(element, own, style):
                judged.veils.append(element)
            styles[element] = style
            judged.styles.append((element, style))
        return judged

    def _look_at(self, element: Element) -> _Own:
        scopes = self._scopes
        cascade = self._cascades.get(scopes.get(element), self._none) if scopes else self._whole
        declared = self._declarations(element, cascade)
        is_no_text, is_marked = self._is_no_text(element), _is_marked(element)
        is_unspoken = _is_unspoken(element)
        may_be_hidden = is_no_text or is_marked or is_unspoken or element.tag == "slot"
        own = self._own[element] = _Own(declared, is_no_text, is_marked, is_unspoken, may_be_hidden)
        return own

    def _is_hidden(self, element: Element, own: _Own, style: Computed) -> bool:
        if own.is_no_text or own.is_marked:
            return True
        if element.tag == "slot" and style.is_unseen:  # and so is what fills it
            return True
        return own.is_unspoken and not self._is_prose(element)

    def _is_no_text(self, element: Element) -> bool:
        """Whether an element is never text of the page by its tag or its class."""
        if element.tag in _UNSEEN_TAGS and element not in self._shadows:
            return True
        if element.tag == "title":
            return element.parent is None or element.parent.tag != "head"
        return _is_unseen_class(element.attributes.get("class", ""))

    def _is_prose(self, element: Element) -> bool:
        return self._panels.words_of(element) >= SPOKEN_WORDS and self._panels.is_text(element)

    def _is_veil(self, element: Element, own: _Own, style: Computed) -> bool:
        """Whether an element is hidden only until a script fades it in or uncovers it."""
        if style.is_lost or own.is_no_text or own.is_marked:
            return False
        if style.is_folded and not _is_cloaked(element):
            return False
        return not style.is_unreadable and self._panels.is_text(element)

    def _declarations(self, element: Element, cascade: Cascade) -> _Declarations:
        """Return what is declared for an element: the same object for the same."""
        matching = cascade.matching(element)
        is_root = element.parent is None
        inline = element.attributes.get("style", "")
        attributes = attribute_values(element)
        if not (matching or inline or attributes or is_root):
            return _NOTHING
        written = cascade.inline_names(inline) if inline else frozenset[str]()
        # Nobody but the page's owner writes at its root and its body.
        is_sheet = element.tag in {"html", "body"}
        # The cascade returns the same object for the same rules: it need not be compared.
        key = (
            cascade,
            id(matching),
            inline,
            *attributes.items(),
            frozenset[str]() if is_sheet else written,
            is_root,
        )
        found = self._declared.get(key)
        if found is None:
            found = self._declared[key] = _Declarations(
                cascade.declared(matching, inline, attributes),
                frozenset() if is_sheet else written,
                is_root,
            )
        return found

    def _compute(self, declared: _Declarations, above: Computed) -> Computed:
        values, inline, is_root = declared.values, declared.inline, declared.is_root
        style = compute(values, above, is_root=is_root, inline=inline)
        if declared is _NOTHING:  # twice, it is declaring nothing
            self._known[style, declared] = style
        self._known[above, declared] = style
        return style


@lru_cache(maxsize=4096)
def _is_unseen_class(classes: str) -> bool:
    return not _UNSEEN_CLASSES.isdisjoint(classes.lower().split())


def _is_marked(element: Element) -> bool:
    """Whether attributes alone say that an element is not seen as the page lies there."""
    attributes = element.attributes
    if not attributes:
        return element.tag == "dialog"
    return not _UNSEEN_ATTRIBUTES.isdisjoint(attributes) or (
        element.tag == "dialog" and "open" not in attributes
    )


def _is_unspoken(element: Element) -> bool:
    return element.attributes.get("aria-hidden", "").strip().lower() == "true"


def _is_cloaked(element: Element) -> bool:
    attributes = element.attributes
    return any(map(_CLOAK.search, (*attributes, *attributes.get("class", "").split())))


def _wrappers(
    elements: Sequence[Element], words_of: Callable[[Element], int]
) -> frozenset[Element]:
    """Return the root, the body, and what holds nearly the whole page."""
    # A wrapper around the whole page stands on the branch with the most words.
    found = [element for element in elements if element.tag in {"html", "body"}]
    whole = max(map(words_of, found), default=0)
    inner = found[-1] if found else None
    while inner is not None:
        inner = max(inner.children, key=words_of, default=None)
        if inner is None or words_of(inner) < max(PAGE_WORDS, PAGE_SHARE * whole):
            break
        found.append(inner)
    return frozenset(found)


def _clear_text(node: Node) -> None:
    node.text = _space(node.text)
    for child in node:
        child.tail = _space(child.tail)


def _space(text: str | None) -> str | None:
    return " " if text else text
