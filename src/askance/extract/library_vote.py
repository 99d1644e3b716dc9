"""Which blocks of a page Trafilatura takes for its main text, whole ones: one of the features by which they are chosen."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, cast

from lxml import etree, html  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]
from trafilatura import bare_extraction
from trafilatura.settings import Extractor

from askance.extract.blocks import Block, BlockKind
from askance.extract.tree import Node

# What the library complains about is an outcome here.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)
_etree, _html = cast("Any", etree), cast("Any", html)

# A sign of two characters marks a block in what the library reads: printable, or it is taken out; Tangut, so
# that no page has it by chance.
_FIRST, _DIGITS = 0x17000, 2000
_MARK = re.compile("[\U00017000-\U000177cf][\U000177d0-\U00017f9f]")
_TAG = re.compile(r"[a-z][a-z0-9]{0,20}")
_NAMING = ("class", "id", "role", "itemprop", "itemtype")
# The library takes time with the square of what is nested; what is so deep stands beside what it is in.
MOST_LEVELS = 100
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
        names = {name: value for name in _NAMING if (value := original.get(name))}
        outer = original.getparent()
        if outer is None:
            copy = _parser.makeelement("html", names)
            levels[original] = 0
        else:
            level = levels[outer]
            around = copies[outer] if level < MOST_LEVELS else copies[outer].getparent()
            levels[original] = min(level + 1, MOST_LEVELS)
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
