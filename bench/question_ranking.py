"""Is the paragraph that answers a question ranked first? XQuAD in twelve languages, beside other rankings."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any

from askance.text.languages.recognition import language_of
from askance.text.ranking.index_terms import compared_in, terms
from askance.text.ranking.scoring import PAIR_WEIGHT, Bm25f, ScoredField, asked_pairs
from bench.question_sets import Passages

LANGUAGES = ("en", "de", "es", "ro", "el", "ru", "tr", "ar", "hi", "vi", "th", "zh")
_SNOWBALL = {
    "ar": "arabic", "de": "german", "el": "greek", "en": "english", "es": "spanish", "hi": "hindi",
    "ro": "romanian", "ru": "russian", "tr": "turkish",
}  # fmt: skip
_WORD = re.compile(r"\w+")

Scores = Sequence[float]
Rank = Callable[[str], Scores]
"""Scores all paragraphs for a question."""


def rankings(code: str, paragraphs: Sequence[str]) -> dict[str, Rank]:
    """Return the rankings that are compared, of those that are installed."""
    found = {
        "Askance": _own(paragraphs),
        "rank-bm25": _okapi(paragraphs, lambda text: _WORD.findall(text.lower())),
        "bm25s, stemmed": _bm25s(paragraphs, code),
        "bigrams of characters": _okapi(paragraphs, _bigrams),
    }
    return {name: rank for name, rank in found.items() if rank is not None}


def first_places(passages: Passages, rank: Rank) -> float:
    """Return for which share of questions, of a hundred, the right paragraph comes first. Ties go by place."""
    right = 0
    for question, place in passages.questions:
        scores = rank(question)
        best = max(scores)
        right += bool(best > 0 and next(i for i, s in enumerate(scores) if s == best) == place)
    return 100 * right / len(passages.questions)


def _own(paragraphs: Sequence[str]) -> Rank:
    """Rank as `ranking.selection` does, without titles, snippets and queries, which XQuAD has none of."""

    @cache
    def indexed(code: str) -> tuple[Bm25f, list[set[tuple[str, str]]]]:
        documents = [{"text": terms(text, code)} for text in paragraphs]
        neighbours = [set(pairwise(document["text"])) for document in documents]
        return Bm25f(documents, {"text": ScoredField(1.0)}), neighbours

    most = language_of(paragraphs)

    def rank(question: str) -> Scores:
        code = compared_in(question, ()) or most
        index, neighbours = indexed(code)
        asked = terms(question, code)
        pairs = asked_pairs(asked, code)
        return [
            score
            + PAIR_WEIGHT * math.fsum(min(index.idf(a), index.idf(b)) for a, b in pairs & held)
            for score, held in zip(index.scores(asked), neighbours, strict=True)
        ]

    return rank


def _okapi(paragraphs: Sequence[str], split: Callable[[str], list[str]]) -> Rank | None:
    if (library := _imported("rank_bm25")) is None:
        return None
    index = library.BM25Okapi([split(text) for text in paragraphs])

    def rank(question: str) -> Scores:
        return index.get_scores(split(question)).tolist()

    return rank


def _bm25s(paragraphs: Sequence[str], code: str) -> Rank | None:
    library, stemming = _imported("bm25s"), _imported("Stemmer")
    if library is None or stemming is None:
        return None
    stemmer = stemming.Stemmer(_SNOWBALL[code]) if code in _SNOWBALL else None
    index = library.BM25()
    options = {"stemmer": stemmer, "show_progress": False, "return_ids": False}
    index.index(library.tokenize(list(paragraphs), stopwords=None, **options), show_progress=False)

    def rank(question: str) -> Scores:
        asked = library.tokenize([question], stopwords=None, **options)[0]
        return index.get_scores(asked).tolist() if asked else [0.0] * len(paragraphs)

    return rank


def _bigrams(text: str) -> list[str]:
    return [pair for word in _WORD.findall(text.lower()) for pair in map("".join, pairwise(word))]


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
