"""Text that a page keeps for browsers without scripts, or for its own script, where it shows nothing else.

A `<noscript>` beside an empty container, or a script that is a template of plain HTML, holds the article of
some pages. Where such a text stands beside text that is seen, it stays out.
"""

from __future__ import annotations

import re

from askance.extract.text import count_words
from askance.extract.tree import Node, TreeError, drop_tree, parse_tree
from askance.extract.walls import asks_for_script

_TEMPLATES = frozenset({
    "text/template", "text/html", "text/x-template", "text/html-template", "template", "text/x-html",
    "application/x-template", "text/x-text",
})  # fmt: skip
# A template with places for values is no text.
_PLACES = re.compile(r"\{\{|<%|\$\{|\[\[|\{%")
_UNSEEN = frozenset({"script", "style", "template", "noscript", "head", "title", "svg", "iframe"})
_DROPPED = ("script", "style", "link", "meta", "iframe", "object", "embed", "base", "template")
# What no parser takes for text.
_TAG = re.compile(r"<[A-Za-z/!][^<>]*>")
# A text of fewer words is a notice, or a picture's name.
FEWEST_WORDS = 30
# It is as much as this, beside what the page shows.
LEAST_SHARE = 0.5
# So many times as much as all that the page shows is the page, wherever it stands.
WHOLE_PAGE = 8
MOST_TEXTS = 200


def show_fallbacks(tree: Node) -> bool:
    """Put texts for browsers without scripts in their place where nothing else is. Return whether one was."""
    sources = [node for node in tree.iter("noscript", "script") if _may_be_text(node)]
    found: list[tuple[Node, Node, int]] = []
    filled: set[Node] = set()
    seen: dict[Node, int] = {}
    for source in sorted(sources[:MOST_TEXTS], key=lambda node: node.tag != "noscript"):
        around = source.getparent()
        if around is None or around.tag == "head" or around in filled:
            continue
        text = _parsed(source.text or "")
        if text is None:
            continue
        content = " ".join(text.itertext())
        words = count_words(content)
        if words < FEWEST_WORDS or asks_for_script(content, words):
            continue
        seen = seen or _seen_words(tree)
        is_page = words >= WHOLE_PAGE * max(seen.get(tree, 0), FEWEST_WORDS // 2)
        if is_page or _stands_alone(source, around, seen):
            found.append((source, text, words))
            filled.add(around)
    if not found or sum(words for _, _, words in found) < LEAST_SHARE * seen.get(tree, 0):
        return False
    for source, text, _ in found:
        source.addprevious(text)
    return True


def _may_be_text(node: Node) -> bool:
    """Whether a source has markup, and enough words beside its tags."""
    text = node.text or ""
    if "<" not in text or node.get("src"):
        return False
    if node.tag == "noscript":
        return count_words(_TAG.sub(" ", text)) >= FEWEST_WORDS
    return node.get("type", "").strip().lower() in _TEMPLATES and not _PLACES.search(text)


def _parsed(text: str) -> Node | None:
    """Return what a source holds as a box of its own."""
    try:
        page = parse_tree(text)
    except TreeError:
        return None
    body = next(iter(page.iter("body")), None) if page is not None else None
    if body is None:
        return None
    for element in list(body.iter(*_DROPPED)):
        drop_tree(element)
    body.tag = "div"
    for name in list(body.attrib):
        del body.attrib[name]
    return body


def _seen_words(tree: Node) -> dict[Node, int]:
    """Return how many words stand in each element and below it, outside of what is never seen."""
    words: dict[Node, int] = {}
    order = [node for node in tree.iter() if isinstance(node.tag, str)]
    for node in reversed(order):
        if node.tag in _UNSEEN:
            continue
        own = count_words(node.text or "") if node.text else 0
        for child in node:
            own += words.get(child, 0)
            if child.tail and not child.tail.isspace():
                own += count_words(child.tail)
        words[node] = own
    return words


def _stands_alone(source: Node, around: Node, seen: dict[Node, int]) -> bool:
    """Whether nothing else is seen in the box of a source, or an empty box stands beside it."""
    if around.tag != "body" and not seen.get(around, 0):
        return True
    return any(_is_empty_box(node, seen) for node in (_before(source), _behind(source)))


def _before(node: Node) -> Node | None:
    before = node.getprevious()
    while (
        before is not None and before.tag in {"script", "style"} and not (before.tail or "").strip()
    ):
        before = before.getprevious()
    return None if before is None or (before.tail or "").strip() else before


def _behind(node: Node) -> Node | None:
    behind = node.getnext()
    if (node.tail or "").strip():
        return None
    while behind is not None and behind.tag in {"script", "style"}:
        if (behind.tail or "").strip():
            return None
        behind = behind.getnext()
    return behind


def _is_empty_box(node: Node | None, seen: dict[Node, int]) -> bool:
    return (
        node is not None
        and node.tag in {"div", "main", "section", "article"}
        and not seen.get(node, 1)
    )
