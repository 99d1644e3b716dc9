"""Putting the parts of a page where its browser shows them: parts that arrive late, and shadow trees.

Frameworks send the frame of a page first and its parts later, hidden at its end, with a script that
moves each to its place. A shadow tree stands in a `<template>` of the element that shows it.
"""

from __future__ import annotations

import re

from askance.extract.tree import Node, drop_tree

# React writes these names: "put the part S:0 in the place of B:0", or the other way round.
_MOVES = re.compile(
    r"""\$R(?:(?P<boundary>[CR])|S)\(\s*["'](?P<first>[\w:.-]{1,100})["']\s*,\s*["'](?P<second>[\w:.-]{1,100})["']"""
)
_MOVE = re.compile(r"\$R[CRS]\(")  # found sooner than its first two characters
_MARK = re.compile(r"<!--(/?[$&][?!~]?)-->")
# What stands in the tree for React's comments at the edges of a part.
_EDGE = "data-askance-edge"
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
        place, part = move["first"], move["second"]
        if not move["boundary"]:
            place, part = part, place
        target, source = by_id.get(place), by_id.get(part)
        if target is not None and source is not None and target.tag == "template":
            _move(source, target)


def _move(source: Node, target: Node) -> None:
    above = target.getparent()
    while above is not None:
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
    for name in list(template.attrib):
        del template.attrib[name]


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
