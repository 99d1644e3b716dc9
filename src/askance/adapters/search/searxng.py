"""SearXNG, the metasearch engine, asked for JSON; and another search for when it is not there, or not for programs."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from askance.adapters.network.guarded_http import causes, location_of, reason_of, service_client
from askance.adapters.network.own_services import auth_of
from askance.adapters.search.searxng_api import (
    language_for,
    narrowed_query,
    parse_reply,
    stated_error,
)
from askance.config.settings import SearchSettings
from askance.domain.addresses import bare_address
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceSwitchedOff,
    ServiceTimeout,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.ports.web import Sent, WebSearch
from askance.domain.web_pages import WHOLE_WEB, ResultPage, SearchScope

SERVICE = "SearXNG"
SAMPLE_WEB = "sample web"
TOO_BUSY = Message("This computer may be too busy: try again when it has less to do.")
"""What fixes a part of this program that did not answer in time."""
CONNECT_TIMEOUT_S = 5.0
CATEGORIES = "general"
# Twenty results are some 30 KB; whatever sends more than this is not SearXNG.
MAX_REPLY_BYTES = 8_000_000
_START = Remedy(
    "Start SearXNG with `askance up` (it needs Docker or Podman), or let this program "
    "ask search engines itself: `askance config set search.in_process given`.",
    command="askance up",
    setting="search.in_process",
)
_ELSEWHERE = Message("Set search.url to the address of SearXNG itself.")
# Without its scheme: what looks like an address is shown without its user.
_WITH_NAME = "NAME:PASSWORD@127.0.0.1:8888"
# A run sends its queries within a minute, and need not knock for each of them; a service that was
# started in between is found again by the next one.
REMEMBERED_S = 60.0


class SearxngSearch:
    """The port `WebSearch` on a SearXNG server. An async context manager: it holds connections.

    One query costs one request. A second page is never asked for: the first brings what every
    engine found, 20 to 60 results, and each further request helps to get the engines suspended.
    """

    def __init__(self, settings: SearchSettings, token_file: Path | None = None) -> None:
        """`token_file` is that of the gateway before SearXNG: where it exists, requests are signed,
        and only what knows the token is believed. It is looked for before each query.

        Raises:
            SettingsError: search.url is not an address.
        """
        self._settings = settings
        self._address = bare_address(settings.url)
        self._token_file = token_file
        self._client = service_client(
            settings.url, connect_timeout_s=CONNECT_TIMEOUT_S, setting="search.url"
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search for the plain words of a query; at most `wanted` results.

        No results with `silent_engines` means that those did not answer, no results without them
        that there are none. A query without a word is not sent, and has no results.

        Raises:
            ServiceDown: nothing answers at the address, or it hung up.
            ServiceTimeout: no whole answer in time.
            ServiceRefused: an answer with another status than 200; or the token cannot be read.
            ServiceSwitchedOff: it does not answer in JSON.
            ServiceProtocolError: an answer that is not SearXNG's JSON, or not from our own gateway.
        """
        words = narrowed_query(query, narrowing)
        if not words:
            return ResultPage(query, ())
        through = Message("SearXNG at {address}", address=self._address)
        body = await self._fetch(
            self._parameters(words, narrowing, language),
            lambda: sent(RequestSent(Sending.QUERY, Message("its engines"), through, words)),
        )
        try:
            page = parse_reply(body, query, wanted=wanted, narrowing=narrowing)
        except ValueError as exc:
            # A web page: JSON is turned off there, or a bot check stands before it.
            if body.lstrip()[:1] == b"<":
                raise self._web_page() from exc
            problem = Message(
                "What answers at {address} is not SearXNG's JSON: {problem}.",
                address=self._address,
                problem=exc,
            )
            raise self._nonsense(problem) from exc
        # SearXNG chooses its engines itself: which they were is known, for the ledger, only now.
        if engines := _engines_of(page):
            sent(RequestSent(Sending.QUERY, engines, through, words))
        return replace(page, served_by=through)

    async def _fetch(
        self, parameters: Mapping[str, str | int], before_sending: Callable[[], None]
    ) -> bytes:
        address, limit_s = self._address, self._settings.timeout_s
        try:
            async with asyncio.timeout(limit_s):
                return await self._ask(parameters, before_sending)
        except TimeoutError as exc:
            problem = Message(
                "SearXNG at {address} was slow: it did not answer within {n} s.",
                address=address,
                n=limit_s,
            )
            fix = Message("It waits for its own engines: search.engines names fewer of them.")
            raise ServiceTimeout(SERVICE, address, problem, fix=fix) from exc
        except (httpx.ConnectError, httpx.ConnectTimeout) as exc:
            # Something listens there: starting SearXNG is no remedy.
            if any(isinstance(cause, ssl.SSLError) for cause in causes(exc)):
                raise self._insecure(exc) from exc
            problem = Message(
                "Nothing answers at {address}, where SearXNG should be ({said}).",
                address=address,
                said=reason_of(exc),
            )
            raise ServiceDown(SERVICE, address, problem, fix=_START) from exc
        except httpx.NetworkError as exc:
            problem = Message(
                "SearXNG at {address} closed the connection before it had answered.",
                address=address,
            )
            raise ServiceDown(SERVICE, address, problem, fix=_START) from exc
        except (httpx.ProtocolError, httpx.DecodingError) as exc:
            problem = Message(
                "The answer from {address} broke off, or is not HTTP: {problem}.",
                address=address,
                problem=message_of(exc).clause(),
            )
            raise self._nonsense(problem) from exc

    async def _ask(
        self, parameters: Mapping[str, str | int], before_sending: Callable[[], None]
    ) -> bytes:
        async def watch(event: str, _: dict[str, Any]) -> None:
            # With a connection, and before the first byte: where nobody is, nothing is sent.
            if event == "http11.send_request_headers.started":
                before_sending()

        address = self._address
        async with self._client.stream(
            "GET",
            "/search",
            params=parameters,
            headers={"Accept": "application/json"},
            auth=auth_of(self._token_file, SERVICE, address),
            extensions={"trace": watch},
        ) as response:
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_REPLY_BYTES:
                    size = f"{MAX_REPLY_BYTES // 1_000_000} MB"
                    problem = Message(
                        "{address} answered more than {size}.", address=address, size=size
                    )
                    raise self._nonsense(problem)
        if response.status_code != HTTPStatus.OK:
            raise self._refusal(response, bytes(body))
        return bytes(body)

    def _parameters(
        self, words: str, narrowing: SearchScope, language: str | None
    ) -> dict[str, str | int]:
        settings = self._settings
        # Given both, SearXNG asks the named engines and all of the categories' besides.
        scope = {"engines": settings.engines} if settings.engines else {"categories": CATEGORIES}
        return {
            "q": words,
            "format": "json",
            "language": language_for(settings.language, words, language),
            "safesearch": settings.safesearch,
            "pageno": 1,
            **({"time_range": str(narrowing.recency)} if narrowing.recency else {}),
            **scope,
        }

    def _refusal(self, response: httpx.Response, body: bytes) -> ServiceRefused:
        status = response.status_code
        match status:
            case 403:
                message = Message(
                    "refuses to answer in JSON, which is switched off in its settings"
                )
                fix = Remedy(
                    "Let this program ask search engines itself: `askance config set search.in_process "
                    "given`; or add these lines to its settings.yml and restart it:\nsearch:\n  formats: "
                    "[html, json]",
                    setting="search.in_process",
                )
            case 401:
                message = Message("wants a user name and a password (HTTP 401)")
                fix = Message(
                    "Write them into search.url, before its host: {example}.", example=_WITH_NAME
                )
            case 429:
                message = Message(
                    "accepts no more queries from here for now (HTTP 429): its limiter is on"
                )
                fix = Message(
                    "Switch it off in its settings.yml, then restart it:\nserver:\n  limiter: false"
                )
            case 400:
                message = Message("refused the query (HTTP 400): {said}", said=stated_error(body))
                fix = Message("Check search.language and search.engines.")
            case _ if response.is_redirect:
                target = _base_of(response)
                message = Message(
                    "redirects to {host} (HTTP {status}), which Askance does not follow",
                    host=target or Message("another page"),
                    status=str(status),
                )
                moved = Message("If that is SearXNG, set search.url to {address}.", address=target)
                fix = moved if target else _ELSEWHERE
            case _ if response.is_server_error:
                message = Message("failed (HTTP {status})", status=str(status))
                fix = Message("Its log says why.")
            case _:
                message = Message("answered with HTTP {status}", status=str(status))
                fix = _ELSEWHERE
        address = self._address
        problem = Message("SearXNG at {address} {said}.", address=address, said=message)
        kind = ServiceSwitchedOff if status == HTTPStatus.FORBIDDEN else ServiceRefused
        return kind(SERVICE, address, problem, fix=fix)

    def _web_page(self) -> ServiceProtocolError:
        problem = Message("What answers at {address} is a web page.", address=self._address)
        fix = Message(
            "SearXNG's JSON may be off in its settings, or a page that checks its visitors stands before it. "
            "Otherwise set search.url to the address of SearXNG itself."
        )
        return ServiceProtocolError(SERVICE, self._address, problem, fix=fix)

    def _insecure(self, exc: httpx.TransportError) -> ServiceRefused:
        problem = Message(
            "No secure connection to {address} came about ({said}).",
            address=self._address,
            said=reason_of(exc),
        )
        fix = Message(
            "If it speaks no TLS, let search.url begin with http://; if its certificate is its own, let this "
            "computer trust it."
        )
        return ServiceRefused(SERVICE, self._address, problem, fix=fix)

    def _nonsense(self, problem: str) -> ServiceProtocolError:
        return ServiceProtocolError(SERVICE, self._address, problem, fix=_ELSEWHERE)


class FallbackSearch:
    """The port `WebSearch` on two others: the second is asked where nothing answers at the first,
    or where its settings do not let programs search.

    One that is slow, refuses or talks nonsense is there: its error stands, as does the second's.
    """

    def __init__(
        self, first: WebSearch, second: WebSearch, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives seconds that never go back."""
        self._first, self._second = first, second
        self._clock = clock
        self._down: ServiceDown | ServiceSwitchedOff | None = None
        self._asked_again_at = 0.0

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search with the first, or with the second and say so in `fallback`."""
        down = self._down
        if down is None or self._clock() >= self._asked_again_at:
            try:
                page = await self._first.search(
                    query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
                )
            except (ServiceDown, ServiceSwitchedOff) as exc:
                self._down = down = exc
                self._asked_again_at = self._clock() + REMEMBERED_S
            else:
                self._down = None
                return page
        page = await self._second.search(
            query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
        )
        message = (
            Message(
                "SearXNG at {address} does not answer in JSON; this program asked the search engines "
                "itself.",
                address=down.address,
            )
            if isinstance(down, ServiceSwitchedOff)
            else Message(
                "Nothing answers at {address}; this program asked the search engines itself.",
                address=down.address,
            )
        )
        return replace(page, fallback=message)


class SampleSearch:
    """The port `WebSearch` on the search engine of the sample web.

    This program serves it: where it fails, nothing that starts or sets up SearXNG helps.
    """

    def __init__(self, engine: WebSearch) -> None:
        self._engine = engine

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search the sample web. Raises ServiceError with a remedy for this computer."""
        try:
            return await self._engine.search(
                query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
            )
        except ServiceError as exc:
            problem = Message("The sample web, which this program serves itself, did not answer.")
            # The same class, since the run decides by it; only the remedy differs.
            raise type(exc)(SAMPLE_WEB, exc.address, problem, fix=TOO_BUSY) from exc


def _base_of(response: httpx.Response) -> str:
    """Return the address of another server that a redirect leads to, empty if it names none."""
    try:
        parts = urlsplit(location_of(response))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return ""
    path = parts.path.rstrip("/").removesuffix("/search")
    scheme = parts.scheme or response.url.scheme
    return f"{scheme}://{host}{path}" if scheme in ("http", "https") and host else ""


def _engines_of(page: ResultPage) -> str:
    """The engines that are known to have been asked: those that answered, and those that failed.

    A suspended engine was left out of the search.
    """
    names = {name for result in page.results for name in result.engines}
    names |= {e.name for e in page.silent_engines if not e.reason.startswith("Suspended")}
    return ", ".join(sorted(names))
