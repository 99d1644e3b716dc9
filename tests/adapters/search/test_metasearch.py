"""Search without SearXNG: ddgs and its HTTP client as they are, the engines played on loopback."""

from __future__ import annotations

import gzip
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from adapters.search.searching import A, B, searching
from askance.adapters.search.metasearch import STANDARD
from askance.domain.errors import ServiceRefused
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.web_pages import Recency, SearchScope, UnresponsiveEngine
from fakes.outbound import ignore
from servers.engines import HOSTS, Engines
from servers.faults import fails, talks_nonsense
from servers.loopback import Request, Wire


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engines' certificates are trusted as a company's would be."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


async def test_every_engine_is_asked_once_and_their_results_are_merged(tmp_path: Path) -> None:
    hits = {"brave": [A, B], "duckduckgo": [B], "mojeek": [], "startpage": [A], "wikipedia": [B]}
    noted: list[RequestSent] = []
    async with searching(tmp_path, hits) as (search, web):
        page = await search.search("cats & dogs", wanted=20, sent=noted.append)
        asked = web.heard("mojeek")[0].query["q"]
        posted = parse_qs(web.heard("duckduckgo")[0].body.decode())["q"]
    assert [r.url for r in page.results] == [B[0], A[0]]
    assert [r.engines for r in page.results] == [
        ("brave", "duckduckgo", "wikipedia"),
        ("brave", "startpage"),
    ]
    assert (page.results[1].title, page.results[1].snippet) == A[1:]
    assert page.silent_engines == ()
    assert (page.query, page.served_by, page.fallback) == ("cats & dogs", "this program", "")
    assert (asked, posted) == ("cats & dogs", ["cats & dogs"])
    through = f"the proxy http://127.0.0.1:{web.tunnels.port}"
    assert noted == [
        RequestSent(Sending.QUERY, ", ".join(STANDARD), Message.verbatim(through), "cats & dogs")
    ]


async def test_no_engine_is_asked_that_was_not_told_of(tmp_path: Path) -> None:
    async with searching(tmp_path) as (search, web):
        await search.search("cats", wanted=20, sent=ignore)
    assert set(web.tunnels.asked) == {f"{host}:443" for host in HOSTS.values()}


async def test_a_narrowed_search_is_sent_as_one_and_sifted(tmp_path: Path) -> None:
    hits = {"brave": [A, B, ("https://sub.a.example/", "Below", "It.")], "duckduckgo": [B]}
    narrowing = SearchScope(("a.example",), Recency.MONTH)
    noted: list[RequestSent] = []
    async with searching(tmp_path, hits) as (search, web):
        page = await search.search(
            "cats site:b.example", wanted=5, sent=noted.append, narrowing=narrowing
        )
        asked = web.heard("brave")[0].query
        posted = parse_qs(web.heard("duckduckgo")[0].body.decode())
    assert [r.url for r in page.results] == [A[0], "https://sub.a.example/"]
    assert (asked["q"], asked["tf"]) == ("cats b.example site:a.example", "pm")
    assert posted["df"] == ["m"]
    assert [(s.to, s.content) for s in noted] == [
        ("brave, duckduckgo, startpage", "cats b.example site:a.example")
    ]


async def test_engines_that_cannot_narrow_a_search_are_not_asked(tmp_path: Path) -> None:
    async with searching(tmp_path, engines="mojeek") as (search, web):
        with pytest.raises(ServiceRefused, match="mojeek"):
            await search.search(
                "cats", wanted=5, sent=ignore, narrowing=SearchScope(recency=Recency.DAY)
            )
    assert web.tunnels.asked == []


@pytest.mark.parametrize("query", ["", " \n", "!!"])
async def test_a_query_without_a_word_is_not_sent(tmp_path: Path, query: str) -> None:
    noted: list[RequestSent] = []
    async with searching(tmp_path) as (search, web):
        page = await search.search(query, wanted=20, sent=noted.append)
    assert (page.results, noted, web.tunnels.asked) == ((), [], [])


async def test_snippets_are_cleaned_and_addresses_are_judged(tmp_path: Path) -> None:
    hits = [
        ("javascript:alert(1)", "Script", "no"),
        ("/relative", "Relative", "no"),
        ("file:///etc/passwd", "File", "no"),
        ("https://a.example/\x1b[2J", "Escape", "no"),
        ("https://a.example/ok", "Bell\x1b]0;x\x07 \u009b1m", "std::vector<int>\x1b[31m red"),
    ]
    async with searching(tmp_path, {"mojeek": hits}, engines="mojeek") as (search, _):
        (result,) = (await search.search("cats", wanted=20, sent=ignore)).results
    assert result.url == "https://a.example/ok"
    assert result.title == "Bell ]0;x 1m"
    assert result.snippet == "std::vector<int> [31m red"


@pytest.mark.parametrize(
    "address",
    [
        "https://en.wikipedia.org/wiki/C%23",
        "https://a.example/a%20b?q=x%26y&z=1%2B1",
        "https://a.example/K%C3%B6ln",
    ],
)
async def test_an_address_keeps_its_percent_signs(tmp_path: Path, address: str) -> None:
    hits = {name: [(address, "T", "s")] for name in HOSTS}
    async with searching(tmp_path, hits) as (search, _):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert [r.url for r in page.results] == [address]
    assert page.results[0].engines == STANDARD


async def test_an_engine_that_fails_costs_only_itself(tmp_path: Path) -> None:
    async def limited(request: Request, wire: Wire) -> None:
        await wire.send("slow down", 429)

    async def sends_away(request: Request, wire: Wire) -> None:
        await wire.send("", 302, {"Location": "https://consent.example/?q=cats"})

    breaks = {
        "brave": limited,
        "duckduckgo": sends_away,
        "startpage": fails,
        "wikipedia": talks_nonsense,
    }
    async with searching(tmp_path, {"mojeek": [A]}, breaks=breaks) as (search, web):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert [r.url for r in page.results] == [A[0]]
    reasons = {engine.name: engine.reason for engine in page.silent_engines}
    assert reasons["brave"] == "HTTP 429"
    assert reasons["duckduckgo"] == "it redirects to consent.example"
    assert reasons["startpage"] == "HTTP 500"
    assert reasons["wikipedia"].startswith("its answer was not understood")
    assert "consent.example:443" not in web.tunnels.asked


async def test_an_engine_without_bounds_is_given_some(tmp_path: Path) -> None:
    async def endless(request: Request, wire: Wire) -> None:
        await wire.start()
        for _ in range(40):
            await wire.chunk(b"<p>" * 100_000)

    async def bomb(request: Request, wire: Wire) -> None:
        packed = gzip.compress(b"<p>" * 10_000_000)
        await wire.send(packed, headers={"Content-Encoding": "gzip"})

    async def deep(request: Request, wire: Wire) -> None:
        await wire.send("<div>" * 500_000)

    breaks = {"brave": endless, "duckduckgo": bomb, "startpage": deep}
    async with searching(tmp_path, {"mojeek": [A]}, breaks=breaks) as (search, _):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert [r.url for r in page.results] == [A[0]]
    reasons = {engine.name: engine.reason for engine in page.silent_engines}
    assert reasons["brave"] == reasons["duckduckgo"] == "it sent more than 5 MB"


@pytest.mark.parametrize("charset", ["iso-8859-1", "utf-8", "martian"])
async def test_a_page_is_read_in_its_own_character_set(tmp_path: Path, charset: str) -> None:
    async def answer(request: Request, wire: Wire) -> None:
        text = "<ul class='results'><li><h2><a href='https://a.example/'>K\xf6ln</a></h2></li></ul>"
        body = text.encode("utf-8" if charset == "martian" else charset)
        await wire.send(body, headers={"Content-Type": f"text/html; charset={charset}"})

    async with searching(tmp_path, breaks={"mojeek": answer}, engines="mojeek") as (search, _):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert page.results[0].title == "K\xf6ln"


async def test_a_redirect_within_an_engine_s_own_site_is_followed(tmp_path: Path) -> None:
    engines = Engines({"mojeek": [A]})

    async def moved(request: Request, wire: Wire) -> None:
        if request.path == "/search":
            await wire.send("", 301, {"Location": "https://www.mojeek.com/find?q=cats"})
        else:
            await engines(request, wire)

    async def circling(request: Request, wire: Wire) -> None:
        await wire.send("", 301, {"Location": "https://search.brave.com/again"})

    async with searching(
        tmp_path, breaks={"mojeek": moved, "brave": circling}, engines="mojeek,brave"
    ) as (search, web):
        page = await search.search("cats", wanted=20, sent=ignore)
        assert [r.target for r in web.heard("mojeek")] == ["/search?q=cats", "/find?q=cats"]
    assert [r.url for r in page.results] == [A[0]]
    assert page.silent_engines == (UnresponsiveEngine("brave", Message("it redirects too often")),)


async def test_all_blocked_engines_are_told_from_an_empty_web(tmp_path: Path) -> None:
    async with searching(tmp_path) as (search, _):
        empty = await search.search("cats", wanted=20, sent=ignore)
    async with searching(tmp_path, breaks=dict.fromkeys(HOSTS, fails)) as (search, _):
        blocked = await search.search("cats", wanted=20, sent=ignore)
    assert (empty.results, empty.silent_engines) == ((), ())
    assert blocked.results == ()
    assert {e.name for e in blocked.silent_engines} == set(STANDARD)


async def test_settings_are_passed_on(tmp_path: Path) -> None:
    async with searching(tmp_path, language="de-CH", engines="mojeek,brave", safesearch=2) as (
        search,
        web,
    ):
        await search.search("katzen", wanted=5, sent=ignore)
    assert {t.split(":")[0] for t in web.tunnels.asked} == {HOSTS["mojeek"], HOSTS["brave"]}
    mojeek = web.heard("mojeek")[0]
    assert mojeek.query["safe"] == "1"
    assert {"arc=ch", "lb=de"} <= set(mojeek.headers["cookie"].split("; "))
    assert "safesearch=strict" in web.heard("brave")[0].headers["cookie"]


async def test_the_language_that_is_named_with_a_query_is_its_region(tmp_path: Path) -> None:
    async with searching(tmp_path, engines="mojeek") as (search, web):
        await search.search("phare hauteur", wanted=5, sent=ignore, language="fr")
    assert "lb=fr" in web.heard("mojeek")[0].headers["cookie"]


async def test_engines_that_may_not_be_asked_are_not(tmp_path: Path) -> None:
    async with searching(tmp_path, engines="arxiv, qwant") as (search, web):
        with pytest.raises(ServiceRefused) as caught:
            await search.search("cats", wanted=20, sent=ignore)
    assert "(arxiv, qwant)" in caught.value.problem
    assert "askance up" in caught.value.fix
    assert web.tunnels.asked == []
