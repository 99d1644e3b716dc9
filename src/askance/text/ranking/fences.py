"""Blocks of code between fences in Markdown: where they are, and the programming language of each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askance.domain.file_formats import syntax_named

# In lists and quotes they stand further in.
_FENCE = re.compile(r"^[ \t>]{0,16}+(`{3,}+|~{3,}+)([^`\n]*)$", re.MULTILINE)
_NAME = re.compile(r"\{?[.\s]{0,4}([^\s{}:,;]{1,40})")


@dataclass(frozen=True, slots=True)
class FencedBlock:
    """A block with its fences: where it begins and ends, and its language by its one name, or ""."""

    start: int
    end: int
    syntax: str


def fenced_blocks(markdown: str) -> Iterator[FencedBlock]:
    """Yield the blocks of a text in their order. A fence that is never closed fences nothing."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(markdown):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            named = _NAME.match(opened[2].strip())
            syntax = syntax_named(named[1]) if named else ""
            yield FencedBlock(opened.start(), fence.end(), syntax)
            opened = None


def without_fences(text: str) -> str:
    """Return a text without the lines that are fences, one of blocks that it has in part included."""
    return _FENCE.sub("", text) if "```" in text or "~~~" in text else text


def syntaxes_within(
    blocks: Sequence[FencedBlock], spans: Sequence[tuple[int, int]]
) -> list[tuple[str, ...]]:
    """Return, for each span of a text, the languages of the blocks that lie in it, wholly or in part.

    Both come in the order of the text, and no span overlaps another.
    """
    found: list[tuple[str, ...]] = []
    first = 0
    for start, end in spans:
        while first < len(blocks) and blocks[first].end <= start:
            first += 1
        names: set[str] = set()
        for i in range(first, len(blocks)):
            if blocks[i].start >= end:
                break
            names.add(blocks[i].syntax)
        found.append(tuple(sorted(names - {""})))
    return found
