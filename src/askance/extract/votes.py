"""Which blocks of a page a library that extracts articles takes for its text.

It gets the elements around the blocks, each with the text of its block and a mark: what it writes is not used,
but which marks it leaves.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import Any, cast

from trafilatura import bare_extraction

from askance.extract.blocks import Block, BlockKind
from askance.extract.tree import Node, add_child, parse_tree

# What the library complains about is an outcome here.
logging.getLogger("trafilatura").setLevel(logging.CRITICAL)

_MARK = "\u204a"  # printable, or the library takes it out
_MARKED = re.compile(f"{_MARK}(\\d{{1,7}}){_MARK}")
_NAMING = ("class", "id", "role", "itemprop")
_INNER = {BlockKind.TABLE: ("tr", "td"), BlockKind.CODE: ("p",)}


def voted_blocks(blocks: Sequence[Block], url: str) -> list[Block]:
    """Return the blocks that the library takes for the main text of a page."""
    frame = _frame(blocks)
    if frame is None:
        return []
    document = cast(
        "Any",
        bare_extraction(
            cast("Any", frame),
            url=url,
            include_comments=False,
            include_tables=True,
            output_format="python",
        ),
    )
    text = "".join(document.body.itertext()) if document is not None else ""
    voted = set(map(int, _MARKED.findall(text)))
    return [block for place, block in enumerate(blocks) if place in voted]


def _frame(blocks: Sequence[Block]) -> Node | None:
    root = parse_tree("<html><body></body></html>")
    if root is None:
        return None
    body = root[len(root) - 1]
    copies: dict[Node, Node] = {}
    for place, block in enumerate(blocks):
        copy = _copy(block.element, copies, body)
        if copy.text or len(copy):
            copy = add_child(copy, "p")
        for tag in _INNER.get(block.kind, ()):
            copy = add_child(copy, tag)
        mark = f"{_MARK}{place}{_MARK} "
        plain = max(len(block.text) - block.linked, 0)
        copy.text = f"{mark}{block.text[:plain]}"
        if plain < len(block.text):
            link = add_child(copy, "a")
            link.attrib["href"] = "#"
            link.text = block.text[plain:]
    return root


def _copy(element: Node, copies: dict[Node, Node], body: Node) -> Node:
    chain: list[Node] = []
    at: Node | None = element
    while at is not None and at.tag not in {"html", "body"} and at not in copies:
        chain.append(at)
        at = at.getparent()
    copy = copies.get(at, body) if at is not None else body
    for original in reversed(chain):
        tag = original.tag if isinstance(original.tag, str) else "div"
        copy = copies[original] = add_child(copy, "div" if ":" in tag or "{" in tag else tag)
        for name in _NAMING:
            if value := original.attrib.get(name):
                copy.attrib[name] = value
    return copy
