"""A metasearch without a service: this program asks public search engines itself, by `ddgs`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from askance.adapters.search.metasearch_engines import engines_for, filter_of, region_of
from askance.adapters.search.metasearch_process import GONE, OUT_OF_TIME, Heard, hear
from askance.adapters.search.searxng_query import plain_query
from askance.adapters.search.searxng_reply import (
    MAX_SNIPPET_CHARS,
    MAX_TITLE_CHARS,
    plain_text,
    web_url,
)
from askance.config.settings import SearchSettings
from askance.domain.errors import ServiceDown, ServiceRefused, ServiceSlow
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy
from askance.domain.web import ResultPage, SearchResult, SilentEngine, bare_proxy, host_of
from askance.ports.outbound import Sent
from askance.ranking.fusion import fuse
from askance.ranking.urls import canonical

SERVICE = Message("the search engines")
SERVED_BY = Message("this program")
# Engines that answer at all do so within two seconds; Tor and busy ones take longer, and are given
# as long again as the first one took.
STRAGGLERS_S = 3.0
_TIMEOUT, _UNREACHABLE = "timeout", "unreachable"


class InProcessSearch:
    """The port `WebSearch` without SearXNG. To be used only once the user has agreed to it.

    A query goes to every engine at once, from a child process that is gone when the search is.
    """

    def __init__(self, settings: SearchSettings, *, stragglers_s: float = STRAGGLERS_S) -> None:
        self._settings = settings
        self._stragglers_s = stragglers_s
        self._engines = engines_for(settings)
        self._proxy = bare_proxy(settings.proxy)

    async def search(self, query: str, *, wanted: int, sent: Sent) -> ResultPage:
        """Search for the plain words of a query; at most `wanted` results, the engines' best first.

        An engine that fails costs only itself, and is one of `silent_engines`. An empty answer of
        an engine may be one that it gives to programs: ddgs cannot tell.

        Raises:
            ServiceDown: no engine could be reached, or the child process failed.
            ServiceSlow: no engine answered within `search.timeout_s`.
            ServiceRefused: `search.engines` allows none of them.
        """
        words = plain_query(query)
        if not words:
            return ResultPage(query, ())
        if not self._engines:
            raise self._none_allowed()
        through = Message("the proxy {address}", address=self._proxy) if self._proxy else SERVED_BY
        sending = RequestSent(Sending.QUERY, ", ".join(self._engines), through, words)
        heard = await hear(
            self._request(words, wanted),
            limit_s=self._settings.timeout_s,
            stragglers_s=self._stragglers_s,
            before_sending=lambda: sent(sending),
        )
        found = _found(heard)
        failures = self._failures(heard, found)
        if not found:
            self._raise_if_nobody_was_there(failures, heard)
        silent = tuple(
            SilentEngine(name, reason, code == _UNREACHABLE)
            for name, (code, reason) in failures.items()
        )
        return ResultPage(query, _fused(found, wanted), silent, SERVED_BY)

    def _request(self, words: str, wanted: int) -> dict[str, Any]:
        settings = self._settings
        # Only socks5h leaves the names to the proxy; ddgs would look them up itself, and tell the
        # resolver of this network which engines are asked.
        scheme, _, rest = settings.proxy.partition("://")
        return {
            "query": words,
            "wanted": wanted,
            "engines": self._engines,
            "region": region_of(settings.language),
            "safesearch": filter_of(settings.safesearch),
            "proxy": f"socks5h://{rest}" if scheme == "socks5" else settings.proxy,
            "timeout_s": settings.timeout_s,
        }

    def _failures(
        self, heard: Heard, found: dict[str, list[SearchResult]]
    ) -> dict[str, tuple[str, Message]]:
        """Return a code and a reason for every engine that was not heard."""
        late = heard.ended == OUT_OF_TIME
        code, reason = (
            (_TIMEOUT, Message("timeout")) if late else (GONE, Message("its process ended"))
        )
        failures = {name: (code, reason) for name in self._engines if name not in found}
        for row in heard.rows:
            if (name := row.get("engine")) in failures:
                reason = Message.term(plain_text(row.get("reason"), MAX_TITLE_CHARS))
                failures[name] = str(row.get("failure")), reason
        return failures

    def _raise_if_nobody_was_there(
        self, failures: dict[str, tuple[str, Message]], heard: Heard
    ) -> None:
        codes = {code for code, _ in failures.values()}
        if GONE in codes and not heard.rows:
            problem = Message(
                "The process that asks the search engines did not start, or broke off."
            )
            fix = Message("Reinstall it: `pip install --force-reinstall askance ddgs`.")
            raise ServiceDown(SERVICE, SERVED_BY, problem, fix=fix)
        address = self._proxy or SERVED_BY
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
            fix = Message("Raise search.timeout_s to give them more time.")
            raise ServiceSlow(SERVICE, address, problem, fix=fix)
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
                fix = Message("Check the network.")
            raise ServiceDown(SERVICE, address, problem, fix=fix)

    def _none_allowed(self) -> ServiceRefused:
        named = self._settings.engines or "search.safesearch"
        return ServiceRefused(
            SERVICE,
            SERVED_BY,
            Message(
                "Without SearXNG none of the engines can be asked that the settings allow ({names}).",
                names=named,
            ),
            fix=Remedy(
                "Set search.engines to one of {names}, or start SearXNG with `askance up`.",
                command="askance up",
                names=", ".join(engines_for(SearchSettings())),
            ),
        )


def _found(heard: Heard) -> dict[str, list[SearchResult]]:
    """Return what each engine that was heard has found, in its order."""
    found: dict[str, list[SearchResult]] = {}
    for row in heard.rows:
        name, listed = row.get("engine"), row.get("results")
        if isinstance(name, str) and isinstance(listed, list):
            entries = [_result(entry, name) for entry in cast("list[object]", listed)]
            found[name] = [entry for entry in entries if entry is not None]
    return found


def _result(raw: object, engine: str) -> SearchResult | None:
    match raw:
        case [str(address), str(title), str(snippet)] if url := web_url(address):
            return SearchResult(
                url=url,
                title=plain_text(title, MAX_TITLE_CHARS) or host_of(url),
                snippet=plain_text(snippet, MAX_SNIPPET_CHARS),
                rank=0,
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
    return tuple(_merged(offers[key], rank) for rank, key in enumerate(order[:wanted], start=1))


def _merged(offers: Sequence[SearchResult], rank: int) -> SearchResult:
    best = max(offers, key=lambda offer: len(offer.snippet))
    engines = dict.fromkeys(name for offer in offers for name in offer.engines)
    return replace(best, rank=rank, engines=tuple(sorted(engines)))
