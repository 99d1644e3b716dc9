"""Putting the parts of a page where its browser shows them: late parts, shadow trees, texts for want of scripts.

Frameworks send the frame of a page first and its parts later, hidden at its end, with a script that moves each to its
place. A shadow tree stands in a `<template>` of the element that shows it.
"""

from __future__ import annotations

import re

from askance.extract.html.tree import Node, TreeError, drop_tree, parse_tree
from askance.extract.html.walls import asks_for_script
from askance.extract.text.characters import count_words

# React writes these names: "put the part S:0 in the place of B:0", or the other way round.
_MOVES = re.compile(
    r"""\$R(?:(?P<boundary>[CR])|S)\(\s*["'](?P<first>[\w:.-]{1,100})["']\s*,\s*["'](?P<second>[\w:.-]{1,100})["']"""
)
_MOVE = re.compile(r"\$R[CRS]\(")  # found sooner than its first two characters
_MARK = re.compile(r"<!--(/?[$&][?!~]?)-->")
# What stands in the tree for React's comments at the edges of a part.
_EDGE = "data-askance-edge"
# No page that people made has as many of any of these; a hostile one could have millions.
MOST_MOVES = 2000
MOST_AWAITING = 1000  # elements beside each other, that one part takes the place of
MOST_SHADOW_TREES = 1000
# Elements that may have a shadow tree (DOM standard, "attach a shadow root"), beside those with a dash.
_HOSTS = frozenset({
    "article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "main", "nav", "p", "section", "span",
})  # fmt: skip
_MODES = frozenset({"open", "closed"})
SHADOW = "shadowrootmode"


def mark_edges(text: str) -> str:
    """Return a page's source with elements in place of the comments at the edges of late parts."""
    if not _MOVE.search(text):
        return text
    return _MARK.sub(lambda mark: f'<template {_EDGE}="{mark[1]}"></template>', text)


def place_late_parts(tree: Node) -> None:
    """Put what arrived late in its place, in place of what was shown while it was awaited.

    Only a script of the page moves a part, one pair after another: what merely bears the names of parts
    stays where it is.
    """
    scripts = [script.text or "" for script in tree.iter("script")]
    moves = [move for script in scripts if "$R" in script for move in _MOVES.finditer(script)]
    if not moves:
        return
    by_id: dict[str, Node] = {}
    for element in tree.iter():
        if name := element.get("id"):
            by_id.setdefault(name, element)
    for move in moves[:MOST_MOVES]:
        # `$RC("B:0", "S:0")` names the place first, `$RS("S:0", "P:0")` the part.
        place, part = move["first"], move["second"]
        if not move["boundary"]:
            place, part = part, place
        target, source = by_id.get(place), by_id.get(part)
        # React marks a place with an empty template; another element may bear the name by chance.
        if target is not None and source is not None and target.tag == "template":
            _move(source, target)


def _move(source: Node, target: Node) -> None:
    above = target.getparent()
    while above is not None:
        # A part within itself would be a circle in the tree.
        if above is source:
            return
        above = above.getparent()
    _drop_awaiting(target)
    if source.text:
        _append_before(target, source.text)
    for child in list(source):
        target.addprevious(child)
    if source.getparent() is not None:
        drop_tree(source)
    drop_tree(target)


def _drop_awaiting(target: Node) -> None:
    """Drop what is shown until a part comes: all up to the end of its edge."""
    before = target.getprevious()
    if before is None or before.get(_EDGE) is None:
        return
    awaiting: list[Node] = []
    depth = 0
    end = target.getnext()
    while end is not None:
        edge = end.get(_EDGE)
        if edge is not None:
            if edge.startswith("/"):
                if not depth:
                    break
                depth -= 1
            else:
                depth += 1
        awaiting.append(end)
        end = end.getnext() if len(awaiting) < MOST_AWAITING else None
    if end is None:
        return
    target.tail = None
    for element in awaiting:
        element.tail = None
        drop_tree(element)


def _append_before(element: Node, text: str) -> None:
    before, above = element.getprevious(), element.getparent()
    if before is not None:
        before.tail = f"{before.tail or ''}{text}"
    elif above is not None:
        above.text = f"{above.text or ''}{text}"


def shadow_trees(tree: Node) -> list[Node]:
    """Return the templates that are the shadow trees of the elements that they stand in, in their order."""
    found: list[Node] = []
    hosts: set[Node] = set()
    for template in tree.iter("template"):
        host = template.getparent()
        # A browser attaches the first such template alone; a second one stays an inert template.
        if host is None or SHADOW not in template.attrib or host in hosts:
            continue
        hosts.add(host)
        can_host = isinstance(host.tag, str) and (host.tag in _HOSTS or "-" in host.tag)
        if can_host and template.attrib[SHADOW].strip().lower() in _MODES:
            found.append(template)
            if len(found) == MOST_SHADOW_TREES:
                break
    return found


def show_shadow_trees(tree: Node) -> None:
    """Put shadow trees in the place of what they hide, and what stands in their slots into these."""
    # The inner ones first: what an outer one hides needs no work, and is dropped with it.
    for template in reversed(shadow_trees(tree)):
        host = template.getparent()
        if host is not None:
            _show(template, host)


def _show(template: Node, host: Node) -> None:
    slots = list(template.iter("slot"))
    named: dict[str, Node] = {}
    for slot in slots:
        named.setdefault(slot.get("name", ""), slot)
    plain = named.get("")
    texts = [host.text]
    host.text = None
    filled: set[Node] = set()
    for child in list(host):
        tail, child.tail = child.tail, None
        # Children without a slot to go to are not drawn, so that they are taken out.
        if child is not template:
            host.remove(child)
            slot = named.get(child.get("slot", ""))
            if slot is not None:
                _fill(slot, texts if slot is plain else [], filled)
                slot.append(child)
        texts.append(tail)
    if plain is not None and any(text and not text.isspace() for text in texts):
        _fill(plain, texts, filled)
    for slot in slots:
        slot.tag = "span"
    template.tag = "div"
    template.attrib.clear()


def _fill(slot: Node, texts: list[str | None], filled: set[Node]) -> None:
    """Empty a slot of what it shows where nothing fills it, once, and add texts to it."""
    if slot not in filled:
        filled.add(slot)
        slot.text = None
        for child in list(slot):
            slot.remove(child)
    text = " ".join(filter(None, texts))
    texts.clear()
    if text and len(slot):
        slot[-1].tail = f"{slot[-1].tail or ''}{text}"
    elif text:
        slot.text = f"{slot.text or ''}{text}"


# Text that a page keeps for browsers without scripts, or for its own script, where it shows nothing else.
#
# A `<noscript>` beside an empty container, or a script that is a template of plain HTML, holds the article of
# some pages. Where such a text stands beside text that is seen, it stays out.

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
        # Counted only now: most pages have no such source of this length.
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
    # A script with an address has no content of its own that would be used.
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
    # What was a text until now is a tree, and may hold anything that a page may.
    for element in list(body.iter(*_DROPPED)):
        drop_tree(element)
    body.tag = "div"
    body.attrib.clear()
    return body


def _seen_words(tree: Node) -> dict[Node, int]:
    """Return how many words stand in each element and below it, outside of what is never seen."""
    words: dict[Node, int] = {}
    order = [node for node in tree.iter() if isinstance(node.tag, str)]
    # From the last to the first, so that what is below an element is counted before it.
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
    while before is not None and not (before.tail or "").strip():
        if before.tag not in {"script", "style"}:
            return before
        before = before.getprevious()
    return None


def _behind(node: Node) -> Node | None:
    behind: Node | None = node
    while behind is not None and not (behind.tail or "").strip():
        behind = behind.getnext()
        if behind is not None and behind.tag not in {"script", "style"}:
            return behind
    return None


def _is_empty_box(node: Node | None, seen: dict[Node, int]) -> bool:
    return (
        node is not None
        and node.tag in {"div", "main", "section", "article"}
        and not seen.get(node, 1)
    )
