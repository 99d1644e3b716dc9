"""Taking out of a page's tree what a person cannot see.

Decided is by tags, by attributes, and by the style that the page's own `<style>` elements and inline
styles come to. Sheets elsewhere are not known; what they hide is taken for visible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askance.extract.css.blocks import attribute_values, has_own_style
from askance.extract.css.cascade import Cascade
from askance.extract.css.computed import ROOT, Computed, compute, shown
from askance.extract.css.elements import Element, elements_of, names_in
from askance.extract.css.media import holds_on_screen
from askance.extract.css.sheets import read_sheets, sheet_in
from askance.extract.css.tokens import values_of
from askance.extract.text import count_words
from askance.extract.tree import Node

_UNSEEN_TAGS = frozenset({
    "script", "style", "template", "noscript", "noembed", "noframes", "iframe", "object", "embed",
    "svg", "canvas", "audio", "video", "img", "picture", "map", "datalist", "textarea", "select",
    "rp", "annotation", "annotation-xml", "progress", "meter", "applet", "param",
})  # fmt: skip
# What a style sheet in them says holds for no element of the page that a person sees.
_OTHER_PAGES = ("noscript", "template", "noframes", "noembed", "iframe")
_PICTURES = frozenset({"img", "picture", "video", "canvas", "svg", "object", "embed", "iframe"})
_UNSEEN_CLASSES = frozenset({
    "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screenreader",
    "a11y-hidden", "u-hidden-visually",
})  # fmt: skip
_UNSEEN_ATTRIBUTES = frozenset({"hidden", "popover"})
# Texts that stand beside what is read, and the style, which the extractor would judge once more.
_DROPPED = frozenset({"alt", "title", "aria-label", "placeholder", "summary", "style"})

# Pages hide all that they have until a script shows it; taken at its word, such a page has no
# text. One that shows no more than this, "Loading, please wait", is believed to mean that.
LOADING_BLOCK_WORDS = 10
# What is hidden as a whole is the page if it has this many words, and nearly all there are.
PAGE_WORDS = 200
PAGE_SHARE = 0.95


def drop_hidden(tree: Node, *, quirks: bool = False) -> None:
    """Remove comments, what a person does not see, and descriptive attributes, in place.

    `quirks` says that the page has no document type, as old pages: browsers ignore the case of
    classes and ids then.
    """
    elements = elements_of(tree, quirks=quirks)
    styles = _Styles(elements, quirks=quirks)
    judged = styles.judge()
    if not _says_anything(judged):
        judged = styles.judge(lifted=_wrappers(elements))
    for element, style in judged:
        if style is None:
            continue
        if style.is_unseen:
            _clear_text(element.node)
        for name in _DROPPED.intersection(element.attributes):
            del element.node.attrib[name]
    for element, style in judged:
        if style is None and element.parent is not None:
            element.node.drop_tree()


Judged = list[tuple[Element, Computed | None]]


class _Styles:
    """The styles of a page's elements. Equal ones are computed once."""

    def __init__(self, elements: Sequence[Element], *, quirks: bool) -> None:
        self._elements = elements
        sheets = _sheets_in(elements)
        names = names_in(elements) if sheets else frozenset[str]()
        self._cascade = Cascade(read_sheets(sheets, names, quirks=quirks))
        self._with_picture = _holders(elements, _PICTURES)
        self._behind_shadows = {e.parent for e in elements if _is_shadow_without_slot(e)}
        self._known: dict[tuple[object, ...], Computed] = {}
        self._plain: dict[Computed, Computed] = {}

    def judge(self, lifted: frozenset[Element] = frozenset()) -> Judged:
        """Return each element with its style, None for the outermost that are not seen.

        What stands in those is left out. An element in `lifted` hides nothing.
        """
        styles: dict[Element, Computed] = {}
        judged: Judged = []
        for element in self._elements:
            above = styles.get(element.parent) if element.parent else ROOT
            if above is None:
                continue
            style = self._style(element, above)
            if element in lifted:
                style = shown(style)
            elif style.is_gone or element in self._behind_shadows or _is_marked(element):
                judged.append((element, None))
                continue
            styles[element] = style
            judged.append((element, style))
        return judged

    def _style(self, element: Element, above: Computed) -> Computed:
        matching = self._cascade.matching(element)
        if not (matching or element.attributes or has_own_style(element.tag)):
            return self._plain_below(above)
        inline = element.attributes.get("style", "")
        attributes = attribute_values(element)
        is_root = element.parent is None
        if not (matching or inline or attributes or is_root):
            return self._plain_below(above)
        by_picture = element.parent in self._with_picture
        key = (above, matching, inline, *attributes.items(), by_picture, is_root)
        style = self._known.get(key)
        if style is None:
            declared = self._cascade.declared(matching, inline, attributes)
            style = compute(declared, above, by_picture=by_picture, is_root=is_root)
            self._known[key] = style
        return style

    def _plain_below(self, above: Computed) -> Computed:
        """Return the style of an element that declares nothing."""
        style = self._plain.get(above)
        if style is None:
            style = self._plain[above] = compute({}, above)
            self._plain[style] = style  # declaring nothing twice is declaring nothing
        return style


def _holders(elements: Sequence[Element], tags: frozenset[str]) -> set[Element]:
    """Return the elements that have one of some tags in them."""
    holders: set[Element] = set()
    for element in elements:
        above = element.parent if element.tag in tags else None
        while above is not None and above not in holders:
            holders.add(above)
            above = above.parent
    return holders


def _sheets_in(elements: Iterable[Element]) -> list[str]:
    """Return the page's own style sheets for a screen."""
    sheets: list[str] = []
    others: set[Element] = set()
    for element in elements:
        if element.tag in _OTHER_PAGES or element.parent in others:
            others.add(element)
        elif sheet := _sheet_of(element):
            kind = element.attributes.get("type", "text/css").strip().lower()
            media = element.attributes.get("media", "")
            if kind in {"", "text/css"} and holds_on_screen(values_of(media)):
                sheets.append(sheet)
    return sheets


def _sheet_of(element: Element) -> str:
    if element.tag == "style":
        return element.node.text or ""
    if element.tag != "link" or "disabled" in element.attributes:
        return ""
    relations = element.attributes.get("rel", "").lower().split()
    is_sheet = "stylesheet" in relations and "alternate" not in relations
    return sheet_in(element.attributes.get("href", "")) if is_sheet else ""


def _is_marked(element: Element) -> bool:
    """Whether tag, attributes or class alone say that an element is not seen."""
    if element.tag in _UNSEEN_TAGS or (element.tag == "title" and not _is_in_head(element)):
        return True
    attributes = element.attributes
    if attributes and (
        not _UNSEEN_ATTRIBUTES.isdisjoint(attributes)
        or attributes.get("aria-hidden", "").strip().lower() == "true"
        or not _UNSEEN_CLASSES.isdisjoint(attributes.get("class", "").lower().split())
    ):
        return True
    return element.tag == "dialog" and "open" not in attributes


def _is_in_head(element: Element) -> bool:
    return element.parent is not None and element.parent.tag == "head"


def _is_shadow_without_slot(element: Element) -> bool:
    """Whether it is a shadow tree that shows nothing of the element that it stands in."""
    if element.tag != "template" or "shadowrootmode" not in element.attributes:
        return False
    return not any(True for _ in element.node.iter("slot"))


def _says_anything(judged: Judged) -> bool:
    words = 0
    for element, style in judged:
        if style is not None and not style.is_unseen and element.tag not in {"title", "head"}:
            words += sum(count_words(text) for text in _own_texts(element.node))
            if words > LOADING_BLOCK_WORDS:
                return True
    return False


def _own_texts(node: Node) -> Iterable[str]:
    if node.text:
        yield node.text
    for child in node:
        if child.tail:
            yield child.tail


def _wrappers(elements: Sequence[Element]) -> frozenset[Element]:
    """Return the root, the body, and what holds nearly the whole page."""
    words: dict[Element, int] = {}
    for element in reversed(elements):
        if element.tag in _UNSEEN_TAGS:
            continue
        own = sum(count_words(text) for text in _own_texts(element.node))
        words[element] = own + sum(words.get(child, 0) for child in element.children)
    found = [element for element in elements if element.tag in {"html", "body"}]
    whole = max((words.get(element, 0) for element in found), default=0)
    inner = found[-1] if found else None
    while inner is not None:
        inner = max(inner.children, key=lambda child: words.get(child, 0), default=None)
        if inner is None or words.get(inner, 0) < max(PAGE_WORDS, PAGE_SHARE * whole):
            break
        found.append(inner)
    return frozenset(found)


def _clear_text(node: Node) -> None:
    node.text = _space(node.text)
    for child in node:
        child.tail = _space(child.tail)


def _space(text: str | None) -> str | None:
    return " " if text else text
