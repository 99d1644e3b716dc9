"""How right the markers of finished answers are, whatever their writer did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askance.app.evaluation.running import holds, runs_of
from askance.domain.evidence import Citation, Support
from askance.text.ranking.index_terms import words
from bench.runs import Run

_MARKER = re.compile(r"\s*\[\d+\]")


@dataclass(frozen=True, slots=True)
class CitationScore:
    """Counts over answers.

    `sentences` of gold were written, and `cited` ones of them end with a right marker. Of all
    `markers` in the answers, `right` ones name a source that has the quote, and the citation check
    itself calls `supported` ones carried.
    """

    sentences: int
    cited: int
    markers: int
    right: int
    supported: int

    @property
    def precision(self) -> float:
        """The share of the markers that are right."""
        return self.right / self.markers if self.markers else 1.0

    @property
    def recall(self) -> float:
        """The share of the sentences that have a right marker."""
        return self.cited / self.sentences if self.sentences else 1.0

    @property
    def support(self) -> float:
        """The share of the markers that the check calls supported."""
        return self.supported / self.markers if self.markers else 1.0


def score_citations(runs: Sequence[Run]) -> CitationScore:
    """Compare the markers of finished answers with the evidence that their writer had."""
    sentences = cited = markers = right = supported = 0
    for run in runs:
        good = [c for c in run.end.citations if _told(run, c)]
        reported = set[int]().union(*(_told(run, c) for c in good))
        sentences += run.shown.found
        cited += len(reported)
        markers += len(run.end.citations)
        right += len(good)
        supported += sum(c.support is Support.SUPPORTED for c in run.end.citations)
    return CitationScore(sentences, cited, markers, right, supported)


def _told(run: Run, citation: Citation) -> set[int]:
    """Return the places of the gold quotes that a citation's sentence repeats, if its source has them."""
    texts = set(runs_of(words(_MARKER.sub("", citation.sentence))))
    entries = [block for block in run.shown.blocks if block.n == citation.n]
    return {
        i
        for i, gold in enumerate(run.question.gold)
        if texts & set(runs_of(words(gold.quote))) and any(holds(b, gold.quote) for b in entries)
    }
