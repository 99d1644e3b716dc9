from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from askance.adapters.search.searxng import MAX_REPLY_BYTES, SearxngSearch
from askance.config.settings import SearchSettings
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceSwitchedOff,
    ServiceTimeout,
    SettingsError,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import Recency, SearchScope
from fakes.outbound import ignore
from remedies import remedy_of
from servers.faults import address_of_nobody
from servers.loopback import Handler, Loopback, Request, Wire, endless, serve
from servers.searxng import ScriptedSearxng, hit, reply

ONE_HIT = reply("cats", [hit("https://example.org/", "Cats", "All about cats.")])


@asynccontextmanager
async def searxng(
    handler: Handler, *, path: str = "", **more: str | float
) -> AsyncIterator[tuple[SearxngSearch, Loopback]]:
    async with serve(handler) as server:
        limit = {"timeout_s": more.pop("timeout_s", SearchSettings.timeout_s)}
        settings = SearchSettings.model_validate({"url": server.url + path, **more})
        settings = settings.model_copy(update=limit)
        async with SearxngSearch(settings) as search:
            yield search, server


async def answer(request: Request, wire: Wire) -> None:
    await wire.send_json(ONE_HIT)


def answering(
    body: bytes | str, status: int = 200, headers: dict[str, str] | None = None
) -> Handler:
    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(body, status, headers)

    return handle


async def failure(handler: Handler) -> ServiceError:
    async with searxng(handler) as (search, server):
        with pytest.raises(ServiceError) as caught:
            await search.search("cats", wanted=20, sent=ignore)
        assert caught.value.service == "SearXNG"
        assert caught.value.address == server.url
        assert server.url in caught.value.problem
        assert len(server.requests) == 1
    return caught.value


async def test_a_query_is_one_request_with_all_settings() -> None:
    async with searxng(answer, language="de", safesearch=2) as (
        search,
        server,
    ):
        page = await search.search("cats\n& dogs", wanted=20, sent=ignore)
    assert [r.title for r in page.results] == ["Cats"]
    assert page.query == "cats\n& dogs"
    (request,) = server.requests
    assert (request.method, request.path) == ("GET", "/search")
    assert request.query == {
        "q": "cats & dogs",
        "format": "json",
        "language": "de",
        "categories": "general",
        "safesearch": "2",
        "pageno": "1",
    }


async def test_a_query_is_told_of_before_its_first_byte_and_its_engines_afterwards() -> None:
    noted: list[RequestSent] = []
    reported_by_then: list[int] = []

    async def look(request: Request, wire: Wire) -> None:
        reported_by_then.append(len(noted))
        await wire.send_json(ONE_HIT)

    async with searxng(look) as (search, server):
        for _ in range(2):  # over a fresh connection, and over whatever is kept
            await search.search("cats", wanted=20, sent=noted.append)
    through = f"SearXNG at {server.url}"
    both = [
        RequestSent(Sending.QUERY, to, Message.verbatim(through), "cats")
        for to in ("its engines", "alpha")
    ]
    assert noted == both * 2
    assert reported_by_then == [1, 3]


async def test_named_engines_are_asked_instead_of_categories() -> None:
    async with searxng(answer, engines="alpha,beta") as (search, server):
        await search.search("cats", wanted=20, sent=ignore)
    assert server.requests[0].query["engines"] == "alpha,beta"
    assert "categories" not in server.requests[0].query


async def test_a_narrowed_search_tells_the_age_and_the_site_and_is_sifted() -> None:
    urls = ["https://docs.example.org/a", "https://example.org/b", "https://notexample.org/c"]
    elsewhere = ["https://example.org.evil.example/", "https://www.example.org/d"]
    hits = [hit(url, "Cats", "Cats.") for url in [*urls, *elsewhere]]
    box = {"infobox": "Cat", "id": "https://wiki.example/Cat", "content": "A cat.", "engine": "w"}
    noted: list[RequestSent] = []
    async with searxng(answering(json.dumps(reply("cats", hits, [], [box])))) as (search, server):
        page = await search.search(
            "cats site:evil.example",
            wanted=2,
            sent=noted.append,
            narrowing=SearchScope(("example.org",), Recency.WEEK),
        )
        every = await search.search(
            "cats", wanted=9, sent=ignore, narrowing=SearchScope(("example.org",))
        )
    asked = server.requests[0].query
    assert asked["q"] == "cats evil.example site:example.org"
    assert asked["time_range"] == "week"
    assert {s.content for s in noted} == {asked["q"]}
    assert [r.url for r in page.results] == urls[:2]
    assert [r.url for r in every.results] == [*urls[:2], elsewhere[1]]
    assert "time_range" not in server.requests[1].query


async def test_a_searxng_below_a_path_is_found_there() -> None:
    async with searxng(answer, path="/searx/") as (search, server):
        await search.search("cats", wanted=20, sent=ignore)
    assert server.requests[0].path == "/searx/search"


@pytest.mark.parametrize("query", ["", " \n", "!!"])
async def test_a_query_without_a_word_is_not_sent(query: str) -> None:
    async with searxng(answer) as (search, server):
        page = await search.search(query, wanted=20, sent=ignore)
    assert (page.query, page.results, page.silent_engines) == (query, (), ())
    assert server.requests == []


async def test_nobody_at_the_address_is_a_service_that_is_down() -> None:
    url = address_of_nobody()
    noted: list[RequestSent] = []
    async with SearxngSearch(SearchSettings(url=url)) as search:
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=noted.append)
    assert noted == []
    assert url in caught.value.problem
    remedy = remedy_of(caught.value)
    assert (remedy.command, remedy.setting) == ("askance up", "search.in_process")
    assert caught.value.__cause__ is not None


async def test_an_address_that_is_none_is_a_matter_of_settings() -> None:
    with pytest.raises(SettingsError, match=r"search\.url"):
        SearxngSearch(SearchSettings(url="http://a\x7fb"))


async def test_silence_is_slowness_and_not_absence() -> None:
    async def silent(request: Request, wire: Wire) -> None:
        await wire.client_gone()

    async with searxng(silent, timeout_s=0.2) as (search, server):
        with pytest.raises(ServiceTimeout) as caught:
            await search.search("cats", wanted=20, sent=ignore)
        await server.until_idle()
    assert "slow" in caught.value.problem
    assert "0.2 s" in caught.value.problem
    assert "running" not in str(caught.value)
    assert "search.engines" in caught.value.fix


async def test_an_answer_that_drips_is_bounded_by_the_same_time() -> None:
    async def dripping(request: Request, wire: Wire) -> None:
        await wire.start(200)
        while True:
            await wire.chunk(" ")
            await asyncio.sleep(0.01)

    async with searxng(dripping, timeout_s=0.2) as (search, server):
        with pytest.raises(ServiceTimeout):
            await search.search("cats", wanted=20, sent=ignore)
        await server.until_idle()


async def test_cancelling_passes_through_and_hangs_up() -> None:
    async def silent(request: Request, wire: Wire) -> None:
        await wire.client_gone()

    async with searxng(silent) as (search, server):
        with pytest.raises(TimeoutError):  # the caller's own limit, not the search's
            async with asyncio.timeout(0.2):
                await search.search("cats", wanted=20, sent=ignore)
        await server.until_idle()
        assert len(server.requests) == 1


def sending(raw: bytes) -> Handler:
    return lambda _request, wire: wire.raw(raw)


FAILURES: dict[str, tuple[Handler, type[ServiceError], str, str]] = {
    "JSON is off": (ScriptedSearxng(lambda _: [], formats=("html",)), ServiceSwitchedOff, "JSON",
                    "search:\n  formats: [html, json]"),
    "a limiter": (answering("Too Many Requests", 429), ServiceRefused, "limiter", "limiter: false"),
    "a reason": (answering('{"error": "Invalid value xx"}', 400), ServiceRefused, "Invalid value xx", "search.language"),
    **{str(n): (answering("oops", n), ServiceRefused, f"HTTP {n}", "Its log") for n in (500, 502, 503)},
    "another program": (answering("404 page not found", 404), ServiceRefused, "HTTP 404", "search.url"),
    **{f"a redirect to {to}": (answering("", 302, {"Location": to}), ServiceRefused, "another page", "search.url")
       for to in ("http://[broken", "/preferences")},
    **{f"the body {body}": (answering(body), ServiceProtocolError, "What answers at", "search.url")
       for body in ("<html>Hello</html>", "", '{"models": []}', "[1, 2]")},
    "broken off": (sending(b'HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"query": "cats", '),
                   ServiceProtocolError, "broke off", "search.url"),
    "no HTTP": (sending(b"SSH-2.0-OpenSSH_9.2\r\n"), ServiceProtocolError, "not HTTP", "search.url"),
    "packed": (answering(b"not gzip", headers={"Content-Encoding": "gzip"}), ServiceProtocolError, "packed", "search.url"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
async def test_each_failure_has_its_kind_its_sentence_and_its_remedy(name: str) -> None:
    handler, kind, problem, fix = FAILURES[name]
    error = await failure(handler)
    assert type(error) is kind
    assert problem in error.problem
    assert fix in error.fix


@pytest.mark.parametrize("status", [301, 302, 307])
async def test_a_redirect_is_never_followed(status: int) -> None:
    async with serve(answer) as elsewhere:
        error = await failure(answering("", status, {"Location": f"{elsewhere.url}/search"}))
        assert elsewhere.requests == []
    assert type(error) is ServiceRefused
    assert "127.0.0.1" in error.problem


async def test_a_reset_connection_is_a_service_that_is_down() -> None:
    async def reset(request: Request, wire: Wire) -> None:
        await wire.start(200)
        await wire.chunk("{")
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        wire._writer.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, linger
        )
        wire.abort()

    error = await failure(reset)
    assert type(error) is ServiceDown
    assert "closed the connection" in error.problem


async def test_an_endless_answer_is_not_taken_in() -> None:
    error = await failure(endless)
    assert type(error) is ServiceProtocolError
    assert f"{MAX_REPLY_BYTES // 1_000_000} MB" in error.problem


async def test_queries_at_once_do_not_disturb_each_other() -> None:
    async def by_query(request: Request, wire: Wire) -> None:
        query = request.query["q"]
        if query == "bad":
            await wire.send("oops", 500)
        else:
            await wire.send_json(reply(query, [hit(f"https://{query}.example/", "t", "c")]))

    async with searxng(by_query) as (search, _):
        found: dict[str, str] = {}

        async def ask(query: str) -> None:
            try:
                page = await search.search(query, wanted=20, sent=ignore)
                found[query] = page.results[0].url
            except ServiceError as error:
                found[query] = type(error).__name__

        async with asyncio.TaskGroup() as group:
            for query in ("one", "bad", "two"):
                group.create_task(ask(query))
    assert found == {
        "one": "https://one.example/",
        "bad": "ServiceRefused",
        "two": "https://two.example/",
    }


async def test_a_query_is_searched_in_its_language_where_it_can_be_told() -> None:
    async with searxng(answer) as (search, server):
        for query in ("Wie hoch ist der Leuchtturm?", "How high is the lighthouse?"):
            await search.search(query, wanted=20, sent=ignore)
    assert [request.query["language"] for request in server.requests] == ["de", "auto"]


async def test_a_query_is_searched_in_the_language_that_is_named_with_it() -> None:
    async with searxng(answer) as (search, server):
        for named in ("fr", "en", ""):
            await search.search("Wie hoch ist der Turm?", wanted=9, sent=ignore, language=named)
    assert [request.query["language"] for request in server.requests] == ["fr", "auto", "auto"]
