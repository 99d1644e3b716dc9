"""A metasearch without a service: this program asks public search engines, in a child process for each query."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from askance.adapters.network.guarded_http import HERE, way_out
from askance.adapters.search.searxng import (
    MAX_SNIPPET_CHARS,
    MAX_TITLE_CHARS,
    language_for,
    narrowed_query,
    plain_text,
    web_url,
)
from askance.config.settings import SearchSettings
from askance.config.sources import SET_PROXY, environment_proxy
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceDown, ServiceRefused, ServiceTimeout
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    ResultPage,
    SearchResult,
    SearchScope,
    UnresponsiveEngine,
    host_of,
)
from askance.system.children import end_child, start_child
from askance.system.program import NO_WINDOW, child_command
from askance.text.ranking.scoring import fuse
from askance.text.ranking.urls import canonical

# Bing's index by way of DuckDuckGo and Google's by way of Startpage, Brave's and Mojeek's own, and
# the encyclopedia article that is named like the query.
STANDARD = ("brave", "duckduckgo", "mojeek", "startpage", "wikipedia")
# A second way to Bing, and an encyclopedia written by a machine: only for who names them.
_ON_REQUEST = ("grokipedia", "yahoo")
# ddgs does not pass `safesearch` on to the others, and answer a strict search like any other.
_FILTERING = frozenset({"brave", "mojeek", "startpage"})
_STRICT = 2
# ddgs does not pass the age of pages on to the others.
_DATING = frozenset({"brave", "duckduckgo", "startpage", "yahoo"})
# They look a title up, and know no operators.
_ENCYCLOPEDIAS = frozenset({"grokipedia", "wikipedia"})

_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?", re.IGNORECASE)
# ddgs always sends a country; this is its default.
_ANYWHERE = "us-en"
# Languages whose country is not called like them.
_COUNTRIES = {
    "ar": "xa",
    "cs": "cz",
    "da": "dk",
    "el": "gr",
    "en": "us",
    "et": "ee",
    "he": "il",
    "ja": "jp",
    "ko": "kr",
    "sl": "si",
    "sv": "se",
    "uk": "ua",
    "vi": "vn",
    "zh": "cn",
}


Row = dict[str, Any]


def engines_for(settings: SearchSettings, narrowing: SearchScope = WHOLE_WEB) -> tuple[str, ...]:
    """Return the engines that the settings allow and that can narrow a search so.

    Empty where `search.engines` names no known one.
    """
    named = [name.strip().lower() for name in settings.engines.split(",") if name.strip()]
    allowed = [e for e in (*STANDARD, *_ON_REQUEST) if e in named] if named else STANDARD
    if settings.safesearch >= _STRICT:
        allowed = [e for e in allowed if e in _FILTERING]
    if narrowing.recency:
        allowed = [e for e in allowed if e in _DATING]
    # An engine of a site that is left out is that site.
    left_out = {label for site in narrowing.excluded for label in site.split(".")}
    return tuple(
        e for e in allowed if e not in left_out and not (narrowing.domains and e in _ENCYCLOPEDIAS)
    )


def region_of(language: str) -> str:
    """Return a language of SearXNG's (`de`, `de-CH`, `auto`, `all`) as `country-language`."""
    if not (match := _LANGUAGE.fullmatch(language.strip())):
        return _ANYWHERE
    tongue, country = match[1].lower(), (match[2] or "").lower()
    return f"{country or _COUNTRIES.get(tongue, tongue)}-{tongue}"


SERVICE = Message("the search engines")
# Engines that answer at all do so within two seconds; Tor and busy ones take longer, and are given
# as long again as the first one took.
STRAGGLERS_S = 3.0
_TIMEOUT, _UNREACHABLE, _GONE = "timeout", "unreachable", "gone"
# asyncio alone takes lines of 64 KiB; a list of results can be longer.
_LONGEST_LINE = 4 * 1024 * 1024


class InProcessSearch:
    """The port `WebSearch` without SearXNG. To be used only once the user has agreed to it.

    A query goes to every engine at once, from a child process that is gone when the search is.
    """

    def __init__(self, settings: SearchSettings, *, stragglers_s: float = STRAGGLERS_S) -> None:
        self._settings = settings
        self._stragglers_s = stragglers_s
        self._proxy = bare_address(settings.proxy)

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search for the plain words of a query; at most `wanted` results, the engines' best first.

        An engine that fails costs only itself, and is one of `silent_engines`. An empty answer of
        an engine may be one that it gives to programs: ddgs cannot tell.

        Raises:
            ServiceDown: no engine could be reached, or the child process failed.
            ServiceTimeout: no engine answered in time.
            ServiceRefused: `search.engines` allows none of them, or none that can narrow a search so.
        """
        words = narrowed_query(query, narrowing)
        if not words:
            return ResultPage(query, ())
        engines = engines_for(self._settings, narrowing)
        if not engines:
            raise self._none_allowed(narrowing)
        through = way_out(self._proxy)
        sending = RequestSent(Sending.QUERY, ", ".join(engines), through, words)
        rows, is_late = await ask_engines(
            self._request(words, wanted, engines, narrowing, language),
            limit_s=self._settings.timeout_s,
            stragglers_s=self._stragglers_s,
            before_sending=lambda: sent(sending),
        )
        found = _found(rows, narrowing)
        failures = _failures(engines, rows, found, is_late=is_late)
        if not found:
            self._raise_if_nobody_was_there(failures, any_replied=bool(rows))
        silent = tuple(
            UnresponsiveEngine(name, reason, code == _UNREACHABLE)
            for name, (code, reason) in failures.items()
        )
        return ResultPage(query, _fused(found, wanted), silent, HERE)

    def _request(
        self,
        words: str,
        wanted: int,
        engines: Sequence[str],
        narrowing: SearchScope,
        language: str | None,
    ) -> dict[str, Any]:
        settings = self._settings
        # Only socks5h leaves the names to the proxy; ddgs would look them up itself, and tell the
        # resolver of this network which engines are asked.
        scheme, _, rest = settings.proxy.partition("://")
        return {
            "query": words,
            "wanted": wanted,
            "engines": engines,
            "region": region_of(language_for(settings.language, words, language)),
            # As ddgs calls the filter, and how new results are to be: `d`, `w`, `m` or `y`.
            "safesearch": ("off", "moderate", "on")[settings.safesearch],
            "timelimit": narrowing.recency[:1] or None,
            "proxy": f"socks5h://{rest}" if scheme == "socks5" else settings.proxy,
            "timeout_s": settings.timeout_s,
        }

    def _raise_if_nobody_was_there(
        self, failures: dict[str, tuple[str, Message]], *, any_replied: bool
    ) -> None:
        codes = {code for code, _ in failures.values()}
        if _GONE in codes and not any_replied:
            problem = Message(
                "The process that asks the search engines did not start, or broke off."
            )
            fix = Message("Reinstall it: `pip install --force-reinstall askance ddgs`.")
            raise ServiceDown(SERVICE, HERE, problem, fix=fix)
        address = self._proxy or HERE
        if codes == {_TIMEOUT}:
            limit = f"{self._settings.timeout_s:g} s"
            problem = (
                Message(
                    "No search engine answered through the proxy {address} within {limit}.",
                    address=self._proxy,
                    limit=limit,
                )
                if self._proxy
                else Message("No search engine answered within {limit}.", limit=limit)
            )
            raise ServiceTimeout(SERVICE, address, problem)
        if codes <= {_TIMEOUT, _UNREACHABLE}:
            reason = next(reason for code, reason in failures.values() if code == _UNREACHABLE)
            if self._proxy:
                problem = Message(
                    "None of the search engines can be reached through the proxy {address} ({said}).",
                    address=self._proxy,
                    said=reason,
                )
                fix = Remedy("Check search.proxy and the network.", setting="search.proxy")
            else:
                problem = Message(
                    "None of the search engines can be reached ({said}).", said=reason
                )
                fix = _network_fix()
            raise ServiceDown(SERVICE, address, problem, fix=fix)

    def _none_allowed(self, narrowing: SearchScope) -> ServiceRefused:
        named = self._settings.engines or "search.safesearch"
        problem = Message(
            "Without SearXNG none of the engines can be asked that the settings allow ({names}).",
            names=named,
        )
        fix = Remedy(
            "Set search.engines to one of {names}, or start SearXNG with `askance up`.",
            command="askance up",
            names=", ".join(engines_for(SearchSettings(), narrowing)),
        )
        return ServiceRefused(SERVICE, HERE, problem, fix=fix)


async def ask_engines(
    request: Mapping[str, Any],
    *,
    limit_s: float,
    stragglers_s: float,
    before_sending: Callable[[], None],
) -> tuple[list[Row], bool]:
    """Ask the engines of a request in a process of its own, which is gone when this returns.

    Return one row an engine that has answered, as the worker wrote it, and whether the time was up before all had.
    A thread that waits for an engine could not be stopped.

    Once an engine has brought results, the others get as long again as it took, and at least
    `stragglers_s`; all of them together get `limit_s`. Cancelling ends the process.
    """
    rows: list[Row] = []
    try:
        child = await _started()
    except OSError:
        return rows, False
    try:
        before_sending()
        assert child.stdin is not None
        assert child.stdout is not None
        loop = asyncio.get_running_loop()
        began, fruitful = loop.time(), False
        try:
            async with asyncio.timeout(limit_s) as limit:
                # By the pipe, and not as an argument: anyone on the machine can read those, and a
                # proxy's address may hold a password.
                child.stdin.write(json.dumps(request).encode() + b"\n")
                await child.stdin.drain()
                while len(rows) < len(request["engines"]):
                    if (row := _row(await child.stdout.readline())) is None:
                        return rows, False
                    rows.append(row)
                    if row.get("results") and not fruitful:
                        fruitful = True
                        left_s = max(stragglers_s, loop.time() - began)
                        limit.reschedule(min(began + limit_s, loop.time() + left_s))
        except TimeoutError:
            return rows, True
        except (ConnectionError, ValueError):  # a closed pipe; a line without end, or not JSON
            return rows, False
        return rows, False
    finally:
        await end_child(child)


def _found(rows: Sequence[Row], narrowing: SearchScope) -> dict[str, list[SearchResult]]:
    """Return what each engine that has answered found, in its order."""
    found: dict[str, list[SearchResult]] = {}
    for row in rows:
        name, listed = row.get("engine"), row.get("results")
        if isinstance(name, str) and isinstance(listed, list):
            entries = [_result(entry, name) for entry in cast("list[object]", listed)]
            found[name] = [entry for entry in entries if entry and narrowing.admits(entry.url)]
    return found


def _failures(
    engines: Sequence[str],
    rows: Sequence[Row],
    found: dict[str, list[SearchResult]],
    *,
    is_late: bool,
) -> dict[str, tuple[str, Message]]:
    """Return a code and a reason for every engine that has not answered."""
    # Engines that have sent no row: the time was up for them, or their process ended before.
    silent: tuple[str, Message] = (_GONE, Message("its process ended"))
    if is_late:
        silent = (_TIMEOUT, Message("timeout"))
    failures: dict[str, tuple[str, Message]] = dict.fromkeys(
        (name for name in engines if name not in found), silent
    )
    for row in rows:
        if (name := row.get("engine")) in failures:
            reason = Message.term(plain_text(row.get("reason"), MAX_TITLE_CHARS))
            failures[name] = str(row.get("failure")), reason
    return failures


def _result(raw: object, engine: str) -> SearchResult | None:
    match raw:
        case [str(address), str(title), str(snippet)] if url := web_url(address):
            return SearchResult(
                url=url,
                title=plain_text(title, MAX_TITLE_CHARS) or host_of(url),
                snippet=plain_text(snippet, MAX_SNIPPET_CHARS),
                engines=(engine,),
            )
        case _:
            return None


def _fused(found: dict[str, list[SearchResult]], wanted: int) -> tuple[SearchResult, ...]:
    """Merge the engines' lists: a page that several found comes first, with its longest snippet."""
    offers: defaultdict[str, list[SearchResult]] = defaultdict(list)
    for results in found.values():
        for result in results:
            offers[canonical(result.url)].append(result)
    order = fuse([[canonical(r.url) for r in results] for results in found.values()])
    return tuple(_merged(offers[key]) for key in order[:wanted])


def _merged(offers: Sequence[SearchResult]) -> SearchResult:
    best = max(offers, key=lambda offer: len(offer.snippet))
    engines = dict.fromkeys(name for offer in offers for name in offer.engines)
    return replace(best, engines=tuple(sorted(engines)))


async def _started() -> asyncio.subprocess.Process:
    # A proxy in the environment would be taken where the settings name none.
    environment = {
        name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")
    }
    # glibc sets address space aside for each thread that asks for memory, against the limit.
    environment["MALLOC_ARENA_MAX"] = "2"
    return await start_child(
        *child_command("askance.adapters.search.metasearch_worker"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        limit=_LONGEST_LINE,
        # Ctrl-C in the terminal is for the parent, which then ends its child.
        start_new_session=True,
        creationflags=NO_WINDOW,
    )


def _row(line: bytes) -> Row | None:
    if not line:
        return None
    row: Any = json.loads(line)
    match row:
        case {"engine": str()}:
            return cast("Row", row)
        case _:
            raise ValueError("not a row")


def _network_fix() -> Message:
    """Return what to do where nothing is reached: a network may let nobody out but through its proxy."""
    variable, address = environment_proxy()
    if not variable:
        return Message("Check the network.")
    return Remedy(
        "Check the network. {variable} names the proxy {address}, which is not used: set search.proxy to "
        "it.",
        command=SET_PROXY,
        setting="search.proxy",
        variable=variable,
        address=bare_address(address),
    )
