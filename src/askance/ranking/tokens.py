"""From text to sentences and index terms: case, accents, stop words, stems, and bigrams."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import Stemmer

# Scripts written without spaces. Hangul has spaces, but its particles cling to the words, so
# bigrams serve it better than whole words too.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f"
CJK_RUN = re.compile(f"[{CJK}]+")
# Accents that stand as characters of their own; PDFs are full of them.
_ACCENTS = "\u0300-\u036f"
_WORD = re.compile(rf"[^\W_{CJK}]+(?:(?:['’]|[{_ACCENTS}]+)[^\W_{CJK}]+)*|[{CJK}]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_FOLDED_AT_ONCE = 256
_POSSESSIVE = re.compile(r"['’]s?$")

# Function words of English only: those of other languages are rare in English pages, and a term
# that is common in a collection has little weight in BM25 anyway.
_STOP_WORDS = """
a about after all also am an and any are as at be because been before being between both but by can
could did do does doing during each few for from further had has have having he her here hers him his
how i if in into is it its itself just me more most my no nor not of off on once only or other our out
over own same she should so some such than that the their them then there these they this those
through to too under until up very was we were what when where which while who whom whose why will
with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# A boundary is an end mark, perhaps with closing quotes or citation markers, then white space and
# something that can begin a sentence; or the end mark of a script without spaces; or a line break.
_BOUNDARY = re.compile(
    r"""(?<=[.!?…])(?P<tail>["'”’»)\]]*(?:\s?\[\d+\])*)\s+(?=["'“‘«(\[*_]*[A-Z0-9À-ÖØ-ÞА-Я])"""
    r"""|(?<=[。！？])["'”’」』]*(?:\[\d+\])*"""
    r"""|\n+"""
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“])(?:[A-Z]|[A-Z]\.[A-Z]|mr|mrs|ms|dr|prof|sr|jr|st|mt|ft|vs|etc|e\.g|i\.e|cf|ca|al|no|nos|vol|"
    r"fig|figs|inc|ltd|co|corp|dept|gen|col|lt|sgt|capt|rev|hon|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|"
    r"approx|est|b|d|c|p|pp|ed|eds|art|sec|ch|u\.s|u\.k)\.$",
    re.IGNORECASE,
)


def words(text: str) -> list[str]:
    """Return the words of a text in order: case-folded, without accents; CJK runs as bigrams."""
    if text.isascii():  # most text is, and most of the time goes here
        found = _ASCII_WORD.findall(text.lower())
        return [_POSSESSIVE.sub("", w) if "'" in w else w for w in found]
    return [word for run in _WORD.findall(text) for word in _words_of(run)]


def count_words(text: str) -> int:
    """Count words. Two characters of a script without spaces count as one word."""
    runs = _WORD.findall(text)
    if not CJK_RUN.search(text):
        return len(runs)
    return sum((len(run) + 1) // 2 if CJK_RUN.fullmatch(run) else 1 for run in runs)


def terms(text: str) -> list[str]:
    """Return the index terms of a text in order: words without stop words, stemmed."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a case-folded word (Snowball English)."""
    return _stemmer().stemWord(word)


def fold(text: str) -> str:
    """Case-fold and strip accents, so that `Café` and `cafe` are one word."""
    if text.isascii():
        return text.lower()
    folded = text.casefold()
    # Marks are put into an order that nobody sees, in time that grows with the square of their run.
    starts = range(0, len(folded), _FOLDED_AT_ONCE)
    pieces = [unicodedata.normalize("NFKD", folded[i : i + _FOLDED_AT_ONCE]) for i in starts]
    return "".join(c for c in "".join(pieces) if not unicodedata.combining(c))


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return `(start, end)` of each sentence, without the white space around it.

    By rule: a full sentence splitter costs a second for each 15 KB of text.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        tail = match.group("tail") or ""
        head = text[max(start, match.start() - 12) : match.start()]
        if not tail and "\n" not in match.group() and _ABBREVIATION.search(head):
            continue
        _add(spans, text, start, match.start() + len(match.group().rstrip()))
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def whole_sentences(text: str) -> str:
    """Cut a broken-off text at its last whole sentence, if it has one."""
    spans = sentence_spans(text)
    if spans and text[: spans[-1][1]].rstrip()[-1:] not in '.!?…"”]。！？':
        spans.pop()
    return text[: spans[-1][1]] if spans else text


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    return Stemmer.Stemmer("english")


def _words_of(run: str) -> list[str]:
    if not CJK_RUN.fullmatch(run):
        return [fold(_POSSESSIVE.sub("", run)).replace("’", "'")]
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        begin = start + len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(stripped)))
