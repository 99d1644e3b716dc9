"""From text to index terms: case, accents, stop words, stems, and bigrams where words have no spaces."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

import Stemmer

# Scripts written without spaces. Hangul has spaces, but its particles cling to the words, so
# bigrams serve it better than whole words too.
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(rf"[^\W_{_CJK}]+(?:['’][^\W_{_CJK}]+)*|[{_CJK}]+")
_POSSESSIVE = re.compile(r"['’]s?$")

# Function words of English only: those of other languages are rare in English pages, and a term
# that is common in a collection has little weight in BM25 anyway.
STOP_WORDS = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "during",
        "each",
        "few",
        "for",
        "from",
        "further",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "hers",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "me",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


def words(text: str) -> list[str]:
    """Return the words of a text in order: case-folded, without accents; CJK runs as bigrams."""
    return [word for word, _, _ in _spans(text)]


def count_words(text: str) -> int:
    """Count words. Two characters of a script without spaces count as one word."""
    return sum((len(run) + 1) // 2 if _CJK_RUN.fullmatch(run) else 1 for run in _WORD.findall(text))


def terms(text: str) -> list[str]:
    """Return the index terms of a text in order: words without stop words, stemmed."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a case-folded word (Snowball English)."""
    return _stemmer().stemWord(word)


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _WORD.finditer(text):
        run = match.group()
        if _CJK_RUN.fullmatch(run):
            if len(run) == 1:
                yield run, match.start(), match.end()
            for i in range(len(run) - 1):
                yield run[i : i + 2], match.start() + i, match.start() + i + 2
        else:
            yield fold(_POSSESSIVE.sub("", run)), match.start(), match.end()


def fold(text: str) -> str:
    """Case-fold and strip accents, so that `Café` and `cafe` are one word."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c))
