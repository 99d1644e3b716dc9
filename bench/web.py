"""The sample web without a socket: the real search index and the real extraction, slow as a network."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from http import HTTPStatus
from statistics import NormalDist
from urllib.parse import urlsplit

from askance.adapters.search.searxng import parse_reply
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    ResultPage,
    SearchScope,
    host_of,
)
from askance.extract.page import extract_page
from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import SampleSite

SEARCH_S = 0.9
PAGE_MEDIAN_S = 0.4
# One page in twenty takes longer than 1.1 s.
PAGE_SPREAD = 0.6
_STEPS = 2**32


@dataclass
class SampleSearch:
    """The sample web's search service, through the real parser of its replies; with `is_quick` it does not take its time."""

    is_quick: bool = False

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,  # noqa: ARG002 - nothing leaves
        narrowing: SearchScope = WHOLE_WEB,  # noqa: ARG002 - its questions are about all of it
        language: str | None = None,  # noqa: ARG002 - it tells itself
    ) -> ResultPage:
        """Return what a query finds, after the time that a metasearch takes."""
        await asyncio.sleep(0.0 if self.is_quick else SEARCH_S)
        return _results(query, wanted)


@dataclass
class SampleReader:
    """Reads pages of the sample web, each after its own latency; with `is_quick` at once."""

    is_quick: bool = False

    async def read(
        self,
        url: str,
        *,
        sent: Sent,
        known: Page | None = None,  # noqa: ARG002
        scope: SearchScope = WHOLE_WEB,  # noqa: ARG002
    ) -> Page:
        """Return a page as the real reader would."""
        sent(RequestSent(Sending.PAGE, host_of(url), Message("this program"), url))
        await asyncio.sleep(0.0 if self.is_quick else latency_s(url))
        return _page(url)


def latency_s(url: str) -> float:
    """Return how long a page takes: lognormal, and the same for the same URL."""
    digest = blake2b(url.encode(), digest_size=4).digest()
    share = (int.from_bytes(digest, "big") + 0.5) / _STEPS
    return PAGE_MEDIAN_S * math.exp(PAGE_SPREAD * NormalDist().inv_cdf(share))


@lru_cache(maxsize=1)
def _site() -> SampleSite:
    return SampleSite(load_library())


@lru_cache(maxsize=4096)
def _results(query: str, wanted: int) -> ResultPage:
    reply = _site().answer("127.0.0.1", "/search", {"q": query, "format": "json"})
    return parse_reply(reply.body, query, wanted=wanted)


@lru_cache(maxsize=512)
def _page(url: str) -> Page:
    parts = urlsplit(url)
    reply = _site().answer(parts.hostname or "", parts.path, {})
    if reply.status != HTTPStatus.OK:
        detail = f"The server answered with HTTP {reply.status.value}."
        return Page(url, PageStatus.FAILED, PageReason.NOT_FOUND, Message.verbatim(detail), url)
    extracted = extract_page(reply.body, url, reply.content_type)
    return Page(
        url,
        extracted.status,
        extracted.reason,
        extracted.detail,
        url,
        extracted.title,
        extracted.markdown,
        extracted.words,
        extracted.published,
        extracted.language,
    )
