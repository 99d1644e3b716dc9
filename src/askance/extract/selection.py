"""Choosing the blocks of a page that are its main text.

A linear model scores each block. Its features are what the library votes for, what stands around the block (tags,
class names, links, neighbours), and which container has the most text. The weights are in `selection_weights`;
`bench/extraction_corpora.py` measures them. Only whole blocks are chosen, so that no sentence loses a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice, starmap
from typing import Any

from askance.extract.blocks import Block, BlockKind
from askance.extract.gaps import belongs, fill_gaps, is_caption
from askance.extract.library_vote import voted_for
from askance.extract.selection_features import Features
from askance.extract.selection_weights import BIAS, WEIGHTS

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
    chosen = [block for block, score in zip(blocks, scores, strict=True) if score > 0]
    filled = set(map(id, fill_gaps(blocks, chosen)))
    places = [
        place
        for place, score in enumerate(scores)
        if score > 0
        or (
            id(blocks[place]) in filled
            and score > (LEAST_CAPTION_IN_A_GAP if is_caption(blocks[place]) else LEAST_IN_A_GAP)
        )
    ]
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


def features_of(blocks: Sequence[Block], voted: set[int]) -> list[list[str]]:
    """Return for each block the names of the features that it has."""
    return [
        list(chain.from_iterable(names(*its) for names, *its in (*own, *around)))
        for own, around in Features(blocks, voted).each()
    ]


@lru_cache(maxsize=20_000)
def _group_weight(names: Callable[..., Iterable[str]], *values: Any) -> float:
    """Return what a group of features weighs: most blocks share theirs with many others."""
    return sum(WEIGHTS.get(name, 0.0) for name in names(*values))
