"""What stands between two blocks of a text, in the box that both stand in, and is not called anything else.

Whoever chooses blocks judges each by itself, and passes over lists of links, captions, code and short lines
that stand in the middle of a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from askance.extract.blocks import Block, BlockKind
from askance.extract.tree import Node

MOST_BLOCKS = 12  # between two that are chosen
MOST_LEVELS = 8
_APART = frozenset({"nav", "footer", "form", "dialog", "header", "search"})
_NAMED_APART = re.compile(
    r"\bad(?:s|vert\w{0,12})?\b|banner|breadcrumb|byline|author|caption-?less|comment|cookie|consent|follow|footer|gallery"
    r"|meta\b|login|menu\b|nav(?:bar|igation)?\b|newsletter|outbrain|pager|pagination|player|popular|popup|promo|recommend"
    r"|relat|respons|rating|shar(?:e|ing)|sidebar|signup|social|sponsor|subscri|tags?\b|taboola|teaser|toc\b|toolbar|trending"
    r"|video|widget|vote|more-|read-?(?:more|next)|also|edit|button|btn",
    re.IGNORECASE,
)
_NOTES = re.compile(
    r"note|tip|warning|info|hint|important|caution|callout|admonition", re.IGNORECASE
)
_NAMING = ("class", "id", "role")


FEWEST_ALIKE = 3
CHOSEN_SHARE = 0.25
LONG_CHARACTERS = 80
_NEAR = 3  # levels
_Kind = tuple[Node | None, object, str]


def fill_gaps(blocks: Sequence[Block], chosen: Sequence[Block]) -> list[Block]:
    """Return the chosen blocks with others that belong to the same text, in their order.

    These are blocks between two that are chosen, and in boxes of one kind of which several are chosen.
    """
    places = {id(block): place for place, block in enumerate(blocks)}
    return _between(blocks, _with_alike(blocks, chosen), places)


def _with_alike(blocks: Sequence[Block], chosen: Sequence[Block]) -> list[Block]:
    retained = set(map(id, chosen))
    groups: defaultdict[_Kind, dict[Node, list[Block]]] = defaultdict(dict)
    # The boxes of an element that have a name, the nearest first, each with the kind that it is of.
    around: dict[Node, list[tuple[Node, _Kind]]] = {}
    for block in blocks:
        named = around.get(block.element)
        if named is None:
            named = around[block.element] = list(_named_boxes(block.element))
        for box, kind in named:
            groups[kind].setdefault(box, []).append(block)
    for (_, _, names), boxes in groups.items():
        if len(boxes) < FEWEST_ALIKE or _NAMED_APART.search(names):
            continue
        long = [its for its in boxes.values() if any(map(_is_long, its))]
        begun = sum(any(_is_long(block) and id(block) in retained for block in its) for its in long)
        if begun > 1 and begun >= CHOSEN_SHARE * len(long):
            retained.update(
                id(block)
                for its in long
                for block in its
                if _is_long(block) or block.kind is BlockKind.HEADING
            )
    return [block for block in blocks if id(block) in retained]


def _named_boxes(element: Node) -> Iterator[tuple[Node, _Kind]]:
    at: Node | None = element
    for _ in range(_NEAR):
        if at is None or at.tag == "body":
            return
        outer = at.getparent()
        if names := at.get("class", "").strip():
            yield at, (outer, at.tag, names)
        at = outer


def is_caption(block: Block) -> bool:
    """Whether a block is what stands under a picture, by its tag or the class of its element."""
    classes = block.element.get("class", "")
    return block.kind is BlockKind.CAPTION or "caption" in classes.lower()


def _is_long(block: Block) -> bool:
    return len(block.text) >= LONG_CHARACTERS and block.linked * 2 < len(block.text)


def _between(
    blocks: Sequence[Block], chosen: Sequence[Block], places: dict[int, int]
) -> list[Block]:
    found: list[Block] = []
    last: Block | None = None
    for block in chosen:
        if last is not None:
            between = blocks[places[id(last)] + 1 : places[id(block)]]
            if 0 < len(between) <= MOST_BLOCKS:
                found += _belonging(between, last, block)
        found.append(block)
        last = block
    return found


def _belonging(between: Sequence[Block], before: Block, behind: Block) -> list[Block]:
    around = set(_above(before.element)) & set(_above(behind.element))
    return [block for block in between if belongs(block, around)]


def _above(element: Node) -> list[Node]:
    found: list[Node] = []
    at: Node | None = element
    while at is not None and len(found) < MOST_LEVELS:
        found.append(at)
        at = at.getparent()
    return found


def belongs(block: Block, around: set[Node]) -> bool:
    """Whether a block stands in one of some elements, and nothing between them is called something else than text."""
    at: Node | None = block.element
    for _ in range(MOST_LEVELS):
        if at is None:
            return False
        if at in around:
            return True
        names = " ".join(filter(None, map(at.attrib.get, _NAMING)))
        if at.tag == "aside" and not _NOTES.search(names):
            return False
        if at.tag in _APART or (
            names and _NAMED_APART.search(names) and block.kind is not BlockKind.CODE
        ):
            return False
        at = at.getparent()
    return False
