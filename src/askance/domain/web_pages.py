"""What the web gives: results of a search, and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from ipaddress import ip_address
from urllib.parse import urlsplit

from askance.domain.errors import InputError
from askance.domain.messages import NOTHING, Message

LONGEST_PAGE_CHARACTERS = 400_000
"""So much of a page's text is used: 150 pages of a book. The longest of 93 real pages has 53,283."""
MOST_PAGE_BLOCKS = 5_000
"""So many blocks of it, a blank line between them. The page of most has 196 paragraphs."""
CONCURRENT_PAGES = 5
"""Pages read at the same time."""
MOST_DOMAINS = 10
# RFC 1035, 2.3.4: 255 octets with the lengths of the labels, which leaves 253 characters.
_LONGEST_HOST = 253
# RFC 6761, 6762, 8375 and 9476, and what routers and companies use beside them.
_INNER_NAMES = frozenset({"localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain",
                          "arpa", "alt"})  # fmt: skip
# A host that ends in a number is an IPv4 address in one of inet_aton's spellings, and never a name:
# `127.1`, `0x7f.1`, `2130706433` all lead to this machine.
_NUMBER = re.compile(r"[0-9]{1,12}|0x[0-9a-f]{0,12}")
# RFC 1123, 2.1: letters, digits and hyphens, of which none stands at an end.
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")


class Recency(StrEnum):
    """How new a page is to be, as search engines tell it."""

    ANY = ""
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


# With a day more than the word says: that of the engine may have begun in another time zone.
_DAYS = {Recency.DAY: 2, Recency.WEEK: 8, Recency.MONTH: 32, Recency.YEAR: 367}
# Zero, as clocks (1970), spreadsheets (1899, 1900) and databases (0001) write it; no page of the web is older.
_FIRST_DAY = date(1970, 1, 2)


def plausible_day(published: date, today: date) -> str | None:
    """Return a day as an ISO date, None for one on which no page can have been published."""
    # A day ahead may be right: the server stands in a time zone farther east.
    is_possible = _FIRST_DAY < published <= today + timedelta(days=1)
    return published.isoformat() if is_possible else None


def day_in(stamp: str | None, today: date) -> str:
    """Return the day of an ISO date; empty where it names none, or one on which no page can have been published."""
    try:
        return plausible_day(date.fromisoformat((stamp or "")[:10]), today) or ""
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class SearchScope:
    """What a question is to be answered from: these hosts and those below them, pages this new, files of a type.

    `narrowed` makes one of what was typed. Without domains it is about all of them, but for those `excluded`, which
    are never requested; `preferred` ones are ranked a little higher. With `documents`, which
    are identities of documents of the library, those alone answer it, and the web is not asked.
    """

    domains: tuple[str, ...] = ()
    recency: Recency = Recency.ANY
    documents: tuple[str, ...] = ()
    filetype: str = ""
    preferred: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    def admits(self, url: str) -> bool:
        """Whether a page may be requested, and used, by its host. How new it is, its address does not tell."""
        if not self.domains and not self.excluded:
            return True
        host = _plain_host(host_of(url))
        # An address whose host cannot be compared is on none of the sites, and none may be what it leads to.
        if not host or _is_on(host, self.excluded):
            return False
        return not self.domains or _is_on(host, self.domains)

    def prefers(self, url: str) -> bool:
        """Whether a page stands on a site that is to be ranked higher."""
        return bool(self.preferred) and _is_on(_plain_host(host_of(url)), self.preferred)

    def admits_day(self, published: str | None, today: date) -> bool:
        """Whether a page of this day, as its search engine dates it, is new enough; one without a day may be."""
        days = _DAYS.get(self.recency)
        if days is None or not published:
            return True
        return date.fromisoformat(published) >= today - timedelta(days=days)


WHOLE_WEB = SearchScope()
"""All of the web, however old."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One result as the search engine offered it."""

    url: str
    title: str
    snippet: str
    engines: tuple[str, ...] = ()
    published: str | None = None


@dataclass(frozen=True, slots=True)
class UnresponsiveEngine:
    """A search engine that did not answer, and its reason in the metasearch's words.

    `unreachable` says that no connection to it came about: the fault may be this machine's network.
    """

    name: str
    reason: Message
    unreachable: bool = False


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What one query brought.

    `served_by` names the search in plain words. `fallback` says, in one sentence, why another one
    than the first choice was asked; empty if none was. `hints` are what the search says beside results:
    an answer of its own that stands nowhere, or other words to search for.
    """

    query: str
    results: tuple[SearchResult, ...]
    silent_engines: tuple[UnresponsiveEngine, ...] = ()
    served_by: Message = NOTHING
    fallback: Message = NOTHING
    hints: tuple[str, ...] = ()


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
    ONLY_IMAGES = "only_images"
    ENCRYPTED = "encrypted"
    # failed: it did not come
    REFUSED_ADDRESS = "refused_address"
    NOT_FOUND = "not_found"
    DENIED = "denied"
    HTTP_STATUS = "http_status"
    REDIRECTS = "redirects"
    TOO_LARGE = "too_large"
    NOT_TEXT = "not_text"
    TIMED_OUT = "timed_out"
    NETWORK = "network"
    EXTRACTION = "extraction"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server gave with a page, to be asked later whether it has changed (RFC 9110, 8.8).

    Both are the values of the headers `ETag` and `Last-Modified` as they came, empty where missing.
    """

    etag: str = ""
    last_modified: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it was read.

    `url` is the address that was asked for, `final_url` the one that answered. `detail` says in
    plain words what `reason` says in a code. `markdown` is empty unless `status` is `ok`;
    `content_hash` is the SHA-256 of it, in hex. `fetched_at` is the moment when its server last
    vouched for it, in ISO 8601, UTC. `storable` is False where the server forbids to cache it.
    `published` and `updated` are ISO dates. `served_by` names the reader in plain words; `fallback`
    says, in one sentence, why another one than the first choice read it; empty if none did.
    """

    url: str
    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: Message = NOTHING
    final_url: str = ""
    title: str = ""
    markdown: str = ""
    words: int = 0
    published: str | None = None
    language: str | None = None
    elapsed_ms: int = 0
    byline: str = ""
    fetched_at: str = ""
    content_hash: str = ""
    validators: Validators = Validators()
    storable: bool = True
    served_by: Message = NOTHING
    fallback: Message = NOTHING
    updated: str | None = None


def narrowed(domains: Sequence[str] | None, recency: str | None = None) -> SearchScope:
    """Return what a question is narrowed to by the names of websites, as they were typed, and how new they are.

    Raises:
        InputError: one is not the name of a host, or there are more than `MOST_DOMAINS`.
    """
    names = tuple(dict.fromkeys(map(site_name, domains or ())))
    if len(names) > MOST_DOMAINS:
        raise InputError(
            Message("A question can be narrowed to {n} websites at the most.", n=MOST_DOMAINS),
            fix=Message("Name fewer of them."),
        )
    return SearchScope(names, Recency(recency or ""))


def site_name(domain: str) -> str:
    """Return the name of a website as hosts are compared with it: small ASCII letters, without `www.`.

    Raises:
        InputError: it is not the name of a host.
    """
    name = _plain_host(domain.strip())
    labels = name.split(".")
    is_name = all(map(_LABEL.fullmatch, labels)) and not labels[-1].isdigit()
    if not is_name or len(name) > _LONGEST_HOST:
        raise InputError(
            Message("“{domain}” is not the name of a website.", domain=domain),
            fix=Message("Write it as in {example}, without a path.", example="docs.python.org"),
        )
    return name


def host_of(url: str) -> str:
    """Return the host of a URL as people know it: lower case, without a leading `www.`."""
    try:
        # `urlsplit` raises where a bracket is opened and not closed.
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def is_web_address(url: str) -> bool:
    """Whether an address may become a link: web pages only, in one piece."""
    # Printable alone: marks of direction in an address show another one than it opens. Of all white
    # space only the blank is printable.
    return (
        url[:8].lower().startswith(("http://", "https://")) and url.isprintable() and " " not in url
    )


def _is_on(host: str, sites: Iterable[str]) -> bool:
    # With the points in front: `notexample.org` is no part of `example.org`.
    return any(f".{host}".endswith(f".{name}") for name in sites)


def _plain_host(name: str) -> str:
    """Return a host's name as it is looked up: small ASCII letters, without `www.`; "" if it has none."""
    name = name.lower().removesuffix(".").removeprefix("www.")
    try:
        # Python's codec is IDNA 2003 (RFC 3490): what that refuses, no host is looked up by here.
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def leads_here(host: str) -> bool:
    """Whether a host name or a literal address leads to this machine, by its name alone.

    The system takes the unspecified address, `0.0.0.0` or `::`, for its own loopback.
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # `::ffff:127.0.0.1` reaches loopback, which `is_loopback` of Python 3.11 denies.
    inner = getattr(address, "ipv4_mapped", None)
    is_own = address.is_loopback or address.is_unspecified
    return is_own or (inner is not None and leads_here(str(inner)))


def leads_inside(host: str) -> bool:
    """Whether a host name or a literal address leads to this machine or its own network, by its name alone."""
    # Brackets stand around IPv6 in an address (RFC 3986, 3.2.2); a point at the end changes
    # nothing.
    host = host.lower().strip("[]").rstrip(".")
    last = host.rpartition(".")[2]
    try:
        return not ip_address(host).is_global
    except ValueError:
        # A name of inside, or a number in a spelling that no site uses. One label is looked up in
        # the own network: a router, a printer, a NAS.
        is_inner = leads_here(host) or last in _INNER_NAMES or _NUMBER.fullmatch(last) is not None
        return is_inner or "." not in host
