"""Whether the sentences that carry an answer stand in a prompt, and under which number."""

from __future__ import annotations

import re
from dataclasses import dataclass

from askance.sample_web.server import Gold, Question
from askance.text.ranking.tokens import words

RUN = 3
# Extraction and sentence cutting may cost a quote its edges, not its middle.
SHARE_OF_RUNS = 0.6

_FENCED = re.compile(r"^<<<web \w+\n(.*?)\nweb \w+>>>$", re.DOTALL | re.MULTILINE)
_HEAD = re.compile(r"^\[(\d+)\] ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class EvidenceEntry:
    """One entry of the evidence: its source's number, and its text with the source's line."""

    n: int
    text: str
    runs: frozenset[tuple[str, ...]]
    words: frozenset[str]


def read_blocks(prompt: str) -> list[EvidenceEntry]:
    """Return the numbered entries between a prompt's fences, in their order."""
    blocks: list[EvidenceEntry] = []
    for fenced in _FENCED.findall(prompt):
        heads = list(_HEAD.finditer(fenced))
        ends = [head.start() for head in heads[1:]] + [len(fenced)]
        for head, end in zip(heads, ends, strict=True):
            text = fenced[head.end() : end]
            found = words(text)
            blocks.append(
                EvidenceEntry(int(head[1]), text, frozenset(runs_of(found)), frozenset(found))
            )
    return blocks


def runs_of(found: list[str]) -> list[tuple[str, ...]]:
    """Return the runs of three words, or the one shorter run that there is."""
    length = min(RUN, len(found))
    return [tuple(found[i : i + length]) for i in range(len(found) - length + 1)] if found else []


def holds(block: EvidenceEntry, quote: str) -> bool:
    """Say whether a block has a quote: most of its runs of words, and each of its numbers."""
    wanted = words(quote)
    numbers = {word for word in wanted if any(c.isdigit() for c in word)}
    return share_held(block, quote) >= SHARE_OF_RUNS and numbers <= block.words


def share_held(block: EvidenceEntry, quote: str) -> float:
    """Return the share of a quote's runs that stand in a block."""
    runs = runs_of(words(quote))
    if len(runs) == 1 and len(runs[0]) < RUN:  # too short for the block's runs of three
        return float(set(runs[0]) <= block.words)
    return sum(run in block.runs for run in runs) / len(runs)


@dataclass(frozen=True, slots=True)
class GoldCoverage:
    """What a prompt shows of a question's gold: for each quote the source's number, or None."""

    question: Question
    blocks: tuple[EvidenceEntry, ...]
    numbers: tuple[int | None, ...]

    @property
    def found(self) -> int:
        """How many quotes the prompt shows."""
        return sum(n is not None for n in self.numbers)

    @property
    def complete(self) -> bool:
        """Whether everything that the answer needs is there. Never so where nothing could be."""
        return bool(self.numbers) and None not in self.numbers

    @property
    def missing(self) -> list[Gold]:
        """The gold that the prompt does not show."""
        pairs = zip(self.question.gold, self.numbers, strict=True)
        return [gold for gold, n in pairs if n is None]


def look(question: Question, prompt: str) -> GoldCoverage:
    """Find a question's gold in a prompt. Of several sources the one that holds most counts."""
    blocks = read_blocks(prompt)
    return GoldCoverage(
        question, tuple(blocks), tuple(_source(blocks, g.quote) for g in question.gold)
    )


def _source(blocks: list[EvidenceEntry], quote: str) -> int | None:
    fitting = [block for block in blocks if holds(block, quote)]
    return max(fitting, key=lambda b: share_held(b, quote)).n if fitting else None
