"""What the web gives: results of a search, and pages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result as the search engine offered it. `rank` counts from 1 in the engine's order."""

    url: str
    title: str
    snippet: str
    rank: int
    engines: tuple[str, ...] = ()
    published: str | None = None


@dataclass(frozen=True, slots=True)
class SilentEngine:
    """A search engine that did not answer, and its reason in the metasearch's words."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What one query brought."""

    query: str
    results: tuple[SearchResult, ...]
    silent_engines: tuple[SilentEngine, ...] = ()


class PageStatus(StrEnum):
    """How reading a page ended."""

    OK = "ok"
    EMPTY = "empty"
    FAILED = "failed"


class PageReason(StrEnum):
    """Why a page is not `ok`. Stable codes: other programs read them."""

    NONE = ""
    # empty: it came, and held no text worth reading
    SCRIPT_ONLY = "script_only"
    CONSENT_WALL = "consent_wall"
    NO_TEXT = "no_text"
    # failed: it did not come
    REFUSED_ADDRESS = "refused_address"
    HTTP_STATUS = "http_status"
    REDIRECTS = "redirects"
    TOO_LARGE = "too_large"
    NOT_TEXT = "not_text"
    TIMED_OUT = "timed_out"
    NETWORK = "network"
    EXTRACTION = "extraction"


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was read.

    `url` is the address that was asked for, `final_url` the one that answered. `detail` says in
    plain words what `reason` says in a code. `markdown` is empty unless `status` is `ok`.
    """

    url: str
    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: str = ""
    final_url: str = ""
    title: str = ""
    markdown: str = ""
    words: int = 0
    published: str | None = None
    language: str | None = None
    elapsed_ms: int = 0


def host_of(url: str) -> str:
    """Return the host of a URL as people know it: lower case, without a leading `www.`."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
