"""The search answered in SearXNG's JSON, as if several engines had been asked."""

from __future__ import annotations

import zlib
from typing import Any
from urllib.parse import urlsplit

from askance.sample_web.index import Hit, SearchIndex

PAGE_SIZE = 10
ENGINES = ("curlew", "tern", "whimbrel")
SILENCES = ("timeout", "too many requests", "access denied")
# One query in four finds an engine silent, so that a front end has something to show.
SILENT_ONE_IN = 4
# Positions after which one engine fewer knows the page.
AGREEMENT = 3


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
