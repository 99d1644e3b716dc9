"""SearXNG, the metasearch engine, asked for JSON: plain words in its queries, and its replies read with distrust."""

from __future__ import annotations

import asyncio
import html
import json
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, Self, cast
from urllib.parse import urlsplit

import httpx

from askance.adapters.network.guarded_http import causes, location_of, reason_of, service_client
from askance.adapters.network.own_services import auth_of
from askance.config.settings import SearchSettings
from askance.domain.addresses import bare_address
from askance.domain.errors import (
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceSwitchedOff,
    ServiceTimeout,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message, Remedy, message_of
from askance.domain.patterns import lazy_re
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    ResultPage,
    SearchResult,
    SearchScope,
    UnresponsiveEngine,
    host_of,
    leads_inside,
    plausible_day,
)
from askance.text.languages.language import ENGLISH
from askance.text.languages.recognition import surely
from askance.text.ranking.urls import resolved

SERVICE = "SearXNG"
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
        # Some engines ask a site itself, which must not be asked where it is left out.
        shut = [name for name, site in _SITES_ASKED.items() if not narrowing.admits(site)]
        if shut:
            # Those that are named are asked even where they are switched off.
            names = [name.strip() for name in settings.engines.split(",")]
            named = ",".join(name for name in names if name.lower() not in shut)
            scope = {"engines": named} if named else {"categories": CATEGORIES}
            scope["disabled_engines"] = ",".join(f"{name}__general" for name in shut)
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


# Engines cut or refuse longer ones; the strictest widely used limit is 400 characters.
MAX_QUERY_CHARS = 400
MAX_SITES_CHARS = 200
MAX_TITLE_CHARS = 300
MAX_SNIPPET_CHARS = 2_000
# No reader asks for a longer address, and no engine lists more results on a page.
MAX_URL_CHARS = 8_192
MAX_ENTRIES = 200
MAX_HINTS = 5
AUTO = "auto"

# SearXNG reads any word that begins with one of these as a command (`!engine`, `!!other-site`,
# `:language`, `<seconds`). A hyphen alone is no command; the engine of a run says where it stays (`engine/search.py`).
_MARKS = "!:<-"
# What begins like a command and is none: seconds are digits, and no language begins with a colon.
_NO_COMMAND = lazy_re(r"(?:<|::)[^\W\d_]")
_OPERATORS = (
    "site|inurl|intitle|intext|inbody|inanchor|allinurl|allintitle|allintext|allinanchor|filetype|"
    "ext|lang|language|loc|location|before|after|related|cache|info|link|linkfrom|domain|host|url"
)
_OPERATOR = lazy_re(rf"(?<![\w/.])(?:{_OPERATORS}):(?=\S)", re.IGNORECASE)
_CONTROL = lazy_re(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

# Tags and entities take room of their own, some times that of the text.
_LOOKED_AT_TIMES = 20
# Only tags of HTML are taken out: `std::vector<int>` in a snippet is text.
_HIDDEN_FROM = lazy_re(r"<(script|style)\b", re.IGNORECASE)
_HIDDEN_TO = {name: lazy_re(rf"</{name}\s{{0,20}}>", re.IGNORECASE) for name in ("script", "style")}
_BREAKS = lazy_re(
    r"</?(?:br|p|div|li|ul|ol|td|th|tr|table|h[1-6]|hr)\b(?P<attributes>[^<>]*)>", re.IGNORECASE
)
_ATTRIBUTE = lazy_re(r"\s{1,20}[\w:-]{1,60}\s{0,20}=")
_TAGS = lazy_re(
    r"</?(?:a|abbr|b|cite|code|em|font|i|img|mark|q|s|small|span|strong|sub|sup|time|u|wbr)"
    r"(?P<attributes>(?:\s[^<>]*)?/?)>",
    re.IGNORECASE,
)
# Engines that ask one site for its own articles.
_SITES_ASKED = {"wikipedia": "https://wikipedia.org/", "wikidata": "https://www.wikidata.org/"}
# What SearXNG says of an engine to which no connection came about (searx/webutils.py), also while it
# leaves such an engine alone for a time.
_UNREACHED = lazy_re(r"(?:^|: )(?:HTTP connection|network|proxy) error$")
_UNPRINTABLE = lazy_re(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_UNFIT_IN_URL = lazy_re(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ud800-\udfff]")


def plain_query(text: str, *, most: int = MAX_QUERY_CHARS) -> str:
    """Return the words of a query on one line, without the syntax of SearXNG or of its engines.

    Nothing in it selects engines, a language, or another site. Quotes stay, and hyphens before a word.
    `site:` and its like leave their value as a word. The result is at most `most` characters long, and
    empty where no word is left.
    """
    # Half of a surrogate pair, which a model can write, fits into no address.
    readable = text.encode("utf-8", "ignore").decode("utf-8")
    without_operators = _OPERATOR.sub("", _CONTROL.sub(" ", readable))
    words = [_plain_word(word) for word in without_operators.split()]
    return _shortened(" ".join(word for word in words if word), most)


def narrowed_query(text: str, narrowing: SearchScope) -> str:
    """Return the words of a query, and behind them the operators that keep engines to domains and to a type of files.

    The domains are names of hosts. Where they leave no room for the words, what is found is sifted
    alone: every engine finds something else first. Empty where no word is left.
    """
    sites = " OR ".join(f"site:{domain}" for domain in narrowing.domains)
    sites = f"({sites})" if len(narrowing.domains) > 1 else sites
    files = f"filetype:{narrowing.filetype}" if narrowing.filetype else ""
    # SearXNG hands both on as they are: an engine that does not know them takes them for words.
    behind = " ".join(filter(None, [sites if len(sites) <= MAX_SITES_CHARS else "", files]))
    if not behind:
        return plain_query(text)
    words = plain_query(text, most=MAX_QUERY_CHARS - len(behind) - 1)
    return f"{words} {behind}" if words else ""


def language_for(wanted: str, words: str, language: str | None = None) -> str:
    """Return the language to ask for: what is set, or with `auto` that of a query which is not English.

    `language` is that of the query, empty if that is not recognised; without one its words decide.
    SearXNG tells some from a few words that are not theirs, and its engines answer by country. English,
    and what is not recognised, is left to it.
    """
    if wanted != AUTO:
        return wanted
    own = surely(words) if language is None else language
    return own if own not in {"", ENGLISH} else wanted


def parse_reply(
    body: bytes,
    query: str,
    *,
    wanted: int,
    narrowing: SearchScope = WHOLE_WEB,
) -> ResultPage:
    """Return what a reply holds for a query: at most `wanted` results, in the engine's order.

    Results without a web address, on other domains, or older than is wanted, are passed over. Infoboxes come last, because SearXNG gives the
    encyclopedia article that is named like the query there and nowhere else; they have a place
    among the `wanted`.

    Raises:
        ValueError: the body is not JSON, or not SearXNG's: it has no list of results, says that it is an
            error, or has entries of which none is a result.
    """
    try:
        reply: Any = json.loads(body)
    except RecursionError as exc:
        raise ValueError("the JSON is nested too deeply") from exc
    fields = cast("dict[str, Any]", reply) if isinstance(reply, dict) else {}
    entries = fields.get("results")
    if not isinstance(entries, list) or fields.get("error"):
        raise ValueError("the JSON has no list of results, or is an error")
    today = datetime.now(UTC).date()
    raws = _objects(cast("object", entries))
    found = [entry for raw in raws if (entry := _result(raw, today))]
    # Entries that are no results come from another program whose JSON has the same key.
    if entries and not found:
        raise ValueError("none of the results has the address of a web page")
    listed = [
        entry
        for entry in found
        if narrowing.admits(entry.url) and narrowing.admits_day(entry.published, today)
    ]
    answers = [answer for raw in _entries(fields.get("answers")) if (answer := _answer(raw, today))]
    listed = [entry for entry in answers if narrowing.admits(entry.url)] + listed
    known = {entry.url for entry in listed}
    boxes = [e for raw in _objects(fields.get("infoboxes")) if (e := _infobox(raw, today))]
    # Half of the places at the most: an encyclopedia must not crowd the engines out.
    boxes = [e for e in boxes if e.url not in known and narrowing.admits(e.url)][: wanted // 2]
    chosen = [*listed[: wanted - len(boxes)], *boxes]
    silent = _silent(fields.get("unresponsive_engines"))
    return ResultPage(query, tuple(chosen), silent, hints=_hints(fields))


def stated_error(body: bytes) -> str:
    """Return what a refusal says in its body, on one line; "no reason given" where it says nothing."""
    try:
        reply: Any = json.loads(body)
    except (ValueError, RecursionError):
        reply = None
    stated = cast("dict[str, Any]", reply).get("error") if isinstance(reply, dict) else None
    return plain_text(stated, MAX_TITLE_CHARS) or Message("no reason given")


def plain_text(value: object, limit: int) -> str:
    """Return a text on one line without HTML, at most `limit` characters; "" for what is no text."""
    if not isinstance(value, str):
        return ""
    looked_at = value[: _LOOKED_AT_TIMES * limit]
    without_breaks = _BREAKS.sub(
        lambda tag: " " if _is_tag(tag) else tag[0], _without_hidden(looked_at)
    )
    without_tags = _TAGS.sub(lambda tag: "" if _is_tag(tag) else tag[0], without_breaks)
    text = " ".join(_UNPRINTABLE.sub(" ", html.unescape(without_tags)).split())
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _is_tag(found: re.Match[str]) -> bool:
    """Whether what looks like a tag is one: in `a<b and c>d` no attribute has a value."""
    return (
        not found["attributes"].strip(" /\t\r\n")
        or _ATTRIBUTE.match(found["attributes"]) is not None
    )


def web_url(value: object) -> str:
    """Return an address of the web as it came, but for white space; "" for any other.

    One that only leads to another is that other one. One of this machine or its network is none.
    """
    if not isinstance(value, str) or len(value) > MAX_URL_CHARS:
        return ""
    url = value.strip().replace(" ", "%20")
    url = resolved(f"https:{url}" if url.startswith("//") else url)
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    # No engine finds private addresses: such a result aims the reader at the user's network.
    usable = parts.scheme in ("http", "https") and host and not leads_inside(host)
    return url if usable and "%20" not in host and not _UNFIT_IN_URL.search(url) else ""


def _plain_word(word: str) -> str:
    bare = word.lstrip(_MARKS)
    if (word.lstrip("-") == bare and bare) or _NO_COMMAND.match(word):
        return word
    if not any(character.isalnum() for character in word):
        # `:=` and `!=` are no command, but `!!` alone asks for a redirect to the first result.
        return bare if word.startswith("!!") else word
    if bare[:1].isdigit() and word.removesuffix(bare).endswith("-"):
        return f"-{bare}"
    return bare


def _shortened(query: str, most: int) -> str:
    if len(query) <= most:
        return query
    head = query[: most + 1]
    return head[: head.rfind(" ")] if " " in head else head[:most]


def _without_hidden(text: str) -> str:
    """Put a space for each script and style sheet that is closed, in one pass over the text."""
    retained: list[str] = []
    at = 0
    unclosed: set[str] = set()
    for begin in _HIDDEN_FROM.finditer(text):
        name = begin[1].lower()
        if begin.start() < at or name in unclosed:
            continue
        end = _HIDDEN_TO[name].search(text, begin.end())
        if end is None:
            unclosed.add(name)
            continue
        retained += [text[at : begin.start()], " "]
        at = end.end()
    return "".join([*retained, text[at:]])


def _objects(value: object) -> Iterator[dict[str, Any]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return (cast("dict[str, Any]", item) for item in items[:MAX_ENTRIES] if isinstance(item, dict))


def _result(raw: dict[str, Any], today: date) -> SearchResult | None:
    url = web_url(raw.get("url"))
    if not url:
        return None
    return SearchResult(
        url=url,
        title=plain_text(raw.get("title"), MAX_TITLE_CHARS) or host_of(url),
        snippet=plain_text(raw.get("content"), MAX_SNIPPET_CHARS),
        engines=_engines(raw),
        # Null where an engine gives none, and without a zone else; some fill the other field.
        published=_date(raw.get("publishedDate") or raw.get("pubdate"), today),
    )


def _entries(value: object) -> Iterator[dict[str, Any]]:
    """Yield the answers of a reply; old versions of SearXNG have texts."""
    items = cast("list[object]", value)[:MAX_ENTRIES] if isinstance(value, list) else []
    for item in items:
        if isinstance(item, str):
            yield {"answer": item}
    yield from _objects(items)


def _answer(raw: dict[str, Any], today: date) -> SearchResult | None:
    """Return what an engine answers of itself, if it says where that stands."""
    text = raw.get("answer")
    entry = _result({**raw, "title": raw.get("title"), "content": text}, today)
    return entry if entry and entry.snippet else None


def _hints(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return what a reply says beside results, that stands nowhere: answers, corrections, other queries."""
    answers = [raw.get("answer") for raw in _entries(fields.get("answers")) if not raw.get("url")]
    raw_hints: list[object] = list(answers)
    for name in ("corrections", "suggestions"):
        more = fields.get(name)
        raw_hints += cast("list[object]", more)[:MAX_HINTS] if isinstance(more, list) else []
    texts = (plain_text(one, MAX_TITLE_CHARS) for one in raw_hints)
    return tuple(dict.fromkeys(text for text in texts if text))[:MAX_HINTS]


def _infobox(raw: dict[str, Any], today: date) -> SearchResult | None:
    urls = (entry.get("url") for entry in _objects(raw.get("urls")))
    url = next(filter(web_url, [raw.get("id"), *urls]), None)
    entry = _result({**raw, "url": url, "title": raw.get("infobox")}, today)
    return entry if entry and entry.snippet else None


def _engines(raw: dict[str, Any]) -> tuple[str, ...]:
    several, one = raw.get("engines"), raw.get("engine")
    names = cast("list[object]", several) if isinstance(several, list) else [one]
    return tuple(name for name in names if isinstance(name, str) and name)


def _date(value: object, today: date) -> str | None:
    """Return the day alone: the hour is that of no known time zone."""
    if not isinstance(value, str):
        return None
    try:
        return plausible_day(datetime.fromisoformat(value.strip()).date(), today)
    except ValueError:
        return None


def _silent(value: object) -> tuple[UnresponsiveEngine, ...]:
    pairs = cast("list[object]", value) if isinstance(value, list) else []
    silent: list[UnresponsiveEngine] = []
    for pair in pairs[:MAX_ENTRIES]:
        if isinstance(pair, dict):
            entry = cast("dict[str, object]", pair)
            pair = [entry.get("engine") or entry.get("name"), entry.get("error")]
        parts = cast("list[object]", pair) if isinstance(pair, list) else [pair]
        name, *reasons = [plain_text(part, MAX_TITLE_CHARS) for part in parts] or [""]
        if name:
            reason = reasons[0] if reasons else ""
            is_unreached = _UNREACHED.search(reason) is not None
            silent.append(UnresponsiveEngine(name, Message.term(reason), is_unreached))
    return tuple(silent)
