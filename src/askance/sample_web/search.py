"""The search engine of the sample web: BM25F, snippets, and replies in SearXNG's JSON."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from askance.sample_web.documents import SamplePage, SampleSites
from askance.text.languages.language import ENGLISH
from askance.text.languages.recognition import recognise
from askance.text.ranking.scoring import Bm25f, ScoredField
from askance.text.ranking.tokens import sentences, terms

FIELDS = {"title": ScoredField(2.0), "text": ScoredField(1.0), "site": ScoredField(0.5)}
PAGE_SIZE = 10
ENGINES = ("curlew", "tern", "whimbrel")
SILENCES = ("timeout", "too many requests", "access denied")
# One query in four finds an engine silent, so that a front end has something to show.
SILENT_ONE_IN = 4
# Positions after which one engine fewer knows the page.
AGREEMENT = 3
MIN_CHARS = 150
MAX_CHARS = 250
MARK = "…"


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that a query found. `position` counts from 1 over all result pages."""

    document: SamplePage
    position: int
    snippet: str


class SearchIndex:
    """Finds documents by plain words. The same query always gives the same hits.

    All words are compared in the language of the query: names have one stem then, whoever writes them.
    """

    def __init__(self, library: SampleSites) -> None:
        self._documents = list(library.documents.values())
        self._sites = [library.sites[d.host].name for d in self._documents]
        self._rankings = {ENGLISH: self._indexed(ENGLISH)}

    def search(self, query: str, *, first: int, count: int) -> list[Hit]:
        """Return up to `count` hits from position `first` on, best first; equals by URL."""
        code = recognise(query) or ENGLISH
        if code not in self._rankings:
            self._rankings[code] = self._indexed(code)
        ranking, wanted = self._rankings[code], terms(query, code)
        scores = zip(ranking.scores(wanted), self._documents, strict=True)
        found = sorted(((s, d) for s, d in scores if s > 0), key=lambda row: (-row[0], row[1].url))
        return [
            Hit(d, position, best_snippet(d.text, wanted, ranking.idf, code))
            for position, (_, d) in enumerate(found[first - 1 : first - 1 + count], start=first)
        ]

    def _indexed(self, code: str) -> Bm25f:
        fields = [
            {"title": terms(d.title, code), "text": terms(d.text, code), "site": terms(site, code)}
            for d, site in zip(self._documents, self._sites, strict=True)
        ]
        return Bm25f(fields, FIELDS)


def search_reply(index: SearchIndex, query: str, *, page: int) -> dict[str, Any]:
    """Return the JSON for one result page of a query. `page` counts from 1."""
    silent = _silent(query)
    asked = [name for name in ENGINES if name not in dict(silent)]
    hits = index.search(query, first=1 + (page - 1) * PAGE_SIZE, count=PAGE_SIZE)
    return {
        "query": query,
        "results": [_result(hit, asked) for hit in hits],
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": silent,
    }


def configuration() -> dict[str, Any]:
    """Return what `/config` tells about the service."""
    engines = [{"name": name, "categories": ["general"], "enabled": True} for name in ENGINES]
    return {
        "instance_name": "The sample web",
        "categories": ["general"],
        "default_locale": "en",
        "engines": engines,
        "safe_search": 0,
    }


def best_snippet(
    text: str, query: Iterable[str], weight: Callable[[str], float], code: str = ENGLISH
) -> str:
    """Return the window of a text that holds most of the query's terms of a language by weight.

    Of equal ones it is the first, moved on as far as nothing is lost, so that what follows the
    hit is seen rather than what goes before. It begins with a sentence where it can, is `MIN_CHARS`
    to `MAX_CHARS` characters long, and shorter only where the text is. A mark stands where it was
    cut.
    """
    wanted = set(query)
    line, starts = _joined(text)
    windows = [_window(line, start) for start in starts] or [""]
    weights = [sum(map(weight, sorted(wanted.intersection(terms(w, code))))) for w in windows]
    best = chosen = weights.index(max(weights))
    while (
        weights[best] > 0
        and chosen + 1 < len(starts)
        and starts[chosen + 1] < starts[best] + MAX_CHARS
        and weights[chosen + 1] == weights[best]
    ):
        chosen += 1
    return windows[chosen]


def _result(hit: Hit, asked: list[str]) -> dict[str, Any]:
    document = hit.document
    found_by = _finders(hit, asked)
    positions = [hit.position] * len(found_by)
    return {
        "url": document.url,
        "title": document.title,
        "content": hit.snippet,
        "engine": found_by[0],
        "engines": found_by,
        "positions": positions,
        # SearXNG's own sum: the reciprocal positions, times the number of engines that agree.
        "score": len(positions) * sum(1 / p for p in positions),
        "category": "general",
        "template": "default.html",
        "parsed_url": [*urlsplit(document.url)[:2], document.path, "", "", ""],
        "publishedDate": f"{document.date}T00:00:00" if document.date else None,
        "thumbnail": "",
        "img_src": "",
        "priority": "",
    }


def _finders(hit: Hit, asked: list[str]) -> list[str]:
    # Engines agree on the best hits and go their own ways below, so that the scores fall.
    count = max(1, len(asked) - (hit.position - 1) // AGREEMENT)
    turn = _checksum(hit.document.url) % len(asked)
    return sorted((asked[turn:] + asked[:turn])[:count])


def _silent(query: str) -> list[list[str]]:
    seed = _checksum(query)
    if seed % SILENT_ONE_IN:
        return []
    chosen = seed // SILENT_ONE_IN
    return [[ENGINES[chosen % len(ENGINES)], SILENCES[chosen // len(ENGINES) % len(SILENCES)]]]


def _checksum(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace"))


def _joined(text: str) -> tuple[str, list[int]]:
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    for sentence in sentences(text):
        starts.append(length)
        parts.append(sentence)
        length += len(sentence) + 1
    return " ".join(parts), starts


def _window(line: str, start: int) -> str:
    if len(line) - start < MIN_CHARS and start > 0:
        return MARK + _tail(line, MAX_CHARS - len(MARK))
    window = line[start : start + MAX_CHARS]
    if start + MAX_CHARS >= len(line):
        return window
    # Scripts without spaces are cut where the room ends.
    space = window.rfind(" ", MIN_CHARS, MAX_CHARS - len(MARK))
    return window[: space if space > 0 else MAX_CHARS - len(MARK)] + MARK


def _tail(line: str, room: int) -> str:
    tail = line[-room:]
    space = tail.find(" ", 0, room - MIN_CHARS)
    return tail[space + 1 :] if len(line) > room and space >= 0 else tail
