"""Choosing the blocks of a page that are its main text.

A linear model scores each block. Its features are what the library votes for, what stands around the block (tags,
class names, links, neighbours), and which container has the most text. The weights are in `selection_weights`;
`bench/extraction_corpora.py` measures them. Only whole blocks are chosen, so that no sentence loses a part.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, pairwise, starmap
from typing import Any, cast

from lxml import etree, html  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]
from trafilatura import bare_extraction
from trafilatura.settings import Extractor

from askance.extract.html.selection_features import Features
from askance.extract.html.selection_weights import BIAS, WEIGHTS
from askance.extract.html.text_blocks import Block, BlockKind
from askance.extract.html.tree import Node

# The logarithm of the odds below which a block is not even taken between two that are chosen.
LEAST_IN_A_GAP = -1.0
# The same for a caption there, and for one behind the last chosen block: pictures stand in a text, or end it.
LEAST_CAPTION_IN_A_GAP, LEAST_CAPTION_BELOW = -1.3, -3.0
# The same for the heading above all, which stands so many blocks before the first one at most.
LEAST_ABOVE, MOST_ABOVE = -2.5, 3
LEAST_BELOW = -1.5


def choose_blocks(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks that are the main text, in their order."""
    voted = voted_for(blocks)
    scores = scores_of(blocks, voted)
    chosen = [place for place, score in enumerate(scores) if score > 0]
    # What stands between two chosen blocks, and in boxes of one kind of which several are chosen, may be of the text, too.
    filled = _between(blocks, _with_alike(blocks, chosen))
    least = (LEAST_IN_A_GAP, LEAST_CAPTION_IN_A_GAP)
    more = (place for place in filled if scores[place] > least[is_caption(blocks[place])])
    places = sorted({*chosen, *more})
    above = {
        *_heading_above(blocks, scores, voted, places),
        *_captions_above(blocks, scores, places),
    }
    below = _lines_below(blocks, scores, places)
    return [blocks[place] for place in [*sorted(above), *places, *below]]


def _captions_above(
    blocks: Sequence[Block], scores: Sequence[float], places: Sequence[int]
) -> Iterator[int]:
    """Yield the places of captions of the pictures that begin the box of the first chosen block."""
    box = blocks[places[0]].element.getparent() if places else None
    if box is None:
        return
    for place in reversed(range(max(0, places[0] - MOST_ABOVE), places[0])):
        block = blocks[place]
        if (
            not is_caption(block)
            or scores[place] < LEAST_CAPTION_BELOW
            or not belongs(block, {box})
        ):
            return
        yield place


def _lines_below(
    blocks: Sequence[Block], scores: Sequence[float], places: Sequence[int]
) -> Iterator[int]:
    """Yield the places of short lines that end the box of the last chosen block, such as a signature or a caption."""
    box = blocks[places[-1]].element.getparent() if places else None
    if box is None:
        return
    for place in range(places[-1] + 1, len(blocks)):
        block = blocks[place]
        if is_caption(block) and scores[place] > LEAST_CAPTION_BELOW and belongs(block, {box}):
            yield place
            continue
        is_plain = block.kind is BlockKind.PARAGRAPH and not block.linked
        if block.element.getparent() is not box or not is_plain or scores[place] < LEAST_BELOW:
            return
        yield place


def _heading_above(
    blocks: Sequence[Block], scores: Sequence[float], voted: set[int], places: Sequence[int]
) -> list[int]:
    """Return the place of the heading of the whole text, which the weights leave to the title."""
    if not places or blocks[places[0]].kind is BlockKind.HEADING:
        return []
    near = range(max(0, places[0] - MOST_ABOVE), places[0])
    is_its = (
        place
        for place in reversed(near)
        if blocks[place].kind is BlockKind.HEADING
        and place in voted
        and scores[place] > LEAST_ABOVE
    )
    return list(islice(is_its, 1))


def scores_of(blocks: Sequence[Block], voted: set[int]) -> list[float]:
    """Return for each block the logarithm of the odds that it is main text."""
    around_weights: dict[int, float] = {}
    scores: list[float] = []
    for own, around in Features(blocks, voted).each():
        weight = around_weights.get(id(around))
        if weight is None:
            weight = around_weights[id(around)] = sum(starmap(_group_weight, around))
        scores.append(BIAS + sum(starmap(_group_weight, own)) + weight)
    return scores


@lru_cache(maxsize=20_000)
def _group_weight(names: Callable[..., Iterable[str]], *values: Any) -> float:
    """Return what a group of features weighs: most blocks share theirs with many others."""
    return sum(WEIGHTS.get(name, 0.0) for name in names(*values))


# What stands between two blocks of a text, in the box that both stand in, and is not called anything else.
#
# Whoever chooses blocks judges each by itself, and passes over lists of links, captions, code and short lines
# that stand in the middle of a text.

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


def _with_alike(blocks: Sequence[Block], chosen: Sequence[int]) -> Sequence[int]:
    """Return the places of chosen blocks, and of those in boxes of one kind of which several are chosen."""
    retained = set(chosen)
    is_long = list(map(_is_long, blocks))
    groups: defaultdict[_Kind, dict[Node, list[int]]] = defaultdict(dict)
    # The boxes of an element that have a name, the nearest first, each with the kind that it is of.
    around: dict[Node, list[tuple[Node, _Kind]]] = {}
    for place, block in enumerate(blocks):
        named = around.get(block.element)
        if named is None:
            named = around[block.element] = list(_named_boxes(block.element))
        for box, kind in named:
            groups[kind].setdefault(box, []).append(place)
    for (_, _, names), boxes in groups.items():
        if len(boxes) < FEWEST_ALIKE or _NAMED_APART.search(names):
            continue
        long = [its for its in boxes.values() if any(is_long[place] for place in its)]
        begun = sum(any(is_long[place] and place in retained for place in its) for its in long)
        # Answers of a forum, entries of a list: where several are text, the others like them are.
        if begun > 1 and begun >= CHOSEN_SHARE * len(long):
            retained.update(
                place
                for its in long
                for place in its
                if is_long[place] or blocks[place].kind is BlockKind.HEADING
            )
    return sorted(retained)


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


def _between(blocks: Sequence[Block], chosen: Sequence[int]) -> Sequence[int]:
    """Return the places of chosen blocks, and of those between two that belong to the text around them."""
    found = list(chosen)
    for last, following in pairwise(chosen):
        between = range(last + 1, following)
        if 0 < len(between) <= MOST_BLOCKS:
            around = set(_above(blocks[last].element)) & set(_above(blocks[following].element))
            found += (place for place in between if belongs(blocks[place], around))
    return found


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


# Which blocks of a page Trafilatura takes for its main text, whole ones: one of the features by which they are chosen.

# What the library complains about is an outcome here.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
_etree, _html = cast("Any", etree), cast("Any", html)

# A sign of two characters marks a block in what the library reads: printable, or it is taken out; Tangut, so
# that no page has it by chance.
_FIRST, _DIGITS = 0x17000, 2000
_MARK = re.compile("[\U00017000-\U000177cf][\U000177d0-\U00017f9f]")
_TAG = re.compile(r"[a-z][a-z0-9]{0,20}")
_COPIED = ("class", "id", "role", "itemprop", "itemtype")
# The library takes time with the square of what is nested; what is so deep stands beside what it is in.
MOST_NESTED = 100
_INNER = {BlockKind.TABLE: ("tr", "td"), BlockKind.CODE: ("pre",)}
# Made by the library's parser, whose elements are of a class that is looked up for each.
_parser = _etree.HTMLParser()
_parser.set_element_class_lookup(_etree.ElementDefaultClassLookup(element=_html.HtmlElement))
# Made once: it reads the library's settings.
_OPTIONS = Extractor(output_format="txt", fast=True, comments=False, tables=True)


def voted_for(blocks: Sequence[Block]) -> set[int]:
    """Return which blocks the library takes for main text, by their places.

    It gets a skeleton of the page: the elements around blocks, with the text of each in place of its content.
    """
    skeleton = _skeleton(blocks)
    if skeleton is None:
        return set()
    document = cast("Any", bare_extraction(skeleton, options=_OPTIONS))
    if document is None:
        return set()
    found = _MARK.findall("".join(document.body.itertext()))
    return {(ord(mark[0]) - _FIRST) * _DIGITS + ord(mark[1]) - _FIRST - _DIGITS for mark in found}


def _skeleton(blocks: Sequence[Block]) -> Any:
    copies: dict[Node, Any] = {}
    levels: dict[Node, int] = {}
    begun: set[Node] = set()
    for place, block in enumerate(blocks[: _DIGITS * _DIGITS]):
        copy = _copy(block.element, copies, levels)
        # The library passes over text that stands in the body itself.
        is_loose = block.element in begun or (copy.tag == "body" and not block.linked)
        if is_loose and block.kind is not BlockKind.CODE:
            copy = _etree.SubElement(copy, "p")
        begun.add(block.element)
        for tag in _INNER.get(block.kind, ()):
            if copy.tag != tag:
                copy = _etree.SubElement(copy, tag)
        _write(copy, place, block)
    return next(iter(copies.values()), None)


def _copy(element: Node, copies: dict[Node, Any], levels: dict[Node, int]) -> Any:
    """Return the copy of an element, in copies of those that it stands in."""
    chain: list[Node] = []
    at: Node | None = element
    while at is not None and at not in copies:
        chain.append(at)
        at = at.getparent()
    for original in reversed(chain):
        names = {name: value for name in _COPIED if (value := original.get(name))}
        outer = original.getparent()
        if outer is None:
            copy = _parser.makeelement("html", names)
            levels[original] = 0
        else:
            level = levels[outer]
            around = copies[outer] if level < MOST_NESTED else copies[outer].getparent()
            levels[original] = min(level + 1, MOST_NESTED)
            tag = _plain_tag(str(original.tag)) if level else "body"
            copy = _etree.SubElement(around, tag, names)
        copies[original] = copy
    return copies[element]


@lru_cache(maxsize=1024)
def _plain_tag(tag: str) -> str:
    return tag if _TAG.fullmatch(tag) else "div"


def _write(copy: Any, place: int, block: Block) -> None:
    """Put a block's text into its element, as much of it into a link as stands in links."""
    first, second = divmod(place, _DIGITS)
    mark = chr(_FIRST + first) + chr(_FIRST + _DIGITS + second)
    plain = len(block.text) - block.linked
    if block.linked <= 0:
        text, linked = block.text, ""
    elif plain <= 3:
        text, linked = "", block.text
    else:
        text, linked = block.text[:plain], block.text[plain:]
    if len(copy):
        copy[-1].tail = (copy[-1].tail or "") + mark + text
    else:
        copy.text = (copy.text or "") + mark + text
    if linked:
        link = _etree.SubElement(copy, "a", href="#")
        link.text = linked
