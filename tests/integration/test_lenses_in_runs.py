"""A lens in a whole run: what it leaves out is never requested, and never read."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.conversation import Conversation, Outcome, Turn
from askance.domain.events import Answered, PageRead, RequestSent, ResultsRanked, Sending
from askance.domain.evidence import EvidenceRequest
from askance.domain.history import published_in
from askance.domain.library import Document, Origin
from askance.domain.web_pages import PageReason, SearchScope
from askance.engine.evidence_search import EvidenceSearch
from askance.engine.search import PREFERRED_PLACES
from servers.loopback import Handler, Request, Wire
from servers.model_script import verdict
from servers.world import (
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    QUESTION,
    knowing_model,
    some_answer,
    the_web,
    world,
)

WITHOUT_HARBOUR = SearchScope(excluded=("harbour.example",))


def redirecting(**hops: str) -> Handler:
    """The web, in which some hosts lead to other addresses."""

    async def web(request: Request, wire: Wire) -> None:
        host = request.headers["host"].split(".")[0]
        if host in hops:
            await wire.send(b"", 302, {"Location": hops[host]})
        else:
            await the_web(request, wire)

    return web


def asked_hosts(requests: list[str]) -> set[str]:
    return {str(urlsplit(url).hostname) for url in requests}


async def test_a_site_that_is_left_out_is_neither_ranked_nor_read() -> None:
    script = knowing_model(judge=ONE_ROUND, answer=[some_answer])
    async with world(script) as w:
        reported = await w.ask(narrowing=WITHOUT_HARBOUR)
        assert "harbour.example" not in asked_hosts(w.read())
    ranked = [url for event in reported.of(ResultsRanked) for url in event.urls]
    assert LIGHTHOUSE in ranked
    assert HARBOUR not in ranked
    assert "harbour" not in script.calls[-1].text
    assert "harbour" not in str(reported.of(RequestSent))
    assert isinstance(reported.end, Answered)


async def test_the_sites_of_a_lens_are_asked_alone() -> None:
    only = SearchScope(("light.example",))
    async with world(knowing_model(judge=ONE_ROUND, answer=[some_answer])) as w:
        reported = await w.ask(narrowing=only)
        queries = [r.query["q"] for r in w.servers["search"].requests]
        assert asked_hosts(w.read()) == {"light.example"}
    assert queries
    assert all("site:light.example" in query for query in queries)
    assert reported.end.outcome is Outcome.WEB


@pytest.mark.parametrize(
    "scope",
    [WITHOUT_HARBOUR, SearchScope(("light.example", "gazette.example"))],
    ids=["never", "only"],
)
@pytest.mark.parametrize(
    "hops",
    [
        {"gazette": HARBOUR},
        {"gazette": "//HARBOUR.example./basin"},
        {"gazette": "http://user@www.harbour.example:80/basin"},
        {"gazette": "http://light.example/hop", "light": HARBOUR},
    ],
    ids=["plain", "point", "user", "two hops"],
)
async def test_a_redirect_reaches_nothing_that_is_left_out(
    scope: SearchScope, hops: dict[str, str]
) -> None:
    script = knowing_model(judge=ONE_ROUND, answer=["Nothing is known [1]."])
    async with world(script, web=redirecting(**hops), hosts=("http://www.harbour.example",)) as w:
        reported = await w.ask(narrowing=scope)
        assert not asked_hosts(w.read()) & {"harbour.example", "www.harbour.example"}
    (gazette,) = [event for event in reported.of(PageRead) if event.url == GAZETTE]
    assert gazette.reason is PageReason.REFUSED_ADDRESS
    sent = [event for event in reported.of(RequestSent) if event.sending is Sending.PAGE]
    assert not [event for event in sent if "harbour" in event.to.lower()]


async def test_evidence_without_a_model_holds_to_a_lens_too() -> None:
    async with world(web=redirecting(gazette=HARBOUR)) as w:
        wish = EvidenceRequest(narrowing=WITHOUT_HARBOUR)
        found = await EvidenceSearch(w.engine).fetch(QUESTION, wish, emit=lambda _: None)
        assert "harbour.example" not in asked_hosts(w.read())
    assert found.blocks
    assert "harbour.example" not in found.prompt


async def test_a_preferred_site_rises_by_some_places_and_no_more() -> None:
    async def order(preferred: tuple[str, ...]) -> list[str]:
        script = knowing_model(judge=ONE_ROUND, answer=[some_answer])
        async with world(script, settings={"limits.rounds": 1}) as w:
            reported = await w.ask(narrowing=SearchScope(preferred=preferred))
        return list(reported.of(ResultsRanked)[0].urls)

    usual = await order(("nowhere.example",))
    last = urlsplit(usual[-1]).hostname
    assert last
    lifted = await order((last,))
    assert sorted(lifted) == sorted(usual)
    assert lifted.index(usual[-1]) == max(0, len(usual) - 1 - PREFERRED_PLACES)


async def test_neither_a_later_round_nor_the_library_nor_a_next_question_leaves_the_lens(
    tmp_path: Path,
) -> None:
    """The judge wants the site that is left out, of which an older run has stored a page."""
    gap = "site:harbour.example Clara Whitlow basin"
    script = knowing_model(
        judge=[verdict("partial", gap), verdict("sufficient")] * 2, answer=[some_answer] * 2
    )
    library = SqliteLibrary(tmp_path / "library.sqlite3", 0, pytest.fail)
    library.add([Document(HARBOUR, "Harbour", f"{QUESTION} At the basin.", Origin.WEB)])
    conversation = Conversation()
    async with world(script, library=library) as w:
        for question in (QUESTION, "When did she build it?"):
            reported = await w.ask(question, conversation, narrowing=WITHOUT_HARBOUR)
            assert isinstance(reported.end, Answered)
            conversation = conversation.with_turn(
                Turn(question, reported.end.answer, published_in(question, reported.end))
            )
        assert "harbour.example" not in asked_hosts(w.read())
    library.close()
    assert "At the basin" not in "".join(call.text for call in script.calls)
    assert not [s for s in reported.end.sources if "harbour" in s.url]
